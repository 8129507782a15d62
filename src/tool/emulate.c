/* SPDX-License-Identifier: MIT */
/* livetcp emulate: the command line. */
#include "lab/emulate/client.h"
#include "lab/emulate/run.h"
#include "lab/emulate/selftest.h"
#include "lab/options.h"
#include "lab/units.h"
#include "tool/command.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_FORWARD = 1,
    OPTION_BACKWARD,
    OPTION_BOTH,
    OPTION_HEAD_START,
    OPTION_STATS_INTERVAL,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_LINK,
    OPTION_PARAMETER, /* this and following values: a link parameter each */
};

/* Indexed by option value minus OPTION_PARAMETER. */
static const char *const parameters[] = {"delay", "jitter", "loss", "burst",
                                         "rate",  "queue",  "ecn"};

/* The command line from popt. Parameters belong to the last --link so far. */
typedef struct parsed {
    lt_emulate_options options;
    lt_self_test self_test;
    char *far_command, *control, *schedule, *json, *congestion_control;
    char **sysctls;
    int want_self_test, quiet, help, mtu, size;
} parsed;

static const char about[] =
    "Usage: livetcp emulate set PATH forward|backward|both PARAMETERS\n"
    "       livetcp emulate counters PATH\n"
    "       livetcp emulate --self-test [OPTION...]\n\n"
    "Runs COMMAND at the near end (10.77.0.1, fd77::1) of an emulated network path until it ends,\n"
    "and returns its exit code. The far end is 10.77.0.2, fd77::2. The commands have these\n"
    "addresses in LIVETCP_NEAR, LIVETCP_FAR, LIVETCP_NEAR6 and LIVETCP_FAR6. set and counters\n"
    "connect to a path that runs with --control PATH.\n"
    "A second link has the interface livetcp1 (the first is livetcp0) and the addresses 10.77.1.1\n"
    "and 10.77.1.2, in LIVETCP_NEAR_2 and so on. Sockets bound to its interface or near address\n"
    "use it, to any address of the far end. In set and in a plan its directions are 2:forward,\n"
    "2:backward and 2:both.\n\n";

static const char examples[] =
    "\nExamples:\n"
    "  100 ms round trip, 2% loss towards the far end:\n"
    "    livetcp emulate --both delay=50ms --forward loss=2% \\\n"
    "      --far 'iperf -s' -- sh -c 'iperf -c $LIVETCP_FAR'\n"
    "  A shell behind a 30 Mbit/s bottleneck with 100 packets of queue:\n"
    "    livetcp emulate --both delay=20ms,rate=30mbit,queue=100p -- bash\n"
    "  Change it from another terminal:\n"
    "    livetcp emulate --both delay=50ms --control /tmp/path -- bash\n"
    "    livetcp emulate set /tmp/path forward delay=80ms,loss=2%\n"
    "    livetcp emulate counters /tmp/path\n"
    "  Or by a plan, with lines such as '10s forward loss=5%':\n"
    "    livetcp emulate --both delay=50ms --schedule plan.txt -- COMMAND\n"
    "  Wi-Fi and LTE at once:\n"
    "    livetcp emulate --both delay=15ms,loss=1% \\\n"
    "      --link --both delay=40ms,rate=5mbit,queue=100kB,aqm=codel -- bash\n"
    "  A bottleneck whose rate falls to 400 kbit/s after 10 s, cut for 1.5 s after 20 s:\n"
    "    livetcp emulate --both delay=30ms,outage=1.5s@20s \\\n"
    "      --forward rate=1mbit,rate=400kbit@10s,queue=40kB -- COMMAND\n"
    "  Measure the accuracy on this machine:\n"
    "    livetcp emulate --self-test\n";

static livetcp_result apply_spec(parsed *p, unsigned directions, const char *spec,
                                 livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    lt_link_params *link = &p->options.path.link[2 * (p->options.path.links - 1)];
    for (int i = 0; i < 2 && !result; i++)
        if (directions & 1u << i)
            result = lt_link_params_parse(&link[i], spec, error);
    return result;
}

