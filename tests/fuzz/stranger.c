/* SPDX-License-Identifier: MIT */
/* A stranger at a listener's socket: src/io's way of every byte from accept() on. The first byte
 * chooses the wire; then come chunks, each a length byte and its bytes, and the loop turns after
 * each. Length 0 answers an ACCEPT or CHALLENGE by the right PROOF, as whoever has a key may. */
#include "fuzz.h"

#include "base/rng.h"
#include "wire/frame.h"
#include "wire/handshake.h"

#include <livetcp/livetcp.h>

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#define WIRES 4 /* session, plain, auto, plain with peer-sends */

static uv_loop_t loop;
static livetcp_context *context;
static livetcp_listener *listeners[WIRES];
static livetcp_session *taken[64];
static unsigned taken_count;
static lt_rng rng;

static livetcp_result draw(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lt_rng_next(&rng);
    return LIVETCP_OK;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    (void)listener;
    (void)user;
    FUZZ_REQUIRE(remote[0]);
    if (taken_count == sizeof taken / sizeof *taken)
        return false;
    taken[taken_count++] = session;
    return true;
}

static void start(void)
{
    static const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                         .on_session = on_session};
    static const livetcp_wire wires[WIRES] = {LIVETCP_WIRE_SESSION, LIVETCP_WIRE_PLAIN,
                                              LIVETCP_WIRE_AUTO, LIVETCP_WIRE_PLAIN};

    FUZZ_REQUIRE(uv_loop_init(&loop) == 0);
    FUZZ_REQUIRE(livetcp_context_create(&loop, &context, NULL) == LIVETCP_OK);
    for (int i = 0; i < WIRES; i++) {
        livetcp_config config;
        livetcp_config_init(&config);
        snprintf(config.host, sizeof config.host, "127.0.0.1");
        config.wire = wires[i];
        config.peer_sends = i == 3;
        config.order = i == 2 ? LIVETCP_ORDER_SEQUENCE : LIVETCP_ORDER_ARRIVAL;
        config.joins_per_second = 100000; /* time does not pass between inputs */
        FUZZ_REQUIRE(livetcp_listener_create(context, &config, &callbacks, NULL, &listeners[i],
                                             NULL) == LIVETCP_OK);
    }
}

static int reach(const livetcp_listener *listener)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(livetcp_listener_port(listener)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct linger reset = {.l_onoff = 1}; /* no port waits for a minute */
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    FUZZ_REQUIRE(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return fd;
}

static void turn(void)
{
    for (int i = 0; i < 4; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
}

/* A caller that plays by the rules where the input says so. */
typedef struct caller {
    lt_credentials credentials;
    lt_caller_handshake handshake;
    bool began;
} caller;

static void go_on(int fd, caller *c)
{
    uint8_t bytes[512];
    lt_reply reply = {.size = 0};
    lt_control message;

    if (!c->began) {
        static const lt_introduction introduction = {LIVETCP_ROLE_PUBLISH, "camera", ""};
        lt_opening opening;
        c->began = true;
        FUZZ_REQUIRE(lt_credentials_create(&c->credentials, NULL, draw, NULL) == LIVETCP_OK);
        FUZZ_REQUIRE(lt_caller_start(&c->handshake, &c->credentials, &introduction, 0, 2, draw,
                                     NULL, &opening) == LIVETCP_OK);
        (void)send(fd, opening.frame, opening.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
        ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < LT_FRAME_HEADER)
            return;
        size_t size = (size_t)(bytes[0] << 8 | bytes[1]);
        if (size + LT_FRAME_HEADER > (size_t)n || !lt_control_is(bytes + LT_FRAME_HEADER, size) ||
            lt_control_decode(bytes + LT_FRAME_HEADER, size, &message) != LIVETCP_OK)
            return;
        (void)lt_caller_receive(&c->handshake, &c->credentials, &message, &reply);
    }
    if (reply.size)
        (void)send(fd, reply.frame, reply.size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    caller c = {.began = false};

    if (!context)
        start();
    lt_rng_seed(&rng, 1);
    int fd = reach(listeners[fuzz_byte(&in) % WIRES]);
    if (fd < 0)
        return 0;
    turn();
    while (in.size) {
        size_t chunk = fuzz_byte(&in);
        if (!chunk) {
            go_on(fd, &c);
        } else {
            chunk = chunk < in.size ? chunk : in.size;
            (void)send(fd, in.data, chunk, MSG_NOSIGNAL | MSG_DONTWAIT);
            in.data += chunk;
            in.size -= chunk;
        }
        turn();
    }
    close(fd);
    turn();
    while (taken_count)
        livetcp_session_destroy(&taken[--taken_count]);
    turn();
    return 0;
}
