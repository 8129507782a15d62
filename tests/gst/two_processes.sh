#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A sending and a receiving gst-launch-1.0: every RTP packet of a real programme must arrive, in
# order and unchanged, and decode.
#
# usage: two_processes.sh video|audio [livetcp|livetcp+ws|livetcp+wss]
set -euo pipefail

export GST_REGISTRY_FORK=no
work=$(mktemp -d)
children=()
cleanup() {
    for child in "${children[@]}"; do
        kill "$child" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap cleanup EXIT

launch() { LD_PRELOAD="$LIVETCP_PRELOAD" exec gst-launch-1.0 -q "$@"; }
fail() {
    echo "$*"
    tail -n 40 "$work"/*.log
    exit 1
}

case $1 in
video)
    encode=(videotestsrc num-buffers=150 is-live=true ! "video/x-raw,width=320,height=240,framerate=50/1"
        ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=2000 key-int-max=25 ! rtph264pay)
    decode=(rtph264depay ! avdec_h264 ! "video/x-raw,format=I420")
    unit=$((320 * 240 * 3 / 2)) # bytes of a frame
    least=140
    ;;
audio)
    encode=(audiotestsrc num-buffers=150 is-live=true samplesperbuffer=960 ! "audio/x-raw,rate=48000,channels=1"
        ! opusenc frame-size=20 ! rtpopuspay)
    decode=(rtpopusdepay ! opusdec ! audioconvert ! "audio/x-raw,format=S16LE,channels=1,rate=48000")
    unit=$((960 * 2))
    least=145
    ;;
*)
    echo "usage: $0 video|audio [livetcp|livetcp+ws|livetcp+wss]" >&2
    exit 2
    ;;
esac
scheme=${2:-livetcp}
listens="" calls=""
if [ "$scheme" = livetcp+wss ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$work/key.pem" -out "$work/cert.pem" \
        >"$work/openssl.log" 2>&1 || fail "no certificate was made"
    listens="&tls-cert=$work/cert.pem&tls-key=$work/key.pem"
    calls="&tls-ca=$work/cert.pem&tls-name=localhost"
fi

# A port nobody has; the sender calls until the receiver is there.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Both sides write down the packets as RFC 4571 frames.
launch livetcpsrc uri="$scheme://127.0.0.1:$port?mode=listener&order=sequence&order-wait=20000$listens" ! tee name=t \
    t. ! queue ! rtpstreampay ! filesink location="$work/received.rtp" \
    t. ! queue ! "${decode[@]}" ! filesink location="$work/decoded.raw" \
    >"$work/receiver.log" 2>&1 &
receiver=$!
children+=("$receiver")
launch "${encode[@]}" ! tee name=t \
    t. ! queue ! rtpstreampay ! filesink location="$work/sent.rtp" \
    t. ! queue ! livetcpsink uri="$scheme://127.0.0.1:$port?drain-timeout=20000$calls" \
    >"$work/sender.log" 2>&1 &
sender=$!
children+=("$sender")

wait "$sender" || fail "the sender failed"
wait "$receiver" || fail "the receiver failed" # it ends because the sender said goodbye
children=()

[ -s "$work/sent.rtp" ] || fail "nothing was sent"
cmp "$work/sent.rtp" "$work/received.rtp" || fail "the packets differ"
units=$(($(stat -c %s "$work/decoded.raw") / unit))
[ "$units" -ge "$least" ] || fail "only $units of 150 frames were decoded"
echo "$(stat -c %s "$work/sent.rtp") bytes of RTP arrived unchanged; $units of 150 frames decoded"
