#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The helper that speaks for a daemon that is dead or hangs: it outlives the
# daemon under a name of its own, says so at once, keeps the term while a client
# relies on it, is replaced when it dies itself, and ends with an orderly end.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

slack_ms=150 # for processes of a busy machine to get their turn

# is_gone PID: it has ended, or is about to.
is_gone() {
    timeout "$seconds_max" tail -s 0.02 --pid="$1" -f /dev/null ||
        complain "process $1 does not end"
}

# let_time_pass ID SECONDS: reads the events of node ID for so long, since only
# real time counts here.
let_time_pass() {
    while read -r -t "$2" -u "${watch_fd[$1]}"; do
        :
    done
}

# incarnation ID: that of the present process of the node.
incarnation() {
    kv "$1" node_incarnation status
}

# hidden PID: only who may trace all sees what a process has that is not
# dumpable.
hidden() {
    ! { : <"/proc/$1/environ"; } 2>/dev/null &&
        echo '    hidden from this user'
}

# A kill by name, command line, group or session does not hit it as well.
it_goes_by_another_name() {
    local helper

    fresh && cluster_start 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    helper=$(helper_of 5)
    is 'name' lastwill "$(cat "/proc/$helper/comm")" &&
        is 'command line' lastwill "$(tr '\0' ' ' <"/proc/$helper/cmdline" |
            sed 's/ *$//')" &&
        is 'session' "$helper" "$(ps -o sid= -p "$helper" | tr -d ' ')" &&
        is 'group' "$helper" "$(ps -o pgid= -p "$helper" | tr -d ' ')" &&
        { hidden "$helper" || is 'environment' '' \
            "$(tr '\0' ' ' <"/proc/$helper/environ")"; }
}

# says NAME FILE...: the values in the lines of that name, each once
says() {
    sed -n "s/^$1:\t//p" "${@:2}" | sort -u
}

