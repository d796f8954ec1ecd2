#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five hosts on a LAN, each with a real daemon and `electctl run` of one
# command. Fault after fault, drawn from a seed, on the host where the command
# runs:
#   KILL, STOP  electd, its helper, electctl, the supervisor and the command, alone and
#               together; STOP until the command runs elsewhere
#   CUT         it hears nothing, or nobody hears it, or both
#   SUSPEND     all of its processes, until the command runs elsewhere
#               (tests/tools/preload/suspend.c)
# No two hosts ever run the command at once. It prints how long nobody ran it.
#
# TRIALS: how many faults (20; LONG: 100). SEED: of the draw. KINDS: of faults.
# Takes 11 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck disable=SC2034 # for hosts.sh
hosts=5
# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/../lan/hosts.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

: "${TRIALS:=${LONG:+100}}"
: "${TRIALS:=20}" "${SEED:=1}" "${KINDS:=KILL KILL STOP STOP CUT SUSPEND}"
read -ra kinds <<<"$KINDS"
RANDOM=$SEED
suspend=$(realpath "$BUILD/tests/tools/preload/suspend.so") || exit

# What a fault is done to. The command is deaf in every second trial.
all='electd helper electctl supervisor command'
processes=(
    electd helper electctl supervisor command
    'electctl supervisor' 'electd electctl' 'electd supervisor' 'electd helper'
    'helper supervisor' 'helper electctl' 'electctl supervisor command'
    'electd electctl supervisor' "$all"
)
sides=(ears mouth 'ears mouth')

# start_on ID: its electctl, on a host that can be suspended, and the command.
start_on() {
    local deaf=()

    [ $((RANDOM % 2)) = 0 ] || deaf=(deaf)
    LD_PRELOAD=$suspend run_on "$1" env -u LD_PRELOAD "$stamp" \
        "$cluster/stamps" "${deaf[@]}"
}

# pid_of NAME: on host `at`; none if it has gone already.
pid_of() {
    local supervisor

    supervisor=$(cut -d ' ' -f 1 "/proc/${run_pid[$at]}/task/${run_pid[$at]}/children")
    case $1 in
    electd) echo "${daemon_pid[$at]}" ;;
    helper) helper_of "$at" ;;
    electctl) echo "${run_pid[$at]}" ;;
    supervisor) echo "$supervisor" ;;
    command) cut -d ' ' -f 1 "/proc/$supervisor/task/$supervisor/children" ;;
    esac 2>/dev/null
}

# stopped PID...: waits until each has stopped, or has ended.
stopped() {
    local until=$((SECONDS + seconds_max)) pid

    for pid in "$@"; do
        while grep -q '^State:[^TZX]*$' "/proc/$pid/status" 2>/dev/null; do
            [ "$SECONDS" -lt "$until" ] || complain "$pid runs on" || return
            pause
        done
    done
}

# strike: does the fault. The shell's own messages are of no interest.
strike() {
    local word number=$kind

    stalls_wanted[$at]=yes
    for word in $target; do
        [ "$kind" != CUT ] || { [ "$word" = ears ] && deafen "$at"; } ||
            { [ "$word" = mouth ] && mute "$at"; } || return
        [ "$kind" != SUSPEND ] || case $word in
        electctl | supervisor) number=TRAP ;;
        *) number=STOP ;;
        esac
        [ "$kind" = CUT ] || kill "-$number" "${pids[$word]}"
    done
    # shellcheck disable=SC2086 # ids in words
    [ "$kind" != SUSPEND ] || stopped "${pids[@]}" || return
    [ "$kind" = KILL ] || return 0
    [[ $target != *electd* ]] || node_gone "$at"
    [[ $target != *electctl* && $target != *command* ]] ||
        wait "${run_pid[$at]}"
    return 0
}

# mend: ends the fault, and starts again what has gone.
mend() {
    [ "$kind" != CUT ] || unhinder "$at" || return
    kill -CONT "${pids[@]}" 2>/dev/null
    [ -n "${daemon_pid[$at]-}" ] || node_start "$at" || return
    if ! lives "${run_pid[$at]}"; then
        run_kill9 "$at"
        gone "${pids[supervisor]}" || return
        start_on "$at"
    fi
}

# another: waits until one more command has begun.
another() {
    stamped $((before + 1))
}

# follow: what comes of the fault. Some leave the command as it is.
follow() {
    case "$kind $target" in
    ????' helper' | 'STOP electctl' | 'STOP command' | 'STOP helper electctl')
        mend
        ;;
    CUT* | SUSPEND* | *electd* | ????' supervisor' | ????' helper supervisor')
        another && mend
        ;;
    STOP*supervisor*) gone "${pids[command]}" && mend && another ;;
    *) mend && another ;;
    esac
}

# trial: one fault, and what follows.
trial() {
    local at before began kind=${kinds[RANDOM % ${#kinds[@]}]} target word
    local -A pids=()

    case $kind in
    CUT) target=${sides[RANDOM % ${#sides[@]}]} ;;
    SUSPEND) target=$all ;;
    *) target=${processes[RANDOM % ${#processes[@]}]} ;;
    esac
    read -r began _ at < <(commands | tail -n 1) || return
    before=$(commands_count)
    for word in $all; do
        pids[$word]=$(pid_of "$word")
    done
    echo "$began $kind $target" >>"$cluster/trials"
    strike 2>/dev/null
    follow || complain "after $kind of $target on $at"
}

# gaps: for each trial its kind; for each command but the first how long nobody
# ran one before it, in ms, with the kind of the fault before.
gaps() {
    commands | awk '
        NR == FNR {
            kind[$1] = $2 == "CUT" ? "CUT of " $3 (NF > 3 ? " " $4 : "") : $2
            print kind[$1]
            next
        }
        FNR > 1 {
            printf "%s\t%.1f\n", kind[began], $1 < last ? 0 : ($1 - last) / 1e6
        }
        { began = $1 }
        last < $2 { last = $2 }' "$cluster/trials" -
}

# figures: how many trials of each kind, and the gaps.
figures() {
    gaps | sort -t "$(printf '\t')" -k 2,2n | awk -F '\t' '
        NF == 1 { trials[$1]++; all++; next }
        { gap[$1, ++n[$1]] = $2; total[++count] = $2 }
        function tell(name, times, median, most) {
            printf "    %5d %s: nobody ran it for %s ms (median), at " \
                "most %s ms\n", times, name, median, most
        }
        END {
            for (k in trials)
                tell(k, trials[k], gap[k, int((n[k] + 1) / 2)], gap[k, n[k]])
            tell("in all", all, total[int((count + 1) / 2)], total[count])
        }'
}

never_two_at_once() {
    local id i

    quorum 5 && sed -i -E 's|"[0-9.]+:742([1-5])"|"198.18.0.\1:7420"|' \
        "$cluster/electd.conf" && setting 'preempt = "never";' &&
        cluster_start 5 1 2 3 4 5 && voters_are 5 1 2 3 4 5 || return
    for id in 1 2 3 4 5; do
        start_on "$id" || return
    done
    stamped 1 || return
    for ((i = 0; i < TRIALS; i++)); do
        trial || complain "trial $i" || break
    done
    figures
    run_end
    apart && [ "$i" = "$TRIALS" ]
}

check never_two_at_once
check_end
