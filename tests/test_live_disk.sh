#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback under the guarantee "quorum", whose disks become
# slow: a sync takes longer than an election waits for a nominee.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/live_quorum.sh
. tests/live_quorum.sh

sync_ms=3000

# disk_start ID...: starts these nodes, whose syncs take as many milliseconds as
# the file ID.disk says.
disk_start() {
    local id plain=$WRAP library WRAP

    library=$(realpath "$BUILD/tests/preload/slowdisk.so") || return
    for id in "$@"; do
        WRAP="$plain env LD_PRELOAD=$library"
        WRAP+=" SLOWDISK=$cluster/$id.disk"
        node_start "$id" || return
    done
    watch_open "$@" && agree "${!#}" "$@"
}

# disk_slow ID...: from now on.
disk_slow() {
    local id

    for id in "$@"; do
        echo $sync_ms >"$cluster/$id.disk" || return
    done
}

# next_leader: nodes 1 and 2 find one, in time.
next_leader() {
    node_kill9 3 && exits 0 ask 1 -q wait no-leader &&
        exits 0 ask 1 -q wait leader && agree 2 1 2
}

a_leader_is_found_where_all_disks_are_slow() {
    quorum 3 && disk_start 1 2 3 && disk_slow 1 2 3 && next_leader
}

a_leader_is_found_where_most_disks_are_slow() {
    quorum 3 && disk_start 1 2 3 && disk_slow 1 3 && next_leader
}

check a_leader_is_found_where_all_disks_are_slow
check a_leader_is_found_where_most_disks_are_slow
check_end