it_can_do_nothing_else() {
    local helper threads

    helper=$(helper_of 5)
    threads=("/proc/$helper/task"/*/status)
    is 'threads' 2 "${#threads[@]}" &&
        is 'capabilities' 0000000000000000 "$(says CapEff "${threads[@]}")" &&
        is 'privileges' 1 "$(says NoNewPrivs "${threads[@]}")" || return
    if nm -D "${electd%/*}/lastwill" | grep -q asan; then
        echo '    not confined with sanitizers'
        return
    fi
    is 'filter' 2 "$(says Seccomp "${threads[@]}")" || return
    hidden "$helper" || is 'files' '/dev/null /dev/null /dev/null socket anon_inode' \
        "$(find "/proc/$helper/fd" -type l -printf '%f %l\n' | sort -n |
            sed 's/^[0-9]* //; s/:.*//' | paste -sd ' ')"
}

the_others_know_of_a_death_at_once() {
    local helper id worst=0 died

    helper=$(helper_of 5)
    node_kill9 5 || return
    died=$moment
    for id in 1 2 3 4; do
        watch_leader "$id" 4 || return
        has 'cause' '"reason":"died:5"' "$event" || return
        [ $((moment - died)) -le $((worst)) ] || worst=$((moment - died))
    done
    echo "    all four had the new leader after $((worst / 1000)) us"
    [ "$worst" -le $((slack_ms * 1000000)) ] || complain 'too late' || return
    is_gone "$helper"
}

# Without its wills the detector would report this.
a_follower_that_dies_is_down_at_once() {
    node_kill9 1 || return
    read_until 4 '"event":"peer-down","peer":1,.*"evidence":"died"'
}

an_orderly_end_leaves_none() {
    local helper

    helper=$(helper_of 4)
    node_end 4 || return
    [ ! -e "/proc/$helper" ] || complain 'it is still there' || return
    read_until 2 '"event":"peer-down","peer":4,.*"evidence":"bye"'
}

# A signal to all processes of a unit.
it_waits_for_its_daemon_to_end() {
    local helper

    helper=$(helper_of 3)
    kill -TERM "$helper" && kill -INT "$helper" && kill -HUP "$helper" &&
        ask 3 -q stats && is 'helper' "$helper" "$(helper_of 3)" &&
        ! logged 3 'lastwill' 2>/dev/null
}

it_is_replaced_when_it_dies() {
    local helper next until=$((SECONDS + seconds_max))

    helper=$(helper_of 3)
    kill -KILL "$helper" && log_comes_to 3 'started lastwill again' || return
    logged 3 'warning: lastwill was ended by signal 9' || return
    next=$(helper_of 3)
    [ "$next" != "$helper" ] || complain 'it is the same' || return
    # It listens once it has its second thread.
    until [ -d "/proc/$next/task" ] && set -- "/proc/$next/task/"* &&
        [ $# -eq 2 ]; do
        [ "$SECONDS" -lt "$until" ] || complain 'it is not ready' || return
        ask 3 -q stats || return
        pause
    done
    node_kill9 3 && watch_leader 2 2 &&
        has 'cause' '"reason":"died:3"' "$event" && node_end 2
}

# electd tries again after a second.
one_that_cannot_be_started_is_tried_again() {
    local electd=$electd bin

    fresh && bin=$cluster/bin && mkdir "$bin" &&
        cp "$electd" "${electd%/*}/lastwill" "$bin" || return
    electd=$bin/electd
    cluster_start 3 1 2 3 && settle 1 2 3 &&
        mv "$bin/lastwill" "$bin/hidden" && kill -KILL "$(helper_of 3)" &&
        log_comes_to 3 'warning: cannot start lastwill, which announces' &&
        mv "$bin/hidden" "$bin/lastwill" &&
        log_comes_to 3 'info: started lastwill again' &&
        has 'helper' '^[0-9]+$' "$(helper_of 3)"
}

one_that_does_not_end_is_killed() {
    local helper

    helper=$(helper_of 3)
    kill -STOP "$helper" && node_end 3 || return
    [ ! -e "/proc/$helper" ] || complain 'it is still there' || return
    read_until 1 '"event":"peer-down","peer":3,.*"evidence":"bye"' &&
        node_end 1 2
}

# The others may know it by its helper or by its silence; in both cases it finds
# the helper's mark before it sends anything.
one_that_hangs_goes_on_as_new() {
    local before

    fresh && cluster_start 3 1 2 3 && settle 1 2 3 || return
    before=$(incarnation 3)
    node_stop 3
    watch_leader 1 2 && watch_leader 2 2 || return
    let_time_pass 1 1
    node_continue 3
    has 'answer' '"leader":(null|2|\{"id":2,)' "$(ask 3 -o json leader)" &&
        logged 3 'warning: not scheduled for [0-9]+ ms: lastwill announced' &&
        agree 3 1 2 3 &&
        is 'incarnation' $((before + 1)) "$(incarnation 3)"
}

it_hangs_again_and_dies_of_it() {
    local helper

    settle 1 2 3 || return
    helper=$(helper_of 3)
    node_stop 3
    watch_leader 1 2 && node_kill9 3 && is_gone "$helper" && node_end 1 2
}

# As long as a client relies on its deadline no other node leads. Then one does,
# before the lease of the dead leader would have ended by itself.
a_deadline_outlives_the_leader() {
    local answer until id

    fresh && sed -i 's/"component"/"quorum"/' "$cluster/electd.conf" &&
        setting 'timing = { lease = "2s"; };' || return
    for id in 1 2 3 4 5; do
        "$electd" --init-cluster -c "$cluster/electd.conf" -i "$id" \
            >/dev/null 2>&1 || return
    done
    cluster_start 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    answer=$(ask 5 -o json leader --deadline)
    [[ $answer =~ \"until_boot_ns\":([0-9]+) ]] || complain "$answer" || return
    until=${BASH_REMATCH[1]}
    node_kill9 5 && watch_leader 1 4 || return
    echo "    the new leader came $(((moment - until) / 1000)) us after it"
    [ "$moment" -gt "$until" ] || complain 'that is too soon' || return
    node_end 1 2 3 4
}

one_that_was_never_started_is_tried_again() {
    local real=$electd

    fresh && cp "$real" "$cluster/electd" || return
    electd=$cluster/electd
    node_start 1 && ask 1 -q -t "${seconds_max}s" wait leader
    electd=$real
    logged 1 'warning: cannot start lastwill, .* 300 ms to notice one: No such file' &&
        is 'children' '' "$(helper_of 1)" &&
        cp "${real%/*}/lastwill" "$cluster" &&
        log_comes_to 1 'info: started lastwill again' &&
        has 'helper' '^[0-9]+$' "$(helper_of 1)" && node_end 1
}

# It could not speak, and nobody would notice.
one_that_is_stopped_is_replaced() {
    local helper

    fresh && node_start 1 && helper=$(helper_of 1) && kill -STOP "$helper" &&
        log_comes_to 1 'warning: lastwill was stopped by signal 19' &&
        log_comes_to 1 'info: started lastwill again' &&
        has 'helper' '^[0-9]+$' "$(helper_of 1)" || return
    [ "$(helper_of 1)" != "$helper" ] || complain 'it is the same' || return
    node_end 1
}

check it_goes_by_another_name
check it_can_do_nothing_else
check the_others_know_of_a_death_at_once
check a_follower_that_dies_is_down_at_once
check an_orderly_end_leaves_none
check it_waits_for_its_daemon_to_end
check it_is_replaced_when_it_dies
check one_that_cannot_be_started_is_tried_again
check one_that_does_not_end_is_killed
check one_that_hangs_goes_on_as_new
check it_hangs_again_and_dies_of_it
check a_deadline_outlives_the_leader
check one_that_was_never_started_is_tried_again
check one_that_is_stopped_is_replaced
check_end
