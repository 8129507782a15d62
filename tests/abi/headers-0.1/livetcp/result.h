/* SPDX-License-Identifier: MIT */
/* Result codes and error texts. */
#ifndef LIVETCP_RESULT_H
#define LIVETCP_RESULT_H

#include <livetcp/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is success, every failure is negative. Values are stable; new ones are added at the end. */
typedef enum livetcp_result {
    LIVETCP_OK = 0,
    LIVETCP_ERR_INVALID_ARGUMENT = -1,   /* an argument or setting is out of range */
    LIVETCP_ERR_NO_MEMORY = -2,          /* allocation failed; nothing was changed */
    LIVETCP_ERR_NOT_SUPPORTED = -3,      /* this platform or build cannot do it */
    LIVETCP_ERR_SYSTEM = -4,             /* a system call failed; see livetcp_error.system_errno */
    LIVETCP_ERR_BAD_STATE = -5,          /* not possible in the object's present state */
    LIVETCP_ERR_CLOSED = -6,             /* the session, or the peer's side of it, was closed */
    LIVETCP_ERR_CANCELLED = -7,          /* given up because the application asked for it */
    LIVETCP_ERR_PACKET_TOO_LARGE = -8,   /* larger than max-packet: not sent, never cut */
    LIVETCP_ERR_NOT_RTP = -9,            /* neither RTP nor RTCP (RFC 3550, RFC 5761) */
    LIVETCP_ERR_FRAME_TOO_LARGE = -10,   /* the peer sent a frame longer than max-receive */
    LIVETCP_ERR_GARBAGE = -11,           /* the peer sent a frame that is not RTP, RTCP or null */
    LIVETCP_ERR_PROTOCOL = -12,          /* a control message was malformed or out of place */
    LIVETCP_ERR_VERSION = -13,           /* the peer speaks another version of the wire format */
    LIVETCP_ERR_UNKNOWN_SESSION = -14,   /* a connection asked to join a session nobody knows */
    LIVETCP_ERR_SESSION_EXISTS = -15,    /* a second session with the same identifier */
    LIVETCP_ERR_BAD_PROOF = -16,         /* a joining connection did not prove that it belongs */
    LIVETCP_ERR_INDEX_IN_USE = -17,      /* a connection with this index is already joined */
    LIVETCP_ERR_INDEX_RANGE = -18,       /* a connection index beyond the session's connections */
    LIVETCP_ERR_TOO_MANY_SESSIONS = -19, /* the listener serves as many sessions as it may */
    LIVETCP_ERR_HANDSHAKE_TIMEOUT = -20, /* the peer connected and did not finish in time */
    LIVETCP_ERR_PEER_TIMEOUT = -21,      /* nothing was heard from the peer for too long */
    LIVETCP_ERR_RESOLVE = -22,           /* the host name could not be resolved */
    LIVETCP_ERR_REFUSED = -23,           /* nobody listens at that address and port */
    LIVETCP_ERR_UNREACHABLE = -24,       /* no route, or no answer within connect-timeout */
    LIVETCP_ERR_ADDRESS_IN_USE = -25,    /* the port to listen on is taken */
    LIVETCP_ERR_ADDRESS_INVALID = -26,   /* not an address of this host */
    LIVETCP_ERR_PERMISSION = -27,        /* the operating system forbids it */
    LIVETCP_ERR_CONNECTION_LOST = -28,   /* an established connection was reset or timed out */
    LIVETCP_ERR_UNKNOWN_POLICY = -29,    /* no policy of that name is registered */
    LIVETCP_ERR_UNKNOWN_SETTING = -30,   /* no setting of that name exists */
    LIVETCP_ERR_BAD_URI = -31,           /* not livetcp://host:port?key=value */
    LIVETCP_ERR_EXISTS = -32,            /* something of that name is registered already */
    LIVETCP_ERR_BAD_DECISION = -33,      /* a policy named a connection that is not there */
    LIVETCP_ERR_KEYFRAME_DROPPED = -34   /* a key frame was too late, or the send queue full */
} livetcp_result;

/* What went wrong, for a person. Functions that take a `livetcp_error *` accept NULL; on success
 * they leave it alone, on failure they fill it in. */
typedef struct livetcp_error {
    livetcp_result code;
    int system_errno;  /* errno behind it, or 0 */
    char message[240]; /* one sentence that names the thing and says what to do */
} livetcp_error;

/* The constant's name without its prefix, for example "bad-proof"; never NULL. */
LIVETCP_API const char *livetcp_result_name(livetcp_result result);

/* One sentence without a full stop; never NULL. */
LIVETCP_API const char *livetcp_result_text(livetcp_result result);

#ifdef __cplusplus
}
#endif

#endif
