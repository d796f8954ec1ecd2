#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bench in its shortest form: one death of a leader of real daemons, and a
# second of idleness. It judges no figure, which would depend on the machine. But
# known figures come out of its tables as they went in, and it finds that a node
# that hears nothing of the others gives them up.
#
# BUILD: where the programs are.
# Takes 23 s.
# shellcheck disable=SC2317 # functions are called by name
set -u

: "${BUILD:=build}"
export AWAIT=0
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
# shellcheck source=tests/lib/can.sh
. tests/lib/can.sh

# 1 to 100 ms, a trial that came to nothing, and an overlap of a microsecond.
known_trials() {
    local n

    echo 'system,fault,trial,leader,next,start_ns,first_ns,all_ns,gap_ns'
    for ((n = 100; n > 0; n--)); do
        echo "one,kill,$n,5,4,${n}0000,500000,${n}000000,"
    done
    echo 'one,kill,101,5,,,,,'
    echo 'two,term,1,5,4,,1000000,2000000,-1000'
}

known_idleness() {
    echo 'system,host,is_leader,seconds,heartbeat_ns,cpu_ns,packets,bytes,pss_kib,wakes'
    echo 'one,1,1,10,100000000,100000000,400,40000,1000,10'
    echo 'one,2,0,10,100000000,50000000,100,10000,2000,10'
}

tables() {
    known_trials >"$tmp/trials.csv"
    known_idleness >"$tmp/idle.csv"
    "$BUILD/tests/bench/report" "$tmp/trials.csv" "$tmp/idle.csv" |
        tee "$tmp/report"
    grep -qF '| one | kill | 100 | 0.50, 0.99 | 0.50 | 50.00 | 99.00 | 100.00 | 1.00 |' \
        "$tmp/report" && grep -q '| one | kill .*| 1 |$' "$tmp/report" &&
        grep -qF '| two | term | 1 |  | 1.00 | 2.00 |' "$tmp/report" &&
        grep -qF '| 0.00, 0.00 | 1, 0.001 | 0 |' "$tmp/report" &&
        grep -qF '| one | 5.0 | 500 | 1.00 | 0.50 | 0.50 | 1 | 1500 | 2000 |' \
            "$tmp/report"
}

plot() {
    "$BUILD/tests/bench/plot" <"$tmp/trials.csv" | tee "$tmp/cdf.svg"
    [ "$(grep -c "class='line' .*H.*V" "$tmp/cdf.svg")" = 2 ] &&
        [ "$(tail -n 1 "$tmp/cdf.svg")" = '</svg>' ]
}

# There is a figure for all that it should measure.
figures() {
    cat "$tmp/run"/*.csv
    grep -qE '^electd,kill,1,[1-5],[1-5],[0-9]*,[0-9]+,[0-9]+,$' "$tmp/run/trials.csv" &&
        [ "$(grep -cE '^electd,[1-5],[01],1(,[1-9][0-9]*){6}$' \
            "$tmp/run/idle.csv")" = 5 ] &&
        grep -q '^| electd | kill | 1 ' "$tmp/run/report.md"
}

# The bare datagrams beside it: each host has sent some.
toy() {
    RESULT=$tmp/toy SYSTEMS=toy IDLE=1 HEARTBEAT=100ms \
        bash tests/bench/bench.sh &&
        [ "$(grep -cE '^toy,[1-5],[01],1,100000000(,[1-9][0-9]*){5}$' \
            "$tmp/toy/idle.csv")" = 5 ]
}

# A floating address moves once, and is never at two hosts.
floating() {
    RESULT=$tmp/vip SYSTEMS=electvip FAULTS=kill TRIALS=1 \
        bash tests/bench/vip.sh && cat "$tmp/vip/trials.csv" &&
        grep -qE '^electvip,kill,1,5,4,[0-9.]+,0.0$' "$tmp/vip/trials.csv" &&
        grep -qE '^\| electvip \| kill \| 1 ' "$tmp/vip/report.md"
}

# A network that loses everything.
suspicion() {
    ! RUN_SECONDS=1 LOAD=no LOSS=100 HEARTBEAT=100ms MISSES=3 \
        ALGORITHM=bully GUARANTEE=component RECORD=$tmp/suspicion \
        bash tests/bench/suspicion.sh >"$tmp/suspected" 2>&1 &&
        grep -E '^  links lost: 20 \(missed 20, refused 0' "$tmp/suspected"
}

holds 'known figures come out of the tables' tables
holds 'and are drawn' plot
why=$(can_have_hosts) ||
    { echo "skip one death of a leader: $why"; cases_end; }
RESULT=$tmp/run SYSTEMS=electd FAULTS=kill TRIALS=1 IDLE=1 ALGORITHM=bully \
    GUARANTEE=component HEARTBEAT=100ms MISSES=3 \
    bash tests/bench/bench.sh >"$tmp/out" 2>&1
holds 'a leader dies and the bench sees it through' test $? = 0
holds 'with figures of all that was measured' figures
holds 'and of its datagrams without it' toy
holds 'a floating address moves, and the bench sees it through' floating
holds 'a node that hears nothing gives up all others' suspicion
[ "$failures" = 0 ] || cat "$tmp/out"
cases_end
