#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback under the guarantee "quorum": how many are a
# majority, which voters are missing and why, and how long a leader leads. Takes
# 56 s.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

# no_quorum ID...: waits until these say so, in every way they have.
no_quorum() {
    local id

    for id in "$@"; do
        read_until "$id" '"event":"quorum","on":false' &&
            exits 0 ask "$id" -q -t "${seconds_max}s" wait no-leader &&
            exit_becomes 5 ask "$id" leader &&
            is 'why' 'electctl: no leader: no quorum; `electctl status` names '\
'the missing voters' "$said" &&
            exit_becomes 5 ask "$id" -q is-leader &&
            exit_becomes 5 ask "$id" elect &&
            has 'state' '"state":"no-quorum"' "$(ask "$id" -o json leader)" ||
            return
    done
}

# If either fails, the other stops: a majority of two is both.
two_need_each_other() {
    quorum 2 && cluster_start 2 1 2 && node_kill9 2 && no_quorum 1 || return
    status_has 1 '^NO LEADER  no quorum: 1 of 2 voters, 2 needed;[[:space:]]+'\
'web2 \(down for [0-9.]+ m?s: (died|refused)\)' || return
    exits 2 ask 1 status --check && has 'verdict' '^NO LEADER  no quorum: '\
'1 of 2 voters, 2 needed; web2 \(down for [^'$'\n'']*\)$' "$said"
}

client_that_waits_for_a_quorum_learns_of_it() {
    local waiting

    ask 1 -q -t "${seconds_max}s" wait quorum &
    waiting=$!
    node_start 2 && watch_open 2 && agree 2 1 2 || return
    wait "$waiting" || complain "wait quorum exited $?" || return
    status_has 1 'quorum +2 of 2 voters heard, 2 needed'$'\n'
}

