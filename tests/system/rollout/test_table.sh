#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The table of a rollout, from events of two hosts that were written by hand.
# Computes only.
# shellcheck disable=SC2317 # cases are called by name
set -u

# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh

# at MS EVENT [KEYS]: a line that table.awk reads.
at() {
    echo "${1}000000 {\"event\":\"$2\",${3-}\"mono_ns\":${1}000000}"
}

# follows MS HOST LEADER TERM
follows() {
    at "$1" leader "\"term\":$4,\"leader\":$3,\"self\":$2,"
}

# a_record STOPS BEGINS: a step in which web2 takes the lead over. Before it is
# one in which nothing happens but that no client hears of a leader for 4 ms.
a_record() {
    follows 10 1 1 7
    follows 11 2 1 7
    at 20 step '"name":"restart: follower",'
    at 30 unsaid '"gap_ns":4000000,"late_ns":0,'
    at 40 'done' '"name":"restart: follower",'
    at 50 step '"name":"restart: leader",'
    {
        follows "$1" 1 2 8
        follows "$2" 2 2 8
    } | sort -n
    at 90 'done' '"name":"restart: leader",'
}

table() {
    awk -f tests/system/rollout/table.awk
}


# finds STATUS PATTERN: the table says so, and ends with this status.
finds() {
    table >"$tmp/table"
    [ $? = "$1" ] && grep -E "$2" "$tmp/table"
}

times() {
    a_record 60 63 | finds 0 \
        '^restart: leader +1 +0\.00 +0\.00 +0\.00 +0\.00 +3\.00 +3\.00 +1$'
}

unheard() {
    a_record 60 63 | finds 0 \
        '^restart: follower +1 +4\.00 +4\.00 +0\.00 +0\.00 +0\.00 +0\.00 +0$'
}

# Host 2 dies with the lead: nobody has a leader until it says so again.
gone() {
    {
        a_record 60 63
        at 100 step '"name":"restart: leader",'
        at 110 no-leader '"term":8,"leader":null,"self":1,'
        at 111 gone '"self":2,'
        follows 131 1 1 9
        at 140 'done' '"name":"restart: leader",'
    } | finds 0 \
        '^restart: leader +2 +0\.00 +0\.00 +10\.00 +20\.00 +11\.50 +20\.00 +2$'
}

overlap() {
    a_record 63 60 | finds 1 '^two leaders: '
}

too_many() {
    {
        a_record 60 63
        at 100 step '"name":"restart: follower",'
        follows 110 2 1 9
        follows 111 1 1 9
        follows 112 1 2 10
        follows 113 2 2 10
        at 140 'done' '"name":"restart: follower",'
    } | finds 1 '^restart: 3 changes of leader, 1 times its host$'
}

holds 'the time between two leaders is that of their own events' times
holds 'a client that hears of no leader is a time of its own' unheard
holds 'a host whose daemon has gone has no leader' gone
holds 'two leaders at once are found' overlap
holds 'more changes than restarts ask for are found' too_many
cases_end
