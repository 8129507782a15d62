#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the engine (LIVETCP_IO=OFF) and its unit and scenario tests for Windows with mingw-w64, and
# runs each test program under wine. script/test --windows calls it.
#
# It covers the unit tests of base, rtp, wire, policy, settings, engine and playout, and the scenario
# tests with their transcript; not the tests of failing allocations, nor sockets, elements or tools.
#
# Debian has no libcrypto for Windows. The real one comes from a wheel of PyPI that brings OpenSSL 3
# as a DLL (psycopg-binary; pinned, and checked by its hash), the headers from libssl-dev:
# src/wire/proof.c uses EVP alone, whose types are the same on both systems. Only tests do this.
#
# usage: run.sh JOBS [CMAKE-OPTION...]
set -euo pipefail
cd "$(dirname "$0")/../.."

jobs=$1
shift
root=$PWD
needs=$root/build/windows-needs
wheel='psycopg-binary==3.2.12'
wheel_hash='sha256:f33c9e12ed05e579b7fb3c8fdb10a165f41459394b8eb113e7c377b2bd027f61'

fetch_libcrypto() {
    local folder=$needs/wheel
    mkdir -p "$folder" "$needs/lib"
    echo "$wheel --hash=$wheel_hash" >"$folder/requirements.txt"
    python3 -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps \
        --only-binary=:all: --platform win_amd64 --python-version 3.11 --dest "$folder" \
        --requirement "$folder/requirements.txt"
    # Under the name by which programs that were linked with it ask for it.
    python3 - "$folder" "$needs/lib" <<'EOF'
import pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if "/libcrypto-3" in name:
            pathlib.Path(sys.argv[2], "libcrypto-3-x64.dll").write_bytes(archive.read(name))
EOF
}

# Debian's headers that serve any system, apart from those that serve Linux only.
copy_headers() {
    mkdir -p "$needs/include" "$needs/lib/cmake/Catch2"
    cp -r /usr/include/openssl /usr/include/catch2 "$needs/include/"
    cp -r "/usr/include/$(gcc -print-multiarch)/openssl/." "$needs/include/openssl/"
    cp /usr/lib/cmake/Catch2/Catch.cmake /usr/lib/cmake/Catch2/CatchAddTests.cmake \
        "$needs/lib/cmake/Catch2/"
    # Debian's own names a library for Linux; tests/catch_main.cc takes its place.
    cat >"$needs/lib/cmake/Catch2/Catch2Config.cmake" <<'EOF'
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
add_library(Catch2::Catch2 INTERFACE IMPORTED)
set_target_properties(Catch2::Catch2 PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES ${LIVETCP_WINDOWS}/include)
EOF
}

libcrypto=$needs/lib/libcrypto-3-x64.dll
if [ ! -e "$libcrypto" ]; then fetch_libcrypto; fi
if [ ! -e "$needs/lib/cmake/Catch2/Catch2Config.cmake" ]; then copy_headers; fi

wine=$(PATH=$PATH:/usr/lib/wine command -v wine || PATH=$PATH:/usr/lib/wine command -v wine64) || {
    echo "test: wine is not installed (Debian: wine64)" >&2
    exit 1
}
export WINEDEBUG=-all WINEPREFIX=$root/build/wine WINEPATH="Z:${needs//\//\\}\\lib"

printf '\n== Building (windows)\n'
# Plain: no debugging information, with which GNU ld takes twice as long.
cmake -S . -B build/windows -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/mingw-w64.cmake" \
    -DLIVETCP_WINDOWS="$needs" -DLIB_EAY="$libcrypto" -DCMAKE_BUILD_TYPE=Plain \
    -DLIVETCP_IO=OFF -DLIVETCP_SAMPLES=OFF -DBUILD_SHARED_LIBS=OFF "$@" --log-level=WARNING
cmake --build build/windows --parallel "$jobs"

# Programs as a whole: wine takes longer to start than most test cases to run.
# The tests of failing allocations reroute malloc(); linked statically, the C++ library's allocations
# would be counted with the engine's, so they stay out.
printf '\n== Testing (windows)\n'
count=0
failed=()
while IFS= read -r program; do
    name=$(basename "$program" .exe)
    count=$((count + 1))
    if timeout 900 "$wine" "$program" >"$program.log" 2>&1 </dev/null; then
        echo "$name passed"
    else
        tail -n 60 "$program.log"
        echo "$name FAILED"
        failed+=("$name")
    fi
done < <(find build/windows/tests \( -name 'unit-*.exe' -o -name 'scenario*.exe' \) \
    ! -name '*-allocation.exe' | sort)
if [ "$count" -eq 0 ]; then failed+=("nothing was built"); fi
if [ ${#failed[@]} -gt 0 ]; then
    printf '\n%d test programs, and these failed under wine: %s\n' "$count" "${failed[*]}"
    exit 1
fi
printf '\nAll %d test programs passed under wine\n' "$count"
