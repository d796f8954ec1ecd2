# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller, and of it
# Sourced first by scripts whose hosts are network namespaces, each with an
# interface to one bridge, which carries multicast. It sources live.sh.
#
# hosts: how many there are to be; host N is the namespace hN, its interface
# eth0 has the address 198.18.0.N, and the port of the bridge br0 to it is hN.

# The namespaces of the hosts have names in a directory that is ours alone.
if [ -z "${IN_LAN:-}" ]; then
    # shellcheck source=tests/lib/can.sh
    . "$(dirname "${BASH_SOURCE[0]}")/../../lib/can.sh"
    why=$(can_have_hosts) || { echo "skip: $why"; exit 77; }
    IN_LAN=1 exec unshare -n -m --propagation private "$0" "$@"
fi
mkdir -p /run/netns && mount -t tmpfs none /run/netns &&
    ip link add br0 type bridge && ip link set br0 up || exit 1

# plug N: gives the host its interface; its address follows.
plug() {
    ip link add "h$1" type veth peer name eth0 netns "h$1" &&
        ip link set "h$1" master br0 up && ip -n "h$1" link set eth0 up &&
        ip -n "h$1" address add "198.18.0.$1/24" dev eth0
}

# unplug N: takes the interface away for good.
unplug() {
    ip link delete "h$1"
}

# deafen N: no frame comes to the host any more. mute N: what it sends to a host
# goes nowhere. Nothing tells it so. unhinder N: ends both.
deafen() {
    ip link set "h$1" type bridge_slave learning off flood off \
        bcast_flood off mcast_flood off fdb_flush
}

mute() {
    local n

    for ((n = 1; n <= hosts; n++)); do
        [ "$n" = "$1" ] || ip -n "h$1" neighbour replace "198.18.0.$n" \
            dev eth0 lladdr 02:00:00:00:00:ff nud permanent || return
    done
}

unhinder() {
    ip link set "h$1" type bridge_slave learning on flood on \
        bcast_flood on mcast_flood on &&
        ip -n "h$1" neighbour flush dev eth0 nud permanent
}

for ((n = 1; n <= hosts; n++)); do
    ip netns add "h$n" && ip -n "h$n" link set lo up && plug "$n" || exit 1
done

# shellcheck source=tests/system/live/live.sh
. "$(dirname "${BASH_SOURCE[0]}")/../live/live.sh"

group=239.192.74.20:7421
interface=eth0

enter() {
    echo ip netns exec "h$1"
}
