#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback under the guarantee "quorum", whose disks become
# slow: a sync takes longer than an election waits for a nominee.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

sync_ms=3000

# disk_start ID...: starts these nodes, whose syncs take as many milliseconds as
# the file ID.disk says.
disk_start() {
    local id plain=$WRAP library WRAP until=$((SECONDS + seconds_max))

    library=$(realpath "$BUILD/tests/tools/preload/slowdisk.so") || return
    for id in "$@"; do
        WRAP="$plain env LD_PRELOAD=$library"
        WRAP+=" SLOWDISK=$cluster/$id.disk"
        node_start "$id" || return
    done
    watch_open "$@" && agree "${!#}" "$@" || return
    # The first leader has stamped the settings, and all have kept them.
    for id in "$@"; do
        until [[ $(ask "$id" -o kv status) =~ config_term=[1-9] ]]; do
            [ "$SECONDS" -lt "$until" ] || complain "no config term at $id" || return
            pause
        done
    done
}

# disk_slow ID...: makes their disks slow from now on.
disk_slow() {
    local id

    for id in "$@"; do
        echo $sync_ms >"$cluster/$id.disk" || return
    done
}

# next_leader ID...: waits until nodes 1 and 2 have a leader; each of these,
# with slow disks, may sync three times at most: the bound of electd(8), STATE.
# A sync takes far longer than it takes to count them.
next_leader() {
    local id syncs

    node_kill9 3 && exits 0 ask 1 -q wait no-leader &&
        exits 0 ask 1 -q wait leader || return
    for id in "$@"; do
        syncs=$(grep -c sync "$cluster/$id.disk")
        [[ $syncs -ge 1 && $syncs -le 3 ]] ||
            complain "$syncs syncs of node $id" || return
    done
    agree 2 1 2
}

a_leader_is_found_where_all_disks_are_slow() {
    quorum 3 && disk_start 1 2 3 && disk_slow 1 2 3 && next_leader 1 2
}

a_leader_is_found_where_most_disks_are_slow() {
    quorum 3 && disk_start 1 2 3 && disk_slow 1 3 && next_leader 1
}

# leader_moves FROM TO: FROM resigns and TO leads; then FROM takes over again.
leader_moves() {
    exits 0 ask "$1" resign && agree "$2" 1 2 3 &&
        exits 0 ask "$1" rejoin && agree "$1" 1 2 3
}

# A sync that does not end harms neither a node that leads, and is the best to
# lead next, nor one that only votes.
no_leader_waits_for_a_disk_that_hangs() {
    local sync_ms=1000000000 id

    for id in 3 1; do
        quorum 3 && disk_start 1 2 3 && disk_slow "$id" && leader_moves 3 2 &&
            node_kill9 "$id" || return
    done
}

check a_leader_is_found_where_all_disks_are_slow
check a_leader_is_found_where_most_disks_are_slow
check no_leader_waits_for_a_disk_that_hangs
check_end
