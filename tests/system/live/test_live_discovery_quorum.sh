#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Three voters that a file lists, on loopback, and hosts that it does not list:
# they join by multicast as observers, and are forgotten once they are gone.
# Takes 69 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

group=239.${LOOPBACK#*.}.$((RANDOM % 255)).$((RANDOM % 255)):7421
interface=lo
guarantee=quorum
observers=(4 5 6 7 8)
config_version=0

listen_of() {
    echo "listen = \"$LOOPBACK.9.$1:7420\";"
}

# node ID ROLE: its entry in the list of a file.
node() {
    printf '{ id = %s; name = "v%s"; address = "%s"; role = "%s"; }' \
        "$1" "$1" "$LOOPBACK.9.$1:7420" "$2"
}

# listed ID...: the file of all hosts from now on lists these voters.
listed() {
    local nodes='' id

    for id in "$@"; do
        nodes+=${nodes:+, }$(node "$id" candidate)
    done
    more="nodes = ($nodes);
multicast = { group = \"$group\"; interface = \"$interface\"; };
timing = { startup = \"100ms\"; forget = \"${forget:-1h}\"; };
config_version = $config_version;"
}

# three: a new cluster with its voters, all of which run.
three() {
    local n

    config_version=1 own=()
    many && listed 1 2 3 || return
    for n in 1 2 3; do
        host_file "$n" && "$electd" --init-cluster -c "$cluster/$n.conf" -i "$n" \
            >/dev/null || return
        own[$n]="id = $n;"
    done
    host 1 2 3 && known 3 3 1 2 3
}

# known COUNT LEADER N...: waits until these hosts have one config version, know
# so many nodes and follow this leader.
known() {
    local until=$((SECONDS + seconds_max)) count=$1 leader=$2
    local n first said
    shift 2

    while :; do
        first=''
        for n in "$@"; do
            said=$(values "$n" config_version leader_id nodes)
            : "${first:=$said}"
            [[ $said == "$first" && $said == *" $leader $count " ]] || break
        done
        [[ $said != "$first" || $said != *" $leader $count " ]] || return 0
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$n says $said, and h$1 $first" || return
        pause
    done
}

# role N: of the node of this host, as it says itself.
role() {
    ask "$1" -o json members | tr '{' '\n' |
        grep "\"id\":$(values "$1" node_id | tr -d ' ')," |
        sed 's/.*"configured_role":"\([a-z]*\)".*/\1/'
}

each_host_that_starts_joins_as_an_observer_within_a_second() {
    local n count=3 since took longest=0

    three && ask 3 -t "${seconds_max}s" -q wait leader || return
    for n in "${observers[@]}"; do
        count=$((count + 1)) since=$(now)
        host "$n" && known "$count" 3 1 2 3 "$n" || return
        took=$((($(now) - since) / 1000000))
        [ "$n" = 4 ] || [ "$took" -le "$longest" ] || longest=$took
        is "the role of h$n" observer "$(role "$n")" || return
    done
    echo "    the longest took $longest ms"
    is 'its voters' '3 ' "$(values 3 quorum_voters)"
}

observers_outlive_the_leader_and_never_lead() {
    node_kill9 3 && known 8 2 1 2 "${observers[@]}" && host 3 &&
        known 8 3 1 2 3 "${observers[@]}" && node_kill9 3 &&
        node_kill9 2 || return
    ask 4 -q wait no-leader && is 'the leader' 'none' \
        "$(ask 4 leader 2>/dev/null || echo none)"
    host 2 3 && known 8 3 1 2 3 "${observers[@]}"
}

hosts_that_restart_remember_the_cluster_and_their_ids() {
    local id

    id=$(values 5 node_id)
    node_end 5 && node_end 6 && host 5 6 &&
        known 8 3 1 2 3 "${observers[@]}" &&
        is 'the id of h5' "$id" "$(values 5 node_id)"
}

ten_hosts_at_once_do_not_cost_the_leader_its_term() {
    local term

    term=$(values 3 term)
    host {11..20} && known 18 3 1 2 3 "${observers[@]}" {11..20} &&
        is 'the term' "$term" "$(values 3 term)"
}

observer_that_is_gone_is_forgotten_and_a_voter_is_not() {
    local id

    forget=1s three && host 4 5 && known 5 3 1 2 3 4 5 || return
    id=$(values 5 node_id)
    node_kill9 5 && node_kill9 1 && known 4 3 2 3 4 && host 5 &&
        known 5 3 2 3 4 5 && is 'the id of h5' "$id" "$(values 5 node_id)" &&
        host 1 && known 5 3 1 2 3 4 5
}

# The next leader counts anew, and forgets it, too.
observer_is_forgotten_by_the_next_leader() {
    node_kill9 5 && node_kill9 3 && known 4 2 1 2 4 && host 3 5 &&
        known 5 3 1 2 3 4 5
}

observer_that_the_file_lists_is_not_forgotten() {
    config_version=2
    more=${more/config_version = 1/config_version = 2}
    more=${more/$(node 3 candidate)/$(node 3 candidate), $(node 9 observer)}
    host_file 2 && exits 0 ask 2 reload && known 6 3 1 2 3 4 5 || return
    node_kill9 5 && known 5 3 1 2 3 4 &&
        has 'the nodes' 'v9' "$(ask 4 members)" && host 5 &&
        known 6 3 1 2 3 4 5
}

# Each of them makes a list, and the file is proposed anew with its nodes.
reload_is_not_lost_among_joiners() {
    config_version=3
    more=${more/config_version = 2/config_version = 3}
    more=${more/$(node 9 observer)/$(node 9 observer), $(node 10 observer)}
    host_file 1 && host {11..20} && exits 0 ask 1 reload &&
        known 17 3 1 2 3 4 5 {11..20} &&
        has 'the nodes' 'v10' "$(ask 4 members)" &&
        node_end {11..20} && known 7 3 1 2 3 4 5
}

# Under quorum a file lists the voters, so it becomes an older one.
change_of_the_list_without_a_file_outranks_the_files() {
    exits 0 ask 2 members remove v10 && known 6 3 1 2 3 4 5 &&
        until_shown 1 'older file' &&
        has 'the settings' 'config_version = 4;' "$(ask 2 config)" &&
        exits 0 ask 1 reload && known 6 3 1 2 3 4 5
}

# v3 stays the only one with a vote under this id.
host_with_the_id_of_a_voter_is_told_and_never_votes() {
    config_version=0
    listed 1 2
    own[7]='id = 3;' && host 7 && logged_soon 7 'duplicate id' || return
    node_kill9 3 && known 6 2 1 2 4 5 &&
        logged_soon 7 'its id is that of a voter' &&
        is 'the role of h7' observer "$(role 7)" && node_kill9 7 &&
        unset 'own[7]' && host 3 && known 6 3 1 2 3 4 5 &&
        is 'the role of v3' candidate "$(role 3)"
}

voter_that_the_file_lists_no_more_runs_on_as_an_observer() {
    local until=$((SECONDS + seconds_max))

    three && host 4 && known 4 3 1 2 3 4 || return
    config_version=2 && listed 2 3 && host_file 2 && exits 0 ask 2 reload || return
    until [ "$(role 1)" = observer ]; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "v1 is no observer: $(ask 1 members)" || return
        pause
    done
    known 4 3 1 2 3 4 && is 'its voters' '2 ' "$(values 3 quorum_voters)"
}

# one: a new cluster of one voter, which has forgotten all that was.
one() {
    rm -rf "$cluster/state1" && host_file 1 && "$electd" --init-cluster \
        -c "$cluster/1.conf" -i 1 >/dev/null
}

# The observer has kept a later list than the voter has.
voter_that_begins_anew_names_the_observer_of_before() {
    config_version=1 own=('' 'id = 1;')
    many && listed 1 && one && host 1 4 && known 2 1 1 4 && node_end 1 &&
        node_end 4 && one && host 1 4 && known 2 1 1 4
}

check each_host_that_starts_joins_as_an_observer_within_a_second
check observers_outlive_the_leader_and_never_lead
check hosts_that_restart_remember_the_cluster_and_their_ids
check ten_hosts_at_once_do_not_cost_the_leader_its_term
check observer_that_is_gone_is_forgotten_and_a_voter_is_not
check observer_is_forgotten_by_the_next_leader
check observer_that_the_file_lists_is_not_forgotten
check reload_is_not_lost_among_joiners
check change_of_the_list_without_a_file_outranks_the_files
check host_with_the_id_of_a_voter_is_told_and_never_votes
check voter_that_the_file_lists_no_more_runs_on_as_an_observer
check voter_that_begins_anew_names_the_observer_of_before
check_end
