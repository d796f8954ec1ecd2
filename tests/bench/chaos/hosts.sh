# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that try real daemons on the test LAN: hosts 1 to 5, each
# with a disk of its own and a hand (hand.c) that starts its daemon and does
# harm to it. $tmp/run.log has all deeds, $tmp/watch.HOST.START all events of
# the daemons; check.c reads both.
#
# BUILD: where the programs are. GUARANTEE, ALGORITHM, PREEMPT, HEARTBEAT,
# MISSES: of the cluster. MULTICAST (no): yes, if it has a group. TOPOLOGY,
# LINKS: where others are wanted than the algorithm's first, and these.

# shellcheck source=tests/system/lan/net.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../system/lan/net.sh"
# shellcheck source=tests/lib/ends.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/ends.sh"
# shellcheck source=tests/lib/can.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/can.sh"

: "${GUARANTEE:=quorum}" "${ALGORITHM:=bully}" "${PREEMPT:=always}"
: "${HEARTBEAT:=100ms}" "${MISSES:=3}" "${TOPOLOGY:=}" "${LINKS:=}"
: "${MULTICAST:=no}"
readonly hosts='1 2 3 4 5' hosts_count=5
electd=$BUILD/electd
electctl=$BUILD/electctl
clock=$BUILD/tests/tools/kill9 # without a process it tells the time
tmp=
declare -a input=() hand_pid=()

# Reports a mistake of the command line before it builds anything.
hosts_check() {
    local program

    for program in "$electd" "$electctl" "$clock" "$lan" \
        "$BUILD"/tests/bench/chaos/{hand,plan,check}; do
        [ -x "$program" ] || { echo "$program: not built" >&2; exit 1; }
    done
    "$electd" -A | grep -q "^$ALGORITHM " ||
        { echo "no such algorithm: $ALGORITHM" >&2; exit 2; }
}

# hosts_join SECONDS LAN_OPTION...: the LAN, for so long at most.
hosts_join() {
    tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit 1
    chmod 711 "$tmp"
    mkdir "$tmp/lan" "$tmp/state"
    hosts_configure >"$tmp/electd.conf"
    hosts_accept
    lan_up "$tmp/lan" "$hosts_count" --for "$@"
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
        mkfifo "$tmp/hand.$host"
        "$lan" -d "$lan_dir" exec "$host" -- "$BUILD/tests/bench/chaos/hand" \
            "$tmp" "$host" "$electd" "$electctl" <"$tmp/hand.$host" &
        hand_pid[host]=$!
        exec {fd}>"$tmp/hand.$host"
        input[host]=$fd
        [ "$GUARANTEE" = component ] || hand "$host" init
    done
}

hosts_configure() {
    local host

    (umask 077 && "$electctl" keygen >"$tmp/key") || exit 1
    echo "cluster = \"chaos\"; guarantee = \"$GUARANTEE\";"
    echo "algorithm = \"$ALGORITHM\"; preempt = \"$PREEMPT\";"
    echo 'nodes = ('
    for host in $hosts; do
        echo "{ id = $host; address = \"198.18.0.$host:7420\"; }" \
            "$([ "$host" = "$hosts_count" ] || echo ,)"
    done
    echo ');'
    case $ALGORITHM in
    tree | tree-echo)
        : "${TOPOLOGY:=tree}" "${LINKS:=[1, 2], [2, 3], [2, 4], [4, 5]}"
        ;;
    esac
    if [ -n "$TOPOLOGY" ]; then
        echo "topology = { kind = \"$TOPOLOGY\";" \
            "${LINKS:+links = ($LINKS);} };"
    fi
    [ "$MULTICAST" = no ] ||
        echo 'multicast = { group = "239.192.74.20:7421"; interface = "eth0"; };'
    echo 'timing = {'
    echo "heartbeat = \"$HEARTBEAT\"; misses = $MISSES; startup = \"1s\"; };"
    echo "security = { key_file = \"$tmp/key\"; };"
    echo "control = { socket = \"$tmp/%i.sock\"; };"
    echo "state_dir = \"$tmp/state\";"
}

# electd accepts the settings, or says why not.
hosts_accept() {
    local said

    said=$("$electd" -t --file-only -c "$tmp/electd.conf" -i 1 2>&1) && return
    echo "$said" >&2
    exit 1
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
    [ -z "$tmp" ] || rm -rf "$tmp"
}
at_end hosts_abandon

# hand HOST WORD...: see hand.c
hand() {
    echo "${*:2}" >&"${input[$1]}"
}

# stamp WHAT JSON...: into the log, with the time
stamp() {
    local IFS=

    echo "{\"mono_ns\":$("$clock"),\"what\":\"$1\"${*:2}}" >>"$tmp/run.log"
}

# ask HOST WORD...: electctl there; not for long, it may be stopped
ask() {
    "$electctl" -t 300ms -s "$tmp/$1.sock" "${@:2}"
}

# In nanoseconds, of a time in ms or s.
nanoseconds() {
    case $1 in
    *ms) echo "${1%ms}000000" ;;
    *s) echo "${1%s}000000000" ;;
    *) echo "$1: not a time in ms or s" >&2; return 2 ;;
    esac
}
