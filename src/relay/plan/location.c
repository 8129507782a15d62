/* SPDX-License-Identifier: MIT */
#include "relay/plan/location.h"

#include "base/error.h"
#include "lab/suggest.h"
#include "lab/units.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 32,
    VALUE_SIZE = 256,
    RCVBUF = 4 << 20,
    RAW_TYPE = 96,                            /* first dynamic payload type (RFC 3551) */
    CLOCK_RATE = 90000,                       /* of packets that the relay composes */
    SRT_LATENCY_US = 120 * LIVETCP_USEC_MSEC, /* SRT's default */
    SRT_LATENCY_MAX_MS = 60000
};

/* ---- keys ---- */

typedef livetcp_result take_key(lt_relay_location *l, const char *name, const char *value,
                                livetcp_error *error);

typedef struct key {
    const char *name;
    unsigned schemes; /* bit mask, 1 << lt_relay_scheme */
    take_key *take;
    const char *accepts, *summary;
} key;

static const key keys[];

static livetcp_result refuse(const char *name, const char *value, livetcp_error *error)
{
    for (const key *k = keys; k->name; k++)
        if (!strcmp(k->name, name))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s=%.60s: it is %s", name, value,
                           k->accepts);
    return LIVETCP_ERR_INVALID_ARGUMENT;
}

static livetcp_result take_number(const char *name, const char *value, unsigned min, unsigned max,
                                  unsigned *out, livetcp_error *error)
{
    double number;

    if (!lt_parse_number(value, &number) || number < min || number > max ||
        number != (double)(unsigned)number)
        return refuse(name, value, error);
    *out = (unsigned)number;
    return LIVETCP_OK;
}

static livetcp_result take_flag(const char *name, const char *value, bool *out,
                                livetcp_error *error)
{
    static const char *const yes[] = {"1", "true", "yes", "on", NULL};
    static const char *const no[] = {"0", "false", "no", "off", NULL};

    for (unsigned i = 0; yes[i]; i++) {
        if (!strcmp(value, yes[i]) || !strcmp(value, no[i])) {
            *out = !strcmp(value, yes[i]);
            return LIVETCP_OK;
        }
    }
    return refuse(name, value, error);
}

static livetcp_result take_name(const char *name, const char *value, const char *const *names,
                                int *out, livetcp_error *error)
{
    for (int i = 0; names[i]; i++) {
        if (!strcmp(value, names[i])) {
            *out = i;
            return LIVETCP_OK;
        }
    }
    return refuse(name, value, error);
}

static livetcp_result take_encap(lt_relay_location *l, const char *name, const char *value,
                                 livetcp_error *error)
{
    static const char *const names[] = {"rtp", "ts", "raw", NULL};
    int choice = 0;
    livetcp_result result = take_name(name, value, names, &choice, error);

    if (result != LIVETCP_OK)
        return result;
    l->encap = (lt_relay_encap)choice;
    if (l->scheme == LT_RELAY_RTP && l->encap != LT_RELAY_ENCAP_RTP)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "encap=%s: rtp:// carries RTP; it is a key of udp://", value);
    if (l->scheme == LT_RELAY_CONSOLE && l->encap == LT_RELAY_ENCAP_RTP)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "encap=rtp: standard input and output do not tell where a packet ends; "
                       "they are ts or raw");
    return LIVETCP_OK;
}

static livetcp_result take_pt(lt_relay_location *l, const char *name, const char *value,
                              livetcp_error *error)
{
    unsigned type = 0;
    livetcp_result result = take_number(name, value, 0, 127, &type, error);

    if (result == LIVETCP_OK && (type == 33 || (type >= 64 && type < 96)))
        return refuse(name, value,
                      error); /* PT 33 is MPEG-TS; 64 to 95 conflict with RTCP (RFC 5761) */
    l->payload_type = type;
    return result;
}

static livetcp_result take_rtcp(lt_relay_location *l, const char *name, const char *value,
                                livetcp_error *error)
{
    static const char *const names[] = {"next", "mux", "off", NULL};
    int choice = LT_RELAY_RTCP_NEXT;
    livetcp_result result = take_name(name, value, names, &choice, error);

    l->rtcp = (lt_relay_rtcp)choice;
    return result;
}

