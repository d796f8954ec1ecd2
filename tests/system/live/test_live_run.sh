#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `electctl run` on three real daemons: one command runs, where the leader is.
# It ends before another one begins, whatever is killed or stopped: by its
# supervisor, by electctl, or by the kernel. Takes 56 s.
# shellcheck disable=SC2016,SC2317 # for sh; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

# run_all WORD...: electctl run of this on each host.
run_all() {
    local id

    for id in 1 2 3; do
        run_on "$id" "$@" || return
    done
}

# lead ID: starts three nodes; this one leads.
lead() {
    run_end
    quorum 3 && cluster_start "$1" 1 2 3 && voters_are 3 1 2 3
}

# A host without room for one more process may have some a second later.
command_that_cannot_be_started_now_is_started_later() {
    local forkless

    forkless=$(realpath "$BUILD/tests/tools/preload/forkless.so") && lead 3 &&
        exits 0 env LD_PRELOAD="$forkless" \
            ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
            "$electctl" -s "$cluster/3.sock" run echo ran &&
        has 'why' 'echo: Resource temporarily unavailable: trying again' "$said" &&
        has 'output' 'runs, pid [0-9]+' "$said" &&
        has 'what the command said' $'\n''ran' "$said"
}

it_runs_on_the_leader_and_moves_with_it() {
    run_all "$stamp" "$cluster/stamps" && stamped 1 && ask 3 -q resign &&
        stamped 2 && apart && exits 0 ask 1 -q wait leader &&
        has 'what it says' 'is told to end' "$(cat "$cluster/3.run")" &&
        has 'what it says' 'waits until it leads again' "$(cat "$cluster/3.run")" &&
        logged 3 'handing over waits up to [0-9.]+ s: clients were promised'
}

# begin WORD...: stamps with these options are run, and web3 leads.
begin() {
    lead 3 && run_all "$stamp" "$cluster/stamps" "$@" && stamped 1
}

# moved N: web3 hands over; N commands have begun by the end, one host at a
# time.
moved() {
    ask 3 -q resign && stamped "$1" && apart
}

command_that_is_deaf_is_killed_in_time() {
    begin deaf fork && stamped 2 && moved 4 &&
        has 'what it says' 'it is killed' "$(cat "$cluster/3.run")"
}

# It need not be killed for that.
command_that_is_stopped_ends_when_it_is_told_to() {
    local command

    begin && command=$(command_of 3) && kill -STOP "$command" && moved 2 &&
        gone "$command" && ! grep -q 'it is killed' "$cluster/3.run"
}

killed_supervisor_takes_the_command_along() {
    local command supervisor

    begin fork && stamped 2 && supervisor=$(supervisor_of 3) &&
        command=$(child_of "$supervisor") && kill -9 "$supervisor" && gone "$command" &&
        stamped 4 && apart && has 'what it says' 'the supervisor was killed' \
        "$(cat "$cluster/3.run")" && is 'processes of the first' '' \
        "$(pgrep -f "^$stamp $cluster/" -s "$command")"
}

killed_electctl_takes_all_along() {
    local command supervisor

    begin deaf fork && stamped 2 && supervisor=$(supervisor_of 3) &&
        command=$(child_of "$supervisor") && run_kill9 3 && gone "$supervisor" &&
        gone "$command" && is 'stamps' '' "$(pgrep -f "^$stamp $cluster/")" &&
        run_on 3 "$stamp" "$cluster/stamps" && moved 4
}

both_killed_take_the_command_along() {
    local command supervisor

    begin && supervisor=$(supervisor_of 3) && command=$(child_of "$supervisor") &&
        run_kill9 3 "$supervisor" && gone "$command"
}

killed_daemon_moves_it() {
    begin deaf && node_kill9 3 && stamped 2 && apart && node_start 3 &&
        voters_are 3 1 2 3
}

# The kernel ends the command: nothing else of that host runs.
stopped_host_has_no_command_when_another_leads() {
    local all command supervisor

    begin deaf && supervisor=$(supervisor_of 3) && command=$(child_of "$supervisor") &&
        all="${run_pid[3]} $supervisor $command ${daemon_pid[3]} $(
            helper_of 3)" || return
    stalls_wanted[3]=yes
    # shellcheck disable=SC2086 # ids in words
    kill -STOP $all && stamped 2 && gone "$command" && apart || return
    # shellcheck disable=SC2086 # the kernel has killed the supervisor, too
    kill -CONT ${all/"$command"/} 2>/dev/null
    voters_are 3 1 2 3
}

