#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Takes 44 s.
# shellcheck disable=SC2317 # the cases are called by check()
# electsim swarm keeps every promise over the same seeds each time, under each
# guarantee; also with nodes that do one thing an interval, as if they were
# thousands. Its output depends only on the seeds.
#
# LONG: set for more seeds, which are others every day, and for nothing that
# does not depend on these. SEED: the first instead. Computes only.
set -u

# shellcheck source=tests/model/sim/electsim.sh
. "$(dirname "$0")/electsim.sh"
SEEDS=${LONG:+300}
: "${SEEDS:=60}" "${SEED:=$((${LONG:+EPOCHSECONDS / 86400 * 1000} + 1))}"
echo "Seeds from $SEED on."

# swarm OPTION...: prints JSON, without the time it took.
swarm() {
    "$BUILD/electsim" swarm -o json "$@" |
        sed 's/"cpu_s":[0-9.]*/"cpu_s":0/'
}

# keeps GUARANTEE OPTION...: fails unless SEEDS seeds keep every promise.
keeps() {
    swarm --seed "$SEED" --seeds "$SEEDS" --guarantee "$@" \
        --jobs "$(nproc)" --classes >out 2>err
    cat err
    grep -q '^{"seeds":'"$SEEDS"',"elections":[0-9]*,"violations":0,"simulated_s":[0-9.]*,"cpu_s":0,' out &&
        [ ! -s err ]
}

every_seed_keeps_every_promise_of_component() {
    keeps component
    local kept=$?

    cp out component
    return "$kept"
}

every_seed_keeps_every_promise_of_quorum() {
    keeps quorum
    local kept=$?

    cp out quorum
    return "$kept"
}

# A node that is played from its tape does the same again.
every_node_does_the_same_again() {
    local SEEDS=$((SEEDS / 3))

    keeps both --tapes && grep -qE '"replayed":[1-9][0-9]{4}' out
}

nodes_like_those_of_thousands_keep_every_promise() {
    local SEEDS=$((SEEDS / 3))

    keeps component --budget 1 && keeps quorum --budget 1
}

# A swarm that never elects, or in which all worlds end alike, finds nothing.
a_swarm_sees_every_kind_of_fault_and_of_end() {
    ! grep -q '"faults":0' <(sed 's/"leader":{[^}]*}//' quorum) &&
        grep -q '"config":{[^}]*"faults":[1-9]' component &&
        grep -q '"discovery":{[^}]*"faults":[1-9]' component &&
        ! grep -qE '"(leader|no-quorum)":0' quorum &&
        grep -qE '"elections":[0-9]{3}' quorum
}

any_number_of_jobs_gives_the_same() {
    swarm --seeds 40 --classes >one
    swarm --seeds 40 --classes --jobs 7 >seven
    diff one seven
}

# A trace does not change the result.
a_trace_shows_the_very_run() {
    for seed in 1 2 3 4 5 6 7 8; do
        swarm --seed "$seed" --classes >plain
        swarm --seed "$seed" --classes --trace >traced 2>trace
        diff plain traced && grep -q ' leader ' trace || return
    done
}

two_ranges_make_the_whole() {
    swarm --seed 1 --seeds 20 | tr ',' '\n' | grep elections >whole
    for first in 1 11; do
        swarm --seed "$first" --seeds 10 | tr ',' '\n' | grep elections
    done | awk -F: '{ sum += $2 } END { print "\"elections\":" sum }' >sum
    diff whole sum
}

wrong_options_are_refused() {
    for wrong in '--seeds 0' '--guarantee both,' '--nodes 21' '--budget 65' '--jobs x' \
        '--algorithm nope' 'more'; do
        # shellcheck disable=SC2086 # two words
        "$BUILD/electsim" swarm $wrong >out 2>err
        [ $? = 2 ] && [ ! -s out ] && grep -q '^electsim: ' err || return
    done
    "$BUILD/electsim" swarm --help | grep -q '^Example'
}

for name in every_seed_keeps_every_promise_of_component \
    every_seed_keeps_every_promise_of_quorum \
    every_node_does_the_same_again \
    nodes_like_those_of_thousands_keep_every_promise \
    a_swarm_sees_every_kind_of_fault_and_of_end; do
    check "$name"
done
# The same seeds each time.
[ -n "${LONG-}" ] || for name in any_number_of_jobs_gives_the_same \
    a_trace_shows_the_very_run two_ranges_make_the_whole \
    wrong_options_are_refused; do
    check "$name"
done
cases_end
