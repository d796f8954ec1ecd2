#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electctl and the sockets: exit codes, permission to steer, and the files of a
# daemon that was stopped or killed.
# shellcheck disable=SC2016,SC2317 # text with a $; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

there_is_a_leader() {
    fresh && cluster_start 3 1 2 3 && exits 0 ask 1 leader &&
        is 'leader' three "$said" && exits 0 ask 3 is-leader &&
        exits 0 ask 1 -q wait && is 'quiet' '' "$said" &&
        exits 0 ask 1 elect && exits 0 ask 1 status &&
        has 'status' 'guarantee component' "$said" &&
        has 'status' '^DEGRADED  three leads, [1-3] of 5 nodes up; .*four '\
'\(never heard\),[[:space:]]+five \(never heard\)'$'\n' "$said" &&
        has 'status' $'\n- +five .* down ' "$said"
}

no_is_1() {
    exits 1 ask 1 is-leader && exits 1 ask 1 -t 2s wait no-leader
}

# await_request ID COMMAND...: starts it, and returns when node ID has had two
# requests from it. Each look at the count is a request itself.
await_request() {
    local id=$1 before now until=$((SECONDS + seconds_max))

    shift
    now=$(count "$id" control_requests)
    "$@" &
    until before=$now now=$(count "$id" control_requests); ((now > before + 1)); do
        [ "$SECONDS" -lt "$until" ] || complain 'no request' || return
        pause
    done
}

# The daemon stands still: commands that only ask give up long before those that
# steer.
a_hung_daemon_is_no_wait() {
    local verb asking=() steering failed=0

    node_stop 2
    "$electctl" -s "$cluster/2.sock" elect >/dev/null 2>&1 &
    steering=$!
    for verb in leader is-leader status peers stats explain; do
        "$electctl" -s "$cluster/2.sock" "$verb" >/dev/null 2>&1 &
        asking+=($!)
    done
    for verb in "${asking[@]}"; do
        wait "$verb"
        is 'exit status' 3 $? || failed=1
    done
    kill "$steering" 2>/dev/null || complain 'that took as long' || failed=1
    wait "$steering"
    exits 3 ask 2 -t 2s wait && is 'why it takes so long' \
        "electctl: $cluster/2.sock: the daemon does not answer: waiting
electctl: still no answer from the daemon after 2 s" "$said" &&
        exits 7 ask 2 -t 1s resign && is 'no promise' \
        'electctl: resign: the daemon did not answer in time' "$said" ||
        failed=1
    node_continue 2
    settle 1 2 3 && return "$failed"
}

# It answered at first. A node that hung twice is damped, so the next case
# begins with new nodes.
a_daemon_that_hangs_later_is_no_leader_still() {
    local waiting failed=0

    await_request 2 ask 2 -t 4s wait no-leader 2>"$cluster/complaints" ||
        return
    waiting=$!
    node_stop 2
    wait "$waiting"
    is 'exit status' 3 $? && is 'reason' \
        "electctl: $cluster/2.sock: the daemon does not answer: waiting
electctl: still no answer from the daemon after 4 s" \
        "$(<"$cluster/complaints")" || failed=1
    node_continue 2
    return "$failed"
}

# elsewhere SETUP WORD...: runs electctl with a /run of our own; SETUP runs in
# /run/electd before.
elsewhere() {
    local setup=$1

    shift
    unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/electd &&
        cd /run/electd && eval "$1" && shift && exec "$@"' - "$setup" \
        "$(realpath "$electctl")" "$@"
}

