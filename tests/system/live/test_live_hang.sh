#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The checks that electctl has of its own, on real daemons: a disk that hangs so
# that no signal ends who waits for it, and a pressure. Takes 14 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_checks.sh
. tests/system/live/live_checks.sh
# shellcheck source=tests/system/live/live_hang.sh
. tests/system/live/live_hang.sh

# of_disk [TIMEOUT]: the check of the disk.
of_disk() {
    echo "{ name = \"data\"; disk = \"$disk\"; interval = \"100ms\";
      timeout = \"${1-200ms}\"; $once }"
}

# three: a cluster of three; 3 leads, and has checks.
three() {
    fresh && hang_begin && checks 3 "$(of_disk)" && node_run 1 "$cluster/electd.conf" &&
        node_run 2 "$cluster/electd.conf" && node_run 3 "$cluster/3.conf" &&
        watch_open 1 2 3 && helper_start 3 && led_by 3 1 2 3
}

thaw() {
    fsfreeze -u "$disk" && awaits "$seconds_max" waits 0 &&
        led_by 3 1 2 3 && is 'files' '' "$(ls -A "$disk")"
}

leader_whose_disk_takes_writes_leads_on() {
    three && status_becomes 3 'health   1 check, all pass' &&
        is 'files' '' "$(ls -A "$disk")"
}

leader_whose_disk_hangs_hands_over() {
    fsfreeze -f "$disk" && led_by 2 1 2 3 &&
        fault_is 3 'check data: (timed out|cannot be killed): opening a file in' \
            1 2 3 &&
        logged 3 'is on standby: check data: timed out: opening a file in' &&
        awaits "$seconds_max" waits 1 && thaw
}

# Each of the other lists has a check in place of the one that hangs.
one_process_waits_for_a_disk() {
    fsfreeze -f "$disk" && awaits "$seconds_max" waits 1 &&
        led_by 2 1 2 3 && renew 3 "$(of_disk 300ms)" && renew 3 "$(of_disk 400ms)" &&
        fault_is 3 'check data: cannot be killed' 3 && waits 1 && thaw
}

# The process that it leaves behind has no connection to the daemon.
helper_that_ends_leaves_the_disk_alone() {
    local pid=${helper_pid[3]}

    fsfreeze -f "$disk" && awaits "$seconds_max" waits 1 || return
    kill "$pid"
    timeout "$seconds_max" tail -s 0.02 --pid="$pid" -f /dev/null ||
        complain 'it waits for the disk' || return
    helper_end 3
    fault_is 3 'checks: .electctl checks. does not run' 1 2 3 && waits 1 &&
        helper_start 3 && fault_is 3 'check data: timed out' 1 2 3 && thaw
}

full_disk_is_at_fault() {
    head -c 32M /dev/zero >"$disk/fill" 2>/dev/null
    sync "$disk/fill"
    head -c 1M /dev/zero >>"$disk/fill" 2>/dev/null
    led_by 2 1 2 3 &&
        fault_is 3 'check data: exited 1: (write|sync|open): No space left' 3 &&
        rm "$disk/fill" && led_by 3 1 2 3
}

# Somebody has made the name before.
file_system_without_nameless_files_will_do() {
    echo precious >"$cluster/precious"
    helper_end 3
    ln -s "$cluster/precious" "$disk/.electctl-checks"
    LD_PRELOAD=$(realpath "$tools/preload/oldfs.so") helper_start 3 &&
        led_by 3 1 2 3 && status_becomes 3 'health   1 check, all pass' &&
        is 'files' '' "$(ls -A "$disk")" &&
        is 'what it pointed to' precious "$(cat "$cluster/precious")"
    # shellcheck disable=SC2015 # whatever became of that
    rm -f "$disk/.electctl-checks" &&
        mkdir "$disk/.electctl-checks" &&
        fault_is 3 'check data: exited 1: open: File exists' 1 2 3 &&
        rmdir "$disk/.electctl-checks" && led_by 3 1 2 3
}

# pressed TEXT: what the kernel says to the helper from now on.
pressed() {
    echo 'some avg10=99.00 avg60=0.00 avg300=0.00 total=0' >"$cluster/pressure"
    echo "full avg10=$1 avg60=0.00 avg300=0.00 total=0" >>"$cluster/pressure"
}

# The helper sees another file in the place of the kernel's.
host_without_memory_hands_over() {
    pressed 0.00
    helper_end 3
    renew_memory && led_by 3 1 2 3 && pressed 61.20 && led_by 2 1 2 3 &&
        fault_is 3 'check memory: exited 1: full avg10=61.20, limit 60' 1 2 3 &&
        pressed 60.00 && led_by 3 1 2 3
}

renew_memory() {
    checks 3 '{ name = "memory"; pressure = "memory"; interval = "100ms";
        rise = 1; fall = 1; }' && exits 0 ask 3 reload || return
    unshare -m --propagation private sh -c 'mount --bind "$1" \
        /proc/pressure/memory && exec "$2" -s "$3" checks' - \
        "$cluster/pressure" "$electctl" "$cluster/3.sock" </dev/null \
        >>"$cluster/3.helper.log" 2>&1 &
    helper_pid[3]=$!
}

missing_directory_is_a_warning() {
    checks 3 '{ name = "data"; disk = "/etc/gone"; },
        { name = "root"; disk = "/"; }' &&
        exits 0 "$electd" -t -i 3 -c "$cluster/3.conf" &&
        has 'warning' 'warning: checks: data: there is no /etc/gone' "$said" &&
        exits 1 grep root: <<<"$said"
}

# Those of electd-recipes(7).
checks_of_the_manual_make_sense() {
    awk '/^\.Ss A disk that hangs/ { on = 1 }
        on && /^\.Ed/ { exit } on && text; on && /^\.Bd/ { text = 1 }' \
        daemon/man/electd-recipes.7 | cat "$cluster/electd.conf" - \
        >"$cluster/3.conf"
    has 'checks' 'disk = ' "$(<"$cluster/3.conf")" &&
        exits 0 "$electd" -t --file-only -i 3 -c "$cluster/3.conf"
}

why=$(can_freeze) && why=$(can_have_mounts) || { echo "skip: $why"; exit 77; }
check leader_whose_disk_takes_writes_leads_on
check leader_whose_disk_hangs_hands_over
check one_process_waits_for_a_disk
check helper_that_ends_leaves_the_disk_alone
check full_disk_is_at_fault
check file_system_without_nameless_files_will_do
check host_without_memory_hands_over
check missing_directory_is_a_warning
check checks_of_the_manual_make_sense
helpers_end
check_end
