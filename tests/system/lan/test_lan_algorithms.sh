#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every algorithm, by eight real daemons on the test LAN, of whose frames a
# fifth is lost, and others come late, twice or out of order: they start, elect
# on demand, and lose their leader. A forced election costs exactly as many
# messages as in electsim, whatever the LAN does to datagrams. Other cases have
# a ring that loses nodes, or a link between two of them.
#
# usage: test_lan_algorithms.sh [CASE...]
# BUILD: where the programs are. SEED: of the LAN's faults.
# Takes 129 s.

# shellcheck disable=SC2317 # much is called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/../live/live.sh"
# shellcheck source=tests/system/live/live_eight.sh
. tests/system/live/live_eight.sh
# shellcheck source=tests/system/lan/net.sh
. tests/system/lan/net.sh

: "${SEED:=7}"
# Ten in a row are lost once in ten million times.
eight_timing='heartbeat = "50ms"; misses = 10; startup = "300ms";'
disturbed_max=2
tmp=

at_end 'live_end; lan_down; [ -z "$tmp" ] || rm -rf "$tmp"'

address_of() {
    echo "198.18.0.$1:7420"
}

life() {
    local algorithm=$1 section=$2 step
    shift 2

    eight_start "$algorithm" "$section" || return
    watch_open 8
    elects "$algorithm" "$@" || return
    step='death of the leader' && fall 8
}

# most_changes UNTIL: reads the events of all nodes until $SECONDS is UNTIL;
# sets `changes` to the most changes of leader that one of them saw.
most_changes() {
    local until=$1 id left last seen

    changes=0
    for id in $eight; do
        last='' seen=0
        while left=$((until - SECONDS)) &&
            read -r -t $((left > 0 ? left : 0)).05 -u "${watch_fd[$id]}" event
        do
            [[ $event =~ $leads ]] || continue
            [ "${last:=${BASH_REMATCH[2]}}" = "${BASH_REMATCH[2]}" ] ||
                seen=$((seen + 1))
            last=${BASH_REMATCH[2]}
        done
        [ "$seen" -le "$changes" ] || changes=$seen
    done
}

# Sets `bypassed` to the bypassed one of two nodes whose link is cut.
one_is_bypassed() {
    local links a

    find_links "$1"
    a=$links
    find_links "$2"
    bypassed=
    [ "$a" != bypassed ] || bypassed=$1
    [ "$links" != bypassed ] || bypassed=$2
    [ -n "$bypassed" ] && [ "$a" != "$links" ]
}

# becomes CONDITION A B: waits until it is so.
becomes() {
    local until=$((SECONDS + seconds_max))

    until "$@"; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "$*: '$(find_links "$2"; echo "$links")', '$(
                find_links "$3"; echo "$links")'" || return
        pause
    done
}

# link_is_cut A B SECONDS: cuts the link, and mends it after that time.
link_is_cut() {
    local step="cut of the link between $1 and $2" until=$((SECONDS + $3))
    local leads='"event":"(state|leader)".*"leader":([0-9]+)' changes

    # shellcheck disable=SC2086 # ids in words
    watch_open $eight
    net cut "$1-$2"
    becomes one_is_bypassed "$1" "$2" || return
    # shellcheck disable=SC2086 # ids in words
    all_agree $eight || return
    most_changes "$until"
    one_is_bypassed "$1" "$2" ||
        complain "$bypassed is not the only one that is bypassed" || return
    echo "    $step: $bypassed is bypassed, $changes changes of leader"
    [ "$changes" -le 1 ] || complain 'more than one' || return
    # shellcheck disable=SC2086 # ids in words
    all_agree $eight || return
    step='mending of the link'
    net heal "$1-$2"
    bypassed=
    whole
}

a_ring_loses_a_link() {
    eight_start hirschberg-sinclair '' && link_is_cut 4 5 6 &&
        link_is_cut 8 1 20
}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit 1
lan_up "$tmp" 8 --seed "$SEED"
# shellcheck disable=SC2086 # ids in words
introduce $eight
net set all loss=20% dup=10% reorder=20% delay=1ms jitter=5ms
for algorithm in $every_algorithm; do
    check "$algorithm"
done
check few_elections_were_disturbed
check a_ring_loses_three_in_a_row
check a_ring_loses_a_link
live_end
echo "# $(net stats | awk '
    /frames=/ { for (i = 2; i <= NF; i++) {
        split($i, count, "="); sum[count[1]] += count[2] } }
    END { print sum["frames"], "frames,", sum["lost"], "lost,",
        sum["duplicated"], "twice,", sum["reordered"], "late" }')"
check_end
