# SPDX-License-Identifier: MIT
"""Runs the samples that are programs: what they say, what is typed, the sound they make."""

import array
import contextlib
import fcntl
import math
import os
import pty
import queue
import re
import signal
import struct
import subprocess
import termios
import threading
import time
import wave

PATIENCE_S = 200  # for what hangs
PATIENT = "handshake-timeout=60000&peer-timeout=3600000"
RATE = 48000


class Program:
    """What it says is read as it comes: a pipe that is full would stop the program."""

    def __init__(self, *command, env=None):
        self.name = os.path.basename(command[0])
        self.process = subprocess.Popen(command, env=os.environ | (env or {}),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.said = ""
        self.lines = queue.SimpleQueue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def wait_for(self, pattern):
        """The match of the next line that has it."""
        end = time.monotonic() + PATIENCE_S
        with contextlib.suppress(queue.Empty):
            while line := self.lines.get(timeout=max(0, end - time.monotonic())):
                self.said += line
                match = re.search(pattern, line)
                if match:
                    return match
        raise AssertionError(f"{self.name} never said '{pattern}', but:\n{self.said}")

    def type(self, keys):
        self.process.stdin.write(keys)
        self.process.stdin.flush()

    def wait(self, code=0):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_S)
        self.reader.join(timeout=PATIENCE_S)
        while not self.lines.empty():
            self.said += self.lines.get()
        assert self.process.returncode == code, \
            f"{self.name} ended with {self.process.returncode}: {self.said}"
        return self.said

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def interrupt_in_time(self):
        """It ends within a second; on a machine with other work, of as much more as that lags."""
        before, lag = time.monotonic(), machine_lag()
        said = self.interrupt()
        took = time.monotonic() - before
        print(f"  {self.name} ended after {took:.2f} s", flush=True)
        assert took < 1 + 50 * max(lag, machine_lag()), f"{self.name} took {took:.2f} s: {said}"
        return said

    def kill(self):
        self.process.kill()
        self.process.wait()


class Terminal:
    """A program on a terminal of so many columns: what a person sees there at its end, and had seen
    above. Keys are typed when a pattern has been printed."""

    def __init__(self, command, keys, columns, env=None):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe(command[0], command, os.environ | (env or {}))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.columns, self.rows, self.row, self.column = columns, [""], 0, 0
        self.printed = ""
        try:
            while part := os.read(terminal, 4096):
                self.printed += part.decode()
                while keys and re.search(keys[0][0], self.printed):
                    os.write(terminal, keys.pop(0)[1])
        except OSError:
            pass  # its end
        self.code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for match in re.finditer(r"\x1b\[(\d*)([A-Z])|([^\x1b])", self.printed):
            if match.group(3):
                self.put(match.group(3))
            else:
                self.control(match.group(2), int(match.group(1) or 1))

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n" or self.column == self.columns:
            self.row += 1
            self.column = self.column if character == "\n" else 0
            self.rows += [""] if self.row == len(self.rows) else []
        if character >= " ":
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1

    def control(self, what, count):
        if what == "A":
            self.row -= count
        elif what in "JK":
            self.rows[self.row] = self.rows[self.row][:self.column]
            if what == "J":
                del self.rows[self.row + 1:]
        else:
            raise AssertionError(f"this terminal has no {what}")

    def text(self):
        """Rows that were too long are joined again."""
        return "".join(row if len(row) == self.columns else row + "\n" for row in self.rows)


def machine_lag():
    """Seconds by which a sleep of 10 ms takes longer here now."""
    before = time.monotonic()
    time.sleep(0.01)
    return time.monotonic() - before - 0.01


def check_error(text, *command, env=None):
    """It ends at once, with code 1 and these words, or words of this pattern."""
    done = subprocess.run(command, env=os.environ | (env or {}), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S)
    assert done.returncode == 1, f"{command} ended with {done.returncode}: {done.stderr}"
    assert re.search(getattr(text, "pattern", re.escape(str(text))), done.stderr), \
        f"{command} said: {done.stderr}"


def preload(library, **environment):
    """What a program's environment needs to have a library of ours before all others, which a
    sanitizer's would like to be."""
    asan = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": f"{asan}:verify_asan_link_order=0".lstrip(":"),
            **environment}


def busy_sound(library, folder):
    """The environment of a program whose sound card is another's."""
    config = folder / "asound.conf"
    config.write_text("pcm.!default { type hw card 0 }\nctl.!default { type hw card 0 }\n")
    return preload(library, LIVETCP_FAKE_SOUND="busy", SDL_AUDIODRIVER="alsa",
                   ALSA_CONFIG_PATH=str(config))


# ---- sound ----

def tone(hz, seconds=2, rate=RATE):
    return array.array("h", (round(8000 * math.sin(2 * math.pi * hz * i / rate))
                             for i in range(rate * seconds)))


def write_wav(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())


def share(samples, hz, rate=RATE):
    """Of the energy of these samples, the part at this frequency (Goertzel)."""
    factor, before, last = 2 * math.cos(2 * math.pi * hz / rate), 0.0, 0.0
    for sample in samples:
        before, last = last, sample + factor * last - before
    power = before * before + last * last - factor * before * last
    energy = sum(sample * sample for sample in samples)
    return 2 * power / (energy * len(samples)) if energy > 1000 * len(samples) else 0.0


def hears(samples, hz):
    """50 ms of this tone, and of little else: on a busy machine there are gaps. Clocks that differ
    shift it by a hertz or two, which a window so short does not resolve."""
    size = RATE // 20
    return any(share(samples[at:at + size], hz) > 0.6
               for at in range(0, len(samples) - size, size // 2))


def played(path):
    """What SDL's disk driver has written."""
    return array.array("h", path.read_bytes()[:path.stat().st_size // 2 * 2])
