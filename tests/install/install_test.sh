#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs a build into a new prefix, moves the prefix (packages are relocatable), and builds and
# runs a small program against it: once through find_package(), once through pkg-config.
#
# usage: install_test.sh BUILD-DIR LIBDIR CC
set -euo pipefail

build=$1 libdir=$2 cc=$3
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH

fail() {
    echo "install test: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$work/first" >"$work/log" || {
    cat "$work/log"
    fail "cmake --install failed"
}
prefix=$work/prefix
mv "$work/first" "$prefix"
export LD_LIBRARY_PATH=$prefix/$libdir

for file in include/livetcp/livetcp.h include/livetcp/version.h "$libdir/liblivetcp.so" \
    "$libdir/pkgconfig/livetcp.pc" "$libdir/cmake/livetcp/livetcpConfig.cmake"; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
if grep -rIl -e "$work/first" -e "$build" "$prefix" | grep .; then
    fail "the files above name the place where they were built or first installed"
fi
if [ -e "$prefix/bin/livetcp" ]; then
    "$prefix/bin/livetcp" --version >"$work/log" || fail "the installed livetcp does not run"
fi

plugins=$prefix/$libdir/gstreamer-1.0
if [ -d "$plugins" ]; then
    for element in livetcpsink livetcpsrc; do
        # Our plugin alone, without the system's: no long scan.
        GST_PLUGIN_SYSTEM_PATH='' GST_PLUGIN_PATH=$plugins GST_REGISTRY=$work/registry \
            gst-inspect-1.0 "$element" >"$work/log" || fail "the installed $element does not load"
    done
fi

echo "== find_package(livetcp)"
cmake -S "$consumer" -B "$work/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
    --log-level=WARNING
cmake --build "$work/cmake" >"$work/log" || {
    cat "$work/log"
    fail "a program that uses find_package(livetcp) does not build"
}
"$work/cmake/consumer"

echo "== pkg-config livetcp"
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
pkg-config --validate livetcp
read -ra flags <<<"$(pkg-config --cflags --libs livetcp)"
"$cc" -o "$work/consumer" "$consumer/consumer.c" "${flags[@]}"
"$work/consumer"

version=$(pkg-config --modversion livetcp)
"$work/consumer" | grep -q "^$version:" || fail "livetcp.pc and version.h disagree"

# The models are optional (LIVETCP_MODEL).
if [ -e "$prefix/$libdir/pkgconfig/livetcp-model.pc" ]; then
    echo "== livetcp::model and pkg-config livetcp-model"
    [ -x "$work/cmake/model" ] || fail "find_package(livetcp) does not offer livetcp::model"
    "$work/cmake/model"
    pkg-config --validate livetcp-model
    read -ra flags <<<"$(pkg-config --cflags --libs livetcp-model)"
    "$cc" -o "$work/model" "$consumer/model.c" "${flags[@]}"
    "$work/model"
fi
