/* SPDX-License-Identifier: MIT */
#include "lab/emulate/client.h"

#include "lab/emulate/report.h"
#include "lab/exit_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(name) >= sizeof address.sun_path) {
        fprintf(stderr, "livetcp emulate: the socket name %s is too long\n", name);
        return -1;
    }
    strcpy(address.sun_path, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address))
        return fd;
    fprintf(stderr,
            "livetcp emulate: cannot reach %s: %s; is 'livetcp emulate --control %s' running?\n",
            name, strerror(errno), name);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Sends a line and reads the answer; NULL if the connection failed. */
static json_t *exchange(FILE *stream, json_t *request)
{
    json_t *reply = NULL;
    char *text = json_dumps(request, JSON_COMPACT);
    if (text && fprintf(stream, "%s\n", text) > 0 && !fflush(stream))
        reply = json_loadf(stream, JSON_DISABLE_EOF_CHECK, NULL);
    free(text);
    return reply;
}

static int ask(const char *name, json_t *request, bool print)
{
    int result = LT_EXIT_FAILED;
    int fd = connect_to(name);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r+");
    json_t *reply = stream ? exchange(stream, request) : NULL;
    const char *problem = json_string_value(json_object_get(reply, "error"));
    if (problem)
        fprintf(stderr, "livetcp emulate: %s\n", problem);
    else if (!reply && stream)
        fprintf(stderr, "livetcp emulate: no answer from %s\n", name);
    else if (reply && (!print || lt_emulate_write_json(json_incref(reply), false, "-")))
        result = LT_EXIT_OK;
    json_decref(reply);
    json_decref(request);
    if (stream)
        fclose(stream);
    else if (fd >= 0)
        close(fd);
    return result;
}

int lt_emulate_client(int argc, const char **argv)
{
    if (!strcmp(argv[0], "counters") && argc == 2)
        return ask(argv[1], json_pack("{s:s}", "command", "counters"), true);
    if (!strcmp(argv[0], "set") && argc == 4)
        return ask(
            argv[1],
            json_pack("{s:s, s:s, s:s}", "command", "set", "direction", argv[2], "params", argv[3]),
            false);
    fputs("Usage: livetcp emulate set PATH forward|backward|both PARAMETERS\n"
          "       livetcp emulate counters PATH\n",
          stderr);
    return LT_EXIT_USAGE;
}
