/* SPDX-License-Identifier: MIT */
/* The sending pipeline's common part; see media.h. */
#include "media.h"

void demo_media_append_source(GString *p, guint lead_in_ms)
{
    g_string_append_printf(
        p,
        "filesrc name=file ! matroskademux name=demux"
        /* Decoders run ahead of the clock; everything after clocksync is live. */
        " demux.video_0 ! queue ! h264parse ! avdec_h264 max-threads=1"
        " ! videoconvert ! video/x-raw,format=I420"
        " ! clocksync name=video-clock ts-offset=%" G_GINT64_FORMAT
        " ! timeoverlay time-mode=running-time halignment=right valignment=bottom "
        "font-desc=\"Monospace Bold 18\" ! tee name=pictures"
        " demux.audio_0 ! queue ! audioconvert ! audioresample"
        " ! audio/x-raw,rate=48000,channels=1"
        " ! audiobuffersplit output-buffer-duration=1/50"
        " ! clocksync name=audio-clock ts-offset=%" G_GINT64_FORMAT
        " ! opusenc frame-size=20 audio-type=voice bitrate=32000 ! tee name=voice",
        (gint64)(lead_in_ms * GST_MSECOND), (gint64)(lead_in_ms * GST_MSECOND));
}

void demo_media_append_encoder(GString *p, const char *name, int bitrate)
{
    g_string_append_printf(
        p,
        " pictures. ! queue"
        " ! x264enc name=%s-encoder tune=zerolatency speed-preset=superfast bitrate=%d"
        " key-int-max=50 option-string=scenecut=0 threads=1"
        " ! video/x-h264,profile=main"
        " ! rtph264pay pt=96 mtu=1400 config-interval=-1 aggregate-mode=zero-latency ! %s-mux."
        " voice. ! queue ! rtpopuspay pt=97 mtu=1400 ! %s-mux."
        " rtpfunnel name=%s-mux ! tee name=%s-packets",
        name, bitrate, name, name, name, name);
}
