#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons under the guarantee "quorum" whose voters and settings change
# while they run, by files and reloads. All the time a client of each daemon
# notes who leads: no term has two leaders, no two nodes lead at a time, and
# none leads only while a leader hands over. Takes 108 s.
# shellcheck disable=SC2086,SC2317 # numbers; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_roll.sh
. tests/system/live/live_roll.sh

force=

# begin ID...: a new cluster of these voters, which all have a state file and
# know who leads.
begin() {
    fresh && guarantee=quorum config_version=0 members="$*" heartbeat=100ms || return
    timing='misses = 5; lease = "1400ms"; startup = "300ms";' more=
    priority=() role=() key=() old_key=()
    install "$@" && init "$@" && join "$@" && agree "${*: -1}" "$@" &&
        settle "$@"
}

# roll_out ID...: the next config version comes to these hosts, in this order.
roll_out() {
    local id

    config_version=$((config_version + 1))
    for id in "$@"; do
        install "$id" && exits 0 ask "$id" reload --no-wait $force || return
    done
}

# forced COMMAND...: runs it while a reload adds voters that do not run.
forced() {
    local force=--force

    "$@"
}

# refused ID PATTERN: fails unless a reload of the next config version at this
# host is refused for that, which changes nothing there. Then its file is the
# one before.
refused() {
    local before

    cp "$cluster/$1.conf" "$cluster/before" && before=$(state_of "$1") || return
    config_version=$((config_version + 1))
    install "$1" && exits 6 ask "$1" reload && has 'why' "$2" "$said" &&
        is "state of $1" "$before" "$(state_of "$1")" || return
    config_version=$((config_version - 1))
    mv "$cluster/before" "$cluster/$1.conf"
}

# state_of ID: what nothing has changed of.
state_of() {
    ask "$1" -o kv status | grep -E '^(term|leader_id|config_version|quorum_voters)='
}

# Node 4 starts before the others have its file, node 5 after that, which an
# operator has to want. Each takes the lead over.
three_voters_grow_to_five() {
    local since

    begin 1 2 3 && since=$(now) && members='1 2 3 4' && config_version=1 &&
        install 4 && init 4 && join 4 && trouble_becomes 4 outside &&
        install 2 && exits 0 ask 2 reload &&
        has 'what is said' 'changed: nodes: also web4' "$said" &&
        is 'what is in effect' "$config_version" "$(field 2 config_version)" && agree 4 1 2 3 4 && in_effect 1 2 3 4 && install 1 3 &&
        exits 0 ask 3 reload && has 'what is said' '^the file and its keys are already in effect$' "$said" &&
        exits 0 ask 1 reload && voters_are 4 1 2 3 4 || return
    members='1 2 3 4 5'
    refused 3 'this node does not hear web5 \(5\)' &&
        logged 3 'reload: this node does not hear web5 \(5\)' &&
        forced roll_out 3 1 4 2 && becomes config_version 2 1 2 3 4 &&
        install 5 && init 5 && join 5 && agree 5 1 2 3 4 5 &&
        in_effect 1 2 3 4 5 && voters_are 5 1 2 3 4 5 &&
        led "$since" planned
}

# The first that goes is the leader, which hears of it from another host.
five_voters_shrink_to_three() {
    local since

    since=$(now)
    members='1 2 3 4'
    roll_out 2 4 1 3 && agree 4 1 2 3 4 && in_effect 1 2 3 4 &&
        becomes leader_id '' 5 && trouble_becomes 5 outside && node_end 5 &&
        members='2 3 4' && roll_out 4 3 2 && in_effect 2 3 4 &&
        voters_are 3 2 3 4 && trouble_becomes 1 outside && node_end 1 &&
        led "$since" planned
}

# With two of three the cluster goes on, and with one it does not.
the_voters_that_are_left_are_a_majority_of_three() {
    die 4 && agree 3 2 3 && die 3 && becomes leader_id '' 2 &&
        status_has 2 'no quorum: 1 of 3 voters, 2 needed' &&
        heartbeat=95ms && roll_out 2 && has 'what is said' \
        '^there is no leader now: this waits for one' "$said" &&
        status_has 2 "proposed config version $config_version; there is no leader" &&
        join 3 4 && agree 4 2 3 4 && in_effect 2 3 4 && led 0 &&
        node_end 2 3 4
}

