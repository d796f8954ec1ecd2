# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # much is for the caller
# Sourced by scripts that run eight real daemons of one cluster under any
# algorithm and topology, on top of live.sh. It computes on what each connected
# part of the survivors must agree, and what an election costs by theory.
#
# The caller may set a node's address (address_of) and its timing
# (eight_timing), and must define `life`, the history of a cluster.

electsim=$BUILD/electsim
eight='1 2 3 4 5 6 7 8'
eight_timing=
starter=3     # of the election that is counted
fits=is_exact # what it has cost, to theory
disturbed=0   # elections that another one followed at once
disturbed_max=0
step=  # what was done last
dead=  # the ids of those that were killed
bypassed= # and of one that its ring bypasses

# Pairs of ids. The graph has cycles; 8 is a leaf of the tree.
tree_links='1-2 1-3 2-4 2-5 3-6 3-7 4-8'
graph_links='1-2 1-3 2-3 2-4 3-5 4-5 4-6 5-7 6-7 6-8 7-8'

## The algorithms, each a case for check(): life ALGORITHM SECTION OPTION...,
## where OPTION is to electsim what SECTION is to electd.

every_algorithm='bully bully_broadcast lelann lelann_of_starters chang_roberts
    chang_roberts_that_replaces chang_roberts_both_ways hirschberg_sinclair
    ring_list tree tree_echo floodmax traversal extinction'

bully() { life bully ''; }
bully_broadcast() { life bully-broadcast ''; }
lelann() { life lelann ''; }
lelann_of_starters() {
    # It elects the best starter: that would be 3, which 8 then replaces.
    starter=8 life lelann 'lelann = { join = false; };' --join no
}
chang_roberts() { life chang-roberts ''; }
chang_roberts_that_replaces() {
    life chang-roberts 'chang-roberts = { variant = "replace"; };' \
        --variant replace
}
chang_roberts_both_ways() {
    fits=is_within_its_bound life chang-roberts \
        'chang-roberts = { variant = "bidirectional"; };'
}
hirschberg_sinclair() { life hirschberg-sinclair ''; }
ring_list() { life ring-list ''; }
tree() { life tree ''; }
tree_echo() { life tree-echo ''; }
floodmax() { life floodmax '' --diameter 7; }
traversal() { life traversal ''; }
extinction() { life extinction ''; }

# kind_of ALGORITHM: the topology it gets here.
kind_of() {
    case $1 in
    bully*) echo full ;;
    tree*) echo tree ;;
    lelann | chang-roberts | hirschberg-sinclair | ring-list) echo ring ;;
    *) echo graph ;;
    esac
}

## A cluster

address_of() {
    echo "127.0.0.1:742$1"
}

# eight_file ALGORITHM SECTION: a configuration; SECTION: more lines of it.
eight_file() {
    local id links=

    [ "$kind" != tree ] || links=$tree_links
    [ "$kind" != graph ] || links=$graph_links
    echo "cluster = \"eight\"; guarantee = \"component\"; algorithm = \"$1\";"
    echo "topology = { kind = \"$kind\";"
    [ -z "$links" ] || echo "links = ($(sed \
        's/\([0-9]\)-\([0-9]\) */[\1, \2], /g; s/, $//' <<<"$links"));"
    echo '}; nodes = ('
    for id in $eight; do
        echo "{ id = $id; address = \"$(address_of "$id")\"; }" \
            "$([ "$id" = 8 ] || echo ,)"
    done
    echo "); timing = { $eight_timing }; security = { key_file = \"\"; }; $2"
    echo 'control = { socket = ""; }; state_dir = "";'
}

# eight_new ALGORITHM SECTION: makes a cluster of them, without starting it.
eight_new() {
    local file

    live_end
    file=$(mktemp "${TMPDIR:-/tmp}/electd-XXXXXX") || return
    kind=$(kind_of "$1") dead='' bypassed=''
    eight_file "$@" >"$file"
    cluster_new "$file"
    rm "$file"
}

# eight_start ALGORITHM SECTION: starts it, and waits until all agree and have
# their links.
eight_start() {
    local step=start

    # shellcheck disable=SC2086 # ids in words
    eight_new "$@" && node_start $eight && whole
}

# without ID...: the nodes but these.
without() {
    local id

    for id in $eight; do
        [[ " $* " == *" $id "* ]] || echo "$id"
    done
}

# fall ID...: kills these, one right after the other; the rest must agree.
fall() {
    local id

    for id in "$@"; do
        node_kill9 "$id" || return
        dead+=" $id"
    done
    whole
}

# rise ID...: starts these again.
rise() {
    local id

    for id in "$@"; do
        dead=${dead/ $id/}
    done
    node_start "$@" && whole
}

## Which nodes are connected

# linked A B: succeeds if they may be neighbours, by the topology. In a ring and
# in a full graph dead nodes separate no others.
linked() {
    local links

    case $kind in
    tree) links=$tree_links ;;
    graph) links=$graph_links ;;
    *) return 0 ;;
    esac
    [[ " $links " =~ " "($1-$2|$2-$1)" " ]]
}

# part_of ID ID...: those of the latter with which the first is connected.
part_of() {
    local found=" $1 " again=1 a b

    while [ $again = 1 ]; do
        again=0
        for a in $found; do
            for b in "${@:2}"; do
                [[ $found != *" $b "* ]] || continue
                linked "$a" "$b" || continue
                found+="$b " again=1
            done
        done
    done
    echo "$found"
}

