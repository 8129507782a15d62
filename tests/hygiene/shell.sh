#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs shellcheck over every shell script of the tree; exit code 77 where it is not installed.
set -eu
cd "$(dirname "$0")/../.."

if ! command -v shellcheck >/dev/null; then
    echo "shellcheck is not installed"
    exit 77
fi
# shellcheck disable=SC2046 # no script has a space in its name
exec shellcheck $(grep -rlE '^#!.*[/ ](ba|da)?sh$' .ci script tests)
