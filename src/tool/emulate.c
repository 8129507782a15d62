/* SPDX-License-Identifier: MIT */
/* livetcp emulate: the command line. */
#include "lab/emulate/client.h"
#include "lab/emulate/run.h"
#include "lab/emulate/selftest.h"
#include "lab/emulate/units.h"
#include "tool/command.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_FORWARD = 1,
    OPT_BACKWARD,
    OPT_BOTH,
    OPT_HEAD_START,
    OPT_STATS_INTERVAL,
    OPT_SEED,
    OPT_HELP_ALL,
    OPT_PARAMETER, /* this and the following: a link parameter of its own */
};

/* By option value minus OPT_PARAMETER. */
static const char *const parameters[] = {"delay", "jitter", "loss", "burst",
                                         "rate",  "queue",  "ecn"};

typedef struct command_line {
    lt_emulate_options options;
    lt_self_test self_test;
    int want_self_test;
    int quiet;
    int mtu;
} command_line;

static const char about[] =
    "Usage: livetcp emulate set PATH forward|backward|both PARAMETERS\n"
    "       livetcp emulate counters PATH\n"
    "       livetcp emulate --self-test [OPTION...]\n\n"
    "Runs COMMAND at the near end (10.77.0.1, fd77::1) of an emulated network path, until it\n"
    "ends, and passes on its exit code. The far end is 10.77.0.2, fd77::2. The commands find\n"
    "these addresses in LIVETCP_NEAR, LIVETCP_FAR, LIVETCP_NEAR6 and LIVETCP_FAR6. set and\n"
    "counters talk to a path that runs with --control PATH.\n\n";

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
    "  How accurate is it on this machine?\n"
    "    livetcp emulate --self-test\n";

static livetcp_result apply_spec(command_line *parsed, unsigned directions, const char *spec,
                                 livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    for (int i = 0; i < 2 && !result; i++)
        if (directions & 1u << i)
            result = lt_link_params_parse(&parsed->options.path.link[i], spec, error);
    return result;
}

static bool parse_interval(const char *text, livetcp_usec *out)
{
    double seconds;
    if (!lt_parse_number(text, &seconds))
        return lt_parse_duration(text, out);
    if (seconds > 3600)
        return false;
    *out = (livetcp_usec)(seconds * 1e6);
    return true;
}

static bool parse_seed(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

/* One option that needs a parser of ours. Returns false after saying what is wrong. */
static bool take_option(command_line *parsed, int option, const char *value)
{
    lt_emulate_options *options = &parsed->options;
    livetcp_error error = {.message = "expected a time such as 200ms or 1s"};
    const unsigned both = lt_directions_parse("both");
    char spec[256];
    bool good;

    switch (option) {
    case OPT_FORWARD:
        good = !apply_spec(parsed, 1u << LT_FORWARD, value, &error);
        break;
    case OPT_BACKWARD:
        good = !apply_spec(parsed, 1u << LT_BACKWARD, value, &error);
        break;
    case OPT_BOTH:
        good = !apply_spec(parsed, both, value, &error);
        break;
    case OPT_HEAD_START:
        good = lt_parse_duration(value, &options->head_start);
        break;
    case OPT_STATS_INTERVAL:
        good = parse_interval(value, &options->stats_interval);
        break;
    case OPT_SEED:
        good = parse_seed(value, &options->path.seed);
        snprintf(error.message, sizeof error.message, "expected a whole number, 0 or more");
        break;
    default:
        snprintf(spec, sizeof spec, "%s=%s", parameters[option - OPT_PARAMETER], value);
        good = !apply_spec(parsed, both, spec, &error);
    }
    if (!good)
        fprintf(stderr, "livetcp emulate: %s: %s\n", value, error.message);
    return good;
}

/* popt writes the usage line and the options. */
static void print_help(poptContext context)
{
    poptSetOtherOptionHelp(context, "[OPTION...] [--] COMMAND [ARGUMENT...]");
    poptPrintHelp(context, stdout, 0);
    printf("\n%s%s%s", about, lt_link_params_help(), examples);
}

/* Returns LT_EXIT_OK, LT_EXIT_USAGE, or -1 when help was asked for and given. */
static int parse(poptContext context, command_line *parsed)
{
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        char *value = poptGetOptArg(context);
        bool good = option == OPT_HELP_ALL || take_option(parsed, option, value);
        free(value);
        if (option == OPT_HELP_ALL) {
            print_help(context);
            return -1;
        }
        if (!good)
            return LT_EXIT_USAGE;
    }
    if (option < -1) {
        fprintf(stderr, "livetcp emulate: %s: %s\n", poptBadOption(context, 0),
                poptStrerror(option));
        return LT_EXIT_USAGE;
    }
    return LT_EXIT_OK;
}

static int run_parsed(poptContext context, command_line *parsed)
{
    parsed->options.path.mtu = parsed->mtu;
    parsed->options.quiet = parsed->quiet;
    parsed->options.command = (const char *const *)poptGetArgs(context);
    if (parsed->want_self_test) {
        parsed->self_test.path = parsed->options.path;
        parsed->self_test.json = parsed->options.json;
        return lt_emulate_self_test(&parsed->self_test);
    }
    if (!parsed->options.command) {
        fputs("livetcp emulate: which command is to run at the near end? 'livetcp emulate --help' "
              "has examples\n",
              stderr);
        return LT_EXIT_USAGE;
    }
    return lt_emulate_run(&parsed->options);
}

