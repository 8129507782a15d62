/* SPDX-License-Identifier: MIT */
/*
 * CPU time per packet of `livetcpsink`, one copy on five connections, beside
 * `rtpstreampay ! tcpclientsink`.
 *
 * The same packets, as a payloader makes them (header and payload in memories of their own), are
 * pushed at a steady pace into one pipeline and then the other, turn by turn, so that whatever else
 * the machine does hits both. What counts is user and system time of this whole process, our
 * loop's thread included; pushing the packets into a fakesink is measured in the same way and
 * taken off both. The receivers are processes of their own.
 *
 * usage: bench-gst-cpu [ROUNDS [PACKETS [PER-SECOND [OPTIONS]]]]    (default 10 2000 1000)
 *   OPTIONS: more of livetcpsink's URI, such as "tail-probes=0&timestamps=off"
 *
 * Build with the release preset and let it find the plugin:
 *   GST_PLUGIN_PATH=build/release/plugins/gst build/release/tests/bench/bench-gst-cpu
 */
#define _GNU_SOURCE /* unshare() */
#include <gst/gst.h>
#include <gst/rtp/rtp.h>
#include <livetcp/livetcp.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPELINE_NONE, PIPELINE_LIVETCP, PIPELINE_TCP, PIPELINES };

static const char *const pipeline_names[PIPELINES] = {"fakesink", "livetcpsink",
                                                      "rtpstreampay ! tcpclientsink"};

typedef struct course {
    unsigned rounds, packets, per_second;
    const char *options; /* more of livetcpsink's URI */
} course;

static void fail(const char *what)
{
    fprintf(stderr, "bench-gst-cpu: %s\n", what);
    exit(1);
}

/* ---- a network of our own ---- */

/* The loopback's MTU of 64 KiB lets Nagle's algorithm, which tcpclientsink leaves on, put dozens of
 * packets into one segment: no network does that. So all of us move to one with the MTU of
 * Ethernet. */
static bool make_network(void)
{
    struct ifreq request = {.ifr_name = "lo"};

    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return false;
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    request.ifr_mtu = 1500;
    bool done = any >= 0 && ioctl(any, SIOCSIFMTU, &request) == 0;
    request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0)
        fail("cannot bring the loopback of a new network namespace up");
    close(any);
    return done;
}

/* ---- receivers, each in a child ---- */

static bool accept_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                           void *user)
{
    (void)listener;
    (void)remote;
    (void)user;
    livetcp_session_set_callbacks(session, NULL, NULL); /* reads, and throws away */
    return true;
}

static void serve_livetcp(int report)
{
    const livetcp_listener_callbacks callbacks = {.struct_size = sizeof(callbacks),
                                                  .on_session = accept_session};
    livetcp_context *context;
    livetcp_listener *listener;
    livetcp_config config;
    livetcp_error error;

    livetcp_config_init(&config);
    if (livetcp_config_apply_uri(&config, "livetcp://127.0.0.1:0?mode=listener", &error) ||
        livetcp_context_create(NULL, &context, &error) ||
        livetcp_listener_create(context, &config, &callbacks, NULL, &listener, &error))
        fail(error.message);
    uint16_t port = livetcp_listener_port(listener);
    if (write(report, &port, sizeof(port)) != (ssize_t)sizeof(port))
        fail("cannot report the port");
    pause();
}

/* Waits as tcpserversrc does, in poll(): on a loopback, waking the receiver is the sender's work.
 */
static void serve_tcp(int report)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    static char nothing[65536];

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        fail("cannot listen");
    uint16_t port = ntohs(address.sin_port);
    if (write(report, &port, sizeof(port)) != (ssize_t)sizeof(port))
        fail("cannot report the port");
    for (;;) {
        struct pollfd connection = {.fd = accept(listener, NULL, NULL), .events = POLLIN};
        while (poll(&connection, 1, -1) > 0 && read(connection.fd, nothing, sizeof(nothing)) > 0) {
        }
        close(connection.fd);
    }
}

