# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # much is for the caller
# Sourced by test_live_*.sh: cases with real daemons on loopback, on top of
# cluster.sh. A daemon ends with the script, however that ends.
set -u

cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit
# shellcheck source=tests/lib/cluster.sh
. tests/lib/cluster.sh

tools=$BUILD/tests/tools
[ -x "$electd" ] || { echo "$electd is not built"; exit 1; }
detection_ms=300 # what misses and heartbeat of conf/loopback.conf come to

# shellcheck source=tests/lib/cases.sh
. tests/lib/cases.sh
# shellcheck source=tests/lib/can.sh
. tests/lib/can.sh
# shellcheck source=tests/lib/first.sh
. tests/lib/first.sh
WRAP="$FIRST $WRAP"
if setpriv --pdeathsig KILL true 2>/dev/null; then
    WRAP="setpriv --pdeathsig KILL $WRAP"
fi

# live_end: leaves nothing behind. Daemons end by TERM, which shows what they
# leak, and by KILL if they do not end soon: a leader may have promised its lead
# for a while. Cases test clean ends by themselves.
live_end() {
    local id tries

    for id in "${!daemon_pid[@]}"; do
        kill -TERM "${daemon_pid[$id]}"
        kill -CONT "${daemon_pid[$id]}"
    done 2>/dev/null
    for id in "${!daemon_pid[@]}"; do
        for ((tries = 10; tries > 0; tries--)); do
            kill -0 "${daemon_pid[$id]}" || break
            pause 0.02
        done
        [ $tries -gt 0 ] || kill -KILL "${daemon_pid[$id]}"
        node_gone "$id"
    done 2>/dev/null
    if grep -qs LeakSanitizer "$cluster"/*.log; then
        echo 'not ok daemons free their memory'
        sed -n '/LeakSanitizer/,$s/^/    /p' "$cluster"/*.log
        failures=$((failures + 1))
    fi
    cluster_end
}

at_end live_end

# fresh: the cluster of conf/loopback.conf, in place of the last one.
fresh() {
    live_end
    cluster_new conf/loopback.conf
}

# setting TEXT: adds it to the configuration.
setting() {
    echo "$1" >>"$cluster/electd.conf"
}

# node_setting ID TEXT: adds it to the configuration of a node.
node_setting() {
    sed -i "s|{ id = $1;|& $2|" "$cluster/electd.conf"
}

# exits STATUS COMMAND...: fails unless it exits so; its output is in `said`.
exits() {
    local status wanted=$1 in_place=

    shift
    [ "$1" != ask ] || in_place="exec"
    said=$("$@" 2>&1)
    status=$?
    [ $status -eq "$wanted" ] ||
        complain "'${*##*/}' exited $status, not $wanted: $said"
}

# exit_becomes STATUS COMMAND...: repeats it until it exits so. A node that was
# delayed listens anew, and is only starting meanwhile.
exit_becomes() {
    local until=$((SECONDS + seconds_max))

    until exits "$@" 2>/dev/null; do
        [ "$SECONDS" -lt "$until" ] || exits "$@" || return
        pause
    done
}

# count ID KEY: a number of `stats`, as electctl -o kv names it.
count() {
    kv "$1" "$2" stats
}

# agree LEADER ID...: waits until these follow LEADER, by their event streams,
# and until they also say so: a busy host may lose a leader for a moment. It
# asks for no deadline, since that would delay the next step.
agree() {
    local leader=$1 id until=$((SECONDS + seconds_max)) heard value
    shift

    for id in "$@"; do
        watch_leader "$id" "$leader" || return
    done
    for id in "$@"; do
        until learn "$id" leader_id status && [ "$value" = "$leader" ]; do
            [ $SECONDS -lt $until ] ||
                complain "node $id does not follow $leader: $(ask "$id" status)" ||
                return
            pause
        done
    done
}

# settle ID...: waits until the leader and its followers know of each other, and
# nothing is under way: then the test itself causes the next event.
settle() {
    local until=$((SECONDS + seconds_max)) id key answer first heard value

    while [ $SECONDS -lt $until ]; do
        first=
        for id in "$@"; do
            hear "$id" status
            answer=
            for key in term leader_id agree peers_up; do
                pick "$key"
                answer+=" $key=$value"
            done
            : "${first:=$answer}"
            [[ $answer == "$first" && $answer == *" agree=$#"* &&
                $answer == *" peers_up=$(($# - 1))" ]] || { pause; continue 2; }
        done
        return
    done
    complain "not settled: $answer"
}

# cluster_start LEADER ID...: starts and watches them; they elect LEADER.
cluster_start() {
    local leader=$1
    shift

    node_start "$@" && watch_open "$@" && agree "$leader" "$@"
}

# node_end ID...: ends them by SIGTERM; each must end well, and soon.
node_end() {
    local id

    for id in "$@"; do
        kill "${daemon_pid[$id]}" || return
    done
    for id in "$@"; do
        timeout "$seconds_max" tail -s 0.02 --pid="${daemon_pid[$id]}" \
            -f /dev/null || complain "node $id does not end" || return
        node_gone "$id" || complain "node $id ended with status $?" || return
    done
}

# helper_of ID: the process id of its helper.
helper_of() {
    local pid=${daemon_pid[$1]}

    tr -d ' ' <"/proc/$pid/task/$pid/children"
}

# child_of PID: its first child, once it has one.
child_of() {
    local until=$((SECONDS + seconds_max)) child=

    until { read -r -d ' ' child <"/proc/$1/task/$1/children"; } 2>/dev/null; do
        lives "$1" && [ "$SECONDS" -lt "$until" ] ||
            complain "$1 has no child" || return
        pause
    done
    echo "$child"
}

# lives PID: succeeds if it has not ended; a zombie has.
lives() {
    local status

    { status=$(<"/proc/$1/status"); } 2>/dev/null &&
        [[ ! $status =~ State:[[:space:]]*[ZX] ]]
}

# node_run ID FILE: starts it with a configuration of its own.
node_run() {
    node_launch "$1" "$2" -i "$1"
    node_await "$1"
}

# logged ID PATTERN: fails unless its log says so. A daemon logs before it
# answers, so there is no need to wait after an answer or an event.
logged() {
    grep -qE -- "$2" "$cluster/$1.log" ||
        complain "log of $1: no '$2' in: $(cat "$cluster/$1.log")"
}

# log_comes_to ID PATTERN: waits until its log says so.
log_comes_to() {
    local until=$((SECONDS + seconds_max))

    until grep -qE -- "$2" "$cluster/$1.log"; do
        [ "$SECONDS" -lt "$until" ] || logged "$1" "$2" || return
        pause
    done
}

# read_until ID PATTERN: reads its events until one matches, and sets `event`.
read_until() {
    while read -r -t "$seconds_max" -u "${watch_fd[$1]}" event; do
        [[ $event =~ $2 ]] && return
    done
    complain "node $1: no event '$2'"
}

case_begins() {
    stalls_begin
}

# The logs of all daemons, after what says that this case is void.
case_fails() {
    local log

    stalls_tell "$cluster"
    for log in "$cluster"/*.log; do
        [ ! -e "$log" ] || sed "s|^|    ${log##*/}: |" "$log" | tail -n 12
    done
}

# as_root NAME: runs the case if this script can run as other users.
as_root() {
    local why

    if why=$(can_be_nobody "$electd"); then
        check "$1"
    else
        echo "skip ${1//_/ }: $why"
    fi
}

# check_end: the last line of a script: its exit status.
check_end() {
    live_end
    cases_end
}
