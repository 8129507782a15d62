#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Television with samples/tv_server and samples/tv_client: the numbers drawn into the pictures are
read from what was decoded.

usage: tv_test.py TV_SERVER TV_CLIENT [FAKE_DEVICES]
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from programs import (PATIENCE_S, PATIENT, Program, Terminal, busy_sound, check_error, hears, played,
                      preload, tone, write_wav)


SOME_BEHIND = r"paused, (0\.[1-9]|[1-9]\d*\.\d) s behind"  # and more with each status
SMALL = ["--width", "320", "--height", "180", "--preset", "ultrafast"]

server_program, client_program, fake_devices = (sys.argv[1:] + 3 * [None])[:3]


# ---- programs ----

class Client(Program):
    """`pictures`: the file with a line for each one that was shown."""

    def __init__(self, folder, uri, *options, env=None):
        self.pictures = pathlib.Path(tempfile.mkstemp(dir=folder, suffix=".txt")[1])
        super().__init__(client_program, "--status", "200", "--pictures", str(self.pictures),
                         *options, uri, env=env)

    def wait_for_pictures(self, count, wanted=lambda picture: True):
        """So many that are as wanted; the file is written in blocks, so until the program ends it
        is the status that is waited for."""
        while self.process.poll() is None:
            found = self.wait_for(r"picture (\d+) ")
            if wanted(int(found.group(1))) and count <= 1:
                return int(found.group(1))
            count -= wanted(int(found.group(1)))
        raise AssertionError(f"ended early:\n{self.said}")

    def shown(self):
        """(play, channel from 0, number, width, first of its play); channel -1: not read"""
        lines = [line.split() for line in self.pictures.read_text().splitlines()]
        return [(int(play), int(channel), int(number), int(width), first == "1")
                for _, play, channel, number, width, first in lines]


@contextlib.contextmanager
def serving(*options, channels=("one=test", "two=test"), query="", env=None, port=0):
    """A server, and its port. It is killed if the test fails."""
    server = Program(server_program, *SMALL, *options,
                     f"livetcp://127.0.0.1:{port}?mode=listener&{PATIENT}{query}", *channels, env=env)
    try:
        yield server, int(server.wait_for(r"listening on port (\d+)").group(1))
    finally:
        server.kill()


def uri(port, channel=""):
    return f"livetcp://127.0.0.1:{port}/{channel}?connections=2&{PATIENT}"


def plays(shown):
    """{play: its pictures}"""
    result = {}
    for picture in shown:
        result.setdefault(picture[0], []).append(picture)
    return result


# ---- pictures ----

def check_pictures(folder):
    """Every picture that is shown has the number of its channel, and numbers go up."""
    with serving() as (server, port):
        client = Client(folder, uri(port, "two"), "--headless")
        client.wait_for_pictures(3)
        client.interrupt_in_time()
        server.interrupt()
    shown = client.shown()
    assert len(shown) > 5, shown
    assert all(channel == 1 and width == 320 for _, channel, _, width, _ in shown), shown
    numbers = [number for _, _, number, _, _ in shown]
    assert numbers == sorted(set(numbers)), numbers
    assert shown[0][4] and not any(first for *_, first in shown[1:]), "one play, one first picture"


def check_zap(folder):
    """Up, by name, and to one that is not there: words, and the picture stays."""
    with serving(channels=("one=test", "two=test", "three=test")) as (server, port):
        client = Client(folder, uri(port), "--headless")
        client.wait_for("channel 1 picture")
        client.type("u")
        client.wait_for("channel: channel two, live")
        client.wait_for("channel 2 picture")
        client.type(":no such\n")
        client.wait_for("there is no such channel; there are: one, two, three")
        client.wait_for("channel 2 picture")
        client.type(":twoo\x08\x7f\x7f\x7fthree\n")  # backspace, as terminals have it
        client.wait_for("channel 3 picture")
        client.type(":two\x1bx")  # Escape: a name that is not meant
        client.type("u")
        client.wait_for("channel: channel one, live")
        client.wait_for("channel 1 picture")
        client.type(":tw\x03")  # Ctrl-C, as a terminal that is read key by key gives it
        assert "pictures shown" in client.wait()
        server.interrupt()
    seen = {play: {channel for _, channel, *_ in list_} for play, list_ in
            plays(client.shown()).items()}
    assert seen == {0: {0}, 1: {1}, 3: {2}, 4: {0}}, seen


