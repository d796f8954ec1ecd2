#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Datagrams of strangers change nothing, and the daemons count them: noise, from
# an unknown address and from a peer's; a genuine conversation once more, whole
# and damaged, from its own address.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

noise_count=100000
declare -A meddler_pid=() meddler_in=() meddler_out=()

# A busy machine alone must change nothing either.
patient() {
    fresh && setting 'timing = { misses = 10; };'
}

# meddler_start NAME PAIR...: see tests/tools/meddler.c. It ends with its
# input, and so with this script, if not before.
meddler_start() {
    local name=$1 in out
    shift

    mkfifo "$cluster/$name.in" "$cluster/$name.out" || return
    # It passes on heartbeats, which must not be late.
    # shellcheck disable=SC2086 # FIRST is a command in words
    $FIRST "$tools/meddler" "$@" <"$cluster/$name.in" \
        >"$cluster/$name.out" &
    meddler_pid[$name]=$!
    exec {in}>"$cluster/$name.in" {out}<"$cluster/$name.out"
    meddler_in[$name]=$in meddler_out[$name]=$out
}

# meddle NAME WORD...: lets it do so; sets `sent`, the number of datagrams.
meddle() {
    local name=$1
    shift

    echo "$*" >&"${meddler_in[$name]}"
    read -r -t 60 -u "${meddler_out[$name]}" sent ||
        complain "the meddler does not $*"
}

meddler_end() {
    local name in out

    for name in "${!meddler_pid[@]}"; do
        in=${meddler_in[$name]} out=${meddler_out[$name]}
        echo quit >&"$in"
        exec {in}>&- {out}<&-
        wait "${meddler_pid[$name]}" || return
    done
    meddler_pid=()
}

# address ID: the address at which it listens.
address() {
    sed -n "s/.*id = $1;.*address = \"\([^\"]*\)\".*/\1/p" \
        "$cluster/electd.conf"
}

# unmoved ID: the state of node ID that no input may change.
state_of() {
    ask "$1" -o kv leader | grep -E '^(term|leader_id|state)='
    ask "$1" -o kv status | grep '^node_duplicate='
    ask "$1" -o kv stats |
        grep -E '^(elections|changes|suspicions)='
    ask "$1" -o json peers | grep -oE \
        '"(id|up|session|duplicate|differs|incarnation)":[a-z0-9]*'
}

# dropped_of ID...: what these have dropped in all, for any reason.
dropped_of() {
    local id

    for id in "$@"; do
        ask "$id" -o kv stats
    done | awk -F = '/^dropped_/ { sum += $2 } END { print sum + 0 }'
}

# unmoved IDS MEDDLER WORD...: fails unless this changes nothing at the nodes,
# which count every datagram, and report nothing else.
unmoved() {
    local id before='' after='' dropped
    local -a ids

    read -ra ids <<<"$1"
    shift

    settle "${ids[@]}" || return
    for id in "${ids[@]}"; do
        before+=$(state_of "$id")
    done
    dropped=$(dropped_of "${ids[@]}")
    meddle "$@" || return
    for id in "${ids[@]}"; do
        after+=$(state_of "$id")
    done
    is 'state' "$before" "$after" || return
    dropped=$(($(dropped_of "${ids[@]}") - dropped))
    echo "    sent $sent, dropped $dropped"
    is 'dropped' "$sent" "$dropped"
}

# Nodes 1 and 2 know each other by addresses that are the meddler's.
between() {
    local front=$LOOPBACK.$((RANDOM % 254 + 1)).2 one two

    patient || return
    one=$(address 1) two=$(address 2)
    sed -i -E '/id = [345];/d; s/(id = 2;.*}),/\1/' "$cluster/electd.conf"
    sed "s/\"$two\"/\"$front:7422\"/" "$cluster/electd.conf" >"$cluster/1.conf"
    sed "s/\"$one\"/\"$front:7421\"/" "$cluster/electd.conf" >"$cluster/2.conf"
    meddler_start middle "$front:7421=$one" "$front:7422=$two" &&
        node_run 1 "$cluster/1.conf" && node_run 2 "$cluster/2.conf" &&
        watch_open 1 2 && agree 2 1 2
}

# Handshakes, messages of several elections, heartbeats.
a_conversation_is_heard() {
    local until=$((SECONDS + seconds_max))

    between || return
    until meddle middle kept && [ "$sent" -ge 60 ]; do
        [ "$SECONDS" -lt "$until" ] || complain "$sent datagrams" || return
        ask 1 -q elect && settle 1 2 || return
    done
    echo "    $sent datagrams"
}

a_conversation_changes_nothing_when_replayed() {
    unmoved '1 2' middle replay && unmoved '1 2' middle replay
}

a_damaged_conversation_changes_nothing() {
    local seed

    for seed in 1 2 3 4 5; do
        unmoved '1 2' middle damage "$seed" || return
    done
}

# The next process of the same node has another incarnation, so it takes none.
a_conversation_changes_nothing_after_a_restart() {
    node_kill9 2 && agree 1 1 && node_run 2 "$cluster/2.conf" &&
        watch_open 2 && agree 2 1 2 && unmoved '1 2' middle replay &&
        unmoved '1 2' middle damage 6
}

# Some of it gets an answer, as a node that starts would; that changes nothing.
the_dead_are_not_revived_by_their_words() {
    local before

    node_kill9 2 && agree 1 1 || return
    before=$(state_of 1)
    meddle middle replay && is 'state' "$before" "$(state_of 1)" || return
    # Apart from what its own election cost, which it tells late.
    is 'events' 1 "$(ask 1 -t 500ms watch | grep -vc ' counted: ')" &&
        is 'state' "$before" "$(state_of 1)" && meddler_end && node_end 1
}

# Half of it from the address of node 5, which does not run.
noise_changes_nothing() {
    local stranger=$LOOPBACK.$((RANDOM % 254 + 1)).3:7425

    patient && cluster_start 4 1 2 3 4 || return
    meddler_start stranger "$stranger=$(address 1)" &&
        meddler_start peer "$(address 5)=$(address 1)" || return
    unmoved '1 2 3 4' stranger noise $((noise_count / 2)) 1 &&
        unmoved '1 2 3 4' peer noise $((noise_count / 2)) 2
}

# At most once a minute for each reason and sender.
it_is_logged_but_not_often() {
    logged 1 'datagram' || return
    [ "$(grep -c 'dropped' "$cluster/1.log")" -le 30 ] ||
        complain 'too often'
}

nodes_end_well_after_it() {
    meddler_end && node_end 1 2 3 4
}

check a_conversation_is_heard
check a_conversation_changes_nothing_when_replayed
check a_damaged_conversation_changes_nothing
check a_conversation_changes_nothing_after_a_restart
check the_dead_are_not_revived_by_their_words
check noise_changes_nothing
check it_is_logged_but_not_often
check nodes_end_well_after_it
check_end