two_voters_at_once_are_refused() {
    local why='more than one voter comes, goes or changes compared with the settings in effect: change one at a time, and wait until each change is in effect; nothing has changed'

    begin 1 2 3 && members='1 2 3 4 5' && refused 3 "$why" &&
        refused 1 "$why" && members='2 3 4' && refused 2 "$why" &&
        members='1 2 3' && role[1]=observer role[2]=observer &&
        refused 3 "$why" && logged 3 'reload: nothing has changed; more than one' &&
        role=() && members='3' && refused 3 "$why" && members='1 2 3' || return
    settle 1 2 3 && is 'config_version' 0 "$(field 2 config_version)"
}

# checks STATUS PATTERN: fails unless electd -t says so of the file of host 1.
checks() {
    install 1 && exits "$1" "$electd" -t -c "$cluster/1.conf" -i 1 &&
        has 'what electd -t says' "$2" "$said"
}

# What a reload would say, as far as the state directory tells.
electd_t_knows_the_settings_in_effect() {
    checks 0 ': ok: cluster' && heartbeat=95ms &&
        checks 8 'error: config_version: the settings of the cluster are others of the same config version, 0;' &&
        refused_so 'raise config_version' && roll_out 1 && in_effect 1 2 3 &&
        checks 0 ': ok: cluster' && config_version=0 &&
        checks 0 'older \(config version 0\) than the settings of the cluster \(config version 1\), which stay' &&
        config_version=2 role[1]=observer && checks 0 ': ok, 1 warning' &&
        role[2]=observer && checks 0 'warning: nodes: a reload refuses this while config version 1 is in effect, .* more than one voter' &&
        role=() members='1 2 3 4 5' && checks 0 'more than one voter' &&
        members='1' && checks 0 'more than one voter' &&
        members='1 2 3' config_version=1 role[2]=observer && roll_out 1 &&
        in_effect 1 2 3 && role=() config_version=3 &&
        checks 0 'warning: nodes: .* an observer cannot become a voter; remove' &&
        refused_so 'an observer cannot become a voter' &&
        config_version=0 heartbeat=100ms && begin 1 2 3
}

# refused_so PATTERN: fails unless a reload of host 1 says so.
refused_so() {
    exits 6 ask 1 reload && has 'what a reload says' "$1" "$said"
}

# SIGHUP and a start say so in the log.
two_voters_at_once_are_refused_without_a_client_too() {
    members='1 2 3 4 5' config_version=1
    install 1 && kill -HUP "${daemon_pid[1]}" &&
        log_comes_to 1 'more than one voter comes, goes or changes' && node_end 1 &&
        : >"$cluster/1.log" && join 1 && agree 3 1 &&
        logged 1 'cannot put the settings of config version 1 into effect: more than one voter' &&
        voters_are 3 1 2 3 && is 'config_version' 0 "$(field 1 config_version)"
}

an_observer_that_should_become_a_voter_is_refused() {
    config_version=0 members='1 2 3 4' role[4]=observer
    roll_out 2 && in_effect 1 2 3 && install 4 && join 4 && agree 3 4 &&
        role=() && refused 1 'an observer cannot become a voter: remove it first, then add it; nothing has changed' &&
        refused 4 'an observer cannot become a voter' && settle 1 2 3 4
}

# Its state file is that of an observer: a leader admits it.
an_observer_that_is_removed_and_added_is_admitted() {
    members='1 2 3'
    roll_out 1 && in_effect 1 2 3 && becomes leader_id '' 4 || return
    members='1 2 3 4'
    forced roll_out 1 && becomes config_version "$config_version" 1 2 3 4 &&
        log_comes_to 4 'does not vote yet, nor stands for election: missing; it waits for a leader' &&
        log_comes_to 4 'is sound: this node votes from now on' &&
        agree 4 1 2 3 4 && voters_are 4 1 2 3 4
}