# The file of a dead daemon refuses, as one that is no socket does.
dead_sockets_are_no_choice() {
    local web="ln -s $cluster/1.sock web.sock" mail="touch mail.sock \
mail.admin.sock" both

    if ! unshare -m mount -t tmpfs none /run 2>/dev/null; then
        echo '    no mount namespaces here'
        return
    fi
    both="$web; ln -s $cluster/3.sock mail.sock"
    exits 0 elsewhere "$web; $mail" leader && is 'leader' three "$said" &&
        exits 1 elsewhere "$web; $mail" -q is-leader &&
        exits 0 elsewhere "$web; $mail" -q -t "${seconds_max}s" wait &&
        exits 2 elsewhere "$both" leader &&
        is 'two' 'electctl: several clusters have a daemon here: mail, web; '\
'choose one with --cluster NAME' "$said" &&
        exits 3 elsewhere "$both" status --check &&
        is 'monitoring' 'UNKNOWN  several clusters have a daemon here: mail, '\
'web; choose one with --cluster NAME' "$said" &&
        exits 3 elsewhere "$both" -q status --check &&
        exits 1 elsewhere "$both" --cluster web status --check &&
        exits 0 elsewhere "$both" --cluster mail is-leader &&
        exits 1 elsewhere "$both" --cluster web is-leader &&
        exits 3 elsewhere "$web; $mail" --cluster mail leader &&
        is 'the other' 'electctl: /run/electd/mail.sock: Connection refused: '\
'is electd running? --cluster can choose: web' "$said" &&
        exits 3 elsewhere "$mail; touch web.sock" leader &&
        is 'all dead' 'electctl: no daemon answers in /run/electd '\
'(mail, web): is electd running?' "$said" &&
        exits 3 elsewhere "$mail; touch web.sock" -t 50ms wait &&
        exits 3 elsewhere "$mail" leader &&
        is 'the only one' 'electctl: /run/electd/mail.sock: Connection '\
'refused: is electd running?' "$said" &&
        exits 3 elsewhere : leader &&
        has 'none' '^electctl: no socket in /run/electd: ' "$said"
}

# A user who may not talk to a daemon hears of it: it may be the one that is
# meant.
socket_that_a_user_may_not_open_is_a_choice() {
    local status=0

    if ! unshare -m mount -t tmpfs none /run 2>/dev/null; then
        echo '    no mount namespaces here'
        return
    fi
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" &&
        chmod 0 "$cluster/3.sock" || return
    exits 2 unshare -m sh -c "mount -t tmpfs none /run && mkdir /run/electd &&
        ln -s $cluster/1.sock /run/electd/web.sock &&
        ln -s $cluster/3.sock /run/electd/mail.sock &&
        exec setpriv --reuid=65534 --regid=65534 --clear-groups \
            $cluster/electctl leader" &&
        has 'why' 'several clusters have a daemon here: mail, web;' "$said" ||
        status=1
    chmod 666 "$cluster/3.sock" && return "$status"
}

# Root tries it as another user; others look at the mode of the socket.
not_permitted_is_4() {
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" || return
    is 'modes' '666 660' "$(stat -c %a "$cluster/1.sock" \
        "$cluster/1.admin.sock" | paste -sd ' ')" || return
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 "$cluster/1.admin.sock" && exits 4 ask 1 elect &&
            exits 0 ask 1 leader && chmod 660 "$cluster/1.admin.sock"
        return
    fi
    local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups
        "$cluster/electctl" -s "$cluster/1.sock")

    exits 4 "${nobody[@]}" elect &&
        has 'the remedy' "1.admin.sock: Permission denied: only root, \
.*members of group $(stat -c %G "$cluster") may steer \(control.group; " \
            "$said" &&
        exits 0 "${nobody[@]}" leader &&
        chmod 666 "$cluster/1.admin.sock" && exits 4 "${nobody[@]}" elect &&
        logged 1 'elect by uid 65534, .*denied'
}

# The answer has the nodes' names.
watches_read_well() {
    local watching until=$((SECONDS + seconds_max)) said=''

    "$electctl" -s "$cluster/1.sock" watch >"$cluster/watched" &
    watching=$!
    awaits "$seconds_max" test -s "$cluster/watched" || return
    exits 0 ask 3 resign && exits 0 ask 3 rejoin || return
    until [[ $said == *'no longer on standby'* ]]; do
        [ "$SECONDS" -lt "$until" ] || break
        said=$(<"$cluster/watched")
        pause
    done
    kill "$watching"
    wait "$watching" 2>/dev/null
    has 'state' ' state: three leads, term [0-9]+'$'\n' "$said" &&
        has 'one' ' leader: two \(was three\), term [0-9]+, resigned:three'$'\n' \
            "$said" &&
        has 'the other' ' leader: three \(was two\), term [0-9]+, preempt:two'$'\n' \
            "$said"
}