static void release(command_line *parsed)
{
    lt_emulate_options *options = &parsed->options;
    const char *texts[] = {options->far_command, options->control, options->schedule, options->json,
                           options->congestion_control};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((char *)texts[i]);
    for (size_t i = 0; options->sysctls && options->sysctls[i]; i++)
        free((char *)options->sysctls[i]);
    free(options->sysctls);
}

static int run_emulate(int argc, const char **argv)
{
    command_line parsed = {
        .options = {.head_start = 100 * LIVETCP_USEC_MSEC},
        .self_test = {.rate = 20000, .seconds = 10, .size = 200},
    };
    lt_path_params_init(&parsed.options.path);
    parsed.mtu = parsed.options.path.mtu;
    lt_emulate_options *o = &parsed.options;
    lt_self_test *test = &parsed.self_test;
    const struct poptOption table[] = {
        {"forward", 'f', POPT_ARG_STRING, NULL, OPT_FORWARD, "near to far", "PARAMETERS"},
        {"backward", 'b', POPT_ARG_STRING, NULL, OPT_BACKWARD, "far to near", "PARAMETERS"},
        {"both", 'B', POPT_ARG_STRING, NULL, OPT_BOTH, "both directions", "PARAMETERS"},
        {"delay", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER, "as --both delay=TIME", "TIME"},
        {"jitter", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 1, "as --both jitter=TIME", "TIME"},
        {"loss", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 2, "as --both loss=SHARE", "SHARE"},
        {"burst", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 3, "as --both burst=N", "N"},
        {"rate", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 4, "as --both rate=RATE", "RATE"},
        {"queue", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 5, "as --both queue=LIMIT", "LIMIT"},
        {"ecn", 0, POPT_ARG_STRING, NULL, OPT_PARAMETER + 6, "as --both ecn=LIMIT", "LIMIT"},
        {"seed", 's', POPT_ARG_STRING, NULL, OPT_SEED, "of loss and jitter (1)", "N"},
        {"mtu", 0, POPT_ARG_INT, &parsed.mtu, 0, "of both interfaces (1500)", "BYTES"},
        {"far", 'F', POPT_ARG_STRING, &o->far_command, 0,
         "shell command at the far end, started first and ended with COMMAND", "'COMMAND'"},
        {"head-start", 0, POPT_ARG_STRING, NULL, OPT_HEAD_START,
         "of the far command before COMMAND (100ms)", "TIME"},
        {"congestion-control", 0, POPT_ARG_STRING, &o->congestion_control, 0,
         "default of new sockets at both ends", "NAME"},
        {"sysctl", 0, POPT_ARG_ARGV, &o->sysctls, 0,
         "setting of both ends, such as net.ipv4.tcp_ecn=1; may be repeated", "KEY=VALUE"},
        {"schedule", 0, POPT_ARG_STRING, &o->schedule, 0, "change parameters by this plan", "FILE"},
        {"control", 0, POPT_ARG_STRING, &o->control, 0, "serve set and counters here", "PATH"},
        {"stats-interval", 0, POPT_ARG_STRING, NULL, OPT_STATS_INTERVAL,
         "print a line of counters this often", "SECONDS"},
        {"json", 0, POPT_ARG_STRING, &o->json, 0, "write the counters at the end; - is stdout",
         "FILE"},
        {"quiet", 'q', POPT_ARG_NONE, &parsed.quiet, 0, "print no table at the end", NULL},
        {"self-test", 0, POPT_ARG_NONE, &parsed.want_self_test, 0,
         "measure the accuracy with UDP packets, from near to far", NULL},
        {"rate-pps", 0, POPT_ARG_DOUBLE, &test->rate, 0, "of the self-test (20000)", "N"},
        {"size", 0, POPT_ARG_INT, &test->size, 0, "of the self-test's IP packets (200)", "BYTES"},
        {"seconds", 0, POPT_ARG_DOUBLE, &test->seconds, 0, "of the self-test (10)", "N"},
        {"help", 'h', POPT_ARG_NONE, NULL, OPT_HELP_ALL, "show this help", NULL},
        POPT_TABLEEND,
    };

    if (argc > 1 && (!strcmp(argv[1], "set") || !strcmp(argv[1], "counters")))
        return lt_emulate_client(argc - 1, argv + 1);
    argv[0] = "livetcp emulate"; /* as the usage line shows it */
    poptContext context = poptGetContext("livetcp", argc, argv, table, POPT_CONTEXT_POSIXMEHARDER);
    int code = parse(context, &parsed);
    if (code == LT_EXIT_OK)
        code = run_parsed(context, &parsed);
    poptFreeContext(context);
    release(&parsed);
    return code < 0 ? LT_EXIT_OK : code;
}

const lt_command lt_command_emulate = {
    .name = "emulate",
    .summary = "run commands at the two ends of an emulated network path",
    .run = run_emulate,
};
