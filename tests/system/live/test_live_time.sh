#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons for which the time of day jumps by hours whenever they read it
# (tests/tools/preload/jump.c). They keep all their promises, and in time.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

leases=5     # how long the test watches
slack_ms=500 # for detection, an election, and a busy machine
jump=$(realpath "$BUILD/tests/tools/preload/jump.so") || exit
# A sanitizer's library wants to be the first, unless it is told otherwise.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
WRAP+=" env LD_PRELOAD=$jump"

# field ID KEY: a field of the node's answer to `leader`.
field() {
    kv "$1" "$2" leader
}

# days ID: on how many days the node wrote its log.
days() {
    cut -c 1-10 "$cluster/$1.log" | sort -u | wc -l
}

# Without this the other cases would prove nothing.
the_time_of_day_jumps_in_every_daemon() {
    local id

    quorum 3 && cluster_start 3 1 2 3 && settle 1 2 3 || return
    for id in 1 2 3; do
        echo "    log of $id: of $(days "$id") days in" \
            "$(wc -l <"$cluster/$id.log") lines"
        [ "$(days "$id")" -ge 2 ] || logged "$id" 'of two days' || return
    done
}

# deadline_holds ID TERM: the node follows 3 in this term, and the deadline that
# it states lies ahead, within the lease.
deadline_holds() {
    local answer before after valid until

    before=$(boot_ms)
    answer=$(ask "$1" -o kv leader --deadline)
    after=$(boot_ms)
    [[ $answer == *"term=$2"$'\n'* && $answer == *'leader_id=3'$'\n'* ]] ||
        complain "node $1 in another term than $2: $answer" || return
    valid=${answer##*valid_ms=} valid=${valid%%$'\n'*}
    until=${answer##*until_boot_ns=} until=$((${until%%$'\n'*} / 1000000))
    [[ $valid -gt 0 && $valid -le $worth_ms &&
        $until -ge $((before - 10)) &&
        $until -le $((after + worth_ms + 10)) ]] ||
        complain "node $1 at $before ms: for $valid ms, until $until"
}

the_leader_stays_and_so_do_its_deadlines() {
    local id term asked=0 end

    term=$(field 3 term)
    end=$(($(boot_ms) + leases * lease_ms))
    while [ "$(boot_ms)" -lt "$end" ] || [ "$asked" -lt $((leases * 3)) ]; do
        for id in 1 2 3; do
            deadline_holds "$id" "$term" || return
        done
        asked=$((asked + 3))
    done
    echo "    term $term: $asked answers in $leases leases or more"
}

# The first event of each stream after the last case is one that this case
# causes: so the daemons sent none in between.
no_event_reports_a_change() {
    local id at

    node_kill9 3 && killed=$moment || return
    for id in 1 2; do
        read_until "$id" \
            '"event":"(leader|no-leader|peer-down|quorum|memory)"' || return
        at=${event##*\"mono_ns\":} at=${at%%,*}
        has 'event' '"event":"(no-leader|peer-down)",.*"(previous|peer)":3,' \
            "$event" && [ "$at" -gt "$killed" ] ||
            complain "$(((killed - at) / 1000)) us too early: $event" || return
    done
}

another_leads_when_the_lease_is_over() {
    watch_leader 1 2 || return
    echo "    another leads $(((moment - killed) / 1000000)) ms after the kill"
    [ "$moment" -le $((killed + (lease_ms + slack_ms) * 1000000)) ] ||
        complain 'that is too late' || return
    exits 0 ask 2 -q is-leader && node_end 1 2
}

# The jumps do not change how long a client waits either.
a_client_waits_for_as_long_as_it_says() {
    local began took

    quorum 3 && cluster_start 3 1 2 3 || return
    began=$(boot_ms)
    LD_PRELOAD=$jump exits 1 ask 1 -t 1s wait no-leader || return
    took=$(($(boot_ms) - began))
    # Days more or less if the time of day counted.
    [ "$took" -ge 990 ] && [ "$took" -lt $((seconds_max * 1000)) ] ||
        complain "it waited $took ms" || return
    node_end 1 2 3
}

killed=0
check the_time_of_day_jumps_in_every_daemon
check the_leader_stays_and_so_do_its_deadlines
check no_event_reports_a_change
check another_leads_when_the_lease_is_over
check a_client_waits_for_as_long_as_it_says
check_end
