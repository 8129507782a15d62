#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls through livetcp relay: GStreamer's rtpbin at both ends, and two baresip telephones.
usage: calls_test.py LIVETCP"""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import threading
import unittest
import wave

from relays import PATIENCE_S, RelayTest, port_of

PYTHON = "/usr/bin/python3"  # the one that Debian's python3-gi is for
HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path("/usr/lib/baresip/modules")


def has_gi():
    return os.path.exists(PYTHON) and subprocess.run(
        [PYTHON, "-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"],
        capture_output=True, timeout=PATIENCE_S).returncode == 0


class Exchange:
    """Passes SIP between two telephones, and puts the relays' ports into their session descriptions
    (all of five digits: the length stays)."""

    def __init__(self, test, ports, media):
        self.ports, self.media = ports, media  # of SIP; {RTP port: that of the relay}
        self.socket = test.socket()
        self.port = port_of(self.socket)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                message, sender = self.socket.recvfrom(65535)
            except OSError:
                return
            to = self.ports[sender[1] == self.ports[0]]
            for own, relay in self.media.items():
                message = message.replace(b"m=audio %d " % own, b"m=audio %d " % relay)
            if to == self.ports[1]:  # the request is for him
                message = message.replace(b"127.0.0.1:%d" % self.port, b"127.0.0.1:%d" % to)
            self.socket.sendto(message, ("127.0.0.1", to))


class Calls(RelayTest):
    @unittest.skipUnless(has_gi(), "python3-gi is not installed")
    def test_rtpbin_both_ways(self):
        ports = [self.free_pair() for _ in range(4)]
        listen, relays = ports[:2], ports[2:]
        far = self.relay("livetcp://127.0.0.1:0?mode=listener",
                         f"rtp://127.0.0.1:{listen[1]}?localport={relays[1]}")
        near = self.relay(f"livetcp://127.0.0.1:{far.port()}",
                          f"rtp://127.0.0.1:{listen[0]}?localport={relays[0]}")
        near.wait_for("session open")
        peers = []
        for i in range(2):
            peer = subprocess.Popen([PYTHON, HERE / "rtpbin_peer.py", str(listen[i]),
                                     str(relays[i]), "100"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.started.append(peer)
            peers.append(peer)
        for peer in peers:
            line = peer.stdout.readline()
            if not line:
                peer.kill()
                self.fail((peer.communicate()[1], near.lines, far.lines))
            figures = json.loads(line)
            self.assertGreaterEqual(figures["heard"], 100)
            self.assertEqual(figures["fraction_lost"], 0)
            self.assertLessEqual(figures["lost"], 0)  # -1: more came than the report expected yet
        for peer in peers:
            peer.communicate(timeout=PATIENCE_S)

    def telephone(self, name, hertz, sip, media):
        """A folder with the settings of a baresip that plays a tone and records what it hears."""
        folder = self.folder / name
        folder.mkdir()
        modules = "".join(f"module {m}.so\n" for m in ("g711", "ausine", "aufile", "sndfile",
                                                       "rtcpsummary"))
        (folder / "config").write_text(
            f"sip_listen 127.0.0.1:{sip}\nnet_interface 127.0.0.1\nmodule_path {MODULES}\n{modules}"
            f"module_app account.so\nmodule_app menu.so\naudio_source ausine,{hertz}\n"
            f"audio_player aufile,{folder}/played.wav\naudio_alert aufile,{folder}/alert.wav\n"
            f"ausrc_srate 48000\nausrc_channels 2\nausrc_format s16\nauplay_format s16\n"
            f"rtp_ports {media}-{media + 2}\nrtcp_mux no\nsnd_path {folder}\n")
        (folder / "accounts").write_text(f"<sip:{name[0]}@127.0.0.1:{sip};transport=udp>;regint=0;"
                                         "audio_codecs=PCMA;answermode=auto;ptime=20\n")
        (folder / "contacts").write_text("")
        return folder

    def ring(self, folder, *arguments):
        with open(folder / "log", "w") as log:
            process = subprocess.Popen(["baresip", "-f", folder, *arguments], cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.started.append(process)
        return process

    def tone(self, folder):
        """The frequency of what was heard, after the first second."""
        with wave.open(str(next(folder.glob("dump-*-dec.wav")))) as heard:
            rate = heard.getframerate() * heard.getnchannels()
            samples = memoryview(heard.readframes(heard.getnframes())).cast("h")[rate:]
        self.assertGreater(len(samples), 2 * rate)
        crossings = sum((a < 0) != (b < 0) for a, b in zip(samples, samples[1:]))
        return crossings / 2 / (len(samples) / rate)

    @unittest.skipUnless(shutil.which("baresip"), "baresip is not installed")
    def test_two_telephones(self):
        media = [self.free_pair() for _ in range(4)]
        near = self.relay("livetcp://127.0.0.1:0?mode=listener",
                          f"rtp://127.0.0.1:{media[0]}?localport={media[3]}")
        far = self.relay(f"livetcp://127.0.0.1:{near.port()}",
                         f"rtp://127.0.0.1:{media[1]}?localport={media[2]}")
        far.wait_for("session open")
        logs = []
        for seconds in 7, 20, 60:  # reports come every 5 s, later on a busy machine
            sip = [self.free_pair() for _ in range(2)]
            exchange = Exchange(self, sip, {media[0]: media[2], media[1]: media[3]})
            folders = (self.telephone(f"a{seconds}", 440, sip[0], media[0]),
                       self.telephone(f"b{seconds}", 880, sip[1], media[1]))
            callee = self.ring(folders[1])
            caller = self.ring(folders[0], "-t", str(seconds), "-e",
                               f"/dial sip:b@127.0.0.1:{exchange.port}")
            caller.wait(PATIENCE_S)
            callee.terminate()
            callee.wait(PATIENCE_S)
            logs = [(folder / "log").read_text(errors="replace") for folder in folders]
            # The one who is hung up on says what both directions reported.
            found = re.search(r"EX=BareSip;.*PR=(\d+);PS=(\d+);PL=(-?\d+),(-?\d+);", logs[1])
            if found and int(found[1]) and int(found[2]):
                break
        else:
            self.fail(([log[-2000:] for log in logs], near.lines, far.lines))
        self.assertEqual((found[3], found[4]), ("0", "0"), found[0])  # RTCP: nothing lost
        self.assertLess(math.fabs(self.tone(folders[0]) - 880), 20)
        self.assertLess(math.fabs(self.tone(folders[1]) - 440), 20)


if __name__ == "__main__":
    unittest.main()
