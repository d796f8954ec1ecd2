#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons on loopback go on standby by `electctl standby`, under both
# guarantees: leaders and followers, through kill -9 and restarts, for a time, all
# of them at once. Every node shows who is on standby, and why.
# Takes 19 s.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

guarantee=component

# three: a new cluster of three, led by 3, and settled; no client has a
# deadline.
three() {
    if [ "$guarantee" = quorum ]; then quorum 3; else fresh; fi || return
    cluster_start 3 1 2 3 && settle 1 2 3 || return
    [ "$guarantee" = component ] ||
        exits 1 ask 1 -q -t "${lease_ms}ms" wait no-leader
}

# field ID KEY: a value of its status.
field() {
    kv "$1" "$2" status
}

# shown ID REASON WITNESS...: waits until these show that node ID is on standby
# for this reason.
shown() {
    local witness

    fault_is "$1" "$2"$'\n' "${@:3}" || return
    for witness in "${@:3}"; do
        status_has "$witness" $'\n'"[-+*] +$(named "$1") [^"$'\n'"]* standby" ||
            return
    done
}

# shown_no_more ID WITNESS...: waits until these show that it is not.
shown_no_more() {
    local id=$1 until=$((SECONDS + seconds_max)) witness

    shift
    for witness in "$@"; do
        while [[ $(ask "$witness" status) == *"standby  $(named "$id") "* ]]; do
            [ "$SECONDS" -lt "$until" ] ||
                complain "node $witness shows that $id is on standby" || return
            pause
        done
    done
}

leader_hands_over_and_stays_on_standby() {
    three || return
    exits 0 ask 3 standby --reason 'kernel upgrade' &&
        is 'answer' "this node is on standby; $(named 2) leads" "$said" &&
        led_by 2 1 2 3 && shown 3 'kernel upgrade' 1 2 3 &&
        status_has 3 ' follower, candidate, not eligible \(standby\), ' &&
        has 'JSON' '"standby":\{"reason":"kernel upgrade","since_ms":[0-9.]+,"left_ms":null,"until":"rejoin"\}' \
            "$(ask 3 -o json status)" &&
        has 'JSON of a peer' '"standby":\{"reason":"kernel upgrade",' \
            "$(ask 1 -o json peers)" &&
        read_until 1 '"event":"standby","node":3,"self":1,"on":true,"standby_reason":"kernel upgrade"' &&
        logged 1 "$(named 3) is on standby: kernel upgrade" &&
        logged 3 'control: standby by uid .*: allowed'
}

# An upgrade restarts the daemon, and then the host crashes.
node_stays_on_standby_over_restarts() {
    node_end 3 && node_start 3 && watch_open 3 && led_by 2 1 2 3 &&
        is 'standby' "'kernel upgrade'" "$(field 3 node_standby_reason)" &&
        shown 3 'kernel upgrade' 1 2 && node_kill9 3 &&
        read_until 1 '"event":"peer-down","peer":3' &&
        shown 3 'kernel upgrade' 1 && node_start 3 && watch_open 3 &&
        led_by 2 1 2 3 && shown 3 'kernel upgrade' 1 2 3
}

# It votes: under quorum nobody else is there to make a majority.
it_votes_and_is_never_elected() {
    node_kill9 2 && led_by 1 1 3 && exits 0 ask 3 elect &&
        led_by 1 1 3 && is 'leader' "$(named 1)" "$(ask 3 leader)" &&
        node_start 2 && watch_open 2 && led_by 2 1 2 3
}

it_leads_again_after_rejoin() {
    exits 0 ask 3 rejoin &&
        is 'answer' 'this node stands for election again' "$said" &&
        led_by 3 1 2 3 && shown_no_more 3 1 2 3 &&
        is 'status' null "$(ask 1 -o json peers | grep -o '"standby":[a-z]*' |
            sort -u | cut -d: -f2)" &&
        exits 1 test -e "$cluster/state/"*-3.standby &&
        exits 0 ask 3 rejoin && is 'again' 'this node was not on standby' "$said"
}

follower_goes_on_standby() {
    exits 0 ask 2 standby --reason Umbau &&
        is 'answer' "this node is on standby; $(named 3) leads" "$said" &&
        shown 2 Umbau 1 2 3 && node_kill9 3 && led_by 1 1 2 &&
        exits 0 ask 2 rejoin && led_by 2 1 2 && node_end 1 2
}

