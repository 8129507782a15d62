/* SPDX-License-Identifier: MIT */
/* livetcp stat: a table of the sessions on this host, from the sockets in LIVETCP_STATS_DIR. */
#include "base/error.h"
#include "lab/options.h"
#include "lab/output.h"
#include "tool/command.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    SOCKETS = 256,         /* maximum number of sockets read */
    ANSWER_MAX = 16 << 20, /* bytes */
    PATIENCE_MS = 1000,    /* time-out for a program that does not answer */
    REMARKS = 600,
};

static const char about[] =
    "\nShows the LiveTCP sessions of running programs, including GStreamer pipelines. Start the\n"
    "programs with the environment variable LIVETCP_STATS_DIR set to a directory: each opens a\n"
    "socket there, PID-N.sock, which only its user may open.\n\n"
    "On a terminal the table is refreshed until Ctrl-C; otherwise it is printed once.\n"
    "SENT counts all bytes of the connections, RECEIVED media only. DELAY is from send to\n"
    "delivery, COPIES the copies sent, LOST the packets dropped or missing at this end.\n\n"
    "Exit code: 0 when there were sessions, 1 when no program answered, 2 when the command\n"
    "line is wrong.\n\n"
    "Examples:\n"
    "  mkdir -m 700 /run/user/$UID/livetcp\n"
    "  export LIVETCP_STATS_DIR=/run/user/$UID/livetcp\n"
    "  gst-launch-1.0 ... ! livetcpsink port=5000 &\n"
    "  livetcp stat\n"
    "  livetcp stat --json | jq '.sessions[].sent.delays'\n";

/* Counters of a session at the previous reading. */
typedef struct look {
    char socket[64];
    json_int_t number, time_us, sent, received;
} look;

typedef struct looks {
    look *list;
    size_t count;
} looks;

typedef struct stat_run {
    const char *directory;
    const char *const *pids; /* NULL-terminated; NULL: all */
    livetcp_usec interval;
    unsigned count; /* tables; 0 = until Ctrl-C */
    FILE *json;     /* NULL: not wanted; standard output: no table */
    bool connections, terminal;
    looks before, now;
    unsigned answered;
    char remarks[REMARKS]; /* printed under the table */
} stat_run;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* ---- one socket ---- */

static void remark(stat_run *run, const char *name, const char *text)
{
    size_t used = strlen(run->remarks);

    snprintf(run->remarks + used, sizeof run->remarks - used, "%s: %s\n", name, text);
}

static int connect_to(const char *path)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int cause = errno;
    close(fd);
    errno = cause;
    return -1;
}

/* Reads one line, without its end; NULL: none. */
static char *read_line(int fd)
{
    size_t size = 1 << 16, used = 0;
    char *text = malloc(size), *larger;

    while (text) {
        ssize_t got = recv(fd, text + used, size - used - 1, 0);
        if (got <= 0)
            break;
        used += (size_t)got;
        if (text[used - 1] == '\n') {
            text[used - 1] = '\0';
            return text;
        }
        if (size - used > 1)
            continue;
        larger = size < ANSWER_MAX ? realloc(text, size *= 2) : NULL;
        if (!larger)
            break;
        text = larger;
    }
    free(text);
    return NULL;
}

/* A program's answer; NULL: the reason is in the remarks. */
static json_t *ask(stat_run *run, const char *name)
{
    char path[4352];
    json_t *document = NULL;
    char *line = NULL;

    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    int fd = connect_to(path);
    if (fd < 0) {
        remark(run, name,
               errno == ECONNREFUSED ? "left behind by a program that ended without closing; "
                                       "skipped, and you may remove it"
                                     : strerror(errno));
        return NULL;
    }
    (void)send(fd, "\n", 1, MSG_NOSIGNAL); /* a refused client has already received its answer */
    line = read_line(fd);
    close(fd);
    if (line)
        document = json_loads(line, 0, NULL);
    free(line);
    const char *error = json_string_value(json_object_get(document, "error"));
    if (!document || error) {
        remark(run, name, error ? error : "no answer: the program is stopped, or too busy");
        json_decref(document);
        return NULL;
    }
    return document;
}

/* ---- the table ---- */