static livetcp_result take_latch(lt_relay_location *l, const char *name, const char *value,
                                 livetcp_error *error)
{
    return take_flag(name, value, &l->latch, error);
}

static livetcp_result take_reuse(lt_relay_location *l, const char *name, const char *value,
                                 livetcp_error *error)
{
    return take_flag(name, value, &l->reuse, error);
}

static livetcp_result take_rcvbuf(lt_relay_location *l, const char *name, const char *value,
                                  livetcp_error *error)
{
    return take_number(name, value, 4096, 1u << 30, &l->rcvbuf, error);
}

static livetcp_result take_ttl(lt_relay_location *l, const char *name, const char *value,
                               livetcp_error *error)
{
    return take_number(name, value, 1, 255, &l->ttl, error);
}

static livetcp_result take_iptos(lt_relay_location *l, const char *name, const char *value,
                                 livetcp_error *error)
{
    char *end;
    long tos = strtol(value, &end, 0);

    if (!*value || *end || tos < 0 || tos > 255)
        return refuse(name, value, error);
    l->iptos = (int)tos;
    return LIVETCP_OK;
}

static livetcp_result take_text(const char *name, const char *value, char *out, size_t size,
                                livetcp_error *error)
{
    if (!*value || strlen(value) >= size)
        return refuse(name, value, error);
    strcpy(out, value);
    return LIVETCP_OK;
}

static livetcp_result take_adapter(lt_relay_location *l, const char *name, const char *value,
                                   livetcp_error *error)
{
    return take_text(name, value, l->adapter, sizeof l->adapter, error);
}

static livetcp_result take_source(lt_relay_location *l, const char *name, const char *value,
                                  livetcp_error *error)
{
    return take_text(name, value, l->source, sizeof l->source, error);
}

static livetcp_result take_localport(lt_relay_location *l, const char *name, const char *value,
                                     livetcp_error *error)
{
    unsigned port = 0;
    livetcp_result result = take_number(name, value, 1, 65534, &port, error);

    l->localport = (uint16_t)port;
    return result;
}

static livetcp_result take_playout(lt_relay_location *l, const char *name, const char *value,
                                   livetcp_error *error)
{
    static const struct {
        const char *name;
        lt_relay_pace pace;
    } modes[] = {{"none", LT_RELAY_PACE_NONE},
                 {"static", LT_RELAY_PACE_STATIC},
                 {"adaptive", LT_RELAY_PACE_ADAPTIVE},
                 {"policy-aware", LT_RELAY_PACE_POLICY_AWARE}};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (!strcmp(value, modes[i].name)) {
            l->pace = modes[i].pace;
            return LIVETCP_OK;
        }
    }
    if (!lt_parse_duration(value, &l->pace_delay_us) || l->pace_delay_us < LIVETCP_USEC_MSEC ||
        l->pace_delay_us > 60 * (livetcp_usec)LIVETCP_USEC_SEC)
        return refuse(name, value, error);
    l->pace = LT_RELAY_PACE_FIXED;
    return LIVETCP_OK;
}

static livetcp_result take_clock_rate(lt_relay_location *l, const char *name, const char *value,
                                      livetcp_error *error)
{
    unsigned rate = 0;
    livetcp_result result = take_number(name, value, 1000, 1000000000, &rate, error);

    l->clock_rate = rate;
    return result;
}

/* A number without a unit is in ms, as in SRT's tools. */
static livetcp_result take_latency(lt_relay_location *l, const char *name, const char *value,
                                   livetcp_error *error)
{
    double ms;

    if (lt_parse_number(value, &ms) && ms >= 0 && ms <= SRT_LATENCY_MAX_MS)
        l->latency_us = (livetcp_usec)(ms * LIVETCP_USEC_MSEC);
    else if (!lt_parse_duration(value, &l->latency_us) || l->latency_us < 0 ||
             l->latency_us > SRT_LATENCY_MAX_MS * (livetcp_usec)LIVETCP_USEC_MSEC)
        return refuse(name, value, error);
    return LIVETCP_OK;
}

