#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons on the test LAN: partitions, cut links, a storm of lost and
# late datagrams, a paused leader, a second process of one id, a pulled cable.
# As root it runs a second time, with fewer cases, as an ordinary user.
#
# usage: test_lan_cluster.sh [CASE...]
# CUT_SECONDS (at least 3), STORM_SECONDS, PAUSE_SECONDS: how long each lasts;
# 60, 60 and 5 for the full figures. BUILD: where the programs are. SEED: of the
# faults.
# Takes 35 s.
set -u

: "${CUT_SECONDS:=6}" "${STORM_SECONDS:=6}" "${PAUSE_SECONDS:=2}"
# shellcheck source=tests/system/lan/live_lan.sh
. "$(dirname "$0")/live_lan.sh"

a_clean_lan() {
    local id answers=

    start 1 2 3 4 5
    settles 'five nodes elect the highest id' 5 1 2 3 4 5
    for id in 1 2 3 4 5; do
        answers+="$(ask "$id" leader) "
    done
    equal 'all of them answer with it' '5 5 5 5 5 ' "$answers"
}

a_partition_heals() {
    local healed elections

    net partition 1,2 3,4,5
    settles 'a leader on one side of a partition' 2 1 2
    settles 'and one on the other' 5 3 4 5
    healed=$("$kill9")
    net heal
    settles 'one leader after it is healed' 5 1 2 3 4 5
    during 1
    echo "#   healed, and agreed after $(milliseconds "$healed" \
        "$(latest "$healed" 5)") ms"
    elections=$(since "$healed" election | awk '{ print $2, $4 }' | sort -u)
    equal 'after one election' 1 "$(echo "$elections" | grep -c .)"
    equal 'which no node saw twice' '' \
        "$(since "$healed" election | awk 'seen[$1]++ { print $1 }')"
    echo "#   term and reason: ${elections//$'\n'/, }; it reached nodes" \
        "$(since "$healed" election | cut -d ' ' -f 1 | sort | xargs)"
    equal 'because two leaders met' 0 "$(echo "$elections" |
        awk '$2 !~ /^(merge|preempt):/' | wc -l)"
}

# ends_meet NS: succeeds if the link between 4 and 5 came up at both ends since.
ends_meet() {
    [ "$(since "$1" peer-up | cut -d ' ' -f 1 | sort -u | xargs)" = '4 5' ]
}

# cut_holds SENTENCE PLACE SECONDS
cut_holds() {
    local cut_at healed

    cut_at=$("$kill9")
    net cut "$2"
    during "$3"
    equal "$1: its ends know, nobody else is concerned" '4 5' \
        "$(since "$cut_at" peer-down | cut -d ' ' -f 1 | sort -u | xargs)"
    healed=$("$kill9")
    net heal
    settles "$1: one leader at the end" 5 1 2 3 4 5
    holds "$1: healed, its ends meet again" reach ends_meet "$healed"
    tell_changes "$cut_at"
    holds "$1, $3 s: at most one leader change" \
        test "$(most "$cut_at")" -le 1
}

a_link_is_cut() {
    cut_holds 'the link of leader and successor cut' 4-5 "$CUT_SECONDS"
    cut_holds 'cut from leader to successor only' '5>4' $((CUT_SECONDS / 3))
    cut_holds 'cut from successor to leader only' '4>5' $((CUT_SECONDS / 3))
}

a_leader_is_paused() {
    local paused resumed

    stalls_wanted[5]=yes
    paused=$("$kill9")
    kill -TSTP "${daemon_pid[5]}"
    settles 'a paused leader is replaced' 4 1 2 3 4
    echo "#   paused, and replaced after $(milliseconds "$paused" \
        "$(latest "$paused" 4)") ms"
    holds 'within a second' \
        test "$(latest "$paused" 4)" -le $((paused + 1000000000))
    during "$PAUSE_SECONDS"
    resumed=$("$kill9")
    kill -CONT "${daemon_pid[5]}"
    settles 'revived, it takes over again' 5 1 2 3 4 5
    echo "#   revived, and leads after $(milliseconds "$resumed" \
        "$(latest "$resumed" 5)") ms"
    equal 'the first it says is that it leads no more' 'no-leader stalled:5' \
        "$(since "$resumed" 'leader|no-leader|elected' 5 |
            awk 'NR == 1 { print ($3 == "null" ? "no-leader" : "leads"), $4 }')"
    equal 'and it leads only after it has heard the others' yes "$(awk \
        -v heard="$(since "$resumed" peer-up 5 | awk 'NR == 1 { print $5 }')" \
        -v led="$(since "$resumed" leader 5 |
            awk '$3 == 5 { print $5; exit }')" \
        'BEGIN { print heard != "" && heard <= led ? "yes" : "no" }')"
}

