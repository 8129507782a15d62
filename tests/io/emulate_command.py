#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp emulate as a user sees it: exit codes, environment, control, schedule, clean ends.

usage: emulate_command.py LIVETCP
Exits with 77 (skipped) and the reason where there are no namespaces or no TUN device.
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIVETCP = os.path.abspath(sys.argv.pop(1))
LIMIT = 60  # seconds; only reached when something hangs


def emulate(*arguments, **options):
    return subprocess.run([LIVETCP, "emulate", *arguments], capture_output=True, text=True,
                          timeout=LIMIT, **options)


def wait_until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain until " + what)
        time.sleep(0.01)


def running(mark):
    """Processes with this word in their environment: the commands of one test and all they start."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


class Emulate(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.mark = f"LIVETCP_TEST_MARK={os.getpid()}-{self.id()}"
        name, value = self.mark.split("=", 1)
        self.env = dict(os.environ, **{name: value})

    def file(self, name, text=None):
        path = os.path.join(self.directory.name, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def test_exit_codes(self):
        for command, code in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)]:
            self.assertEqual(emulate("-q", "--", "sh", "-c", command).returncode, code, command)
        missing = emulate("-q", "--", "/no/such/program")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("/no/such/program", missing.stderr)
        self.assertEqual(emulate("-q", "--", "/etc/passwd").returncode, 126)

    def test_bad_command_lines(self):
        for arguments, says in [
            ([], "which command"),
            (["--delay", "50", "--", "true"], "delay=50"),
            (["--forward", "latency=5ms", "--", "true"], "latency"),
            (["--seed", "x", "--", "true"], "whole number"),
            (["--no-such-option"], "--no-such-option"),
            (["--schedule", "/no/such/file", "--", "true"], "/no/such/file"),
            (["--forward", f"trace={__file__}", "--", "true"], "emulate_command.py, line 1"),
            (["--both", "delay=5ms@soon", "--", "true"], "expected a time after @"),
            (["--link"] * 4 + ["--", "true"], "at most 4 links"),
            (["--control", "/no/such/directory/socket", "--", "true"], "/no/such/directory"),
            (["--congestion-control", "none-such", "--", "true"], "none-such"),
            (["--sysctl", "net.ipv4.tcp_ecn", "--", "true"], "KEY=VALUE"),
            (["--mtu", "9", "--", "true"], "mtu 9"),
            (["set", "/tmp"], "Usage"),
        ]:
            result = emulate(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(says, result.stderr, arguments)

    def test_help(self):
        result = emulate("--help")
        self.assertEqual(result.returncode, 0)
        for words in ["livetcp emulate set PATH", "--schedule", "gilbert=", "Examples:"]:
            self.assertIn(words, result.stdout)

    def test_environment_and_far_command(self):
        """The far command is there first, at its own address, and sees only the path."""
        far = self.file("far.py", """
import os, socket
s = socket.create_server((os.environ["LIVETCP_FAR"], 5000))
open(os.environ["READY"], "w").close()
while True:
    c, peer = s.accept()
    c.sendall(("hello " + peer[0]).encode())
    c.close()
""")
        near = self.file("near.py", """
import os, socket, time
while not os.path.exists(os.environ["READY"]):
    time.sleep(0.01)
