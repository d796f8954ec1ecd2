#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback elect the highest node, the next, the one that came
# back; by id, by priority, by preference. They report it in the documented
# form.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# keys_of ANSWER: its keys, in their order.
keys_of() {
    grep -o '"[a-z_]*":' <<<"$1" | tr -d '":' | paste -sd ' '
}

the_highest_leads_and_all_say_so() {
    local id

    fresh && cluster_start 5 1 2 3 4 5 || return
    for id in 1 2 3 4 5; do
        is "leader at $id" five "$(ask "$id" leader)" || return
        exits $((id == 5 ? 0 : 1)) ask "$id" -q is-leader || return
    done
}

answers_have_their_keys_in_order() {
    is 'keys of leader' "term token leader id name address self role state \
guarantee valid_ms until_boot_ns age_ms agree nodes on_standby" \
        "$(keys_of "$(ask 1 -o json leader)")" &&
        is 'keys of watch' \
            'event term token leader previous self reason reason_name hands_over mono_ns time' \
            "$(keys_of "$(ask 1 -o json watch --limit 1)")" &&
        has 'the leader itself' \
            '"self":5,"role":"leader","state":"leader"' \
            "$(ask 5 -o json leader)"
}

survivors_agree_on_the_next() {
    node_kill9 5 || return
    agree 4 1 2 3 4 && is 'keys of an event' \
        'event term token leader previous self reason reason_name mono_ns time' \
        "$(keys_of "$event")" &&
        has 'its cause' '"previous":5,.*"reason":"[a-z]*:5"' "$event"
}

the_bully_takes_over_when_it_is_back() {
    node_start 5 && watch_open 5 && agree 5 1 2 3 4 5 &&
        is 'incarnation' 2 "$(kv 5 node_incarnation status)"
}

an_election_is_forced() {
    local before now

    before=$(kv 2 term leader)
    has 'answer' '^\{"ok":true,"term":[0-9]*\}$' "$(ask 2 -o json elect)" ||
        return
    read_until 1 "\"event\":\"leader\".*\"reason\":\"forced:2\"" || return
    now=$(kv 1 term leader)
    [ "$now" -gt "$before" ] || complain "term $now after $before" || return
    is 'leader' five "$(ask 1 leader)"
}

# By a goodbye: sooner than a silence could show it.
a_leader_that_is_stopped_hands_over() {
    local began

    began=$("$kill9")
    kill "${daemon_pid[5]}"
    watch_leader 1 4 || return
    has 'cause' '"reason":"bye:5"' "$event" || return
    echo "    handed over within $(((moment - began) / 1000)) us"
    [ $((moment - began)) -lt $((detection_ms * 1000000)) ] ||
        complain 'no sooner than by silence' || return
    node_gone 5 || complain "it ended with status $?" || return
    agree 4 2 3 4
}

# From a terminal: SIGHUP when that is closed, SIGINT by Ctrl-C.
a_hangup_ends_nothing_and_an_interrupt_hands_over() {
    kill -HUP "${daemon_pid[4]}" && exits 0 ask 4 -q is-leader &&
        kill -INT "${daemon_pid[4]}" &&
        watch_leader 1 3 && has 'cause' '"reason":"bye:4"' "$event" || return
    node_gone 4 || complain "it ended with status $?" || return
    agree 3 2 3 && node_start 4 && watch_open 4 && agree 4 1 2 3 4
}

the_lowest_leads_when_it_is_alone() {
    node_kill9 4 && node_kill9 3 && node_kill9 2 && agree 1 1 &&
        node_end 1
}

a_leader_stays_if_none_may_preempt() {
    # The first that has started leads.
    fresh && setting 'preempt = "never";' && cluster_start 5 5 &&
        cluster_start 5 1 2 3 4 || return
    node_kill9 5 && agree 4 1 2 3 4 && node_start 5 && watch_open 5 &&
        agree 4 5 && read_until 1 '"event":"peer-up","peer":5' || return
    exits 1 ask 1 -t 1s wait no-leader &&
        is 'leader' four "$(ask 1 leader)" &&
        is 'leader at 5' four "$(ask 5 leader)" && node_end 1 2 3 4 5
}

a_better_node_waits_if_configured() {
    local began

    fresh && setting 'preempt = "after 1s";' && cluster_start 5 1 2 3 4 5 ||
        return
    node_kill9 5 && agree 4 1 2 3 4 || return
    began=$("$kill9")
    node_start 5 && watch_open 5 && agree 4 5 && watch_leader 1 5 || return
    [ $((moment - began)) -ge 900000000 ] ||
        complain "it waited $(((moment - began) / 1000000)) ms" || return
    agree 5 2 3 4 5 && node_end 1 2 3 4 5
}

the_lowest_leads_where_it_is_preferred() {
    fresh && setting 'prefer = "lowest";' && cluster_start 1 1 2 3 || return
    node_kill9 1 && agree 2 2 3 && node_start 1 && watch_open 1 &&
        agree 1 1 2 3 && node_end 1 2 3
}

