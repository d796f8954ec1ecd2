#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons under the guarantee "quorum" whose voters are changed between two
# starts: all at once, one after another, and by an operator who forgets
# something. No term comes again, and none is lower than one before.
# test_live_members.sh changes them while all run.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

term= # the highest in which there was a leader

# voters VERSION ID...: makes these the voters in the file of every host.
voters() {
    local config_version=$1 id host
    shift

    host=$(sed -n 's/.*"\(127[0-9.]*\):.*/\1/p' "$cluster/electd.conf" |
        head -n 1)
    sed -i -e '/^config_version/d' -e '/^nodes = (/,/^);/d' "$cluster/electd.conf"
    setting "config_version = $config_version;
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

    now=$(kv "$1" term leader)
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
        exit_becomes 0 ask 3 elect && watch_leader 1 3 &&
            term=$(kv 1 term leader) || return
    done
}

# three_at_six: voters 1, 2 and 3, which have come to term 6 or beyond.
three_at_six() {
    quorum 3 && to_six
}

# adopts ID: puts the file of a host whose daemon is stopped into effect.
adopts() {
    node_init "$1" &&
        has 'said' 'config version [0-9]+ takes the place of config version [0-9]+; do this on every host while all daemons are stopped$' \
            "$said"
}

# The new voters are up first, and are a majority.
voters_that_change_all_at_once_go_on_above() {
    three_at_six && node_end 1 2 3 && voters 1 1 4 5 && adopts 1 &&
        node_init 4 && node_init 5 && cluster_start 5 4 5 || return
    leads_in 4 && node_start 1 && watch_open 1 && agree 5 1 &&
        [ "$term" -gt 1000000000 ] && node_end 1 4 5
}

# What the state file knows of terms and promises stays.
a_file_that_is_put_into_effect_keeps_the_promises() {
    voters 2 1 4 5 && adopts 1 && adopts 4 && adopts 5 &&
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i 4 &&
        has 'why' 'it exists already and is sound: nothing to do' "$said" &&
        voters 3 1 4 && adopts 1 && adopts 4 && cluster_start 4 1 4 &&
        leads_in 4 && [ "$term" -gt 3000000000 ] && node_end 1 4
}

# Node 3 was down when node 4 was added, and has a file of after that.
voters_that_change_one_by_one_go_on_above() {
    quorum 3 && cluster_start 3 1 2 3 && settle 1 2 3 && node_kill9 3 &&
        watch_leader 1 2 || return
    term=$(kv 1 term leader)
    voters 1 1 2 && exits 0 ask 1 reload &&
        status_becomes 1 'quorum +2 of 2 voters heard' && voters 2 1 2 4 &&
        node_init 4 && node_start 4 && watch_open 4 &&
        exit_becomes 0 ask 1 reload && agree 4 1 2 4 && node_kill9 1 && node_kill9 2 && node_kill9 4 || return
    voters 3 1 4 && cluster_start 4 1 4 && leads_in 4 &&
        status_becomes 1 'quorum +2 of 2 voters heard' &&
        status_becomes 4 'config version 3' && node_end 1 4
}

# More than one voter would change: a start changes nothing, and says so.
a_start_changes_no_more_voters_than_a_reload() {
    three_at_six && node_end 1 2 3 && voters 1 1 2 3 4 5 &&
        node_start 1 2 3 && watch_open 1 2 3 && agree 3 1 2 3 && leads_in 1 &&
        status_becomes 1 'quorum +3 of 3 voters heard' &&
        logged 1 'cannot put the settings of config version 1 into effect: more than one voter comes, goes or changes compared with the settings in effect; nothing has changed' &&
        node_end 1 2 3
}