# An observer it becomes at once, as one voter that goes; also the leader.
a_voter_becomes_an_observer() {
    role[1]=observer
    roll_out 1 && in_effect 1 2 3 4 && voters_are 3 1 2 3 4 || return
    role[4]=observer
    roll_out 1 && becomes leader_id 3 1 2 3 4 && in_effect 1 2 3 4 &&
        logged 4 'handing over: the settings .* do not let this node lead' &&
        led 0 && node_end 1 2 3 4
}

# changed WHAT LEADER ID: rolls the change out, first at this host.
changed() {
    local rest=${members/$3/}

    echo "    $1"
    roll_out "$3" $rest && becomes leader_id "$2" $members &&
        in_effect $members
}

all_settings_change_at_run_time() {
    local since

    begin 1 2 3 4 5 && since=$(now) || return
    heartbeat=150ms timing='misses = 4; lease = "2500ms"; startup = "300ms";'
    changed 'timing, and a longer lease' 5 1 || return
    heartbeat=80ms timing='misses = 3; lease = "800ms"; startup = "300ms";'
    changed 'timing, and a shorter lease' 5 5 || return
    priority[2]=5
    changed priority 2 3 || return
    more='algorithm = "bully-broadcast";'
    changed algorithm 2 4 || return
    more='algorithm = "chang-roberts"; topology = { order = [1, 3, 5, 2, 4]; };'
    changed 'a ring' 2 2 || return
    more='algorithm = "bully"; preempt = "never";' priority=()
    changed 'preempt' 2 1 && led "$since" planned &&
        settle 1 2 3 4 5
}

# As electd.conf(5) says, by reloads without another config version.
a_key_changes_at_run_time() {
    local since id

    since=$(now)
    new_key "$cluster/new-key" || return
    for id in 1 2 3 4 5; do
        old_key[$id]=new-key
        install "$id" && exits 0 ask "$id" reload || return
    done
    for id in 5 4 3 2 1; do
        key[$id]=new-key old_key[$id]=key
        install "$id" && exits 0 ask "$id" reload || return
    done
    for id in 1 2 3 4 5; do
        old_key[$id]=
        install "$id" && exits 0 ask "$id" reload || return
    done
    settle 1 2 3 4 5 && led "$since" planned
}

# Its file is that of its first start, its key file the one of today.
a_member_that_was_away_returns_with_the_oldest_file() {
    local since before

    begin 1 2 3 4 5 && node_end 1 && since=$(now) || return
    members='1 2 3 4 5 6'
    install 6 && init 6 && forced roll_out 3 && install 6 && join 6 &&
        agree 6 2 3 4 5 6 || return
    heartbeat=150ms timing='misses = 4; lease = "2500ms"; startup = "300ms";'
    roll_out 4 && becomes config_version 2 2 3 4 5 6 || return
    members='1 2 3 4 5'
    roll_out 2 && agree 5 2 3 4 5 && becomes config_version 3 2 3 4 5 &&
        node_end 6 && priority[4]=2 && roll_out 5 &&
        agree 4 2 3 4 5 && in_effect 2 3 4 5 || return
    before=$(changes 2 3 4 5)
    : >"$cluster/1.log" && join 1 && agree 4 1 && in_effect 1 2 3 4 5 &&
        voters_are 5 1 2 3 4 5 &&
        logged 1 "web[0-9] gave the settings of config version 4" &&
        is 'changes of leader' "$before" "$(changes 2 3 4 5)" &&
        is 'its file' 0 "$(field 1 file_config_version)" &&
        led "$since" planned
}

# Nobody has a problem with that, also not at another start. (For the length of
# a lease those that were started do not vote, so they are two of five.)
a_roll_out_that_stops_half_way_leaves_a_sound_cluster() {
    local since id

    since=$(now)
    priority=()
    roll_out 2 3 && in_effect 1 2 3 4 5 && agree 5 1 2 3 4 5 || return
    for id in 1 5; do
        node_end "$id" && join "$id" && becomes leader_id 5 1 2 3 4 5 &&
            in_effect 1 2 3 4 5 || return
    done
    logged 5 '5.conf is older .*config version 5\), which stay in effect' &&
        led "$since" planned
}

