#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A short chaos run, in which the checker finds nothing. Then the script puts
# lies into its record, and the checker finds each; and the same seed draws the
# same faults again.
#
# BUILD: where the programs are. RUN_SECONDS, SEED, GUARANTEE: of the run.
# Takes 22 s.
# shellcheck disable=SC2317 # functions are called by name
set -u

: "${BUILD:=build}" "${RUN_SECONDS:=12}" "${SEED:=6}" "${GUARANTEE:=quorum}"
check=$BUILD/tests/bench/chaos/check
plan=$BUILD/tests/bench/chaos/plan
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh

# Makes a copy of the record, to put a lie into.
lie() {
    rm -rf "$tmp/lie"
    cp -r "$tmp/record" "$tmp/lie"
    sed -i 's/"guarantee":"[a-z]*"/"guarantee":"quorum"/' "$tmp/lie/run.log"
}

# finds NAME: fails unless the checker fails for this reason.
finds() {
    "$check" "$tmp/lie" >"$tmp/verdict" 2>&1
    [ $? = 1 ] && tail -n 1 "$tmp/verdict" | grep -q "\"$1\":[1-9]" &&
        return
    cat "$tmp/verdict"
    return 1
}

# The last leader but one to begin, and the one that follows it.
read_reigns() {
    read -r _ end host start term \
        < <("$check" -r "$tmp/record" 2>/dev/null | tail -n 2 | head -n 1)
    read -r next_begin _ next_host next_start next_term \
        < <("$check" -r "$tmp/record" 2>/dev/null | tail -n 1)
}

# The line by which a node took the lead in a term, in its stream: a pattern.
takes_lead() {
    echo "\"event\":\"leader\",\"term\":$2,\"token\":[0-9]*,\"leader\":$1,"
}

# The next one begins a nanosecond before the last one's end.
an_overlap() {
    local stream=$tmp/lie/watch.$next_host.$next_start line was

    line=$(takes_lead "$next_host" "$next_term")
    was=$(grep "$line" "$stream" | head -n 1 |
        sed 's/.*"mono_ns":\([0-9]*\).*/\1/')
    sed -i "/$line/s/\"mono_ns\":$was/\"mono_ns\":$((was - next_begin + end - 1))/" \
        "$stream"
    finds overlaps && grep -q ': 1 ns$' "$tmp/verdict"
}

# The next one leads in the term of the last.
a_term_twice() {
    sed -i "s/\"term\":$next_term,/\"term\":$term,/" \
        "$tmp/lie/watch.$next_host.$next_start"
    finds term_led_twice && finds term_not_rising
}

# A follower never hears of a leader.
a_silence() {
    local one=$((next_host % 5 + 1))

    sed -i '/"event":"leader"/d' "$tmp"/lie/watch."$one".*
    finds no_leader_after_heal
}

# One stream is cut off in the middle of a line.
a_torn_stream() {
    truncate -s -20 "$tmp/lie/watch.$host.$start"
    "$check" "$tmp/lie" >/dev/null 2>&1
    [ $? = 2 ]
}

same_plan() {
    "$plan" -n "$SEED" 600 5 400 >"$tmp/plan" &&
        "$plan" -n "$SEED" 600 5 400 | cmp - "$tmp/plan" &&
        ! "$plan" -n $((SEED + 1)) 600 5 400 | cmp -s - "$tmp/plan"
}

holds 'a seed draws the same faults again, and another seed others' same_plan
BUILD=$BUILD RECORD=$tmp/record GUARANTEE=$GUARANTEE SEED=$SEED \
    RUN_SECONDS=$RUN_SECONDS bash tests/bench/chaos/chaos.sh >"$tmp/run" 2>&1
status=$?
[ "$status" != 77 ] || { tail -n 1 "$tmp/run"; exit 77; }
holds "a run of $RUN_SECONDS s keeps every promise" test "$status" = 0
[ "$status" = 0 ] || { cat "$tmp/run"; exit 1; }
sed -n 's/^/#   /p' "$tmp/run" | grep -v '{'
read_reigns
lie
holds 'an overlap of one nanosecond, planted, is found' an_overlap
lie
holds 'a term with two leaders, planted, is found' a_term_twice
lie
holds 'a follower made deaf is missed after a heal' a_silence
lie
holds 'a torn record is refused' a_torn_stream
cases_end