static json_int_t integer(const json_t *object, const char *group, const char *name)
{
    if (group)
        object = json_object_get(object, group);
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const char *rate_text(double bits, char *text, size_t size)
{
    if (bits < 0)
        snprintf(text, size, "-");
    else if (bits < 1e6)
        snprintf(text, size, "%.0f kbit/s", bits / 1e3);
    else
        snprintf(text, size, "%.2f Mbit/s", bits / 1e6);
    return text;
}

static const char *time_text(json_int_t us, char *text, size_t size)
{
    if (us < 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.1f", (double)us / 1e3);
    return text;
}

static const look *find_look(const looks *in, const look *like)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->list[i].number == like->number && !strcmp(in->list[i].socket, like->socket))
            return &in->list[i];
    return NULL;
}

static void keep_look(looks *in, const look *one)
{
    look *larger = realloc(in->list, (in->count + 1) * sizeof *larger);

    if (!larger)
        return; /* its rate is missing in the next table */
    in->list = larger;
    in->list[in->count++] = *one;
}

/* Bit/s since the previous reading; at the first, since the start of the session. */
static double rate(json_int_t now, json_int_t before, json_int_t us)
{
    return us > 0 && now >= before ? 8e6 * (double)(now - before) / (double)us : -1;
}

/* Delay of sent media, else of received media: the sum of the known delay components. */
static json_int_t delay_of(const json_t *session)
{
    static const char *const parts[] = {"send_queue_us", "send_buffer_us", "network_us",
                                        "head_of_line_us", "playout_us"};
    const bool sends = integer(session, "sent", "accepted") > 0;
    const json_t *group = json_object_get(session, sends ? "sent" : "received");
    json_int_t sum = -1;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_int_t part = integer(group, "delays", parts[i]);
        if (part >= 0)
            sum = (sum < 0 ? 0 : sum) + part;
    }
    return sum;
}

static json_int_t lost_of(const json_t *session)
{
    json_int_t missing = integer(session, "received", "missing");

    return integer(session, "dropped", "connection") + integer(session, "dropped", "queue_full") +
           integer(session, "dropped", "late") + (missing > 0 ? missing : 0);
}

static void peer_text(const json_t *session, char *text, size_t size)
{
    if (json_is_true(json_object_get(session, "caller")))
        snprintf(text, size, "%s:%d", text_of(session, "host"),
                 (int)integer(session, NULL, "port"));
    else
        snprintf(text, size, "%s", text_of(session, "remote"));
}

static void print_heading(void)
{
    printf("%7s %-14s %-21s %-10s %5s %-14s %12s %12s %8s %8s %8s %7s\n", "PID", "PROGRAM", "PEER",
           "STATE", "CONN", "POLICY", "SENT", "RECEIVED", "RTT ms", "DELAY ms", "COPIES", "LOST");
}

static void print_connection(const json_t *connection)
{
    char rtt[32];

    printf("%7s   %-12s %-21s %-10s %5d %-14s %12lld %12lld %8s\n", "", "connection",
           text_of(connection, "remote"), text_of(connection, "state"),
           (int)integer(connection, NULL, "index"), text_of(connection, "tcp_state"),
           (long long)integer(connection, NULL, "packets_sent"),
           (long long)integer(connection, NULL, "packets_received"),
           time_text(integer(connection, NULL, "rtt_us"), rtt, sizeof rtt));
}

/* For sessions over several links: the send rate, loss and share of the bytes. */
static void print_link(const json_t *link)
{
    const char *network = text_of(link, "network"), *host = text_of(link, "host");
    double share = json_number_value(json_object_get(link, "share"));
    double loss = json_number_value(json_object_get(link, "loss"));
    char rtt[32], sent[32], name[80], connections[32];

    snprintf(name, sizeof name, "%.38s%s%.38s", network, network[0] && host[0] ? " " : "", host);
    snprintf(connections, sizeof connections, "%d/%d", (int)integer(link, NULL, "open_connections"),
             (int)integer(link, NULL, "connections"));
    printf("%7s   %-12s %-21s %-10s %5s %-14s %12s %12s %8s loss %.1f %% share %.0f %% weight %d\n",
           "", "link", name, json_is_true(json_object_get(link, "stalled")) ? "stalled" : "",
           connections, "", rate_text(8 * (double)integer(link, NULL, "rate"), sent, sizeof sent),
           "", time_text(integer(link, NULL, "rtt_us"), rtt, sizeof rtt), 100 * loss, 100 * share,
           (int)integer(link, NULL, "weight"));
}

