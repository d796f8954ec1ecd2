#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Ten hosts and more on a LAN, with one file for all: no nodes, no ids, no
# addresses.
# Takes 10 s.
# shellcheck disable=SC2317 # cases are called by name
hosts=15

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

listen_of() {
    true
}

each_of_ten_hosts_joins_within_a_second() {
    local n since took longest=0

    many || return
    for n in 1 2 3 4 5 6 7 8 9 10; do
        host "$n" && since=$(now) && gathered "$n" $(seq "$n") || return
        took=$((($(now) - since) / 1000000))
        [ "$n" = 1 ] || [ "$took" -le "$longest" ] || longest=$took
    done
    echo "    the longest took $longest ms"
    has 'the address of h10' '198.18.0.10:7420' "$(ask 1 members)"
}

five_die_and_five_others_take_their_place() {
    node_kill9 2 && node_kill9 4 && node_kill9 6 && node_kill9 8 &&
        node_kill9 10 && host 11 12 13 14 15 &&
        gathered 15 1 3 5 7 9 11 12 13 14 15
}

ten_hosts_that_start_at_once_become_one_cluster() {
    local since

    many && since=$(now) && host $(seq 10) && gathered 10 $(seq 10) || return
    echo "    after $((($(now) - since) / 1000000)) ms"
}

two_know_each_other() {
    [[ "$(values 11 nodes)" = "11 " && "$(values 12 nodes)" = "11 " ]]
}

# Both sides go on, take others in, and become one again.
a_lan_that_was_cut_becomes_one_again() {
    for n in 1 2 3 4 5 11; do
        ip link set "h$n" nomaster
    done
    ip link add br1 type bridge && ip link set br1 up || return
    for n in 1 2 3 4 5 11; do
        ip link set "h$n" master br1
    done
    host 11 12 || return
    awaits "$seconds_max" two_know_each_other || return
    for n in 1 2 3 4 5 11; do
        ip link set "h$n" master br0
    done
    gathered 12 $(seq 12)
}

# Its zone, the interface, means nothing on another host.
host_with_a_link_local_address_only_is_told_to_give_one() {
    many && ip -n h1 address add fe80::18/64 dev eth0 nodad || return
    more='join = ("[fe80::1%eth0]:7420");'
    host_file 1 && exits 1 ip netns exec h1 "$electd" -t -c "$cluster/1.conf" &&
        has 'why' 'this host has no address towards \[fe80::1%eth0\]:7420: it has a link-local one only; give one by listen' "$said"
}

check host_with_a_link_local_address_only_is_told_to_give_one
# Each host finds in it by its address that it votes, or that it does not.
one_file_serves_voters_and_observers() {
    local n nodes=''

    for n in 1 2 3; do
        nodes+=${nodes:+, }$(printf \
            '{ id = %s; name = "v%s"; address = "198.18.0.%s:7420"; }' \
            "$n" "$n" "$n")
    done
    guarantee=quorum
    many && more+="nodes = ($nodes);" || return
    for n in 1 2 3; do
        # shellcheck disable=SC2046 # commands in words
        host_file "$n" && exits 0 $(enter "$n") "$electd" --init-cluster \
            -c "$cluster/$n.conf" || return
    done
    host 1 2 3 4 5 6 || return
    for n in 1 2 3 4 5 6; do
        until_shown "$n" 'OK +v3 leads, 6 of 6 nodes up' || return
    done
    guarantee=component
    has 'the address of h6' '198.18.0.6:7420' "$(ask 1 members)"
}

check each_of_ten_hosts_joins_within_a_second
check five_die_and_five_others_take_their_place
check ten_hosts_that_start_at_once_become_one_cluster
check a_lan_that_was_cut_becomes_one_again
check one_file_serves_voters_and_observers
check_end
