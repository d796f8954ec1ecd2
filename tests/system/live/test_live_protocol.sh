#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electd answers what clients of earlier releases ask, in the shape that they
# know: tests/system/live/protocol/ has what was said, and replay.py says it
# again, to daemons in all kinds of states. STABILITY in electd-protocol(7) is
# the promise.
# shellcheck disable=SC2034,SC2317 # for live_discovery.sh; called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
records=tests/system/live/protocol
seen=$(mktemp "${TMPDIR:-/tmp}/electd-XXXXXX") || exit
at_end "rm -f '$seen'"
export PYTHONDONTWRITEBYTECODE=1
group=239.${LOOPBACK#*.}.$((RANDOM % 255)).$((RANDOM % 255)):7421
interface=lo

# says SOCKET RECORD...: the conversations of these, in their order.
says() {
    python3 "$records/replay.py" "$cluster/$1.sock" "$seen" "${@:2}"
}

listen_of() {
    echo "listen = \"$LOOPBACK.9.$1:7420\";"
}

questions=(error explain history is-leader key leader leaders members names peers
    stats status version)
questions=("${questions[@]/#/$records/}")

# begin: web3 leads three nodes. Node 1 has a check, which nobody runs.
begin() {
    quorum 3 && cp "$cluster/electd.conf" "$cluster/1.conf" &&
        echo 'checks = ({ name = "x"; command = ["/bin/true"]; });' \
            >>"$cluster/1.conf" && node_run 1 "$cluster/1.conf" &&
        node_start 2 3 && watch_open 1 2 3 && agree 3 1 2 3 &&
        voters_are 3 1 2 3
}

leader_and_followers_answer() {
    begin && exits 0 ask 2 standby --for 1h &&
        says 3 "${questions[@]}" "$records"/{config,hold,wait} &&
        says 2 "${questions[@]}" && says 1 "${questions[@]}"
}

operators_are_answered() {
    begin && says 3.admin "$records"/{elect,resign,standby,rejoin,snapshot} &&
        setting 'config_version = 4;' && says 3.admin "$records"/{reload,record}
}

members_are_changed() {
    begin && awaits "$seconds_max" is_settled 3 &&
        says 3.admin "$records"/members-{add,replace,remove}
}

# is_settled ID: succeeds if the settings were put into effect by its leader.
is_settled() {
    [ "$(kv "$1" config_term status)" -gt 0 ]
}

events_are_told() {
    local teller failed=0

    begin || return
    says 3 "$records/events" &
    teller=$!
    provoke || failed=1
    [ $failed = 0 ] || kill "$teller"
    wait "$teller" && return $failed
}

# provoke: makes each event happen at node 3, once somebody watches.
provoke() {
    awaits "$seconds_max" grep -q '/events hands_over$' "$seen" && node_kill9 2 && node_start 2 &&
        voters_are 3 3 && exits 0 ask 2 standby --reason x &&
        exits 0 ask 2 rejoin && exits 0 ask 3 elect &&
        exits 0 ask 3 resign && node_stop 1 2 &&
        read_until 3 '"event":"quorum".*"on":false' && node_continue 1 2
}

without_a_leader_they_answer() {
    begin && node_kill9 1 && node_kill9 2 &&
        exits 0 ask 3 -q wait no-leader && setting 'config_version = 5;' &&
        says 3.admin "$records/reload" && says 3 "${questions[@]}"
}

nodes_of_a_tree_answer() {
    live_end
    cluster_new conf/loopback-tree.conf && node_start 1 2 6 &&
        awaits "$seconds_max" has_children 1 && says 1 "${questions[@]}"
}

has_children() {
    [ "$(kv "$1" tree_children_count status)" = 2 ]
}

nodes_that_found_each_other_answer() {
    many && host 1 2 && awaits "$seconds_max" ask 1 -q wait leader &&
        says 1 "${questions[@]}"
}

# doctored STATUS SED PATTERN: a record that was changed so makes replay.py exit
# so, and this is what it says.
doctored() {
    sed "$2" "$records/status" >"$cluster/status"
    exits "$1" says 1 "$cluster/status" && has 'why' "$3" "$said"
}

answer_of_another_shape_is_found() {
    doctored 1 's/^nodes integer/nodes string/' 'nodes is integer, not string' &&
        doctored 1 's/^proposed .*/proposed object/' 'proposed is null' &&
        doctored 1 's/^term .*/&\ngone integer/' 'gone is missing' &&
        doctored 1 's/^node\.name .*/&\nnode.gone null/' \
            'node.gone is missing' &&
        doctored 1 's/^peers\[\]\.name .*/&\npeers[].gone null/' \
            'gone is missing' &&
        doctored 0 '/^nodes /d' 'nodes integer: not recorded'
}

# Or a record would promise what no test looks at.
every_key_was_met() {
    local missed

    missed=$(comm -23 <(
        for record in "$records"/*; do
            sed -n "/^[a-z0-9_[*]/s|\([^ ]*\) .*|$record \1|p" "$record"
        done | grep -v replay.py | sort -u) <(sort -u "$seen"))
    is 'keys that were not met' '' "$missed"
}

check leader_and_followers_answer
check operators_are_answered
check members_are_changed
check events_are_told
check without_a_leader_they_answer
check nodes_of_a_tree_answer
check nodes_that_found_each_other_answer
check answer_of_another_shape_is_found
check every_key_was_met
check_end