static void print_session(stat_run *run, const char *name, const json_t *document,
                          const json_t *session)
{
    char peer[80], sent[32], received[32], rtt[32], delay[32], connections[32];
    look now = {.number = integer(session, NULL, "number"),
                .time_us = integer(document, NULL, "time_us"),
                .sent = integer(session, "sent", "bytes"),
                .received = integer(session, "received", "bytes")};
    const look start = {.time_us = now.time_us - integer(session, NULL, "age_us")};
    snprintf(now.socket, sizeof now.socket, "%.60s", name);
    const look *before = find_look(&run->before, &now);
    const json_t *connection, *link, *links;
    size_t i;

    keep_look(&run->now, &now);
    if (!before)
        before = &start;
    const json_int_t us = now.time_us - before->time_us;
    peer_text(session, peer, sizeof peer);
    snprintf(connections, sizeof connections, "%d/%d",
             (int)integer(session, NULL, "open_connections"),
             (int)integer(session, NULL, "connections"));
    printf("%7d %-14.14s %-21s %-10s %5s %-14s %12s %12s %8s %8s %8lld %7lld\n",
           (int)integer(document, NULL, "pid"), text_of(document, "program"), peer,
           text_of(session, "state"), connections, text_of(session, "policy"),
           rate_text(rate(now.sent, before->sent, us), sent, sizeof sent),
           rate_text(rate(now.received, before->received, us), received, sizeof received),
           time_text(integer(session, NULL, "rtt_us"), rtt, sizeof rtt),
           time_text(delay_of(session), delay, sizeof delay),
           (long long)integer(session, "sent", "copies"), (long long)lost_of(session));
    links = json_object_get(session, "link_stats");
    if (json_array_size(links) > 1)
        json_array_foreach(links, i, link) print_link(link);
    if (run->connections)
        json_array_foreach(json_object_get(session, "connection_stats"), i, connection)
            print_connection(connection);
}

static void print_document(stat_run *run, const char *name, const json_t *document)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(document, "listeners"), i, one)
    {
        char port[32];
        snprintf(port, sizeof port, ":%d", (int)integer(one, NULL, "port"));
        printf("%7d %-14.14s %-21s %-10s %5d\n", (int)integer(document, NULL, "pid"),
               text_of(document, "program"), port, "listening",
               (int)integer(one, NULL, "sessions"));
    }
    json_array_foreach(json_object_get(document, "sessions"), i, one)
        print_session(run, name, document, one);
}

/* ---- a look at the directory ---- */

static int is_socket_name(const struct dirent *entry)
{
    unsigned pid, number;
    int end = 0;

    return sscanf(entry->d_name, "%u-%u.sock%n", &pid, &number, &end) == 2 &&
           end == (int)strlen(entry->d_name);
}

static bool wanted(const stat_run *run, const char *name)
{
    const size_t length = strcspn(name, "-");

    if (!run->pids)
        return true;
    for (const char *const *pid = run->pids; *pid; pid++)
        if (strlen(*pid) == length && !strncmp(*pid, name, length))
            return true;
    return false;
}

static bool has_table(const stat_run *run)
{
    return run->json != stdout;
}

static void show(stat_run *run, const char *name)
{
    json_t *document = ask(run, name);

    if (!document)
        return;
    run->answered++;
    if (run->json && json_dumpf(document, run->json, JSON_COMPACT) == 0)
        fputc('\n', run->json);
    if (has_table(run))
        print_document(run, name, document);
    json_decref(document);
}

static int scan(stat_run *run)
{
    struct dirent **names;
    int count = scandir(run->directory, &names, is_socket_name, alphasort);

    if (count < 0) {
        fprintf(stderr, "livetcp stat: %s: %s\n", run->directory, strerror(errno));
        return LT_EXIT_FAILED;
    }
    run->answered = 0;
    run->remarks[0] = '\0';
    free(run->before.list);
    run->before = run->now;
    run->now = (looks){NULL, 0};
    for (int i = 0; i < count; i++) {
        if (i < SOCKETS && wanted(run, names[i]->d_name))
            show(run, names[i]->d_name);
        free(names[i]);
    }
    if (count > SOCKETS)
        remark(run, run->directory, "more than 256 sockets, the rest is not shown");
    free(names);
    return LT_EXIT_OK;
}

