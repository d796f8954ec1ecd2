#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons under the guarantee "quorum" that die or stand still while their
# settings change. A client has a deadline of the leader, the leader changes its
# settings and is killed at once: nobody leads before that deadline. And a node
# that stands still in a change for longer than the detection time goes on as a
# new process, with its vote.
#
# TRIALS: how many kills, each after another kind of change, and how many stalls
# (one for each kind, and two; LONG: 30).
# Takes 62 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_roll.sh
. tests/system/live/live_roll.sh

kinds=(reload add remove key admission stamp)
: "${TRIALS:=${LONG:+30}}" "${stalls:=${TRIALS:-2}}"
: "${TRIALS:=${#kinds[@]}}"
guarantee=quorum
lease_ms=3000
stall_ms=700 # the detection time is 300 ms
group=239.${LOOPBACK#*.}.$((RANDOM % 255)).$((RANDOM % 255)):7421

# address N: that of node N, as install() gives it.
address() {
    echo "$LOOPBACK.7.1:742$1"
}

# begin: web1 to web3, which follow web3. A host that no file lists may join.
begin() {
    config_version=0 members='1 2 3' heartbeat=100ms key=() old_key=()
    timing="misses = 3; lease = \"${lease_ms}ms\"; startup = \"200ms\";"
    more="discovery = true; multicast = { group = \"$group\"; interface = \"lo\"; };"
    fresh && install 1 2 3 && init 1 2 3 && run 1 2 3 && agree 3 1 2 3 &&
        settle 1 2 3
}

# stamped: waits until the leader has stamped its settings.
stamped() {
    local until=$((SECONDS + seconds_max))

    until [ "$(field 3 config_term)" != 0 ]; do
        [ "$SECONDS" -lt "$until" ] || complain 'no config term' || return
        pause
    done
}

# promised: a client asks the leader; sets `until` to its deadline.
promised() {
    local answer

    answer=$(ask 3 -o json leader --deadline)
    [[ $answer =~ \"until_boot_ns\":([0-9]+) ]] || complain "$answer" || return
    until=${BASH_REMATCH[1]}
}

# rises FIELD LAST: waits until this number is above LAST at node 3.
rises() {
    local last=$((SECONDS + seconds_max))

    until [ "$(field 3 "$1")" -gt "$2" ]; do
        [ "$SECONDS" -lt "$last" ] || complain 'nothing has changed' || return
        pause
    done
}

# Each kind of change: what comes before the deadline, and what after it.
before_reload() { stamped && heartbeat=90ms config_version=1 && install 3; }
after_reload() { exits 0 ask 3 reload && rises config_version 0; }
before_add() { stamped; }
after_add() {
    exits 0 ask 3 members add 4 web4 "$(address 4)" role=observer
}
before_remove() { stamped && after_add; }
after_remove() { exits 0 ask 3 members remove 4; }
before_key() {
    stamped && new_key "$cluster/key3" && key[3]=key3 old_key[3]=key &&
        install 3
}
after_key() { exits 0 ask 3 reload; }
before_admission() {
    stamped && install 4 && mkdir -m 700 "$cluster/state4" &&
        sed -i "s|^state_dir = .*|state_dir = \"$cluster/state4\";|" \
            "$cluster/4.conf" &&
        echo "listen = \"$(address 4)\"; self = { name = \"web4\"; };" \
            >>"$cluster/4.conf"
}
after_admission() {
    node_launch 4 "$cluster/4.conf"
    rises discovery_revision 0
}
before_stamp() {
    [ "$(field 3 config_term)" = 0 ] || { void=1; return 1; } # a busy host was slow
}
after_stamp() {
    until [ "$(field 3 config_term)" != 0 ]; do
        [ "$("$kill9")" -lt $((until - 500000000)) ] || promised || return
        pause
    done
}

# killed KIND: kills the leader after a change of this kind; sets `spare` to
# when the next one led after the deadline, in us. Fails, and sets `void`, if
# all took so long that the settings had changed before, or the deadline was
# over.
killed() {
    begin && "before_$1" && promised && "after_$1" && node_kill9 3 || return
    [ "$moment" -lt "$until" ] || { void=1; return 1; }
    watch_leader 2 2 && spare=$(((moment - until) / 1000))
}

# On a busy host a trial that comes to nothing is made once more.
after_each_change_a_deadline_outlives_the_leader() {
    local i kind void until spare tries moment

    for ((i = 0; i < TRIALS; i++)); do
        kind=${kinds[i % ${#kinds[@]}]}
        for ((tries = 0; tries < 5; tries++)); do
            void=
            killed "$kind" && break
            [ -n "$void" ] || return
        done
        [ "$tries" -lt 5 ] || complain "$kind: always too slow" || return
        echo "    $kind: the next leader came $spare us after the deadline"
        [ "$spare" -ge 0 ] || complain "$kind: that is too soon" || return
    done
}

# incarnation ID: that of the present process of the node.
incarnation() {
    field "$1" node_incarnation
}

# Its mlock() of a node takes as long as the file slow says.
with_slow_memory() {
    local plain=$WRAP library WRAP

    library=$(realpath "$BUILD/tests/tools/preload/slowlock.so") || return
    WRAP="$plain env LD_PRELOAD=$library SLOWLOCK=$cluster/slow"
    node_run 3 "$cluster/3.conf" && watch_open 3
}

a_stall_in_a_change_takes_no_vote() {
    local i before

    lease_ms=1200
    begin && node_end 3 && with_slow_memory && agree 3 1 2 3 || return
    for ((i = 0; i < stalls; i++)); do
        settle 1 2 3 && stamped && before=$(incarnation 3) &&
            heartbeat=$((90 + i % 2))ms config_version=$((config_version + 1)) &&
            install 3 && echo "$stall_ms" >"$cluster/slow" &&
            exits 0 ask 3 reload && rises config_version $((config_version - 1)) || return
        rm "$cluster/slow"
        settle 1 2 3 && is 'state file' sound "$(field 3 node_state_file)" &&
            is 'vote' true "$(field 3 node_has_vote)" || return
        [ "$(incarnation 3)" -gt "$before" ] ||
            complain 'it goes on as it was' || return
    done
    logged 3 'lastwill announced'
}

check after_each_change_a_deadline_outlives_the_leader
check a_stall_in_a_change_takes_no_vote
check_end