# A client passes a file that takes an hour to close, and keeps nothing of it.
files_that_clients_pass_delay_nobody() {
    local until=$((SECONDS + seconds_max)) passer input

    mkfifo "$cluster/open" && node_stop 1 || return
    "$tools/passer" "$cluster/1.sock" <"$cluster/open" >"$cluster/passer" &
    passer=$!
    exec {input}>"$cluster/open"
    until grep -q 'passed\|refuses' "$cluster/passer" || [ "$SECONDS" -ge "$until" ]; do
        pause
    done
    node_continue 1 || return
    until grep -q 'no file may come with a request\|kernel refuses' \
        "$cluster/passer"; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "the answer: $(cat "$cluster/passer")" || return
        pause
    done
    exits 0 ask 1 leader || return
    exec {input}>&-
    wait "$passer"
}

# One user takes all the places that it may have. Then `watch` ends, and `wait`
# waits for a place too.
clients_beyond_the_limit_get_an_error() {
    local crowd=("$cluster/electctl" -s "$cluster/1.sock") watching=() i
    local until=$((SECONDS + seconds_max)) failed=0 waiting

    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" || return
    [ "$(id -u)" -ne 0 ] || crowd=(setpriv --reuid=65534 --regid=65534
        --clear-groups "${crowd[@]}")
    for ((i = 0; i < 16; i++)); do
        "${crowd[@]}" -o json watch >"$cluster/crowd.$i" &
        watching+=($!)
    done
    for ((i = 0; i < 16; i++)); do
        until [ -s "$cluster/crowd.$i" ] || [ "$SECONDS" -ge "$until" ]; do
            kill -0 "${watching[i]}" || break
            pause
        done
    done
    exits 3 "${crowd[@]}" watch && has 'why' 'too many clients$' "$said" &&
        exits 3 "${crowd[@]}" -t 2s wait && is 'why it takes so long' \
        "electctl: $cluster/1.sock: too many clients: waiting
electctl: still too many clients after 2 s" "$said" || failed=1
    "${crowd[@]}" -t "${seconds_max}s" wait >"$cluster/waited" 2>&1 &
    waiting=$!
    awaits "$seconds_max" test -s "$cluster/waited" || failed=1
    kill "${watching[@]}"
    wait "$waiting" || complain "wait: $(<"$cluster/waited")" || failed=1
    wait "${watching[@]}" 2>/dev/null
    is 'leader' three "$(tail -n 1 "$cluster/waited")" || failed=1
    return "$failed"
}

# A minute of listening is a minute without a leader. While it starts, a node
# does not say that there is no leader.
leader_that_is_not_known_yet_is_status_9() {
    fresh && setting 'timing = { startup = "60s"; };' && node_start 1 &&
        exits 9 ask 1 leader && exits 1 ask 1 is-leader
}

# It waits through the death of the daemon that it asks, until another has come
# and has listened for its second.
a_leader_is_waited_for() {
    local waiting

    await_request 1 ask 1 -t "${seconds_max}s" wait >"$cluster/waited" \
        2>"$cluster/complaints" || return
    waiting=$!
    node_kill9 1
    exits 3 ask 1 -t 50ms wait &&
        is 'reason' 'electctl: no daemon after 50 ms' "$said" &&
        kill -0 "$waiting" && sed -i '/startup/d' "$cluster/electd.conf" &&
        node_start 1 && wait "$waiting" &&
        is 'leader' one "$(cat "$cluster/waited")"
}

# There need not have been a daemon at first.
the_daemon_is_waited_for() {
    local waiting

    node_end 1
    ask 1 leader --wait >"$cluster/waited" 2>&1 &
    waiting=$!
    node_start 1 && wait "$waiting" &&
        is 'leader' one "$(tail -n 1 "$cluster/waited")"
}

