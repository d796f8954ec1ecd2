# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller; of live.sh
# Sourced by scripts that run real daemons under the guarantee "quorum", on top
# of live.sh: clusters of N voters with a short lease.

lease_ms=600
beat_ms=50
worth_ms=$((lease_ms * 79 / 110)) # for so long a leader leads unheard

# quorum N: makes a cluster of web1 to webN, which all have a state file.
quorum() {
    local host

    fresh || return
    host=$(sed -n 's/.*"\(127[0-9.]*\):.*/\1/p' "$cluster/electd.conf" |
        head -n 1)
    sed -i -e 's/"component"/"quorum"/' -e '/^nodes = (/,/^);/d' \
        "$cluster/electd.conf"
    # shellcheck disable=SC2046 # numbers in words
    setting "timing = { heartbeat = \"${beat_ms}ms\"; misses = 3;
  lease = \"${lease_ms}ms\"; startup = \"300ms\"; };
$(
        node_text() {
            printf 'name = "web%d"; address = "%s:742%d";' "$1" "$host" "$1"
        }
        nodes $(seq "$1")
    )" && node_init $(seq "$1")
}

# status_has ID PATTERN: fails unless `status`, as people see it, matches.
status_has() {
    has "status of $1" "$2" "$(asked "$1" status)"
}

# status_becomes ID PATTERN: waits until it matches.
status_becomes() {
    local until=$((SECONDS + seconds_max))

    until [[ $(asked "$1" status) =~ $2 ]]; do
        [ "$SECONDS" -lt "$until" ] || status_has "$1" "$2" || return
        pause
    done
}

# named ID: its name in the configuration.
named() {
    sed -n "s/.*id = $1;.* name = \"\([a-z0-9]*\)\".*/\1/p" "$cluster/electd.conf"
}

# led_by LEADER ID...: waits until these say so, with an event or without one.
led_by() {
    local leader id

    leader=$(named "$1")
    for id in "${@:2}"; do
        status_becomes "$id" $'\n'"leader   $leader " || return
    done
}

# fault_is ID REASON WITNESS...: waits until these show that the node is on
# standby for this reason, a pattern.
fault_is() {
    local space=$'[ \n]+' witness name

    name=$(named "$1")
    for witness in "${@:3}"; do # the line may be broken
        status_becomes "$witness" \
            $'\n'"standby  $name for [^:]*:$space${2// /$space}" || return
    done
}

# voters_are COUNT ID...: waits until these say that all voters are heard.
voters_are() {
    local count=$1 id

    shift
    for id in "$@"; do
        status_becomes "$id" "quorum +$count of $count voters heard" || return
    done
}

# boot_ms: the kernel's CLOCK_BOOTTIME, to a hundredth of a second.
boot_ms() {
    local up

    read -r up _ </proc/uptime
    up=${up/./}
    echo $((10#$up * 10))
}
