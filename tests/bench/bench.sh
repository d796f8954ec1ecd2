#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bench: five hosts in network namespaces, joined by the kernel's bridge;
# their leader suffers one fault after the other, and the bench measures how long
# it takes until the others have the next one, and what an idle cluster costs.
# It measures keepalived and etcd beside electd, where they are installed.
#
# usage: bench.sh, as root
# TRIALS of each fault (50); FAULTS: kill killall stop cut link term resign.
# SYSTEMS: electd toy (its datagrams alone) keepalived-1s keepalived-10ms etcd
# etcd-fast.
# ALGORITHM (bully), GUARANTEE (component, quorum), each of them perhaps
# several; TOPOLOGY (the algorithm's own: full, ring, tree or graph), HEARTBEAT
# (100ms), MISSES (3): of electd. MULTICAST (no): yes, if its leader's heartbeats
# go to a group; "no yes": both. SEED (1): of the moments of the faults. IDLE:
# seconds (60; 0: not at all). AWAIT: how long the machine may take to be quiet
# (600; 0: it need not be). BUILD: where the programs are. RESULT: where the
# tables and the plot go; BUILD/bench.
set -u

here=$(dirname "$0")
: "${BUILD:=build}" "${TRIALS:=50}" "${IDLE:=60}"
: "${SYSTEMS:=electd toy keepalived-1s keepalived-10ms etcd etcd-fast}"
: "${FAULTS:=kill killall stop cut link term resign}"
: "${ALGORITHM:=bully}" "${GUARANTEE:=component}" "${TOPOLOGY:=}"
: "${HEARTBEAT:=100ms}" "${MISSES:=3}" "${SEED:=1}" "${RESULT:=$BUILD/bench}"
: "${MULTICAST:=no}"
export BUILD TRIALS IDLE FAULTS HEARTBEAT MISSES SEED RESULT

failed=0
# shellcheck source=tests/lib/child.sh
. "$here/../lib/child.sh"
# shellcheck source=tests/bench/quiet.sh
. "$here/quiet.sh"

[ "$(id -u)" = 0 ] || { echo 'the bench wants to be run as root'; exit 77; }

# Puts all that was measured so far into $RESULT/report.md.
report() {
    {
        echo "# electd's bench"
        echo
        echo "$(nproc) cores, $(uname -sr), load $(cut -d ' ' -f 1-3 \
            /proc/loadavg) at the end; electd:" \
            "$ALGORITHM${TOPOLOGY:+ on $TOPOLOGY}, $GUARANTEE, heartbeats of" \
            "$HEARTBEAT, $MISSES misses."
        echo
        "$BUILD/tests/bench/report" "$RESULT/trials.csv" "$RESULT/idle.csv" ||
            failed=1
        sed 's/^/\n/' "$RESULT/notes"
    } >"$RESULT/report.md"
    "$BUILD/tests/bench/plot" <"$RESULT/trials.csv" >"$RESULT/cdf.svg" ||
        failed=1
}

# measure NAME [VARIABLE=VALUE...]
measure() {
    local status

    run env "${@:2}" bash "$here/system.sh" "$1"
    status=$?
    [ "$status" != 77 ] || [ "$SYSTEMS" != "$1" ] || exit 77
    # The notes have the errors of other systems.
    [ "$status" = 0 ] || [[ $1 != electd* ]] || failed=1
    report
}

# The name has each variable that has several values.
measure_electd() {
    local algorithm guarantee multicast name

    for algorithm in $ALGORITHM; do
        for guarantee in $GUARANTEE; do
            for multicast in $MULTICAST; do
                name=electd
                [ "$ALGORITHM" = "$algorithm" ] || name+=-$algorithm
                [ "$GUARANTEE" = "$guarantee" ] || name+=-$guarantee
                [ "$MULTICAST" = "$multicast" ] || [ "$multicast" = no ] ||
                    name+=-multicast
                measure "$name" ALGORITHM="$algorithm" TOPOLOGY="$TOPOLOGY" \
                    GUARANTEE="$guarantee" MULTICAST="$multicast"
            done
        done
    done
}

mkdir -p "$RESULT" || exit 1
echo 'system,fault,trial,leader,next,start_ns,first_ns,all_ns,gap_ns' \
    >"$RESULT/trials.csv"
echo 'system,host,is_leader,seconds,heartbeat_ns,cpu_ns,packets,bytes,pss_kib,wakes' \
    >"$RESULT/idle.csv"
await_quiet | tee "$RESULT/notes"
for system in $SYSTEMS; do
    if [ "$system" = electd ]; then
        measure_electd
    else
        measure "$system" ALGORITHM=bully TOPOLOGY= GUARANTEE=component \
            MULTICAST=no
    fi
done
cat "$RESULT/report.md"
echo
echo "In $RESULT: report.md, trials.csv, idle.csv, cdf.svg, and all events."
exit "$failed"