# A sixth voter would be the fourth that a majority of six needs. The step comes
# with the next voter. A seventh may come only after that.
a_step_waits_for_a_majority_of_the_voters_to_be() {
    local before

    die 5 && die 4 && agree 3 1 2 3 && before=$(state_of 1) || return
    members='1 2 3 4 5 6'
    forced roll_out 1 && exits 0 ask 2 -q -t 1s wait leader &&
        exits 1 ask 2 -q -t 1500ms wait no-leader &&
        is 'state' "$before" "$(state_of 1)" || return
    members='1 2 3 4 5 6 7'
    refused 1 'wait until each change is in effect; nothing has changed' &&
        members='1 2 3 4 5 6' &&
        status_has 1 "proposed config version $config_version; the leader is to put" &&
        status_becomes 3 'waits until the leader hears a majority of the voters to be' &&
        status_has 1 "config version 5 \(newer file: $config_version\)" &&
        install 3 && exits 0 ask 3 reload --no-wait --force &&
        has 'what is said' '^the leader is to put this into effect' "$said" &&
        join 4 &&
        becomes config_version "$config_version" 1 2 3 4 && agree 4 1 2 3 4 &&
        is 'file of 3' "$config_version" "$(field 3 file_config_version)" &&
        status_has 1 'quorum +4 of 6 voters heard, 4 needed' && led 0 &&
        node_end 1 2 3 4
}

# It goes once another node may lead in its place.
a_leader_that_cannot_resign_yet_is_removed_later() {
    begin 1 2 3 && role[1]=voter && roll_out 1 && in_effect 1 2 3 && die 2 &&
        members='1 2' && roll_out 1 &&
        exits 1 ask 1 -q -t 1500ms wait no-leader &&
        becomes leader_id 3 1 && join 2 && becomes leader_id 2 1 2 &&
        becomes config_version 2 1 2 && voters_are 2 1 2 &&
        trouble_becomes 3 outside && led 0 planned && node_end 1 2 3
}

# It leads on as long as the settings could not come into effect without it.
a_leader_that_the_next_majority_cannot_do_without_is_removed_later() {
    begin 1 2 3 && die 2 && members='1 2' && roll_out 1 &&
        exits 1 ask 1 -q -t 1500ms wait no-leader &&
        is 'leader' 3 "$(field 1 leader_id)" &&
        is 'standby' '' "$(field 3 node_standby)" && join 2 &&
        agree 2 1 2 && becomes config_version 1 1 2 && voters_are 2 1 2 &&
        trouble_becomes 3 outside && led 0 planned && node_end 1 2 3
}

# The settings are those of before or after, everywhere. The rounds kill at
# other moments of the step: it takes some ms. The next leader stays, since a
# node that starts often would wait long before it takes over.
a_leader_that_is_killed_in_the_middle_of_a_step_is_followed() {
    local round leader=3 other pid id

    begin 1 2 3 && more='preempt = "never";' && roll_out 1 &&
        in_effect 1 2 3 || return
    for round in 1 2 3 4 5 6 7 8; do
        heartbeat=$((100 - round))ms config_version=$((config_version + 1))
        other=$((leader == 3 ? 2 : 3))
        install 1 2 3
        if [ $((round % 2)) = 0 ]; then
            ask 1 -q reload >/dev/null 2>&1 &
            pid=$!
        else
            kill -HUP "${daemon_pid[$leader]}"
            pid=
        fi
        [ $((round % 4)) -lt 2 ] || ask 1 -q stats >/dev/null
        die "$leader" && agree "$other" 1 "$other" || return
        [ -z "$pid" ] || wait "$pid"
        join "$leader" && agree "$other" "$leader" || return
        for id in 1 2 3; do
            ask "$id" -q reload || return
        done
        in_effect 1 2 3 || return
        leader=$other
    done
    led 0
}

