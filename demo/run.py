#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends a live programme over plain TCP and over LiveTCP, and reports the delay of both.

script/demo builds everything, and calls this.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shlex
import signal
import subprocess
import sys
import time

import progress
import report

LEGS = {"plain": "plain TCP", "livetcp": "LiveTCP"}
OUTPUTS = ("listening", "sending", "ended", "received", "demo-receive.stop", "demo-send.stop",
           "demo-receive.failed", "demo-send.failed", "sent.csv", *(f"{leg}.csv" for leg in LEGS),
           *(f"sent-{leg}.csv" for leg in LEGS), "encoder.csv",
           "log.txt", "path.json", "run.json", "results.json", "report.html")
STOP_SECONDS = 5  # for what was told to end at once
CLOSE_SECONDS = 60  # for what has an account to give first
FIRST_PORT = 5004  # in a network namespace of its own, where every port is free


class DemoError(Exception):
    """The demonstration cannot continue; the text has reason and remedy."""


def share(text):
    """Parses "2%" or "0.02"."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share from 0 to 99 %, such as 2%")
    return value


def milliseconds(text):
    """Parses "50ms", "0.05s" or "50"."""
    try:
        for suffix, factor in (("ms", 1.0), ("s", 1000.0), ("", 1.0)):
            if text.endswith(suffix):
                value = float(text[:len(text) - len(suffix)]) * factor
                break
    except ValueError:
        value = -1.0
    if not 0 <= value <= 10000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time from 0 to 10 s, such as 50ms")
    return value


def whole(low, high):
    def parse(text):
        if not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)
    return parse


def first_values(parser, spec):
    """Initial delay and loss of a path; livetcp emulate validates the rest."""
    given = dict(item.strip().split("=", 1) for item in spec.split(",")
                 if "=" in item and "@" not in item)
    try:
        return milliseconds(given.get("delay", "0")), share(given.get("loss", "0"))
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --path: {error}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="script/demo", allow_abbrev=False,
        description="Sends a live H.264 and Opus programme over plain TCP and over LiveTCP, both "
        "at once over the same emulated path, and shows the delay of both side by side.")
    add = parser.add_argument
    add("--duration", type=whole(2, 86400), metavar="SECONDS", help="default: 60")
    add("--quick", action="store_true", help="as --duration 15")
    add("--loss", type=share, metavar="SHARE",
        help="packet loss in each direction (default: 2%%)")
    add("--delay", type=milliseconds, metavar="TIME",
        help="propagation, one way (default: 50ms, which is a round trip of 100 ms)")
    add("--path", metavar="SPEC",
        help="instead of both: the way forward as livetcp emulate has it, a link for each leg, such "
        "as delay=30ms,rate=1mbit,queue=40kB; the way back has its delay")
    add("--policy", default="auto", metavar="NAME",
        help="LiveTCP's policy (default: auto)")
    add("--connections", type=whole(1, 32), default=8, metavar="N",
        help="LiveTCP's connections (default: 8)")
    add("--congestion-control", default="reno", metavar="NAME",
        help="of both legs (default: reno)")
    add("--bitrate", type=whole(64, 50000), default=1500, metavar="KBIT/S",
        help="of the video, at most when it adapts (default: 1500)")
    add("--no-adapt", dest="adapt", action="store_false",
        help="one encoder for both legs, at --bitrate throughout; otherwise each leg has its own "
        "for the same pictures, and LiveTCP's follows its estimated-bitrate up to --bitrate")
    add("--drain", type=whole(0, 3600), metavar="SECONDS",
        help="wait so long for what is on its way at the end (default: three quarters of the "
        "duration, at least 10)")
    add("--seed", type=whole(0, 2**31), default=1, metavar="N", help="of the path's losses")
    add("--window", action="store_true", help="show both received pictures")
    add("--output", type=pathlib.Path, metavar="DIRECTORY",
        help="for traces and report (default: results/demo-TIME)")
    add("--leg", action="append", choices=sorted(LEGS), help="only this leg")
    add("--loopback", action="store_true",
        help="no emulated path, no root: both ends on this machine, to try the pipelines")
    add("--programme", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    add("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.duration is None:
        options.duration = 15 if options.quick else 60
    if options.drain is None:
        options.drain = max(10, options.duration * 3 // 4)
    if options.path is not None:
        if options.loopback or options.loss is not None or options.delay is not None:
            parser.error("--path brings its own delay and loss: leave out --delay, --loss and "
                         "--loopback")
        options.delay, options.loss = first_values(parser, options.path)
    if options.delay is None:
        options.delay = 50.0
    if options.loss is None:
        options.loss = 0.02
    options.legs = {name: title for name, title in LEGS.items()
                    if not options.leg or name in options.leg}
    options.adapt = options.adapt and "livetcp" in options.legs
    return options


def check_window(options):
    display = os.environ.get("DISPLAY", "")
    if not options.window:
        return
    if not display and not os.environ.get("WAYLAND_DISPLAY"):
        raise DemoError("--window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set")
    if not options.loopback and display and not display.startswith((":", "unix:")):
        raise DemoError(f"--window cannot reach the display {display}: the receiver runs in a "
                        "network namespace, from which only a local display (:0) can be reached")


def check_path(options):
    """Finds errors that would appear later with a less specific message."""
    if options.loopback:
        return
    if not os.path.exists("/dev/net/tun"):
        raise DemoError("there is no /dev/net/tun, which the emulated path needs: load the module "
                        "tun, or start the container with --device /dev/net/tun")
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        raise DemoError(f"/dev/net/tun cannot be opened ({error.strerror}), which the emulated "
                        "path needs: run this as root, or try --loopback") from error


def commands(options, directory):
    """(command at the far end, command at the near end)."""
    programs = options.build / "demo"
    receive = [programs / "demo-receive", "--directory", directory, "--legs",
               ",".join(options.legs)]
    if options.window:
        receive.append("--window")
    if not options.loopback:
        receive += ["--port", FIRST_PORT]
    send = [programs / "demo-send", "--directory", directory, "--programme",
            options.programme.resolve(), "--policy", options.policy, "--connections",
            options.connections, "--bitrate", options.bitrate, "--duration", options.duration]
    if options.adapt:
        send.append("--adapt")
    if options.loopback:
        send += ["--host", "127.0.0.1"]
    return [str(word) for word in receive], [str(word) for word in send]


def link_options(options):
    """One link for both legs, which do not affect each other on it; or one each, of the same
    parameters."""
    if options.path is None:
        return ["--both", f"delay={options.delay:g}ms,loss={options.loss:.6g}"]
    link = ["--forward", options.path, "--backward", f"delay={options.delay:g}ms"]
    return link + ["--link", *link]


def emulated(options, directory, receive, send):
    return [str(options.build / "src/tool/livetcp"), "emulate", "--quiet", *link_options(options),
            "--seed", str(options.seed), "--congestion-control", options.congestion_control,
            "--json", str(directory / "path.json"), "--far", "exec " + shlex.join(receive), "--",
            *send]


class Processes:
    """The started processes; stop() ends all of them in any case."""

    def __init__(self, options, directory):
        self.log = directory / "log.txt"
        receive, send = commands(options, directory)
        lines = ([receive, send] if options.loopback
                 else [emulated(options, directory, receive, send)])
        environment = dict(os.environ)
        plugins = [str((options.build / "plugins/gst").resolve()),
                   environment.get("GST_PLUGIN_PATH", "")]
        environment["GST_PLUGIN_PATH"] = ":".join(filter(None, plugins))
        environment.setdefault("GST_REGISTRY", str(options.build.resolve() / "demo-registry.bin"))
        self.running = []
        with open(self.log, "w", encoding="utf-8") as log:
            for line in lines:
                self.running.append(subprocess.Popen(
                    line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                    start_new_session=True))

    def ended(self):
        return any(process.poll() is not None for process in self.running)

    def wait(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if all(process.poll() is not None for process in self.running):
                return True
            time.sleep(0.02)
        return False

    def signal(self, number):
        for process in self.running:
            if process.poll() is None or number == signal.SIGKILL:
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    pass

    def stop(self):
        if not self.wait(0):
            self.signal(signal.SIGTERM)
        if not self.wait(STOP_SECONDS):
            self.signal(signal.SIGKILL)
            self.wait(CLOSE_SECONDS)

    def said(self):
        """The last lines of the processes' output."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return "\n".join(lines[-15:])


