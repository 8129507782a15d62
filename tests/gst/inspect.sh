#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# gst-inspect-1.0 finds the elements in the build tree, and says what a user looks for.
set -euo pipefail

# One process: a scanner of its own would be checked for the leaks of every plugin there is.
export GST_REGISTRY_FORK=no
inspect() { LD_PRELOAD="$LIVETCP_PRELOAD" ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" gst-inspect-1.0 "$@"; }

rm -f "$GST_REGISTRY"
failures=0
expect() { # ELEMENT TEXT
    if ! grep -qF -- "$2" <<<"${description[$1]}"; then
        echo "gst-inspect-1.0 $1 does not say: $2"
        failures=1
    fi
}

declare -A description
for element in livetcpsink livetcpsrc; do
    description[$element]=$(inspect "$element")
    for text in "MIT/X11" "application/x-rtp" "GstURIHandler" "livetcp" \
        "Range: 1 - 32 Default: 8" "TCP connections of the session" "GstLiveTcpMode" "GstLiveTcpWire" "GstLiveTcpRtcp" \
        "changeable only in NULL or READY state" "(ms)" "(bytes)" "bound-port" "last-error" \
        "stats-update-interval" '"caller-added"' '"caller-removed"' '"caller-connecting"'; do
        expect "$element" "$text"
    done
done
expect livetcpsink "Sink/Network"
expect livetcpsink "wait-for-connection"
for text in "Default: \"auto\"" "shortest-queue" "round-robin" "(bit/s)" \
    "changeable in NULL, READY, PAUSED or PLAYING state"; do
    expect livetcpsink "$text"
done
expect livetcpsink "estimated-bitrate"
expect livetcpsink "GstLiveTcpLeaky"
expect livetcpsink "error-on-loss"
expect livetcpsink "burst-on-join"
expect livetcpsrc "Source/Network"
expect livetcpsrc "GstLiveTcpOrder"
expect livetcpsrc "keep-listening"
expect livetcpsrc "Default: 2, \"auto\""
expect livetcpsrc "SRC template: 'rtcp_src'"
expect livetcpsrc "rtcp-mux"
description[livetcpplayout]=$(inspect livetcpplayout)
for text in "MIT/X11" "application/x-rtp" "Filter/Network/RTP" "stats-update-interval"; do
    expect livetcpplayout "$text"
done
for element in livetcpsrc livetcpplayout; do
    for text in "GstLiveTcpPlayoutMode" "policy-aware" "min-latency" "max-latency" "do-lost" \
        "(advanced)" "Unsigned Integer. Range: 0 - 3600000 Default: 100"; do
        expect "$element" "$text"
    done
done
expect livetcpplayout "Default: 3, \"adaptive\""
expect livetcpsrc "Default: 0, \"none\""
refuse() { # ELEMENT PROPERTY
    if grep -q "^  $2 " <<<"${description[$1]}"; then
        echo "$1 has a property that it cannot use: $2"
        failures=1
    fi
}
refuse livetcpsink order-wait
for property in policy copies parity-group max-send-delay tail-probes estimated-bitrate-max; do
    refuse livetcpsrc "$property"
done
exit "$failures"
