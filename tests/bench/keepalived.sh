# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # of system.sh
# Sourced by system.sh: keepalived, whose hosts follow the sender of the last
# advertisement that reached them. Its two processes suffer together, for the
# one that does the work is not the one that was started.

keepalived_prepare() {
    local host interval=1 fd

    heartbeat=${system#*-}
    [ "$heartbeat" = 1s ] || interval=0.01
    for host in $hosts; do
        cat >"$cluster/keepalived.$host.conf" <<EOF
global_defs { router_id host$host
    vrrp_version 3 }
vrrp_instance bench { state BACKUP
    nopreempt
    interface eth0
    virtual_router_id 51
    priority $((205 + host))
    advert_int $interval
    virtual_ipaddress { 198.18.0.100/24 dev eth0 } }
EOF
        "$lan" -d "$lan_dir" exec "$host" -- "$BUILD/tests/bench/tell" vrrp \
            "$host" >"$cluster/events" &
        helper+=($!)
        mkfifo "$cluster/said.$host"
        exec {fd}<>"$cluster/said.$host"
        said[host]=$fd
    done
}

keepalived_start() {
    local line=

    # The output of the last one is of no interest.
    while read -r -t 0 <&"${said[$1]}"; do
        read -r line <&"${said[$1]}"
    done
    run "$1" keepalived --dont-fork --vrrp --log-console \
        -f "$cluster/keepalived.$1.conf" -p "$cluster/keepalived.$1.pid" \
        -r "$cluster/vrrp.$1.pid"
    while read -r -t "$start_seconds" line <&"${said[$1]}"; do
        [[ $line != *'Entering BACKUP STATE'* ]] || return 0
    done
    return 1
}

keepalived_aims() {
    local pids

    pids=$(processes "$2")
    case $1 in
    kill | stop) aim=("$1" "$2" "$pids") ;;
    term) aim=("$1" "$2" "${pids%% *}") ;;
    *) return 1 ;;
    esac
}
