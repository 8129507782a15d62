/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/emulate/netns.h"

#include "base/error.h"
#include "lab/netlink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef livetcp_result (*netns_function)(void *context, livetcp_error *error);

typedef struct netns_job {
    int netns; /* to enter; -1: create one and store it here */
    netns_function function;
    void *context;
    livetcp_error *error;
    livetcp_result result;
} netns_job;

static livetcp_result write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return LIVETCP_ERR_SYSTEM;
    ssize_t written = write(fd, text, strlen(text));
    int saved = errno;
    close(fd);
    errno = saved;
    return written == (ssize_t)strlen(text) ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

static livetcp_result create_here(netns_job *job)
{
    if (unshare(CLONE_NEWNET))
        return lt_fail_errno(job->error, LIVETCP_ERR_PERMISSION, errno,
                             "cannot create a network namespace; run as root");
    const int code = lt_netlink_bring_up("lo", 0, 0);
    if (code)
        return lt_fail_errno(job->error, LIVETCP_ERR_SYSTEM, code,
                             "cannot bring up the loopback of a new network namespace");
    livetcp_result result = job->function ? job->function(job->context, job->error) : LIVETCP_OK;
    if (result)
        return result;
    job->netns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (job->netns < 0)
        return lt_fail_errno(job->error, LIVETCP_ERR_SYSTEM, errno,
                             "cannot open /proc/thread-self/ns/net");
    return LIVETCP_OK;
}

static void *job_main(void *argument)
{
    netns_job *job = argument;
    if (job->netns < 0) {
        job->result = create_here(job);
        return NULL;
    }
    job->result = lt_netns_enter(job->netns, job->error);
    if (!job->result)
        job->result = job->function(job->context, job->error);
    return NULL;
}

/* Without privileges over the old namespace a thread cannot return to it: work in another namespace
 * is done by a thread that ends there. */
static livetcp_result run_job(netns_job *job)
{
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, job_main, job);
    if (failed)
        return lt_fail_errno(job->error, LIVETCP_ERR_SYSTEM, failed, "cannot start a thread");
    pthread_join(thread, NULL);
    return job->result;
}

livetcp_result lt_netns_create(int *out, netns_function setup, void *context, livetcp_error *error)
{
    netns_job job = {.netns = -1, .function = setup, .context = context, .error = error};
    livetcp_result result = run_job(&job);
    *out = result ? -1 : job.netns;
    return result;
}

livetcp_result lt_netns_call(int netns, netns_function function, void *context,
                             livetcp_error *error)
{
    netns_job job = {.netns = netns, .function = function, .context = context, .error = error};
    return run_job(&job);
}

livetcp_result lt_netns_enter(int netns, livetcp_error *error)
{
    if (setns(netns, CLONE_NEWNET))
        return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, errno,
                             "cannot enter the network namespace");
    return LIVETCP_OK;
}

static livetcp_result map_root(unsigned uid, unsigned gid, livetcp_error *error)
{
    char uid_map[32], gid_map[32];
    snprintf(uid_map, sizeof uid_map, "0 %u 1", uid);
    snprintf(gid_map, sizeof gid_map, "0 %u 1", gid);
    if (write_file("/proc/self/setgroups", "deny") || write_file("/proc/self/uid_map", uid_map) ||
        write_file("/proc/self/gid_map", gid_map))
        return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, errno,
                             "cannot become root of the user namespace; run as root");
    return LIVETCP_OK;
}

static livetcp_result enter_userns(livetcp_error *error)
{
    unsigned uid = geteuid(), gid = getegid();
    if (!unshare(CLONE_NEWUSER))
        return map_root(uid, gid, error);
    if (errno == EINVAL)
        return lt_fail_errno(error, LIVETCP_ERR_BAD_STATE, errno,
                             "cannot create a user namespace in a process with several threads; "
                             "run as root, or create the path first");
    return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, errno,
                         "not root, and this system forbids user namespaces; run as root, or ask "
                         "for sysctl user.max_user_namespaces and, on Debian and Ubuntu, "
                         "kernel.unprivileged_userns_clone or the AppArmor restriction");
}

/* Tried in a child: a thread, even one just joined, would make later calls of unshare() fail. */
static bool may_create(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWNET) ? 1 : 0);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && status == 0;
}

livetcp_result lt_netns_prepare(livetcp_error *error)
{
    return may_create() ? LIVETCP_OK : enter_userns(error);
}

livetcp_result lt_sysctl_set(const char *key, const char *value, livetcp_error *error)
{
    char path[256];
    snprintf(path, sizeof path, "/proc/sys/%s", key);
    if (write_file(path, value))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot set %s to '%s'", path,
                             value);
    return LIVETCP_OK;
}

livetcp_result lt_sysctl_get(const char *key, char *value, size_t size, livetcp_error *error)
{
    char path[256];
    snprintf(path, sizeof path, "/proc/sys/%s", key);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = fd < 0 ? -1 : read(fd, value, size - 1);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (count < 0)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, saved, "cannot read %s", path);
    value[count] = '\0';
    value[strcspn(value, "\n")] = '\0';
    return LIVETCP_OK;
}
