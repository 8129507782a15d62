#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the library and the samples in another way than the build at hand, briefly (unoptimised,
# without tests, with ccache where there is one), and checks what came of it.
#
#   static  BUILD_SHARED_LIBS=OFF: install_test.sh passes with the static libraries
#   no-io   LIVETCP_IO=OFF: neither libuv nor a socket in the library, and no word of it installed
#   no-lab  LIVETCP_LAB=OFF: nothing of the lab is compiled, and the elements are
#   no-srt  LIVETCP_SRT=OFF: the command does not need libsrt, and says so when srt:// is asked for
#
# usage: variant_test.sh BUILD-DIR VARIANT CC LIBDIR
#   BUILD-DIR is kept, so that the next run only builds what has changed.
set -euo pipefail

build=$1 variant=$2 cc=$3 libdir=$4
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
unset DESTDIR

fail() {
    echo "variant test: $variant: $*" >&2
    exit 1
}

options=(-DLIVETCP_TESTS=OFF -DLIVETCP_DEMO=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$cc"
    -DCMAKE_INSTALL_LIBDIR="$libdir")
case $variant in
static) options+=(-DBUILD_SHARED_LIBS=OFF -DLIVETCP_TOOL=OFF -DLIVETCP_GSTREAMER=OFF) ;;
no-io) options+=(-DBUILD_SHARED_LIBS=OFF -DLIVETCP_IO=OFF) ;;
no-lab) options+=(-DLIVETCP_LAB=OFF) ;;
no-srt) options+=(-DLIVETCP_SRT=OFF -DLIVETCP_MODEL=OFF -DLIVETCP_GSTREAMER=OFF
    -DLIVETCP_SAMPLES=OFF) ;;
*) fail "there is no such variant" ;;
esac
if command -v ninja >/dev/null; then options+=(-G Ninja); fi
if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
    # The variants, and the checkouts of one machine, compile the same files.
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$source} CCACHE_NOHASHDIR=1
fi

mkdir -p "$build"
configure_and_build() {
    cmake -S "$source" -B "$build" "${options[@]}" &&
        cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)"
}
if ! configure_and_build >"$build/log" 2>&1; then
    tail -n 50 "$build/log"
    fail "it does not build"
fi

# What was compiled, less the sources' own folder, whose name may be anything.
compiled() {
    sed -n "s#^ *\"file\": \"$source/##p" "$build/compile_commands.json"
}

case $variant in
static)
    "$here/install_test.sh" "$build" "$libdir" "$cc"
    ;;
no-io)
    grep -q 'LIVETCP_IO=OFF leaves out' "$build/log" || fail "it is not said what is left out"
    python3 "$source/tests/hygiene/sans_io.py" "$build/src/liblivetcp.a"
    if compiled | grep -E '^(src/(io|platform|lab|tool)|plugins|demo)/'; then
        fail "the files above were compiled"
    fi
    "$here/install_test.sh" "$build" "$libdir" "$cc"
    if grep -n 'libuv' "$build/livetcp.pc"; then fail "livetcp.pc names libuv"; fi
    if nm "$build/samples/own_transport" | grep ' [A-Za-z] uv_'; then fail "the sample uses libuv"; fi
    ;;
no-lab)
    if compiled | grep -E '^src/(lab|tool)/'; then fail "the files above were compiled"; fi
    compiled | grep '^src/io/' >/dev/null || fail "io is missing"
    if grep -rE 'jansson|popt|cxsparse' "$build/build.ninja" "$build/Makefile" 2>/dev/null; then
        fail "it needs what only the lab needs"
    fi
    ;;
no-srt)
    if compiled | grep 'srt_end'; then fail "the file above was compiled"; fi
    livetcp=$build/src/tool/livetcp
    if ldd "$livetcp" | grep -i 'libsrt'; then fail "it is linked with libsrt"; fi
    code=0
    "$livetcp" relay srt://127.0.0.1:9000 udp://127.0.0.1:9 >"$build/said" 2>&1 || code=$?
    [ "$code" = 2 ] || fail "srt:// ends with $code and not 2: $(cat "$build/said")"
    grep -q 'srt://: this livetcp was built without libsrt (Debian: ' "$build/said" ||
        fail "srt:// says: $(cat "$build/said")"
    ;;
esac