static bool parse_seed(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

/* Handles an option that popt does not store itself. */
static livetcp_result take_option(void *user, int option, const char *value, livetcp_error *error)
{
    parsed *p = user;
    lt_emulate_options *options = &p->options;
    const livetcp_usec hour = 3600 * (livetcp_usec)LIVETCP_USEC_SEC;
    livetcp_error why = {.message = "expected a whole number, 0 or more"};
    livetcp_usec time;
    const unsigned both = lt_directions_parse("both", 1);
    char spec[LT_PARAMS_TEXT];
    bool good;

    switch (option) {
    case OPTION_FORWARD:
        good = !apply_spec(p, 1u << LT_FORWARD, value, &why);
        break;
    case OPTION_BACKWARD:
        good = !apply_spec(p, 1u << LT_BACKWARD, value, &why);
        break;
    case OPTION_BOTH:
        good = !apply_spec(p, both, value, &why);
        break;
    case OPTION_HEAD_START:
        return lt_option_time("--head-start ", value, LIVETCP_USEC_SEC, 0, hour,
                              &options->head_start, error);
    case OPTION_STATS_INTERVAL:
        return lt_option_time("--stats-interval ", value, LIVETCP_USEC_SEC, 0, hour,
                              &options->stats_interval, error);
    case OPTION_SECONDS:
        time = 0;
        livetcp_result result =
            lt_option_time("--seconds ", value, LIVETCP_USEC_SEC, 0, hour, &time, error);
        p->self_test.seconds = (double)time / LIVETCP_USEC_SEC;
        return result;
    case OPTION_LINK:
        good = options->path.links < LT_PATH_MAX_LINKS;
        snprintf(why.message, sizeof why.message, "--link: at most %d links are possible",
                 LT_PATH_MAX_LINKS);
        options->path.links += good;
        break;
    case OPTION_SEED:
        good = parse_seed(value, &options->path.seed);
        break;
    default:
        snprintf(spec, sizeof spec, "%s=%s", parameters[option - OPTION_PARAMETER], value);
        good = !apply_spec(p, both, spec, &why);
    }
    return good ? LIVETCP_OK : lt_option_refuse("", value ? value : "", error, "%s", why.message);
}

static int run_parsed(parsed *p, const char *const *command)
{
    lt_emulate_options *o = &p->options;
    o->path.mtu = p->mtu;
    o->quiet = p->quiet;
    o->far_command = p->far_command;
    o->control = p->control;
    o->schedule = p->schedule;
    o->json = p->json;
    o->congestion_control = p->congestion_control;
    o->sysctls = (const char *const *)p->sysctls;
    o->command = command;
    if (p->want_self_test) {
        p->self_test.path = o->path;
        p->self_test.size = (unsigned)p->size;
        p->self_test.json = o->json;
        return lt_emulate_self_test(&p->self_test);
    }
    if (command)
        return lt_emulate_run(o);
    fputs("livetcp emulate: which command is to run at the near end? 'livetcp emulate --help' "
          "has examples\n",
          stderr);
    return LT_EXIT_USAGE;
}

static int run_line(const struct poptOption *table, parsed *p, int argc, const char **argv)
{
    const lt_command_line line = {.command = "livetcp emulate",
                                  .usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
                                  .table = table,
                                  .command_follows = true,
                                  .json = &p->json,
                                  .take = take_option,
                                  .user = p};
    livetcp_error error = {.message = ""};
    const char **command = NULL;
    int code = LT_EXIT_OK;
    livetcp_result result = lt_command_line_read(&line, argc, argv, &command, &error);
    if (result == LIVETCP_OK && p->help)
        result = lt_command_line_help(&line, stdout, &error);
    if (result != LIVETCP_OK) {
        code = lt_command_refused("emulate", &error);
    } else if (p->help) {
        printf("\n%s%s%s", about, lt_link_params_help(), examples);
    } else {
        code = run_parsed(p, command);
    }
    free(command);
    return code;
}

static int run_emulate(int argc, const char **argv)
{
    parsed p = {
        .options = {.head_start = 100 * LIVETCP_USEC_MSEC},
        .self_test = {.rate = 20000, .seconds = 10},
        .size = 200,
    };
    if (argc > 1 && (!strcmp(argv[1], "set") || !strcmp(argv[1], "counters")))
        return lt_emulate_client(argc - 1, argv + 1);
    lt_path_params_init(&p.options.path);
    p.mtu = p.options.path.mtu;
    const struct poptOption table[] = {
        LT_OPTION_TAKEN("forward", 'f', OPTION_FORWARD, "parameters from near to far",
                        "PARAMETERS"),
        LT_OPTION_TAKEN("backward", 'b', OPTION_BACKWARD, "parameters from far to near",
                        "PARAMETERS"),
        LT_OPTION_TAKEN("both", 'B', OPTION_BOTH, "parameters of both directions", "PARAMETERS"),
        LT_OPTION_TAKEN("delay", 0, OPTION_PARAMETER, "as --both delay=TIME", "TIME"),
        LT_OPTION_TAKEN("jitter", 0, OPTION_PARAMETER + 1, "as --both jitter=TIME", "TIME"),
        LT_OPTION_TAKEN("loss", 0, OPTION_PARAMETER + 2, "as --both loss=SHARE", "SHARE"),
        LT_OPTION_TAKEN("burst", 0, OPTION_PARAMETER + 3, "as --both burst=N", "N"),
        LT_OPTION_TAKEN("rate", 0, OPTION_PARAMETER + 4, "as --both rate=RATE", "RATE"),
        LT_OPTION_TAKEN("queue", 0, OPTION_PARAMETER + 5, "as --both queue=LIMIT", "LIMIT"),
        LT_OPTION_TAKEN("ecn", 0, OPTION_PARAMETER + 6, "as --both ecn=LIMIT", "LIMIT"),
        LT_OPTION_ENTRY("link", 0, POPT_ARG_NONE, NULL, OPTION_LINK,
                        "add a link between the two hosts; the following parameters belong to it",
                        NULL),
        LT_OPTION_TAKEN("seed", 's', OPTION_SEED, "seed of loss and jitter (1)", "N"),
        LT_OPTION_INTEGER("mtu", &p.mtu, "MTU of both interfaces (1500)", "BYTES"),
        LT_OPTION_ENTRY("far", 'F', POPT_ARG_STRING, &p.far_command, 0,
                        "shell command at the far end, started first and ended with COMMAND",
                        "'COMMAND'"),
        LT_OPTION_TAKEN("head-start", 0, OPTION_HEAD_START,
                        "start COMMAND this long after the far command (100ms)", "TIME"),
        LT_OPTION_TEXT("congestion-control", &p.congestion_control,
                       "default of new sockets at both ends", "NAME"),
        LT_OPTION_TEXTS("sysctl", &p.sysctls,
                        "sysctl of both ends, such as net.ipv4.tcp_ecn=1; may be repeated",
                        "KEY=VALUE"),
        LT_OPTION_TEXT("schedule", &p.schedule, "change parameters by this plan", "FILE"),
        LT_OPTION_TEXT("control", &p.control, "socket for set and counters", "PATH"),
        LT_OPTION_TAKEN("stats-interval", 0, OPTION_STATS_INTERVAL,
                        "print a line of counters this often", "TIME"),
        LT_OPTION_JSON("write the counters at the end; to standard output without =FILE"),
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &p.quiet, 0, "print no table at the end",
                        NULL),
        LT_OPTION_FLAG("self-test", &p.want_self_test,
                       "measure the accuracy with UDP packets, from near to far"),
        LT_OPTION_REAL("rate-pps", &p.self_test.rate, "packets per second of the self-test (20000)",
                       "N"),
        LT_OPTION_INTEGER("size", &p.size, "size of the self-test's IP packets (200)", "BYTES"),
        LT_OPTION_TAKEN("seconds", 0, OPTION_SECONDS, "length of the self-test (10s)", "TIME"),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &p.help, LT_OPTION_CODE_LAST, "show this help",
                        NULL),
        POPT_TABLEEND,
    };
    int code = run_line(table, &p, argc, argv);
    lt_options_clear(table);
    free(p.json);
    return code;
}

const lt_command lt_command_emulate = {
    .name = "emulate",
    .summary = "run commands at the two ends of an emulated network path",
    .run = run_emulate,
};
