# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that leave nothing behind, however they end.

ends+=() # this file may be sourced twice

# at_end COMMAND: the script runs it when it ends, or a signal ends it. What was
# added last runs first. This holds even if another signal comes, or nothing reads
# the output any more.
at_end() {
    ends=("$1" "${ends[@]}")
}

script_ends() {
    local status=$? command

    trap '' HUP INT TERM PIPE
    for command in "${ends[@]}"; do
        eval "$command"
    done >/dev/null 2>&1
    exit "$status"
}
trap script_ends EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM PIPE
