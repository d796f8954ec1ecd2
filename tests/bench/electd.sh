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
    local host

    heartbeat=$HEARTBEAT
    [ "$GUARANTEE" = quorum ] || return 0
    for host in $hosts; do
        net exec "$host" -- "$electd" --init-cluster -c "$tmp/electd.conf" \
            -i "$host" >>"$tmp/said.$host"
    done
}

# A socket appears only when it answers, so there is nothing else to wait for.
electd_start() {
    local until=$((SECONDS + start_seconds))

    # The earlier watcher has ended with it.
    refer forget "$1"
    run "$1" "$electd" -c "$tmp/electd.conf" -i "$1"
    until ask "$1" -q stats >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$until" ] || return
        pause
    done
    # Reading the events does not delay the election.
    chrt -i 0 "$electctl" -s "$tmp/$1.sock" -o json watch \
        >"$tmp/events" 2>/dev/null &
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
        aim=(run "$2" "$electctl -s $tmp/$2.sock resign") ;;
    esac
}

electd_returns() {
    ask "$1" rejoin
}

# Asked while it stands still, it answers the moment it goes on.
electd_asks() {
    "$electctl" -t 10s -s "$tmp/$1.sock" -q is-leader 2>/dev/null &
    question=$!
}
