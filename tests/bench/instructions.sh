#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Instructions that the engine executes per packet, both ends together: a measure of its cost that
# is the same on a busy machine and at every run. valgrind counts them while bench-engine-cost runs.
#
# usage: tests/bench/instructions.sh [PROGRAM [SECONDS]]
#   PROGRAM  default: build/dev/tests/bench/bench-engine-cost, of an optimised build with debug
#            information (the preset dev)
#   SECONDS  of virtual time, default: 60
#
# Counted is what the compiler made of the files in src/, but for src/lab/emulate, which is the path. Not
# counted is what they call in libraries (memcpy, malloc, OpenSSL).
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/dev/tests/bench/bench-engine-cost}
seconds=${2:-60}

if ! command -v valgrind >/dev/null || ! command -v callgrind_annotate >/dev/null; then
    echo "instructions: valgrind is not installed" >&2
    exit 77
fi
if [ ! -x "$program" ]; then
    echo "instructions: there is no $program; build it, or name another" >&2
    exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packets=$(valgrind --tool=callgrind --callgrind-out-file="$work/out" --log-file="$work/log" \
    "$program" "$seconds") || {
    cat "$work/log" >&2
    exit 1
}
packets=${packets%% *}

# Lines such as "1,234 (5.67%)  ../../src/core/window.c:lt_window_take [/path/of/program]".
callgrind_annotate --threshold=100 --auto=no --inclusive=no "$work/out" >"$work/functions"
awk -v packets="$packets" -v root="$root" '
    $1 ~ /^[0-9,]+$/ {
        cost = $1
        gsub(/,/, "", cost)
        if (/PROGRAM TOTALS/) {
            total = cost
            next
        }
        file = $0
        sub(/^ *[0-9,]+ +(\( *[0-9.]+%\) +)?/, "", file)
        sub(/:.*/, "", file)
        if (index(file, root "/") == 1)
            file = substr(file, length(root) + 2)
        sub(/^.*\.\.\//, "", file)
        if (file !~ /^src\// || file ~ /^src\/lab\//)
            next
        cost_of[file] += cost
        sum += cost
    }
    END {
        if (!sum || !packets) {
            print "instructions: nothing of src/ was found; is there debug information?" \
                > "/dev/stderr"
            exit 1
        }
        for (file in cost_of)
            printf "%10.1f  %s\n", cost_of[file] / packets, file | "sort -k1,1rn -k2"
        close("sort -k1,1rn -k2")
        printf "%d packets, %.0f instructions, of these %.0f in src/: %.1f per packet\n",
            packets, total, sum, sum / packets
    }' "$work/functions"
