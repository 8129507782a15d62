#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Telephones with samples/voip_call: the sound that comes out is looked at.

usage: voip_call_test.py VOIP_CALL [FAKE_DEVICES]
"""

import array
import contextlib
import ctypes
import ctypes.util
import json
import pathlib
import re
import socket
import struct
import sys
import tempfile
import threading
import time
import wave

import programs
from programs import PATIENT, RATE, Program, Terminal, hears, played, tone, write_wav


LOW, HIGH = 600, 1100  # Hz
SILENT = ["--microphone", "none", "--loudspeaker", "none"]

program, fake_devices = (sys.argv[1:] + 2 * [None])[:2]


# ---- programs ----

def Phone(*arguments, env=None):  # noqa: N802: it is made like an object
    return Program(program, *arguments, env=env)


@contextlib.contextmanager
def listening(*arguments, query="", env=None):
    """A phone that waits for one call, and its URI. It is killed if the test fails."""
    phone = Phone(*arguments, "--once", f"livetcp://127.0.0.1:0?mode=listener&{PATIENT}{query}",
                  env=env)
    try:
        port = phone.wait_for(r"listening on port (\d+)").group(1)
        yield phone, f"livetcp://127.0.0.1:{port}?connections=2&{PATIENT}"
    finally:
        phone.kill()


# ---- sound ----

def channel(path, number):
    """Of a recording, which is as long as its header says."""
    with wave.open(str(path), "rb") as recording:
        assert recording.getnchannels() == 2 and recording.getframerate() == RATE
        samples = array.array("h", recording.readframes(recording.getnframes()))
    assert len(samples) > 0
    return samples[number::2]


# ---- calls ----

def check_call(folder):
    """One end has a file for its loudspeaker (SDL's disk driver), the other a recording: each hears
    the other's tone. Then one of them mutes, and one hangs up. (A microphone of the disk driver
    would be slow on a busy machine, and its sound late.)"""
    loudspeaker = folder / "loudspeaker.raw"
    device = {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(loudspeaker)}
    write_wav(folder / "low.wav", tone(LOW))
    write_wav(folder / "high.wav", tone(HIGH))
    with listening("--no-dtx", "--play", str(folder / "low.wav"),  # DTX takes tones for noise
                   env=device) as (listener, uri):
        caller = Phone("--no-dtx", "--play", str(folder / "high.wav"), "--loudspeaker", "none",
                       "--record", str(folder / "call.wav"), "--summary", str(folder / "call.json"),
                       uri)
        for phone in (listener, caller):
            phone.wait_for(r"you hear them after \d+ ms .*MOS [1-4]\.\d now.* they ##")
        caller.wait_for(r"you ##.* they ##")
        listener.type("m")
        listener.wait_for("you are muted")
        caller.wait_for(r"they \.\.\.\.\.")  # nothing but the noise that Opus makes up
        listener.wait_for(r"you \(MUTED\)")
        listener.type("m")
        listener.wait_for("you are heard")
        caller.wait_for(r"they ##")
        caller.type("q")
        summary = caller.wait()
        assert re.search(r"call of \d\d:\d\d: heard after \d+ ms .*packets played.*MOS \d", summary), \
            summary
        assert re.search("call of", listener.wait()), listener.said
    assert hears(channel(folder / "call.wav", 0), HIGH), "the caller's own tone is not recorded"
    assert hears(channel(folder / "call.wav", 1), LOW), "the caller heard no tone of 600 Hz"
    heard = played(loudspeaker)
    assert hears(heard, HIGH), "the listener's loudspeaker played no tone of 1100 Hz"
    assert not hears(heard, LOW) and not hears(channel(folder / "call.wav", 1), HIGH)
    figures = json.loads((folder / "call.json").read_text())
    assert figures["played"] > 0 and figures["sent"] > 0 and 1 <= figures["mos"] <= 4.5, figures
    assert figures["silent"] == 0, figures


def check_silence(folder):
    """DTX: a microphone that is silent costs next to no packets; and Ctrl-C ends both."""
    with listening(*SILENT) as (listener, uri):
        caller = Phone(*SILENT, "--summary", str(folder / "silence.json"), uri)
        listener.wait_for(r"00:03")
        caller.wait_for(r"00:03")
        assert "call of" in caller.interrupt_in_time()
        assert "call of" in listener.wait()
    figures = json.loads((folder / "silence.json").read_text())
    assert figures["silent"] > 2 * figures["sent"] > 0, figures


def check_busy_line(folder):
    """A second caller is turned away, and the first does not notice; a listener takes the next."""
    write_wav(folder / "tone.wav", tone(LOW))
    with listening("--no-dtx", "--play", str(folder / "tone.wav"), "--loudspeaker",
                   "none") as (listener, uri):
        first = Phone(*SILENT, uri)
        first.wait_for(r"they ##")
        second = Phone(*SILENT, uri + "&auto-reconnect=false")
        assert "the call begins" not in second.wait(1)
        first.wait_for(r"they ##")
        first.interrupt()
        listener.wait()


def check_terminal(folder):
    """The status is longer than a row, and takes the place of the one before; messages stay."""
    with listening(*SILENT) as (listener, uri):
        seen = Terminal([program, *SILENT, uri], [("00:01", b"m"), ("00:02", b"m"), ("00:04", b"q")], 50)
        listener.wait()
    lines = seen.text().strip().splitlines()
    assert seen.code == 0 and "you are muted" in lines and "you are heard" in lines, lines
    assert sum("call of 00:0" in line for line in lines) == 1, lines
    assert not any("you (" in line or " they ." in line for line in lines), lines


def check_outage(folder):
    """A listener that is gone and comes back: no figures of before meanwhile, and then no words of
    before."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    write_wav(folder / "tone.wav", tone(LOW))
    uri = f"livetcp://127.0.0.1:{port}?{PATIENT}"
    speaks = "--no-dtx", "--play", str(folder / "tone.wav"), "--loudspeaker", "none"
    first = Phone(*SILENT, f"{uri}&mode=listener")
    first.wait_for("listening")
    caller = Phone(*speaks, f"{uri}&reconnect-min=10")
    caller.wait_for("00:02")
    first.kill()
    for _ in range(3):
        caller.wait_for("NO CONNECTION, calling again")
    status = caller.said.splitlines()[-1]
    assert re.search("again +you [#.]{5} they [#.]{5}$", status), status
    second = Phone(*SILENT, "--summary", str(folder / "outage.json"), f"{uri}&mode=listener")
    second.wait_for("00:02")
    caller.interrupt()
    second.interrupt()
    figures = json.loads((folder / "outage.json").read_text())
    assert figures["late"] + figures["lost"] < 60, figures