a_cable_is_pulled() {
    net carrier 5 down
    settles 'without carrier at the leader the others elect' 4 1 2 3 4
    holds 'and it leads no more' reach follow 0 5
    net carrier 5 up
    settles 'one leader when carrier is back' 5 1 2 3 4 5
}

# says_duplicate ID NAME: fails unless this one of the two says that it is one
says_duplicate() {
    equal "$2 shows it" '"duplicate":true' \
        "$(ask "$1" -o json status | sed 's/,"version":.*//' |
            grep -o '"duplicate":true')"
    equal "$2 logs it" 1 "$(grep -c 'duplicate id: two processes run as ' \
        "$tmp/$1.log")"
    equal "$2 does not lead" no "$(ask "$1" is-leader)"
}

an_id_is_used_twice() {
    stop 4 5
    settles 'node 3 leads when better ones have gone' 3 1 2 3
    start "$copy"
    holds 'a second process of its id: both know' reach doubled true
    settles 'neither stands: the next best leads' 2 1 2
    says_duplicate 3 'the first'
    says_duplicate "$copy" 'the second'
    stop "$copy"
    holds 'it has gone: the first recovers' reach single
    settles 'and leads again' 3 1 2 3
    start 4 5
    settles 'the better ones come back' 5 1 2 3 4 5
}

a_storm() {
    local began

    stop 1 2 3 4 5
    warm 1 2 3 4 5
    net set all loss=30% dup=10% reorder=25% jitter=20ms
    began=$("$kill9")
    start 1 2 3 4 5
    settles 'in a storm from the start they elect' 5 1 2 3 4 5
    echo "#   agreed $(milliseconds "$began" "$(latest "$began" 5)") ms" \
        "after the start"
    began=$("$kill9")
    during "$STORM_SECONDS"
    echo "#   $STORM_SECONDS s of it; so far, of frames: $(net stats | awk '
        /frames=/ { for (i = 2; i <= NF; i++) {
            split($i, count, "="); sum[count[1]] += count[2] } }
        END { print sum["frames"], "lost", sum["lost"], "twice",
            sum["duplicated"], "late", sum["reordered"] }')"
    echo "#   links given up: $(since "$began" peer-down | wc -l)"
    tell_changes "$began"
    net clear
    settles 'one leader when it is over' 5 1 2 3 4 5
}

# The tapes have the last minutes: cuts, a pause, and a storm.
what_they_did_is_played_once_more() {
    local id same=

    for id in 1 2 3 4 5; do
        ask "$id" record --dump "$tmp/$id.tape" &&
            "$BUILD/electsim" replay "$tmp/$id.tape" >"$tmp/$id.played" &&
            same+="$id "
    done
    equal 'the tapes of all five hosts lead to the same actions' '1 2 3 4 5 ' \
        "$same"
    sed "s|^$tmp/|#   |" "$tmp"/[1-5].played
}

# An ordinary user cannot be expected to reach the programs where they are.
as_an_ordinary_user() {
    local status to=$tmp/build/tests

    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return
    echo '# as an ordinary user'
    mkdir -p "$to/system/lan" "$to/tools" "$to/lib"
    mkdir -m 1777 "$tmp/tmp"
    cp "$electd" "$electctl" "$tmp/build"
    cp "$lan" "$to/system/lan"
    cp "$kill9" "$to/tools"
    cp "$0" "$(dirname "$0")/live_lan.sh" "$(dirname "$0")/net.sh" \
        "$to/system/lan"
    cp "$(dirname "$0")"/../../lib/{cases,cluster,ends,first,stalls,wait}.sh \
        "$to/lib"
    chmod -R go+rX "$tmp/build"
    BUILD=$tmp/build TMPDIR=$tmp/tmp \
        setpriv --reuid=65534 --regid=65534 --clear-groups \
        bash "$to/system/lan/${0##*/}" a_partition_heals a_cable_is_pulled
    status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || failures=1
}

cases=("$@")
[ $# -gt 0 ] || cases=(a_partition_heals a_link_is_cut a_leader_is_paused
    what_they_did_is_played_once_more a_cable_is_pulled an_id_is_used_twice
    a_storm what_they_did_is_played_once_more)
lan_begin --seed "$SEED"
stalls_begin
a_clean_lan
for case in "${cases[@]}"; do
    stalls_begin
    "$case"
done
stop 1 2 3 4 5
lan_end
[ $# -gt 0 ] || as_an_ordinary_user
cases_end
