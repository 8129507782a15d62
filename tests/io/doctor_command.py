# SPDX-License-Identifier: MIT
"""livetcp doctor as it is typed: on this host, in network namespaces with known settings, and with
wrong arguments. usage: doctor_command.py LIVETCP"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIVETCP = sys.argv.pop(1)
PATIENCE_S = 200  # for what hangs

# A namespace with a default route that leads nowhere and says much.
NAMESPACE = """
set -e
ip link set lo up
device=near
ip link add near type veth peer name far
ip link set near up
ip link set far up
ip address add 198.51.100.1/24 dev $device
ip route add default via 198.51.100.2 dev $device initcwnd 4 initrwnd 5 rto_min 500ms quickack 1
"""


def run(*arguments, **keywords):
    return subprocess.run([LIVETCP, "doctor", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S, **keywords)


def namespaces_work():
    probe = subprocess.run(["unshare", "-rn", "sh", "-c", NAMESPACE], capture_output=True,
                           text=True)
    return probe.returncode == 0


def in_namespace(commands, *arguments):
    """Returns the checks by name, and the exit code."""
    script = f'{NAMESPACE}{{ :\n{commands} }} >/dev/null\nset +e\n"$@"'
    done = subprocess.run(["unshare", "-rn", "sh", "-c", script, "sh", LIVETCP, "doctor", "--json",
                           *arguments], capture_output=True, text=True, timeout=PATIENCE_S)
    if not done.stdout:
        raise AssertionError(done.stderr)
    report = json.loads(done.stdout)
    return {check["name"]: check for check in report["checks"]}, report, done.returncode


class Command(unittest.TestCase):
    def test_reports_on_this_host(self):
        done = run()
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("checks found something that costs delay", done.stdout)
        self.assertIn("Linux " + os.uname().release, done.stdout)
        self.assertNotIn("\033", done.stdout)
        self.assertEqual(done.returncode, int(not done.stdout.startswith("0 of ")))

    def test_json_says_what_the_kernel_says(self):
        report = json.loads(run("--json").stdout)
        self.assertEqual(report["schema"], "livetcp/doctor/1")
        for name, value in report["sysctls"].items():
            path = pathlib.Path("/proc/sys", *name.split("."))
            if value is None:
                self.assertFalse(path.exists() and os.access(path, os.R_OK), name)
            else:
                self.assertEqual(path.read_text().split(), value.split(), name)

    def test_json_to_a_file_leaves_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "doctor.json")
            done = run(f"--json={path}")
            self.assertIn("checks found something", done.stdout)
            self.assertEqual(json.loads(path.read_text())["schema"], "livetcp/doctor/1")

    def test_wrong_arguments_are_named(self):
        for arguments, text in [
            (["--interface", "nosuchif"], "nosuchif: there is no such interface; there are: "),
            (["--host", "no such host"], "no such host"),
            (["--colour"], "--colour"),
            (["extra"], "extra: it takes options only"),
            (["--json=/nonexistent/folder/x"], "/nonexistent/folder/x"),
            (["--json=/dev/full"], "/dev/full"),
        ]:
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(text, done.stderr, arguments)

    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--interface", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 82)


@unittest.skipUnless(namespaces_work(), "network namespaces cannot be made here")
class Namespace(unittest.TestCase):
    def test_a_route_is_read(self):
        checks, report, code = in_namespace("")
        self.assertEqual(code, 1)
        self.assertEqual(report["machine"]["gateway"], "198.51.100.2")
        self.assertIn("4 segments", checks["initial-window"]["found"])
        self.assertIn("5 segments", checks["initial-receive-window"]["found"])
        self.assertIn("500 ms", checks["rto-min"]["found"])
        self.assertIn("quickack", checks["delayed-ack"]["found"])
        self.assertIn("initcwnd 10", checks["initial-window"]["command"])

    def test_the_route_to_a_peer_and_over_an_interface(self):
        more = "ip route add 203.0.113.0/24 via 198.51.100.3 dev $device initcwnd 7\n"
        checks, report, _ = in_namespace(more, "--host", "203.0.113.9")
        self.assertEqual(report["machine"]["route_to"], "203.0.113.9")
        self.assertEqual(report["machine"]["gateway"], "198.51.100.3")
        self.assertIn("7 segments", checks["initial-window"]["found"])
        checks, _, _ = in_namespace(more, "--interface", "lo",
                                    "--host", "127.0.0.1")
        self.assertEqual(checks["initial-window"]["state"], "ok")

    def test_a_host_without_a_route(self):
        checks, report, _ = in_namespace("ip route del default\n")
        self.assertIsNone(report["machine"]["interface"])
        self.assertEqual(checks["initial-window"]["state"], "unknown")

    def test_its_own_commands_cure_it(self):
        """Every command about a sysctl or a route is run; nothing of that kind is left to say."""
        checks, _, _ = in_namespace("sysctl -qw net.ipv4.tcp_sack=0 net.ipv4.tcp_reordering=9\n")
        self.assertEqual(checks["sack"]["state"], "costs")
        self.assertEqual(checks["reordering"]["state"], "costs")
        commands = [check["command"] for check in checks.values()
                    if (check.get("command") or "").startswith(("sysctl -w net.ipv4", "ip route"))
                    and check["name"] not in ("congestion-control", "congestion-control-choice")]
        self.assertGreater(len(commands), 2)
        routes = [command for command in commands if command.startswith("ip route")]
        others = [command for command in commands if not command.startswith("ip route")]
        for route in routes:  # each replaces the metrics of the one before
            cured, _, _ = in_namespace(route + "\n")
            name = next(n for n, check in checks.items() if check.get("command") == route)
            self.assertEqual(cured[name]["state"], "ok", route)
        cured, _, _ = in_namespace("\n".join(others) + "\n")
        for name, check in checks.items():
            if check.get("command") in others:
                self.assertEqual(cured[name]["state"], "ok", check["command"])


if __name__ == "__main__":
    unittest.main()