s = socket.create_connection((os.environ["LIVETCP_FAR"], 5000))
print(s.recv(100).decode(), os.environ["LIVETCP_NEAR6"], os.environ["LIVETCP_FAR6"])
print([name for _, name in socket.if_nameindex()])
""")
        self.env["READY"] = self.file("ready")
        result = emulate("--far", f"{sys.executable} {far}", "--both", "delay=5ms", "--json",
                         self.file("out.json"), "--seed", "9", "--", sys.executable, near,
                         env=self.env)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("hello 10.77.0.1 fd77::1 fd77::2", result.stdout)
        self.assertIn("['lo', 'livetcp0']", result.stdout)
        self.assertIn("packets in", result.stderr)
        with open(self.file("out.json")) as file:
            report = json.load(file)
        self.assertEqual(report["seed"], 9)
        self.assertEqual(report["exit_code"], 0)
        self.assertGreater(report["forward"]["out_packets"], 2)
        self.assertIn("delay=5ms", report["backward"]["params"])
        self.assertEqual(running(self.mark), [])

    def test_several_links(self):
        report, plan = self.file("report.json"), self.file("plan", "0s 2:forward loss=100%\n")
        run = emulate("-q", "--both", "delay=1ms", "--link", "--forward", "delay=2ms,routes=0+3ms",
                      "--schedule", plan, "--json", report, "--", "sh", "-c",
                      "echo $LIVETCP_NEAR $LIVETCP_FAR $LIVETCP_NEAR_2 $LIVETCP_FAR_2 "
                      "$LIVETCP_FAR6_2; ls /sys/class/net >/dev/null; cat /proc/net/dev")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("10.77.0.1 10.77.0.2 10.77.1.1 10.77.1.2 fd77:0:0:1::2", run.stdout)
        self.assertIn("livetcp1:", run.stdout)
        with open(report) as file:
            content = json.load(file)
        self.assertIn("delay=1ms", content["backward"]["params"])
        self.assertIn("delay=0ms", content["2:backward"]["params"])
        self.assertIn("routes=0ms+3ms", content["2:forward"]["params"])
        bad = self.file("bad", "0s 3:forward loss=1%\n")
        run = emulate("-q", "--link", "--schedule", bad, "--", "true")
        self.assertEqual(run.returncode, 2)
        self.assertIn("bad, line 1", run.stderr)

    def test_control(self):
        socket = self.file("control")
        with subprocess.Popen([LIVETCP, "emulate", "-q", "--delay", "1ms", "--control", socket,
                               "--", "sleep", str(LIMIT)], env=self.env) as process:
            try:
                wait_until(lambda: os.path.exists(socket), "the socket is there")
                self.assertEqual(os.stat(socket).st_mode & 0o777, 0o700)
                self.assertEqual(emulate("set", socket, "forward", "loss=2%,delay=80ms")
                                 .returncode, 0)
                bad = emulate("set", socket, "both", "delay=9ms,loss=nothing")
                self.assertEqual(bad.returncode, 1)
                self.assertIn("loss=nothing", bad.stderr)
                self.assertEqual(emulate("set", socket, "sideways", "loss=0").returncode, 1)
                self.assertEqual(emulate("-q", "--control", socket, "--", "true").returncode, 2)
                report = json.loads(emulate("counters", socket).stdout)
                self.assertIn("delay=80ms", report["forward"]["params"])
                self.assertIn("loss=2%", report["forward"]["params"])
                self.assertIn("delay=1ms", report["backward"]["params"])
            finally:
                process.terminate()
        self.assertEqual(process.returncode, 143)
        self.assertFalse(os.path.exists(socket))
        gone = emulate("counters", socket)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("--control", gone.stderr)

    def test_control_socket_of_a_dead_run_is_replaced(self):
        socket = self.file("control")
        with subprocess.Popen([LIVETCP, "emulate", "-q", "--control", socket, "--", "sleep",
                               str(LIMIT)], env=self.env) as process:
            wait_until(lambda: os.path.exists(socket), "the socket is there")
            process.kill()
        wait_until(lambda: not running(self.mark), "the command died with its parent")
        self.assertTrue(os.path.exists(socket))
        self.assertEqual(emulate("-q", "--control", socket, "--", "true").returncode, 0)
        precious = self.file("precious", "text")
        self.assertEqual(emulate("-q", "--control", precious, "--", "true").returncode, 2)
        with open(precious) as file:
            self.assertEqual(file.read(), "text")

    def test_schedule(self):
        plan = self.file("plan", "# comment\n0.05s forward loss=3%\n\n0s both delay=7ms # first\n")
        socket = self.file("control")
        with subprocess.Popen([LIVETCP, "emulate", "-q", "--schedule", plan, "--control", socket,
                               "--", "sleep", str(LIMIT)], env=self.env) as process:
            try:
                wait_until(lambda: os.path.exists(socket), "the socket is there")
                wait_until(lambda: "delay=7ms,jitter=0ms,reorder=no,loss=3%" in
                           emulate("counters", socket).stdout, "both changes are made")
            finally:
                process.terminate()
        for text, says in [("1s forward\n", "line 1"), ("0s both delay=1ms\nx both loss=0\n", "line 2"),
                           ("1s up loss=0\n", "line 1"), ("5s forward loss=2\n", "loss=2")]:
            result = emulate("--schedule", self.file("bad", text), "--", "true")
            self.assertEqual(result.returncode, 2, text)
            self.assertIn(says, result.stderr)

    def test_everything_ends_with_the_near_command(self):
        result = emulate("-q", "--far", "trap '' TERM; sleep 600 & sleep 601", "--", "sh", "-c",
                         "sleep 602 & setsid sleep 603 & (sleep 604 &) ; exit 3", env=self.env)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(running(self.mark), [])

    def test_signals_end_everything(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            started = self.file(f"started{number}")
            with subprocess.Popen([LIVETCP, "emulate", "-q", "--far", "sleep 600", "--", "sh", "-c",
                                   f"sleep 601 & touch {started}; sleep 602"],
                                  env=self.env) as process:
                wait_until(lambda: os.path.exists(started), "the command runs")
                process.send_signal(number)
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(running(self.mark), [])

    def terminal(self, *arguments):
        """Starts livetcp emulate on a terminal of its own; returns its process and the terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(LIVETCP, [LIVETCP, "emulate", "-q", *arguments], self.env)
        return pid, terminal

    def read_until(self, terminal, text):
        seen = b""
        while text not in seen:
            ready, _, _ = select.select([terminal], [], [], LIMIT)
            self.assertTrue(ready, f"no {text} after {seen}")
            seen += os.read(terminal, 1000)

    def test_command_has_the_terminal(self):
        """It can be talked to, and Ctrl-C is for it alone: the rest ends because it ends."""
        pid, terminal = self.terminal("--far", "sleep 600", "--", "sh", "-c",
                                      "trap 'exit 5' INT; read line; echo got-$line; "
                                      "while :; do sleep 0.05; done")
        os.write(terminal, b"this\n")
        self.read_until(terminal, b"got-this")
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 5)
        os.close(terminal)
        self.assertEqual(running(self.mark), [])

    def test_suspend_and_continue(self):
        pid, terminal = self.terminal("--", "sh", "-c", "echo ready; read line; echo got-$line; "
                                      "read line")
        self.read_until(terminal, b"ready")
        os.write(terminal, b"\x1a")
        self.assertTrue(os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]))
        os.kill(pid, signal.SIGCONT)
        os.write(terminal, b"more\n")
        self.read_until(terminal, b"got-more")
        os.write(terminal, b"\n")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(terminal)

    def test_stats_interval(self):
        result = emulate("-q", "--stats-interval", "0.05", "--", "sleep", "0.3")
        self.assertIn("forward in 0 out 0", result.stderr)

    def elsewhere(self, script):
        """Runs a shell script in a mount namespace of its own, where it may rearrange /dev."""
        if os.geteuid():
            self.skipTest("needs root to rearrange /dev")
        script = f"set -e; LIVETCP={LIVETCP}; {script}"
        result = subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True,
                                text=True, timeout=LIMIT)
        if "SKIP" in result.stdout:
            self.skipTest(result.stdout.strip())
        return result

    def test_without_a_tun_device(self):
        result = self.elsewhere(f"mount --bind {self.directory.name} /dev/net;"
                                "$LIVETCP emulate -q -- true")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("modprobe tun", result.stderr)

    USER = "setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all"

    def test_without_root(self):
        """An ordinary user gets there by a user namespace, if the device may be opened."""
        os.chmod(self.directory.name, 0o755)
        result = self.elsewhere(
            f"{self.USER} $LIVETCP --version >/dev/null 2>&1 || "
            "{ echo SKIP: another user cannot read the build; exit; };"
            f"{self.USER} unshare --user true || "
            "{ echo SKIP: the system forbids user namespaces; exit; };"
            f"mknod -m 666 {self.file('tun')} c 10 200; mount --bind {self.file('tun')} /dev/net/tun;"
            f"{self.USER} $LIVETCP emulate --delay 2ms --congestion-control reno --far 'id -u' -- "
            "sh -c 'id -u; cat /proc/sys/net/ipv4/tcp_congestion_control'")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.split(), ["0", "0", "reno"])

    def test_without_permission(self):
        result = self.elsewhere(
            f"{self.USER} $LIVETCP --version >/dev/null 2>&1 || "
            "{ echo SKIP: another user cannot read the build; exit; };"
            f"mknod -m 600 {self.file('tun')} c 10 200; mount --bind {self.file('tun')} /dev/net/tun;"
            f"{self.USER} $LIVETCP emulate -q -- true")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("run as root", result.stderr)

    def test_self_test(self):
        """That it measures, not that this machine is fast."""
        result = emulate("--self-test", "--delay", "5ms", "--rate-pps", "500", "--seconds", "0.2",
                         "--json", self.file("out.json"))
        self.assertIn(result.returncode, (0, 1), result.stderr)
        with open(self.file("out.json")) as file:
            report = json.load(file)
        self.assertEqual(report["sent"], 100)
        self.assertEqual(report["received"], 100)
        self.assertEqual(report["delay_us"], 5000)
        self.assertEqual(report["path"]["forward"]["out_packets"], 100)


def main():
    probe = emulate("-q", "--", "true")
    if probe.returncode == 2 and ("/dev/net/tun" in probe.stderr or "namespace" in probe.stderr):
        print("SKIPPED:", probe.stderr.strip())
        return 77
    unittest.main(verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
