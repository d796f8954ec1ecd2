#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Ten hosts and more on a LAN, with one file for all: no nodes, no ids, no
# addresses. Each is a network namespace with an interface to one bridge, which
# carries multicast.
# shellcheck disable=SC2317 # cases are called by name
hosts=15

# The namespaces of the hosts have names in a directory that is ours alone.
if [ -z "${IN_LAN:-}" ]; then
    [ "$(id -u)" = 0 ] || { echo 'skip: needs root'; exit 77; }
    IN_LAN=1 exec unshare -n -m --propagation private "$0" "$@"
fi
{
    mkdir -p /run/netns && mount -t tmpfs none /run/netns &&
        ip link add br0 type bridge && ip link set br0 up
} 2>/dev/null || { echo 'skip: no bridges or namespaces here'; exit 77; }
for ((n = 1; n <= hosts; n++)); do
    ip netns add "h$n" && ip link add "h$n" type veth peer name eth0 \
        netns "h$n" && ip link set "h$n" master br0 up &&
        ip -n "h$n" link set eth0 up && ip -n "h$n" link set lo up &&
        ip -n "h$n" address add "198.18.0.$n/24" dev eth0 || exit 1
done

# shellcheck source=tests/live/live.sh
. "$(dirname "$0")/../live/live.sh"
# shellcheck source=tests/live/live_discovery.sh
. tests/live/live_discovery.sh

group=239.192.74.20:7421
interface=eth0

place() {
    echo ip netns exec "h$1"
}

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
    until [[ "$(values 11 nodes)" = "11 " && "$(values 12 nodes)" = "11 " ]]
    do
        ask 11 -q -t 100ms wait no-leader
    done
    for n in 1 2 3 4 5 11; do
        ip link set "h$n" master br0
    done
    gathered 12 $(seq 12)
}

check each_of_ten_hosts_joins_within_a_second
check five_die_and_five_others_take_their_place
check ten_hosts_that_start_at_once_become_one_cluster
check a_lan_that_was_cut_becomes_one_again
check_end