static livetcp_result take_passphrase(lt_relay_location *l, const char *name, const char *value,
                                      livetcp_error *error)
{
    if (strlen(value) < 10 || strlen(value) >= sizeof l->passphrase)
        return refuse(name, "...", error);
    strcpy(l->passphrase, value);
    return LIVETCP_OK;
}

static livetcp_result take_pbkeylen(lt_relay_location *l, const char *name, const char *value,
                                    livetcp_error *error)
{
    livetcp_result result = take_number(name, value, 16, 32, &l->key_length, error);

    return result == LIVETCP_OK && l->key_length % 8 ? refuse(name, value, error) : result;
}

static livetcp_result take_streamid(lt_relay_location *l, const char *name, const char *value,
                                    livetcp_error *error)
{
    return take_text(name, value, l->stream_id, sizeof l->stream_id, error);
}

static livetcp_result take_mode(lt_relay_location *l, const char *name, const char *value,
                                livetcp_error *error)
{
    static const char *const names[] = {"caller", "listener", NULL};
    int choice = 0;
    livetcp_result result = take_name(name, value, names, &choice, error);

    if (result == LIVETCP_OK && choice == 0 && !l->host[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "mode=caller: whom? srt://HOST:PORT calls");
    l->bound = choice == 1;
    return result;
}

#define UDP   (1 << LT_RELAY_UDP)
#define RTP   (1 << LT_RELAY_RTP)
#define FILES (1 << LT_RELAY_CONSOLE)
#define SRT   (1 << LT_RELAY_SRT)

static const key keys[] = {
    {"encap", UDP | RTP | FILES | SRT, take_encap, "rtp, ts or raw",
     "format of the datagrams: RTP (rtp://), MPEG-TS (file://con, srt://), or any (udp://)"},
    {"pt", UDP | FILES | SRT, take_pt, "0..127 without 33 and 64..95",
     "RTP payload type of raw datagrams between the relays (96)"},
    {"rtcp", RTP, take_rtcp, "next, mux or off",
     "RTCP on the next port, on the same port, or not relayed (next)"},
    {"latch", UDP | RTP, take_latch, "1 or 0",
     "send answers to the address that the program last sent from (1 where the relay receives, "
     "else "
     "0: to host:port, and accept datagrams from that host only)"},
    {"localport", UDP | RTP, take_localport, "1..65534",
     "local port of an end that sends to host:port (any)"},
    {"rcvbuf", UDP | RTP, take_rcvbuf, "4096..1073741824 bytes",
     "receive buffer of the socket (4194304)"},
    {"ttl", UDP | RTP, take_ttl, "1..255", "time to live of datagrams (the system's)"},
    {"iptos", UDP | RTP, take_iptos, "0..255, or 0x00..0xff",
     "type of service, or traffic class, of datagrams (the system's)"},
    {"adapter", UDP | RTP, take_adapter, "a local address, or an interface with IPv6",
     "network interface of a multicast group (the system's)"},
    {"source", UDP | RTP, take_source, "an address",
     "accept only this sender of the multicast group (any)"},
    {"reuse", UDP | RTP, take_reuse, "1 or 0", "let other programs use the same port (0)"},
    {"playout", UDP | RTP, take_playout,
     "none, static, adaptive, policy-aware, or a time from 1ms to 60s",
     "send datagrams to the program at their original pace (none)"},
    {"clock-rate", RTP | UDP, take_clock_rate, "1000..1000000000 Hz",
     "clock rate of RTP timestamps, for playout with encap=rtp (90000)"},
    {"mode", SRT, take_mode, "caller or listener",
     "connect or wait for connections (listener without a host, else caller)"},
    {"latency", SRT, take_latency, "0..60000 ms, or a time",
     "SRT's latency, in which it retransmits (120)"},
    {"passphrase", SRT, take_passphrase, "10 to 79 characters",
     "shared secret for encryption (none)"},
    {"pbkeylen", SRT, take_pbkeylen, "16, 24 or 32",
     "length of the key in bytes (the other end's, or 16)"},
    {"streamid", SRT, take_streamid, "text",
     "stream that a caller requests; a listener rejects callers of other streams (any)"},
    {NULL, 0, NULL, NULL, NULL}};

/* Writes "udp, rtp, file". */
static void print_schemes(FILE *out, unsigned schemes)
{
    static const char *const names[] = {[LT_RELAY_UDP] = "udp",
                                        [LT_RELAY_RTP] = "rtp",
                                        [LT_RELAY_CONSOLE] = "file",
                                        [LT_RELAY_SRT] = "srt"};
    const char *joint = "";

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (schemes >> i & 1) {
            fprintf(out, "%s%s", joint, names[i]);
            joint = ", ";
        }
    fputc('\n', out);
}

void lt_relay_location_help(FILE *out)
{
    fputs("Ends of a relay:\n"
          "  udp://[@]HOST:PORT[?KEY=VALUE&...]      datagrams of a program\n"
          "  rtp://[@]HOST:PORT[?KEY=VALUE&...]      RTP on PORT, RTCP on PORT+1\n"
          "  livetcp://HOST:PORT[/NAME][?SETTING=VALUE&...]  calls a relay, or any LiveTCP peer\n"
          "  livetcp://:PORT[/NAME][?SETTING=VALUE&...]  listens for callers of that stream, any "
          "number\n"
          "  srt://HOST:PORT[?KEY=VALUE&...]         calls a program that speaks SRT\n"
          "  srt://:PORT[?KEY=VALUE&...]             listens for SRT callers\n"
          "  file://con[?KEY=VALUE&...]              standard input (IN) or output (OUT)\n\n"
          "As IN, the relay receives on HOST:PORT; as OUT, it sends to HOST:PORT. With \"@\" or an "
          "empty\n"
          "HOST it receives on the port in both cases. A receiving end joins a multicast HOST.\n\n"
          "Keys of udp, rtp, file and srt:\n",
          out);
    for (const key *k = keys; k->name; k++) {
        fprintf(out, "  %-10s %s\n             %s; ", k->name, k->summary, k->accepts);
        print_schemes(out, k->schemes);
    }
    fputs("\nSettings of livetcp:\n", out);
    for (size_t i = 0; livetcp_config_setting(i); i++) {
        const livetcp_setting *s = livetcp_config_setting(i);
        fprintf(out, "  %s\n             %s; %s\n", s->name, s->summary, s->accepts);
    }
}

/* ---- URIs ---- */

static livetcp_result take_pair(lt_relay_location *l, const char *name, const char *value,
                                livetcp_error *error)
{
    lt_suggestion near;
    char hint[80];

    lt_suggestion_start(&near, name);
    for (const key *k = keys; k->name; k++) {
        if (!(k->schemes & 1u << l->scheme))
            continue;
        if (!strcmp(k->name, name))
            return k->take(l, name, value, error);
        lt_suggestion_offer(&near, k->name);
    }
    return lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                   "'%.40s' is no key of this URI%s; 'livetcp relay --help-url' lists them", name,
                   lt_suggestion_text(&near, "", hint, sizeof hint));
}

