/* SPDX-License-Identifier: MIT */
/*
 * The base of every public header: exported symbols, structs that grow, time, results.
 *
 * Struct sizes. A program and the library that it loads may have been built with different versions
 * of these headers. Structs that can grow begin with struct_size, which is sizeof of the struct in
 * the headers that the program was built with; fields are only ever added at the end. The library
 * neither reads nor writes beyond struct_size.
 *
 * - Setting it: the macro livetcp_x_init(x) passes sizeof *(x) to livetcp_x_init_sized(), which
 *   sets struct_size and every default. Where there is no such macro the program sets it to sizeof
 *   of the struct before the call.
 * - A smaller struct than the library's, from an older program: a missing field has its default
 *   when the library reads, and is not written when it fills in.
 * - A larger struct, from a newer program: fields that the library does not know are set to zero
 *   when it fills in (initializers and getters), and ignored when it reads, with one exception:
 *   unknown functions in a livetcp_policy must be NULL.
 * - A size that no header ever had (0 above all, or more than 64 KiB) is
 *   LIVETCP_ERR_INVALID_ARGUMENT; livetcp_result_detail() names the struct and the remedy.
 *
 * Structs without struct_size never grow when programs make them or have arrays of them. Those that
 * the library makes and hands to a callback may grow at the end; an array of them comes with its
 * stride, see livetcp_view_path().
 */
#ifndef LIVETCP_BASE_H
#define LIVETCP_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LIVETCP_STATIC marks a static library; pkg-config and CMake define it. */
#if defined(_WIN32) && !defined(LIVETCP_STATIC)
#if defined(LIVETCP_BUILDING)
#define LIVETCP_API __declspec(dllexport)
#else
#define LIVETCP_API __declspec(dllimport)
#endif
#elif defined(_WIN32)
#define LIVETCP_API
#else
#define LIVETCP_API __attribute__((visibility("default")))
#endif

/* ---- time ---- */

/* Microseconds: a duration, or a time on a monotonic clock. The caller chooses the clock; LiveTCP
 * only compares and subtracts. */
typedef int64_t livetcp_usec;

#define LIVETCP_USEC_MSEC 1000    /* microseconds per millisecond */
#define LIVETCP_USEC_SEC  1000000 /* microseconds per second */

/* No deadline. */
#define LIVETCP_NEVER INT64_MAX

/* ---- results ---- */

/* Zero is success, every failure is negative. Values are stable; new ones are added at the end. */
typedef enum livetcp_result {
    LIVETCP_OK = 0,
    LIVETCP_ERR_INVALID_ARGUMENT = -1,   /* an argument or setting is out of range */
    LIVETCP_ERR_NO_MEMORY = -2,          /* allocation failed; nothing was changed */
    LIVETCP_ERR_NOT_SUPPORTED = -3,      /* this platform or build cannot do it */
    LIVETCP_ERR_SYSTEM = -4,             /* a system call failed; see livetcp_error.system_errno */
    LIVETCP_ERR_BAD_STATE = -5,          /* not possible in the object's current state */
    LIVETCP_ERR_CLOSED = -6,             /* the session, or the peer's side of it, was closed */
    LIVETCP_ERR_CANCELLED = -7,          /* aborted at the application's request */
    LIVETCP_ERR_PACKET_TOO_LARGE = -8,   /* larger than max-packet: not sent, never truncated */
    LIVETCP_ERR_NOT_RTP = -9,            /* neither RTP nor RTCP (RFC 3550, RFC 5761) */
    LIVETCP_ERR_FRAME_TOO_LARGE = -10,   /* the peer sent a frame longer than max-receive */
    LIVETCP_ERR_GARBAGE = -11,           /* the peer sent a frame that is not RTP, RTCP or null */
    LIVETCP_ERR_PROTOCOL = -12,          /* a control message was malformed or unexpected */
    LIVETCP_ERR_VERSION = -13,           /* the peer speaks another version of the wire format */
    LIVETCP_ERR_UNKNOWN_SESSION = -14,   /* a connection asked to join an unknown session */
    LIVETCP_ERR_SESSION_EXISTS = -15,    /* a second session with the same identifier */
    LIVETCP_ERR_BAD_PROOF = -16,         /* a joining connection failed to authenticate */
    LIVETCP_ERR_INDEX_IN_USE = -17,      /* a connection with this index is already joined */
    LIVETCP_ERR_INDEX_RANGE = -18,       /* a connection index beyond the session's connections */
    LIVETCP_ERR_TOO_MANY_SESSIONS = -19, /* the listener has as many sessions as it may */
    LIVETCP_ERR_HANDSHAKE_TIMEOUT = -20, /* the peer connected, and the handshake timed out */
    LIVETCP_ERR_PEER_TIMEOUT = -21,      /* nothing was received from the peer for too long */
    LIVETCP_ERR_RESOLVE = -22,           /* the host name could not be resolved */
    LIVETCP_ERR_REFUSED = -23,           /* no listener at that address and port */
    LIVETCP_ERR_UNREACHABLE = -24,       /* no route, or no answer within connect-timeout */
    LIVETCP_ERR_ADDRESS_IN_USE = -25,    /* the port to listen on is in use */
    LIVETCP_ERR_ADDRESS_INVALID = -26,   /* not an address of this host */
    LIVETCP_ERR_PERMISSION = -27,        /* the operating system forbids it */
    LIVETCP_ERR_CONNECTION_LOST = -28,   /* an established connection was reset or timed out */
    LIVETCP_ERR_UNKNOWN_POLICY = -29,    /* no policy with this name is registered */
    LIVETCP_ERR_UNKNOWN_SETTING = -30,   /* no setting with this name exists */
    LIVETCP_ERR_BAD_URI = -31,           /* not livetcp://host:port?key=value */
    LIVETCP_ERR_EXISTS = -32,            /* this name is already registered */
    LIVETCP_ERR_BAD_DECISION = -33,      /* a policy chose an unusable connection */
    LIVETCP_ERR_KEYFRAME_DROPPED = -34,  /* a key frame was too late, or the send queue was full */
    LIVETCP_ERR_TLS = -35,               /* TLS failed; livetcp_error.message has the reason */
    LIVETCP_ERR_TOO_SLOW = -36,          /* the path carries less than min-bitrate */
    LIVETCP_ERR_PROXY = -37,             /* the proxy did not establish the connection */
    LIVETCP_ERR_NO_INTRODUCTION = -38    /* the listener supports no stream id or token */
} livetcp_result;

/* Description of a failure. Functions that take a `livetcp_error *` accept NULL. They fill it in on
 * failure and leave it unchanged on success. */
typedef struct livetcp_error {
    livetcp_result code;
    int system_errno;  /* errno of the system call that failed, or 0 */
    char message[240]; /* one sentence: the cause and the remedy */
} livetcp_error;

/* Name of the constant without its prefix, for example "bad-proof"; never NULL. */
LIVETCP_API const char *livetcp_result_name(livetcp_result result);

/* One sentence without a full stop; never NULL. */
LIVETCP_API const char *livetcp_result_text(livetcp_result result);

/* The message of the calling thread's last failure if it had this result, otherwise
 * livetcp_result_text(). For functions without a livetcp_error, and for calls that passed NULL:
 *
 *     result = livetcp_session_send(session, packet, size);
 *     if (result != LIVETCP_OK)
 *         fprintf(stderr, "%s\n", livetcp_result_detail(result));
 *
 * Never NULL; valid until the thread calls LiveTCP again. Any thread. */
LIVETCP_API const char *livetcp_result_detail(livetcp_result result);

#ifdef __cplusplus
}
#endif

#endif
