# SPDX-License-Identifier: MIT
"""Runs cells: here, one after another, or with GNU parallel, several at a time and on several
machines over ssh. Results come back as text, in the output of the jobs."""

import csv
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile

from ..bench import BenchError
from .cells import HELPERS, HERE, Reader

RETRIES = 3  # of a cell, each on another machine while there are any
CONNECT_SECONDS = 30
REMOTE = ".cache/livetcp-bench"  # in the home directory of a host


def parallel_program():
    program = shutil.which("parallel")
    if program:
        run = subprocess.run([program, "--version"], capture_output=True, text=True)
        if "GNU parallel" in run.stdout:
            return program
    raise BenchError("--jobs and --hosts need GNU parallel (Debian package parallel; "
                     "script/bootstrap --demo installs it)")


def here(bench, cells, take):
    """Runs the cells one after another; calls take(name, code, text) for each."""
    for cell in cells:
        told = read_reports(["sh", "-c", cell.script(shlex.quote(bench.tool))], take)
        if cell.name not in told:
            take(cell.name, 1, "it said nothing")


def read_reports(command, take):
    """Tells take() of every report that the command prints; returns their names. Whatever ends
    this ends the command, too, and what it started: it has a group of its own."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    reader, told = Reader(), set()
    try:
        for line in process.stdout:
            done = reader.take(line)
            if done:
                told.add(done[0])
                take(*done)
        process.wait()
    finally:
        if process.poll() is None:
            end(process)
        process.stdout.close()
    return told


class Spread:
    """GNU parallel with what it needs for these hosts, or for this machine alone."""

    def __init__(self, bench, options):
        self.bench = bench
        self.program = parallel_program()
        self.jobs = options.jobs
        self.hosts = read_hosts(options.hosts) if options.hosts else []
        self.folder = tempfile.TemporaryDirectory(prefix="livetcp-papers-")
        if self.hosts:
            self.hosts = self.those_that_answer()

    def tool(self):
        """As shell text. A host gets a copy of the program; this machine has it."""
        own = shlex.quote(self.bench.tool)
        if not self.hosts:
            return own
        return (f"$(test -x ./livetcp && echo env LD_LIBRARY_PATH=. ./livetcp || echo {own})")

    def helpers(self):
        """Where they are, as shell text; beside the copy of the program."""
        return f"$(test -x ./livetcp && pwd || echo {HERE})" if self.hosts else HERE

    def places(self, hosts):
        """Options that say where jobs run, and take the program there."""
        if not hosts:
            return ["--jobs", str(self.jobs)]
        path = pathlib.Path(self.folder.name, "hosts")
        path.write_text("".join(f"{host}\n" for host in hosts))
        options = ["--sshloginfile", str(path), "--jobs", str(self.jobs)]
        if any(host != ":" for host in hosts):
            if not shutil.which("rsync"):
                raise BenchError("--hosts needs rsync, here and on the machines, to take the "
                                 "program there (script/bootstrap --demo installs it here)")
            stage = self.stage()
            options += ["--workdir", f"{REMOTE}/{self.bench.build[:16]}"]
            for file in sorted(stage.iterdir()):
                options += ["--basefile", f"{stage}/./{file.name}"]
        return options

    def stage(self):
        """The program and the library that is built with it."""
        stage = pathlib.Path(self.folder.name, "stage")
        if not stage.exists():
            stage.mkdir()
            shutil.copy2(self.bench.tool, stage / "livetcp")
            for name in HELPERS:
                shutil.copy2(pathlib.Path(HERE, name), stage / name)
            for library in own_libraries(self.bench.tool):
                shutil.copy2(library, stage / library.name)
        return stage

    def command(self, hosts, *options):
        return [self.program, "--will-cite", *self.places(hosts), *options]

    def those_that_answer(self):
        """Hosts that are reachable and can run the program over an emulated path."""
        log = pathlib.Path(self.folder.name, "check")
        check = f"{self.tool()} emulate --both delay=1ms -q -- true"
        self.bench.say(f"asking {len(self.hosts)} hosts")
        run = subprocess.run(
            self.command(self.hosts, "--nonall", "--joblog", str(log), "--timeout",
                         str(CONNECT_SECONDS), check),
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        codes = {}
        if log.exists():
            with log.open(newline="") as stream:
                codes = {row["Host"]: row["Exitval"]
                         for row in csv.DictReader(stream, delimiter="\t")}
        good = [host for host in self.hosts if codes.get(without_count(host)) == "0"]
        for host in self.hosts:
            if host not in good:
                self.bench.say(f"{host} does not answer, or cannot run the bench: left out")
        if not good:
            raise BenchError(f"no host of the list can run the bench:\n{run.stdout.strip()}")
        return good

    def run(self, cells, take):
        """take(name, code, text) is told of each cell that ends, in the order in which they do."""
        jobs = pathlib.Path(self.folder.name, "jobs")
        jobs.write_text("".join(f"{cell.script(self.tool(), self.helpers())}\n" for cell in cells))
        tries = max(RETRIES, len(self.hosts) + 1) if self.hosts else 1
        told = read_reports(
            self.command(self.hosts, "--retries", str(tries), "--arg-file", str(jobs), "sh", "-c",
                         "{}"), take)
        for cell in cells:
            if cell.name not in told:
                take(cell.name, 1, "no host gave a result")


def end(process):
    """And what it started: TERM lets GNU parallel wait for its jobs, so they get one as well."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)
    except (subprocess.TimeoutExpired, ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def without_count(host):
    """GNU parallel's [ncpu/]host without the count, as its log has it."""
    head, slash, tail = host.partition("/")
    return tail if slash and head.isdigit() else host


def read_hosts(path):
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise BenchError(f"--hosts {path}: {error.strerror}") from error
    hosts = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    if not hosts:
        raise BenchError(f"--hosts {path}: it names no host (one a line: user@host, or : for "
                         "this machine)")
    return hosts


def own_libraries(tool):
    """Uses the libraries of the build, not the system's."""
    root = pathlib.Path(tool).resolve().parents[2]
    try:
        run = subprocess.run(["ldd", tool], capture_output=True, text=True)
    except OSError:
        return []
    paths = [pathlib.Path(line.split("=>")[1].split("(")[0].strip())
             for line in run.stdout.splitlines() if "=>" in line]
    return [path for path in paths if root in path.parents]
