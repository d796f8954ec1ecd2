#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons of which one reads a file of a later config version: it reaches
# all, and all put it into effect while they lead and follow. Each host has a
# file of its own, so that most of them are older. Takes 11 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_roll.sh
. tests/system/live/live_roll.sh

# one_helper ID: waits until it has one child: those before have ended, and the
# daemon has taken note of that.
one_helper() {
    local until=$((SECONDS + seconds_max)) pid=${daemon_pid[$1]}

    until [ "$(wc -w <"/proc/$pid/task/$pid/children")" = 1 ]; do
        [ "$SECONDS" -lt "$until" ] || complain "node $1 has more helpers" ||
            return
        pause
    done
}

# status_shows ID PATTERN
status_shows() {
    ask "$1" status | grep -q "$2"
}

a_file_on_one_host_reaches_all() {
    local before

    fresh && install 1 2 3 && run 1 2 3 && agree 3 1 2 3 && settle 1 2 3 &&
        before=$(changes 1 2 3) || return
    priority[1]=5 heartbeat=200ms
    roll 1 && has 'what has changed' 'priority of web1' "$said" &&
        has 'what has changed' 'timing.heartbeat' "$said" &&
        agree 1 1 2 3 && in_effect 1 2 3 &&
        is 'changes of leader' "$(more_changes 1 "$before")" \
            "$(changes 1 2 3)" &&
        logged 3 'web1 gave the settings of config version 1' &&
        logged 3 'notice: changed: timing.heartbeat' &&
        one_helper 1 && one_helper 3 &&
        has 'json' '"config_version":1,' "$(ask 3 -o json status)" &&
        has 'status' 'config version 1 \(older file: 0\)' "$(ask 3 status)" &&
        exits 1 ask 3 status --check && has 'verdict' \
        '^DEGRADED  web1 leads, 3 of 3 nodes up; web3 \(its file is older than the settings in effect\)$' \
            "$said" && exits 0 ask 1 status --check &&
        ! grep 'older file' <<<"$(ask 1 status)" &&
        awaits "$seconds_max" status_shows 1 \
            '^files    older on web2, web3: install the one of config version 1 there$'
}

# Its file is then the one in effect.
a_host_that_gets_the_file_later_has_no_older_one() {
    install 3 && exits 0 ask 3 reload && becomes file_config_version 1 3 &&
        has 'what is in effect' 'already in effect' "$said" &&
        awaits "$seconds_max" status_shows 1 '^files    older on web2: ' &&
        ! grep 'older file' <<<"$(ask 3 status)" &&
        is 'file of node 2' 0 "$(field 2 file_config_version)"
}

a_file_that_is_older_says_so_and_its_own_settings_count() {
    cp -p "$cluster/key" "$cluster/copy" && exits 0 ask 2 reload &&
        has 'that it is older' 'older than the settings of the cluster' \
            "$said" || return
    sed -i "s|$cluster/key|$cluster/copy|; s/100ms/170ms/" "$cluster/2.conf"
    exits 0 ask 2 reload && has 'what has changed' \
        'changed: security.key_file' "$said" &&
        ! grep -q heartbeat <<<"$said" && is 'config_version' 1 \
        "$(field 2 config_version)" && logged 2 'is older than the settings' &&
        settle 1 2 3
}

# What a file of the same config version has of all hosts is not taken.
a_change_without_another_config_version_is_refused() {
    heartbeat=210ms
    install 1 && exits 6 ask 1 reload &&
        has 'what must agree' 'timing.heartbeat' "$said" &&
        has 'what to do' 'raise config_version' "$said" && settle 1 2 3
}

# The others do not know it yet.
a_joiner_waits_until_a_member_has_its_file() {
    local before

    before=$(changes 1 2 3)
    config_version=2 members='1 2 3 4'
    install 4 && run 4 && becomes role none 4 &&
        trouble_becomes 4 'outside' && settle 1 2 3 &&
        install 2 && exits 0 ask 2 reload &&
        has 'what has changed' 'nodes: also web4' "$said" &&
        agree 1 4 && in_effect 1 2 3 4 &&
        is 'changes of leader' "$before" "$(changes 1 2 3)"
}

a_leader_that_is_removed_gives_up_and_disturbs_nobody() {
    local before

    members='2 3 4'
    before=$(changes 2 3 4)
    roll 2 && agree 4 2 3 4 && in_effect 2 3 4 && becomes leader_id '' 1 &&
        trouble_becomes 1 outside &&
        logged 1 'do not name web1: it does not lead; if it was removed, stop' &&
        is 'changes of leader' "$(more_changes 1 "$before")" \
            "$(changes 2 3 4)" &&
        exits 1 ask 1 -q is-leader
}

a_node_that_is_added_again_leads_again() {
    members='1 2 3 4'
    roll 3 && agree 1 2 3 4 && in_effect 1 2 3 4 &&
        is 'config_version' "$config_version" "$(field 1 config_version)"
}

# Its file is that of its first start. Nobody notices more than that it is back.
a_member_that_was_away_returns_with_the_oldest_file() {
    local before old=$config_version

    node_end 2 && priority[3]=2 && roll 3 && heartbeat=220ms && roll 4 &&
        priority[4]=3 && roll 1 && in_effect 1 3 4 &&
        before=$(changes 1 3 4) || return
    is 'its file' "$((old - 1))" \
        "$(sed -n 's/^config_version = \([0-9]*\);.*/\1/p' "$cluster/2.conf")" &&
        run 2 && in_effect 1 2 3 4 && agree 1 2 &&
        logged 2 "web[0-9] gave the settings of config version $config_version" &&
        is 'changes of leader' "$before" "$(changes 1 3 4)"
}