# ---- a peer of its own: RTP by RFC 4571, Opus by ctypes ----

class Opus:
    """Of SILK, which has copies. Settings: bit rate, FEC, expected loss in %, wideband, voice."""
    SETTINGS = {4002: 24000, 4012: 1, 4014: 20, 4008: 1103, 4024: 3001}

    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("opus") or "libopus.so.0")
        self.library.opus_encoder_create.restype = ctypes.c_void_p
        error = ctypes.c_int()
        self.encoder = ctypes.c_void_p(
            self.library.opus_encoder_create(RATE, 1, 2048, ctypes.byref(error)))
        assert error.value == 0
        for request, value in self.SETTINGS.items():
            self.library.opus_encoder_ctl(self.encoder, request, ctypes.c_int(value))

    def encode(self, samples):
        packet = ctypes.create_string_buffer(1275)
        frame = (ctypes.c_int16 * 960).from_buffer_copy(samples.tobytes())
        size = self.library.opus_encode(self.encoder, frame, 960, packet, 1275)
        assert size > 2
        return packet.raw[:size]


def send_rtp(peer, sequence, payload, payload_type=111):
    rtp = struct.pack("!BBHII", 0x80, payload_type, sequence, 960 * sequence, 7) + payload
    peer.sendall(struct.pack("!H", len(rtp)) + rtp)


