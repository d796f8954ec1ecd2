#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons whose members an operator changes with `electctl members`, under
# both guarantees. No host has another file than that of its start.
# shellcheck disable=SC2016,SC2317 # backquotes are text; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_roll.sh
. tests/system/live/live_roll.sh

# address N: that of node N, as install() gives it.
address() {
    echo "$LOOPBACK.7.1:742$1"
}

# prepare ID...: makes their state files, where a vote needs one.
prepare() {
    local id

    [ "$guarantee" = quorum ] || return 0
    for id in "$@"; do
        exits 0 "$electd" --init-cluster -c "$cluster/$id.conf" -i "$id" ||
            return
    done
}

# begin: web1 to web3, which follow web3.
begin() {
    config_version=0 members='1 2 3' more='' timing='lease = "1s";'
    fresh && install 1 2 3 && prepare 1 2 3 && run 1 2 3 &&
        agree 3 1 2 3 && settle 1 2 3
}

# joiner ID: its host has the settings in effect at node 1, and its own.
joiner() {
    install "$1" && {
        ask 1 config && sed -n '/^security/,$p' "$cluster/$1.conf"
    } >"$cluster/new" && mv "$cluster/new" "$cluster/$1.conf" &&
        prepare "$1" && run "$1"
}

# changes_members ID WORD...: the next config version is in effect at node ID.
changes_members() {
    exits 0 ask "$1" members "${@:2}" || return
    config_version=$((config_version + 1))
    is 'config_version' "$config_version" "$(field "$1" config_version)"
}

# refuses STATUS WHY ID WORD...: node ID does not change its members.
refuses() {
    exits "$1" ask "$3" members "${@:4}" && has 'why' "$2" "$said" &&
        is 'config_version' "$config_version" "$(field "$3" config_version)"
}

# Asks a follower. Under quorum the operator has to want a voter that does not
# run.
a_member_is_added_and_starts_with_what_config_prints() {
    local force='' spare='' watcher

    begin || return
    [ "$guarantee" = component ] || { force=--force &&
        spare='; the cluster survives no further failure' &&
        refuses 6 'this node does not hear the new voter: start electd there first' \
            1 add 4 web4 "$(address 4)" && has 'who' 'web4 \(4\)' "$said"; } || return
    "$electctl" -s "$cluster/1.sock" watch >"$cluster/watched" &
    watcher=$!
    awaits "$seconds_max" grep -q ' state: web3 leads' "$cluster/watched" &&
        changes_members 1 add 4 web4 "$(address 4)" priority=-1 \
            ${force:+"$force"} &&
        is 'what it says' "added web4 (4), config version 1; install a file with config version 1 on all hosts: \`electctl config\` prints it$spare" \
            "$said" && becomes config_version 1 1 2 3 && joiner 4 &&
        agree 3 4 && in_effect 1 2 3 4 &&
        awaits "$seconds_max" grep -q ' peer-up: web4$' "$cluster/watched" &&
        kill $watcher &&
        has 'status' 'config version 1 \(older file: 0\)' "$(ask 2 status)" &&
        ! grep 'older file' <<<"$(ask 4 status)" &&
        logged 1 'members: (changed|proposed): nodes: also web4'
}

wrong_changes_are_refused_with_what_is_wrong() {
    refuses 8 'nodes\[4\].id: 4 is already used' \
        1 add 4 web5 "$(address 5)" &&
        refuses 8 'nodes\[4\].name: "web4" is already used' \
            3 add 5 web4 "$(address 5)" &&
        refuses 8 'nodes\[4\].address: .* is already used' \
            2 add 5 web5 "$(address 4)" &&
        refuses 8 'address' 2 add 5 web5 'nowhere' &&
        refuses 8 'role' 2 add 5 web5 "$(address 5)" role=king &&
        refuses 8 'name' 2 add 5 'x"; role = "voter' "$(address 5)" &&
        refuses 8 'address' 2 replace web1 "$(address 4)" &&
        refuses 2 'unknown node "web9"; nodes: web1,' 2 remove web9 &&
        refuses 6 'web2 is this node itself: ask another' 2 remove web2 &&
        refuses 6 'itself' 2 replace 2 "$(address 5)" &&
        settle 1 2 3 4
}

# The others go on with the next one.
the_leader_is_removed_by_a_follower() {
    changes_members 2 remove web3 &&
        has 'what it says' 'removed web3 \(3\), config version 2' "$said" &&
        becomes config_version 2 1 2 4 && agree 2 1 2 4 && in_effect 1 2 4 &&
        has 'why, by name' 'reason [a-z]+:web3(,|$)' "$(
            ask 1 status | grep ^leader)" &&
        trouble_becomes 3 outside && exits 1 ask 3 -q is-leader &&
        { [ "$guarantee" = component ] || logged 3 \
            'handing over: the settings of config version 2, which are proposed, do not name this node'; } &&
        exits 2 ask 3 status --check && is 'verdict' \
        'OUTSIDE  this host was removed from the cluster by config version 2: stop electd here' "$said"
}

a_member_that_was_removed_changes_no_members() {
    exits 6 ask 3 members add 5 web5 "$(address 5)" &&
        has 'why' 'do not name this node: ask another' "$said" && node_end 3
}

