#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback hand over to another leader: by `electctl resign` and
# by SIGTERM, under both guarantees; which nodes may be named, and which return.
# Takes 31 s.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

guarantee=component

# five [SETTING]: a new cluster of five, led by the highest, and settled; no
# client has a deadline.
five() {
    if [ "$guarantee" = quorum ]; then quorum 5; else fresh; fi || return
    setting "${1-}" && cluster_start 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    [ "$guarantee" = component ] ||
        exits 1 ask 1 -q -t "${lease_ms}ms" wait no-leader
}

# follows LEADER REASON ID...: waits until these report that it leads in place
# of 5, for this reason; under component none may be without a leader in
# between.
follows() {
    local leader=$1 reason=$2 wanted='"event":"leader"' id

    shift 2
    [ "$guarantee" = quorum ] || wanted='"event":"(no-leader|leader)"'
    for id in "$@"; do
        read_until "$id" "$wanted" &&
            has "event of $id" "\"event\":\"leader\",.*\"leader\":$leader,\
\"previous\":(5|null),.*\"reason\":\"$reason\"" "$event" || return
    done
}

# handed_over_in_order ID...: fails unless their logs say so. Under quorum the
# leader gives up before there is another.
handed_over_in_order() {
    local id

    for id in "$@"; do
        logged "$id" "$(named 4) leads in term [0-9]+ .*another leader than $(named 5)" &&
            ! grep "leader $(named 5) lost" "$cluster/$id.log" || return
    done
    [ "$guarantee" = component ] ||
        logged 5 "$(named 5) no longer leads; no successor yet .*wants another"
}

leader_that_resigns_is_followed_by_the_best_other() {
    local began ended

    five || return
    began=$("$kill9")
    exits 0 ask 5 resign || return
    ended=$("$kill9")
    echo "    another leads, and is printed, within $(((ended - began) / 1000000)) ms"
    is 'answer' "$(named 4)" "$said" && follows 4 resigned:5 1 2 3 4 5 &&
        agree 4 && logged 5 'control: resign by uid .*: allowed' &&
        handed_over_in_order 1 2 3 4 5 &&
        has 'why' "^Why: an operator or a check wanted another leader than $(named 5) \
\(resigned:$(named 5)\)" "$(ask 4 explain | grep ^Why)"
}

# This holds even where any better node takes over.
it_is_on_standby_until_it_rejoins() {
    exits 0 ask 1 elect && watch_leader 1 4 &&
        has 'cause' '"reason":"forced:1"' "$event" &&
        status_has 5 $'\n'"standby  $(named 5) for [^:]*: resigned"$'\n' &&
        status_becomes 1 "$(named 5) .* follower .* standby" &&
        has 'status' '"standby":\{"reason":"resigned",.*"until":"alone"\}' \
            "$(ask 5 -o json status)" &&
        exits 0 ask 5 rejoin &&
        is 'answer' 'this node stands for election again' "$said" &&
        agree 5 1 2 3 4 5 && exits 0 ask 5 rejoin &&
        is 'again' 'this node was not on standby' "$said" &&
        is 'JSON' '{"rejoined":false,"standby":null}' \
            "$(ask 5 -o json rejoin)"
}

only_the_leader_resigns() {
    exits 1 ask 1 resign && is 'why' \
        "electctl: this node does not lead: $(named 5) does, run this there" \
        "$said" &&
        exits 1 ask 1 resign --to "$(named 2)"
}

# The operator names it, or gives its id; 4 is the only one that no better node
# would replace.
named_successor_must_be_eligible() {
    exits 2 ask 5 resign --to nobody && has 'why' \
        "^electctl: unknown node \"nobody\"; nodes: $(named 1), .*$(named 5)$" "$said" &&
        exits 2 ask 5 resign --to 5 && exits 2 ask 5 resign 4 &&
        is 'a hint' \
            'electctl: resign: takes no argument; did you mean --to 4?' \
            "$said" &&
        exits 2 ask 5 elect --to 4 && exits 6 ask 5 resign --to 3 &&
        is 'why' "electctl: a better node would take over from $(named 3) \
at once: preempt = \"always\"" "$said" && node_kill9 4 &&
        read_until 5 '"event":"peer-down","peer":4' &&
        exits 6 ask 5 resign --to 4 &&
        is 'why' "electctl: this node does not hear $(named 4)" "$said" &&
        is 'leader' "$(named 5)" "$(ask 5 leader)" &&
        is 'standby' '' "$(kv 5 node_standby status)"
}