def check_seek(folder):
    """Pause, on, back, twice as fast, live: the numbers tell."""
    with serving("--key-interval", "500") as (server, port):
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(3)
        client.type("p")
        client.wait_for("pause: channel one, paused")
        client.wait_for(SOME_BEHIND)
        stopped = client.wait_for_pictures(1)
        client.wait_for_pictures(1, lambda number: number == stopped)
        client.type("p")
        client.wait_for("resume: channel one, shifted")
        client.wait_for_pictures(1, lambda number: number > stopped)
        client.type("b")
        client.wait_for("back: channel one, shifted")
        client.wait_for_pictures(2)
        client.type("f")
        client.wait_for("forward: channel one, forward")
        client.wait_for_pictures(2)
        client.type("l")
        client.wait_for("live: channel one, live, 0.0 s behind")
        client.wait_for_pictures(2)
        client.type("f")
        client.wait_for("forward: channel one is live: there is nothing to go forward to")
        client.interrupt()
        server.interrupt()
    by_play = {play: [number for _, _, number, _, _ in list_]
               for play, list_ in plays(client.shown()).items()}
    assert sorted(by_play) == [0, 2, 3, 4, 5], sorted(by_play)  # a pause begins no play
    assert by_play[2][0] == by_play[0][-1] + 1, ("what was paused goes on there", by_play)
    assert by_play[3][0] < by_play[2][0], "back is back"
    assert by_play[4][0] == by_play[3][-1] + 1, ("forward goes on with the next picture", by_play)
    assert by_play[5][0] > by_play[4][-1], "live is later"
    for play, numbers in by_play.items():
        assert numbers == sorted(set(numbers)), (play, numbers)


def check_history(folder):
    """Memory has an end: back goes as far as it reaches, and who paused for longer goes on with the
    oldest key frame."""
    with serving("--history", "1", "--key-interval", "200", "--stats", "100") as (server, port):
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(1)
        client.type("p")
        client.wait_for("pause: channel one, paused")
        stopped = client.wait_for_pictures(1)
        channel = {"pictures": 0}
        while channel["pictures"] <= stopped + 60:
            channel = json.loads(server.wait_for(r"^\{.*").group())["channels"][0]
        assert channel["history_ms"] <= 1000 < 40 * channel["pictures"], channel
        client.type("p")
        client.wait_for("resume: channel one, shifted")
        client.wait_for_pictures(1, lambda number: number > stopped)
        client.type("b")
        client.wait_for("back: channel one, shifted")
        client.wait_for_pictures(2)
        client.type("f")
        client.wait_for("forward: channel one, forward")
        client.wait_for("now: channel one, live")  # it has caught up
        client.wait_for("live, 0.0 s behind")
        client.interrupt()
    by_play = {play: [number for _, _, number, _, _ in list_]
               for play, list_ in plays(client.shown()).items()}
    assert by_play[2][0] > by_play[0][-1] + 1, "the next picture was forgotten"
    assert by_play[3], by_play


def check_qualities(folder):
    """Low has half the width; both have the same numbers."""
    with serving() as (server, port):
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(1)
        client.type("aa")  # automatic -> high -> low
        client.wait_for("quality low")
        client.wait_for_pictures(2)
        client.type("aa")
        client.wait_for("quality high")
        client.wait_for("quality high")
        client.wait_for_pictures(2)
        client.interrupt()
        server.interrupt()
    widths = {play: {width for _, _, _, width, _ in list_}
              for play, list_ in plays(client.shown()).items()}
    assert widths[0] == {320} and widths[2] == {160} and widths[4] == {320}, widths
    assert all(channel == 0 for _, channel, *_ in client.shown()), "numbers of half the size"