# Its lease counts from its last granted request, which came before the kill.
a_leader_without_a_majority_stops_in_time() {
    local killed stopped=0

    node_kill9 1 && killed=$moment || return
    while [ "$stopped" -le "$killed" ]; do
        read_until 2 '"event":"no-leader"' || return
        stopped=${event##*\"mono_ns\":} stopped=${stopped%%,*}
    done
    has 'reason' '"previous":2,.*"reason":"lease:2"' "$event" || return
    echo "    stopped $(((stopped - killed) / 1000)) us after the kill"
    [ "$stopped" -le $((killed + lease_ms * 1000000 * 79 / 110)) ] ||
        complain "stopped after $((stopped - killed)) ns" || return
    exit_becomes 5 ask 2 leader && exit_becomes 5 ask 2 -q is-leader &&
        node_start 1 && watch_open 1 && agree 2 1 2 && node_end 1 2
}

# The arbiter has the highest id, but that does not count.
of_two_and_an_arbiter_either_may_fail() {
    quorum 3 && node_setting 3 'role = "voter";' &&
        cluster_start 2 1 2 3 || return
    exit_becomes 0 ask 2 -q is-leader && exits 1 ask 3 -q is-leader &&
        exits 1 ask 1 -q is-leader || return
    node_kill9 2 && agree 1 1 3 || return
    status_has 1 'web2 \(down.*'$'\n''quorum +2 of 3 voters heard, 2 needed' &&
        node_start 2 && watch_open 2 && agree 2 1 2 3 || return
    node_kill9 3 && read_until 1 '"event":"peer-down","peer":3' &&
        is 'leader' web2 "$(ask 1 leader)" && node_start 3 &&
        watch_open 3 && agree 2 3
}

an_arbiter_never_leads() {
    node_kill9 2 && agree 1 1 3 && node_kill9 1 || return
    read_until 3 '"event":"quorum","on":false' &&
        exit_becomes 5 ask 3 leader &&
        exit_becomes 5 ask 3 -q is-leader || return
    status_has 3 'no quorum: 1 of 3 voters, 2 needed;[[:space:]]+'\
'web1 \(down.*\),[[:space:]]+web2 \(down' || return
    node_start 1 && watch_open 1 && agree 1 1 3 && node_kill9 3 &&
        no_quorum 1 && status_has 1 'web2 \(.*\),[[:space:]]+web3 \(' &&
        node_end 1
}

# majority_of N: ends the nodes one by one, the best first. Each time the next
# one leads, as long as a majority is left; then none, until one is back.
majority_of() {
    local n=$1 id missing

    # shellcheck disable=SC2046 # numbers
    quorum "$n" && cluster_start "$n" $(seq "$n") || return
    for ((id = n; id > n / 2 + 1; id--)); do
        # shellcheck disable=SC2046
        node_kill9 "$id" && agree $((id - 1)) $(seq $((id - 1))) || return
    done
    status_has 1 "quorum +$id of $n voters heard, $id needed" || return
    # shellcheck disable=SC2046
    node_kill9 "$id" && no_quorum $(seq $((id - 1))) || return
    for ((missing = id; missing <= n; missing++)); do
        status_has 1 "no quorum: $((id - 1)) of $n voters, $id needed;\
.*web$missing \(down" || return
    done
    # shellcheck disable=SC2046
    node_start "$id" && watch_open "$id" && agree "$id" $(seq "$id") &&
        node_end $(seq "$id")
}

three_of_four_are_a_majority() {
    majority_of 4
}

three_of_five_are_a_majority() {
    majority_of 5
}

four_of_seven_are_a_majority() {
    majority_of 7
}

# The times are below the lease, on the leader as on the others.
answers_say_how_long_they_are_good() {
    local id key valid until now

    quorum 3 && cluster_start 3 1 2 3 && settle 1 2 3 || return
    for id in 1 3; do
        for key in leader is-leader; do
            read -r valid until < <(ask "$id" -o kv "$key" --deadline |
                sed -nE 's/^(valid_ms|until_boot_ns)=//p' | paste -sd ' ')
            now=$(boot_ms)
            [ "$valid" -gt 0 ] && [ "$valid" -le "$worth_ms" ] ||
                complain "$key at $id: valid for $valid ms" || return
            [ $((until / 1000000)) -le $((now + lease_ms)) ] &&
                [ $((until / 1000000)) -ge $((now - worth_ms)) ] ||
                complain "$key at $id: until $until, at $now ms" || return
        done
    done
    status_has 3 'leader +web3 \(3\).*, lease [0-9.]+ ms, agreed by 3'$'\n' &&
        is 'no deadline in events' '' \
            "$(ask 1 -o json watch --limit 1 | grep -o valid_ms)" &&
        exit_becomes 0 ask 1 status --check &&
        is 'agree' 3 "$(kv 3 agree leader)" &&
        node_end 1 2 3
}

# stop_leader WANTED: ends node 3, and sets `moment` to when node 1 has the next
# leader.
stop_leader() {
    kill "${daemon_pid[3]}" && watch_leader 1 2 &&
        has 'cause' '"previous":(3|null),.*"reason":"(bye|lease):3"' "$event" || return
    node_gone 3 || complain "node 3 ended with status $?"
}

# It keeps the lead until then, so that no other node leads.
a_deadline_that_was_handed_out_is_kept() {
    local until ahead began

    quorum 3 && cluster_start 3 1 2 3 && settle 1 2 3 || return
    began=$("$kill9")
    ahead=$(($(boot_ms) - began / 1000000))
    until=$(kv 3 until_boot_ns is-leader --deadline)
    stop_leader || return
    until=$((until / 1000000 - ahead))
    echo "    another leads $((moment / 1000000 - until)) ms after the deadline, 10 more or less"
    [ $((moment / 1000000)) -ge $((until - 20)) ] ||
        complain "another leads before $until ms" || return
    node_end 1 2
}

# look_around ID: asks it all questions that make no promise.
look_around() {
    local id=$1 verb

    for verb in leader '-o json leader' '-o kv leader' status '-o json status' wait \
        '-o json wait leader' peers '-o json peers' 'watch --limit 1' \
        '-o json watch --limit 1' explain stats version; do
        # shellcheck disable=SC2086 # words
        exits 0 ask "$id" $verb || return
    done
}

# Just after all these questions the leader is killed, or gets SIGTERM.
questions_without_a_deadline_hold_up_no_leader() {
    local lease_ms=6000 id way held_ms began

    for way in 'node_kill9 3' 'kill '; do
        quorum 3 && cluster_start 3 1 2 3 || return
        exits 0 ask 1 -q -t "${seconds_max}s" wait quorum || return
        for id in 1 2 3; do
            look_around "$id" || return
        done
        began=$("$kill9")
        if [ "$way" = 'kill ' ]; then
            way+=${daemon_pid[3]}
        fi
        $way && watch_leader 1 2 || return
        held_ms=$(((moment - began) / 1000000))
        echo "    ${way% *}: another leads after $held_ms ms"
        [ "$held_ms" -lt $((lease_ms / 2)) ] ||
            complain 'no sooner than by a deadline' || return
    done
}

# deadlines_given ID: counts the deadlines that a watcher of it got.
deadlines_given() {
    grep -c '"event":"deadline"' "$cluster/$1.deadlines"
}

# A watcher that acts only until the last deadline has stopped when another
# leads, even if the daemon was killed or stopped, of which it learns nothing.
deadlines_that_are_watched_are_kept() {
    local lease_ms=900 signal watcher began ahead until since

    for signal in KILL STOP; do
        quorum 3 && cluster_start 3 1 2 3 || return
        : >"$cluster/3.deadlines"
        ask 3 -o json watch --deadlines >"$cluster/3.deadlines" \
            2>/dev/null &
        watcher=$!
        since=$SECONDS
        while [ "$(deadlines_given 3)" -lt 6 ]; do
            [ "$SECONDS" -lt $((since + seconds_max)) ] ||
                complain 'too few deadlines' || return
            pause
        done
        began=$("$kill9")
        ahead=$(($(boot_ms) - began / 1000000))
        stalls_wanted[3]=yes
        kill -"$signal" "${daemon_pid[3]}"
        watch_leader 1 2 || return
        until=$(sed -n 's/.*"until_boot_ns":\([0-9]*\).*/\1/p' \
            "$cluster/3.deadlines" | tail -n 1)
        until=$((until / 1000000 - ahead))
        echo "    $signal: another leads $((moment / 1000000 - until)) ms after" \
            'the last deadline, 10 more or less'
        [ $((moment / 1000000)) -ge $((until - 20)) ] ||
            complain "another leads before $until ms" || return
        has 'a line' '^\{"event":"deadline","term":[0-9]+,"token":[0-9]+,"leader":3,"self":3,'\
'"valid_ms":[0-9]+,"until_boot_ns":[0-9]+,"mono_ns":[0-9]+,"time":"[^"]*"\}$' \
            "$(tail -n 1 "$cluster/3.deadlines")" || return
        node_kill9 3
        wait "$watcher" 2>/dev/null
        is 'the exit status of watch' 3 $? || return
    done
}

# A second signal ends it at once.
a_leader_that_stops_says_so() {
    local lease_ms=5000

    quorum 1 && cluster_start 1 1 && exits 0 ask 1 -q is-leader --deadline &&
        kill "${daemon_pid[1]}" &&
        status_becomes 1 $'\nstopping leads until its last deadline' &&
        exits 0 ask 1 -q is-leader --deadline && node_end 1
}

# An unknown node differs from one that failed.
status_says_why_by_name() {
    quorum 5 && rm "$cluster"/state/*-3.state &&
        sed 's/misses = 3/misses = 4/' "$cluster/electd.conf" \
            >"$cluster/other.conf" || return
    node_start 1 2 3 && node_run 4 "$cluster/other.conf" &&
        status_becomes 1 'no quorum: 2 of 5 voters, 3 needed;[[:space:]]+'\
'web3 \(does not vote\),[[:space:]]+web4 \(it has other settings\),[[:space:]]+'\
'web5 \(never heard\)'$'\n' &&
        status_has 1 'web3 .* no-vote'$'\n' &&
        status_has 1 'web4 .* other-settings( no-vote)?'$'\n' &&
        status_becomes 3 '; web3 \(no valid state file\),' &&
        status_has 3 $'\n''state +lost: this node neither votes nor stands for '\
'election:[[:space:]]+it waits for a leader that leads without it;[[:space:]]+'\
'in a cluster that never had a leader, stop electd,[[:space:]]+'\
'and electd --init-cluster makes the file: see STATE in '\
'electd\(8\)'$'\n' || return
    is 'in pairs' 'quorum_missing_count=3 quorum_missing_0_id=3 '\
'quorum_missing_0_name=web3 quorum_missing_0_why=no-vote' \
        "$(ask 1 -o kv status | grep -E '^quorum_missing_(count|0_)' |
            paste -sd ' ')" || return
    exits 1 ask 3 -q -t 1s wait leader
}

# The operator makes the state anew; then there are three votes of five, and a
# leader, whose settings the fourth node gets.
a_state_file_made_anew_gives_a_vote() {
    node_end 3 && node_init 3 && node_start 3 && watch_open 1 2 3 4 &&
        agree 4 1 2 3 4 &&
        status_has 1 'quorum +4 of 5 voters heard, 3 needed' &&
        logged 4 'notice: changed: timing.misses' && node_end 1 2 3 4
}

# others: makes the files of nodes 4 and 5: one has another lease, the other one
# more voter, by a later config version.
others() {
    local six='{ id = 6; name = "web6"; address = "127.6.6.6:7426"; }'

    sed "s/\"${lease_ms}ms\"/\"$((2 * lease_ms))ms\"/" "$cluster/electd.conf" \
        >"$cluster/4.conf"
    sed "s/id = 5;.*/&,\n  $six/" "$cluster/electd.conf" >"$cluster/5.conf"
    echo 'config_version = 1;' >>"$cluster/5.conf"
}

# Four of five run, but no three of them have one file.
no_vote_by_another_file_is_counted() {
    local id n

    quorum 5 && others && node_start 1 2 && node_run 4 "$cluster/4.conf" &&
        node_run 5 "$cluster/5.conf" || return
    for id in 1 2; do
        status_becomes "$id" 'no quorum: 2 of 5 voters, 3 needed;[[:space:]]+'\
'web3 \(never heard\),[[:space:]]+web4 \(it has other settings\),[[:space:]]+'\
'web5 \(it has other settings\)' || return
    done
    for id in 4 5; do
        status_becomes "$id" 'no quorum: 1 of [56] voters, [34] needed;'\
'[[:space:]]+web1 \(it has other settings\),[[:space:]]+web2 \(it has ' || return
    done
    exits 1 ask 1 -q -t "$((2 * lease_ms))ms" wait leader || return
    for id in 1 2 4 5; do
        exit_becomes 5 ask "$id" leader && exit_becomes 5 ask "$id" -q is-leader &&
            n=$(kv "$id" config_version status) &&
            is "config version at $id" $((id == 5)) "$n" || return
    done
}

# Three have one file, and agree that it is the cluster's. The others get it,
# and then the leader puts the later one into effect.
a_leader_brings_its_file_to_the_others() {
    local id

    node_start 3 && watch_open 1 2 3 4 5 && agree 5 1 2 3 4 5 || return
    for id in 1 2 3 4 5; do
        status_becomes "$id" '^DEGRADED  web5 leads, 5 of 6 nodes up;.*[[:space:]]web6 ' &&
            status_has "$id" 'quorum +5 of 6 voters heard, 4 needed' &&
            status_has "$id" 'config version 1' || return
    done
    logged 4 'notice: changed: timing.lease' && node_end 1 2 3 4 5
}

# leader_of ID: the term and the name of its leader.
leader_of() {
    ask "$1" -o kv leader | sed -nE 's/^(term|leader_name)=//p' | paste -sd ' '
}

# stamped ID: waits until its settings have a config term: a leader gives them
# one once it has led for a lease.
stamped() {
    local until=$((SECONDS + seconds_max))

    until [[ $(ask "$1" -o kv status) == *$'\n'config_term=[1-9]* ]]; do
        [ "$SECONDS" -lt "$until" ] || complain "$1 has no config term" || return
        pause
    done
}

# It has no vote and no say before.
node_with_another_file_gets_the_settings_and_the_leader_stays() {
    local lease_ms=1000 before

    quorum 5 && setting 'preempt = "never";' && others &&
        cluster_start 3 1 2 3 && settle 1 2 3 && before=$(leader_of 1) || return
    node_run 4 "$cluster/4.conf" && watch_open 4 && agree 3 4 && stamped 4 &&
        status_becomes 1 'quorum +4 of 5 voters heard, 3 needed' &&
        logged 4 'notice: changed: timing.lease' &&
        node_run 5 "$cluster/5.conf" && watch_open 5 && agree 3 5 &&
        status_becomes 1 'quorum +5 of 6 voters heard, 4 needed' &&
        status_becomes 1 'config version 1 \(older file: 0\)' &&
        is 'leader' "$before" "$(leader_of 1)"
}

# Four of six, with theirs. It is the file that is older or differs, at a start.
its_vote_counts_then() {
    node_kill9 3 && watch_leader 1 5 && watch_leader 4 5 && node_end 4 &&
        node_run 4 "$cluster/4.conf" && watch_open 4 && agree 5 4 &&
        logged 4 '4.conf is older \(config version 0\) than the settings of the cluster \(config version 1\), which stay' || return
    setting 'config_version = 1;' && node_end 4 && node_start 4 && watch_open 4 &&
        agree 5 4 && logged 4 'electd.conf differs from the settings of the cluster, of the same config version, which stay' &&
        node_end 1 2 4 5
}

component_has_no_quorum_to_wait_for() {
    fresh && cluster_start 1 1 || return
    exits 2 ask 1 wait quorum &&
        has 'why' 'wait quorum: this cluster has guarantee = "component"' "$said" &&
        is 'in pairs' 'quorum=' "$(ask 1 -o kv status | grep '^quorum')" &&
        node_end 1
}

check two_need_each_other
check client_that_waits_for_a_quorum_learns_of_it
check a_leader_without_a_majority_stops_in_time
check of_two_and_an_arbiter_either_may_fail
check an_arbiter_never_leads
check three_of_four_are_a_majority
check three_of_five_are_a_majority
check four_of_seven_are_a_majority
check answers_say_how_long_they_are_good
check a_deadline_that_was_handed_out_is_kept
check questions_without_a_deadline_hold_up_no_leader
check deadlines_that_are_watched_are_kept
check a_leader_that_stops_says_so
check status_says_why_by_name
check a_state_file_made_anew_gives_a_vote
check no_vote_by_another_file_is_counted
check a_leader_brings_its_file_to_the_others
check node_with_another_file_gets_the_settings_and_the_leader_stays
check its_vote_counts_then
check component_has_no_quorum_to_wait_for
check_end
