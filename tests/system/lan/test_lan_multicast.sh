#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five hosts on a LAN whose nodes are listed, with and without a multicast
# group. The bridge sees what an election costs in datagrams, and stops the
# group; and interfaces of hosts go and come back. Takes 54 s.
# shellcheck disable=SC2317 # cases are called by name
hosts=5

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"

all=(1 2 3 4 5)

# begin: a new cluster of five, which elect the fifth. begin TEXT: with this
# setting.
begin() {
    fresh && sed -i -E 's|"[0-9.]+:742([1-5])"|"198.18.0.\1:7420"|
        s|"bully"|"bully-broadcast"|' "$cluster/electd.conf" || return
    [ $# = 0 ] || setting "$1"
    cluster_start 5 "${all[@]}" && settle "${all[@]}"
}

# says N LINE: waits until `status` of this host has the line.
says() {
    local until=$((SECONDS + seconds_max)) said

    until said=$(ask "$1" -o kv status) && grep -qx "$2" <<<"$said"; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$1: no '$2' in '$said'" || return
        pause
    done
}

# all_reach: waits until what each says to the group reaches all others.
all_reach() {
    local n

    for n in "${all[@]}"; do
        says "$n" multicast_reached=4 || return
    done
}

# count_begin: counts the datagrams on the bridge; count_end puts the counts
# into $cluster/tally.
count_begin() {
    local ready given

    coproc tally { exec "$tools/tally" br0 7420 7421; }
    tally_pid=$! given=${tally[1]}
    exec {counts}<&"${tally[0]}" {counting}>&"$given" {given}>&- &&
        read -r -t "$seconds_max" -u "$counts" ready && is tally ready "$ready"
}

count_end() {
    exec {counting}>&-
    cat <&"$counts" >"$cluster/tally" && exec {counts}<&- &&
        wait "$tally_pid"
}

# candidacies N: how many datagrams from this host had the frame of a candidacy,
# which has 49 bytes. Heartbeats have none: those of the leader are the shortest
# datagrams of the group, and a host sends its peers some of the same size but
# for the candidacy. One of a host that follows nobody lacks the 15 bytes of the
# lead.
candidacies() {
    awk -v source="198.18.0.$1" '
        $2 == "group" && $3 == 8 && NR == FNR {
            least = least && least < $4 ? least : $4
        }
        $1 == source && $2 == "unicast" && $3 == 3 && NR == FNR {
            usual[$4]
        }
        NR == FNR || $1 != source { next }
        $2 == "group" && $3 == 8 && $4 > least + 40 { group += $5 }
        $2 == "unicast" && $3 == 3 && ($4 - 49 in usual ||
            $4 - 49 + 15 in usual) { alone += $5 }
        END { print group + 0, "by the group,", alone + 0, "alone" }' \
        "$cluster/tally" "$cluster/tally"
}

# elects N: this host begins an election while all is counted; sets `term`, and
# `again` to how often each sent a message again.
elects() {
    local n before=()

    again=()
    for n in "${all[@]}"; do
        before[n]=$(count "$n" resent)
    done
    count_begin && exits 0 ask "$1" elect && term=${said##* } || return
    for n in "${all[@]}"; do
        says "$n" "term=$term" && says "$n" leader_id=5 || return
    done
    settle "${all[@]}" && count_end || return
    for n in "${all[@]}"; do
        again[n]=$(($(count "$n" resent) - before[n]))
    done
}

# logged_at REGEX: the time of this line of the log of h1, in milliseconds.
logged_at() {
    date -d "$(sed -n "s/Z [a-z]*: $1 .*/Z/p" "$cluster/1.log")" +%s%3N
}

# costs GROUP ALONE N: checks how many datagrams each host sent with its
# candidacy, besides those in which it sent it again: host N that began and each
# better one send it once to n - 1 others (algorithms/README.md,
# bully-broadcast). That the election ends within 2T shows test_cluster_group.c;
# here it depends on the machine.
costs() {
    local n stands

    for n in "${all[@]}"; do
        stands=$((n >= $3))
        is "candidacies of h$n" \
            "$(($1 * stands)) by the group, $(($2 * stands + again[n])) alone" \
            "$(candidacies "$n")" || { cat "$cluster/tally" >&2; return 1; }
    done
    echo "    from the election to the leader, at h1: $((
        $(logged_at "five leads\( again\)\? in term $term") -
        $(logged_at "election in term $term"))) ms; sent again: ${again[*]}"
}

