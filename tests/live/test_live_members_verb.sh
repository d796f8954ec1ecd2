#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Real daemons whose members an operator changes with `electctl members`, under
# both guarantees.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/live/live_editions.sh
. tests/live/live_editions.sh

# address N: that of the Nth node, as install() gives it.
address() {
    echo "$LOOPBACK.7.1:742$1"
}

# cluster_of GUARANTEE: web1 to web3, which follow web3.
cluster_of() {
    guarantee=$1 generation=0 members='1 2 3'
    fresh && install 1 2 3 && prepare 1 2 3 && run 1 2 3 &&
        agree 3 1 2 3 && settle 1 2 3
}

# prepare ID...: makes their state files, where a vote needs one.
prepare() {
    local id

    [ "$guarantee" = quorum ] || return 0
    for id in "$@"; do
        exits 0 "$electd" --init-state -c "$cluster/$id.conf" -i "$id" ||
            return
    done
}

# newcomer ID: its host has the settings in effect at node 1, and its own.
newcomer() {
    install "$1" && {
        ask 1 config && sed -n '/^security/,$p' "$cluster/$1.conf"
    } >"$cluster/new" && mv "$cluster/new" "$cluster/$1.conf" &&
        prepare "$1" && run "$1"
}

# Asks a follower.
a_member_is_added_and_starts_with_what_config_prints() {
    cluster_of "$1" && exits 0 ask 1 members add 4 web4 "$(address 4)" \
        priority=-1 &&
        is 'what it says' 'added web4 (4), generation 1; install a file with generation 1 on all hosts: `electctl config` prints it' \
            "$said" &&
        generation=1 && becomes generation 1 1 2 3 && newcomer 4 &&
        agree 3 4 && in_effect 1 2 3 4
}

check_both() {
    local guarantee_now

    for guarantee_now in component quorum; do
        both() { "$name" "$guarantee_now"; }
        name=$1
        echo "  $guarantee_now:"
        eval "${1}_under_$guarantee_now() { $1 $guarantee_now; }"
        check "${1}_under_$guarantee_now"
    done
}

check_both a_member_is_added_and_starts_with_what_config_prints
check_end