static int hex(char c)
{
    const char *digits = "0123456789abcdefABCDEF", *found = c ? strchr(digits, c) : NULL;

    return !found ? -1 : found - digits < 16 ? (int)(found - digits) : (int)(found - digits) - 6;
}

/* Copies up to one of `ends` or the end, percent-decoded; NULL: too long or malformed. */
static const char *copy_until(const char *text, const char *ends, char *out, size_t size)
{
    size_t used = 0;

    for (; *text && !strchr(ends, *text); text++) {
        char c = *text;
        if (c == '%') {
            int high = hex(text[1]), low = high < 0 ? -1 : hex(text[2]);
            if (low < 0 || !(high | low))
                return NULL;
            c = (char)(high << 4 | low);
            text += 2;
        }
        if (used + 1 >= size)
            return NULL;
        out[used++] = c;
    }
    out[used] = '\0';
    return text;
}

static livetcp_result take_query(lt_relay_location *l, const char *text, livetcp_error *error)
{
    char name[NAME_SIZE], value[VALUE_SIZE];

    while (*text) {
        const char *begin = text;
        text = copy_until(text, "=&", name, sizeof name);
        if (!text || *text != '=' || !*name ||
            !(text = copy_until(text + 1, "&", value, sizeof value)))
            return lt_fail(error, LIVETCP_ERR_BAD_URI, "'%.60s' is not KEY=VALUE", begin);
        livetcp_result result = take_pair(l, name, value, error);
        if (result != LIVETCP_OK)
            return result;
        if (*text == '&' && !*++text)
            return lt_fail(error, LIVETCP_ERR_BAD_URI, "the URI ends with '&'");
    }
    return LIVETCP_OK;
}