named_successor_leads() {
    node_start 4 && watch_open 4 && settle 1 2 3 4 5 || return
    has 'answer' '"leader":\{"id":4,.*"self":5,"role":"follower"' \
        "$(ask 5 -o json resign --to 4)" && agree 4 1 2 3 4 5 &&
        exits 0 ask 4 resign --to "$(named 3)" &&
        is 'answer' "$(named 3)" "$said" && agree 3 1 2 3 4 5 &&
        exits 6 ask 3 resign --to 4 &&
        has 'why' "$(named 4) is on standby: resigned; .* \`electctl rejoin\` there" \
            "$said" &&
        has 'status' ' follower, candidate, not eligible \(standby\), ' \
            "$(ask 4 status)" && exits 0 ask 4 rejoin && exits 0 ask 5 rejoin &&
        agree 5 1 2 3 4 5 &&
        node_end 1 2 3 4 5
}

anyone_may_be_named_where_a_leader_stays() {
    five 'preempt = "never";' && exits 0 ask 5 resign --to 2 &&
        is 'answer' "$(named 2)" "$said" && follows 2 resigned:5 1 2 3 4 5 &&
        exits 0 ask 5 rejoin && exits 1 ask 1 -t 1s wait no-leader &&
        is 'leader' "$(named 2)" "$(ask 5 leader)" &&
        has 'pairs' $'\n''leader_id=5'$'\n' "$(ask 2 -o kv resign --to 5)"$'\n' &&
        node_end 1 2 3 4 5
}

# The others follow another before it has ended, and know why.
leader_that_is_stopped_hands_over_first() {
    local began

    five || return
    began=$("$kill9")
    kill "${daemon_pid[5]}" && follows 4 bye:5 1 2 3 4 || return
    [[ $event =~ \"mono_ns\":([0-9]+) ]] && moment=${BASH_REMATCH[1]}
    echo "    handed over within $(((moment - began) / 1000)) us"
    node_gone 5 || complain "it ended with status $?" || return
    logged 5 ': stopping: handing over; send the signal again to stop at once$' &&
        exits 1 ask 1 -t 1s wait no-leader && node_end 1 2 3 4
}

# It leads until then, and the request stays; `-t` does not withdraw it.
deadlines_come_before_a_resignation() {
    local lease_ms=3000

    five && exits 0 ask 5 -q is-leader --deadline && exits 7 ask 5 -t 500ms resign &&
        is 'why' 'electctl: resign: no other node leads yet, but may soon' "$said" &&
        exits 0 ask 5 -q is-leader --deadline && exits 0 ask 5 resign &&
        is 'answer' "$(named 4)" "$said" && exits 0 ask 5 rejoin &&
        agree 5 1 2 3 4 5 && node_end 1 2 3 4 5
}

# Then nothing confirms that another leads.
leader_that_is_stopped_leaves_the_outcome_open() {
    local lease_ms=3000 asking status

    five && exits 0 ask 5 -q is-leader --deadline || return
    ask 5 resign 2>"$cluster/said" &
    asking=$!
    status_becomes 5 $'\nstandby ' && kill "${daemon_pid[5]}" &&
        wait "$asking"
    status=$?
    is 'exit status' 7 "$status" &&
        is 'why' 'electctl: resign: the daemon has gone' "$(cat "$cluster/said")" &&
        node_gone 5 && agree 4 1 2 3 4 && node_end 1 2 3 4
}

# Root tries it as another user; others look at the mode of the socket.
verb_is_for_clients_that_may_change_things() {
    fresh && cluster_start 1 1 || return
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 "$cluster/1.admin.sock" && exits 4 ask 1 resign &&
            exits 4 ask 1 rejoin && chmod 600 "$cluster/1.admin.sock"
        return
    fi
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" || return
    local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups
        "$cluster/electctl" -s "$cluster/1.sock")

    exits 4 "${nobody[@]}" resign && exits 4 "${nobody[@]}" rejoin
}

nobody_is_left_to_lead() {
    exits 6 ask 1 resign &&
        is 'why' 'electctl: no other node can lead at present' "$said" &&
        exits 0 ask 1 -q is-leader && node_end 1
}

# It resigned, and then the others fail: a leader that wants to rest is better
# than none.
the_last_one_leads_though_it_resigned() {
    fresh && cluster_start 2 1 2 && exits 0 ask 2 resign &&
        is 'answer' one "$said" && agree 1 1 2 && node_kill9 1 &&
        agree 2 2 &&
        is 'standby' '' "$(kv 2 node_standby status)" &&
        node_end 2
}

for guarantee in component quorum; do
    echo "# $guarantee"
    check leader_that_resigns_is_followed_by_the_best_other
    check it_is_on_standby_until_it_rejoins
    check only_the_leader_resigns
    check named_successor_must_be_eligible
    check named_successor_leads
    check anyone_may_be_named_where_a_leader_stays
    check leader_that_is_stopped_hands_over_first
done
check deadlines_come_before_a_resignation
check leader_that_is_stopped_leaves_the_outcome_open
check verb_is_for_clients_that_may_change_things
check nobody_is_left_to_lead
check the_last_one_leads_though_it_resigned
check_end