# The second one takes the place of the first, and ends by itself: on a slow
# machine before it is answered.
standby_ends_after_its_time() {
    three && exits 0 ask 3 standby --for 1h && led_by 2 1 2 3 &&
        status_has 1 $'\n'"standby  $(named 3) for [^,]*, ends in (1h|59m)" &&
        has 'what others know' '"left_ms":3[56][0-9]*' "$(ask 1 -o json peers)" ||
        return
    ask 3 standby --for 300ms --reason short >/dev/null 2>&1
    led_by 3 1 2 3 && shown_no_more 3 1 2 3 &&
        logged 3 "$(named 3) is no longer on standby" &&
        exits 0 ask 3 rejoin && exits 1 test -e "$cluster/state/"*-3.standby
}

# The time that is left counts on while the daemon does not run. On a slow
# machine it is over before that.
standby_ends_while_the_daemon_is_down() {
    ask 3 standby --for 1s >/dev/null 2>&1
    node_kill9 3 && watch_close 3 && led_by 2 1 2 || return
    exits 1 ask 1 -t 1s wait no-leader && node_start 3 && watch_open 3 &&
        led_by 3 1 2 3 && is 'standby' '' "$(field 3 node_standby_reason)" &&
        exits 1 test -e "$cluster/state/"*-3.standby
}

all_nodes_go_on_standby() {
    local id

    for id in 3 2; do
        exits 0 ask "$id" standby --reason all || return
    done
    for id in 1 2 3; do
        status_becomes "$id" "^DEGRADED  $(named 1) leads, .*no other node could lead" || return
    done
    exits 6 ask 1 standby --reason all &&
        has 'why' 'standby: no other node could lead at present' "$said" &&
        is 'leader' "$(named 1)" "$(ask 1 leader)" &&
        exits 1 ask 1 standby --reason all --force &&
        is 'answer' 'this node is on standby; no node leads' "$said" &&
        for id in 1 2 3; do
            shown "$id" all 1 2 3 && exits 1 ask "$id" leader &&
                is 'why' 'electctl: no leader: no node is eligible, 3 on standby; `electctl status` names them' \
                    "$said" || return
        done
    node_end 3 && node_start 3 && watch_open 3 &&
        status_becomes 3 'NO LEADER  no node is eligible, 3 on standby' &&
        exits 0 ask 2 rejoin &&
        led_by 2 1 2 3 && exits 0 ask 1 rejoin && exits 0 ask 3 rejoin &&
        led_by 3 1 2 3
}

# Somebody wanted a standby, but nobody knows which.
damaged_file_leaves_the_node_on_standby() {
    local file

    exits 0 ask 3 standby && led_by 2 1 2 3 && node_end 3 || return
    file=$(echo "$cluster"/state/*-3.standby)
    echo >>"$file" && node_start 3 && watch_open 3 && led_by 2 1 2 3 &&
        logged 3 '\.standby: it is damaged; this node stays on standby until `electctl rejoin`' &&
        shown 3 'the standby file is damaged' 1 2 3 && exits 0 ask 3 rejoin &&
        led_by 3 1 2 3 && node_end 1 2 3
}

# The disk has no place for it: then nothing has changed. A directory in the way
# is as good as a full disk.
standby_that_cannot_be_kept_is_refused() {
    fresh && cluster_start 1 1 &&
        mkdir -p "$cluster/state/loopback-1.standby/x" || return
    exits 6 ask 1 standby --force &&
        has 'why' '^electctl: cannot write the standby to .*; nothing has changed$' \
            "$said" &&
        logged 1 'cannot write the standby to ' &&
        is 'leader' one "$(ask 1 leader)" &&
        rm -r "$cluster/state/loopback-1.standby" &&
        exits 1 ask 1 standby --force && exits 1 ask 1 leader &&
        exits 0 ask 1 rejoin && led_by 1 1
}

# Root tries it as another user; others look at the mode of the socket.
verb_is_for_clients_that_may_change_things() {
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 "$cluster/1.admin.sock" && exits 4 ask 1 standby
        return
    fi
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" &&
        exits 4 setpriv --reuid=65534 --regid=65534 --clear-groups \
            "$cluster/electctl" -s "$cluster/1.sock" standby &&
        node_end 1
}

for guarantee in component quorum; do
    echo "# $guarantee"
    check leader_hands_over_and_stays_on_standby
    check node_stays_on_standby_over_restarts
    check it_votes_and_is_never_elected
    check it_leads_again_after_rejoin
    check follower_goes_on_standby
    check standby_ends_after_its_time
    check standby_ends_while_the_daemon_is_down
    check all_nodes_go_on_standby
    check damaged_file_leaves_the_node_on_standby
done
check standby_that_cannot_be_kept_is_refused
check verb_is_for_clients_that_may_change_things
check_end
