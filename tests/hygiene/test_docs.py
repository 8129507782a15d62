#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants mistakes in a header's comments: script/docs must find each, and accept a good header."""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

GOOD = """/* SPDX-License-Identifier: MIT */
/* Things. */
#ifndef THING_H
#define THING_H

/* A thing. */
typedef struct livetcp_thing {
    int described; /* what it is */
    int plain;
} livetcp_thing;

/* Makes and unmakes it. */
LIVETCP_API int livetcp_thing_make(livetcp_thing *thing);
LIVETCP_API int livetcp_thing_unmake(livetcp_thing *thing);

/* A limit. */
#define LIVETCP_THING_LIMIT 7

#endif
"""

# What is planted, by what it replaces, and words of the message.
MISTAKES = [
    ("/* Makes and unmakes it. */\n", "", "livetcp_thing_make"),
    ("LIVETCP_API int livetcp_thing_unmake", "\nLIVETCP_API int livetcp_thing_unmake",
     "livetcp_thing_unmake"),
    ("/* A thing. */\n", "", "livetcp_thing is not documented"),
    ("/* A limit. */\n", "", "LIVETCP_THING_LIMIT"),
    ("/* Makes and unmakes it. */", "/* Makes it:\n *\n *     @nosuchcommand\n */", "nosuchcommand"),
]


def run(header):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "thing.h"), "w", encoding="utf-8") as stream:
            stream.write(header)
        done = subprocess.run([os.path.join(ROOT, "script", "docs"), "--headers", folder],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def main():
    if not shutil.which("doxygen"):
        print("SKIPPED: doxygen is not installed")
        return 77
    code, output = run(GOOD)
    assert code == 0, f"a good header is refused: {output}"
    for old, new, words in MISTAKES:
        assert GOOD.count(old) == 1
        code, output = run(GOOD.replace(old, new))
        assert code == 1 and words in output, f"{words}: exit code {code}: {output}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
