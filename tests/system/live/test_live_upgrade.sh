#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons of the last release and of this tree in one cluster. Five hosts
# are upgraded one after the other, and back, the leader last. All the time a
# client of each daemon notes who leads. tests/system/live/release names the
# commit of the last release; this builds it from the repository's history.
# Takes 27 s.
# shellcheck disable=SC2034,SC2086,SC2317 # for live_roll.sh; numbers; cases
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_roll.sh
. tests/system/live/live_roll.sh
# shellcheck source=tests/system/live/live_release.sh
. tests/system/live/live_release.sh

present=$electd

# begin GUARANTEE PROGRAM: a new cluster of five whose daemons are this program.
begin() {
    local electd=$2

    fresh && guarantee=$1 config_version=0 members='1 2 3 4 5' heartbeat=100ms ||
        return
    timing='misses = 5; lease = "1400ms"; startup = "300ms";' more=
    install $members || return
    [ "$guarantee" = component ] || electd=$present init $members || return
    join $members && agree 5 $members && all_back
}

# all_back: waits until all five are there again.
all_back() {
    settle $members || return
    [ "$guarantee" = component ] || voters_are 5 $members
}

# change_to PROGRAM ID: restarts it with this program.
change_to() {
    local electd=$1

    node_end "$2" && join "$2" && agree 5 "$2" && all_back
}

# granting: under quorum waits until the voters, which have all just started,
# grant again. Meanwhile the leader leads on.
granting() {
    [ "$guarantee" = component ] ||
        exits 1 ask 1 -q -t 1500ms wait no-leader
}

# roll_to PROGRAM: one host after the other, the leader last. It hands over, and
# takes over when it is back: the first leader is the third, too.
roll_to() {
    local id since terms

    since=$("$kill9")
    for id in 1 2 3 4; do
        change_to "$1" "$id" || return
    done
    is 'leaders before the last step' 0 "$(leaders "$since")" && granting &&
        change_to "$1" 5 && led "$since" planned || return
    terms=$(leaders "$since")
    [ "$terms" -le 2 ] || complain "$terms terms with another leader"
}

# leaders SINCE: in how many terms one came after that moment.
leaders() {
    led "$1" | sed -n 's/^ *\([0-9]*\) more terms with.*/\1/p'
}

# serves PROGRAM ID...: fails unless these run it.
serves() {
    local program=$1 id

    shift
    for id in "$@"; do
        is "program of $id" "$program" "$(tr '\0' '\n' \
            <"/proc/${daemon_pid[$id]}/cmdline" | head -n 1)" || return
    done
}

five_hosts_are_upgraded_under_component() {
    begin component "$last" && serves "$last" $members &&
        roll_to "$present" && serves "$present" $members
}

five_hosts_are_downgraded_under_component() {
    begin component "$present" && roll_to "$last" && serves "$last" $members
}

# The state files go on, so no voter is lost.
five_hosts_are_upgraded_under_quorum() {
    begin quorum "$last" && roll_to "$present" && serves "$present" $members
}

five_hosts_are_downgraded_under_quorum() {
    begin quorum "$present" && roll_to "$last" && serves "$last" $members
}

# The upgrade stops half way, and hosts fail: the last wills, the votes and the
# document of the settings go from release to release.
a_mixed_cluster_fails_over_and_changes_its_settings() {
    begin quorum "$last" && change_to "$present" 2 &&
        change_to "$present" 4 || return
    heartbeat=90ms
    roll 4 && in_effect $members && die 5 && agree 4 1 2 3 4 && die 4 &&
        agree 3 1 2 3 && led 0 || return
    join 4 && agree 4 1 2 3 4 && electd=$last join 5 && agree 5 $members &&
        all_back && led 0
}

a_host_of_this_release_goes_on_standby_in_a_mixed_cluster() {
    begin quorum "$last" && change_to "$present" 5 &&
        exits 0 ask 5 standby --reason upgrade && agree 4 $members &&
        node_end 5 && join 5 && agree 4 5 && all_back &&
        has 'itself' '"standby":\{"reason":"upgrade"' \
            "$(ask 5 -o json status)" &&
        is 'leader' "$(ask 1 leader)" "$(ask 5 leader)" &&
        exits 0 ask 5 rejoin && agree 5 $members && led 0
}

a_drawn_tree_is_upgraded() {
    local id electd=$last

    fresh && guarantee=component config_version=0 members='1 2 3 4 5' || return
    heartbeat=100ms timing='startup = "300ms";'
    more='algorithm = "tree"; topology = { links = ([1, 2], [2, 3], [3, 4], [3, 5]); };'
    install $members && run $members && becomes leader_id 5 $members || return
    electd=$present
    for id in 3 1 5 2 4; do
        node_end "$id" && run "$id" && becomes leader_id 5 $members || return
    done
    serves "$present" $members && becomes tree_forming false $members
}

why=$(release_missing) && { echo "skip upgrade: $why"; exit 0; }
if ! build_release; then
    echo "not ok the last release is built"
    tail -n 20 "$release/log"
    exit 1
fi
check five_hosts_are_upgraded_under_component
check a_drawn_tree_is_upgraded
check five_hosts_are_downgraded_under_component
check five_hosts_are_upgraded_under_quorum
check five_hosts_are_downgraded_under_quorum
check a_mixed_cluster_fails_over_and_changes_its_settings
check a_host_of_this_release_goes_on_standby_in_a_mixed_cluster
check_end
