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
        node_launch "$n" "$cluster/$n.conf"
    done
    for n in "$@"; do
        node_await "$n" || return
    done
}

# pick_all KEY...: sets `values` to those of these keys in `heard`, in a line.
pick_all() {
    local key value

    values=
    for key in "$@"; do
        pick "$key"
        values+="$value "
    done
}

# values N KEY...: what `status` says of these, in a line.
values() {
    local heard values

    hear "$1" status 2>/dev/null
    pick_all "${@:2}"
    echo "$values"
}

# agreed KEYS PATTERN N...: waits until these hosts have one config version,
# follow the one of them with the highest id, and say the same of these keys of
# `status`, which matches the pattern.
agreed() {
    local keys=$1 pattern=$2 until=$((SECONDS + seconds_max))
    local n first best heard value values
    shift 2

    while :; do
        first='' values='' best=0
        for n in "$@"; do
            hear "$n" status 2>/dev/null
            # shellcheck disable=SC2086 # keys in words
            pick_all config_version leader_id $keys
            : "${first:=$values}"
            # shellcheck disable=SC2027,SC2053 # a pattern
            [[ $values == "$first" && $values == *" "$pattern" " ]] || break
            pick node_id
            [ "$value" -le "$best" ] || best=$value
        done
        # shellcheck disable=SC2027,SC2053 # a pattern
        [[ $values != "$first" || $values != *" $best "$pattern" " ]] ||
            return 0
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$n says $values, and h$1 $first" || return
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

    until has "h$1" "$2" "$(asked "$1" status)" 2>/dev/null; do
        [ "$SECONDS" -lt "$until" ] ||
            has "h$1" "$2" "$(ask "$1" status)" || return
        pause
    done
}
