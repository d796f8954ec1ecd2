#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Sixteen real daemons on loopback, linked by a random graph with cycles, find a
# tree and elect on it. Inner nodes, the root and the leader are killed: each
# time the survivors of a component have one tree and follow their best node. An
# election costs what it does on a tree.
#
# SEED: of the graph.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

n=16
: "${SEED:=$RANDOM}"
links= # "A B" a line
dead=  # the ids of those that were killed

# Draws a connected graph: each node but the first has a link to an earlier one,
# and there are as many more.
draw() {
    links=$(awk -v n="$n" -v seed="$SEED" 'BEGIN {
        srand(seed)
        for (id = 2; id <= n; id++) has[1 + int(rand() * (id - 1)) " " id]
        while (count++ < n) {
            a = 1 + int(rand() * n); b = 1 + int(rand() * n)
            if (a < b) has[a " " b]
        }
        for (link in has) print link }')
}

file() {
    local id

    echo 'cluster = "forest"; guarantee = "component"; algorithm = "tree";'
    echo "topology = { links = ($(sed 's/ /, /; s/.*/[&]/' <<<"$links" |
        paste -sd,)); };"
    echo 'nodes = ('
    for ((id = 1; id <= n; id++)); do
        echo "{ id = $id; address = \"127.0.0.1:$((7400 + id))\"; }" \
            "$([ "$id" = "$n" ] || echo ,)"
    done
    echo '); security = { key_file = ""; };'
    echo 'control = { socket = ""; }; state_dir = "";'
}

alive() {
    local id

    for ((id = 1; id <= n; id++)); do
        [[ " $dead " == *" $id "* ]] || echo "$id"
    done
}

# places: of each live node a line: id, leader, forming, root, level, parent (0:
# none), and its children.
places() {
    local id

    for id in $(alive); do
        ask "$id" -o kv status | awk -F = -v id="$id" '
            { value[$1] = $2 == "" ? 0 : $2 }
            END {
                printf "%d %s %s %s %s %s", id, value["leader_id"],
                    value["tree_forming"], value["tree_root"],
                    value["tree_level"], value["tree_parent"]
                for (i = 0; i < value["tree_children_count"]; i++)
                    printf " %d", value["tree_children_" i]
                print "" }'
    done
}

# wrong: reads `links`, an empty line and `places`, and prints what is wrong
# with the trees and leaders; nothing if they are right.
wrong() {
    awk '
        NF == 0 { begun = 1; next }
        !begun { linked[$1, $2] = linked[$2, $1] = 1; next }
        { best[$1] = $1; leader[$1] = $2; forming[$1] = $3; root[$1] = $4
          level[$1] = $5; parent[$1] = $6
          for (i = 7; i <= NF; i++) child[$1, $i] = 1 }
        END {
            for (again = 1; again; ) {
                again = 0
                for (a in best) for (b in best)
                    if ((a, b) in linked && best[a] > best[b]) {
                        best[b] = best[a]; again = 1
                    }
            }
            for (a in best) {
                p = parent[a]
                if (leader[a] != best[a]) print a " follows " leader[a]
                if (forming[a] != "false") print a " is forming"
                if (p == 0) {
                    if (root[a] != a || level[a] != 0) print a " is no root"
                    if (best[a] in seen) print a " is another root"
                    seen[best[a]] = 1
                } else if (!((p, a) in child))
                    print p " does not know its child " a
                else if (!((a, p) in linked) || level[a] != level[p] + 1 ||
                    root[a] != root[p])
                    print a " is not below " p
                for (b in best) if ((a, b) in child && parent[b] != a)
                    print b " is no child of " a
            }
        }'
}

# Waits until trees and leaders are right.
right() {
    local until=$((SECONDS + seconds_max)) now said

    until now=$(places) && said=$(wrong <<<"$links

$now") && [ -z "$said" ]; do
        [ "$SECONDS" -lt "$until" ] ||
            complain "SEED=$SEED: $(paste -sd ';' <<<"$said"): $now" || return
        pause
    done
}

# of KIND: a live node: the "root", or an "inner" node with children.
of() {
    places | awk -v kind="$1" '
        kind == "root" ? $6 == 0 : $6 != 0 && NF > 6 { print $1; exit }'
}

fall() {
    local id

    for id in "$@"; do
        node_kill9 "$id" || return
        dead+=" $id"
    done
    right
}

rise() {
    # shellcheck disable=SC2086 # ids in words
    set -- $dead
    dead=
    node_start "$@" && right
}

sixteen_find_a_tree_and_elect() {
    local conf

    draw
    conf=$(mktemp "${TMPDIR:-/tmp}/electd-XXXXXX") || return
    file >"$conf"
    cluster_new "$conf"
    rm "$conf"
    # shellcheck disable=SC2046 # ids in words
    node_start $(alive) && right
}

# costs TERM: succeeds if all nodes remember to have sent what a tree needs.
costs() {
    ask "$n" history --all --term "$1" | tail -n 1 |
        grep -q ": $n nodes sent .*: $((2 * n - 2)) WAKEUP, $((2 * n - 2)) TOKEN$"
}

an_election_costs_what_it_does_on_a_tree() {
    local told

    told=$(kv 3 term elect)
    [ -n "$told" ] || complain '3 does not elect' || return
    awaits "$seconds_max" costs "$told" && right
}

an_inner_node_is_killed() { fall "$(of inner)"; }
the_root_is_killed() { fall "$(of root)"; }
another_inner_node_is_killed() { fall "$(of inner)"; }
the_next_root_is_killed() { fall "$(of root)"; }
the_leader_is_killed() { fall "$(alive | tail -n 1)"; }
all_come_back() { rise; }

# shellcheck disable=SC2046 # ids in words
leader_root_and_inner_node_are_killed_at_once() {
    fall $(printf "%s\n" "$n" "$(of root)" "$(of inner)" | sort -u)
}

check sixteen_find_a_tree_and_elect
check an_election_costs_what_it_does_on_a_tree
check an_inner_node_is_killed
check the_root_is_killed
check another_inner_node_is_killed
check the_next_root_is_killed
check the_leader_is_killed
check all_come_back
check leader_root_and_inner_node_are_killed_at_once
check_end
