#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons on the test LAN: followers are cut off and return, one after
# another, while the leader and the other links are well. The leader leads on,
# in its term, and its clients hear nothing of it.
#
# usage: test_lan_return.sh [GUARANTEE...]
# TRIALS (4): how many cuts; a third of them both ways, a third in which the
# follower hears nobody, a third in which nobody hears it. SECONDS_MOST (3): how
# long a cut lasts, at most; TRIALS=200 SECONDS_MOST=12 for the full figures.
# HEARTBEAT (100ms). BUILD: where the programs are. SEED: of the LAN and of the
# cuts.
# Takes 31 s.
set -u

: "${TRIALS:=4}" "${SECONDS_MOST:=3}"
# shellcheck source=tests/system/lan/live_lan.sh
. "$(dirname "$0")/live_lan.sh"

# heard NS: what the leader's clients were told of the lead since then.
heard() {
    since "$1" 'leader|no-leader|election|elected|handover' 5
}

followers_return() {
    local GUARANTEE=$1 moved=0 kinds=('' .in .out) began i

    lan_begin --seed "$SEED" --for $((600 + TRIALS * (SECONDS_MOST + 8)))
    start 1 2 3 4 5
    settles "$1: five nodes elect the highest id" 5 1 2 3 4 5
    RANDOM=$SEED
    during 1
    for ((i = 0; i < TRIALS; i++)); do
        began=$("$kill9")
        net cut "$((RANDOM % 4 + 1))${kinds[i % 3]}"
        during $((RANDOM % SECONDS_MOST + 1))
        net heal
        reach follow 5 1 2 3 4 5 || { moved=$TRIALS; break; }
        during 1
        [ -z "$(heard "$began")" ] || ((moved++))
    done
    equal "$1: the leader leads on in its term while $TRIALS followers return" \
        0 "$moved"
    stop 1 2 3 4 5
    lan_end
    rm -rf "$tmp"
}

[ $# -gt 0 ] || set -- quorum component
for guarantee in "$@"; do
    followers_return "$guarantee"
done
cases_end
