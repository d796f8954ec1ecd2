# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2034,SC2004 # of live.sh; for the caller
# Sourced after live.sh by scripts with clusters that build themselves.
#
# group, interface: of the multicast group. listen_of N: the setting `listen` of
# the file of host N.

declare -A key=() own=() # by host: its key file, and more of its file
more=                   # of the files of all hosts
guarantee=component

# many: a new cluster without hosts.
many() {
    live_end
    cluster_new conf/loopback.conf && rm "$cluster/electd.conf"
    more="multicast = { group = \"$group\"; interface = \"$interface\"; };"
}

# host_file N: writes the file of this host, and makes its directory.
host_file() {
    local n=$1

    [ -d "$cluster/state$n" ] || mkdir -m 700 "$cluster/state$n" || return
    cat >"$cluster/$n.conf" <<EOF
cluster = "web";
guarantee = "$guarantee";
discovery = true;
$(listen_of "$n")
self = { name = "h$n"; };
security = { key_file = "$cluster/${key[$n]:-key}"; };
control = { socket = "$cluster/$n.sock"; };
state_dir = "$cluster/state$n";
$more
${own[$n]:-}
EOF
}

# host N...: starts hosts of this cluster, each with a directory of its own.
host() {
    local n

    for n in "$@"; do
        host_file "$n" || return
        # shellcheck disable=SC2046,SC2086 # commands in words
        $WRAP $(enter "$n") "$electd" -c "$cluster/$n.conf" </dev/null \
            >>"$cluster/$n.log" 2>&1 &
        daemon_pid[$n]=$!
    done
    for n in "$@"; do
        node_await "$n" || return
    done
}

# values N KEY...: what `status` says of these, in a line.
values() {
    ask "$1" -o kv status 2>/dev/null |
        grep -E "^($(IFS='|'; echo "${*:2}"))=" | sort | cut -d = -f 2 |
        tr '\n' ' '
}

# agreed KEYS PATTERN N...: waits until these hosts have one generation, follow
# the one of them with the highest id, and say the same of these keys of `status`,
# in the order of the alphabet, which matches the pattern.
agreed() {
    local keys=$1 pattern=$2 until=$((SECONDS + seconds_max))
    local n first said best id
    shift 2

    while :; do
        first='' said='' best=0
        for n in "$@"; do
            # shellcheck disable=SC2086 # keys in words
            said=$(values "$n" generation leader_id $keys)
            : "${first:=$said}"
            # shellcheck disable=SC2027,SC2053 # a pattern
            [[ $said == "$first" && $said == *" "$pattern" " ]] || break
            id=$(values "$n" node_id)
            [ "$id" -le "$best" ] || best=$id
        done
        # shellcheck disable=SC2027,SC2053 # a pattern
        [[ $said != "$first" || $said != *" ${best% } "$pattern" " ]] ||
            return 0
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$n says $said, and h$1 $first" || return
        pause
    done
}

# gathered COUNT N...: the same; they know COUNT nodes, and are all up.
gathered() {
    agreed 'nodes peers_up' "$1 $(($# - 2))" "${@:2}"
}

# now: nanoseconds of a clock.
now() {
    date +%s%N
}

# logged_soon N PATTERN: waits until the log of this host has it.
logged_soon() {
    local until=$((SECONDS + seconds_max))

    until grep -q "$2" "$cluster/$1.log"; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$1 does not log '$2'" || return
        pause
    done
}

# until_shown N PATTERN: waits until `status` of this host has it.
until_shown() {
    local until=$((SECONDS + seconds_max))

    until has "h$1" "$2" "$(ask "$1" status)" 2>/dev/null; do
        [ "$SECONDS" -lt "$until" ] ||
            has "h$1" "$2" "$(ask "$1" status)" || return
        pause
    done
}
