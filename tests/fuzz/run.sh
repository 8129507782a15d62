#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs every libFuzzer program for the same time, two at a time, each from its corpus and from one
# seed, and prints a table: executions, coverage (edges of the instrumented code), inputs. New
# inputs stay in build/fuzz/corpus, and are used the next time.
#
# usage: tests/fuzz/run.sh FOLDER SECONDS [JOBS]
#   FOLDER has the programs fuzz-*
set -euo pipefail
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
seconds=$2
jobs=${3:-2}
found=$folder/../../corpus
logs=$folder/../../logs
mkdir -p "$found" "$logs"
logs=$(cd "$logs" && pwd)
found=$(cd "$found" && pwd)

run_one() {
    local program=$1 name=${1##*/fuzz-}
    mkdir -p "$found/$name"
    if "$program" -seed=1 "-max_total_time=$seconds" -print_final_stats=1 -max_len=8192 \
        "-artifact_prefix=$logs/crash-$name-" "$found/$name" "corpus/$name" \
        >"$logs/$name.log" 2>&1 </dev/null; then
        echo passed >"$logs/$name.result"
    else
        echo FAILED >"$logs/$name.result"
    fi
}

programs=("$folder"/fuzz-*)
if [ ! -x "${programs[0]}" ]; then
    echo "fuzz: no programs fuzz-* in $folder; build them with: cmake --build --preset fuzz" >&2
    exit 1
fi
rm -f "$logs"/*.result "$logs"/*.log
for program in "${programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    run_one "$program" &
done
wait

failed=0
printf '%-14s %12s %10s %10s  %s\n' target executions coverage inputs result
for program in "${programs[@]}"; do
    name=${program##*/fuzz-}
    result=$(cat "$logs/$name.result" 2>/dev/null || echo FAILED)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$name.log")
    last=$(grep -E '^#[0-9]+.* cov: ' "$logs/$name.log" | tail -1 || true)
    coverage=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' <<<"$last")
    inputs=$(sed -n 's|.* corp: \([0-9]*\).*|\1|p' <<<"$last")
    printf '%-14s %12s %10s %10s  %s\n' "$name" "${executions:--}" "${coverage:--}" \
        "${inputs:--}" "$result"
    if [ "$result" != passed ]; then
        failed=1
        tail -40 "$logs/$name.log" >&2
        echo "fuzz: $name failed; the input is $logs/crash-$name-*" >&2
    fi
done
exit $failed
