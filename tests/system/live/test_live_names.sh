#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Nodes whose addresses are names: a node needs only its own to start. It looks
# up the others meanwhile, also when they come late or move.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh

# /etc/hosts is ours, for these processes alone.
if [ -z "${ELECTD_UNSHARED-}" ]; then
    for how in -m -rm; do
        if unshare $how mount --bind /etc/hosts /etc/hosts 2>/dev/null; then
            ELECTD_UNSHARED=yes exec unshare $how "$0" "$@"
        fi
    done
    why='no mount namespace to be had'
    [ -e /etc/hosts ] || why='no /etc/hosts'
    echo "skip: $why"
    exit 77
fi
. "$(dirname "$0")/live.sh"

hosts_file=$(mktemp "${TMPDIR:-/tmp}/electd-hosts-XXXXXX") || exit
echo 'hosts: files' >"$hosts_file.switch"
mount --bind "$hosts_file" /etc/hosts &&
    mount --bind "$hosts_file.switch" /etc/nsswitch.conf || exit
at_end 'rm -f "$hosts_file" "$hosts_file.switch"'

# named: the cluster's nodes 1 and 2 have names for their addresses.
named() {
    : >"$hosts_file"
    fresh && host=$(sed -n 's/.*id = 1;.*"\(127\.[0-9.]*\):.*/\1/p' \
        "$cluster/electd.conf") &&
        sed -i -E "/id = 1;/s|\"[0-9.]+:|\"one.example:|
            /id = 2;/s|\"[0-9.]+:|\"two.example:|" "$cluster/electd.conf"
}

# known NAME [HOST]: lets it resolve from now on.
known() {
    echo "${2-$host} $1.example" >>"$hosts_file"
}

its_own_name_is_needed() {
    named && known two && exits 1 timeout "$seconds_max" "$electd" \
        -c "$cluster/electd.conf" -i 1 &&
        has 'error' 'cannot resolve one.example:7421, the address of this node, one: ' "$said"
}

a_peer_whose_name_is_unknown_is_down_with_a_note() {
    named && known one && cluster_start 3 1 3 || return
    awaits "$seconds_max" grep -q 'two\.example' "$cluster/1.log" || return
    logged 1 'warning: two: cannot resolve two.example:7422: .*; trying again, until then two counts as down' &&
        has 'peers' 'unresolved=true' "$(ask 1 -o kv peers | grep '^id=2 ')" &&
        has 'status' 'two .*down.*unresolved' "$(ask 1 status)" &&
        is 'leader' three "$(ask 1 leader)"
}

# Node 2 does not know where node 1 is, so node 1 has to find it. The daemon
# looks the name up again after 1, 2, 4 seconds and so on.
it_joins_once_its_name_is_known() {
    : >"$hosts_file"
    known two && node_start 2 && watch_open 2 &&
        read_until 1 '"event":"peer-up","peer":2' && agree 3 2 &&
        logged 1 "notice: two: two.example:7422 resolves to $host:7422" &&
        logged 2 "notice: one is at $host:7421; one.example:7421 does not resolve to that yet" &&
        has 'peers' 'unresolved=false' "$(ask 1 -o kv peers | grep '^id=2 ')"
}

# A new host takes its place, with another address. It does not know node 1.
it_is_followed_to_another_address() {
    local next=${host%.*}.2

    settle 1 2 3 && node_kill9 2 &&
        read_until 1 '"event":"peer-down","peer":2' &&
        sed "/two.example/s/.*/$next two.example/" "$hosts_file" \
            >"$cluster/hosts" && cat "$cluster/hosts" >"$hosts_file" &&
        node_start 2 && read_until 1 '"event":"peer-up","peer":2' &&
        logged 1 "notice: two: two.example:7422 has moved from $host:7422 to $next:7422"
}

# It says hello to node 1 before node 1 looks its name up again.
it_is_found_where_it_speaks_before_its_name_is_known() {
    node_kill9 2 && read_until 1 '"event":"peer-down","peer":2' &&
        known one && node_start 2 &&
        read_until 1 '"event":"peer-up","peer":2' && settle 1 2 3 &&
        is 'warnings' '' "$(grep 'warning: two is at' "$cluster"/*.log)" &&
        node_end 1 2 3
}

daemon_finds_by_name_which_node_it_is() {
    named && known one 127.0.0.1 || return
    node_launch 1 "$cluster/electd.conf"
    node_await 1 && logged 1 'node one of cluster' && node_end 1
}

check its_own_name_is_needed
check a_peer_whose_name_is_unknown_is_down_with_a_note
check it_joins_once_its_name_is_known
check it_is_followed_to_another_address
check it_is_found_where_it_speaks_before_its_name_is_known
check daemon_finds_by_name_which_node_it_is
check_end
