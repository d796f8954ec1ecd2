#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What real daemons on loopback did is done once more by electsim, bit for bit:
# through kill -9 of a leader, a stopped process, a resignation, other settings
# and keys, and a restart. electctl fetches the tapes; SIGUSR1 and a failed
# assertion write them to the state directory. No key is in them.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

electsim=$BUILD/electsim

# dump ID...: fetches the tapes of these nodes.
dump() {
    local id

    for id in "$@"; do
        ask "$id" record --dump "$cluster/$id.tape" || return
    done
}

# replays FILE...: fails unless electsim does the same as each of these tapes.
replays() {
    exits 0 "$electsim" replay "$@" || return
    is 'tapes that are the same' $# \
        "$(grep -c 'inputs, the same actions$' <<<"$said")"
}

# await_file FILE: waits until it is there.
await_file() {
    local until=$((SECONDS + seconds_max))

    until [ -e "$1" ]; do
        [ $SECONDS -lt $until ] || complain "no $1" || return
        pause
    done
}

five_daemons_are_replayed() {
    fresh && cluster_start 5 1 2 3 4 5 && settle 1 2 3 4 5 &&
        dump 1 2 3 4 5 && replays "$cluster"/[1-5].tape || return
    exits 0 "$electsim" replay --trace "$cluster"/[1-5].tape &&
        has 'the trace' ' five #[0-9]+ SESSION [0-9]+ from 1, ' "$said" &&
        has 'the trace' 'says leader 5 in term' "$said"
}

kill_9_of_the_leader_is_replayed() {
    node_kill9 5 && agree 4 1 2 3 4 && settle 1 2 3 4 &&
        dump 1 2 3 4 && replays "$cluster"/[1-4].tape || return
    exits 0 "$electsim" replay --trace "$cluster"/[1-4].tape &&
        has 'the trace' 'DIED [0-9]+ from 5' "$said" &&
        has 'the trace' 'says leader 4 in term' "$said"
}

a_stopped_process_is_replayed() {
    node_stop 4 && agree 3 1 2 3 || return
    node_continue 4 && agree 4 1 2 3 4 &&
        settle 1 2 3 4 && dump 1 2 3 4 && replays "$cluster"/[1-4].tape &&
        exits 0 "$electsim" replay --trace "$cluster/4.tape" &&
        has 'the trace' 'says stalled for [0-9]+ ms' "$said"
}

a_restart_is_replayed() {
    node_start 5 && watch_open 5 && agree 5 1 2 3 4 5 &&
        settle 1 2 3 4 5 && dump 1 2 3 4 5 && replays "$cluster"/[1-5].tape
}

what_an_operator_does_is_replayed() {
    ask 5 -q resign && agree 4 1 2 3 4 5 && ask 5 -q rejoin &&
        agree 5 1 2 3 4 5 && ask 3 -q standby --reason 'a test' &&
        ask 2 -q elect && agree 5 1 2 3 4 5 && settle 1 2 3 4 5 || return
    dump 1 2 3 4 5 && replays "$cluster"/[1-5].tape &&
        exits 0 "$electsim" replay --trace "$cluster/5.tape" &&
        has 'the trace' 'an operator wants another leader' "$said"
}

# Node 1 reads its files again, and gives the settings to the others.
other_settings_and_keys_are_replayed() {
    new_key "$cluster/next.key" || return
    sed -i "s|key_file = \"$cluster/key\";|& old_key_file = \"$cluster/next.key\";|" \
        "$cluster/electd.conf"
    setting 'config_version = 7;'
    ask 1 -q reload && settle 1 2 3 4 5 && dump 1 2 3 4 5 &&
        replays "$cluster"/[1-5].tape &&
        exits 0 "$electsim" replay --trace "$cluster"/[12].tape &&
        has 'the trace' ' two #[0-9]+ other settings come into' "$said" &&
        has 'the trace' ' one #[0-9]+ the keys are others, two' "$said"
}

no_key_is_in_a_tape() {
    local id key tape

    key=$(base64 -d "$cluster/key" | od -An -v -tx1 | tr -d ' \n')
    is 'digits of a key' 64 ${#key} || return
    for id in 1 2 3 4 5; do
        tape=$(od -An -v -tx1 "$cluster/$id.tape" | tr -d ' \n')
        [[ $tape != *"$key"* ]] ||
            complain "the key is in the tape of $id" || return
    done
}

a_diagram_of_all_tapes_is_drawn() {
    exits 0 "$electsim" replay --svg "$cluster/all.svg" \
        "$cluster"/[1-5].tape &&
        has 'the diagram' '<title>ELECTION' "$(cat "$cluster/all.svg")"
}

sigusr1_writes_the_tape() {
    kill -USR1 "${daemon_pid[2]}" &&
        await_file "$cluster/state/loopback-2.tape" &&
        replays "$cluster/state/loopback-2.tape" &&
        is 'the mode' 600 "$(stat -c %a "$cluster/state/loopback-2.tape")"
}

# A failed assertion is this signal.
an_abort_writes_the_tape() {
    kill -ABRT "${daemon_pid[1]}"
    { node_gone 1; } 2>/dev/null
    await_file "$cluster/state/loopback-1.abort.tape" &&
        replays "$cluster/state/loopback-1.abort.tape"
}

# Markers, and pulls of what other nodes have.
a_snapshot_is_replayed() {
    exits 0 ask 5 -q snapshot && dump 1 2 3 4 5 &&
        replays "$cluster"/[1-5].tape &&
        exits 0 "$electsim" replay --trace "$cluster/5.tape" &&
        has 'the trace' 'a client wants a snapshot' "$said" &&
        has 'the trace' 'has [0-9]+ bytes of what 1 keeps' "$said"
}

# Votes, leases, the deadline of a client and the disks of a majority.
the_same_goes_for_a_quorum() {
    quorum 3 && cluster_start 3 1 2 3 && settle 1 2 3 &&
        node_kill9 3 && agree 2 1 2 && node_start 3 && watch_open 3 &&
        agree 3 1 2 3 && settle 1 2 3 && exits 0 ask 3 -q is-leader --deadline &&
        dump 1 2 3 && replays "$cluster"/[123].tape || return
    exits 0 "$electsim" replay --trace "$cluster"/[123].tape &&
        has 'the trace' 'promise [1-9]' "$said" &&
        has 'the trace' 'the state is durable' "$said" &&
        has 'the trace' 'a client asks for the deadline' "$said"
}

a_node_is_not_recorded_by_its_settings() {
    fresh && setting 'record = false;' && node_start 1 &&
        exits 6 ask 1 record --dump "$cluster/no.tape" &&
        has 'the complaint' 'not recorded: by its settings' "$said" &&
        [ ! -e "$cluster/no.tape" ]
}

for name in five_daemons_are_replayed kill_9_of_the_leader_is_replayed \
    a_stopped_process_is_replayed a_restart_is_replayed \
    what_an_operator_does_is_replayed other_settings_and_keys_are_replayed \
    a_snapshot_is_replayed no_key_is_in_a_tape a_diagram_of_all_tapes_is_drawn \
    sigusr1_writes_the_tape an_abort_writes_the_tape the_same_goes_for_a_quorum \
    a_node_is_not_recorded_by_its_settings; do
    check "$name"
done
check_end