static int look_once(stat_run *run)
{
    if (run->terminal && has_table(run))
        fputs("\033[H\033[2J", stdout);
    if (has_table(run))
        print_heading();
    int code = scan(run);
    fflush(stdout);
    if (run->json)
        fflush(run->json);
    if (run->remarks[0])
        fputs(run->remarks, run->terminal ? stdout : stderr);
    if (code == LT_EXIT_OK && !run->answered) {
        fprintf(stderr,
                "livetcp stat: no program answers in %s: start it with LIVETCP_STATS_DIR=%s\n",
                run->directory, run->directory);
        code = LT_EXIT_FAILED;
    }
    return code;
}

static int loop(stat_run *run)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    int code = LT_EXIT_OK;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    for (unsigned i = 0; !interrupted && (!run->count || i < run->count); i++) {
        if (i)
            poll(NULL, 0, (int)(run->interval / LIVETCP_USEC_MSEC));
        if (!interrupted)
            code = look_once(run);
        if (code != LT_EXIT_OK && !run->terminal)
            break;
    }
    free(run->before.list);
    free(run->now.list);
    return code;
}

/* ---- the command line ---- */

#define COUNT_DEFAULT INT_MIN

typedef struct values {
    char *directory, *interval, *json;
    int count, connections, help;
} values;

static livetcp_result build_line(void *user_values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    values *v = user_values;
    const struct poptOption table[] = {
        LT_OPTION_TEXT("dir", &v->directory, "directory of the sockets ($LIVETCP_STATS_DIR)",
                       "DIRECTORY"),
        LT_OPTION_TEXT("interval", &v->interval, "interval between tables (1s)", "TIME"),
        LT_OPTION_INTEGER("count", &v->count,
                          "number of tables (until Ctrl-C on a terminal, otherwise 1)", "N"),
        LT_OPTION_ENTRY("connections", 'c', POPT_ARG_NONE, &v->connections, 0,
                        "also print a line for each TCP connection, with its packets", NULL),
        LT_OPTION_JSON("print the answer of each program as a line of JSON instead of the table; "
                       "with =FILE, write them to FILE in addition"),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &v->help, LT_OPTION_CODE_LAST, "show this help",
                        NULL),
        POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp stat",
                                  .usage = "[OPTION...] [PID...]",
                                  .table = table,
                                  .json = &v->json,
                                  .json_alone = true};
    return use(&line, user, error);
}

static livetcp_result take(const values *v, stat_run *run, livetcp_error *error)
{
    const char *directory = v->directory ? v->directory : getenv("LIVETCP_STATS_DIR");
    livetcp_result result;

    if (!directory || !*directory)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "which directory? --dir DIRECTORY, or LIVETCP_STATS_DIR, as the programs "
                       "have it");
    run->directory = directory;
    run->connections = v->connections;
    run->terminal = isatty(STDOUT_FILENO);
    run->interval = LIVETCP_USEC_SEC;
    run->count = run->terminal ? 0 : 1;
    if ((result =
             lt_option_time("--interval ", v->interval, LIVETCP_USEC_SEC, 10 * LIVETCP_USEC_MSEC,
                            3600 * (livetcp_usec)LIVETCP_USEC_SEC, &run->interval, error)))
        return result;
    if (v->count == COUNT_DEFAULT)
        return LIVETCP_OK;
    return lt_option_count("--count ", v->count, 1, INT_MAX, &run->count, error);
}

static int run_taken(stat_run *run, const char *json, livetcp_error *error)
{
    if (json && !(run->json = lt_output_open(json, error)))
        return lt_command_failed("stat", error);
    int code = loop(run);
    if (json && lt_output_close(run->json, json, LIVETCP_OK, error) != LIVETCP_OK)
        code = lt_command_failed("stat", error);
    return code;
}

static int run_stat(int argc, const char **argv)
{
    values v = {.count = COUNT_DEFAULT};
    stat_run run = {.interval = 0};
    livetcp_error error = {.message = ""};
    const char **pids = NULL;
    int code = LT_EXIT_OK;
    livetcp_result result = lt_built_line_read(build_line, &v, argc, argv, &pids, &error);

    if (result == LIVETCP_OK && !v.help)
        result = take(&v, &run, &error);
    run.pids = pids;
    if (result != LIVETCP_OK)
        code = lt_command_refused("stat", &error);
    else if (!v.help)
        code = run_taken(&run, v.json, &error);
    else if (lt_built_line_help(build_line, &v, stdout, &error) == LIVETCP_OK)
        fputs(about, stdout);
    free(pids);
    lt_built_line_clear(build_line, &v);
    return code;
}

const lt_command lt_command_stat = {
    .name = "stat",
    .summary = "show the sessions of running programs in a live table",
    .run = run_stat,
};
