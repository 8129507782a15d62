#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A peer of `script/bench tv`: channels by gst-rtsp-server, and a viewer that changes them, RTP
interleaved in RTSP's TCP connection.

usage: rtsp_zap.py server PORT WIDTH HEIGHT FPS KBITS KEY_MS
       rtsp_zap.py client HOST PORT ZAPS EVERY_MS
       rtsp_zap.py check

The server encodes two channels for all viewers (shared media), as tv_server does. The client prints
the ms from a change to the first decoded picture as JSON. Needs gst-rtsp-server's introspection
(Debian: gir1.2-gst-rtsp-server-1.0, python3-gi), x264enc, rtspsrc and avdec_h264."""

import json
import random
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
gi.require_version("GstRtsp", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

CHANNELS = ("one", "two")
LOST_S = 10
NEEDED = ("x264enc", "rtspsrc", "rtph264pay", "rtph264depay", "avdec_h264", "videotestsrc")


def serve(port, width, height, fps, kbits, key_ms):
    server = GstRtspServer.RTSPServer()
    server.set_service(port)
    for i, channel in enumerate(CHANNELS):
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_shared(True)
        factory.set_protocols(GstRtsp.RTSPLowerTrans.TCP)
        factory.set_suspend_mode(GstRtspServer.RTSPSuspendMode.NONE)
        factory.set_launch(
            f"( videotestsrc is-live=true pattern={'smpte' if i else 'ball'} "
            f"! video/x-raw,format=I420,width={width},height={height},framerate={fps}/1 "
            f"! x264enc tune=zerolatency speed-preset=ultrafast bitrate={kbits} "
            f"key-int-max={int(fps) * int(key_ms) // 1000} "
            f"! rtph264pay name=pay0 pt=96 config-interval=-1 )")
        server.get_mount_points().add_factory(f"/{channel}", factory)
    server.attach(None)
    GLib.MainLoop().run()


class Viewer:
    def __init__(self, uri):
        self.first_s = None
        self.pipeline = Gst.parse_launch(
            f"rtspsrc location={uri} protocols=tcp latency=0 ! rtph264depay ! avdec_h264 "
            "max-threads=1 ! fakesink name=sink signal-handoffs=true sync=false")
        self.pipeline.get_by_name("sink").connect("handoff", self.on_picture)
        self.pipeline.set_state(Gst.State.PLAYING)

    def on_picture(self, sink, buffer, pad):
        self.first_s = self.first_s or time.monotonic()

    def wait(self, deadline):
        while not self.first_s and time.monotonic() < deadline:
            time.sleep(0.001)
        return self.first_s or deadline

    def end(self):
        self.pipeline.set_state(Gst.State.NULL)


def watch(host, port, zaps, every_ms):
    """The first one starts the channels' encoders, a second viewer keeps them running."""
    uris = [f"rtsp://{host}:{port}/{channel}" for channel in CHANNELS]
    keep = [Viewer(uri) for uri in uris]
    for viewer in keep:
        viewer.wait(time.monotonic() + LOST_S)
    viewer, times, lost, source = Viewer(uris[0]), [], 0, random.Random(1)
    viewer.wait(time.monotonic() + LOST_S)
    for i in range(zaps):
        time.sleep(every_ms / 1000 * source.uniform(0.75, 1.25))
        pressed = time.monotonic()
        before, viewer = viewer, Viewer(uris[(i + 1) % len(uris)])
        shown = viewer.wait(pressed + LOST_S)
        lost += viewer.first_s is None
        times.append(1000 * (shown - pressed))
        before.end()  # on the viewer's time, not on the zap's
    print(json.dumps({"zap_ms": times, "lost": lost}), flush=True)
    for one in (*keep, viewer):
        one.end()


def main():
    Gst.init(None)
    if sys.argv[1:2] == ["check"]:
        missing = [name for name in NEEDED if not Gst.ElementFactory.find(name)]
        print("missing: " + ", ".join(missing) if missing else "ready")
        return 1 if missing else 0
    if sys.argv[1:2] == ["server"] and len(sys.argv) == 8:
        serve(*sys.argv[2:])
    elif sys.argv[1:2] == ["client"] and len(sys.argv) == 6:
        watch(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