def check_many(folder):
    """A crowd in one program, and figures of all."""
    with serving() as (server, port):
        client = Program(client_program, "--viewers", "12", "--seconds", "1", "--status", "200", uri(port))
        figures = json.loads(client.wait().splitlines()[-1])
        server.interrupt()
    assert figures["open"] == 12 and figures["lost"] == 0, figures
    # One that others have overtaken may be under way when it ends.
    assert 0 <= figures["missing"] <= 2, figures
    assert figures["delay_ms"]["count"] > 12 and figures["delay_ms"]["p50"] > 0, figures
    assert re.search(r"12 viewers, at most 12 at a time", server.said), server.said


def check_measures(folder):
    """Presses by itself; the figures as JSON."""
    with serving("--intra-refresh") as (server, port):
        client = Client(folder, uri(port), "--headless", "--json", "--zaps", "3", "--seeks", "2",
                        "--every", "300")
        figures = json.loads(client.wait().splitlines()[-1])
        server.interrupt()
    assert figures["zap_ms"]["count"] == 3 and figures["seek_ms"]["count"] == 2, figures
    assert figures["presses_lost"] == 0 and figures["unread"] == 0, figures
    assert 0 < figures["zap_ms"]["p50"] <= figures["zap_ms"]["p95"], figures
    assert figures["glass_ms"]["count"] > 0 and figures["sounds"] > 0, figures
    assert len(plays(client.shown())) == 6, client.shown()


# ---- files, window, loudspeaker ----

