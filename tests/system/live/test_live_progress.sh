#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `electctl run --progress` on real daemons: a command that makes no progress
# costs its host the lead. Takes 25 s.
# shellcheck disable=SC2016,SC2317 # for sh; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

# run_all WORD...: electctl run of stamps that make progress, on each host, with
# these options.
run_all() {
    local id

    for id in 1 2 3; do
        run_on "$id" --progress 500ms "$@" "$stamp" "$cluster/stamps" beats ||
            return
    done
}

# lead: three nodes, of which 3 leads, and runs its command.
lead() {
    run_end
    quorum 3 && cluster_start 3 1 2 3 && voters_are 3 1 2 3 && run_all "$@" &&
        stamped 1
}

# hangs: the command of 3 is stopped, so 2 leads, and runs it.
hangs() {
    command=$(command_of 3) && kill -STOP "$command" && led_by 2 1 2 3 &&
        gone "$command" && stamped 2 && apart
}

# The limit comes twice at least while that lasts.
command_that_makes_progress_runs_on() {
    lead && command=$(command_of 3) && began=$(boot_ms) || return
    until [ "$(boot_ms)" -gt $((began + 1200)) ]; do pause; done
    lives "$command" && is 'commands' 1 "$(commands_count)" &&
        status_has 3 $'\n''leader   web3 '
}

command_that_is_stopped_costs_the_lead() {
    hangs && fault_is 3 'stamp made no progress for 0.5 s' 1 2 3 &&
        logged 3 'is on standby: stamp made no progress for 0.5 s' &&
        has 'what it says' 'made no progress for 0.5 s: .* is told to end' \
            "$(cat "$cluster/3.run")" &&
        has 'what it says' 'waits until it leads again' "$(cat "$cluster/3.run")"
}

# ticks PID: the time of a processor that it has taken, in hundredths of a second.
ticks() {
    local fields

    read -r -a fields <"/proc/$1/stat" && echo $((fields[13] + fields[14]))
}

# A second is over, for which a command waits before it starts once more.
supervisor_that_waits_for_the_lead_sleeps() {
    local supervisor began before took

    supervisor=$(supervisor_of 3) && before=$(ticks "$supervisor") || return
    began=$(boot_ms)
    until [ "$(boot_ms)" -gt $((began + 2000)) ]; do pause; done
    took=$(($(ticks "$supervisor") - before))
    [ "$took" -lt 10 ] || complain "it took $took hundredths of a second"
}

operator_lets_the_node_lead_again() {
    exits 0 ask 3 rejoin && led_by 3 1 2 3 && stamped 3 && apart
}

command_runs_again_where_nobody_else_can_lead() {
    exits 0 ask 1 standby --reason away && exits 0 ask 2 standby --reason away &&
        fault_is 1 away 3 && fault_is 2 away 3 && command=$(command_of 3) && kill -STOP "$command" &&
        gone "$command" && stamped 4 && apart &&
        has 'what it says' 'this node does not resign: no other node can lead' \
            "$(cat "$cluster/3.run")" && status_has 3 $'\n''leader   web3 '
}

# The one that serves a service manager ends with its command.
single_process_does_so_too() {
    lead --margin 50ms && command=$(child_of "${run_pid[3]}") &&
        kill -STOP "$command" && led_by 2 1 2 3 && gone "$command" &&
        stamped 2 && apart && wait "${run_pid[3]}"
    is 'status' 75 $?
}

# Messages of a child of the command count, and those of others do not.
messages_must_be_of_the_command() {
    local name

    run_end
    quorum 3 && cluster_start 3 1 2 3 && voters_are 3 1 2 3 &&
        run_on 3 --progress 500ms sh -c 'echo "$NOTIFY_SOCKET" >"$1.new" &&
            mv "$1.new" "$1"; "$2" "$3" beats & wait' - "$cluster/name" \
            "$stamp" "$cluster/stamps" && stamped 1 &&
        command=$(child_of "$(command_of 3)") || return
    name=$(<"$cluster/name")
    kill -STOP "$command"
    NOTIFY_SOCKET=$name WATCHDOG_USEC=500000 ELECTD_NODE=other ELECTD_TERM=1 \
        "$stamp" "$cluster" beats &
    led_by 2 1 2 3 && fault_is 3 'sh made no progress for 0.5 s' 1 2 3
    set -- $?
    { kill -KILL $! && wait $!; } 2>/dev/null
    return "$1"
}

leader_of_a_part_does_so_too() {
    run_end
    fresh && cluster_start 3 1 2 3 &&
        run_on 3 --even-if-two --progress 500ms "$stamp" "$cluster/stamps" \
            beats && awaits "$seconds_max" compgen -G "$cluster/stamps/three*" &&
        command=$(command_of 3) &&
        kill -STOP "$command" && led_by 2 1 2 3 &&
        fault_is 3 'stamp made no progress for 0.5 s' 1 2 3 && gone "$command"
}

# The script of electd-recipes(7), whose jobs end until one hangs.
script_of_the_manual_does_so() {
    local script job

    run_end
    quorum 3 && cluster_start 3 1 2 3 && voters_are 3 1 2 3 || return
    script=$cluster/scheduler job=$cluster/job
    : >"$job.ran"
    awk '/^\.Ss A command that makes progress/ { on = 1 }
        on && /^\.Ed/ { exit } on && text; on && /^\.Bd/ { text = 1 }' \
        daemon/man/electd-recipes.7 | sed "s|/usr/local/bin/next-job|$job|" \
        >"$script"
    printf '%s\n' '#!/bin/sh' "echo >>$job.ran" \
        "[ ! -e $job.hangs ] || kill -STOP \$\$" >"$job"
    chmod +x "$script" "$job"
    has 'script' '#!/bin/sh.*systemd-notify WATCHDOG=1' "$(<"$script")" &&
        run_on 3 --progress 2s "$script" &&
        awaits "$seconds_max" jobs_ran 20 && touch "$job.hangs" &&
        led_by 2 1 2 3 &&
        fault_is 3 'scheduler made no progress for 2 s' 1 2 3
}

jobs_ran() {
    [ "$(wc -l <"$cluster/job.ran")" -ge "$1" ]
}

# At once, and not when the command hangs.
user_who_may_not_steer_is_told_so() {
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" &&
        exits 4 as_nobody "$cluster/electctl" -s "$cluster/3.sock" run \
            --even-if-two --progress 5s true &&
        has 'why' 'run: --progress: .*admin.sock: Permission denied' "$said"
}

check command_that_makes_progress_runs_on
check command_that_is_stopped_costs_the_lead
check supervisor_that_waits_for_the_lead_sleeps
check operator_lets_the_node_lead_again
check command_runs_again_where_nobody_else_can_lead
check single_process_does_so_too
check messages_must_be_of_the_command
check leader_of_a_part_does_so_too
if command -v systemd-notify >/dev/null; then
    check script_of_the_manual_does_so
else
    echo 'skip script of the manual does so: no systemd-notify'
fi
as_root user_who_may_not_steer_is_told_so
run_end
check_end
