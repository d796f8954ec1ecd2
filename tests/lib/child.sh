# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that wait for other programs, for minutes: a signal to the
# script also ends the program.

# shellcheck source=tests/lib/ends.sh
. "${BASH_SOURCE[0]%/*}/ends.sh"

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
at_end child_end
