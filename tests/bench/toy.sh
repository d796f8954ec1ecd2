# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # of system.sh
# Sourced by system.sh: the cost of the bare datagrams of an idle cluster
# (tests/bench/scale/toy.c), as often and as large as electd's, without
# elections.

FAULTS=

toy_prepare() {
    heartbeat=$HEARTBEAT
}

toy_start() {
    local toy=$BUILD/tests/bench/scale/toy bytes=127 port=7420

    if [ "$1" != "$hosts_count" ]; then
        run "$1" "$toy" answer "$bytes" "$port"
    else
        run "$1" "$toy" beat "$bytes" $((heartbeat_ns / 1000000)) "$port" \
            198.18.0.{1..4}
    fi
    echo "{\"event\":\"leader\",\"term\":1,\"leader\":$hosts_count," \
        "\"self\":$1,\"mono_ns\":$("$kill9")}" >"$cluster/events"
}
