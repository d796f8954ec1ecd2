#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electd as a service of Type=notify: the messages to its manager, and when they
# come; and the journal's priorities. A program plays systemd, so none is
# needed.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

unset NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID JOURNAL_STREAM
manager_fd=
sent=

# managed SOCKET [NAME=VALUE...]: node 1 runs under a manager at SOCKET.
managed() {
    local socket=$1 heard
    shift

    exec {manager_fd}< <(exec "$tools/manager" "$socket")
    read -r -t "$seconds_max" -u "$manager_fd" heard || return
    is 'manager' listening "$heard" || return
    WRAP="env NOTIFY_SOCKET=$socket $* $WRAP" node_start 1
}

# manager_hears PATTERN: reads the messages to the manager until one matches;
# `heard` has all of them, and `sent` is when the daemon sent the last, in ms.
manager_hears() {
    local word

    heard=
    while read -r -t "$seconds_max" -u "$manager_fd" sent word; do
        heard+=$word$'\n'
        [[ ! $word =~ $1 ]] || return 0
    done
    complain "the manager does not get '$1', but: $heard"
}

# start_of UNIT: its command, with the programs built here and with our file.
start_of() {
    local rules=()

    [[ $1 == *@* ]] || rules=(-f systemd/one-cluster.sed)
    sed -n "${rules[@]}" \
        -e "/^ExecStart=/!d; s///; s|/usr/s*bin/electctl|$electctl|
        s|/usr/sbin/electd |$electd |; s|\\$\\$|\\$|g
        s|/etc/electd/[a-z%]*.conf|$cluster/electd.conf|p" \
        "systemd/${1%%[@.]*}@.service"
}

# The programs accept the command by which a unit waits, and it ends once its
# own cluster has a leader, whatever other sockets there are.
its_waiting_units_end_with_a_leader() {
    setting 'id = 1;' && exits 0 "$electd" --socket -c "$cluster/electd.conf" &&
        is 'socket' "$cluster/1.sock" "$said" &&
        exits 0 eval "$(start_of electd-wait.service)" &&
        is 'leader' one "$said" &&
        exits 0 eval "$(start_of electd-wait@.service)" &&
        is 'leader' one "$said" &&
        sed -i 's/^cluster =/clusters =/' "$cluster/electd.conf" &&
        exits 8 eval "$(start_of electd-wait.service)"
}

# Its units of the checks run them.
its_checks_run() {
    local unit pid

    for unit in electd-checks.service electd-checks@.service; do
        fresh && setting 'id = 1;' &&
            setting 'checks = ( { name = "true"; command = ["true"]; } );' &&
            managed "$cluster/notify" && manager_hears '^READY=1$' || return
        eval "exec $(start_of "$unit")" &
        pid=$!
        is 'leader' one "$(ask 1 wait leader)" && kill "$pid" || return
        wait "$pid"
        is 'status' 0 $? && unmanage || return
    done
}

unmanage() {
    node_end 1 || return
    manager_hears '^STOPPING=1$' || return
    exec {manager_fd}<&-
}

# Ready is the first word, and by then its sockets answer.
it_is_ready_once_it_answers() {
    fresh && managed "$cluster/notify" && manager_hears '^READY=1$' || return
    is 'the first word' $'READY=1\n' "$heard" && ask 1 -q stats
}

status_of_it_names_the_leader() {
    manager_hears '^STATUS=one leads in term [0-9]+; 1 of 5 nodes reachable$'
}

without_a_watchdog_none_is_fed() {
    unmanage && [[ $heard != *WATCHDOG* ]]
}

# Twice in each interval, and more than once.
the_watchdog_is_fed() {
    local sent began beats

    fresh && managed "@electd-test-$$" WATCHDOG_USEC=200000 &&
        manager_hears '^READY=1$' && manager_hears '^WATCHDOG=1$' || return
    began=$sent
    for beats in 1 2 3 4 5; do
        manager_hears '^WATCHDOG=1$' || return
    done
    began=$((sent - began))
    echo "    $beats beats in $began ms"
    [ "$began" -ge 350 ] || complain 'that is too often' || return
    [ "$began" -le 950 ] || complain 'a watchdog would have killed it' || return
    unmanage
}

# The watchdog is meant for another process.
a_watchdog_of_others_is_not_fed() {
    fresh && managed "$cluster/notify" WATCHDOG_USEC=1000 WATCHDOG_PID=1 &&
        manager_hears '^STATUS=one leads' && unmanage && [[ $heard != *WATCHDOG* ]]
}

the_journal_gets_priorities() {
    fresh && : >"$cluster/1.log" || return
    WRAP="env JOURNAL_STREAM=$(stat -c %d:%i "$cluster/1.log") $WRAP" \
        node_start 1 && ask 1 -q -t "${seconds_max}s" wait leader &&
        node_end 1 || return
    logged 1 '^<5>electd [0-9.]+: node one of cluster loopback' &&
        is 'lines without' '' "$(grep -v '^<[3-7]>[^0-9]' "$cluster/1.log")"
}

# alerts ID: the lines of node ID that journalctl -p warning would show, without
# the delays that a busy machine may cause.
alerts() {
    sed -n '/not scheduled for/d; s/^<[0-4]>//p' "$cluster/$1.log"
}

# Each survivor logs one line, and nothing for an orderly start, handover and
# stop.
a_leader_that_dies_is_one_warning() {
    local id

    fresh && setting 'timing = { heartbeat = "1s"; startup = "300ms"; };' ||
        return
    for id in 1 2 3; do
        : >"$cluster/$id.log"
        WRAP="env JOURNAL_STREAM=$(stat -c %d:%i "$cluster/$id.log") $WRAP" \
            node_start "$id" || return
    done
    watch_open 1 2 3 && agree 3 1 2 3 && settle 1 2 3 || return
    ask 3 resign >/dev/null && agree 2 1 2 3 && settle 1 2 3 &&
        is 'alerts of 1' '' "$(alerts 1)" && node_kill9 2 && agree 1 1 3 &&
        settle 1 3 && node_end 3 && node_end 1 || return
    for id in 1 3; do
        is "alerts of $id" 'leader two lost: the process of two died' \
            "$(alerts "$id")" || return
    done
}

# The daemon inherits it, but its stderr is something else.
another_stderr_has_times() {
    fresh && WRAP="env JOURNAL_STREAM=1:2 $WRAP" node_start 1 && node_end 1 &&
        is 'lines without' '' \
            "$(grep -vE '^[0-9]{4}-[0-9-]+T[0-9:.]+Z [a-z]+: ' \
                "$cluster/1.log")"
}

check it_is_ready_once_it_answers
check status_of_it_names_the_leader
check its_waiting_units_end_with_a_leader
check without_a_watchdog_none_is_fed
check its_checks_run
check the_watchdog_is_fed
check a_watchdog_of_others_is_not_fed
check the_journal_gets_priorities
check a_leader_that_dies_is_one_warning
check another_stderr_has_times
check_end
