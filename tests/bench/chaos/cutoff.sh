#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons on the test LAN, under the guarantee "quorum": the leader is
# cut off silently, alone or with one follower in turn. The script measures when
# it stops taking itself for the leader, and when the next one begins. Meanwhile
# the minority must say that it has no quorum; healed, all follow the next one.
#
# usage: cutoff.sh
# TRIALS (20), ALGORITHM. BUILD: where the programs are, and where the record
# goes: BUILD/chaos/cutoff-ALGORITHM.
#
# All figures are by mono_ns.
set -u

: "${TRIALS:=20}" "${SEED:=1}"
PREEMPT=never # the next one stays, when the old one is back
# shellcheck source=tests/bench/chaos/hosts.sh
. "$(dirname "$0")/hosts.sh"

readonly seconds_max=10 no_quorum=5
readonly record=$BUILD/chaos/cutoff-$ALGORITHM
failed=0
trial=0
trials=() # "number cut_ns healed_ns old next with", of each

complain() {
    echo "not ok: trial $trial: $*"
    failed=1
}

# Succeeds if the majority follows another than `old`.
has_next() {
    # shellcheck disable=SC2086 # hosts in words
    all_follow '' $majority && [ "$followed" != "$old" ]
}

# The hosts that are cut off must say so, and why.
minority_answers() {
    local host status

    for host in $minority; do
        ask "$host" leader >/dev/null 2>&1
        status=$?
        [ "$status" = "$no_quorum" ] ||
            complain "cut off, node $host answers with $status"
    done
}

# Sets `minority` and `majority`: the leader is alone, or has one follower.
take_sides() {
    local host

    minority=$old majority=
    [ $((trial % 2)) = 1 ] || minority+=" $((old % hosts_count + 1))"
    for host in $hosts; do
        [[ " $minority " = *" $host "* ]] || majority+=" $host"
    done
}

a_trial() {
    local old followed minority majority cut_at healed_at

    # shellcheck disable=SC2086 # hosts in words
    awaits "$seconds_max" all_follow '' $hosts ||
        { complain 'no leader of all'; return; }
    old=$followed
    take_sides
    cut_at=$("$kill9")
    net partition "${minority// /,}"
    stamp partition
    awaits "$seconds_max" has_next || complain 'the majority has no leader'
    minority_answers
    healed_at=$("$kill9")
    net heal
    stamp healed ",\"number\":$trial"
    # shellcheck disable=SC2086 # hosts in words
    awaits "$seconds_max" all_follow "$followed" $hosts ||
        complain "healed, not all follow node $followed"
    trials+=("$trial $cut_at $healed_at $old $followed ${minority/ /+}")
}

# The table: from the reigns, "begin end node start term", and the trials.
tell() {
    "$BUILD/tests/bench/chaos/check" -r "$record" >"$record/reigns" || failed=1
    printf '%s\n' "${trials[@]}" | awk '
        function ms(ns) { return sprintf("%.3f", ns / 1e6) }
        NR == FNR {
            begin[++n] = $1; end[n] = $2; node[n] = $3
            next
        }
        FNR == 1 {
            print "trial cut_off old stepped_down_ms next_led_ms apart_ms"
        }
        {
            last = first = 0
            for (i = 1; i <= n; i++)
                if (node[i] == $4 && begin[i] < $2)
                    last = i
            for (i = n; i >= 1; i--)
                if (node[i] != $4 && begin[i] > $2)
                    first = i
            if (!last || !first || begin[first] <= end[last])
                bad = 1
            print $1, $6, $4, ms(end[last] - $2), ms(begin[first] - $2),
                ms(begin[first] - end[last])
        }
        END { exit bad || FNR == 0 }' "$record/reigns" - >"$record/table" ||
        { echo 'not ok: the next one led before the old one had stopped'
            failed=1; }
    column -t "$record/table" 2>/dev/null || cat "$record/table"
    awk 'NR > 1 { print $6 }' "$record/table" | sort -n | awk '
        { v[NR] = $1 }
        END { print "apart: min " v[1] " ms, median " v[int((NR + 1) / 2)] \
            ", max " v[NR] ", n " NR }'
}

hosts_check
echo "Cut off: $ALGORITHM, $GUARANTEE, $TRIALS trials."
hosts_begin $((TRIALS * 3 * seconds_max + 60)) --seed "$SEED"
for host in $hosts; do
    hand "$host" start 0 0
done
while [ "$trial" -lt "$TRIALS" ] && [ "$failed" = 0 ]; do
    trial=$((trial + 1))
    a_trial
done
stamp end
hosts_end
hosts_keep "$record"
tell
[ "$failed" = 0 ] && echo "ok: $TRIALS trials, never two leaders"
exit "$failed"
