#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The cable of a host is pulled: the port of the bridge to it goes down, so its
# interface has no carrier. A leader gives up at once, before another one leads.
#
# TRIALS: how many cables are pulled for each guarantee. It prints how long the
# host without a cable went on leading, and when another host led.
# Takes 22 s.
# shellcheck disable=SC2317 # cases are called by name
hosts=3

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

: "${TRIALS:=3}"

# pull N: pulls the cable of host N, and sets `at` to when, on the clock of
# mono_ns: a program that has started by then takes the port down.
pull() {
    at=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -MSocket -e '
        socket(my $any, AF_INET, SOCK_DGRAM, 0) or die;
        my $port = pack("a16 s x22", $ARGV[0], 0);
        printf "%d\n", clock_gettime(CLOCK_MONOTONIC) * 1e9;
        ioctl($any, 0x8914, $port) or die "SIOCSIFFLAGS: $!"' "h$1")
}

plug_in() {
    ip link set "h$1" up
}

# begin TEXT: a new cluster of three on the LAN, with this setting; web3 leads.
begin() {
    plug_in 1 && plug_in 2 && plug_in 3 && fresh && lan_of 3 "$1" && cluster_start 3 1 2 3 && settle 1 2 3
}

# lan_of N TEXT: the cluster has so many hosts of the LAN, and this setting.
lan_of() {
    local n nodes=

    for ((n = 1; n <= $1; n++)); do
        nodes+=" { id = $n; name = \"web$n\"; address = \"198.18.0.$n:7420\"; }"
        [ "$n" = "$1" ] || nodes+=,
    done
    sed -i -e '/^nodes = (/,/^);/d' "$cluster/electd.conf" &&
        setting "nodes = ($nodes );" && setting "$2"
}

# moment: of the event that was read last.
moment() {
    [[ $event =~ \"mono_ns\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# pull_of_the_leader: web3 loses its cable, and gets it back. Prints how long it
# led on, and after how long web2 led, both in microseconds.
pull_of_the_leader() {
    local lost led

    pull 3 &&
        read_until 3 '"event":"no-leader".*"reason":"no-carrier' &&
        lost=$(moment) &&
        read_until 2 '"event":"leader".*"leader":2,' && led=$(moment) &&
        ! ask 3 -q is-leader && status_has 3 'NO LEADER .*web3 \(no carrier on eth0\)' &&
        logged 3 'no carrier on eth0: this node cannot lead' || return
    [ "$lost" -lt "$led" ] || complain 'two leaders' || return
    echo "$(((lost - at) / 1000)) $(((led - at) / 1000))" >>"$cluster/figures"
    plug_in 3 && agree 3 1 2 3 && settle 1 2 3 && status_has 3 '^OK '
}

# trials WORD: so many, and what was measured.
trials() {
    local i

    for ((i = 0; i < TRIALS; i++)); do
        pull_of_the_leader || return
    done
    awk -v what="$1" '
        { lost[NR] = $1; led = $2 > led ? $2 : led
          most = $1 > most ? $1 : most; sum += $1 }
        END { printf "figure: %s, %d cables pulled: leads on for %.1f ms, %.1f at most; another host leads after %.0f ms at most\n",
              what, NR, sum / NR / 1000, most / 1000, led / 1000 }
    ' "$cluster/figures"
}

leader_without_a_cable_gives_up_before_another_leads() {
    begin '' && trials component
}

the_same_holds_under_quorum() {
    plug_in 3 && quorum 3 && lan_of 3 '' && cluster_start 3 1 2 3 && voters_are 3 1 2 3 && settle 1 2 3 &&
        trials quorum
}

node_that_starts_without_a_cable_does_not_lead() {
    begin '' && node_end 3 && pull 3 && node_start 3 && watch_open 3 &&
        status_becomes 3 'web3 \(no carrier on eth0\)' &&
        exits 1 ask 3 -q is-leader && agree 2 1 2 &&
        has 'its election' 'may not begin|no election|cannot' \
            "$(ask 3 elect 2>&1)" &&
        plug_in 3 && agree 3 1 2 3
}

# The second way is a cable of its own between two of the hosts.
second_way_to_a_peer_is_enough() {
    begin '' && ip link add eth1 netns h3 type veth peer name eth1 netns h2 &&
        ip -n h2 link set eth1 up && ip -n h3 link set eth1 up &&
        ip -n h2 route add 198.18.0.3 dev eth1 src 198.18.0.2 &&
        ip -n h3 route add 198.18.0.2 dev eth1 src 198.18.0.3 &&
        node_end 3 && node_start 3 && watch_open 3 && agree 3 1 2 3 &&
        pull 3 && status_becomes 3 '2 of 3 nodes up' &&
        exits 0 ask 3 -q is-leader && ip -n h2 link set eth1 down &&
        status_becomes 3 'web3 \(no carrier on eth0 eth1\)' &&
        exits 1 ask 3 -q is-leader && plug_in 3 &&
        ip -n h2 link delete eth1
}

# Both hosts lose their carrier with the one cable between them.
two_hosts_on_one_cable_may_ignore_it() {
    plug_in 3 && fresh && lan_of 2 'watch_carrier = false;' && cluster_start 2 1 2 &&
        pull 1 && pull 2 && agree 1 1 && exits 0 ask 2 -q is-leader &&
        plug_in 1 && plug_in 2 && agree 2 1 && exits 0 ask 2 -q is-leader &&
        node_end 1 2 &&
        sed -i 's/watch_carrier = false;//' "$cluster/electd.conf" &&
        cluster_start 2 1 2 && pull 1 && pull 2 &&
        read_until 2 '"event":"no-leader"' && exits 1 ask 2 -q is-leader &&
        read_until 1 '"event":"no-leader"' &&
        exits 1 ask 1 -q -t 1s wait leader && plug_in 1 && plug_in 2 &&
        agree 2 1 2
}

check leader_without_a_cable_gives_up_before_another_leads
check the_same_holds_under_quorum
check node_that_starts_without_a_cable_does_not_lead
check second_way_to_a_peer_is_enough
check two_hosts_on_one_cable_may_ignore_it
check_end
