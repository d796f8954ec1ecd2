#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# How soon does another node lead when a check of the leader has failed, to the
# event of the next leader, at that leader? Three daemons on loopback.
#   program   from the last that the command of a check does before it exits
#   disk      from when the disk of the check hangs, less the time of the check:
#             its interval and its timeout (as root)
#   progress  from when a command of `electctl run --progress` is stopped, which
#             said a millisecond before that it makes progress, less the time of
#             --progress
# Then the stalls and suspicions of the daemons, which the checks must not cause.
#
# usage: checks.sh
# TRIALS (50), of each guarantee; KINDS (all). BUILD: where the programs are.
# shellcheck disable=SC2154 # of live.sh
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/../system/live/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_checks.sh
. tests/system/live/live_checks.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh
# shellcheck source=tests/system/live/live_hang.sh
. tests/system/live/live_hang.sh

: "${TRIALS:=50}" "${KINDS:=program disk progress}"

# Each kind of trial has what the configuration says of the check, what is set up
# before and after the daemons start, what makes it fail, which prints when that
# was, in ns, and what mends it. less_ms: the time of the check.

program_check() {
    echo "{ name = \"sick\"; interval = \"100ms\"; timeout = \"10s\"; $once
        command = [\"$(realpath "$tools/sick")\", \"$cluster/$1.sick\"]; }"
}
program_begin() { less_ms=0; }
program_start() { helper_start 1 2 3; }
program_fail() { : >"$cluster/3.sick"; }
program_failed() { head -n 1 "$cluster/3.sick"; }
program_mend() { rm "$cluster/3.sick"; }

disk_check() {
    [ "$1" != 3 ] || echo "{ name = \"disk\"; disk = \"$disk\";
        interval = \"100ms\"; timeout = \"200ms\"; $once }"
}
disk_begin() {
    less_ms=300
    [ -d "${disk-}" ] || hang_begin
}
disk_start() { helper_start 3; }
disk_fail() { fsfreeze -f "$disk" && "$kill9" >"$cluster/failed"; }
disk_failed() { cat "$cluster/failed"; }
disk_mend() { fsfreeze -u "$disk"; }

progress_check() { :; }
progress_begin() { less_ms=300; }
progress_start() {
    run_on 3 --even-if-two --progress 300ms \
        env WATCHDOG_USEC=2000 "$stamp" "$cluster/stamps" beats
}
progress_fail() {
    local command

    command=$(command_of 3) && "$kill9" >"$cluster/failed" &&
        kill -STOP "$command"
}
progress_failed() { cat "$cluster/failed"; }
progress_mend() { exits 0 ask 3 rejoin; }

# begin KIND GUARANTEE: 3 leads, and no client has a deadline but the command.
begin() {
    local id

    helpers_end
    run_end
    if [ "$2" = quorum ]; then quorum 3; else fresh; fi || return
    "$1_begin"
    for id in 1 2 3; do
        checks "$id" "$("$1_check" "$id")" &&
            node_run "$id" "$cluster/$id.conf" || return
    done
    watch_open 1 2 3
    "$1_start"
    agree 3 1 2 3 && settle 1 2 3
}

# trial KIND: prints ns. The leader has led for a lease before, as leaders have.
trial() {
    exits 1 ask 1 -q -t "${lease_ms}ms" wait no-leader || return
    "$1_fail" || return
    watch_leader 2 2 || return
    echo $((moment - $("$1_failed") - less_ms * 1000000))
    "$1_mend"
    agree 3 1 2 3 && settle 1 2 3
}

# sums: n, median and maximum of what comes.
sums() {
    sort -n | awk '{ ns[NR] = $1 }
        END { printf "n %d  median %.2f ms  max %.2f ms\n", NR,
            (ns[int((NR + 1) / 2)] + ns[int(NR / 2) + 1]) / 2e6, ns[NR] / 1e6 }'
}

for kind in $KINDS; do
    if [ "$kind" = disk ] && ! why=$(can_freeze); then
        echo "skip disk: $why"
        continue
    fi
    for guarantee in component quorum; do
        begin "$kind" "$guarantee" || exit
        for ((i = 0; i < TRIALS; i++)); do
            trial "$kind" || exit
        done >"$cluster/trials"
        printf '%-9s%-10s' "$kind" "$guarantee"
        sums <"$cluster/trials"
        for id in 1 2 3; do
            echo "  node $id: stalls $(count "$id" stalls)," \
                "suspicions $(count "$id" suspicions)"
        done
    done
done
helpers_end
run_end
live_end