def follow(options, directory, processes):
    """Shows progress until all packets have arrived or the wait is over. Returns that time."""
    view = progress.Progress(directory, options.legs, options.duration)
    ended_at = None
    while True:
        time.sleep(0.25)
        if processes.ended() or list(directory.glob("*.failed")):
            view.finish()
            processes.stop()  # the others may have something to say, too
            raise DemoError("it stopped before its end:\n" + (processes.said() or "no reason given"))
        view.update()
        if ended_at is None and (directory / "ended").exists():
            ended_at = time.monotonic()
        if ended_at is not None and (view.all_arrived()
                                     or time.monotonic() > ended_at + options.drain):
            stop_us = time.monotonic_ns() // 1000
            view.finish()
            return stop_us


def ask_to_stop(directory, processes):
    """Stops the receiver first: it reports its counts while the path still exists."""
    (directory / "demo-receive.stop").touch()
    deadline = time.monotonic() + CLOSE_SECONDS
    while not ((directory / "received").exists() or processes.ended()
               or time.monotonic() > deadline):
        time.sleep(0.02)
    (directory / "demo-send.stop").touch()
    processes.wait(CLOSE_SECONDS)


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def describe_path(options, sending):
    control = sending.get("congestion_control", "?")
    if options.loopback:
        return f"No emulated path: both ends on one machine. Congestion control: {control}."
    if options.path is not None:
        return (f"An emulated path for each, with {options.path} forward, and {options.delay:g} ms "
                f"back. Congestion control of both: {control}.")
    return (f"An emulated path with {options.delay:g} ms of propagation each way and "
            f"{100 * options.loss:g} % of packets lost, independently, in each direction; no rate "
            f"limit. Congestion control of both: {control}.")


