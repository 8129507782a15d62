#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs a build as a packager does (DESTDIR) and moves it to a place whose name has spaces. The
# command and the elements find their library there; a small program is built against it and run:
# once through find_package(), once through pkg-config. Works with shared and static libraries.
#
# usage: install_test.sh BUILD-DIR LIBDIR CC
set -euo pipefail

build=$1 libdir=$2 cc=$3
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH

fail() {
    echo "install test: $*" >&2
    exit 1
}

first='/opt/first place'
DESTDIR=$work/stage cmake --install "$build" --prefix "$first" >"$work/log" || {
    cat "$work/log"
    fail "cmake --install failed"
}
prefix="$work/moved to here"
mv "$work/stage$first" "$prefix"

kind=static library=liblivetcp.a static=--static
if [ -e "$prefix/$libdir/liblivetcp.so" ]; then
    kind=shared library=liblivetcp.so static=
fi
for file in include/livetcp/livetcp.h include/livetcp/version.h "$libdir/$library" \
    "$libdir/pkgconfig/livetcp.pc" "$libdir/cmake/livetcp/livetcpConfig.cmake"; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
if grep -rIl -e "$first" -e "$build" "$prefix" | grep .; then
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

# Programs of somebody else's find the shared library as they find others: by the system's settings.
export LD_LIBRARY_PATH=$prefix/$libdir

# With the static library, a program must not look for a shared one.
run() {
    if [ "$kind" = static ] && readelf -d "$1" | grep 'NEEDED.*liblivetcp'; then
        fail "$1 needs a shared library of ours, though it was linked with the static one"
    fi
    "$1"
}

build_by_pkg_config() { # MODULE SOURCE PROGRAM
    local flags
    pkg-config --validate "$1"
    # pkg-config escapes the spaces of the prefix for a shell.
    eval "flags=($(pkg-config --cflags --libs $static "$1"))"
    "$cc" -o "$3" "$2" "${flags[@]}"
}

echo "== find_package(livetcp), $kind"
cmake -S "$consumer" -B "$work/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
    --log-level=WARNING
cmake --build "$work/cmake" >"$work/log" || {
    cat "$work/log"
    fail "a program that uses find_package(livetcp) does not build"
}
run "$work/cmake/consumer"

echo "== pkg-config $static livetcp"
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
build_by_pkg_config livetcp "$consumer/consumer.c" "$work/consumer"
run "$work/consumer"

version=$(pkg-config --modversion livetcp)
"$work/consumer" | grep -q "^$version:" || fail "livetcp.pc and version.h disagree"

# The models are optional (LIVETCP_MODEL).
if [ -e "$prefix/$libdir/pkgconfig/livetcp-model.pc" ]; then
    echo "== livetcp::model and pkg-config $static livetcp-model"
    [ -x "$work/cmake/model" ] || fail "find_package(livetcp) does not offer livetcp::model"
    run "$work/cmake/model"
    build_by_pkg_config livetcp-model "$consumer/model.c" "$work/model"
    run "$work/model"
fi