def write_y4m(path, pictures=7, width=176, height=96):
    with path.open("wb") as out:
        out.write(f"YUV4MPEG2 W{width} H{height} F20:1 Ip A1:1 C420jpeg\n".encode())
        for i in range(pictures):
            out.write(b"FRAME\n" + bytes([40 + 20 * i]) * (width * height) +
                      b"\x80" * (width * height // 2))


def check_files(folder):
    """A Y4M file begins again at its end, with the sound of a WAV file, in a window (SDL's dummy
    driver) and a loudspeaker (a file), with statistics over the picture."""
    write_y4m(folder / "film.y4m")
    write_wav(folder / "film.wav", tone(700, 1, 16000), 16000)
    loudspeaker = folder / "loudspeaker.raw"
    with serving("--numbers", channels=(f"film={folder}/film.y4m,{folder}/film.wav",)) as (server,
                                                                                         port):
        client = Client(folder, uri(port, "film"),
                        env={"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "disk",
                             "SDL_DISKAUDIOFILE": str(loudspeaker)})
        first = client.wait_for_pictures(1)
        client.type("s")
        client.wait_for_pictures(1, lambda number: number > first + 10)
        assert "pictures shown" in client.interrupt()
        server.interrupt()
    shown = client.shown()
    assert len({number for _, _, number, _, _ in shown}) > 7, "more than the file has"
    assert all(channel == 0 and width == 176 for _, channel, _, width, _ in shown), shown
    assert hears(played(loudspeaker), 700), "no tone of 700 Hz"


# ---- a screen ----

class Screen:
    """An X server whose screen is a file."""

    def __init__(self, folder):
        read, write = os.pipe()
        self.process = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-noreset", "-fbdir", str(folder),
                                         "-screen", "0", "960x540x24"], pass_fds=[write],
                                        stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.display = f":{answer.readline().strip()}"
        self.file = folder / "Xvfb_screen0"

    def rows(self, first, last):
        """(red, green, blue) of the left third of these rows (X window dump)."""
        data = self.file.read_bytes()
        head = struct.unpack_from(">25I", data)
        pixels, line = head[0] + 12 * head[19], head[12]
        return [tuple(data[pixels + y * line + 4 * x + i] for i in (2, 1, 0))
                for y in range(first, last, 3) for x in range(0, 320, 3)]

    def white(self):
        """Pixels of statistics over the picture: the test picture has no white there."""
        return sum(min(pixel) > 200 for pixel in self.rows(180, 290))

    def wait_for_statistics(self, there):
        end = time.monotonic() + PATIENCE_S
        while (self.white() > 50) != there:
            assert time.monotonic() < end, self.white()
            time.sleep(0.02)


def check_window(folder):
    """The picture is in the window; statistics come and go with their key, also while it is paused."""
    if not shutil.which("Xvfb"):
        return
    screen = Screen(folder)
    leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # there are some in what X11 loads
    try:
        with serving("--width", "960", "--height", "540") as (server, port):
            client = Client(folder, uri(port), "--silent", env={
                "DISPLAY": screen.display, "SDL_VIDEODRIVER": "x11", "ASAN_OPTIONS": leaks.lstrip(":")})
            client.wait_for_pictures(3)
            seen = set(screen.rows(180, 290))
            assert len(seen) > 100 and screen.white() == 0, (len(seen), screen.white())
            client.type("s")
            screen.wait_for_statistics(True)
            client.type("p")
            client.wait_for("pause: channel one, paused")
            client.wait_for(SOME_BEHIND)
            assert screen.white() > 50, screen.white()
            client.type("s")
            screen.wait_for_statistics(False)
            client.type("s")
            screen.wait_for_statistics(True)
            client.interrupt()
            server.interrupt()
    finally:
        screen.process.terminate()
        screen.process.wait()


# ---- a camera ----

def check_camera(folder):
    """Pictures of a camera arrive, of the size that it gives; one that is pulled out ends its
    channel, and no other. What cannot be opened is said in words that help."""
    camera = "cam=/dev/video7"
    if not fake_devices:
        return
    with serving("--numbers", channels=("one=test", camera),
                 env=preload(fake_devices, LIVETCP_FAKE_CAMERA="works")) as (server, port):
        client = Client(folder, uri(port, "cam"), "--headless")
        client.wait_for_pictures(5)
        client.interrupt()
        server.interrupt()
    shown = client.shown()
    assert len(shown) >= 5 and all(channel == 1 and width == 176
                                   for _, channel, _, width, _ in shown), shown
    with serving(channels=("one=test", camera),
                 env=preload(fake_devices, LIVETCP_FAKE_CAMERA="unplugged")) as (server, port):
        server.wait_for("channel cam ends: the camera /dev/video7 is gone: No such device; is it "
                        "plugged in")
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(1)
        client.interrupt()
        server.interrupt()
    for kind, words in (("busy", "/dev/video7 is busy: .*another program uses it: end that first"),
                        ("mjpeg", "gives no YUYV pictures"),
                        ("metadata", "gives no pictures; one camera has several devices"),
                        ("file", "/dev/video7 is no camera: .*shows what there is"),
                        ("forbidden", "cannot be opened: Permission denied; the group 'video'")):
        check_error(re.compile(words), server_program, "livetcp://127.0.0.1:0?mode=listener",
                    camera, env=preload(fake_devices, LIVETCP_FAKE_CAMERA=kind))


# ---- a viewer of its own: RTP by RFC 4571 ----

class Viewer:
    """On one plain connection."""

    def __init__(self, port, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(("127.0.0.1", port))

    def send(self, packet):
        self.socket.sendall(struct.pack("!H", len(packet)) + packet)

    def ask(self, number, command, value=0, text=b""):
        padded = text + bytes(-len(text) % 4)
        body = struct.pack("!IB3xi3xB", number, command, value, len(text)) + padded
        self.send(struct.pack("!BBHI4s", 0x80, 204, (12 + len(body)) // 4 - 1, 7, b"LTTV") + body)

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the server has closed the connection"
            data += part
        return data

    def packet(self):
        return self.read(struct.unpack("!H", self.read(2))[0])

    def answer(self, number):
        """(code, mode, channel, text), and the RTP packets before it"""
        before = []
        while True:
            packet = self.packet()
            if len(packet) >= 28 and packet[1] == 204 and packet[8:12] == b"LTTV":
                found, code, mode = struct.unpack_from("!IHB", packet, 12)
                if found == number:
                    return (code, mode, packet[24], packet[28:28 + packet[27]].decode()), before
            elif packet and not 192 <= packet[1] <= 223:
                before.append(packet)

    def video(self):
        """The next RTP packet with video: sequence, play, payload"""
        while True:
            packet = self.packet()
            if len(packet) > 16 and packet[1] & 0x7f == 96:
                assert packet[0] == 0x81, "one CSRC"
                sequence, play = struct.unpack_from("!2xH8xI", packet)
                return sequence, play, packet[16:]


def check_wire(folder):
    """What docs/reference/tv-controls.md says: packets in one sequence, key frames that begin with
    parameter sets, answers that are given again and not obeyed twice, garbage that harms nobody."""
    with serving(channels=("one=test", "two=test", "three=test"),
                 query="&wire=auto&handshake-timeout=300") as (server, port):
        viewer = Viewer(port)
        viewer.ask(1, 1, 1)
        answer, _ = viewer.answer(1)
        assert answer == (200, 0, 1, "two"), answer
        viewer.ask(1, 1, 1)
        viewer.ask(1, 1, 1)
        for _ in range(2):
            answer, _ = viewer.answer(1)
            assert answer == (200, 0, 1, "two"), "one step, whatever is repeated"
        viewer.ask(2, 1, 0, b"nowhere")
        answer, _ = viewer.answer(2)
        assert answer[0] == 404 and "there are: one, two, three" in answer[3], answer
        for wrong in ((3, 99, 0), (4, 4, -5), (5, 6, 20), (6, 7, 9)):
            viewer.ask(*wrong)
            answer, _ = viewer.answer(wrong[0])
            assert answer[0] == 400 and answer[3], (wrong, answer)
        for _ in range(3):
            viewer.send(struct.pack("!BBHI4s", 0x80, 204, 2, 7, b"LTTV"))
            viewer.send(struct.pack("!BBHII", 0x80, 96, 1, 2, 3) + b"media")
        server.wait_for("sends what is no control; it is counted and ignored")
        viewer.ask(7, 1, 0, b"three")
        answer, _ = viewer.answer(7)
        assert answer == (200, 0, 2, "three"), answer
        sequence, play, payload = viewer.video()
        while play != 7:
            after, play, payload = viewer.video()
            assert after == (sequence + 1) % 65536, "no gap between plays"
            sequence = after
        assert payload[0] & 31 == 7, "a play begins with a key frame's parameter sets"
        viewer.send(struct.pack("!BBHII", 0x81, 206, 2, 7, 0))  # picture loss indication
        while viewer.video()[2][0] & 31 != 7:
            pass
        server.interrupt()
    assert server.said.count("sends what is no control") == 1, server.said


# ---- who does not read ----

def metric(text, name, peer):
    """The sum over its other labels."""
    return sum(map(float, re.findall(rf'^{name}{{[^}}]*peer="{re.escape(peer)}"[^}}]*}} (\S+)$', text,
                                     re.MULTILINE)))


def fetch(port, path="/metrics"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_S) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return answer.read().decode()


def check_stalled(folder):
    """A viewer that stops reading misses pictures; another does not notice. Metrics say so."""
    with serving("--metrics", "127.0.0.1:0", "--bitrate", "4000",
                 query="&wire=auto&max-send-delay=500") as (server, port):
        metrics = int(re.search(r"metrics on port (\d+)", server.said).group(1))
        stalled = Viewer(port, buffer=4096)
        peer = "%s:%d" % stalled.socket.getsockname()
        stalled.ask(1, 5)
        stalled.video()
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(1)
        while metric(fetch(metrics), "livetcp_tv_not_sent_pictures_total", peer) == 0:
            client.wait_for_pictures(1)
        seen = client.wait_for_pictures(1)
        client.wait_for_pictures(1, lambda number: number > seen + 25)
        text = fetch(metrics)
        assert metric(text, "livetcp_dropped_packets_total", peer) > 0
        assert metric(text, "livetcp_tv_requests_total", peer) == 1
        assert 'livetcp_tv_viewers{stream="one",quality="high"}' in text
        assert 'livetcp_tv_pictures_total{stream="two"}' in text
        try:
            fetch(metrics, "/other")
            raise AssertionError("/other is there")
        except urllib.error.HTTPError as error:
            assert error.code == 404
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=True)
        client.interrupt()
        server.interrupt()
    numbers = [number for _, _, number, _, _ in client.shown()]
    assert numbers == sorted(set(numbers)), numbers


def check_ends(folder):
    """Ctrl-C ends both with a summary; a server that goes takes its viewers with it, in words."""
    with serving("--stats", "100") as (server, port):
        line = json.loads(server.wait_for(r'^\{"channels.*"viewers": \[\]\}').string)
        assert line["channels"][0]["stream"] == "one", line
        client = Client(folder, uri(port) + "&auto-reconnect=false", "--headless")
        client.wait_for_pictures(1)
        line = json.loads(server.wait_for(r'"viewers": \[\{').string)
        assert line["viewers"][0]["session"]["connections"], line
        said = server.interrupt_in_time()
        assert re.search(r"2 channels, \d+ pictures encoded.*1 viewers.*pictures sent", said), said
        assert "pictures shown" in client.wait(1)


def check_terminal(folder):
    """One status, though it is longer than a row; what is typed is seen, and Ctrl-C is heard."""
    with serving() as (server, port):
        seen = Terminal([client_program, "--headless", "--status", "100", uri(port)],
                        [("picture [1-9]", b":tx"), ("\x1b\\[J:tx", b"\x7fwo\r"),
                         ("channel 2 picture", b":o"), ("\x1b\\[J:o", b"\x03")], 40)
        server.interrupt()
    lines = seen.text().strip().splitlines()
    assert seen.code == 0 and len(lines) == 2, lines
    assert lines[0].startswith("channel: channel two, live"), lines
    assert "pictures shown" in lines[1], lines


def check_outages(folder):
    """Nobody answers: the reason, once. A server that is killed and comes back: no connection for a
    while, then the channel that was watched, as before."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen
        nobody = f"livetcp://127.0.0.1:{closed.getsockname()[1]}?reconnect-min=10"
        for options in ("--headless", "--status", "100"), ("--viewers", "3"):
            client = Program(client_program, *options, nobody)
            client.wait_for("refused.*calling again")
            if "--headless" in options:
                client.wait_for("no connection yet")
            assert "calling again" not in client.interrupt_in_time().partition("calling again")[2]
    with serving() as (server, port):
        client = Client(folder, uri(port) + "&reconnect-min=10", "--headless")
        client.wait_for_pictures(1)
        client.type("u")
        client.wait_for("channel 2 picture")
        server.kill()
        client.wait_for("NO CONNECTION, calling again")
    with serving(port=port) as (server, port):
        client.wait_for("channel: channel two, live")
        client.wait_for("channel 2 picture")
        client.type("u")
        client.wait_for("channel 1 picture")
        client.interrupt()
        server.interrupt()


# ---- what cannot work ----

def check_server_errors(folder):
    listener = "livetcp://127.0.0.1:0"
    text, tiny, empty = folder / "text.y4m", folder / "tiny.y4m", folder / "empty.y4m"
    text.write_text("This is no picture.\n" * 100)
    write_y4m(tiny, width=32, height=32)
    write_y4m(empty, pictures=0)

    def expect(words, *arguments, env=None):
        check_error(words, server_program, *arguments, env=env)

    expect("usage: tv_server")
    expect("http://", "http://127.0.0.1:9")
    expect("leave mode=caller out", "livetcp://127.0.0.1:9?mode=caller")
    expect("'--frob' is no option", "--frob", listener)
    expect("--bitrate is 32 to 100000, not '7'", "--bitrate", "7", listener)
    expect("--preset needs a value", listener, "--preset")
    expect("x264 has no preset 'frob'", "--preset", "frob", listener)
    expect("multiples of 4", "--width", "322", listener)
    expect("'frob' is no channel", listener, "frob")
    expect("'a b=test' is no channel", listener, "a b=test")
    expect("there are two channels 'a'", listener, "a=test", "a=test")
    expect("no/such.y4m cannot be read: No such file", listener, "a=no/such.y4m")
    expect("text.y4m is no picture file", listener, f"a={text}")
    expect("tiny.y4m cannot be shown", listener, f"a={tiny}")
    expect("/dev/video99 cannot be opened: No such file or directory; is it plugged in?", listener,
           "a=/dev/video99")
    expect("no/such.wav cannot be read", listener, "a=test,no/such.wav")
    expect("text.y4m cannot be played", listener, f"a=test,{text}")
    expect("--metrics is an address and a port", "--metrics", "frob", listener)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        expect("in use", f"livetcp://127.0.0.1:{port}?mode=listener")
        expect("cannot listen", "--metrics", f"127.0.0.1:{port}", listener)
    with serving(channels=("good=test", f"bad={empty}")) as (server, port):
        server.wait_for("channel bad ends: .*empty.y4m has no whole picture")
        client = Client(folder, uri(port), "--headless")
        client.wait_for_pictures(1)  # the others go on
        client.type(":bad\n")
        client.wait_for("channel: channel bad has ended; there are: good")
        client.type("u")
        client.wait_for("channel: channel good, live")  # bad is passed over
        client.interrupt()
        check_error("channel bad has ended; there are: good", client_program, "--headless",
                    uri(port, "bad"))
    short = folder / "short.y4m"
    write_y4m(short)
    with serving("--numbers", channels=("good=test", f"short={short}")) as (server, port):
        client = Client(folder, uri(port, "short"), "--headless")
        client.wait_for_pictures(1)
        os.truncate(short, 50)
        client.wait_for("now: channel short has ended; there are: good")
        client.type("u")
        client.wait_for("channel: channel good, live")
        client.interrupt()


def check_client_errors(folder):
    def expect(words, *arguments, env=None):
        check_error(words, client_program, *arguments, env=env)

    nobody = "livetcp://127.0.0.1:9"
    expect("usage: tv_client")
    expect("http://", "http://127.0.0.1:9")
    expect("leave mode=listener out", "livetcp://:9?mode=listener")
    expect("'--frob' is no option", "--frob", nobody)
    expect("one argument too many", nobody, nobody)
    expect("--zaps is 1 to 100000", "--zaps", "0", nobody)
    expect("there is no screen", nobody, env={"SDL_VIDEODRIVER": "no-such-driver"})
    expect("the loudspeaker cannot be opened", nobody,
           env={"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "no-such-driver"})
    if fake_devices:
        expect(re.compile("the loudspeaker cannot be opened: .*busy; .*another program uses it"),
               nobody, env=busy_sound(fake_devices, folder) | {"SDL_VIDEODRIVER": "dummy"})
        expect("this libavcodec has no decoder for H.264", "--headless", nobody,
               env=preload(fake_devices, LIVETCP_FAKE_CODECS="none"))
    expect("cannot be written: No such file", "--headless", "--pictures", str(folder / "no/such.txt"), nobody)
    expect("refused", "--headless", f"{nobody}?auto-reconnect=false")
    with serving() as (server, port):
        expect("there is no such channel; there are: one, two", "--headless", uri(port, "frob"))
        server.wait_for("there is no such channel")
        server.interrupt()


def main():
    if not server_program:
        print(__doc__, file=sys.stderr)
        return 2
    checks = (check_server_errors, check_client_errors, check_pictures, check_zap, check_seek, check_history,
              check_qualities, check_files, check_window, check_camera, check_wire, check_stalled, check_many, check_measures,
              check_ends, check_terminal, check_outages)
    with tempfile.TemporaryDirectory() as name:
        for check in checks:
            before = time.monotonic()
            check(pathlib.Path(name))
            print(f"{check.__name__}: {time.monotonic() - before:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