# It begins with the document, before it hears anybody.
a_restart_goes_on_with_what_was_kept() {
    node_end 2 && : >"$cluster/2.log" && run 2 &&
        is 'config_version' "$config_version" "$(field 2 config_version)" &&
        logged 2 "2.conf is older .*config version $config_version\), which stay" &&
        ! grep -q ' gave the settings' "$cluster/2.log" && in_effect 1 2 3 4
}

# All take the same one of the two. Which one is the later is known to nobody
# before; the host with the other one may hear of it before it has read its own.
two_files_of_one_config_version_come_to_one() {
    local id pids=() refused=

    config_version=$((config_version + 1))
    heartbeat=230ms && install 1 && heartbeat=235ms && install 4 || return
    for id in 1 4; do
        ask "$id" -q reload >/dev/null 2>&1 &
        pids+=($!)
    done
    for id in "${pids[@]}"; do
        wait "$id" || refused=1
    done
    in_effect 1 2 3 4 && { [ -n "$refused" ] || cat "$cluster"/[14].log |
        grep -q 'has other settings of the same config version'; } && for id in 1 2 3 4; do
        none_is_behind "$id" || return
    done
    heartbeat=245ms && roll 3 && in_effect 1 2 3 4
}

# none_is_behind ID: waits until all its peers have its settings.
none_is_behind() {
    local until=$((SECONDS + seconds_max))

    while [[ $(ask "$1" -o json peers) == *'"behind":true'* ]]; do
        [ "$SECONDS" -lt "$until" ] || complain "node $1: $(ask "$1" peers)" ||
            return
        pause
    done
}

# Its last will says so, or its closed port, which the others meet while they
# exchange the settings. Nobody waits for a heartbeat that does not come. It may
# die before anybody has its settings: then they come when it returns.
a_leader_that_dies_right_after_a_change_is_followed_at_once() {
    local round

    for round in 1 2; do
        heartbeat=$((500 + round))ms
        roll 1 && node_kill9 1 && watch_leader 2 4 &&
            has 'why' '"reason":"(died|refused):1"' "$event" &&
            agree 4 3 4 && run 1 && agree 1 1 2 3 4 &&
            in_effect 1 2 3 4 || return
    done
}

# The file is read while the node hands over, or before, or not any more.
a_node_that_stops_reads_what_it_is_told_and_ends_well() {
    heartbeat=200ms config_version=$((config_version + 1))
    node_stop 2 3 4
    install 1 && kill "${daemon_pid[1]}" && kill -HUP "${daemon_pid[1]}"
    node_gone 1 || complain "it ended with status $?" || return
    node_continue 2 3 4
    run 1 && agree 1 1 2 3 4 && in_effect 1 2 3 4 && node_end 1 2 3 4
}

a_ring_changes_its_order() {
    local id

    fresh && config_version=0 members='1 2 3 4 5' heartbeat=200ms || return
    priority=()
    more='algorithm = "chang-roberts"; topology = { order = [1, 2, 3, 4, 5]; };'
    install 1 2 3 4 5 && run 1 2 3 4 5 && agree 5 1 2 3 4 5 || return
    more='algorithm = "chang-roberts"; topology = { order = [1, 3, 5, 2, 4]; };'
    roll 2 && becomes config_version 1 1 2 3 4 5 && agree 5 || return
    more='algorithm = "hirschberg-sinclair"; topology = { order = [1, 4, 2, 5, 3]; };'
    priority[2]=9
    roll 5 && becomes config_version 2 1 2 3 4 5 && agree 2 1 2 3 4 5 || return
    for id in 1 2 3 4 5; do
        becomes algorithm hirschberg-sinclair "$id" && install "$id" &&
            exits 0 ask "$id" reload && becomes verdict ok "$id" || return
    done
}

a_ring_that_has_just_changed_goes_on_without_its_leader() {
    more='algorithm = "lelann"; topology = { order = [5, 4, 3, 2, 1]; };'
    roll 2 && node_kill9 2 && agree 5 1 3 4 5 && run 2 &&
        agree 2 1 2 3 4 5 && becomes config_version "$config_version" 1 2 3 4 5 &&
        becomes algorithm lelann 1 2 3 4 5 && node_end 1 2 3 4 5
}

check a_file_on_one_host_reaches_all
check a_host_that_gets_the_file_later_has_no_older_one
check a_file_that_is_older_says_so_and_its_own_settings_count
check a_change_without_another_config_version_is_refused
check a_joiner_waits_until_a_member_has_its_file
check a_leader_that_is_removed_gives_up_and_disturbs_nobody
check a_node_that_is_added_again_leads_again
check a_member_that_was_away_returns_with_the_oldest_file
check a_restart_goes_on_with_what_was_kept
check two_files_of_one_config_version_come_to_one
check a_leader_that_dies_right_after_a_change_is_followed_at_once
check a_node_that_stops_reads_what_it_is_told_and_ends_well
check a_ring_changes_its_order
check a_ring_that_has_just_changed_goes_on_without_its_leader
check_end
