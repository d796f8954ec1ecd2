#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `realtime = true;`: which threads run before all others, and the warning of a
# daemon that may not.
# shellcheck disable=SC2034,SC2317 # for live.sh; cases are called by name
FIRST= # it looks at priorities
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# The threads that wait for disks, one of which has the tape.
workers='SCHED_OTHER SCHED_OTHER SCHED_OTHER SCHED_OTHER'

# policies PID: of its threads, in the order of their start.
policies() {
    local task

    for task in "/proc/$1/task"/*; do
        chrt -p "${task##*/}" | sed -n 's/.*policy: //p'
    done | paste -sd ' '
}

# locked ID: how much of its memory is locked, in KiB.
locked() {
    sed -n 's/^VmLck:[^0-9]*\([0-9]*\).*/\1/p' "/proc/${daemon_pid[$1]}/status"
}

# It runs beside a daemon without, as nodes of a cluster may differ in that. The
# threads that wait for disks may wait.
it_runs_first_and_so_does_its_helper() {
    fresh && node_start 1 && setting 'realtime = true;' && node_start 2 &&
        watch_open 1 2 && agree 2 1 2 || return
    logged 2 'notice: electd [0-9.]+: node two .*, realtime$' &&
        is 'policies' "SCHED_RR $workers" \
            "$(policies "${daemon_pid[2]}")" &&
        is 'priority' 2 "$(chrt -p "${daemon_pid[2]}" |
            sed -n 's/.*priority: //p')" &&
        is 'policy of the helper' 'SCHED_RR SCHED_RR' \
            "$(policies "$(helper_of 2)")" &&
        is 'policies of the other' "SCHED_OTHER $workers" \
            "$(policies "${daemon_pid[1]}")"
}

# A sanitizer never locks anything.
locks_nothing() {
    nm -D "$electd" | grep -q asan
}

its_memory_is_locked() {
    echo "    $(locked 2) KiB"
    [ "$(locked 2)" -gt 1000 ] || locks_nothing || complain 'it is not'
}

# mappings ID: of the program itself, whether all of it is there, and locked.
mappings() {
    awk -v program="$(readlink "/proc/${daemon_pid[$1]}/exe")" '
        /^[0-9a-f]+-/ { mine = $6 == program }
        mine && $1 == "Size:" { size = $2 }
        mine && $1 == "Rss:" { rss = $2 }
        mine && $1 == "VmFlags:" {
            print size == rss ? "all" : "part", / lo( |$)/ ? "locked" : "free"
        }' "/proc/${daemon_pid[$1]}/smaps" | sort -u | paste -sd ,
}

# The program is a file, so the kernel may drop pages that were of no use for
# long, and read them again when a leader dies. Not every user can see that.
program_is_resident() {
    ! { : <"/proc/${daemon_pid[$1]}/smaps"; } 2>/dev/null || locks_nothing ||
        is 'the program' 'all locked' "$(mappings "$1")"
}

the_program_of_the_other_stays_in_memory_too() {
    program_is_resident 1
}

# has_another_helper ID PID: succeeds if its helper is not that process.
has_another_helper() {
    [ -n "$(helper_of "$1")" ] && [ "$(helper_of "$1")" != "$2" ]
}

another_helper_runs_first_too() {
    local helper

    helper=$(helper_of 2)
    kill -KILL "$helper" &&
        awaits "$seconds_max" has_another_helper 2 "$helper" || return
    # It may be about to start its second thread.
    is 'policy' SCHED_RR "$(policies "$(helper_of 2)" | tr ' ' '\n' |
        sort -u)" && node_end 1 2
}

# As a user without special permissions.
without_permission_it_says_so_and_goes_on() {
    local real=$electd status as=()

    fresh && setting 'realtime = true;' &&
        cp "$electd" "${electd%/*}/lastwill" "$cluster" || return
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534:65534 "$cluster"
        sed -i 's/group *=.*/group = "";/' "$cluster/electd.conf"
        as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    electd=$cluster/electd
    WRAP="prlimit --rtprio=0 --memlock=8388608 ${as[*]} $WRAP" node_start 1 &&
        ask 1 -q -t "${seconds_max}s" wait leader
    status=$?
    electd=$real
    [ "$status" -eq 0 ] &&
        logged 1 'warning: realtime: .* LimitRTPRIO=2, .*: Operation not' &&
        logged 1 'warning: realtime: memory .* LimitMEMLOCK=infinity' &&
        is 'policies' "SCHED_OTHER $workers" \
            "$(policies "${daemon_pid[1]}")" &&
        program_is_resident 1 && node_end 1
}

if chrt -r 1 true 2>/dev/null; then
    check it_runs_first_and_so_does_its_helper
    check its_memory_is_locked
    check the_program_of_the_other_stays_in_memory_too
    check another_helper_runs_first_too
else
    echo 'skip real time: it is not permitted here'
fi
check without_permission_it_says_so_and_goes_on
check_end
