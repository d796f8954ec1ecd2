# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller; of live.sh
# Sourced by scripts whose settings change at run time, on top of live.sh: each
# host has a file of its own, so that they can differ.

guarantee=component
config_version=0
members='1 2 3'
heartbeat=100ms
timing=            # more of it
own_group=$(id -gn)
more=              # settings that all hosts share, in a line
declare -A priority=() role=()
declare -A key=() old_key=() # of this host alone

# install ID...: writes the files of these hosts, as the variables say.
install() {
    local id node comma host=$LOOPBACK.7.1

    for id in "$@"; do
        {
            echo "cluster = \"roll\"; guarantee = \"$guarantee\";"
            echo "config_version = $config_version; $more"
            echo "timing = { heartbeat = \"$heartbeat\"; $timing };"
            echo "nodes = ("
            comma=,
            for node in $members; do
                [ "$node" != "${members##* }" ] || comma=
                echo "  { id = $node; name = \"web$node\";" \
                    "address = \"$host:742$node\";" \
                    "priority = ${priority[$node]:-0};" \
                    "role = \"${role[$node]:-candidate}\"; }$comma"
            done
            echo ");"
            echo "security = { key_file = \"$cluster/${key[$id]:-key}\";" \
                "old_key_file = \"${old_key[$id]:+$cluster/${old_key[$id]}}\"; };"
            echo "control = { socket = \"$cluster/$id.sock\";" \
                "group = \"$own_group\"; };"
            echo "state_dir = \"$cluster/state\";"
        } >"$cluster/$id.conf"
    done
}

# run ID...: starts and watches them, each with its file.
run() {
    local id

    for id in "$@"; do
        node_run "$id" "$cluster/$id.conf" || return
    done
    watch_open "$@"
}

# roll ID: the next config version comes to this host alone.
roll() {
    config_version=$((config_version + 1))
    install "$1" && exits 0 ask "$1" reload
}

# field ID KEY: of `status`, as electctl -o kv names it.
field() {
    kv "$1" "$2" status
}

# becomes KEY VALUE ID...: waits until `status` of these says so.
becomes() {
    local until=$((SECONDS + seconds_max)) name=$1 wanted=$2 id heard value
    shift 2

    for id in "$@"; do
        until learn "$id" "$name" status && [ "$value" = "$wanted" ]; do
            [ "$SECONDS" -lt "$until" ] || complain \
                "node $id: $name is not $wanted: $(ask "$id" status)" || return
            pause
        done
    done
}

# in_effect ID...: waits until these have the last config version, and are
# settled.
in_effect() {
    becomes config_version "$config_version" "$@" && settle "$@"
}

# changes ID...: how often each has had another leader.
changes() {
    local id

    for id in "$@"; do
        echo "$id: $(count "$id" changes)"
    done
}

# more_changes N TEXT: what changes() says if each has had N more.
more_changes() {
    awk -v n="$1" '{ print $1, $2 + n }' <<<"$2"
}

# trouble_becomes ID WHY: waits until its status has this trouble.
trouble_becomes() {
    local until=$((SECONDS + seconds_max))

    until [[ $(asked "$1" -o json status) == *"\"why\":\"$2\""* ]]; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "no trouble $2: $(ask "$1" -o json status)" || return
        pause
    done
}

# init ID...: makes their state files.
init() {
    local id

    for id in "$@"; do
        exits 0 "$electd" --init-cluster -c "$cluster/$id.conf" -i "$id" || return
    done
}

# join ID...: starts these, each with its file and a client.
join() {
    local id

    run "$@" || return
    for id in "$@"; do
        "$electctl" -s "$cluster/$id.sock" -o json watch \
            >>"$cluster/$id.events" 2>/dev/null &
    done
}

# die ID: kills it, and notes when.
die() {
    node_kill9 "$1" && echo \
        "{\"event\":\"killed\",\"self\":$1,\"mono_ns\":$moment}" \
        >>"$cluster/$1.events"
}

# now: the clock of mono_ns.
now() {
    "$kill9"
}

# led SINCE [planned]: fails unless each term had one leader, and with "planned"
# none failed since that moment.
led() {
    sed -nE 's/.*"mono_ns":([0-9]+).*\}$/\1 &/p' "$cluster"/*.events |
        sort -n | awk -v since="$1" -v planned="${2:+1}" \
            -v overlaps="$([ "$guarantee" = quorum ] || echo 1)" \
            -f tests/system/live/reigns.awk
}
