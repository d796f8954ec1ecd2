#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons under the guarantee "quorum" whose voters are changed: all at
# once, one after another, and by an operator who forgets something. No term
# comes again, and none is lower than one before.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/live/live_quorum.sh
. tests/live/live_quorum.sh

term= # the highest in which there was a leader

# voters GENERATION ID...: makes these the voters in the file of every host.
voters() {
    local generation=$1 id host
    shift

    host=$(sed -n 's/.*"\(127[0-9.]*\):.*/\1/p' "$cluster/electd.conf" |
        head -n 1)
    sed -i -e '/^generation/d' -e '/^nodes = (/,/^);/d' "$cluster/electd.conf"
    setting "generation = $generation;
nodes = ("
    for id in "$@"; do
        setting "  { id = $id; name = \"web$id\"; address = \"$host:742$id\"; }$(
            [ "$id" = "${*: -1}" ] || echo ,)"
    done
    setting ');'
}

# leads_in ID: fails unless its term is higher than every one before.
leads_in() {
    local now

    now=$(ask "$1" -o kv leader | sed -n 's/^term=//p')
    [ "${now:-0}" -gt "$term" ] ||
        complain "leader in term ${now:-none} after term $term" || return
    echo "    term $term, then $now"
    term=$now
}

# to_six: starts nodes 1, 2 and 3, and has them come to term 6 or beyond.
to_six() {
    cluster_start 3 1 2 3 || return
    term=0
    until [ "$term" -ge 6 ]; do
        exits 0 ask 3 elect && watch_leader 1 3 &&
            term=$(ask 1 -o kv leader | sed -n 's/^term=//p') || return
    done
}

# three_at_six: voters 1, 2 and 3, which have come to term 6 or beyond.
three_at_six() {
    quorum 3 && to_six
}

# The new voters are up first, and are a majority.
voters_that_change_all_at_once_go_on_above() {
    three_at_six && node_end 1 2 3 && voters 1 1 4 5 &&
        node_init 4 && node_init 5 && cluster_start 5 4 5 || return
    leads_in 4 && node_start 1 && watch_open 1 && agree 5 1 &&
        node_end 1 4 5
}

# Node 3 was down in term 6, and the voters between have no leader.
voters_that_change_one_by_one_go_on_above() {
    quorum 3 && cluster_start 3 1 2 3 && node_kill9 3 &&
        watch_leader 1 2 || return
    term=$(ask 1 -o kv leader | sed -n 's/^term=//p')
    voters 1 1 2 3 4 && node_init 4 && node_end 1 && node_start 1 &&
        node_end 2 && node_start 2 3 4 && node_kill9 1 && node_kill9 2 &&
        node_kill9 3 && node_kill9 4 || return
    voters 2 1 3 4 && cluster_start 4 3 4 && leads_in 3 &&
        node_start 1 && watch_open 1 && agree 4 1 && node_end 1 3 4
}

# A voter does not vote for others of the same generation.
a_generation_that_is_not_raised_has_no_leader() {
    three_at_six && node_end 1 2 3 && voters 0 1 2 3 4 &&
        exits 0 "$electd" --init-state -c "$cluster/electd.conf" -i 4 &&
        has 'init' 'above 0; if other nodes voted .* raise generation' "$said" &&
        node_start 1 2 3 4 || return
    logged 1 'concerns other voters of generation 0, .* above 0; see CHANGING' &&
        status_becomes 4 'web1 \(does not vote\),[[:space:]]+web2 .*,[[:space:]]+web3' &&
        status_has 1 'state +changed: this node neither votes nor stands' &&
        exits 1 ask 4 -q -t "$((2 * lease_ms))ms" wait leader &&
        node_end 1 2 3 4 &&
        exits 1 "$electd" --init-state -c "$cluster/electd.conf" -i 1 &&
        has 'why' 'concerns other voters of generation 0' "$said" &&
        exits 0 "$electd" -t -c "$cluster/electd.conf" -i 1 &&
        has 'the check' 'will not vote: it concerns other voters' "$said" ||
        return
    voters 1 1 2 3 4 && cluster_start 4 1 2 3 4 && leads_in 1 &&
        node_end 1 2 3 4
}

# This holds even if the voters are the same.
an_earlier_generation_has_no_leader() {
    quorum 3 && voters 2 1 2 3 && cluster_start 3 1 2 3 &&
        node_end 1 2 3 && voters 1 1 2 3 && node_start 1 2 3 || return
    logged 1 'concerns the voters of generation 2, .* generation 1; .* above 2' &&
        exits 1 ask 1 -q -t "$((2 * lease_ms))ms" wait leader &&
        node_end 1 2 3
}

# --init-state keeps the term of the file that it replaces.
quorum_goes_on_above_the_terms_of_component() {
    quorum 3 && rm "$cluster"/state/*.state &&
        sed -i 's/"quorum"/"component"/' "$cluster/electd.conf" && to_six &&
        node_end 1 2 3 &&
        sed -i 's/"component"/"quorum"/' "$cluster/electd.conf" &&
        node_init 1 && node_init 2 && node_init 3 &&
        cluster_start 3 1 2 3 && leads_in 1 && node_end 1 2 3
}

# A node with the old file is out, as with any other setting that differs.
an_old_file_is_named() {
    quorum 3 && sed 's/^timing/generation = 1;\n&/' "$cluster/electd.conf" \
        >"$cluster/new.conf" && cluster_start 2 1 2 &&
        node_run 3 "$cluster/new.conf" &&
        status_becomes 1 'web3 \(its settings differ\)' && node_end 1 2 3
}

check voters_that_change_all_at_once_go_on_above
check voters_that_change_one_by_one_go_on_above
check a_generation_that_is_not_raised_has_no_leader
check an_earlier_generation_has_no_leader
check quorum_goes_on_above_the_terms_of_component
check an_old_file_is_named
check_end
