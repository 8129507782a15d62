#!/bin/sh
# SPDX-License-Identifier: MIT
# livetcp-relay@.service: systemd takes it as it is, and its programs have few rights.
# usage: service_test.sh SERVICE LIVETCP
set -eu
command -v systemd-analyze > /dev/null || { echo "skipped: there is no systemd-analyze"; exit 77; }
# Exposure in tenths: without the hardening it is 96, with all of it 13.
MOST=20

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unit="$folder/livetcp-relay@test.service"
# The command is where it is built; everything else is as installed.
sed "s|^ExecStart=[^ ]*|ExecStart=$2|" "$1" > "$unit"
grep -q "^ExecStart=$2 relay --config=" "$unit"

systemd-analyze verify "$unit" > "$folder/said" 2>&1 ||
  { cat "$folder/said"; echo "systemd-analyze verify refuses the unit"; exit 1; }
if grep "livetcp-relay@test" "$folder/said"; then
  echo "systemd-analyze verify has something to say about the unit"
  exit 1
fi
systemd-analyze --help | grep -q -- --offline || { echo "skipped: systemd is older than 250"; exit 77; }
systemd-analyze security --offline=true --no-pager --threshold=$MOST "$unit" > "$folder/said" 2>&1 ||
  { cat "$folder/said"; echo "the unit is exposed more than $MOST"; exit 1; }
tail -1 "$folder/said"
