# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that wait for other programs, for minutes: a signal to the
# script also ends the program.
child=

# run COMMAND...: runs it, and gives its status.
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