/* Reads "[@]host:port"; *text is advanced past it. */
static livetcp_result take_authority(lt_relay_location *l, lt_relay_side side, const char **text,
                                     livetcp_error *error)
{
    const char *p = *text;
    char port[8];
    unsigned number = 0;
    const unsigned max_port = l->scheme == LT_RELAY_RTP ? 65534 : 65535;

    l->bound = *p == '@' || (side == LT_RELAY_IN && l->scheme != LT_RELAY_SRT);
    if (*p == '@')
        p++;
    p = *p == '[' ? copy_until(p + 1, "]/?", l->host, sizeof l->host)
                  : copy_until(p, ":/?", l->host, sizeof l->host);
    if (p && *p == ']')
        p++;
    if (!p || *p != ':')
        return lt_fail(error, LIVETCP_ERR_BAD_URI,
                       "'%.60s': HOST:PORT is expected after ://, IPv6 addresses in brackets",
                       *text);
    p = copy_until(p + 1, "/?", port, sizeof port);
    double value;
    if (!*l->host)
        l->bound = true;
    const bool any = (l->scheme == LT_RELAY_UDP && l->bound) || l->scheme == LT_RELAY_SRT;
    const unsigned min_port = any ? 0 : 1; /* 0: chosen by the system */
    if (!p || !lt_parse_number(port, &value) || value < min_port || value > max_port ||
        value != (double)(number = (unsigned)value))
        return lt_fail(error, LIVETCP_ERR_BAD_URI, "'%.60s': the port is %u to %u", *text, min_port,
                       max_port);
    l->port = (uint16_t)number;
    *text = p;
    return LIVETCP_OK;
}

/* livetcp:// URIs are parsed by the library. An empty host means a listener; a path is the stream
 * id of its callers. */
static livetcp_result read_session(lt_relay_location *l, const char *uri, livetcp_error *error)
{
    livetcp_result result;

    livetcp_config_init(&l->session);
    result = livetcp_config_apply_uri(&l->session, uri, error);
    if (result != LIVETCP_OK)
        return result;
    if (!l->session.host[0])
        l->session.mode = LIVETCP_MODE_LISTENER;
    if (livetcp_config_to_uri(&l->session, l->text, sizeof l->text, NULL) != LIVETCP_OK)
        snprintf(l->text, sizeof l->text, "livetcp://%.200s:%u", l->session.host, l->session.port);
    if (l->session.mode == LIVETCP_MODE_LISTENER) { /* name of the callers' stream */
        memcpy(l->stream_id, l->session.stream_id, sizeof l->stream_id);
        memset(l->session.stream_id, 0, sizeof l->session.stream_id);
    }
    return livetcp_config_check(&l->session, error);
}

static livetcp_result check(const lt_relay_location *l, livetcp_error *error)
{
    if (l->scheme == LT_RELAY_SRT && !l->bound && !l->port)
        return lt_fail(error, LIVETCP_ERR_BAD_URI, "%.60s: which port?", l->text);
    if (l->bound && l->localport)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "localport is for an end that sends to HOST:PORT; this one waits there");
    if (l->source[0] && !l->bound)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "source is for an end that receives a multicast group");
    return LIVETCP_OK;
}

