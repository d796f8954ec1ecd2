#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Hosts at other addresses than the settings say: the others find them as soon
# as they speak.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# elsewhere ID ADDRESS: starts it; it listens at ADDRESS.
elsewhere() {
    {
        cat "$cluster/electd.conf"
        echo "listen = \"$2\";"
    } >"$cluster/elsewhere.conf"
    node_run "$1" "$cluster/elsewhere.conf" && node_await "$1"
}

# warnings ID PATTERN: how many lines of its log say so.
warnings() {
    grep -cE "warning: $2" "$cluster/$1.log"
}

# is_found N ID WHERE: `peers` of N says where ID was found.
is_found() {
    is "where $1 found $2" "$3" \
        "$(ask "$1" -o json peers | grep -o "\"id\":$2,.*" |
            grep -o '"found_at":[^,]*' | head -n 1 | cut -d: -f2-)"
}

a_host_that_starts_at_another_address_is_found() {
    fresh && cluster_start 3 1 2 3 && settle 1 2 3 || return
    host=$(sed -n 's/.*id = 1;.*"\(127\.[0-9.]*\):.*/\1/p' \
        "$cluster/electd.conf")
    node_kill9 3 && agree 2 1 2 && elsewhere 3 "${host%.*}.3:7429" &&
        watch_open 3 && agree 3 1 2 3 && settle 1 2 3 &&
        logged 1 "warning: three is at ${host%.*}.3:7429, not at $host:7423; electd reaches it there, but correct its address in the settings" &&
        is 'warnings of 2' 1 "$(warnings 2 'three is at')" &&
        is 'duplicates' 0 "$(warnings 1 '.*twice|.*another host claims')" &&
        is_found 1 3 "\"${host%.*}.3:7429\"" && is_found 3 1 null
}

# It says nothing before it is asked.
its_fellows_that_start_anew_find_it_again() {
    node_kill9 1 && read_until 2 '"event":"peer-down","peer":1' &&
        node_start 1 && watch_open 1 && agree 3 1 &&
        settle 1 2 3 && is 'warnings of 1' 2 "$(warnings 1 'three is at')"
}

it_comes_home() {
    node_kill9 3 && agree 2 1 2 && node_start 3 && watch_open 3 &&
        agree 3 1 2 3 && settle 1 2 3 &&
        is 'warnings of 1' 2 "$(warnings 1 'three is at')" &&
        is_found 1 3 null && node_end 1 2 3
}

# The kernel gives its datagrams the first address of the interface. No other
# test may have the port.
a_host_that_speaks_from_any_of_its_addresses_is_found() {
    local port=$((10000 + RANDOM % 20000))

    fresh && sed -i "s|:7423\"|:$port\"|" "$cluster/electd.conf" &&
        cluster_start 2 1 2 && elsewhere 3 "0.0.0.0:$port" &&
        watch_open 3 && agree 3 1 2 3 && settle 1 2 3 &&
        logged 1 "warning: three is at 127.0.0.1:$port, not at" &&
        node_end 1 2 3
}

# A second process of an id at another address gets no link while the first one
# is heard, and takes its place once that is gone.
# has_warnings ID COUNT TEXT: succeeds if it has logged so many with this text.
has_warnings() {
    [ "$(warnings "$1" "$3")" = "$2" ]
}

a_second_process_elsewhere_takes_over_only_when_the_first_is_gone() {
    fresh && cluster_start 3 1 2 3 && settle 1 2 3 || return
    host=$(sed -n 's/.*id = 1;.*"\(127\.[0-9.]*\):.*/\1/p' \
        "$cluster/electd.conf")
    sed -e "s|\"$cluster/%i.sock\"|\"$cluster/second.sock\"|" \
        -e "s|\"$cluster/state\"|\"$cluster/second\"|" \
        "$cluster/electd.conf" >"$cluster/second.conf"
    echo "listen = \"${host%.*}.3:7429\";" >>"$cluster/second.conf"
    node_launch 4 "$cluster/second.conf" -i 3
    read_until 1 '"event":"duplicate".*"peer":3' &&
        logged 1 'warning: .*another host claims to be three' &&
        is 'moved' 0 "$(warnings 1 'three is at')" && node_kill9 3 &&
        awaits "$seconds_max" has_warnings 1 1 'three is at' || return
    kill "${daemon_pid[4]}" && wait "${daemon_pid[4]}"
    unset 'daemon_pid[4]'
    node_end 1 2
}

check a_host_that_starts_at_another_address_is_found
check its_fellows_that_start_anew_find_it_again
check it_comes_home
check a_host_that_speaks_from_any_of_its_addresses_is_found
check a_second_process_elsewhere_takes_over_only_when_the_first_is_gone
check_end
