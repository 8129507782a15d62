# SPDX-License-Identifier: MIT
"""One end of a call by GStreamer's rtpbin: sends a tone to a relay, and receives one from it.
usage: rtpbin_peer.py LISTEN-PORT RELAY-PORT PACKETS
Prints a line of JSON when it has got so many packets and a receiver report on its own."""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

LISTEN, RELAY, PACKETS = map(int, sys.argv[1:])
PATIENCE_S = 120
CAPS = "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMA,payload=8"

Gst.init(None)
pipeline = Gst.parse_launch(
    f"rtpbin name=bin "
    f"audiotestsrc is-live=true samplesperbuffer=160 ! audio/x-raw,rate=8000 ! alawenc "
    f"! rtppcmapay min-ptime=20000000 max-ptime=20000000 ! bin.send_rtp_sink_0 "
    f"bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port={RELAY} async=false "
    f"bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port={RELAY + 1} sync=false async=false "
    f"udpsrc address=127.0.0.1 port={LISTEN} caps={CAPS} ! bin.recv_rtp_sink_0 "
    f"udpsrc address=127.0.0.1 port={LISTEN + 1} ! bin.recv_rtcp_sink_0 "
    f"bin. ! rtppcmadepay ! fakesink name=ear sync=false async=false signal-handoffs=true")
loop = GLib.MainLoop()
heard = 0


def on_handoff(*_):
    global heard
    heard += 1


def look():
    session = pipeline.get_by_name("bin").emit("get-internal-session", 0)
    ours = lost = None
    for source in session.get_property("sources"):
        stats = source.get_property("stats")
        # A report on our packets is kept with the source that sent it.
        if stats.get_value("have-rb"):
            ours, lost = stats.get_value("rb-fractionlost"), stats.get_value("rb-packetslost")
    if heard < PACKETS or ours is None:
        return True
    print(json.dumps({"heard": heard, "fraction_lost": ours, "lost": lost}), flush=True)
    loop.quit()
    return False


def on_message(_, message):
    if message.type == Gst.MessageType.ERROR:
        print(message.parse_error(), file=sys.stderr)
        loop.quit()


pipeline.get_by_name("ear").connect("handoff", on_handoff)
pipeline.get_bus().add_signal_watch()
pipeline.get_bus().connect("message", on_message)
pipeline.set_state(Gst.State.PLAYING)
GLib.timeout_add(50, look)
GLib.timeout_add_seconds(PATIENCE_S, loop.quit)
loop.run()
# The other end may still wait for its report: it is here until its standard input ends.
GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT,
                  GLib.IOCondition.HUP | GLib.IOCondition.IN, lambda *_: loop.quit())
loop.run()
pipeline.set_state(Gst.State.NULL)
