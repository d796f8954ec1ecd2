#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons under quorum, with timings as short as can be: at random
# moments one or more of them are killed by kill -9 and started again at once,
# so that most of it happens during elections. No term goes back, and no
# term has two leaders; in the end there is one leader.
#
# TRIALS: how often (60). SEED: for the victims and moments. ALGORITHM: bully.
# Takes 24 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

: "${TRIALS:=60}" "${SEED:=1}" "${ALGORITHM:=bully}"
RANDOM=$SEED
ids=(1 2 3 4 5)
names=('' one two three four five)

five_with_a_state() {
    local id

    fresh && setting 'timing = { heartbeat = "20ms"; misses = 3;
        lease = "200ms"; startup = "50ms"; };' || return
    sed -i -e 's|guarantee = "component"|guarantee = "quorum"|' \
        -e "s|algorithm = \"bully\"|algorithm = \"$ALGORITHM\"|" \
        "$cluster/electd.conf"
    for id in "${ids[@]}"; do
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i "$id" ||
            return
    done
    node_start "${ids[@]}" && watch_open 1 && watch_leader 1 5
}

# A read that gets nothing makes the pause until a random moment.
random_moment() {
    read -r -t "$(printf '0.%03d' $((RANDOM % 600)))" -u "$nothing"
    return 0
}

# The leader, as the youngest log line has it, or anybody.
random_victim() {
    local name id

    name=$(tail -qn 1 "$cluster"/?.log | sort |
        sed -nE 's/.*: ([a-z]+) leads .*/\1/p' | tail -n 1)
    for id in "${ids[@]}"; do
        [ $((RANDOM % 2)) -eq 0 ] || [ "${names[$id]}" != "$name" ] ||
            { victim=$id && return; }
    done
    victim=${ids[RANDOM % 5]}
}

# Kills one in five trials of ten, two in two, three in two, and all in one, so
# that no process is left that remembers; all start again.
strike() {
    local dice=$((RANDOM % 10)) dead=() id
    local want=$((1 + (dice > 4) + (dice > 6) + 2 * (dice > 8)))

    while [ ${#dead[@]} -lt "$want" ]; do
        random_victim
        [ -n "${daemon_pid[$victim]-}" ] || continue
        node_kill9 "$victim"
        dead+=("$victim")
    done
    for id in "${dead[@]}"; do
        node_launch "$id" "$cluster/electd.conf" -i "$id"
    done
}

no_term_goes_back_or_has_two_leaders() {
    local trial

    five_with_a_state || return
    mkfifo "$cluster/nothing" && exec {nothing}<>"$cluster/nothing" || return
    watch_close 1
    for ((trial = 0; trial < TRIALS; trial++)); do
        random_moment
        strike
        [ ! -t 1 ] || printf '\r%d of %d ' $((trial + 1)) "$TRIALS"
    done
    [ ! -t 1 ] || printf '\r'
    exec {nothing}<&-
    awk -v trials="$TRIALS" -f tests/system/live/storm.awk "$cluster"/?.log
}

in_the_end_there_is_one_leader() {
    local id

    for id in "${ids[@]}"; do
        node_await "$id" || return
    done
    settle "${ids[@]}" && exits 0 ask 1 leader && node_end "${ids[@]}" &&
        awk -v trials=0 -f tests/system/live/storm.awk "$cluster"/?.log >/dev/null
}

check no_term_goes_back_or_has_two_leaders
check in_the_end_there_is_one_leader
check_end
