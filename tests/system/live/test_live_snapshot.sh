#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Snapshots of eight real daemons on loopback, in each topology, while elections
# are forced all the time: each is complete and consistent. It prints how long
# they took, and how long elections take without and with them. A node that dies
# or hangs meanwhile is named. The events of all nodes fit the cut.
#
# LONG: set for a hundred snapshots, and elections, of each topology.
# Takes 9 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_eight.sh
. tests/system/live/live_eight.sh

times=${LONG:+100}
times=${times:-20}

# elect_on ID: forces elections, one after the other, until it is killed.
elect_on() {
    while ask "$1" -q elect; do
        :
    done
}

# spread: of numbers, a line each: the median and the longest.
spread() {
    sort -g | awk '{ v[NR] = $1 }
        END { printf "%.2f ms, at most %.2f ms", v[int((NR + 1) / 2)], v[NR] }'
}

# member KEY: prints the first of this name in `said`.
member() {
    [[ $said =~ \"$1\":([^,]*) ]] && echo "${BASH_REMATCH[1]}"
}

# count_of TEXT: sets `number` to how often `said` has it.
count_of() {
    number=${said//"$1"/}
    number=$(((${#said} - ${#number}) / ${#1}))
}

# taken_while_elections_run KIND ALGORITHM
taken_while_elections_run() {
    local i pid transit=0 number

    eight_start "$2" '' || return
    elect_on 3 &
    pid=$!
    for ((i = 0; i < times; i++)); do
        exits 0 ask $((1 + i % 8)) snapshot -o json || break
        count_of '"incarnation"'
        is "nodes, $1" 8 "$number" || break
        member ms
        count_of '"sequence"'
        transit=$((transit + number))
    done >"$cluster/ms"
    kill $pid
    wait $pid 2>/dev/null
    echo "    $1: $(spread <"$cluster/ms"); $transit messages in transit"
    [ $i = "$times" ]
}

full_is_cut_while_elections_run() {
    taken_while_elections_run full bully
}

ring_is_cut_while_elections_run() {
    taken_while_elections_run ring hirschberg-sinclair
}

tree_is_cut_while_elections_run() {
    taken_while_elections_run tree tree
}

graph_is_cut_while_elections_run() {
    taken_while_elections_run graph extinction
}

# asking VERB: asks the nodes for this, one after the other, until it is killed.
asking() {
    local i=0

    while ask $((1 + i++ % 8)) -o json "$1" >"$cluster/answer"; do
        :
    done
}

# moment_of PATTERN: sets `moment` to when that event came at node 3, in us.
moment_of() {
    read_until 3 "$1" && [[ $event =~ \"mono_ns\":([0-9]+)[0-9]{3} ]] &&
        moment=${BASH_REMATCH[1]}
}

# elections_beside VERB: forces elections while the nodes are asked for this, or
# for nothing. Adds to `took` how long the node that began them had no leader.
elections_beside() {
    local i pid='' from moment

    [ "$1" = nothing ] || { asking "$1" & pid=$!; }
    for ((i = 0; i < times; i++)); do
        ask 3 -q elect && moment_of '"event":"election"' && from=$moment &&
            moment_of '"event":"leader"' || break
        echo "$((moment - from))e-3"
    done >"$cluster/ms"
    [ -z "$pid" ] || { kill "$pid"; wait "$pid" 2>/dev/null; }
    took+="; beside $1 $(spread <"$cluster/ms")"
    is "elections beside $1" "$times" "$(wc -l <"$cluster/ms")"
}

# elections_beside_snapshots KIND ALGORITHM: a status costs a client as much.
elections_beside_snapshots() {
    local took=

    eight_start "$2" '' && watch_open 3 && watch_leader 3 8 &&
        elections_beside nothing &&
        elections_beside snapshot && elections_beside status || return
    echo "    $1: elections ${took#; }"
}

elections_in_full_go_on_beside_snapshots() {
    elections_beside_snapshots full bully
}

elections_in_a_ring_go_on_beside_snapshots() {
    elections_beside_snapshots ring hirschberg-sinclair
}

elections_in_a_tree_go_on_beside_snapshots() {
    elections_beside_snapshots tree tree
}

elections_in_a_graph_go_on_beside_snapshots() {
    elections_beside_snapshots graph extinction
}

quiet_cluster_has_one_marker_a_channel() {
    eight_start bully '' && exits 0 ask 2 snapshot -o json &&
        is markers 56 "$(member markers)" &&
        is leader 8 "$(member leader)" &&
        is 'in transit' '' "$(grep -o '"sequence"' <<<"$said")"
}

# events_of ANSWER: the number of each node's last event in a snapshot, as a
# cut.
events_of() {
    grep -o '"id":[0-9]*\|"events":[0-9]*' <<<"$1" | sed 's/.*://' |
        paste -d : - - | paste -sd ,
}

events_of_all_fit_the_cut() {
    local at

    exits 0 ask 5 snapshot -o json || return
    at=$(events_of "$said")
    ask 5 history --all -o json >"$cluster/all.json" &&
        is histories 8 "$(wc -l <"$cluster/all.json")" &&
        exits 0 "$electctl" history --at "$at" --file "$cluster/all.json" &&
        has 'the verdict' '^consistent' "$said"
}

# Once all is quiet, what a watch has put together from the events is the state
# that the markers cut out.
watch_and_markers_agree() {
    local step=election until=$((SECONDS + seconds_max)) at pid

    "$electctl" -s "$cluster/7.sock" watch --all >"$cluster/watched" &
    pid=$!
    until [ -s "$cluster/watched" ]; do
        [ $SECONDS -lt $until ] || complain 'nothing is seen' || return
        pause
    done
    ask 2 -q elect && whole && exits 0 ask 5 snapshot -o json || return
    at=$(events_of "$said")
    until [ "$(tail -n 1 "$cluster/watched")" = "cut $at" ]; do
        [ $SECONDS -lt $until ] ||
            complain "seen '$(tail -n 1 "$cluster/watched")', not '$at'" ||
            return
        pause
    done
    kill $pid
    has 'the election' 'starts \(forced:(2|two)\)' "$(cat "$cluster/watched")"
}

# Each line is a piece of the history of its node.
watched_events_are_histories() {
    local step=election file=$cluster/watched.json pid

    "$electctl" -s "$cluster/7.sock" watch --all -o json --limit 60 >"$file" &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        ask 2 -q elect && whole || return
    done
    wait $pid && is 'lines of the watch' 60 "$(wc -l <"$file")" &&
        is 'events of the file' 60 "$("$electctl" history --file "$file" | wc -l)"
}

snapshot_is_drawn() {
    local step=election

    ask 1 -q elect && whole || return
    exits 0 ask 4 snapshot -q --svg "$cluster/now.svg" &&
        is 'lines that the cut crosses' 8 \
            "$(grep -c 'class="front"' "$cluster/now.svg")"
}

# On a busy host the others may miss it before the snapshot begins.
node_that_hangs_is_named() {
    local step='return of a node that hung' try

    for try in 1 2 3; do
        node_stop 3
        exits 7 ask 6 snapshot 2>/dev/null && break
        node_continue 3 && whole || return
    done
    has 'the node' 'the session with .*3 ended meanwhile|3 did not answer' \
        "$said" && node_continue 3
}

# drawn TERM: what the picture of that term says of the cut.
drawn() {
    ask 6 -q snapshot --term "$1" --svg "$cluster/then.svg" &&
        sed -n 's/.*class="says"[^>]*>\([^<]*\)<.*/\1/p' "$cluster/then.svg"
}

# What node 3 answered is in no history any more; the picture believes the
# markers. The picture of now has the last term alone, and that of then another
# one.
others_go_on_without_it() {
    local step=election term

    ask 2 -q elect && whole || return
    step=death term=$(kv 6 term status)
    fall 3 &&
        exits 0 ask 6 snapshot --svg "$cluster/now.svg" &&
        has 'the first line' '^consistent, 7 nodes, 42 markers' "$said" &&
        is 'the picture of then' 'the cut is consistent' "$(drawn "$term")" &&
        has 'its term' ", term $term<" "$(cat "$cluster/then.svg")" || return
    term=$(kv 6 term status)
    has 'the term of the picture' ", term $term<" "$(cat "$cluster/now.svg")" &&
        is 'the picture of now' 'the cut is consistent' "$(drawn "$term")"
}

check full_is_cut_while_elections_run
check ring_is_cut_while_elections_run
check tree_is_cut_while_elections_run
check graph_is_cut_while_elections_run
check elections_in_full_go_on_beside_snapshots
check elections_in_a_ring_go_on_beside_snapshots
check elections_in_a_tree_go_on_beside_snapshots
check elections_in_a_graph_go_on_beside_snapshots
check quiet_cluster_has_one_marker_a_channel
check events_of_all_fit_the_cut
check watch_and_markers_agree
check watched_events_are_histories
check snapshot_is_drawn
check node_that_hangs_is_named
check others_go_on_without_it
check_end
