#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every algorithm, by eight real daemons on loopback: they start, elect on
# demand, lose their leader, lose another node, lose the leader and its
# neighbours at once, and return. After each step all connected nodes follow
# their best. A forced election costs exactly as many messages as in electsim.
#
# LONG: set for every algorithm. Without it one on a ring and one on a graph do,
# where test_lan_algorithms.sh plays all of them.
# Takes 6 s.
# shellcheck disable=SC2317 # much is called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_eight.sh
. tests/system/live/live_eight.sh

life() {
    local algorithm=$1 section=$2 step
    shift 2

    eight_start "$algorithm" "$section" || return
    watch_open 8
    elects "$algorithm" "$@" || return
    step='death of the leader' && fall 8 || return
    step='another death' && fall 4 || return
    step='death of the leader and its neighbours' && fall 7 6 1 || return
    step='their return' && rise 1 4 6 7 8
}

algorithms=$every_algorithm
if [ -z "${LONG-}" ] && "$BUILD/tests/system/lan/lan" --check >/dev/null; then
    algorithms='hirschberg_sinclair extinction'
fi
for algorithm in $algorithms; do
    check "$algorithm"
done
check few_elections_were_disturbed
check a_ring_loses_three_in_a_row
check_end