static livetcp_result read_datagrams(lt_relay_location *l, lt_relay_side side, const char *uri,
                                     livetcp_error *error)
{
    const char *text = strstr(uri, "://") + 3;
    livetcp_result result = LIVETCP_OK;

    if (l->scheme != LT_RELAY_CONSOLE)
        result = take_authority(l, side, &text, error);
    else
        text += strlen("con");
    if (result != LIVETCP_OK)
        return result;
    l->latch = l->bound;
    if (*text == '/')
        text++;
    if (*text && *text != '?')
        return lt_fail(error, LIVETCP_ERR_BAD_URI,
                       "'%.60s' in the URI: only ?KEY=VALUE may follow HOST:PORT", text);
    if (*text && (result = take_query(l, text + 1, error)) != LIVETCP_OK)
        return result;
    if (l->scheme == LT_RELAY_SRT) /* removes the passphrase from the text for messages */
        snprintf(l->text, sizeof l->text, strchr(l->host, ':') ? "srt://[%s]:%u" : "srt://%s:%u",
                 l->host, l->port);
    else
        snprintf(l->text, sizeof l->text, "%s", uri);
    return check(l, error);
}

/* The part after the scheme may contain secrets. */
static int shown_size(const char *uri)
{
    const char *end = strstr(uri, "://");
    const size_t size = end ? (size_t)(end - uri) + 3 : strcspn(uri, "?");

    if (!end && strchr(uri, '@'))
        return 0;
    return size < 40 ? (int)size : 40;
}

livetcp_result lt_relay_location_read(lt_relay_location *location, lt_relay_side side,
                                      const char *uri, livetcp_error *error)
{
    static const struct {
        const char *begins;
        lt_relay_scheme scheme;
        lt_relay_encap encap;
    } schemes[] = {{"udp://", LT_RELAY_UDP, LT_RELAY_ENCAP_RAW},
                   {"rtp://", LT_RELAY_RTP, LT_RELAY_ENCAP_RTP},
                   {"livetcp://", LT_RELAY_LIVETCP, LT_RELAY_ENCAP_RTP},
                   {"livetcps://", LT_RELAY_LIVETCP, LT_RELAY_ENCAP_RTP},
                   {"livetcp+ws://", LT_RELAY_LIVETCP, LT_RELAY_ENCAP_RTP},
                   {"livetcp+wss://", LT_RELAY_LIVETCP, LT_RELAY_ENCAP_RTP},
                   {"srt://", LT_RELAY_SRT, LT_RELAY_ENCAP_TS},
                   {"file://con", LT_RELAY_CONSOLE, LT_RELAY_ENCAP_TS}};
    const size_t count = sizeof schemes / sizeof *schemes;
    size_t i = 0;

    while (i < count && strncmp(uri, schemes[i].begins, strlen(schemes[i].begins)) != 0)
        i++;
    if (i == count)
        return lt_fail(error, LIVETCP_ERR_BAD_URI,
                       "'%.*s': an end of a relay is udp://, rtp://, livetcp://, livetcps://, "
                       "livetcp+ws://, livetcp+wss://, srt:// or file://con; 'livetcp relay "
                       "--help-url' describes them",
                       shown_size(uri), uri);
#ifndef LT_RELAY_HAS_SRT
    if (schemes[i].scheme == LT_RELAY_SRT)
        return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                       "srt://: this livetcp was built without libsrt (Debian: "
                       "libsrt-gnutls-dev or libsrt-openssl-dev)");
#endif
    memset(location, 0, sizeof *location);
    location->scheme = schemes[i].scheme;
    location->encap = schemes[i].encap;
    location->payload_type = RAW_TYPE;
    location->rcvbuf = RCVBUF;
    location->iptos = -1;
    location->clock_rate = CLOCK_RATE;
    location->latency_us = SRT_LATENCY_US;
    if (location->scheme == LT_RELAY_LIVETCP)
        return read_session(location, uri, error);
    return read_datagrams(location, side, uri, error);
}
