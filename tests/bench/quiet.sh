# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that measure: all other work of a machine would change the
# figures.

# shellcheck source=tests/lib/wait.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/wait.sh"

load_of_a_minute() {
    cut -d ' ' -f 1 /proc/loadavg
}

# Waits until this machine has hardly done anything for a minute, which is not so
# right after a build, or a crowd of daemons; at most for AWAIT seconds (600).
await_quiet() {
    local until=$((SECONDS + ${AWAIT:=600}))

    until [[ $(load_of_a_minute) =~ ^0\.[0-2] ]]; do
        if [ "$SECONDS" -ge "$until" ]; then
            [ "$AWAIT" = 0 ] || echo "not quiet here:" \
                "load $(load_of_a_minute), no good figures"
            return
        fi
        read -r -t 5 -u "$silence" || :
    done
}
