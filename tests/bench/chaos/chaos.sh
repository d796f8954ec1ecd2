#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons on the test LAN, and faults drawn from a seed (plan.c):
# killed, stopped, paused, cut off, on a full disk, on a bad network, with
# clocks that jump from one start to the next. Then check.c says whether there
# were ever two leaders, and whether there was a leader again after each heal.
#
# usage: chaos.sh
# MINUTES, ALGORITHM, GUARANTEE (quorum or component), SEED of the faults.
# RUN_SECONDS: instead of MINUTES. BUILD: where the programs are. RECORD: where
# the record goes, to be checked again; BUILD/chaos/ALGORITHM-GUARANTEE-SEED.
set -u

: "${MINUTES:=5}" "${SEED:=1}"
# shellcheck source=tests/bench/chaos/hosts.sh
. "$(dirname "$0")/hosts.sh"

: "${RUN_SECONDS:=$((MINUTES * 60))}"
: "${RECORD:=$BUILD/chaos/$ALGORITHM-$GUARANTEE-$SEED}"
readonly detection_ms=400 # of a silent peer: three heartbeats and a margin
declare -A target=() # of the faults, by number
declare -A busy=()   # hosts that a fault of this round has

plan_pid=

at_end '[ -z "$plan_pid" ] || kill "$plan_pid"'

# The hosts that answer that they lead; there may be more than one.
leader() {
    local host

    for host in $hosts; do
        [ -n "${busy[$host]-}" ] || ! ask "$host" -q is-leader 2>/dev/null ||
            { echo "$host"; return; }
    done
}

# aim FAULT HOST: sets `host`; HOST may be leader/N: N if there is no leader.
aim() {
    host=${target[$1]-}
    [ -z "$host" ] || return 0
    [[ $2 != leader/* ]] || host=$(leader)
    : "${host:=${2#leader/}}"
    target[$1]=$host
}

# do_harm FAULT HOST WORD...: harms a daemon or a disk, one fault at a time.
do_harm() {
    local host

    if [ -z "${target[$1]-}" ]; then
        aim "$1" "$2"
        [ -z "${busy[$host]-}" ] || host=${2#leader/}
        [ -z "${busy[$host]-}" ] || host=0
        target[$1]=$host
        busy[$host]=$1
    fi
    host=${target[$1]}
    [ "$host" = 0 ] || hand "$host" "${@:3}"
}

# do_net FAULT WORD...
do_net() {
    local host fault=$1 word=$2
    shift 2

    case $word in
    partition) net partition "$@" ;;
    one-way) net cut "$1" ;;
    alone) aim "$fault" "$1" && net partition "$host" && set -- "$host" ;;
    orphans)
        # The plan kills the others next, and spares this one.
        aim "$fault" "$1" && net partition "$host" && set -- "$host"
        busy[$host]=$fault
        ;;
    mute) aim "$fault" "$1" && net cut "$host.$2" && set -- "$host.$2" ;;
    storm) net set all "$@" ;;
    heal) net heal ;;
    calm) net clear ;;
    esac
    stamp "$word" ",\"words\":\"$*\""
}

# Runs the whole plan.
run() {
    local at what rest
    local -a words
    local options='' plan

    unshare -T true 2>/dev/null || unshare -UrT true 2>/dev/null || {
        options=-s
        echo 'no time namespaces here: the clocks do not jump'
    }
    exec {plan}< <(exec "$BUILD/tests/bench/chaos/plan" $options "$SEED" \
        "$RUN_SECONDS" "$hosts_count" "$detection_ms")
    plan_pid=$!
    while read -r -u "$plan" at what rest; do
        read -ra words <<<"$rest"
        case $what in
        round) target=() busy=() ;;&
        round | healed) stamp "$what" ",\"number\":$rest" ;;
        end) stamp end ;;
        do) do_harm "${words[@]}" ;;
        net) do_net "${words[@]}" ;;
        esac
        [ "$what" != round ] || progress "$at" "$rest"
    done
    plan_pid=
}

progress() {
    [ ! -t 2 ] || printf '\rround %s, %d of %d s ' "$2" $(($1 / 1000)) \
        "$RUN_SECONDS" >&2
}

hosts_check
echo "Chaos: $ALGORITHM, $GUARANTEE, $RUN_SECONDS s, seed $SEED."
hosts_begin $((RUN_SECONDS + 120)) --seed "$SEED"
for host in $hosts; do
    hand "$host" start 0 0
done
stamp healed ',"number":0'
run
hosts_end
hosts_keep "$RECORD"
"$BUILD/tests/bench/chaos/check" "$RECORD"
status=$?
echo "The record is in $RECORD."
exit "$status"
