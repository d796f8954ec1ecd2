# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts with real daemons. A host may be so busy that a daemon stands
# still, and then what a case takes for granted does not hold. run.sh runs a
# script again whose first failed case was disturbed in this way.

stalls_since=      # when the case began
stalls_of_before=  # the lines of clusters that are gone
declare -A stalls_wanted=() # the nodes that the case itself stops

# stalls_begin: a case begins.
stalls_begin() {
    TZ=UTC0 printf -v stalls_since '%(%FT%T)T' -1
    stalls_of_before=
    stalls_wanted=()
}

# stalls_of DIRECTORY: what the logs there, ID.log, say of daemons that stood
# still. A line begins with its time.
stalls_of() {
    local log id logs=()

    for log in "$1"/*.log; do
        id=${log##*/}
        [ -n "${stalls_wanted[${id%.log}]-}" ] || logs+=("$log")
    done
    grep -hs ': not scheduled for [0-9]* ms' /dev/null "${logs[@]}"
    return 0
}

# stalls_keep DIRECTORY: these logs are about to be removed.
stalls_keep() {
    stalls_of_before+=$(stalls_of "$1")$'\n'
}

# stalls_tell DIRECTORY: if a daemon stood still since the case began, prints the
# line by which run.sh knows, with the longest time.
stalls_tell() {
    { printf '%s' "$stalls_of_before" && stalls_of "$1"; } |
        awk -v since="$stalls_since" '
            $1 >= since && match($0, /scheduled for [0-9]+/) {
                split(substr($0, RSTART, RLENGTH), words, " ")
                if (words[3] + 0 > ms)
                    ms = words[3] + 0
            }
            END {
                if (ms > 0)
                    print "    void: a daemon stood still for " ms " ms"
            }'
}
