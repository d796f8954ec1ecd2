# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # of system.sh
# Sourced by system.sh: electd, as the bench's variables have it.

# The rest stays connected without the leader: in the tree only hosts 3 to 5 lead,
# which are leaves, and the graph is in one piece without any one.
case ${TOPOLOGY:=$("$electd" -A | awk -v name="$ALGORITHM" '
    $1 == name { print $2 }')} in
tree) LINKS='[1, 2], [1, 3], [1, 4], [2, 5]' ;;
graph) LINKS='[1, 2], [2, 3], [3, 4], [4, 5], [5, 1], [1, 3]' ;;
esac

electd_prepare() {
    heartbeat=$HEARTBEAT
    # shellcheck disable=SC2086 # hosts in words
    [ "$GUARANTEE" != quorum ] || node_init $hosts || exit 1
}

# A socket appears only when it answers, so there is nothing else to wait for.
electd_start() {
    local idle='chrt -i 0'

    # On a machine that need not be quiet it would never run.
    [ "${AWAIT:-}" != 0 ] || idle=
    # The earlier watcher has ended with it.
    refer forget "$1"
    run "$1" "$electd" -c "$cluster/electd.conf" -i "$1"
    awaits "$start_seconds" ask "$1" -q stats >/dev/null 2>&1 || return
    # Reading the events does not delay the election.
    # shellcheck disable=SC2086 # words, or none
    $idle "$electctl" -s "$cluster/$1.sock" -o json watch \
        >"$cluster/events" 2>/dev/null &
}

# aims FAULT HOST: sets `aim`, the referee's command for that fault.
electd_aims() {
    local pids

    pids=$(processes "$2")
    case $1 in
    killall)
        [ "$pids" != "${pids#* }" ] || return
        aim=(kill "$2" "$pids") ;;
    kill | stop | term) aim=("$1" "$2" "${pids%% *}") ;;
    resign)
        "$electctl" resign --help >/dev/null 2>&1 || return
        aim=(run "$2" "$electctl -s $cluster/$2.sock resign") ;;
    esac
}

electd_returns() {
    ask "$1" rejoin
}

# Asked while it stands still, it answers the moment it goes on.
electd_asks() {
    ask_time=10s ask "$1" -q is-leader 2>/dev/null &
    question=$!
}
