#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons, each with `electctl run` of one command. Fault after fault,
# drawn from a seed, on the host where the command runs: electd, its helper,
# electctl, the guard and the command are killed or stopped, alone and together.
# No two hosts ever run the command at once. It prints how long nobody ran it.
#
# TRIALS: how many faults (20; LONG: 1000). SEED: of the draw.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/live/live_quorum.sh
. tests/live/live_quorum.sh
# shellcheck source=tests/live/live_run.sh
. tests/live/live_run.sh

: "${TRIALS:=${LONG:+1000}}"
: "${TRIALS:=20}" "${SEED:=1}"
RANDOM=$SEED

# What the faults are done to. The command is deaf in every second trial.
targets=(
    electd helper electctl guard command
    'electctl guard' 'electd electctl' 'electd guard' 'electd helper'
    'electctl guard command' 'electd electctl guard'
    'electd helper electctl guard command'
)

# latest: the node of the command that began last.
latest() {
    local file

    for file in "$cluster"/stamps/*; do
        echo "$(cat "$file") ${file##*/web}"
    done | sort | tail -n 1 | sed 's/.* //; s/\..*//'
}

# pid_of TARGET: on host `at`; none if it has gone already.
pid_of() {
    local guard

    guard=$(cut -d ' ' -f 1 "/proc/${run_pid[$at]}/task/${run_pid[$at]}/children")
    case $1 in
    electd) echo "${daemon_pid[$at]}" ;;
    helper) helper_of "$at" ;;
    electctl) echo "${run_pid[$at]}" ;;
    guard) echo "$guard" ;;
    command) cut -d ' ' -f 1 "/proc/$guard/task/$guard/children" ;;
    esac 2>/dev/null
}

# mend: lets go on what was stopped, and starts again what has gone.
mend() {
    local deaf=$((RANDOM % 2))

    # shellcheck disable=SC2086 # ids in words
    kill -CONT $struck 2>/dev/null
    [ -n "${daemon_pid[$at]-}" ] || node_start "$at" || return
    if ! lives "${run_pid[$at]}"; then
        run_kill9 "$at"
        # shellcheck disable=SC2046 # one word, or none
        run_on "$at" "$stamp" "$cluster/stamps" \
            $([ "$deaf" = 0 ] || echo deaf)
    fi
}

# strike: does the fault. The shell's own messages are of no interest.
strike() {
    # shellcheck disable=SC2086 # ids in words
    kill -$signal $struck
    [ "$signal" = KILL ] || return
    [[ $target != *electd* ]] || node_gone "$at"
    [[ $target != *electctl* && $target != *command* ]] ||
        wait "${run_pid[$at]}"
}

# follow: what comes of the fault.
follow() {
    case "$signal $target" in
    ????' helper' | 'STOP electctl' | 'STOP command') mend ;; # it runs on
    *electd* | ????' guard') another && mend ;;
    STOP*guard*) gone "$command" && mend && another ;;
    *) mend && another ;;
    esac
}

# another: waits until one more command has begun.
another() {
    stamped $((before + 1))
}

# trial: one fault, and what follows.
trial() {
    local before command signal=KILL struck='' target word

    at=$(latest) && command=$(pid_of command) || return
    target=${targets[RANDOM % ${#targets[@]}]}
    [ $((RANDOM % 2)) = 0 ] || signal=STOP
    before=$(find "$cluster/stamps" -type f | wc -l)
    for word in $target; do
        struck+=" $(pid_of "$word")"
    done
    strike 2>/dev/null
    follow || complain "after $signal of $target on $at"
}

# gaps: between the end of one command and the beginning of the next, in ms.
gaps() {
    cat "$cluster"/stamps/* | sort | awk '
        NR > 1 { printf "%.1f\n", ($1 - last) / 1e6 }
        last < $2 { last = $2 }' | sort -n | awk '{ v[NR] = $1 }
        END { printf "%d commands, nobody ran one for %.1f ms (median), " \
            "%.1f ms at most", NR + 1, v[int((NR + 1) / 2)], v[NR] }'
}

never_two_at_once() {
    local id i

    quorum 5 && setting 'preempt = "never";' && cluster_start 5 1 2 3 4 5 &&
        voters_are 5 1 2 3 4 5 || return
    for id in 1 2 3 4 5; do
        run_on "$id" "$stamp" "$cluster/stamps" || return
    done
    stamped 1 || return
    for ((i = 0; i < TRIALS; i++)); do
        trial || complain "trial $i" || break
    done
    echo "    $i faults; $(gaps)"
    run_end
    apart && [ "$i" = "$TRIALS" ]
}

check never_two_at_once
check_end
