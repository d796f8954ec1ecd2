#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The token, and the programs that FENCING in electd(8) prints, on three real
# daemons: the fence accepts a service for as long as its host leads, and
# refuses it once the next leader has been there. Takes 6 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

# display_after WORDS: the one after that line of electd(8).
display_after() {
    awk -v words="$1" '$0 == words { on = 1; next }
        on && /^\.Ed/ { exit }
        on && !/^\.Bd/ { gsub(/\\e/, "\\"); print }' daemon/man/electd.8
}

# programs: the fence; `job COMMAND...`, which asks electctl for the token that
# it brings to the fence; and, for a host without systemd, a systemctl that
# notes which service starts, with what token.
programs() {
    local bin=$cluster/bin

    mkdir "$bin" && ln -s "$(realpath "$electctl")" "$bin/electctl" &&
        display_after 'A directory that several hosts share, whose file system has locks:' |
        sed "s|/srv/shared|$cluster|" >"$bin/fenced" &&
        display_after 'Take decision and token from one answer:' >"$bin/job" &&
        echo "$bin/fenced \"\$token\" \"\$@\"" >>"$bin/job" &&
        cat >"$bin/systemctl" <<END && chmod +x "$bin"/*
#!/bin/sh
[ "\$1" != start ] || echo "\$ELECTD_NODE \$ELECTD_TOKEN" >>"$cluster/started"
END
}

# service ID: waits until it runs there, and sets `token` to its ELECTD_TOKEN.
service() {
    awaits "$seconds_max" grep -qs "^web$1 " "$cluster/started" || return
    token=$(sed -n "s/^web$1 //p" "$cluster/started")
}

# elected: web3, which leads, wins an election, and all know of the later term.
elected() {
    local id

    awaits "$seconds_max" ask 3 -q elect || return # the first settings go round
    for id in 1 2 3; do
        read_until "$id" '"event":"leader".*"reason":"forced:3"' || return
    done
}

# begin: web3 leads, in a later term than it began in. It runs the service of
# electd-leader.target as electd-leader.service does.
begin() {
    local id

    run_end
    quorum 3 && programs && cluster_start 3 1 2 3 && voters_are 3 1 2 3 &&
        elected || return
    for id in 1 2 3; do
        mkdir "$cluster/web$id" && run_on "$id" env \
            "PATH=$cluster/bin:$PATH" "RUNTIME_DIRECTORY=$cluster/web$id" \
            systemd/leader-target run electd-leader.target || return
    done
    service 3
}

# accepts TOKEN, refuses TOKEN SEEN: fails unless the fence does.
accepts() {
    exits 0 "$cluster/bin/fenced" "$1" echo 'work done' &&
        is 'accepted' 'work done' "$said"
}

refuses() {
    exits 1 "$cluster/bin/fenced" "$1" echo 'work done' &&
        is 'refused' "the lead $1 is over, $2 has begun" "$said"
}

# job_on ID: a job there asks for its token, and is accepted.
job_on() {
    exits 0 env "PATH=$cluster/bin:$PATH" "ELECTD_SOCKET=$cluster/$1.sock" \
        sh "$cluster/bin/job" echo 'job done' && is 'job' 'job done' "$said"
}

all_are_told_the_same_token() {
    local id

    begin && is 'leader.env' "ELECTD_TOKEN=$token" \
        "$(grep TOKEN "$cluster/web3/leader.env")" &&
        is 'deadline' "$token" "$(kv 3 token is-leader --deadline)" || return
    for id in 1 2 3; do
        is "is-leader at $id" "$token" "$(kv "$id" token is-leader)" &&
            is "leader at $id" "$token" "$(kv "$id" token leader)" || return
    done
    [ "$token" -lt "$(kv 3 term is-leader)" ] || complain 'it is the term'
}

# A job that asks after the election brings no higher token.
election_that_the_leader_wins_fences_nobody_out() {
    local term

    begin && accepts "$token" && term=$(kv 3 term is-leader) && elected &&
        job_on 3 && accepts "$token" || return
    [ "$(kv 3 term is-leader)" -gt "$term" ] || complain 'no later term'
}

# next_leader_fences_out_this_one COMMAND...: by which web2 leads in place of
# web3.
next_leader_fences_out_this_one() {
    local before

    begin && accepts "$token" && before=$token && "$@" && service 2 &&
        accepts "$token" && refuses "$before" "$token" && job_on 2 &&
        accepts "$token"
}

handover_fences_out_the_old_leader() {
    next_leader_fences_out_this_one ask 3 -q resign
}

kill_fences_out_the_old_leader() {
    next_leader_fences_out_this_one node_kill9 3
}

check all_are_told_the_same_token
check election_that_the_leader_wins_fences_nobody_out
check handover_fences_out_the_old_leader
check kill_fences_out_the_old_leader
check_end
