# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by what measures: whatever else a machine does would be measured, too.

load_of_a_minute() {
    cut -d ' ' -f 1 /proc/loadavg
}

# Until this machine has hardly done anything for a minute, as it has not right
# after a build, or a crowd of daemons; at most for AWAIT seconds (600).
await_quiet() {
    local until=$((SECONDS + ${AWAIT:=600}))

    until [[ $(load_of_a_minute) =~ ^0\.[0-2] ]]; do
        if [ "$SECONDS" -ge "$until" ]; then
            [ "$AWAIT" = 0 ] || echo "not quiet here:" \
                "load $(load_of_a_minute), no good figures"
            return
        fi
        read -r -t 5 <> <(:)
    done
}