# One of the two that are left has the step, and the leader dies.
a_step_that_has_reached_one_voter_of_three_is_sound() {
    local before

    heartbeat=90ms && config_version=$((config_version + 1))
    install 1 2 3 && node_stop 1 && before=$(now) &&
        ask 3 -q reload && becomes config_version "$config_version" 2 3 && die 3 &&
        node_continue 1 && agree 2 1 2 &&
        becomes config_version "$config_version" 1 2 && join 3 && agree 2 3 &&
        in_effect 1 2 3 && led "$before" && node_end 1 2 3
}

# It may have voted by settings that nobody here knows any more.
a_host_that_has_lost_its_settings_does_not_vote() {
    begin 1 2 3 && heartbeat=93ms && roll_out 1 && in_effect 1 2 3 &&
        node_end 1 2 3 && rm "$cluster/state/roll-2.settings" &&
        install 2 && sed -i 's/config_version = 1/config_version = 0/' "$cluster/2.conf" &&
        : >"$cluster/2.log" && join 2 || return
    logged 2 'nor stands for election: this node has voted by settings of config version 1, config term [1-9][0-9]*, which are kept here no more; it votes again once' &&
        status_becomes 2 $'\n''state +changed: '
}

# Another voter gives them, and is no majority without it.
it_votes_when_it_has_them_again() {
    join 1 && agree 2 1 2 && becomes config_version 1 2 &&
        logged 2 'is sound: this node votes from now on' && join 3 &&
        agree 3 1 2 3 && voters_are 3 1 2 3 && node_end 2 &&
        : >"$cluster/2.log" && join 2 && agree 3 2 && voters_are 3 1 2 3 &&
        ! grep -q 'does not vote' "$cluster/2.log" && die 3 &&
        agree 2 1 2 && led 0 && node_end 1 2
}

# Node 3 is away while the voters become others, and node 1 has lost its disk.
# By what node 3 knows the two are a majority.
two_that_have_forgotten_the_voters_elect_nobody() {
    begin 1 2 3 && heartbeat=95ms && roll_out 1 && in_effect 1 2 3 &&
        node_end 3 && agree 2 1 2 && members='1 2' && roll_out 1 2 &&
        in_effect 1 2 && members='1 2 4' && forced roll_out 2 && install 1 4 &&
        init 4 && join 4 && agree 4 1 2 4 && in_effect 1 2 4 &&
        members='1 2 3 4' && forced roll_out 4 && in_effect 1 2 4 &&
        members='1 2 3 4 5' && forced roll_out 4 && install 1 2 3 5 && init 5 &&
        join 5 && agree 5 1 2 4 5 && in_effect 1 2 4 5 || return
    node_end 1 && rm "$cluster"/state/roll-1.* &&
        die 2 && die 4 && die 5 && : >"$cluster/1.log" && join 1 3 &&
        logged 1 'this node does not vote yet' &&
        exits 1 ask 3 -q -t 4s wait leader &&
        exits 1 ask 1 -q -t 1s wait leader || return
    join 2 4 5 && agree 5 1 2 3 4 5 && voters_are 5 1 2 3 4 5 &&
        led 0 && node_end 1 2 3 4 5
}

check three_voters_grow_to_five
check five_voters_shrink_to_three
check the_voters_that_are_left_are_a_majority_of_three
check two_voters_at_once_are_refused
check electd_t_knows_the_settings_in_effect
check two_voters_at_once_are_refused_without_a_client_too
check an_observer_that_should_become_a_voter_is_refused
check an_observer_that_is_removed_and_added_is_admitted
check a_voter_becomes_an_observer
check all_settings_change_at_run_time
check a_key_changes_at_run_time
check a_member_that_was_away_returns_with_the_oldest_file
check a_roll_out_that_stops_half_way_leaves_a_sound_cluster
check a_step_waits_for_a_majority_of_the_voters_to_be
check a_leader_that_cannot_resign_yet_is_removed_later
check a_leader_that_the_next_majority_cannot_do_without_is_removed_later
check a_leader_that_is_killed_in_the_middle_of_a_step_is_followed
check a_step_that_has_reached_one_voter_of_three_is_sound
check a_host_that_has_lost_its_settings_does_not_vote
check it_votes_when_it_has_them_again
check two_that_have_forgotten_the_voters_elect_nobody
check_end
