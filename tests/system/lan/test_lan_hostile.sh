#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five hosts on a LAN that find each other, and a sixth that is hostile
# (parrot.c): it repeats what it heard of the group, from its own address and
# from that of the sender, damages it, and makes nodes up. No leader is lost,
# nobody becomes known by a copy, all is counted, and no memory grows.
# Takes 42 s.
# shellcheck disable=SC2016,SC2317 # of awk; cases are called by name
hosts=6

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

readonly all=(1 2 3 4 5) announce=7 heartbeat=8
readonly growth_max=4096 # KiB, of a host; the floods have many times as much
declare -A before=() lost_before=() data=()

# A sanitizer keeps what was freed.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0:thread_local_quarantine_size_kb=0"

listen_of() {
    true
}

# parrot_open N: it keeps what host N says to the group from now on.
parrot_open() {
    local ready given

    coproc parrot { exec ip netns exec h6 "$tools/parrot" eth0 "198.18.0.$1" \
        "${group%:*}" "${group#*:}"; }
    parrot_pid=$! given=${parrot[1]}
    exec {heard}<&"${parrot[0]}" {told}>&"$given" {given}>&- &&
        read -r -t "$seconds_max" -u "$heard" ready && is parrot ready "$ready"
}

parrot_close() {
    exec {told}>&- {heard}<&-
    wait "$parrot_pid"
}

# parrot WORD...: does so; `answer` is its number.
parrot() {
    echo "$*" >&"$told"
    read -r -t "$seconds_max" -u "$heard" answer ||
        complain "no answer to '$*'"
}

# kept TYPE: waits until it has kept some of this type.
kept() {
    local until=$((SECONDS + seconds_max))

    while parrot kept "$1" && [ "$answer" -lt 3 ]; do
        [ "$SECONDS" -lt "$until" ] || complain "$answer of type $1" || return
        pause
    done
}

# lost N: the datagrams of the group for which the kernel of this host had no
# room.
lost() {
    ip netns exec "h$1" awk -v port="$(printf '%04X' "${group#*:}")" '
        $2 ~ ":" port "$" { sum += $NF } END { print sum + 0 }' /proc/net/udp
}

# sum N KEY...: these counters of `stats` of this host, and what it has lost.
sum() {
    local n=$1 key keys=
    shift

    for key in "$@"; do
        keys+=" $key "
    done
    {
        ask "$n" -o kv stats
        echo "lost=$(lost "$n")"
    } | awk -F = -v keys="$keys lost " '
        index(keys, " " $1 " ") { sum += $2 } END { print sum }'
}

# note KEY...: the sums of now, of each host.
note() {
    local n

    for n in "${all[@]}"; do
        lost_before[$n]=$(lost "$n") && before[$n]=$(sum "$n" "$@") || return
    done
}

# adds N COUNT KEY...: waits until the sum of this host is larger by COUNT, or
# more, which is in `added`.
adds() {
    local until=$((SECONDS + seconds_max))

    while added=$(($(sum "$1" "${@:3}") - before[$1])) &&
        [ "$added" -lt "$2" ]; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$1: ${*:3} rose by $added, not by $2" || return
        pause
    done
}

# adds_just N COUNT KEY...: fails, too, if it is larger by more. What was lost
# may have been other datagrams, such as heartbeats of the leader.
adds_just() {
    local most

    adds "$@" && most=$(($2 + $(lost "$1") - lost_before[$1])) &&
        { [ "$added" -le "$most" ] ||
            complain "h$1: ${*:3} rose by $added, not by $2 to $most"; }
}

# state: what all say of the cluster.
state() {
    local n

    for n in "${all[@]}"; do
        values "$n" config_version leader_id nodes peers_up term
    done
}

# data_of N: KiB of memory of this host's daemon.
data_of() {
    awk '/^VmData/ { print $2 }' "/proc/${daemon_pid[$1]}/status"
}

note_data() {
    local n

    for n in "${all[@]}"; do
        data[$n]=$(data_of "$n")
    done
}

grew_little() {
    local n grown

    for n in "${all[@]}"; do
        grown=$(($(data_of "$n") - data[$n]))
        [ "$grown" -le "$growth_max" ] ||
            complain "h$n has grown by $grown KiB" || return
    done
}

# The copies are taken for the first word of a node that does not know us; all
# together get 500 answers a second. A kernel drops what is said to come from
# its own host.
copies_of_announcements_are_counted_and_nothing_else() {
    local n was

    many && more+='timing = { forget = "2s"; };' || return
    for n in "${all[@]}"; do
        own[$n]="id = $n;"
    done
    parrot_open 1 && host 1 && kept "$announce" && host 2 3 4 5 &&
        gathered 5 "${all[@]}" && was=$(state) && note_data || return
    note received dropped_rate && parrot forge "$announce" 5000 &&
        parrot repeat "$announce" 5000 || return
    for n in "${all[@]}"; do
        adds "$n" $((n == 1 ? 5000 : 10000)) received dropped_rate || return
    done
    note dropped_seal && parrot damage "$announce" 5000 || return
    for n in "${all[@]}"; do
        adds_just "$n" 5000 dropped_seal || return
    done
    is 'the cluster' "$was" "$(state)" && grew_little && parrot_close
}

copies_of_group_datagrams_are_counted_and_nothing_else() {
    local n was

    parrot_open 5 && kept "$heartbeat" && was=$(state) && note_data &&
        note dropped_replay && parrot forge "$heartbeat" 5000 &&
        parrot repeat "$heartbeat" 5000 || return
    for n in 1 2 3 4; do
        adds_just "$n" 10000 dropped_replay || return
    done
    note dropped_seal && parrot damage "$heartbeat" 5000 || return
    for n in 1 2 3 4; do
        adds_just "$n" 5000 dropped_seal || return
    done
    is 'the cluster' "$was" "$(state)" && grew_little
}

# Each takes the place of the last, which was at the same address. What it says
# after that is unknown, too, but no datagram counts twice.
ten_thousand_made_up_nodes_cost_no_leader() {
    local n was

    was=$(values 1 leader_id term) && note dropped_unknown &&
        parrot make-up 10000 5 "$cluster/key" || return
    for n in 1 2 3 4; do
        adds "$n" 10000 dropped_unknown || return
        [ "$added" -lt 20000 ] ||
            complain "h$n: $added of 10000 were unknown" || return
    done
    logged_soon 5 nobody && gathered 5 "${all[@]}" || return
    for n in "${all[@]}"; do
        is "the leader of h$n" "$was" "$(values "$n" leader_id term)" || return
    done
    grew_little && parrot_close
}

check copies_of_announcements_are_counted_and_nothing_else
check copies_of_group_datagrams_are_counted_and_nothing_else
check ten_thousand_made_up_nodes_cost_no_leader
check_end
