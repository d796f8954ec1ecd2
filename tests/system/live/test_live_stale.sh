#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Three real daemons under the guarantee "quorum", whose leader is stopped
# (SIGSTOP) amid the questions of busy clients and goes on once another leads:
# it never says yes to a question that comes after another node said yes.
# STOPS: how often it is stopped, at each lease (10 and 3).
# Takes 12 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

busy=4 gentle=2

# stops N MS: stops the leader N times at a lease of MS. No node preempts
# another, so that the first election is the one to wait for.
stops() {
    local lease_ms=$2 beat_ms=20 id nodes=()

    quorum 3 && setting 'preempt = "never";' || return
    node_start 1 2 3 || return
    for id in 1 2 3; do
        stalls_wanted[$id]=yes
        nodes+=("${daemon_pid[$id]}" "$cluster/$id.sock")
    done
    "$tools/stale" "$1" "$busy" "$gentle" "${nodes[@]}" >"$cluster/said" ||
        complain 'it said yes' || sed 's/^/    /' "$cluster/said" | head -n 8
    echo "    $(tail -n 1 "$cluster/said")"
    ! grep -q '^stale' "$cluster/said" && node_end 1 2 3
}

no_stale_yes_at_a_lease_of_200_ms() {
    stops "${STOPS:-10}" 200
}

no_stale_yes_at_a_lease_of_2_s() {
    stops "${STOPS:-3}" 2000
}

check no_stale_yes_at_a_lease_of_200_ms
check no_stale_yes_at_a_lease_of_2_s
check_end