# Its command would begin on the very host that was cut off, only to be killed.
# On a busy host the lease may be over before all was asked: then it is cut off
# again.
nothing_begins_beside_a_leader_that_nobody_hears() {
    local until=$((SECONDS + seconds_max)) lease_ms=3000
    local left=

    until [ -n "$left" ] && ask 3 -q is-leader; do
        [ "$SECONDS" -lt "$until" ] || complain 'never asked in time' || return
        node_continue 1 2
        lead 3 && exits 0 "$electctl" -s "$cluster/3.sock" -q run --once true &&
            node_stop 1 2 || return
        while left=$(kv 3 valid_ms is-leader --deadline) &&
            [ "${left:-0}" -ge $((lease_ms / 2)) ]
        do
            [ "$SECONDS" -lt "$until" ] || complain 'leads on' || return
            pause
        done
        exits 75 "$electctl" -s "$cluster/3.sock" -q -t 200ms run --once \
            touch "$cluster/begun" && [ ! -e "$cluster/begun" ] || return
    done
    node_continue 1 2
}

signals_are_passed_on() {
    local command until=$((SECONDS + seconds_max))

    lead 3 && mkfifo "$cluster/nothing" && run_on 3 sh -c "
        trap 'echo got >>$cluster/got' USR1 HUP
        trap 'exit 9' TERM; while :; do read -r x <>$cluster/nothing; done" &&
        command=$(command_of 3) || return
    until [ -s "$cluster/got" ]; do
        kill -USR1 "${run_pid[3]}"
        [ "$SECONDS" -lt "$until" ] || complain 'no SIGUSR1' || return
        pause
    done
    kill -HUP "${run_pid[3]}" && kill "${run_pid[3]}" || return
    wait "${run_pid[3]}"
    is 'status' 9 $? && gone "$command"
}

# waiting_ends SIGNAL STATUS: on a host that does not lead. A shell starts what
# it does not wait for with SIGQUIT and SIGINT ignored.
waiting_ends() {
    perl -e '$SIG{QUIT} = $SIG{INT} = "DEFAULT"; exec @ARGV' \
        "$electctl" -s "$cluster/2.sock" run touch "$cluster/ran" &
    run_pid[2]=$!
    supervisor_of 2 >/dev/null && kill "-$1" "${run_pid[2]}" &&
        gone "${run_pid[2]}" || return
    wait "${run_pid[2]}"
    is "status by $1" "$2" $? && [ ! -e "$cluster/ran" ]
}

one_that_waits_ends_at_once() {
    lead 3 && waiting_ends TERM 143 && waiting_ends QUIT 131 &&
        waiting_ends INT 130 &&
        exits 75 "$electctl" -s "$cluster/2.sock" -q -t 10ms run true
}

# It is one process, so whoever started it sees its end, even if it is stopped.
margin_is_for_a_supervisor() {
    local command

    run_end
    run_on 3 --margin 100ms "$stamp" "$cluster/stamps" deaf &&
        command=$(supervisor_of 3) &&
        has 'child' "$stamp" "$(tr '\0' ' ' <"/proc/$command/cmdline")" &&
        kill -STOP "${run_pid[3]}" || return
    {
        gone "$command"
        wait "${run_pid[3]}"
    } 2>/dev/null
    is 'status' 137 $? && gone "$command"
}

margin_must_leave_time_for_the_command() {
    local until=$((SECONDS + seconds_max))

    run_end
    : >"$cluster/3.run"
    run_on 3 --margin 10s touch "$cluster/ran" || return
    until grep -q 'must be less than [1-9][0-9]* ms together' "$cluster/3.run"; do
        [ "$SECONDS" -lt "$until" ] || complain 'no message' || return
        pause
    done
    kill "${run_pid[3]}"
    wait "${run_pid[3]}"
    is 'status' 143 $? && [ ! -e "$cluster/ran" ]
}

# Whoever starts it may ignore the end of children, and hangups.
what_is_ignored_does_not_matter() {
    run_end
    perl -e '$SIG{CHLD} = $SIG{HUP} = "IGNORE"; exec @ARGV' \
        "$electctl" -s "$cluster/3.sock" -q run sh -c 'exit 5' &
    wait $!
    is 'status' 5 $? || return
    perl -e '$SIG{HUP} = "IGNORE"; exec @ARGV' \
        "$electctl" -s "$cluster/2.sock" -q run true &
    run_pid[2]=$!
    supervisor_of 2 >/dev/null && kill -HUP "${run_pid[2]}" &&
        kill "${run_pid[2]}" || return
    wait "${run_pid[2]}"
    is 'status' 143 $?
}

