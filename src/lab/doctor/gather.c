/* SPDX-License-Identifier: MIT */
#include "lab/doctor/gather.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/doctor/sysctls.h"
#include "lab/emulate/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void gather_kernel(lt_facts *facts)
{
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(facts->kernel, sizeof facts->kernel, "%s", name.release);
        if (sscanf(name.release, "%u.%u", &facts->kernel_major, &facts->kernel_minor) != 2)
            facts->kernel_major = facts->kernel_minor = 0;
    }
    lt_clock_date(facts->machine_date);
}

/* Makes a path, in a process that ends with it, and writes the error. */
static void try_path(int out)
{
    lt_path_params params;
    livetcp_error error = {.message = ""};
    lt_path_params_init(&params);
    lt_path *path = lt_path_create(&params, &error);
    if (!path && write(out, error.message, strlen(error.message)) < 0)
        _exit(1);
    lt_path_destroy(&path);
    _exit(path ? 1 : error.message[0] != '\0');
}

void lt_gather_tun(lt_facts *facts)
{
    lt_tun_fact *tun = &facts->tun;
    int ends[2], status = -1;
    size_t length = 0;
    ssize_t more;

    tun->how = LT_FAILED;
    if (pipe(ends)) {
        snprintf(tun->why, sizeof tun->why, "%s", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        try_path(ends[1]);
    }
    close(ends[1]);
    while (length < sizeof tun->why - 1 &&
           (more = read(ends[0], tun->why + length, sizeof tun->why - 1 - length)) > 0)
        length += (size_t)more;
    close(ends[0]);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        tun->how = LT_KNOWN;
    else if (!length)
        snprintf(tun->why, sizeof tun->why, "the attempt ended without a reason");
}

static livetcp_result no_interface(const char *name, livetcp_error *error)
{
    char names[160] = "";
    size_t length = 0;
    struct if_nameindex *all = if_nameindex();
    for (struct if_nameindex *i = all; i && i->if_index && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, " %s", i->if_name);
    if_freenameindex(all);
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "--interface %.40s: there is no such interface; there are:%s", name, names);
}

livetcp_result lt_gather(lt_facts *facts, const lt_gather_options *options, livetcp_error *error)
{
    const char *name = options->interface;
    memset(facts, 0, sizeof *facts);
    if (name && !if_nametoindex(name))
        return no_interface(name, error);
    gather_kernel(facts);
    lt_gather_tun(facts);
    lt_sysctls_read(facts, options->sysctls);
    lt_gather_route(facts, options->to, name);
    if (!name)
        name = facts->route.device;
    if (*name)
        lt_gather_interface(facts, name);
    lt_gather_socket(facts);
    return LIVETCP_OK;
}