# Asks the leader.
a_member_moves_to_another_address() {
    node_end 4 && changes_members 2 replace 4 "$(address 9)" &&
        has 'what it says' 'replaced web4 \(4\), config version 3' "$said" &&
        becomes config_version 3 1 2 && sed -i \
        "s/$(address 4)/$(address 9)/; s/^config_version = .*/config_version = 3;/" \
        "$cluster/4.conf" && run 4 && agree 2 4 && in_effect 1 2 4
}

# Nobody waits in between. The last one is no voter.
changes_follow_each_other_at_once() {
    changes_members 1 add 5 web5 "$(address 5)" role=voter --force &&
        changes_members 1 remove 5 &&
        changes_members 1 add 6 web6 "$(address 6)" role=observer &&
        changes_members 1 remove web6 && in_effect 1 2 4 &&
        node_end 1 2 4
}

# Its answer is late, and the change comes all the same.
a_change_waits_for_enough_voters() {
    begin && node_end 2 3 && exits 7 "$electctl" -s "$cluster/1.sock" -t 2s \
        members add 4 web4 "$(address 4)" --force &&
        has 'why' 'not yet in effect: there is no leader, or not enough voters' \
            "$said" &&
        refuses 6 'another change is proposed' 1 remove 2 &&
        run 2 3 && config_version=1 && becomes config_version 1 1 2 3 &&
        agree 3 1 2 3 && node_end 1 2 3
}

# The second one has to say that it is there, or the first could lead no more.
a_sole_voter_takes_a_second_one_that_is_up() {
    config_version=0 members=1
    fresh && install 1 && prepare 1 && run 1 && agree 1 1 &&
        config_version=1 members='1 2' && install 2 && prepare 2 && run 2 &&
        trouble_becomes 2 outside && config_version=0 &&
        changes_members 1 add 2 web2 "$(address 2)" && in_effect 1 2 &&
        agree 2 2 && changes_members 1 remove 2 && agree 1 1 &&
        node_end 1 2
}

# One of the two is told that the other came first.
two_changes_at_once_do_not_get_lost() {
    local one two

    begin || return
    ask 1 -q members add 4 web4 "$(address 4)" --force >/dev/null 2>&1 &
    one=$!
    ask 2 -q members add 5 web5 "$(address 5)" --force >/dev/null 2>&1 &
    two=$!
    wait "$one"
    one=$?
    wait "$two"
    two=$?
    case $one$two in
    00) config_version=2 ;;
    06 | 60) config_version=1 ;;
    *) complain "they exited $one and $two" || return ;;
    esac
    in_effect 1 2 3 && is 'web4 is there' "$((one == 0))" \
        "$(ask 3 members | grep -c web4)" && is 'web5 is there' \
        "$((two == 0))" "$(ask 3 members | grep -c web5)" &&
        node_end 1 2 3
}

a_ring_takes_a_member_where_its_order_is_that_of_the_ids() {
    begin && node_end 1 2 3 || return
    more='algorithm = "lelann";'
    install 1 2 3 && run 1 2 3 && agree 3 1 2 3 &&
        changes_members 1 add 4 web4 "$(address 4)" &&
        becomes config_version 1 1 2 3 && joiner 4 && agree 4 1 2 3 4 && node_end 1 2 3 4 || return
    more='algorithm = "lelann"; topology = { order = [1, 3, 2]; };'
    config_version=5
    install 1 2 3 && run 1 2 3 && agree 3 1 2 3 &&
        refuses 8 'topology.order: leaves out 4' \
            1 add 4 web4 "$(address 4)" &&
        refuses 8 'topology.order' 1 remove 2 && node_end 1 2 3
}

a_host_that_knows_only_neighbours_changes_no_members() {
    fresh || return
    cat >"$cluster/1.conf" <<END
cluster = "roll"; guarantee = "component"; id = 1;
listen = "$(address 1)";
neighbours = ( { id = 2; address = "$(address 2)"; } );
security = { key_file = "$cluster/key"; };
control = { socket = "$cluster/1.sock"; group = "$(id -gn)"; };
state_dir = "$cluster/state";
END
    run 1 && exits 6 ask 1 members add 3 web3 "$(address 3)" &&
        has 'why' 'knows only its neighbours' "$said" &&
        exits 0 ask 1 members && node_end 1
}

other_users_may_look_but_not_change() {
    begin && chmod 711 "$cluster" &&
        exits 0 as_nobody "$electctl" -s "$cluster/1.sock" members &&
        exits 0 as_nobody "$electctl" -s "$cluster/1.sock" config &&
        exits 4 as_nobody "$electctl" -s "$cluster/1.sock" members remove 2 &&
        is 'config_version' 0 "$(field 1 config_version)" && node_end 1 2 3
}

for guarantee in component quorum; do
    echo "# $guarantee"
    check a_member_is_added_and_starts_with_what_config_prints
    check wrong_changes_are_refused_with_what_is_wrong
    check the_leader_is_removed_by_a_follower
    check a_member_that_was_removed_changes_no_members
    check a_member_moves_to_another_address
    check changes_follow_each_other_at_once
done
check a_change_waits_for_enough_voters
check a_sole_voter_takes_a_second_one_that_is_up
check two_changes_at_once_do_not_get_lost
guarantee=component
check a_ring_takes_a_member_where_its_order_is_that_of_the_ids
check a_host_that_knows_only_neighbours_changes_no_members
as_root other_users_may_look_but_not_change
check_end
