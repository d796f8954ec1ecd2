#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Clusters that build themselves, of real daemons on loopback, by multicast. No
# file lists a node.
# Takes 11 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

group=239.${LOOPBACK#*.}.$((RANDOM % 255)).$((RANDOM % 255)):7421
interface=lo

listen_of() {
    echo "listen = \"$LOOPBACK.9.$1:7420\";"
}

each_host_that_starts_joins_within_a_second() {
    local n since took longest=0

    many || return
    for n in 1 2 3 4 5 6 7 8 9 10; do
        host "$n" && since=$(now) && gathered "$n" $(seq "$n") || return
        took=$((($(now) - since) / 1000000))
        [ "$n" = 1 ] || [ "$took" -le "$longest" ] || longest=$took
    done
    echo "    the longest took $longest ms"
}

five_die_and_five_others_take_their_place() {
    node_kill9 1 && node_kill9 3 && node_kill9 5 && node_kill9 7 &&
        node_kill9 9 && host 11 12 13 14 15 &&
        gathered 15 2 4 6 8 10 11 12 13 14 15
}

# They know each other without the group now.
hosts_that_restart_remember_the_others() {
    more="multicast = { group = \"239.1.2.3:7421\"; interface = \"$interface\"; };"
    node_end 2 4 && host 2 4 && gathered 15 2 4 6 8 10 11 12 13 14 15
}

# It has met nobody, as if its cable were out: only the operator knows that
# others are missing.
a_lone_host_is_not_well_if_others_are_expected() {
    many || return
    own[1]='expect = 2;' own[2]='expect = 2;'
    host 1 && until_shown 1 '^DEGRADED  h1 leads, 1 of 1 node up; fewer nodes are heard than expected'$'\n' &&
        host 2 && gathered 2 1 2 && until_shown 1 '^OK ' &&
        until_shown 2 '^OK ' || return
    own=()
}

a_host_with_another_key_is_not_heard_and_told() {
    more="multicast = { group = \"$group\"; interface = \"$interface\"; };"
    many && host 1 && until_shown 1 \
        $'\n'"discovery hears no other node; asks $group"$'\n' && host 2 &&
        gathered 2 1 2 && new_key "$cluster/other" || return
    key[3]=other
    host 3 && gathered 1 3 && gathered 2 1 2 || return
    key=()
    logged_soon 1 'its key differs from' && logged_soon 3 'its key differs from'
}

two_hosts_with_one_id_both_say_so() {
    many || return
    own[2]='id = 7;' own[3]='id = 7;'
    host 1 2 && gathered 2 1 2 && host 3 &&
        logged_soon 2 'duplicate id: two processes run as h2 (id 7)' &&
        logged_soon 3 'duplicate id: two processes run as h3 (id 7)' &&
        until_shown 3 'id is in use twice' &&
        until_shown 1 'h2 .*duplicate-id' || return
    own=()
}

a_copy_of_a_host_draws_another_id() {
    many && host 1 2 && gathered 2 1 2 && node_end 2 &&
        cp -a "$cluster/state2" "$cluster/state3" && host 2 &&
        gathered 2 1 2 && host 3 && gathered 3 1 2 3 &&
        logged_soon 3 'too: this host draws a new id'
}

a_host_that_is_gone_is_forgotten_and_may_return() {
    local id

    many || return
    more+='timing = { forget = "1s"; };'
    host 1 2 3 && gathered 3 1 2 3 && id=$(values 2 node_id) &&
        node_kill9 2 && gathered 2 1 3 && host 2 && gathered 3 1 2 3 &&
        is 'its id' "$id" "$(values 2 node_id)"
}

# As after an installation anew: nothing is left but the address.
a_host_that_lost_its_state_takes_the_place_of_the_node_before() {
    local id

    many && host 1 2 3 && gathered 3 1 2 3 && id=$(values 2 node_id) &&
        node_kill9 2 && rm -r "$cluster/state2" && host 2 &&
        gathered 3 1 2 3 && [ "$id" != "$(values 2 node_id)" ] &&
        has 'the nodes' "$LOOPBACK.9.2:7420" "$(ask 3 members)"
}

a_host_says_by_its_file_what_its_node_is() {
    many || return
    own[1]='' own[3]=''
    host 1 2 3 && gathered 3 1 2 3 &&
        sed -i 's/self = .*/self = { name = "best"; priority = 5; };/' \
            "$cluster/1.conf" && exits 0 ask 1 reload &&
        until_shown 3 'best leads, 3 of 3 nodes up'
}

an_observer_may_be_the_first() {
    many && host 1 && node_end 1 || return
    sed -i 's/self = .*/self = { name = "h1"; role = "observer"; };/' \
        "$cluster/1.conf"
    node_launch 1 "$cluster/1.conf"
    node_await 1 && host 2 && until_shown 1 'h2 leads, 2 of 2 nodes up'
}

a_node_that_runs_is_not_removed() {
    many && host 1 2 && gathered 2 1 2 && exits 6 ask 1 members remove h2 &&
        has 'why' 'stop electd there first' "$said" && node_end 2 &&
        exits 0 ask 1 members remove h2 && gathered 1 1 &&
        has 'h1' '^OK' "$(ask 1 status)"
}

# By its digest alone its file would win now and then.
host_whose_file_differs_restarts_by_the_settings_of_the_cluster() {
    local i plain

    many && host 1 2 && gathered 2 1 2 || return
    plain=$more
    for i in 1 2 3 4; do
        more="$plain timing = { heartbeat = \"$((100 + i))ms\"; };"
        host 3 && gathered 3 1 2 3 && node_end 3 && host 3 &&
            gathered 3 1 2 3 &&
            has 'the settings' 'heartbeat = "100ms"' "$(ask 1 config)" &&
            logged 3 'differs from the settings of the cluster' &&
            node_end 3 || return
    done
}

one_file_that_is_reloaded_changes_the_settings_of_all() {
    many && host 1 2 3 && gathered 3 1 2 3 || return
    more+='timing = { heartbeat = "50ms"; };'
    sed -i "\$a timing = { heartbeat = \"50ms\"; };" "$cluster/2.conf"
    exits 6 ask 2 reload && has 'what is wrong' 'raise config_version' "$said" &&
        exits 8 "$electd" -t -c "$cluster/2.conf" &&
        has 'what is wrong' 'raise config_version' "$said" &&
        sed -i '$a config_version = 1;' "$cluster/2.conf" &&
        exits 0 ask 2 reload && has 'what has changed' 'timing.heartbeat' \
        "$said" && gathered 3 1 2 3 &&
        has 'the settings' 'heartbeat = "50ms"' "$(ask 3 config)" &&
        has 'h3' 'older file: 0' "$(ask 3 status)" &&
        has 'h2' '^OK' "$(ask 2 status)"
}

what_cannot_work_is_refused_at_the_start() {
    many && host 1 && node_end 1 || return
    sed -i 's/"lo"/"nosuch0"/' "$cluster/1.conf"
    exits 1 timeout "$seconds_max" "$electd" -c "$cluster/1.conf" &&
        has 'error' 'cannot use the multicast group' "$said" &&
        sed -i 's/.*multicast.*/join = ("[::1]:7420");/; /listen/d' \
            "$cluster/1.conf" &&
        exits 0 "$electd" -t -c "$cluster/1.conf"
}

check_tells_which_addresses_to_join_by_are_of_no_use() {
    sed -i 's/^join.*/join = ("[::1]:7420", "127.0.0.1:7420", "nobody.invalid:7420");/' \
        "$cluster/1.conf" && exits 0 "$electd" -t -c "$cluster/1.conf" &&
        has 'family' 'warning: join: 127.0.0.1:7420 is not of the family of this node.s address, and is not used' \
            "$said" &&
        has 'name' 'warning: join: cannot resolve nobody.invalid:7420: ' \
            "$said" && has 'the last line' ': ok, 2 warnings: ' "$said"
}

check each_host_that_starts_joins_within_a_second
check five_die_and_five_others_take_their_place
check hosts_that_restart_remember_the_others
check a_lone_host_is_not_well_if_others_are_expected
check a_host_with_another_key_is_not_heard_and_told
check two_hosts_with_one_id_both_say_so
check a_copy_of_a_host_draws_another_id
check a_host_that_is_gone_is_forgotten_and_may_return
check a_host_that_lost_its_state_takes_the_place_of_the_node_before
check a_host_says_by_its_file_what_its_node_is
check an_observer_may_be_the_first
check a_node_that_runs_is_not_removed
check host_whose_file_differs_restarts_by_the_settings_of_the_cluster
check one_file_that_is_reloaded_changes_the_settings_of_all
check what_cannot_work_is_refused_at_the_start
check check_tells_which_addresses_to_join_by_are_of_no_use
check_end