# begin_group [MORE]: a new cluster with the group, by this interface if any.
begin_group() {
    begin "multicast = { group = \"$group\"; ${1-interface = \"$interface\";} };" &&
        all_reach
}

candidacy_is_one_datagram_by_multicast() {
    begin_group && elects 1 && costs 1 0 1 && elects 5 && costs 1 0 5
}

# flood on|off: whether the bridge hands on what is for groups.
flood() {
    local n

    for n in "${all[@]}"; do
        ip link set "h$n" type bridge_slave mcast_flood "$1" || return
    done
}

multicast_that_stops_costs_no_leader() {
    local n

    all_reach && flood off && says 5 multicast_reached=0 &&
        exits 1 ask 1 -t 1s wait no-leader && flood on && all_reach || return
    for n in "${all[@]}"; do
        says "$n" "term=$term" && says "$n" leader_id=5 &&
            is "what h$n lost" '' \
                "$(grep -E 'lost|is down' "$cluster/$n.log")" || return
    done
}

candidacy_is_n_minus_1_datagrams_by_unicast() {
    begin && elects 1 && costs 0 4 1 && elects 5 && costs 0 4 5
}

# counted N TEXT: how often the log of this host has it.
counted() {
    grep -c "$2" "$cluster/$1.log"
}

# renewed N...: the interfaces of these hosts are made anew.
renewed() {
    local n

    for n in "$@"; do
        unplug "$n" && says "$n" peers_up=0 && plug "$n" && settle "${all[@]}" &&
            all_reach || return
    done
}

# The leader, which sends to the group, and a follower.
interface_that_is_made_anew_hears_the_group_again() {
    begin_group && renewed 2 5 2 || return
    is 'how often h2 lost the group' 2 "$(counted 2 'group is gone: eth0;')" &&
        is 'how often h2 joined' 2 "$(counted 2 'group again on eth0$')" &&
        is 'how often h5 lost the group' 1 "$(counted 5 'group is gone: eth0;')" &&
        is 'how often h5 joined' 1 "$(counted 5 'group again on eth0$')" &&
        is 'how often h1 did' 0 "$(counted 1 'multicast group')"
}

# The kernel keeps a few hundred words on interfaces for a process, which does
# not run meanwhile.
interface_that_goes_among_many_others_hears_the_group_again() {
    local i

    node_stop 2
    for ((i = 0; i < 300; i++)); do
        echo "link add v$i type veth peer name w$i"
        echo "link del v$i"
    done | ip -n h2 -batch - &&
        ip -n h2 link set eth0 netns h3 name elsewhere &&
        ip -n h3 link set elsewhere netns h2 name eth0 &&
        ip -n h2 link set eth0 up &&
        ip -n h2 address add 198.18.0.2/24 dev eth0
    node_continue 2
    settle "${all[@]}" && all_reach &&
        is 'how often it was told too much' 1 "$(counted 2 'came and went')"
}

# It may even have the number of the last one, as after a stay in a container.
interface_of_the_route_hears_the_group_again() {
    local n

    for n in "${all[@]}"; do
        ip -n "h$n" route add default dev eth0 || return
    done
    begin_group '' || return
    ip -n h2 link set eth0 netns h3 name elsewhere && says 2 peers_up=0 &&
        ip -n h3 link set elsewhere netns h2 name eth0 &&
        ip -n h2 link set eth0 up &&
        ip -n h2 address add 198.18.0.2/24 dev eth0 &&
        is 'how often it joined' 0 "$(counted 2 'group again')" &&
        ip -n h2 route add default dev eth0 && settle "${all[@]}" &&
        all_reach && is 'how often it joined' 1 "$(counted 2 'group again$')"
}

interface_that_goes_down_and_up_hears_the_group() {
    ip -n h2 link set eth0 down && says 2 peers_up=0 &&
        ip -n h2 link set eth0 up && settle "${all[@]}" && all_reach &&
        is 'how often it joined' 1 "$(counted 2 'group again$')"
}

check candidacy_is_one_datagram_by_multicast
check multicast_that_stops_costs_no_leader
check candidacy_is_n_minus_1_datagrams_by_unicast
check interface_that_is_made_anew_hears_the_group_again
check interface_that_goes_among_many_others_hears_the_group_again
check interface_of_the_route_hears_the_group_again
check interface_that_goes_down_and_up_hears_the_group
check_end