static pid_t start_receiver(void (*serve)(int report), uint16_t *port)
{
    int channel[2];
    pid_t child;

    if (pipe(channel) != 0 || (child = fork()) < 0)
        fail("cannot start a receiver");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* however the sender ends */
        close(channel[0]);
        serve(channel[1]);
        _exit(0);
    }
    close(channel[1]);
    if (read(channel[0], port, sizeof(*port)) != (ssize_t)sizeof(*port))
        fail("a receiver did not start");
    close(channel[0]);
    return child;
}

/* ---- sender ---- */

static GstElement *make_pipeline(int kind, uint16_t port, const char *options, GstPad **entry)
{
    static const char *const forms[PIPELINES] = {
        "fakesink name=first sync=false async=false enable-last-sample=false",
        "livetcpsink name=first async=false uri=livetcp://127.0.0.1:%u?"
        "policy=shortest-queue&connections=5%s%s",
        "rtpstreampay name=first ! tcpclientsink host=127.0.0.1 sync=false async=false port=%u"};
    gchar *text = g_strdup_printf(forms[kind], port, *options ? "&" : "", options);
    GError *error = NULL;
    GstElement *made = gst_parse_launch(text, &error);
    if (made == NULL)
        fail(error->message);
    g_free(text);
    if (!GST_IS_BIN(made)) { /* a single element comes as it is */
        GstElement *pipeline = gst_pipeline_new(NULL);
        gst_bin_add(GST_BIN(pipeline), made);
        made = pipeline;
    }
    GstElement *first = gst_bin_get_by_name(GST_BIN(made), "first");
    GstPad *sink = gst_element_get_static_pad(first, "sink");
    *entry = gst_pad_new("entry", GST_PAD_SRC);
    gst_pad_set_active(*entry, TRUE);
    if (gst_pad_link(*entry, sink) != GST_PAD_LINK_OK)
        fail("cannot link");
    gst_object_unref(sink);
    gst_object_unref(first);
    return made;
}

static void send_start(GstPad *entry)
{
    GstSegment segment;
    GstCaps *caps = gst_caps_new_simple("application/x-rtp", "media", G_TYPE_STRING, "video",
                                        "clock-rate", G_TYPE_INT, 90000, "encoding-name",
                                        G_TYPE_STRING, "H264", "payload", G_TYPE_INT, 96, NULL);
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(entry, gst_event_new_stream_start("bench"));
    gst_pad_push_event(entry, gst_event_new_caps(caps));
    gst_pad_push_event(entry, gst_event_new_segment(&segment));
    gst_caps_unref(caps);
}

/* Every connection of a livetcpsink is open; the others connect when they start. */
static void wait_connected(GstElement *pipeline, int kind)
{
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "first");
    guint open = kind == PIPELINE_LIVETCP ? 0 : 5;

    for (int i = 0; open < 5; i++) {
        GstStructure *stats = NULL;
        g_object_get(sink, "stats", &stats, NULL);
        gst_structure_get_uint(stats, "open-connections", &open);
        gst_structure_free(stats);
        if (i == 1000)
            fail("livetcpsink did not connect");
        g_usleep(5000);
    }
    gst_object_unref(sink);
}

