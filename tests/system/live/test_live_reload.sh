#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons that read their configuration again, while they lead and follow.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

# keys NEW OLD: sets both keys in the configuration, by their file names.
keys() {
    sed -i '/^security/d' "$cluster/electd.conf"
    setting "security = { key_file = \"$cluster/$1\"; old_key_file = \"${2:+$cluster/$2}\"; };"
}

# reload_each: every node reads the file.
reload_each() {
    local id

    for id in 1 2 3; do
        exits 0 ask "$id" reload || return
    done
}

# counted: what a reload must not change, of all nodes.
counted() {
    local id

    for id in 1 2 3; do
        ask "$id" -o kv stats | grep -E '^(elections|changes|suspicions)='
        ask "$id" -o kv status | grep -E '^(term|leader_id|since_ms)=' |
            grep -v since
    done
}

keys_change_and_no_session_ends() {
    local before

    quorum 3 && new_key "$cluster/new-key" &&
        node_start 1 2 3 && settle 1 2 3 && before=$(counted) || return
    keys key new-key && reload_each && keys new-key key && reload_each &&
        keys new-key '' && reload_each && rm "$cluster/key" &&
        is 'the cluster' "$before" "$(counted)" &&
        logged 1 'reload: changed: security.old_key_file'
}

# Its last will bears the new key. A heartbeat may meet the closed port first,
# so there are a few deaths.
the_death_of_the_leader_is_noticed_at_once_all_the_same() {
    local round

    watch_open 1 2 3
    for round in 1 2 3 4 5; do
        agree 3 1 2 3 && node_kill9 3 && watch_leader 1 2 &&
            has 'why' '"reason":"(died|refused):3"' "$event" &&
            node_start 3 && watch_open 3 || return
        [[ $event != *'"reason":"died:3"'* ]] || break
    done
    has 'why' '"reason":"died:3"' "$event" && agree 3 1 2 3 && settle 1 2 3
}

a_node_that_starts_then_joins_with_the_new_key() {
    node_end 1 && node_start 1 && settle 1 2 3
}

a_new_key_in_the_same_file_is_noticed() {
    new_key "$cluster/new-key" &&
        exits 0 ask 1 reload && is 'what has changed' \
            'changed: the keys in the key files; the first key is unknown to web2, web3' "$said" &&
        exits 0 ask 1 reload && is 'what has changed' \
            'the file and its keys are already in effect' "$said" && exits 0 ask 2 reload &&
        exits 0 ask 3 reload && settle 1 2 3
}

names_change_and_so_do_logs_and_answers() {
    sed -i 's/"web2"/"renamed"/' "$cluster/electd.conf" &&
        exits 0 ask 3 reload && is 'what has changed' \
            'changed: name of web2' "$said" &&
        has 'peers' 'renamed' "$(ask 3 peers)" && settle 1 2 3
}

# It goes to another port, while the others go on.
a_node_moves_to_another_address() {
    local before

    before=$(ask 3 -o kv status | grep '^term=') &&
        sed -i '/id = 1;/s/:7421/:7431/' "$cluster/electd.conf" &&
        exits 6 ask 1 reload && has 'what needs a restart' \
            'address of web1' "$said" && exits 0 ask 2 reload &&
        exits 0 ask 3 reload && node_end 1 && node_start 1 &&
        settle 1 2 3 && is 'the term' "$before" \
        "$(ask 3 -o kv status | grep '^term=')"
}

every_error_is_listed_and_nothing_changes() {
    local before i

    cp "$cluster/electd.conf" "$cluster/right" && before=$(counted) || return
    for ((i = 1; i <= 12; i++)); do
        setting "wrong$i = 1;"
    done
    exits 8 ask 2 reload && is 'errors' 12 "$(grep -c 'wrong[0-9]' <<<"$said")" &&
        logged 2 'error: reload: .*: wrong12: ' &&
        logged 2 'is wrong; nothing has changed' &&
        cp "$cluster/right" "$cluster/electd.conf" &&
        is 'the cluster' "$before" "$(counted)"
}

what_all_hosts_must_share_is_named_and_does_not_change() {
    sed -i 's/misses = 3/misses = 4/; s/"web3"/"third"/' \
        "$cluster/electd.conf" && exits 6 ask 2 reload &&
        has 'what must agree' 'timing.misses' "$said" &&
        ! grep -q 'name of' <<<"$said" &&
        is 'json' 'all hosts must agree on this: raise config_version, or see CHANGING A CLUSTER in electd-operating(7); nothing has changed' \
            "$(ask 2 -o json reload 2>/dev/null |
                sed -n 's/^{"error":"reload: \(.*\)","code":6,"details":\["timing.misses.*$/\1/p')" &&
        has 'peers' 'web3' "$(ask 2 peers)" &&
        cp "$cluster/right" "$cluster/electd.conf"
}

# The others may give it the settings that they have, at once.
a_hangup_reloads() {
    sed -i 's/"web3"/"third"/' "$cluster/electd.conf" &&
        kill -HUP "${daemon_pid[2]}" &&
        log_comes_to 2 'reload: changed: name of web3' &&
        logged 2 'reload: reading .* on SIGHUP'
}

a_key_that_others_may_read_is_refused() {
    chmod 644 "$cluster/new-key" && exits 8 ask 2 reload &&
        has 'why' 'new-key' "$said" && chmod 600 "$cluster/new-key" &&
        exits 0 ask 2 reload
}

other_users_may_not_reload() {
    chmod 711 "$cluster" && exits 4 as_nobody "$electctl" -s \
        "$(find "$cluster" -name '*2.sock' ! -name '*admin*')" reload
}

check keys_change_and_no_session_ends
check the_death_of_the_leader_is_noticed_at_once_all_the_same
check a_node_that_starts_then_joins_with_the_new_key
check a_new_key_in_the_same_file_is_noticed
check names_change_and_so_do_logs_and_answers
check a_node_moves_to_another_address
check every_error_is_listed_and_nothing_changes
check what_all_hosts_must_share_is_named_and_does_not_change
check a_hangup_reloads
check a_key_that_others_may_read_is_refused
as_root other_users_may_not_reload
check_end
