#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs a build as a packager does (DESTDIR), under a prefix whose name has spaces, and moves it to
# another. The command and the elements find their library in both places, and are found again after a
# time without it; a small program is built against it and run:
# once through find_package(), once through pkg-config. Works with shared and static libraries.
#
# usage: install_test.sh BUILD-DIR LIBDIR CC
set -euo pipefail

build=$1 libdir=$2 cc=$3
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
work=$(mktemp -d)
# The list of what the user has installed from this build stays his.
manifest=$build/install_manifest.txt
if [ -e "$manifest" ]; then cp "$manifest" "$work/manifest"; fi
restore() {
    rm -f "$manifest"
    if [ -e "$work/manifest" ]; then cp "$work/manifest" "$manifest"; fi
    rm -rf "$work"
}
trap restore EXIT
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH

fail() {
    echo "install test: $*" >&2
    exit 1
}

first='/opt/first place'
install_to_stage() {
    DESTDIR=$work/stage cmake --install "$build" --prefix "$first" >"$work/log" || {
        cat "$work/log"
        fail "cmake --install failed"
    }
}

inspect() { # PREFIX ELEMENT: our plugin alone, without the system's, so no long scan
    GST_PLUGIN_SYSTEM_PATH='' GST_PLUGIN_PATH=$1/$libdir/gstreamer-1.0 GST_REGISTRY=$work/registry \
        gst-inspect-1.0 "$2" >"$work/log" 2>&1
}

# The command and the elements in PREFIX find their library by their own place.
check_programs() { # PREFIX
    local file element
    for file in "$1/bin/livetcp" "$1/$libdir/gstreamer-1.0/libgstlivetcp.so"; do
        if [ -e "$file" ] && [ -e "$1/$libdir/liblivetcp.so" ]; then
            # shellcheck disable=SC2016 # the loader expands it
            readelf -d "$file" | grep 'R.*PATH.*\[$ORIGIN' >/dev/null || fail "$file has no RUNPATH by \$ORIGIN"
        fi
    done
    if [ -e "$1/bin/livetcp" ]; then
        "$1/bin/livetcp" --version >"$work/log" || fail "livetcp does not run in $1"
    fi
    if [ -d "$1/$libdir/gstreamer-1.0" ]; then
        for element in livetcpsink livetcpsrc livetcpplayout; do
            inspect "$1" $element || {
                cat "$work/log"
                fail "$element does not load in $1"
            }
        done
    fi
}

install_to_stage
staged=$work/stage$first
check_programs "$staged"

# GStreamer remembers a plugin that once did not load. Installing again is what people do about it.
if [ -d "$staged/$libdir/gstreamer-1.0" ] && [ -e "$staged/$libdir/liblivetcp.so" ]; then
    # As old as cmake leaves it, which then finds it up to date.
    touch -r "$build/plugins/gst/libgstlivetcp.so" "$staged/$libdir/gstreamer-1.0/libgstlivetcp.so"
    rm "$staged/$libdir"/liblivetcp.so* "$work/registry"
    if inspect "$staged" livetcpsink; then fail "livetcpsink loads without its library"; fi
    install_to_stage
    inspect "$staged" livetcpsink || fail "GStreamer still remembers that livetcpsink did not load"
fi

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
check_programs "$prefix"
if [ -e "$prefix/bin/livetcp" ]; then
    # The documents that its messages name are where its help says.
    "$prefix/bin/livetcp" --help >"$work/log"
    documents=$(sed -n 's/^Documents that messages name, .*: //p' "$work/log")
    [ -n "$documents" ] || fail "livetcp --help does not say where the documents are"
    named=$(strings "$prefix/bin/livetcp" | grep -oE 'docs/[a-z/-]+\.md' | sort -u)
    [ -n "$named" ] || fail "no message names a document: this test looks for none"
    for file in $named; do
        [ -e "$documents/$file" ] || fail "$file was not installed, and a message names it"
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

echo "== samples"
cmake -S "$prefix/share/doc/livetcp/samples" -B "$work/samples" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING
cmake --build "$work/samples" >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "the installed samples do not build against the installed library"
}
for sample in "$prefix"/share/doc/livetcp/samples/*.c; do
    name=$(basename "$sample" .c)
    [ -x "$work/samples/$name" ] || ! grep -q 'LIVETCP_HAS_IO 1' "$prefix/include/livetcp/version.h" ||
        fail "the sample $name was not built"
    [ ! -x "$work/samples/$name" ] || ! run "$work/samples/$name" 2>"$work/log" ||
        fail "$name without arguments does not fail"
done
grep -q usage "$work/log" || fail "a sample without arguments does not say how it is used"

# The models are optional (LIVETCP_MODEL).
if [ -e "$prefix/$libdir/pkgconfig/livetcp-model.pc" ]; then
    echo "== livetcp::model and pkg-config $static livetcp-model"
    [ -x "$work/cmake/model" ] || fail "find_package(livetcp) does not offer livetcp::model"
    run "$work/cmake/model"
    build_by_pkg_config livetcp-model "$consumer/model.c" "$work/model"
    run "$work/model"
    cmake -S "$consumer" -B "$work/components" -DCMAKE_C_COMPILER="$cc" -DCOMPONENTS=model \
        -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING
elif cmake -S "$consumer" -B "$work/components" -DCMAKE_C_COMPILER="$cc" -DCOMPONENTS=model \
    -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1; then
    fail "find_package(livetcp COMPONENTS model) finds what is not there"
elif ! grep -q "LIVETCP_MODEL=ON" "$work/log"; then
    cat "$work/log"
    fail "find_package() does not say that LiveTCP was built without the models"
fi
if cmake -S "$consumer" -B "$work/components" -DCMAKE_C_COMPILER="$cc" -DCOMPONENTS=no-such \
    -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1; then
    fail "find_package() finds a component that does not exist"
fi

echo "== pkg-config $static livetcp-uninstalled"
export PKG_CONFIG_PATH=$build
unset LD_LIBRARY_PATH
build_by_pkg_config livetcp "$consumer/consumer.c" "$work/uninstalled"
pkg-config --uninstalled livetcp || fail "pkg-config does not take livetcp-uninstalled.pc"
run "$work/uninstalled"
if [ -e "$build/livetcp-model-uninstalled.pc" ]; then
    build_by_pkg_config livetcp-model "$consumer/model.c" "$work/uninstalled"
    run "$work/uninstalled"
fi

echo "== uninstall"
mkdir -p "$work/stage$first"
rmdir "$work/stage$first"
mv "$prefix" "$work/stage$first"
touch "$work/stage$first/include/somebody-elses.h"
DESTDIR=$work/stage cmake --build "$build" --target uninstall >"$work/log" || {
    cat "$work/log"
    fail "uninstall failed"
}
left=$(cd "$work/stage$first" && find . ! -type d)
[ "$left" = ./include/somebody-elses.h ] || fail "uninstall has left $left"
left=$(find "$work/stage$first" -name '*livetcp*')
[ -z "$left" ] || fail "uninstall has left the folders $left"
if DESTDIR=$work/stage cmake --build "$build" --target uninstall >"$work/log" 2>&1; then
    fail "what is not installed can be uninstalled"
fi
tr -s '\n ' '  ' <"$work/log" | grep -q "nothing was installed" || fail "it is not said that nothing is installed"
