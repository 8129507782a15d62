/* SPDX-License-Identifier: MIT */
/* A proxy's answers. The first byte says which kind of proxy, and whether there is a user, the
 * second how the stream is cut; the rest is the stream, for one connection after the other while
 * the proxy asks for another. However it is cut, the tunnel ends alike; errors have a text without
 * the password. */
#include "fuzz.h"

#include "proxy/tunnel.h"

#include <string.h>

#define CONNECTIONS 4

static const lt_proxy_kind kinds[] = {LT_PROXY_HTTP, LT_PROXY_HTTPS, LT_PROXY_SOCKS5,
                                      LT_PROXY_SOCKS5};
static const char password[] = "PaSsWoRd";

static lt_proxy proxy_of(unsigned first)
{
    lt_proxy proxy = {.kind = kinds[first & 3], .port = 1080, .has_user = first & 4};

    strcpy(proxy.host, "proxy.example");
    if (proxy.has_user) {
        strcpy(proxy.user, "us\"er");
        strcpy(proxy.password, password);
    }
    return proxy;
}

/* Gives it the stream, at most `piece` bytes at a time. Returns the number taken. */
static size_t feed(lt_tunnel *tunnel, const uint8_t *data, size_t size, size_t piece)
{
    size_t at = 0;

    while (at < size && lt_tunnel_state_of(tunnel) == LT_TUNNEL_GOING) {
        const uint8_t *output;
        size_t offered = size - at < piece ? size - at : piece;
        uint8_t *copy = malloc(offered);
        FUZZ_REQUIRE(copy);
        memcpy(copy, data + at, offered);
        size_t taken = lt_tunnel_receive(tunnel, copy, offered);
        free(copy);
        FUZZ_REQUIRE(taken <= offered);
        FUZZ_REQUIRE(taken == offered || lt_tunnel_state_of(tunnel) != LT_TUNNEL_GOING);
        lt_tunnel_written(tunnel, lt_tunnel_output(tunnel, &output));
        at += taken;
    }
    return at;
}

/* True if the proxy itself says the password, in words of its own that an error may quote. */
static bool has_password(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + sizeof password - 1 <= size; i++)
        if (!memcmp(data + i, password, sizeof password - 1))
            return true;
    return false;
}

static void check_error(const lt_tunnel *tunnel, bool said)
{
    if (lt_tunnel_state_of(tunnel) != LT_TUNNEL_FAILED)
        return;
    FUZZ_REQUIRE(strlen(lt_tunnel_error(tunnel)->message) > 0);
    FUZZ_REQUIRE(said || !strstr(lt_tunnel_error(tunnel)->message, password));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t cnonce[LT_PROXY_CNONCE] = {1};
    unsigned first = size ? data[0] : 0;
    size_t piece = 1 + (size_t)(size > 1 ? data[1] : 0);
    lt_proxy proxy = proxy_of(first);
    lt_proxy_challenge challenges[2] = {{.scheme = LT_PROXY_NO_SCHEME}};
    bool again = true, said = has_password(data, size);

    for (int i = 0; again && i < CONNECTIONS && size > 2; i++) {
        lt_tunnel *tunnels[2];
        size_t taken[2];
        for (int cut = 0; cut < 2; cut++) {
            lt_tunnel_setup setup = {&proxy, &challenges[cut], "media.example", 5004, cnonce};
            tunnels[cut] = lt_tunnel_create(&setup);
            FUZZ_REQUIRE(tunnels[cut]);
            taken[cut] = feed(tunnels[cut], data + 2, size - 2, cut ? piece : SIZE_MAX);
            check_error(tunnels[cut], said);
        }
        if (lt_tunnel_state_of(tunnels[0]) != LT_TUNNEL_FAILED)
            FUZZ_REQUIRE(taken[0] == taken[1]);
        FUZZ_REQUIRE(lt_tunnel_state_of(tunnels[0]) == lt_tunnel_state_of(tunnels[1]));
        FUZZ_REQUIRE(challenges[0].scheme == challenges[1].scheme);
        FUZZ_REQUIRE(!strcmp(challenges[0].nonce, challenges[1].nonce));
        again = lt_tunnel_state_of(tunnels[0]) == LT_TUNNEL_AGAIN;
        data += again ? taken[0] : 0;
        size -= again ? taken[0] : 0;
        lt_tunnel_ended(tunnels[0]);
        lt_tunnel_timed_out(tunnels[1]);
        check_error(tunnels[0], said);
        check_error(tunnels[1], said);
        lt_tunnel_destroy(&tunnels[0]);
        lt_tunnel_destroy(&tunnels[1]);
    }
    return 0;
}
