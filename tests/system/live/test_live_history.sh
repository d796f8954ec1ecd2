#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The histories of real daemons on loopback fit together: each message of an
# election is in that of its sender and in that of its taker, the whole is a
# consistent cut, and its diagram has an arrow for each message. The last leaders
# outlive the processes.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_eight.sh
. tests/system/live/live_eight.sh

# gather ID...: writes the histories of these nodes, side by side.
gather() {
    local id

    for id in "$@"; do
        ask "$id" history -o json || return
    done >"$cluster/all.json"
}

# whole_cut: a cut with all events of the histories.
whole_cut() {
    sed -E 's/^\{"id":([0-9]+),.*"last":([0-9]+),.*/\1:\2/' \
        "$cluster/all.json" | paste -sd ,
}

# draw TERM: draws that term of the histories.
draw() {
    "$electctl" history --file "$cluster/all.json" --term "$1" \
        --svg "$cluster/term.svg"
}

# arrows PATTERN: how many arrows of the diagram have such a tooltip.
arrows() {
    grep -c "<title>$1" "$cluster/term.svg"
}

# gather_term TERM MESSAGES ID...: gathers until all messages of the term are
# taken; a node may follow its leader before it has taken them all.
gather_term() {
    local term=$1 messages=$2 until=$((SECONDS + seconds_max))

    shift 2
    until gather "$@" && draw "$term" &&
        [ "$(arrows '[A-Z]*[,:]')" = "$messages" ] &&
        [ "$(arrows '.*, not taken')" = 0 ]; do
        [ $SECONDS -lt $until ] ||
            complain "term $term has $(arrows '[A-Z]*[,:]') messages, $(arrows '.*, not taken') not taken" ||
            return
        pause
    done
}

# term_of ANSWER: the term of an answer to elect.
term_of() {
    grep -o '[0-9]*$' <<<"$1"
}

# The worst of five begins: n^2 - 1 messages.
every_message_of_an_election_has_both_ends() {
    local term

    fresh && cluster_start 5 1 2 3 4 5 || return
    term=$(term_of "$(ask 1 -o kv elect)") && gather_term "$term" 24 1 2 3 4 5 &&
        is ELECTION 10 "$(arrows ELECTION)" &&
        is OK 10 "$(arrows OK)" &&
        is COORDINATOR 4 "$(arrows COORDINATOR)"
}

text_has_the_time_in_utc_and_names() {
    has 'an event' '[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z +1:[0-9]+ +term [0-9]+ +one follows five \(forced:one\)' \
        "$(ask 1 history)"
}

the_whole_is_a_consistent_cut() {
    exits 0 "$electctl" history --at "$(whole_cut)" --file "$cluster/all.json" &&
        has 'the verdict' '^consistent' "$said"
}

# Without the last event of the leader that it sent to others.
a_cut_before_a_sending_is_inconsistent() {
    local sent at

    sent=$("$electctl" history --file "$cluster/all.json" |
        sed -n 's/^.* 5:\([0-9]*\) .* sends COORDINATOR five to one,.*/\1/p' |
        tail -n 1)
    at=$(whole_cut | sed "s/5:[0-9]*/5:$((sent - 1))/")
    exits 1 "$electctl" history --at "$at" --file "$cluster/all.json" &&
        has 'what is wrong' \
            "taken but not sent: COORDINATOR from 5 to 1, sent by event $sent," \
            "$said"
}

# Node 5 has taken its history with it.
the_election_after_a_death_is_drawn() {
    local term

    node_kill9 5 && agree 4 1 2 3 4 || return
    term=$(kv 4 term status)
    gather_term "$term" 3 1 2 3 4 &&
        is COORDINATOR 3 "$(arrows 'COORDINATOR, rank of 4: from 4 at 0 to [123] at 1')" &&
        is 'the leader' 1 "$(grep -c 'all follow node 4' "$cluster/term.svg")"
}

a_history_begins_where_it_is_asked_to() {
    ask 4 history --from 3 -o json >"$cluster/late.json" &&
        is 'the first event' '"first":3,' \
            "$(grep -o '"first":[0-9]*,' "$cluster/late.json")"
}

# As many arrows as electsim counts, by the links of the ring.
a_ring_of_eight_is_drawn() {
    local term sum

    live_end
    eight_new hirschberg-sinclair '' && node_start 1 2 3 4 5 6 7 8 &&
        watch_open 1 2 3 4 5 6 7 8 && agree 8 1 2 3 4 5 6 7 8 || return
    sum=$("$electsim" run --algorithm hirschberg-sinclair --ids asc --nodes 8 \
        --starters 3 -o json | sed 's/.*"total":\([0-9]*\),.*/\1/')
    term=$(term_of "$(ask 3 -o kv elect)") &&
        gather_term "$term" "$sum" 1 2 3 4 5 6 7 8 &&
        is 'ends of the ring' 3 "$(grep -c 'class="ghost"' "$cluster/term.svg")"
}

# leaders ID: its table of the last leaders.
leaders() {
    ask "$1" history --leaders
}

# same_leaders ID TABLE: it follows 2, and still tells these.
same_leaders() {
    node_start "$1" && watch_open "$1" && agree 2 "$1" &&
        is "leaders of $1" "$2" "$(leaders "$1")"
}

# The end of a process writes what is not on the disk yet; kill -9 leaves what
# is there.
leaders_outlive_the_processes() {
    local before

    fresh && cluster_start 3 1 2 3 && node_kill9 3 && agree 2 1 2 || return
    before=$(leaders 1)
    has 'the leaders' 'Z  three +3 .*Z  two +2 +[0-9]+ +[0-9.]+ ms +died:three$' \
        "$before" &&
        is 'leaders at once' 2 "$(kv 1 leaders_count history --leaders)" &&
        node_end 1 && same_leaders 1 "$before" &&
        is 'on the disk' true "$(kv 1 kept history --leaders)" &&
        node_kill9 1 && same_leaders 1 "$before" &&
        is 'warnings' '' "$(grep 'last leaders' "$cluster/1.log")"
}

# One byte of the first of two records costs that record.
damage_costs_what_is_damaged() {
    local before file=$cluster/state/loopback-1.leaders

    before=$(leaders 1 | sed 2d)
    node_kill9 1 && printf '\0' |
        dd of="$file" bs=1 seek=90 conv=notrunc status=none || return
    node_start 1 && watch_open 1 && agree 2 1 &&
        is 'what is left' "$(tail -n 1 <<<"$before")" \
            "$(leaders 1 | tail -n 1)" &&
        is 'how many' 1 "$(kv 1 leaders_count history --leaders)" &&
        is 'damaged' true "$(kv 1 damaged history --leaders)" &&
        is 'warnings' 1 "$(grep -c 'of the last leaders, 1 could be read' \
            "$cluster/1.log")"
}

check every_message_of_an_election_has_both_ends
check text_has_the_time_in_utc_and_names
check the_whole_is_a_consistent_cut
check a_cut_before_a_sending_is_inconsistent
check the_election_after_a_death_is_drawn
check a_history_begins_where_it_is_asked_to
check a_ring_of_eight_is_drawn
check leaders_outlive_the_processes
check damage_costs_what_is_damaged
check_end