# runs_another ID PID: succeeds if its command is not that process.
runs_another() {
    [ "$(command_of "$1")" != "$2" ]
}

# It leads again before the command that was told to end has done so.
command_runs_again_when_the_lead_was_lost_for_a_moment() {
    local command go

    run_end
    fresh && cluster_start 5 1 2 3 4 5 &&
        mkfifo "$cluster/go" "$cluster/nothing" && exec {go}<>"$cluster/go" &&
        run_on 5 --even-if-two sh -c "trap 'read -r x <$cluster/go; exit' TERM
        while :; do read -r x <>$cluster/nothing; done" {go}>&- &&
        command=$(command_of 5) && ask 5 -q resign && ask 5 -q rejoin &&
        agree 5 1 2 3 4 5 && echo >&"$go" && gone "$command" &&
        awaits "$seconds_max" runs_another 5 "$command" || return
    exec {go}>&-
    run_end
    node_end 1 2 3 4 5
}

# The limit is for the first lead. Both have gone when it is over.
killed_supervisor_that_led_has_no_limit_any_more() {
    local supervisor

    lead 3 && run_on 3 -t 2s "$stamp" "$cluster/stamps" && stamped 1 &&
        supervisor=$(supervisor_of 3) && node_kill9 3 && kill -9 "$supervisor" &&
        agree 2 1 2 && exits 1 ask 2 -q -t 2500ms wait no-leader &&
        node_start 3 && stamped 2
}

it_waits_for_the_daemon() {
    run_on 5 --even-if-two echo ran >"$cluster/said" && supervisor_of 5 >/dev/null &&
        node_start 5 || return
    wait "${run_pid[5]}"
    is 'status' 0 $? && is 'output' ran "$(cat "$cluster/said")"
}

# handover STATUS: web3 resigns, where the command of a supervisor exits so when
# it is told to end; sets `took_ms`, until another host runs its command.
handover() {
    local began resigned

    lead 3 && run_on 1 "$stamp" "$cluster/stamps" &&
        run_on 2 "$stamp" "$cluster/stamps" &&
        run_on 3 --margin 100ms sh -c "trap 'exit $1' TERM
            while :; do sleep 0.01; done" && supervisor_of 3 >/dev/null || return
    resigned=$("$kill9")
    # shellcheck disable=SC2086 # FIRST is a command in words
    $FIRST "$electctl" -s "$cluster/3.sock" -q resign && wait "${run_pid[3]}"
    is 'status' 75 $? && stamped 1 || return
    began=$(cut -d ' ' -f 1 "$cluster"/stamps/*)
    took_ms=$(((10#$began - resigned) / 1000000))
}

# electd hands over at once if nothing is left, and else after the deadline: it
# is at least two thirds of the time away that this is given for. The lease is
# long, as a term takes a busy disk half a second.
supervised_command_says_whether_something_is_left() {
    local until=$((SECONDS + seconds_max)) took_ms early_ms lease_ms=5000

    early_ms=$((lease_ms * 79 / 110 * 2 / 5))
    handover 1 && [ "$took_ms" -ge "$early_ms" ] ||
        complain "handed over after $took_ms ms" || return
    until handover 0 && [ "$took_ms" -lt "$early_ms" ]; do
        [ "$SECONDS" -lt "$until" ] || complain 'never hands over early' || return
    done
}

check command_that_cannot_be_started_now_is_started_later
check it_runs_on_the_leader_and_moves_with_it
check command_that_is_deaf_is_killed_in_time
check command_that_is_stopped_ends_when_it_is_told_to
check killed_supervisor_takes_the_command_along
check killed_electctl_takes_all_along
check both_killed_take_the_command_along
check killed_supervisor_that_led_has_no_limit_any_more
check killed_daemon_moves_it
check stopped_host_has_no_command_when_another_leads
check nothing_begins_beside_a_leader_that_nobody_hears
check signals_are_passed_on
check one_that_waits_ends_at_once
check margin_is_for_a_supervisor
check margin_must_leave_time_for_the_command
check what_is_ignored_does_not_matter
check command_runs_again_when_the_lead_was_lost_for_a_moment
check it_waits_for_the_daemon
check supervised_command_says_whether_something_is_left
check_end
