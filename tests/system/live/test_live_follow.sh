#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `electctl follow` on three real daemons: a command is told of every change,
# one run after the other, and of the end of a lead before another node leads.
# Takes 21 s.
# shellcheck disable=SC2016,SC2317 # for sh; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

# follow_on ID OPTION... COMMAND...: electctl follow on that host. All that has
# run there is a line of $cluster/ID.told.
follow_on() {
    local id=$1
    shift

    TOLD=$cluster/$id.told "$electctl" -s "$cluster/$id.sock" follow "$@" \
        2>>"$cluster/$id.run" &
    run_pid[$id]=$!
}

tells='echo "$ELECTD_STATE $ELECTD_LEADER" >>"$TOLD"'

# in_order ID LINE...: succeeds if these lines were told there in this order,
# with others between them, and the last one is the last.
in_order() {
    local file=$cluster/$1.told
    shift

    [ -e "$file" ] && [ "$(tail -n 1 "$file")" = "${*: -1}" ] &&
        printf '%s\n' "$@" | awk 'NR == FNR { wanted[++count] = $0; next }
            $0 == wanted[next_one + 1] { next_one++ }
            END { exit next_one < count }' - "$file"
}

# told ID LINE...: waits until these were told there.
told() {
    local until=$((SECONDS + seconds_max))

    until in_order "$@"; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "not told: ${*:2}, but: $(cat "$cluster/$1.told")" ||
            return
        pause
    done
}

# lead ID: starts three nodes; this one leads.
lead() {
    run_end
    quorum 3 && cluster_start "$1" 1 2 3 && voters_are 3 1 2 3
}

command_is_told_how_the_node_stands_and_of_each_change() {
    lead 3 && follow_on 3 --exec sh -c "$tells" &&
        follow_on 1 --exec sh -c "$tells" && told 3 'leader web3' &&
        told 1 'follower web3' && ask 3 -q resign &&
        told 3 'hands-over web3' 'follower web2' &&
        told 1 'follower web2' &&
        follow_on 2 --exec sh -c "$tells" && told 2 'leader web2' &&
        ask 2 -q resign && told 2 'hands-over web2' 'follower web1' &&
        told 1 'leader web1' && is 'who follows itself' '' "$(
            grep -E '^(follower|no-leader) web1' "$cluster/1.told")"
}

# key ID NAME: the value of this key of `is-leader` there.
key() {
    kv "$1" "$2" is-leader
}

# The leader wins each election, and does not cease to lead meanwhile: no end is
# told, and the token stays, by which nothing that it does is refused.
later_term_of_a_lead_is_no_end() {
    local token term

    lead 3 && follow_on 3 --exec sh -c "$tells"'
        echo "token $ELECTD_TOKEN" >>"$TOLD"' && token=$(key 3 token) &&
        term=$(key 3 term) && told 3 'leader web3' "token $token" &&
        awaits "$seconds_max" ask 3 -q elect && # the first settings go round
        told 3 'leader web3' 'leader web3' "token $token" &&
        is 'other states and tokens' '' "$(
            grep -vx -e 'leader web3' -e "token $token" "$cluster/3.told")" &&
        is 'the token at another host' "$token" "$(key 1 token)" &&
        is 'the token' "$token" "$(key 3 token)" || return
    [ "$(key 3 term)" -gt "$term" ] || complain 'no later term'
}

# The command is still at work when the lead is over: until then no other node
# leads, although the deadlines would be over.
end_of_a_lead_is_waited_for() {
    local until=$((SECONDS + seconds_max))

    lead 3 && mkfifo "$cluster/go" && follow_on 3 --exec sh -c "$tells"'
        [ "$ELECTD_STATE" != hands-over ] || read -r _ <'"$cluster/go"'
        echo done >>"$TOLD"' && told 3 'leader web3' 'done' || return
    ask 3 -q resign &
    told 3 'hands-over web3' && echo >"$cluster/go" &&
        told 3 'hands-over web3' 'done' 'follower web2' 'done' && wait $!
}

watch_tells_that_a_handover_begins_and_ends() {
    local watching watched

    lead 3 || return
    watched=$cluster/watched
    ask 3 watch >"$watched" 2>/dev/null &
    watching=$!
    awaits "$seconds_max" test -s "$watched" && ask 3 -q resign &&
        awaits "$seconds_max" grep -q ' handover: ends$' "$watched" &&
        awaits "$seconds_max" grep -q ' handover: begins$' "$watched"
    set -- $?
    kill "$watching"
    return "$1"
}

# Stops must not be lost, however short a lead was and however slow a command.
newest_state_wins_but_the_end_of_a_lead_is_told() {
    lead 3 && mkfifo "$cluster/go" && exec 8<>"$cluster/go" &&
        follow_on 1 --exec sh -c "$tells; read -r _ <&8" &&
        told 1 'follower web3' && ask 3 -q resign && ask 3 -q wait leader &&
        ask 2 -q resign && echo >&8 && told 1 'leader web1' &&
        has 'all' $'^follower web3\nleader web1$' "$(cat "$cluster/1.told")" &&
        ask 3 -q rejoin && ask 3 -q elect && printf '\n\n\n\n\n' >&8 &&
        told 1 'leader web1' 'follower web3' &&
        has 'the end' $'leader web1\n(hands-over|unknown)' \
            "$(cat "$cluster/1.told")" && exec 8>&-
}

# A stopped daemon renews no lease: it is told before the lease is over.
lead_in_doubt_is_told() {
    lead 3 && follow_on 3 --exec sh -c "$tells" && told 3 'leader web3' &&
        node_stop 3 && told 3 'unknown web3' &&
        exits 0 ask 1 -q wait leader && node_continue 3 &&
        voters_are 3 1 2 3
}

# has_been_told ID COUNT: succeeds if it was told so often.
has_been_told() {
    [ "$(wc -l <"$cluster/$1.told")" -ge "$2" ]
}

killed_daemon_is_told() {
    lead 3 && follow_on 3 --exec sh -c "$tells" && told 3 'leader web3' &&
        node_kill9 3 && told 3 'unknown web3' && node_start 3 &&
        voters_are 3 1 2 3 &&
        awaits "$seconds_max" has_been_told 3 3 &&
        has 'then' $'unknown web3\n(no-leader |follower|leader)' \
            "$(cat "$cluster/3.told")"
}

# A file that is being replaced, or a host without memory: that passes.
command_that_cannot_run_for_a_while_is_told_later() {
    local until=$((SECONDS + seconds_max))

    lead 3 && printf '#!/bin/sh\n%s\n' "$tells" >"$cluster/hook" &&
        chmod +x "$cluster/hook" && follow_on 3 --exec "$cluster/hook" &&
        told 3 'leader web3' && chmod -x "$cluster/hook" &&
        ask 3 -q resign || return
    until grep -q 'hands-over: Permission denied' "$cluster/3.run"; do
        [ "$SECONDS" -lt "$until" ] || complain 'it can run' || return
        pause
    done
    chmod +x "$cluster/hook" && told 3 'leader web3' 'hands-over web3' \
        'follower web2'
}

check command_is_told_how_the_node_stands_and_of_each_change
check later_term_of_a_lead_is_no_end
check end_of_a_lead_is_waited_for
check watch_tells_that_a_handover_begins_and_ends
check newest_state_wins_but_the_end_of_a_lead_is_told
check lead_in_doubt_is_told
check killed_daemon_is_told
check command_that_cannot_run_for_a_while_is_told_later
check_end
