/* SPDX-License-Identifier: MIT */
/* Whether RTCP is of use to who comes behind livetcpsrc. */
#ifndef GST_LIVETCP_RTCP_H
#define GST_LIVETCP_RTCP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* FALSE if a depayloader, a decoder or an rtpjitterbuffer follows the source pad, on any branch and
 * with no rtpbin before it: these take RTCP for broken RTP. Any thread. */
gboolean gst_livetcp_rtcp_is_welcome(GstPad *src);

G_END_DECLS

#endif
