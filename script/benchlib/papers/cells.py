# SPDX-License-Identifier: MIT
"""A cell is one command line of the tool with a JSON report: what the suite measures, keeps under
results/papers, and can spread over processors and machines."""

from dataclasses import dataclass
import hashlib
import json
import pathlib
import shlex

BEGIN, END = "@cell", "@end"  # of a cell's report in the output of its job

# In a cell's arguments: the file that its report goes to, and the folder of HELPERS.
REPORT, SCRIPTS = "{report}", "{scripts}"
HERE = str(pathlib.Path(__file__).parent)
HELPERS = ("fetch.py", "video.trace")

# A mean over the packets that came is no mean where some never did.
MOST_LOST = 0.001


SPOKEN = {"--size": "B", "--packet": "B", "--interval": "ms", "--path": "", "--loss": "",
          "--rtt": "", "--web": "web", "--policy": "", "--constants": "", "--seed": ""}


def spoken(args, option):
    """The option's value as a part of a file's name, or None."""
    joined = [arg.partition("=")[2] for arg in args if arg.startswith(option + "=")]
    if option not in args and not joined:
        return None
    value = joined[0] if joined else args[args.index(option) + 1]
    value = value.split(",rate=")[0].split(":")[0].split(",connections")[0]
    value = value.replace("delay=", "").replace(",loss=", "-").replace("%", "pc")
    return "".join(c if c.isalnum() or c in ".-" else "_"
                   for c in value.removesuffix(SPOKEN[option])) + SPOKEN[option]


@dataclass(frozen=True)
class Cell:
    """Equal cells are the same measurement, whichever figures show it."""
    command: str  # bench, model, probe
    args: tuple
    seconds: float = 1.0  # what it takes

    @property
    def name(self):
        """Of its report: what a person looks for, and a hash of everything."""
        words = [self.command]
        words += [text for option in SPOKEN if (text := spoken(self.args, option))]
        whole = json.dumps([self.command, *self.args])
        return "-".join(words) + "-" + hashlib.sha256(whole.encode()).hexdigest()[:10]

    @property
    def needs(self):
        """The command of the tool, with its own if it has any: ("model", "delay")."""
        return (self.command, *(word for word in self.args[:1] if self.command == "model"))

    def script(self, tool, scripts=HERE):
        """A shell command that prints the report between two lines, or why there is none. `tool`
        and `scripts`, the folder of our helpers, are shell text; where the cell runs, LIVETCP is
        the tool."""
        words = " ".join(shlex.quote(word).replace(REPORT, "'\"$f\"'")
                         .replace(SCRIPTS, "'\"$scripts\"'")
                         for word in [self.command, *self.args])
        return (f'f=$(mktemp) || exit 1; scripts="{scripts}"; LIVETCP="{tool}"; export LIVETCP; '
                f'$LIVETCP {words} >"$f.out" 2>&1; rc=$?; '
                f"echo; echo {shlex.quote(f'{BEGIN} {self.name}')} $rc; "
                'if [ $rc = 0 ]; then cat "$f"; else tail -n 3 "$f.out"; fi; '
                f'echo; echo {END}; rm -f "$f" "$f.out"; exit $rc')


class Reader:
    """Takes the lines that jobs print, and gives (cell name, exit code, text) for each report."""

    def __init__(self):
        self.name = None

    def take(self, line):
        line = line.rstrip("\n")
        if line.startswith(BEGIN + " "):
            _, self.name, code = line.split(" ")
            self.code, self.lines = int(code), []
        elif self.name and line == END:
            done = (self.name, self.code, "\n".join(self.lines).strip())
            self.name = None
            return done
        elif self.name:
            self.lines.append(line)
        return None