static GstBuffer *make_packet(guint16 sequence, gsize size)
{
    GstBuffer *buffer = gst_rtp_buffer_new_allocate(0, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map(buffer, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_payload_type(&rtp, 96);
    gst_rtp_buffer_set_seq(&rtp, sequence);
    gst_rtp_buffer_set_ssrc(&rtp, 1);
    gst_rtp_buffer_unmap(&rtp);
    gst_buffer_append_memory(buffer, gst_allocator_alloc(NULL, size - 12, NULL));
    return buffer;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void push(GstPad *entry, unsigned packets, gsize size, unsigned per_second)
{
    static guint16 sequence;
    gint64 begin = g_get_monotonic_time();

    for (unsigned i = 0; i < packets; i++) {
        gint64 due = begin + (gint64)i * G_USEC_PER_SEC / per_second;
        gint64 now = g_get_monotonic_time();
        if (due > now)
            g_usleep((gulong)(due - now));
        if (gst_pad_push(entry, make_packet(sequence++, size)) != GST_FLOW_OK)
            fail("a packet was refused");
    }
}

/* Microseconds of CPU a packet. */
static double measure(int kind, uint16_t port, gsize size, const course *plan)
{
    GstPad *entry;
    GstElement *pipeline = make_pipeline(kind, port, plan->options, &entry);

    if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        fail("a pipeline did not start");
    send_start(entry);
    wait_connected(pipeline, kind);
    push(entry, plan->packets / 10 + 1, size, plan->per_second);
    double before = cpu_seconds();
    push(entry, plan->packets, size, plan->per_second);
    double used = cpu_seconds() - before;
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(entry);
    gst_object_unref(pipeline);
    return 1e6 * used / plan->packets;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of `count` values in ascending order. */
static double median(const double *sorted, unsigned count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static void print_ratio(const char *what, const double *cost)
{
    printf("  %-7s ratio %.3f, without the pushing itself %.3f\n", what,
           cost[PIPELINE_LIVETCP] / cost[PIPELINE_TCP],
           (cost[PIPELINE_LIVETCP] - cost[PIPELINE_NONE]) /
               (cost[PIPELINE_TCP] - cost[PIPELINE_NONE]));
}

/* The median is what to expect; the lowest what is left when nobody else disturbs. */
static void compare(gsize wire_size, const uint16_t *ports, const course *plan)
{
    double *results[PIPELINES];
    double middle[PIPELINES], lowest[PIPELINES];

    for (int kind = 0; kind < PIPELINES; kind++)
        results[kind] = g_new(double, plan->rounds);
    for (unsigned round = 0; round < plan->rounds; round++) {
        for (int kind = 0; kind < PIPELINES; kind++) /* the 2 bytes of framing are not ours */
            results[kind][round] = measure(kind, ports[kind], wire_size - 2, plan);
    }
    printf("%zu bytes on the wire, %u rounds of %u packets, %u a second; us/packet:\n", wire_size,
           plan->rounds, plan->packets, plan->per_second);
    for (int kind = 0; kind < PIPELINES; kind++) {
        qsort(results[kind], plan->rounds, sizeof(double), by_value);
        middle[kind] = median(results[kind], plan->rounds);
        lowest[kind] = results[kind][0];
        printf("  %-30s median %6.2f, lowest %6.2f\n", pipeline_names[kind], middle[kind],
               lowest[kind]);
        g_free(results[kind]);
    }
    print_ratio("median", middle);
    print_ratio("lowest", lowest);
}

static unsigned argument(int argc, char **argv, int position, unsigned initial)
{
    unsigned value = argc > position ? (unsigned)strtoul(argv[position], NULL, 10) : initial;
    if (value == 0 || argc > 5)
        fail("usage: bench-gst-cpu [ROUNDS [PACKETS [PER-SECOND [OPTIONS]]]]");
    return value;
}

int main(int argc, char **argv)
{
    const course plan = {argument(argc, argv, 1, 10), argument(argc, argv, 2, 2000),
                         argument(argc, argv, 3, 1000), argc > 4 ? argv[4] : ""};
    uint16_t ports[PIPELINES] = {0, 0, 0};

    /* before there are threads */
    if (!make_network())
        printf("cannot make a network namespace: on this loopback, segments are up to 64 KiB\n");
    fflush(stdout);
    pid_t livetcp = start_receiver(serve_livetcp, &ports[PIPELINE_LIVETCP]);
    pid_t tcp = start_receiver(serve_tcp, &ports[PIPELINE_TCP]);
    gst_init(NULL, NULL);
    compare(1448, ports, &plan);
    compare(174, ports, &plan);
    kill(livetcp, SIGKILL);
    kill(tcp, SIGKILL);
    waitpid(livetcp, NULL, 0);
    waitpid(tcp, NULL, 0);
    return 0;
}
