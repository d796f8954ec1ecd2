#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons whose key changes step by step, as electd.conf(5) describes, and
# what `electctl key` says after each step, also while a host is left behind.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# keys NEW OLD: sets both keys in the configuration, by their file names.
keys() {
    sed -i "s|^security.*|security = { key_file = \"$cluster/$1\"; \
old_key_file = \"${2:+$cluster/$2}\"; };|" "$cluster/electd.conf"
}

# restart ID...: restarts one node after the other; each joins the others again.
restart() {
    local id

    for id in "$@"; do
        node_end "$id" && node_start "$id" && settle 1 2 3 || return
    done
}

# joined: makes one line of all.
joined() {
    tr -s ' \n' ' ' | sed 's/ $//'
}

# say STATUS STEPS PATTERN ID...: waits until `key` of each of these exits so,
# says whether the second key may be dropped and sent with (two words, or
# nothing), and ends with a verdict that matches.
say() {
    local status=$1 steps=$2 pattern=$3 id until=$((SECONDS + seconds_max))
    local got text

    shift 3
    for id in "$@"; do
        while :; do
            got=$(ask "$id" -o kv key | sed -n 's/^may_[a-z]*=//p' | joined)
            text=$(ask "$id" key)
            [[ $? -eq $status && $got == "$steps" && \
                $(sed -n '/^verdict/,$p' <<<"$text" | joined) =~ $pattern ]] &&
                break
            [ "$SECONDS" -lt "$until" ] ||
                complain "node $id says '$got', and: $text" || return
            pause
        done
    done
}

# status_says PATTERN ID...: waits until the verdict of these is DEGRADED by it.
status_says() {
    local pattern=$1 id

    shift
    for id in "$@"; do
        exit_becomes 1 ask "$id" status --check &&
            has "verdict of $id" "^DEGRADED  .* nodes up; .*$pattern" "$said" ||
            return
    done
}

every_host_shows_the_sum_of_its_key_file() {
    local id

    fresh && new_key "$cluster/new-key" &&
        sed -i -e '/{ id = [45];/d' -e '/id = 3;/s/,$//' \
            "$cluster/electd.conf" && node_start 1 2 3 && settle 1 2 3 ||
        return
    for id in 1 2 3; do
        is "the key of $id" "$(sha256sum <"$cluster/key" | cut -d ' ' -f 1)" \
            "$(kv "$id" keys_0_sha256 key)" || return
    done
    say 0 '' "^verdict all 2 peers send with $cluster/key$" 1 2 3
}

a_host_that_does_not_accept_the_new_key_is_named() {
    keys key new-key && restart 1 2 &&
        say 0 'true false' 'do not send with it, as three does not' 1 2 &&
        say 0 '' "all 2 peers send with $cluster/key$" 3
}

every_node_accepts_the_new_key() {
    restart 3 &&
        say 0 'true true' "key and accept $cluster/new-key: " 1 2 3
}

a_host_that_still_sends_with_the_old_key_is_named() {
    keys new-key key && restart 1 2 &&
        say 1 'false true' "three sends with $cluster/key: do not drop it" 1 2 &&
        say 1 'false true' "one, two send with $cluster/new-key: do not" 3
}

every_node_changes_to_the_new_key() {
    restart 3 &&
        say 0 'true true' "new-key and accept $cluster/key: " 1 2 3
}

a_host_that_is_down_counts_as_not_known() {
    node_end 3 && say 0 'false false' \
        "three is down and not known: neither drop $cluster/key nor send" 1 2 &&
        node_start 3 && settle 1 2 3
}

every_node_forgets_the_old_key() {
    keys new-key '' && restart 1 2 &&
        say 0 'true false' 'do not send with it, as one, two do not' 3 &&
        restart 3 && rm "$cluster/key" &&
        say 0 '' "^verdict all 2 peers send with $cluster/new-key$" 1 2 3
}

no_node_met_a_key_that_it_did_not_accept() {
    local id

    for id in 1 2 3; do
        ! grep "key" "$cluster/$id.log" || complain "node $id saw one" ||
            return
    done
}

# Its sessions go on, so nothing else tells that a restart parts it.
a_host_that_reloads_a_strange_key_is_named() {
    new_key "$cluster/strange" "$cluster/new-key" &&
        keys strange '' && exits 0 ask 2 reload &&
        has 'what it said' 'changed: the keys in the key files; the first key is unknown to one, three$' "$said" &&
        status_says 'two \(it sends with a key that this node does not have\)$' 1 3 &&
        status_says 'one \(it sends with a key that this node does not have\), three \(it ' 2 &&
        say 1 '' "two and this node do not accept each other's key" 1 3 &&
        say 1 '' "one, three and this node do not accept each" 2 &&
        exits 1 ask 1 -q key && is 'what it printed' '' "$said" &&
        keys new-key '' && exits 0 ask 2 reload &&
        say 0 '' 'all 2 peers' 1 2 3 && exits 0 ask 1 status --check
}

a_key_file_that_changes_changes_nothing_before_a_reload() {
    local before

    before=$(ask 1 -o kv key | grep '^keys_') &&
        cp "$cluster/strange" "$cluster/new-key" &&
        is 'the keys' "$before" "$(ask 1 -o kv key | grep '^keys_')" &&
        exits 0 ask 1 reload && say 1 '' 'two, three and this node' 1
}

# electd-operating(7), "A key was lost or leaked".
a_leaked_key_is_replaced_while_all_nodes_are_stopped() {
    node_end 1 2 3 && rm "$cluster/new-key" &&
        new_key "$cluster/new-key" &&
        node_start 1 2 3 && settle 1 2 3 && say 0 '' 'all 2 peers' 1 2 3
}

a_lost_key_is_replaced_while_all_nodes_run() {
    local id

    rm "$cluster/new-key" && exits 8 ask 1 reload &&
        new_key "$cluster/new-key" || return
    for id in 1 2 3; do
        exits 0 ask "$id" reload || return
    done
    say 0 '' 'all 2 peers' 1 2 3 && restart 1 2 3 &&
        say 0 '' 'all 2 peers' 1 2 3 && node_end 1 2 3
}

check every_host_shows_the_sum_of_its_key_file
check a_host_that_does_not_accept_the_new_key_is_named
check every_node_accepts_the_new_key
check a_host_that_still_sends_with_the_old_key_is_named
check every_node_changes_to_the_new_key
check a_host_that_is_down_counts_as_not_known
check every_node_forgets_the_old_key
check no_node_met_a_key_that_it_did_not_accept
check a_host_that_reloads_a_strange_key_is_named
check a_key_file_that_changes_changes_nothing_before_a_reload
check a_leaked_key_is_replaced_while_all_nodes_are_stopped
check a_lost_key_is_replaced_while_all_nodes_run
check_end