def syllables(hz, seconds):
    """What Opus takes for speech: a tone that comes and goes four times a second."""
    return array.array("h", (sample if i % (RATE // 4) < RATE // 6 else 0
                             for i, sample in enumerate(tone(hz, seconds))))


def send_other(peer, sequence, start, stop):
    """Packets of another codec, in time: a sender that falls behind is late for ever."""
    while not stop.wait(max(0, start + sequence * 0.02 - time.monotonic())):
        send_rtp(peer, sequence % 65536, b"\xff" * 160, payload_type=0)
        sequence += 1


def check_correction(folder):
    """Packets that never come: where the next one has a copy of their frame, it fills the gap."""
    opus, samples = Opus(), syllables(LOW, 3)
    packets = [opus.encode(samples[i * 960:(i + 1) * 960]) for i in range(len(samples) // 960)]
    missing = [i for i in range(50, len(packets) - 9, 6) if packets[i + 1][1] & 0x40]
    assert len(missing) > 5, "Opus made no copies"
    with listening(*SILENT, "--record", str(folder / "gaps.wav"), "--summary",
                   str(folder / "gaps.json"), query="&wire=plain") as (listener, uri):
        port = int(re.search(r":(\d+)\?", uri).group(1))
        with socket.create_connection(("127.0.0.1", port)) as peer:
            start = time.monotonic()
            for i, packet in enumerate(packets):  # in time: a burst would be a jump of the delay
                time.sleep(max(0, start + i * 0.02 - time.monotonic()))
                if i not in missing:
                    send_rtp(peer, i, packet)
            stop = threading.Event()
            other = threading.Thread(target=send_other, args=(peer, len(packets), start, stop))
            other.start()
            listener.wait_for("payload type 0, which is not this call's Opus")
            stop.set()
            other.join()
        listener.wait()
    figures = json.loads((folder / "gaps.json").read_text())
    assert figures["corrected"] > 0, figures
    assert figures["lost"] + figures["late"] >= len(missing), figures
    assert hears(channel(folder / "gaps.wav", 1), LOW)


# ---- what cannot work ----

def check_error(text, *arguments, env=None):
    programs.check_error(text, program, *arguments, env=env)


def check_errors(folder):
    uri, text = "livetcp://127.0.0.1:9", folder / "text.wav"
    text.write_text("This is no sound.\n" * 100)
    write_wav(folder / "empty.wav", array.array("h"))
    check_error("usage: voip_call")
    check_error("http://", "http://127.0.0.1:9")
    check_error("no-such", "livetcp://127.0.0.1:9?no-such=1")
    check_error("no-such-policy", "--policy", "no-such-policy", uri)
    check_error("8000 to 128000", "--bitrate", "7", uri)
    check_error("'--frob' is no option", "--frob", uri)
    check_error("--record needs a value", *SILENT, uri, "--record")
    check_error("give a WAV file", "--play", str(text), "--loudspeaker", "none", uri)
    check_error("empty.wav cannot be spoken", "--play", str(folder / "empty.wav"),
                "--loudspeaker", "none", uri)
    check_error("missing.wav", "--play", str(folder / "missing.wav"), uri)
    check_error("such.json cannot be written: No such file", *SILENT, "--summary",
                str(folder / "no/such.json"), uri)
    check_error("cannot be recorded to", *SILENT, "--record", str(folder / "no/such.wav"), uri)
    check_error("there is no sound system", uri, env={"SDL_AUDIODRIVER": "no-such-driver"})
    check_error("the microphone cannot be opened", "--loudspeaker", "none", uri,
                env={"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILEIN": str(folder / "no.raw")})
    check_error("the loudspeaker cannot be opened", "--microphone", "none", uri,
                env={"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(folder / "no/such.raw")})
    if fake_devices:
        busy = programs.busy_sound(fake_devices, folder)
        for name, other in (("microphone", "loudspeaker"), ("loudspeaker", "microphone")):
            check_error(re.compile(f"the {name} cannot be opened: .*busy; it may not be connected, or "
                                   f"another program uses it; .*--{name} none goes without"), f"--{other}", "none", uri,
                        env=busy)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        check_error("in use", *SILENT, f"livetcp://127.0.0.1:{taken.getsockname()[1]}?mode=listener")
        check_error("in use", *SILENT, f"livetcp://:{taken.getsockname()[1]}")


def check_nobody_answers(folder):
    """It says so, once, goes on calling, and Ctrl-C ends it."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen
        phone = Phone(*SILENT, f"livetcp://127.0.0.1:{closed.getsockname()[1]}?reconnect-min=10")
        phone.wait_for("refused.*calling again")
        time.sleep(1)
        assert phone.process.poll() is None, "it has given up"
        said = len(phone.said)
        rest = phone.interrupt()[said:]
        assert "calling again" not in rest, f"said again: {rest}"
        assert "no call: nobody answered" in rest, rest
    with listening(*SILENT) as (listener, _):
        assert "no call: nobody called" in listener.interrupt_in_time()


def main():
    if not program:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for check in (check_errors, check_nobody_answers, check_call, check_silence, check_busy_line, check_terminal,
                      check_outage, check_correction):
            before = time.monotonic()
            check(folder)
            print(f"{check.__name__}: {time.monotonic() - before:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
