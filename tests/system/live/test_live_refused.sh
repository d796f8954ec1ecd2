#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Daemons that are killed together with their helpers, on hosts that are still
# there: these refuse what the others go on sending, by ICMP, and so the others
# know before they would have missed three heartbeats.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# node_wipe_out ID: kills its helper, which cannot send its wills, and then it,
# before it has another helper. No process is started in between: on a busy host
# the others would miss three heartbeats meanwhile.
node_wipe_out() {
    local pid=${daemon_pid[$1]} helper

    helper=$(tr -d ' ' <"/proc/$pid/task/$pid/children") &&
        moment=$("$kill9") && kill -STOP "$pid" &&
        kill -KILL "$helper" "$pid" || return
    node_gone "$1" 2>/dev/null
    return 0
}

their_host_says_that_leader_and_helper_are_gone() {
    local id died

    fresh && cluster_start 5 1 2 3 4 5 && settle 1 2 3 4 5 &&
        node_wipe_out 5 || return
    died=$moment
    for id in 1 2 3 4; do
        watch_leader "$id" 4 &&
            has 'cause' '"reason":"refused:5"' "$event" || return
    done
    echo "    the last had the new leader after $(((moment - died) / 1000)) us"
    settle 1 2 3 4
}

the_new_leader_explains_its_election_by_that() {
    has 'explain' '"reason":"refused:5".*"evidence":"refused"' \
        "$(ask 4 -o json explain)"
}

it_says_so_of_a_follower() {
    node_wipe_out 1 &&
        read_until 4 '"event":"peer-down","peer":1,.*"evidence":"refused"' &&
        settle 2 3 4
}

# The others hold nothing against it.
node_that_comes_back_leads_at_once() {
    node_start 5 && watch_open 5 && agree 5 2 3 4 5 && settle 2 3 4 5 &&
        node_wipe_out 5 && agree 4 2 3 4 &&
        node_start 5 && watch_open 5 && agree 5 2 3 4 5
}

# They are gone, and the others send hellos for ever: that is no loop.
no_loop_begins() {
    local id before after

    settle 2 3 4 5 && node_wipe_out 2 && node_wipe_out 3 && settle 4 5 ||
        return
    before=$(count 5 sent)
    while read -r -t 2 -u "${watch_fd[5]}"; do
        :
    done
    after=$(count 5 sent)
    echo "    $((after - before)) datagrams in 2 s"
    [ $((after - before)) -lt 200 ] || complain 'it does not stop sending' ||
        return
    node_end 4 5
}

check their_host_says_that_leader_and_helper_are_gone
check the_new_leader_explains_its_election_by_that
check it_says_so_of_a_follower
check node_that_comes_back_leads_at_once
check no_loop_begins
check_end
