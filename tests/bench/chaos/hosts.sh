# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that try real daemons on the test LAN: hosts 1 to 5, each
# with a disk of its own and a hand (hand.c) that starts its daemon and does
# harm to it. $cluster/run.log has all deeds, $cluster/watch.HOST.START all events
# of the daemons; check.c reads both.
#
# BUILD: where the programs are. GUARANTEE, ALGORITHM, PREEMPT, HEARTBEAT,
# MISSES: of the cluster. MULTICAST (no): yes, if it has a group. TOPOLOGY,
# LINKS: where others are wanted than the algorithm's first, and these.

# shellcheck source=tests/lib/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/cluster.sh"
# shellcheck source=tests/system/lan/net.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../system/lan/net.sh"
# shellcheck source=tests/lib/can.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/can.sh"

: "${GUARANTEE:=quorum}" "${ALGORITHM:=bully}" "${PREEMPT:=always}"
: "${HEARTBEAT:=100ms}" "${MISSES:=3}" "${TOPOLOGY:=}" "${LINKS:=}"
: "${MULTICAST:=no}"
readonly hosts='1 2 3 4 5' hosts_count=5
ask_time=300ms # a daemon may be stopped
declare -a input=() hand_pid=()

# Reports a mistake of the command line before it builds anything.
hosts_check() {
    local program

    for program in "$electd" "$electctl" "$kill9" "$lan" \
        "$BUILD"/tests/bench/chaos/{hand,plan,check}; do
        [ -x "$program" ] || { echo "$program: not built" >&2; exit 1; }
    done
    "$electd" -A | grep -q "^$ALGORITHM " ||
        { echo "no such algorithm: $ALGORITHM" >&2; exit 2; }
}

# hosts_join SECONDS LAN_OPTION...: the LAN, for so long at most.
hosts_join() {
    cluster_directory || exit 1
    chmod 711 "$cluster"
    mkdir "$cluster/lan" "$cluster/state"
    hosts_configure || exit 1
    lan_up "$cluster/lan" "$hosts_count" --for "$@"
    # shellcheck disable=SC2086 # hosts in words
    introduce $hosts
}

# hosts_begin SECONDS LAN_OPTION...: the LAN, and a hand on each host.
hosts_begin() {
    local host fd why

    why=$(can_have_mounts) || { echo "skip: $why"; exit 77; }
    hosts_join "$@"
    stamp begin ",\"nodes\":$hosts_count,\"guarantee\":\"$GUARANTEE\"" \
        ",\"algorithm\":\"$ALGORITHM\",\"seed\":${SEED:-0}"
    for host in $hosts; do
        mkfifo "$cluster/hand.$host"
        "$lan" -d "$lan_dir" exec "$host" -- "$BUILD/tests/bench/chaos/hand" \
            "$cluster" "$host" "$electd" "$electctl" <"$cluster/hand.$host" &
        hand_pid[host]=$!
        exec {fd}>"$cluster/hand.$host"
        input[host]=$fd
        [ "$GUARANTEE" = component ] || hand "$host" init
    done
}

hosts_configure() {
    case $ALGORITHM in
    tree | tree-echo)
        : "${TOPOLOGY:=tree}" "${LINKS:=[1, 2], [2, 3], [2, 4], [4, 5]}"
        ;;
    esac
    {
        echo "cluster = \"chaos\"; guarantee = \"$GUARANTEE\";"
        echo "algorithm = \"$ALGORITHM\"; preempt = \"$PREEMPT\";"
        [ -z "$TOPOLOGY" ] || echo "topology = { kind = \"$TOPOLOGY\";" \
            "${LINKS:+links = ($LINKS);} };"
        [ "$MULTICAST" = no ] || echo 'multicast = {' \
            'group = "239.192.74.20:7421"; interface = "eth0"; };'
        echo "timing = { heartbeat = \"$HEARTBEAT\"; misses = $MISSES;" \
            'startup = "1s"; };'
    } | cluster_configure 1 2 3 4 5
}

# hosts_end: the daemons end, then their hands, then the LAN.
hosts_end() {
    local host fd

    for host in "${!hand_pid[@]}"; do
        fd=${input[host]}
        exec {fd}>&-
    done
    for host in "${!hand_pid[@]}"; do
        wait "${hand_pid[host]}" ||
            { echo "the hand of host $host ends with status $?" >&2; exit 1; }
    done
    hand_pid=()
    lan_down
}

# Ends everything at once.
hosts_abandon() {
    [ -z "$lan_pid" ] || lan_down
    [ -z "$cluster" ] || rm -rf "$cluster"
}
at_end hosts_abandon

# hand HOST WORD...: see hand.c
hand() {
    echo "${*:2}" >&"${input[$1]}"
}

# stamp WHAT JSON...: into the log, with the time
stamp() {
    local IFS=

    echo "{\"mono_ns\":$("$kill9"),\"what\":\"$1\"${*:2}}" >>"$cluster/run.log"
}

# all_follow LEADER HOST...: succeeds if all of them follow it; or, if it is
# empty, if they follow the same one, which is then in `followed`.
all_follow() {
    local wanted=$1 host said
    shift

    for host in "$@"; do
        said=$(ask "$host" leader 2>/dev/null) && [ -n "$said" ] || return
        [ "$said" = "${wanted:=$said}" ] || return
    done
    followed=$wanted
}

# hosts_keep DIRECTORY: the record outlives the run.
hosts_keep() {
    rm -rf "$1"
    mkdir -p "$1" &&
        cp "$cluster/run.log" "$cluster"/watch.* "$cluster"/electd.* "$1" ||
        exit 1
}

# In nanoseconds, of a time in ms or s.
nanoseconds() {
    case $1 in
    *ms) echo "${1%ms}000000" ;;
    *s) echo "${1%s}000000000" ;;
    *) echo "$1: not a time in ms or s" >&2; return 2 ;;
    esac
}
