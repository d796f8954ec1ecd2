# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2034,SC2004 # of live.sh; for the caller
# Sourced after live.sh by scripts with clusters that build themselves.
#
# group, interface: of the multicast group. place N: prints a command that runs
# another one on host N; listen_of N: the setting `listen` of its file.

declare -A key=() own=() # by host: its key file, and more of its file
more=                   # of the files of all hosts

# many: a new cluster without hosts.
many() {
    live_end
    cluster_new conf/loopback.conf && rm "$cluster/electd.conf"
    more="multicast = { group = \"$group\"; interface = \"$interface\"; };"
}

# host N...: starts hosts of this cluster, each with a directory of its own.
host() {
    local n

    for n in "$@"; do
        [ -d "$cluster/state$n" ] || mkdir -m 700 "$cluster/state$n" || return
        cat >"$cluster/$n.conf" <<EOF || return
cluster = "web";
guarantee = "component";
discovery = true;
$(listen_of "$n")
self = { name = "h$n"; };
security = { key_file = "$cluster/${key[$n]:-key}"; };
control = { socket = "$cluster/$n.sock"; };
state_dir = "$cluster/state$n";
$more
${own[$n]:-}
EOF
        # shellcheck disable=SC2046,SC2086 # commands in words
        $WRAP $(place "$n") "$electd" -c "$cluster/$n.conf" </dev/null \
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

# gathered COUNT N...: waits until these hosts are all up, know COUNT nodes, have
# one generation, and follow the one with the highest id.
gathered() {
    local count=$1 until=$((SECONDS + seconds_max)) n first said best id
    shift

    while :; do
        first='' said='' best=0
        for n in "$@"; do
            said=$(values "$n" generation leader_id nodes peers_up)
            : "${first:=$said}"
            [[ $said == "$first" && $said == *" $count $(($# - 1)) " ]] || break
            id=$(values "$n" node_id)
            [ "$id" -le "$best" ] || best=$id
        done
        [[ $said != "$first" || $said != *" ${best% } $count $(($# - 1)) " ]] ||
            return 0
        [ "$SECONDS" -lt "$until" ] ||
            complain "h$n says $said, and h$1 $first" || return
    done
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
    done
}

# until_shown N PATTERN: waits until `status` of this host has it.
until_shown() {
    local until=$((SECONDS + seconds_max))

    until has "h$1" "$2" "$(ask "$1" status)" 2>/dev/null; do
        [ "$SECONDS" -lt "$until" ] ||
            has "h$1" "$2" "$(ask "$1" status)" || return
    done
}
