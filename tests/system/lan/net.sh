# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that run real daemons on the test LAN.
#
# BUILD: where the programs are. FIRST: see tests/lib/first.sh; the switch has
# to carry what daemons that run first have sent.

# shellcheck source=tests/lib/wait.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/wait.sh"

: "${BUILD:=build}"
lan=$BUILD/tests/system/lan/lan
lan_dir= # what the LAN is named after
lan_pid=

# LeakSanitizer does not work across PID namespaces.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# lan_up DIR HOSTS OPTION...: begins a LAN; exits with 77 where none can be.
lan_up() {
    [ -x "$lan" ] || { echo "$lan: not built" >&2; exit 1; }
    "$lan" --check || exit
    lan_dir=$1
    # shellcheck disable=SC2086 # FIRST is a command in words
    ${FIRST-} "$lan" -d "$lan_dir" --hosts "$2" "${@:3}" &
    lan_pid=$!
    net wait
}

# The end of the LAN is the end of all that runs there.
lan_down() {
    [ -z "$lan_pid" ] || kill "$lan_pid"
    wait
    lan_pid=
} 2>/dev/null

# enter HOST: prints a command that runs another one there. The process outside
# stands for the one inside, which dies with it.
enter() {
    echo "$lan" -d "$lan_dir" exec "$1" --
}

net() {
    "$lan" -d "$lan_dir" "$@" || exit 1
}

# warm HOST...: lets hosts learn each other's hardware addresses: a lost
# question for one costs a second, and no test of daemons is about that.
warm() {
    local from to

    for from in "$@"; do
        for to in "$@"; do
            [ "$from" = "$to" ] ||
                net probe "$from" "$to" 1 wait=1ms >/dev/null
        done
    done
}

# introduce HOST...: gives each the hardware addresses of the others for good,
# so that it never asks: on a bad LAN the answer may be lost for seconds.
introduce() {
    local from to

    for from in "$@"; do
        for to in "$@"; do
            printf 'neigh replace 198.18.0.%d dev eth0 nud permanent' "$to"
            printf ' lladdr 02:00:00:00:00:%02x\n' "$to"
        done | net exec "$from" -- ip -batch - || exit 1
    done
}