def describe_encoders(options):
    """(which encoder follows what, what both legs share)."""
    if not options.adapt:
        return (f"one for both legs, {options.bitrate} kbit/s throughout",
                "get the same packets from one tee, at the same time, each through a queue "
                "without a bound that drops nothing.")
    return (f"one each, for the same pictures. Plain TCP's stays at {options.bitrate} kbit/s, "
            "LiveTCP's follows estimated-bitrate up to that",
            "get the same pictures and the same sound at the same time, each through a queue "
            "without a bound that drops nothing.")


def facts(options, sending, received):
    decoded = ", ".join(f"{title}: {received[name]['video']:,} frames of video, "
                        f"{received[name]['audio']:,} of sound"
                        for name, title in options.legs.items() if name in received)
    version = subprocess.run([str(options.build / "src/tool/livetcp"), "--version"], check=False,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    encoding, both = describe_encoders(options)
    plain = ("rtpstreampay ! tcpclientsink to tcpserversrc ! rtpstreamdepay, with their defaults: "
             "one connection, Nagle's algorithm on, writes that block")
    livetcp = (f"livetcpsink to livetcpsrc, {options.connections} connections, "
               f"policy {options.policy}")
    return {
        "Programme": f"{options.duration} s of recorded video (640x360, 25 frames/s) and speech, "
                     f"encoded live: x264enc tune=zerolatency at {options.bitrate} kbit/s, a key "
                     "frame every 2 s; opusenc at 32 kbit/s, 20 ms",
        "Plain TCP": plain,
        "LiveTCP": livetcp,
        "Encoders": encoding,
        "Both": f"{both} Connections open 1 s before the first packet. No playout delay is added "
                "at the receiver.",
        "Decoded": decoded or "not known",
        "Congestion control": sending.get("congestion_control", "not known"),
        "Machine": f"{platform.system()} {platform.release()}, {platform.machine()}, "
                   f"{os.cpu_count()} processors; the receiver's timer was at most "
                   f"{received.get('longest_stall_us', 0) / 1e3:.0f} ms late",
        "Versions": f"{version.strip() or 'LiveTCP'}, {sending.get('gstreamer', 'GStreamer')}",
        "Command": shlex.join(["script/demo", *os.environ.get("LIVETCP_DEMO_ARGUMENTS", "").split(
            "\x1f")]).rstrip(" '"),
        "Date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
    }


def write_run(options, directory, stop_us):
    sending, received = read_json(directory / "sending"), read_json(directory / "received")
    run = {
        "stop_us": stop_us,
        "legs": options.legs,
        "propagation_ms": 0 if options.loopback else options.delay,
        "loss": 0 if options.loopback else options.loss,
        "bitrate_kbit": options.bitrate,
        "adapt": options.adapt,
        "congestion_control": sending.get("congestion_control", ""),
        "path": describe_path(options, sending),
        "facts": facts(options, sending, received),
    }
    (directory / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


def make_directory(options):
    directory = options.output
    if directory is None:
        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        directory = pathlib.Path("results") / f"demo-{stamp}"
    directory.mkdir(parents=True, exist_ok=True)
    for name in OUTPUTS:  # of an earlier run
        (directory / name).unlink(missing_ok=True)
    return directory.resolve()


def demonstrate(options):
    check_window(options)
    check_path(options)
    directory = make_directory(options)
    if options.loopback:
        print("Both ends on this machine, no emulated path.")
    else:
        path = options.path or f"{options.delay:g} ms each way, {100 * options.loss:g} % loss"
        print(f"Path: {path}; congestion "
              f"control of both legs: {options.congestion_control}.")
    print(f"LiveTCP: {options.connections} connections, policy {options.policy}. "
          f"{options.duration} s of video at {options.bitrate} kbit/s, and speech.")
    print("LiveTCP's encoder follows the estimated bit rate; plain TCP's does not change."
          if options.adapt else "One encoder for both, whose bit rate does not change.", flush=True)
    processes = Processes(options, directory)
    try:
        stop_us = follow(options, directory, processes)
        ask_to_stop(directory, processes)
    finally:
        processes.stop()
    write_run(options, directory, stop_us)
    text, page = report.write_report(directory)
    print(f"\n{text}\n\nReport: {page}")


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    try:
        demonstrate(options)
    except (DemoError, report.ReportError, OSError) as error:
        sys.exit(f"demo: {error}")
    except KeyboardInterrupt:
        print("\ndemo: interrupted; everything that it started has ended", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
