# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # of system.sh
# Sourced by system.sh: etcd, whose log tells of the leader.

etcd_prepare() {
    local host fd

    heartbeat=100ms etcd_timing=()
    if [ "$system" = etcd-fast ]; then
        heartbeat=2ms
        etcd_timing=(--heartbeat-interval 2 --election-timeout 10)
    fi
    members=
    for host in $hosts; do
        members+=",host$host=http://198.18.0.$host:2380"
        # Held open: the teller's input does not end when etcd does.
        mkfifo "$cluster/said.$host"
        exec {fd}<>"$cluster/said.$host"
        "$BUILD/tests/bench/tell" raft "$host" \
            <"$cluster/said.$host" >"$cluster/events" &
        helper+=($!)
    done
}

etcd_start() {
    local here=http://198.18.0.$1

    run "$1" etcd --name "host$1" --data-dir "$cluster/state/$1" \
        --listen-peer-urls "$here:2380" --listen-client-urls "$here:2379" \
        --initial-advertise-peer-urls "$here:2380" \
        --advertise-client-urls "$here:2379" \
        --initial-cluster "${members#,}" "${etcd_timing[@]}"
}

etcd_aims() {
    case $1 in
    kill | stop | term) aim=("$1" "$2" "$(processes "$2")") ;;
    *) return 1 ;;
    esac
}
