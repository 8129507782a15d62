#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lets tshark read what we put on the wire, as docs/reference/wire-format.md says it can.

usage: dissect.py STREAM-PROGRAM
"""

import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# What each connection holds: APP subtypes by name, RTP packets, those of them that are parity (by
# payload type and the stream they protect), other RTCP. Seed 1 makes 23745 the parity packet.
CONNECTIONS = {
    "created": (["0", "1", "10", "4", "5", "7", "8", "9"], ["1", "2", "23745", "3"],
                ["127", "0x11223344"], ["201"]),
    "joined": (["2", "3", "4", "5", "6"], ["1"], [], []),
}


def capture(program, which, folder):
    dump, pcap = os.path.join(folder, which + ".txt"), os.path.join(folder, which + ".pcap")
    with open(dump, "w", encoding="ascii") as out:
        subprocess.run([program, which], stdout=out, check=True)
    subprocess.run(["text2pcap", "-q", "-D", "-T", "40000,5004", dump, pcap], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pcap


FIELDS = ["rtcp.app.subtype", "rtcp.app.name", "rtp.seq", "rtp.p_type", "rtp.csrc.item",
          "rtcp.pt", "rtcp.length_check", "_ws.malformed", "_ws.expert.severity"]
ERROR = 0x800000  # of the severities


def read(pcap):
    """All values of each field in the capture, in order of value."""
    arguments = ["tshark", "-n", "-r", pcap, "-d", "tcp.port==5004,rtp", "-T", "fields",
                 "-E", "separator=;", "-E", "aggregator=,"]
    for field in FIELDS:
        arguments += ["-e", field]
    done = subprocess.run(arguments, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, universal_newlines=True)
    found = {field: [] for field in FIELDS}
    for line in done.stdout.splitlines():
        for field, text in zip(FIELDS, line.split(";")):
            found[field] += [value for value in text.split(",") if value]
    return {field: sorted(values) for field, values in found.items()}


def complaints(found):
    bad_lengths = [value for value in found["rtcp.length_check"] if value not in ("1", "True")]
    errors = [value for value in found["_ws.expert.severity"] if int(value) >= ERROR]
    return found["_ws.malformed"] + bad_lengths + errors


def check(program, folder):
    for which, (subtypes, sequences, parity, reports) in CONNECTIONS.items():
        found = read(capture(program, which, folder))
        protecting = [value for value in found["rtp.p_type"] if value != "96"]
        others = [value for value in found["rtcp.pt"] if value != "204"]
        assert not complaints(found), f"{which}: {found}"
        assert found["rtcp.app.subtype"] == sorted(subtypes), f"{which}: {found}"
        assert found["rtcp.app.name"] == ["LTCP"] * len(subtypes), f"{which}: {found}"
        assert found["rtcp.length_check"], f"{which}: {found}"
        assert found["rtp.seq"] == sequences, f"{which}: {found}"
        assert protecting + found["rtp.csrc.item"] == parity, f"{which}: {found}"
        assert others == reports, f"{which}: {found}"
        print(f"{which}: {len(subtypes)} control messages, {len(sequences)} RTP packets")

    found = read(capture(program, "broken", folder))
    assert complaints(found), f"a wrong RTCP length went unnoticed, so nothing would be: {found}"


def main():
    for tool in ("tshark", "text2pcap"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed (Debian package: tshark)")
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1], folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
