/* SPDX-License-Identifier: MIT */
/* The programme in the sending pipeline, from the file to RTP packets, for gst_parse_launch(). */
#ifndef DEMO_MEDIA_H
#define DEMO_MEDIA_H

#include <gst/gst.h>

/* Pictures and sound as they are, in real time, from the tees "pictures" and "voice". The file
 * source is called "file", the elements that make them live "video-clock" and "audio-clock". */
void demo_media_append_source(GString *p, guint lead_in_ms);

/* The encoder "<name>-encoder", at `bitrate` kbit/s, and from the tee "<name>-packets" the packets
 * of its pictures and of the sound. */
void demo_media_append_encoder(GString *p, const char *name, int bitrate);

#endif
