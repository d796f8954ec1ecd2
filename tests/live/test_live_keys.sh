#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons whose key changes step by step, as electd.conf(5) describes.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/live/live.sh
. "$(dirname "$0")/live.sh"

# keys NEW OLD: sets both keys in the configuration, by their file names.
keys() {
    sed -i "s|^security.*|security = { key_file = \"$cluster/$1\"; \
old_key_file = \"${2:+$cluster/$2}\"; };|" "$cluster/electd.conf"
}

# restart_each: restarts one node after the other; each joins the others again.
restart_each() {
    local id

    for id in 1 2 3; do
        node_end "$id" && node_start "$id" && settle 1 2 3 || return
    done
}

every_node_accepts_the_new_key() {
    fresh && (umask 077 && "$electctl" keygen >"$cluster/new-key") &&
        node_start 1 2 3 && settle 1 2 3 && keys key new-key && restart_each
}

every_node_changes_to_the_new_key() {
    keys new-key key && restart_each
}

every_node_forgets_the_old_key() {
    keys new-key '' && restart_each && rm "$cluster/key"
}

no_node_met_a_key_that_it_did_not_accept() {
    local id

    for id in 1 2 3; do
        ! grep "key" "$cluster/$id.log" || complain "node $id saw one" ||
            return
    done
    node_end 1 2 3
}

check every_node_accepts_the_new_key
check every_node_changes_to_the_new_key
check every_node_forgets_the_old_key
check no_node_met_a_key_that_it_did_not_accept
check_end