a_watch_ends_with_the_daemon() {
    local watching status

    ask 1 watch >"$cluster/watched" 2>"$cluster/ended" &
    watching=$!
    awaits "$seconds_max" test -s "$cluster/watched" || return
    node_kill9 1
    wait "$watching"
    status=$?
    is 'exit status' 3 "$status" &&
        has 'reason' 'the daemon has gone' "$(cat "$cluster/ended")"
}

sockets() {
    find "$cluster" -maxdepth 1 -type s -printf '%f\n' | sort | paste -sd ' '
}

# A killed daemon leaves its files, which belong to no process and are replaced.
sockets_of_the_killed_are_replaced() {
    [ -S "$cluster/1.sock" ] && [ -S "$cluster/1.admin.sock" ] || return
    exits 3 ask 1 leader && node_start 1 &&
        exits 0 ask 1 -t "${seconds_max}s" wait leader &&
        exits 0 ask 1 elect || return
    is 'sockets' '1.admin.sock 1.sock' "$(sockets)"
}

sockets_of_the_stopped_are_gone() {
    node_end 1 && is 'sockets' '' "$(sockets)" &&
        logged 1 "notice: stopped\$"
}

# A file that is no socket is kept.
other_files_are_not_replaced() {
    echo mine >"$cluster/1.sock"
    exits 1 timeout "$seconds_max" "$electd" -c "$cluster/electd.conf" -i 1 &&
        has 'error' '1.sock: is not a socket, so electd leaves it alone' "$said" &&
        is 'the file' mine "$(cat "$cluster/1.sock")"
}

# A node without a link to us in a ring raises no alarm, as we cannot know
# whether it agrees.
node_that_is_no_neighbour_raises_no_alarm() {
    local until=$((SECONDS + seconds_max)) id status

    live_end
    cluster_new conf/loopback-ring.conf && node_start 1 2 3 4 5 6 7 8 &&
        watch_open 1 3 && agree 8 1 3 || return
    for id in 1 3; do
        until [[ $(ask "$id" -o kv status) == *$'\npeers_up=2\n'* ]]; do
            [ "$SECONDS" -lt "$until" ] || complain "$(ask "$id" peers)" || return
            pause
        done
    done
    has 'the leader' $'\n\\* +eight .* leader .* not a neighbour(\n|$)' \
        "$(ask 1 status)" &&
        has 'the others' $'\n4 other nodes are not neighbours$' \
            "$(ask 1 status)" || return
    status=$(ask 3 status)
    has 'the verdict' '^[A-Z]+  eight leads, 2 of 2 links up' "$status" &&
        has 'the ring' $'\nleader   eight \\(8\\) for [0-9.a-z ]*, reason [a-z]+:[a-z]+\n' \
        "$status" &&
        has 'a neighbour' $'\n\\+ +five .* follower ' "$status" &&
        has 'the others' $'\n5 other nodes are not neighbours$' \
            "$status" &&
        has 'one of them' $'\n\\. +one +127[0-9.:]+ +- .* not a neighbour(\n|$)' \
            "$(ask 3 peers)" || return
    [[ $status != *distant* && $status != *down* && $status != *' one '* ]] ||
        complain "alarms: $status" || return
    is 'neighbours' 2 "$(ask 3 -o json peers | grep -o '"neighbour":true' |
        wc -l)"
}

check there_is_a_leader
check no_is_1
check a_hung_daemon_is_no_wait
check dead_sockets_are_no_choice
as_root socket_that_a_user_may_not_open_is_a_choice
check not_permitted_is_4
check watches_read_well
check files_that_clients_pass_delay_nobody
check clients_beyond_the_limit_get_an_error
check a_daemon_that_hangs_later_is_no_leader_still
check leader_that_is_not_known_yet_is_status_9
check a_leader_is_waited_for
check the_daemon_is_waited_for
check a_watch_ends_with_the_daemon
check sockets_of_the_killed_are_replaced
check sockets_of_the_stopped_are_gone
check other_files_are_not_replaced
check node_that_is_no_neighbour_raises_no_alarm
check_end
