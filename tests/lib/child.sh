# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that wait for others, for minutes: a signal to them ends
# what they wait for, too.
child=

# run COMMAND...: its status.
run() {
    "$@" &
    child=$!
    wait "$child"
    set -- $?
    child=
    return "$1"
}

child_end() {
    [ -z "$child" ] || kill "$child" 2>/dev/null
    wait
}
trap child_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
