#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Configures the tree with one thing hidden after the other, and with all of them: the message names
# the thing, the part that needs it, its package and the option that builds without it; and with that
# option the configuration passes.
#
# usage: needs_test.sh CC
set -euo pipefail

cc=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "needs test: $*" >&2
    cat "$work/log" >&2
    exit 1
}

# A pkg-config that does not know the modules in $HIDDEN_MODULES.
cat >"$work/pkg-config" <<'END'
#!/bin/sh
for argument; do
    for hidden in $HIDDEN_MODULES; do
        case $argument in "$hidden" | "$hidden>"* | "$hidden "*) exit 1 ;; esac
    done
done
exec pkg-config "$@"
END
chmod +x "$work/pkg-config"

configure() { # OPTION...
    rm -rf "$work/build"
    cmake -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DLIVETCP_TESTS=OFF \
        -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" "$@" >"$work/log" 2>&1
}

# The message, without the line breaks that CMake adds.
says() { # TEXT
    tr -s '\n ' '  ' <"$work/log" | grep -qF -- "$1"
}

refuses() { # NAME PACKAGE OPTION [CMAKE-OPTION...]
    local name=$1 package=$2 option=$3
    shift 3
    echo "== without $name"
    ! configure "$@" || fail "it is configured without $name"
    says "This build lacks" || fail "the message is not ours"
    says "$name" || fail "the message does not name $name"
    says "(Debian: $package)" || fail "the message does not name the package $package"
    says "apt-get install $package" || fail "the message has no command for $package alone"
    if [ -n "$option" ]; then
        says "build without: -D$option=OFF" || fail "the message does not name $option"
        configure "$@" "-D$option=OFF" || fail "it is not configured with $option=OFF"
    fi
}

export HIDDEN_MODULES=
configure || fail "it is not configured with everything there"
refuses "OpenSSL 3.0" libssl-dev "" -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON
refuses pkg-config pkg-config "" -DPKG_CONFIG_EXECUTABLE="$(command -v false)"
refuses CXSparse libsuitesparse-dev LIVETCP_MODEL -DCXSPARSE_LIBRARY=
refuses CXSparse libsuitesparse-dev LIVETCP_MODEL -DCXSPARSE_INCLUDE_DIR=
HIDDEN_MODULES=libuv refuses "libuv>=1.44" libuv1-dev LIVETCP_IO
HIDDEN_MODULES=jansson refuses jansson libjansson-dev LIVETCP_IO
refuses wslay libwslay-dev LIVETCP_IO -DWSLAY_LIBRARY=
HIDDEN_MODULES=popt refuses popt libpopt-dev LIVETCP_TOOL
HIDDEN_MODULES=libmnl refuses libmnl libmnl-dev LIVETCP_TOOL
HIDDEN_MODULES=gio-2.0 refuses gio-2.0 libglib2.0-dev LIVETCP_GSTREAMER
HIDDEN_MODULES=gstreamer-base-1.0 refuses "gstreamer-base-1.0>=1.22" libgstreamer1.0-dev \
    LIVETCP_GSTREAMER
HIDDEN_MODULES=gstreamer-rtp-1.0 refuses "gstreamer-rtp-1.0>=1.22" libgstreamer-plugins-base1.0-dev \
    LIVETCP_GSTREAMER
HIDDEN_MODULES=gstreamer-1.0 refuses "gstreamer-1.0>=1.22" libgstreamer1.0-dev LIVETCP_DEMO

echo "== without several"
! HIDDEN_MODULES="libuv popt libmnl" configure -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON ||
    fail "it is configured"
says "apt-get install libssl-dev libuv1-dev libpopt-dev libmnl-dev" || fail "not all are named"

echo "== without what the tests need"
for name in Catch2 Python3; do
    configure -DLIVETCP_TESTS=ON "-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON" ||
        fail "it is not configured without $name"
    says "The tests are left out; they need ${name%3} " || fail "it is not said that $name is missing"
done
CXX=/nonexistent/c++ configure -DLIVETCP_TESTS=ON || fail "it is not configured without a C++ compiler"
says "The tests are left out; they need a C++ compiler (Debian: g++)" ||
    fail "it is not said that a C++ compiler is missing"