# neighbours_of ID ID...: of the latter, in their order, those it has links to.
neighbours_of() {
    local id=$1 ids count i found=''
    shift

    ids=("$@") count=$#
    for ((i = 0; i < count; i++)); do
        [ "${ids[i]}" != "$id" ] || continue
        if [ "$kind" = ring ]; then
            [ "${ids[(i + 1) % count]}" = "$id" ] ||
                [ "${ids[(i + count - 1) % count]}" = "$id" ] || continue
        else
            linked "$id" "${ids[i]}" || continue
        fi
        found+=${found:+ }${ids[i]}
    done
    echo "$found"
}

# find_links ID: sets `links` to the peers that are up at this node, which it tells
# in the order of their ids; or to "bypassed" if its ring bypasses it.
find_links() {
    local line id heard

    hear "$1" status 2>/dev/null
    links=
    while read -r line; do
        case $line in
        node_bypassed=true) links=bypassed && return ;;
        peers_*_id=*) id=${line#*=} ;;
        peers_*_up=true) links+=${links:+ }$id ;;
        esac
    done <<<"$heard"
}

# believes ID: sets `belief` to "TERM LEADER", or to nothing.
believes() {
    local heard value

    hear "$1" leader 2>/dev/null
    pick term
    belief=$value
    pick leader_id
    belief+=${value:+ $value}
}

# part_agrees ID...: succeeds if they follow the best of them, all in one term.
# If one is bypassed the leader may be any, as a bypassed leader keeps the lead.
part_agrees() {
    local best=0 id first belief=

    for id in "$@"; do
        [ "$id" -le "$best" ] || best=$id
    done
    believes "$1"
    first=$belief
    [ "${first#* }" = "$best" ] || [[ -n $bypassed && $first == *' '[1-8] ]] ||
        return
    for id in "${@:2}"; do
        believes "$id"
        [ "$belief" = "$first" ] || return
    done
}

# all_believe ID...: the term and leader of each, in one line.
all_believe() {
    local id belief

    for id in "$@"; do
        believes "$id"
        echo -n "$id '$belief' "
    done
}

# all_agree ID...: waits until each connected part of these follows its best.
all_agree() {
    local until=$((SECONDS + seconds_max)) id part agreed=

    for id in "$@"; do
        [[ $agreed != *" $id "* ]] || continue
        part=$(part_of "$id" "$@")
        # shellcheck disable=SC2086 # ids in words
        until part_agrees $part; do
            [ $SECONDS -lt "$until" ] ||
                complain "after $step, term and leader: $(all_believe "$@")" ||
                return
            pause
        done
        agreed+=$part
    done
}

# all_linked ID...: waits until each has those links of the topology that join
# these nodes.
all_linked() {
    local until=$((SECONDS + seconds_max)) id wanted links

    for id in "$@"; do
        wanted=$(neighbours_of "$id" "$@")
        until find_links "$id"; [ "$links" = "$wanted" ]; do
            [ $SECONDS -lt "$until" ] ||
                complain "after $step: $id has the links '$links'" ||
                return
            pause
        done
    done
}

# whole: the survivors must get their links, and agree.
whole() {
    # shellcheck disable=SC2046,SC2086 # ids in words
    all_linked $(without $dead) && all_agree $(without $dead)
}

## What an election costs

# theory ALGORITHM OPTION...: the messages that electsim counts for the starter.
theory() {
    local links=

    [ "$kind" != tree ] || links=$tree_links
    [ "$kind" != graph ] || links=$graph_links
    [ -z "$links" ] || set -- "$@" --links "${links// /,}"
    "$electsim" run --algorithm "$@" --topology "$kind" --nodes 8 \
        --starters "$starter" |
        sed -n '/^messages/{s/.*: //; s/\([A-Z]*\) \([0-9]*\)/\2 \1/g; p}'
}

# A rank goes in a random direction: at most the worst case, at least one round.
is_within_its_bound() {
    [ "${1%% *}" -le 36 ] && [[ $1 == *' ELECTION, 8 LEADER' ]]
}

# is_exact COST WANTED
is_exact() {
    [ "$1" = "$2" ]
}

# counted WANTED: lets the starter elect, and compares the cost with what all
# eight remember to have sent. Fails with 2 if another election followed at
# once.
counted() {
    local told until=$((SECONDS + seconds_max)) term cost=

    told=$(kv "$starter" term elect)
    [ -n "$told" ] || complain "$starter does not elect" || return
    while [ $SECONDS -lt "$until" ]; do
        cost=$(ask 8 history --all --term "$told" | tail -n 1)
        [[ $cost == *' 8 nodes sent '* ]] && "$fits" "${cost##*: }" "$1" &&
            return
        term=$(kv 8 term leader)
        [ "$term" -le "$told" ] || { echo "    $told, then $term"; return 2; }
        pause
    done
    complain "cost of the election: wanted '$1', got '$cost'"
}

# elects ALGORITHM OPTION...: lets it elect, at the cost of theory. A disturbed
# election is no fault if it is rare.
elects() {
    local step='forced election' wanted status=2 try

    wanted=$(theory "$@")
    [ -n "$wanted" ] || complain 'no theory' || return
    for try in 1 2 3; do
        counted "$wanted"
        status=$?
        [ $status = 2 ] || break
        disturbed=$((disturbed + 1))
        whole || return
    done
    [ $status = 0 ] && whole
}

few_elections_were_disturbed() {
    echo "    $disturbed of them"
    [ "$disturbed" -le "$disturbed_max" ]
}

## A ring

# Kills three in a row, first far from the leader and then with it in the
# middle. The ring closes over them, and opens again as they return.
a_ring_loses_three_in_a_row() {
    local step

    eight_start chang-roberts '' || return
    step='death of three in a row' && fall 3 4 5 || return
    step='their return' && rise 3 4 5 || return
    step='death of the leader between two others' && fall 7 8 1 || return
    step='their return' && rise 7 8 1
}