priority_comes_before_id() {
    fresh && node_setting 2 'priority = 10;' &&
        node_setting 1 'priority = 5;' && node_setting 3 'priority = -1;' &&
        cluster_start 2 1 2 3 4 5 || return
    node_kill9 2 && agree 1 1 3 4 5 && node_kill9 1 && agree 5 3 4 5 &&
        node_kill9 5 && node_kill9 4 && agree 3 3 && node_end 3
}

a_voter_never_leads() {
    fresh && node_setting 5 'role = "voter"; priority = 9;' &&
        cluster_start 4 1 2 3 4 5 || return
    node_kill9 4 && agree 3 1 2 3 5 && node_kill9 3 && node_kill9 2 &&
        node_kill9 1 || return
    exits 0 ask 5 -q -t "${seconds_max}s" wait no-leader &&
        exits 1 ask 5 -t 1s wait leader && exits 1 ask 5 leader &&
        node_end 5
}

# cost_is TERM COST: waits until the three nodes remember to have sent this.
cost_is() {
    awaits "$seconds_max" eval \
        "[ \"\$(ask 3 history --all --term $1 | tail -n 1)\" = 'term $1: $2' ]"
}

# The term and times differ from one run to the next.
masked() {
    sed -E 's/[0-9.]+ ms/T ms/g; s/^Term [0-9]+/Term N/' <<<"$1"
}

# There are three: node 2 asks node 3, which answers, and announces itself to
# both.
an_election_is_explained() {
    local term id

    fresh && cluster_start 3 1 2 3 && settle 1 2 3 &&
        exits 0 ask 2 elect && term=${said##* } || return
    cost_is "$term" '3 nodes sent 4 messages: 1 ELECTION, 1 OK, 2 COORDINATOR' ||
        return
    is 'at the starter' "Term N: three won, elected by bully in T ms.
Why: an operator asked two for an election (forced:two).
This node began it, with 2 links.
Its phases: asking from T ms, waiting at T ms, decided at T ms.
It sent 1 ELECTION and received 1 OK, 1 COORDINATOR." \
        "$(masked "$(ask 2 explain)")" &&
        is 'at the leader' "Term N: three won, elected by bully.
Why: an operator asked two for an election (forced:two).
This node joined it, with 2 links.
It decided at once.
It sent 1 OK, 2 COORDINATOR and received 1 ELECTION." "$(masked "$(ask 3 explain)")" &&
        is 'at who was told' "Term N: three won, elected by bully.
Why: an operator asked two for an election (forced:two).
This node joined it, with 2 links.
It heard the result at once.
It sent nothing and received 1 COORDINATOR." \
            "$(masked "$(ask 1 explain)")" || return
    for id in 1 2 3; do
        is "by its number, at $id" "$(ask "$id" explain)" \
            "$(ask "$id" explain "$term")" || return
    done
    has 'pairs' "^term=$term"$'\n.*\nphases_2_phase=decided\n' \
        "$(ask 2 -o kv explain)"
}

the_last_election_is_in_the_counts() {
    has 'this node' $'\nterm [0-9]+, this node +1 ELECTION$' "$(ask 2 stats)" &&
        is 'pairs' 2 "$(count 3 term_messages_self_COORDINATOR)"
}

# The best announces itself to the two others, and that is all. Events say what
# has changed.
the_best_asks_nobody() {
    local term watching watched=$cluster/watched

    ask 1 -t "${seconds_max}s" watch --limit 4 >"$watched" &
    watching=$!
    awaits "$seconds_max" test -s "$watched" || return
    exits 0 ask 3 elect && term=${said##* } &&
        cost_is "$term" '3 nodes sent 2 messages: 2 COORDINATOR' || return
    has 'at the starter' $'\nIt decided at once.\n' "$(ask 3 explain)" &&
        wait "$watching" &&
        has 'news' " leader: three again, term $term, forced:three$" \
            "$(cat "$watched")" &&
        logged 1 "three leads again in term $term "
}

the_loss_of_a_leader_is_explained() {
    node_kill9 3 && agree 2 1 2 || return
    is 'why' 'Why: the process of three, the leader, had died (died:three);
         its link to this node is down (died).' \
        "$(ask 2 explain | grep -A 1 '^Why')" &&
        has 'who' '^Term [0-9]+: two won' "$(ask 1 explain)"
}

unknown_terms_are_a_no() {
    exits 1 ask 1 explain 987654 &&
        has 'why' '^electctl: nothing is known of term 987654' "$said" &&
        exits 2 ask 1 explain 0 && exits 2 ask 1 explain -- -1 &&
        exits 2 ask 1 explain soon &&
        is 'why' 'electctl: explain: takes a term, a number from 1' "$said"
}

check the_highest_leads_and_all_say_so
check answers_have_their_keys_in_order
check survivors_agree_on_the_next
check the_bully_takes_over_when_it_is_back
check an_election_is_forced
check a_leader_that_is_stopped_hands_over
check a_hangup_ends_nothing_and_an_interrupt_hands_over
check the_lowest_leads_when_it_is_alone
check a_leader_stays_if_none_may_preempt
check a_better_node_waits_if_configured
check the_lowest_leads_where_it_is_preferred
check priority_comes_before_id
check a_voter_never_leads
check an_election_is_explained
check the_last_election_is_in_the_counts
check the_best_asks_nobody
check the_loss_of_a_leader_is_explained
check unknown_terms_are_a_no
check_end
