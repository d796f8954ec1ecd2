#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# HAProxy on a fourth host asks electweb on three others which of them leads, and
# sends its clients there, whatever is killed, cut or handed over. electweb is
# the service, too: it says which host has answered.
# Takes 30 s.
# shellcheck disable=SC2317 # cases are called by name
command -v haproxy >/dev/null || { echo 'skip: no haproxy'; exit 77; }
command -v curl >/dev/null || { echo 'skip: no curl'; exit 77; }
hosts=4

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"

electweb=$BUILD/electweb
declare -A web_pid=()
haproxy_pid=
at_end services_end

services_end() {
    kill "${web_pid[@]}" "$haproxy_pid"
    wait "${web_pid[@]}" "$haproxy_pid"
    web_pid=() haproxy_pid=
} 2>/dev/null

node_text() {
    printf 'name = "web%d"; address = "198.18.0.%d:7420";' "$1" "$1"
}

# web_on ID: electweb on that host, as a user without rights.
web_on() {
    # shellcheck disable=SC2046,SC2086 # commands in words
    $WRAP $(enter "$1") setpriv --pdeathsig KILL --reuid 65534 --regid 65534 \
        --clear-groups --no-new-privs -- "$electweb" -s "$cluster/$1.sock" \
        --listen "198.18.0.$1:8008" </dev/null 2>>"$cluster/web$1.log" &
    web_pid[$1]=$!
}

web_off() {
    kill -KILL "${web_pid[$1]}"
    { wait "${web_pid[$1]}"; } 2>/dev/null
    unset "web_pid[$1]"
}

# haproxy_on: the configuration of electd-recipes(7), with its addresses.
haproxy_on() {
    {
        echo 'defaults
            mode http
            timeout connect 1s
            timeout client 5s
            timeout server 5s'
        sed -n '/^# .etc.haproxy.haproxy.cfg/,/^\.Ed/{/^[.#]/d; p}' \
            daemon/man/electd-recipes.7 | sed 's/192\.0\.2\.1\([123]\):80$/198.18.0.\1:8008/'
    } >"$cluster/haproxy.cfg"
    # shellcheck disable=SC2046,SC2086 # commands in words
    $WRAP $(enter 4) haproxy -db -f "$cluster/haproxy.cfg" \
        </dev/null >"$cluster/haproxy.log" 2>&1 &
    haproxy_pid=$!
}

# get: what a client of HAProxy gets: the host that has answered, or the status.
get() {
    $(enter 4) curl -s -m 1 -w ' %{http_code}' http://127.0.0.1:80/leader |
        sed -n 's/.*"self":\([0-9]*\).* 200$/\1/p; s/.* \(503\)$/\1/p'
}

# served WHAT: waits until clients get this.
served() {
    local until=$((SECONDS + seconds_max)) got

    until got=$(get); [ "$got" = "$1" ]; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "clients get '$got', not '$1': $(cat "$cluster"/haproxy.log)" ||
            return
        pause
    done
}

clients_reach_the_leader() {
    fresh && chmod 711 "$cluster" &&
        sed -i '/^nodes = (/,/^);/d' "$cluster/electd.conf" &&
        setting "$(nodes 1 2 3)" && cluster_start 3 1 2 3 && web_on 1 &&
        web_on 2 && web_on 3 && haproxy_on && served 3
}

killed_leader_is_followed_by_the_next() {
    node_kill9 3 && served 2 && node_start 3 && served 3
}

handover_takes_them_along() {
    ask 3 -q resign && served 2 && ask 3 -q rejoin && served 3
}

leader_that_is_cut_off_has_no_clients() {
    unplug 3 && served 2 && plug 3 && served 3
}

host_without_electweb_has_no_clients() {
    web_off 3 && served 503 && web_on 3 && served 3
}

check clients_reach_the_leader
check killed_leader_is_followed_by_the_next
check handover_takes_them_along
check leader_that_is_cut_off_has_no_clients
check host_without_electweb_has_no_clients
check_end
