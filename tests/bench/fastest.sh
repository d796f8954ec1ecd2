#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The fastest heartbeat at which no live node is given up while five hosts have no
# faults (suspicion.sh); then its value, how soon all know that their leader was
# cut off silently, and its cost, the share of a core.
#
# usage: fastest.sh, as root
# HEARTBEATS to be tried, in this order, until one is good (1ms 2ms 3ms 5ms
# 10ms). MINUTES of each (10; RUN_SECONDS instead), LOAD (no), LOSS (0), MISSES
# (3), TRIALS (50), IDLE (60), AWAIT (600), ALGORITHM (bully), GUARANTEE
# (component), BUILD: as of suspicion.sh and bench.sh. RESULT: BUILD/fastest.
set -u

here=$(dirname "$0")
: "${BUILD:=build}" "${HEARTBEATS:=1ms 2ms 3ms 5ms 10ms}" "${LOAD:=no}"
: "${RESULT:=$BUILD/fastest}"
export BUILD LOAD
# shellcheck source=tests/lib/child.sh
. "$here/../lib/child.sh"
# shellcheck source=tests/bench/quiet.sh
. "$here/quiet.sh"

[ "$(id -u)" = 0 ] || { echo 'this wants to be run as root'; exit 77; }
await_quiet
for heartbeat in $HEARTBEATS; do
    run env HEARTBEAT="$heartbeat" ONLY_FIRST=yes \
        RECORD="$RESULT/$heartbeat" bash "$here/suspicion.sh" || continue
    run env HEARTBEAT="$heartbeat" RESULT="$RESULT" SYSTEMS=electd \
        FAULTS='cut kill' bash "$here/bench.sh"
    exit
done
echo "not ok: none of $HEARTBEATS is free of false suspicions here"
exit 1
