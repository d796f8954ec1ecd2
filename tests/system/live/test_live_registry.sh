#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Sixteen real daemons on loopback that know one address become a ring, a graph
# and a tree. The one at that address is killed, in a tree also its root and an
# inner node: the others go on with the right leader, and a joiner joins by
# another address.
# Takes 13 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_discovery.sh
. tests/system/live/live_discovery.sh

group='' interface='' settings=''
read -r -a sixteen < <(echo {1..16})

listen_of() {
    echo "listen = \"$LOOPBACK.9.$1:7420\";"
}

# knows N: the hosts that start from now on know the address of this one alone.
knows() {
    more="$settings join = (\"$LOOPBACK.9.$1:7420\");"
}

# begin KEYS PATTERN SETTINGS: starts sixteen at once.
begin() {
    local since

    settings=$3
    many && knows 1 && since=$(now) && host "${sixteen[@]}" &&
        agreed "$1" "$2" "${sixteen[@]}" || return
    echo "    one cluster after $((($(now) - since) / 1000000)) ms"
}

# without N...: the sixteen without these.
without() {
    printf '%s\n' "${sixteen[@]}" | grep -vxF "$(printf '%s\n' "$@")"
}

# goes_on: kills the host at the address that all know, and starts another one.
goes_on() {
    local others

    mapfile -t others < <(without 1)
    node_kill9 1 && agreed nodes 16 "${others[@]}" && knows 5 && host 17 &&
        agreed nodes 17 "${others[@]}" 17
}

ring_goes_on_without_the_first_of_it() {
    begin 'nodes verdict' '16 ok' 'algorithm = "chang-roberts";' && goes_on
}

graph_goes_on_without_the_first_of_it() {
    begin 'nodes verdict' '16 ok' 'algorithm = "extinction";' && goes_on
}

graph_of_a_smaller_degree_does_too() {
    begin 'nodes verdict' '16 ok' \
        'algorithm = "floodmax"; topology = { degree = 6; };' && goes_on
}

# host_of ID: the host whose node this is.
host_of() {
    local n

    for n in "${sixteen[@]}"; do
        [ "$(values "$n" node_id)" != "$1 " ] || echo "$n"
    done
}

# inner N...: the first of these hosts that has children and is not the root.
inner() {
    local n level children

    for n in "$@"; do
        read -r children level < <(values "$n" tree_children_count tree_level)
        if [ "$level" -gt 0 ] && [ "$children" -gt 0 ]; then
            echo "$n"
            return
        fi
    done
}

tree_forms_again_without_its_root_and_an_inner_node() {
    local root inner others

    begin 'nodes tree_forming tree_root verdict' '16 false * ok' \
        'algorithm = "tree"; topology = { degree = 6; };' || return
    root=$(host_of "$(kv 1 tree_root status)")
    has 'the root' '^[0-9]+$' "$root" && node_kill9 "$root" || return
    mapfile -t others < <(without "$root")
    agreed 'nodes tree_forming tree_root' '16 false *' "${others[@]}" || return
    inner=$(inner "${others[@]}")
    has 'an inner node' '^[0-9]+$' "$inner" && node_kill9 "$inner" || return
    mapfile -t others < <(without "$root" "$inner")
    agreed 'nodes tree_forming tree_root' '16 false *' "${others[@]}" &&
        exits 0 ask "${others[0]}" peers --tree && has 'its place' "h${others[0]}" "$said"
}

check ring_goes_on_without_the_first_of_it
check graph_goes_on_without_the_first_of_it
check graph_of_a_smaller_degree_does_too
check tree_forms_again_without_its_root_and_an_inner_node
check_end
