#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# How soon does another node lead when a check of the leader has failed? From the
# last that the command does before it exits to the event of the next leader, at
# that leader: three daemons on loopback, each with its helper. Then the stalls
# and suspicions of the daemons, which the checks must not cause.
#
# usage: checks.sh
# TRIALS (50), of each guarantee. BUILD: where the programs are.
# shellcheck disable=SC2154 # of live.sh
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/../system/live/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_checks.sh
. tests/system/live/live_checks.sh

: "${TRIALS:=50}"

# begin: three hosts with a check each; 3 leads, and no client has a deadline.
begin() {
    local id

    helpers_end
    if [ "$1" = quorum ]; then quorum 3; else fresh; fi || return
    for id in 1 2 3; do
        checks "$id" "{ name = \"sick\"; interval = \"100ms\"; timeout = \"10s\";
            rise = 1; fall = 1;
            command = [\"$(realpath "$tools/sick")\", \"$cluster/$id.sick\"]; }" &&
            node_run "$id" "$cluster/$id.conf" || return
    done
    watch_open 1 2 3
    helper_start 1 2 3
    agree 3 1 2 3 && settle 1 2 3
}

# trial: prints ns. The leader has led for a lease before, as leaders have.
trial() {
    exits 1 ask 1 -q -t "${lease_ms}ms" wait no-leader || return
    : >"$cluster/3.sick"
    watch_leader 2 2 || return
    echo $((moment - $(head -n 1 "$cluster/3.sick")))
    rm "$cluster/3.sick"
    agree 3 1 2 3 && settle 1 2 3
}

# sums: n, median and maximum of what comes.
sums() {
    sort -n | awk '{ ns[NR] = $1 }
        END { printf "n %d  median %.2f ms  max %.2f ms\n", NR,
            (ns[int((NR + 1) / 2)] + ns[int(NR / 2) + 1]) / 2e6, ns[NR] / 1e6 }'
}

for guarantee in component quorum; do
    begin "$guarantee" || exit
    for ((i = 0; i < TRIALS; i++)); do
        trial || exit
    done >"$cluster/trials"
    printf '%-10s' "$guarantee"
    sums <"$cluster/trials"
    for id in 1 2 3; do
        echo "  node $id: stalls $(count "$id" stalls)," \
            "suspicions $(count "$id" suspicions)"
    done
done
helpers_end
live_end
