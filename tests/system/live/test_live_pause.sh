#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The leader stands still for five seconds (SIGSTOP) and goes on. The others
# have a new one within the detection time, and the old one does not say that it
# leads before it has heard them. The merged event streams of all nodes show
# this.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

pause_s=5     # real time, for it cannot be pretended
margin_ms=250 # at most, of the detector; it follows the jitter it sees
slack_ms=250  # for processes of a busy machine to get their turn

# Keeps the events of all nodes, merged by time, in $cluster/merged.
collect_start() {
    local id

    for id in "$@"; do
        "$electctl" -s "$cluster/$id.sock" -o json watch \
            >"$cluster/$id.events" 2>/dev/null &
        collectors+=($!)
    done
}

# The collectors end with the daemons, which have gone.
collect_end() {
    wait "${collectors[@]}"
    collectors=()
    sed 's/.*"mono_ns":\([0-9]*\).*/\1 &/' "$cluster"/*.events | sort -n \
        >"$cluster/merged"
}

# events FROM TO PATTERN: prints the events of this time that match.
events() {
    awk -v from="$1" -v to="$2" '$1 >= from && $1 < to' "$cluster/merged" |
        grep -E -- "$3"
}

# Real time must pass here: reads the events of before, and then nothing more,
# as the process stands still.
let_time_pass() {
    while read -r -t "$1" -u "${watch_fd[5]}"; do
        :
    done
}

# Sets when it was stopped, when it went on, and its first answers: to clients
# that had asked meanwhile, and to one that asks at once.
pause_and_go_on() {
    stopped=$("$kill9")
    node_stop 5
    agree 4 1 2 3 4 || return
    let_time_pass "$pause_s"
    ask 5 -o json leader >"$cluster/asked" &
    asked_pid=$!
    ask 5 -o json watch --limit 1 >"$cluster/watched" &
    watched_pid=$!
    old_term=$(kv 4 term leader)
    resumed=$("$kill9")
    node_continue 5
    at_once=$(ask 5 -o json leader)
    wait "$asked_pid" "$watched_pid"
}

the_leader_pauses_and_is_back() {
    fresh && node_start 1 2 3 4 5 || return
    collect_start 1 2 3 4 5
    watch_open 1 2 3 4 5 && agree 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    pause_and_go_on || return
    agree 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    ended=$("$kill9")
    node_end 5 4 3 2 1 || return
    collect_end
}

the_others_elect_within_the_detection_time() {
    local id at worst=0

    for id in 1 2 3 4; do
        at=$(events "$stopped" "$resumed" \
            "\"event\":\"leader\".*\"leader\":4,.*\"self\":$id," |
            sed -n '1s/ .*//p')
        [ -n "$at" ] || complain "node $id did not follow 4" || return
        [ $((at - stopped)) -le $((worst)) ] || worst=$((at - stopped))
    done
    echo "    the last of four had the new leader after" \
        "$((worst / 1000000)) ms"
    [ "$worst" -le $(((detection_ms + margin_ms + slack_ms) * 1000000)) ] ||
        complain 'that is too late'
}

revived_node_listens_before_it_requests_votes() {
    local claim heard

    claim=$(events "$resumed" "$ended" \
        '"event":"(leader|state)".*"leader":5,.*"self":5,' |
        sed -n '1s/ .*//p')
    [ -n "$claim" ] || complain 'it never led again' || return
    heard=$(events "$resumed" "$claim" '"event":"peer-up".*"self":5,' |
        wc -l)
    echo "    it led $(((claim - resumed) / 1000000)) ms after, having heard" \
        "$heard of the others"
    [ "$heard" -ge 1 ] || complain 'it heard no peer before'
}

it_says_first_that_it_leads_no_longer() {
    has 'its first word' '"event":"(no-leader|stalled)"|"leader":null' \
        "$(events "$resumed" "$ended" '"self":5,' |
            grep -E '"event":"(leader|no-leader|state)"' | head -n 1)"
}

resumed_leader_does_not_give_its_old_answer() {
    local answer

    has 'answer' '^\{"term":' "$(cat "$cluster/asked")" || return
    has 'first line' '^\{"event":"state"' "$(cat "$cluster/watched")" || return
    for answer in "$(cat "$cluster/asked")" "$(cat "$cluster/watched")"; do
        ! grep -E '"leader":(5,|\{"id":5,)' <<<"$answer" ||
            complain 'it says that it leads' || return
    done
    # By now it may have won, but only in a new term.
    [[ $at_once != *'"leader":{"id":5,'* ]] ||
        [ "$(grep -oE '[0-9]+' <<<"$at_once" | head -n 1)" -gt \
            "$old_term" ] || complain "it says that it leads: $at_once"
}

# The leader changed to another while it stood still, and back, and no more.
leadership_changes_twice() {
    is 'changes at node 1' '4 5' "$(events "$stopped" "$ended" \
        '"event":"leader".*"self":1,' |
        sed 's/.*"leader":\([0-9]*\).*/\1/' | paste -sd ' ')"
}

stopped=0 resumed=0 ended=0 # moments, once they have come
collectors=()
check the_leader_pauses_and_is_back
check the_others_elect_within_the_detection_time
check revived_node_listens_before_it_requests_votes
check it_says_first_that_it_leads_no_longer
check resumed_leader_does_not_give_its_old_answer
check leadership_changes_twice
[ $failures -eq 0 ] || cut -c 1-160 "$cluster/merged" | tail -n 60
check_end