# The settings that are kept win, and the voters stay as they were.
a_config_version_that_is_not_raised_changes_no_voter() {
    three_at_six && node_end 1 2 3 && voters 0 1 2 3 4 && node_init 4 &&
        has 'init' 'node web4 of .* votes from its next start; .* above term 0, one that' \
            "$said" && node_start 4 && cluster_start 3 1 2 3 &&
        leads_in 1 || return
    logged 1 'electd.conf differs from the settings of the cluster, of the same config version, which stay in effect; raise config_version' &&
        status_becomes 1 'quorum +3 of 3 voters heard' &&
        status_becomes 4 '^OUTSIDE  the settings of the other nodes do not name this host:' &&
        logged 4 'the settings of the other nodes do not name web4' &&
        exits 1 ask 4 leader &&
        exits 6 ask 1 reload && has 'reload' 'raise config_version' "$said" &&
        node_end 1 2 3 4 &&
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i 1 &&
        has 'why' 'it exists already and is sound' "$said" || return
    voters 1 1 2 3 4 && cluster_start 4 1 2 3 4 && leads_in 1 &&
        node_end 1 2 3 4
}

# Nor does an earlier one.
an_earlier_config_version_changes_nothing() {
    quorum 3 && voters 2 1 2 3 && cluster_start 3 1 2 3 && term=0 &&
        leads_in 1 && settle 1 2 3 && node_end 1 2 3 && voters 1 1 2 3 4 &&
        cluster_start 3 1 2 3 && leads_in 1 &&
        logged 1 'is older \(config version 1\) than the settings of the cluster \(config version 2\), which stay' &&
        status_has 1 'config version 2 \(older file: 1\)' &&
        [ "$term" -gt 2000000000 ] && node_end 1 2 3
}

# Nobody has them any more, so only --init-cluster helps.
voters_that_have_all_lost_their_settings_do_not_vote() {
    local id

    voters 1 1 2 3 && rm "$cluster"/state/*.settings && node_start 1 2 3 &&
        logged 1 'nor stands for election: this node has voted by settings of config version 2, config term [0-9]+, which are kept here no more' &&
        status_becomes 1 'state +changed: ' &&
        exits 1 ask 1 -q -t "$((2 * lease_ms))ms" wait leader &&
        node_end 1 2 3 &&
        exits 1 "$electd" --init-cluster -c "$cluster/electd.conf" -i 1 &&
        has 'why' 'has voted by settings of config version 2' "$said" &&
        voters 3 1 2 3 || return
    for id in 1 2 3; do
        adopts "$id" || return
    done
    cluster_start 3 1 2 3 && leads_in 1 && [ "$term" -gt 3000000000 ] &&
        node_end 1 2 3
}

# --init-cluster keeps the term of the file that it replaces.
quorum_goes_on_above_the_terms_of_component() {
    quorum 3 && rm "$cluster"/state/*.state &&
        sed -i 's/"quorum"/"component"/' "$cluster/electd.conf" && to_six &&
        node_end 1 2 3 &&
        sed -i 's/"component"/"quorum"/' "$cluster/electd.conf" &&
        node_init 1 && node_init 2 && node_init 3 &&
        cluster_start 3 1 2 3 && leads_in 1 && node_end 1 2 3
}

# The later file reaches all while they run.
an_old_file_is_named() {
    quorum 3 && sed 's/^timing/config_version = 1;\n&/' "$cluster/electd.conf" \
        >"$cluster/new.conf" && cluster_start 2 1 2 &&
        node_run 3 "$cluster/new.conf" && watch_open 3 && agree 3 1 2 3 &&
        status_becomes 1 'config version 1 \(older file: 0\)' &&
        logged 1 'web[23] gave the settings of config version 1, .*; install the newer file on this host, too' &&
        status_has 3 'config version 1'$'\n' && node_end 1 2 3
}

check voters_that_change_all_at_once_go_on_above
check a_file_that_is_put_into_effect_keeps_the_promises
check voters_that_change_one_by_one_go_on_above
check a_start_changes_no_more_voters_than_a_reload
check a_config_version_that_is_not_raised_changes_no_voter
check an_earlier_config_version_changes_nothing
check voters_that_have_all_lost_their_settings_do_not_vote
check quorum_goes_on_above_the_terms_of_component
check an_old_file_is_named
check_end
