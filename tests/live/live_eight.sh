# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # much is for the caller
# Sourced by scripts that run eight real daemons of one cluster under any
# algorithm and topology, on top of live.sh; and that know what each connected
# part of what is left of them has to come to, and what theory says an election
# costs.
#
# The caller may say where a node is (address_of), how it is timed
# (eight_timing), and has to say what becomes of a cluster: life.

electsim=$BUILD/electsim
eight='1 2 3 4 5 6 7 8'
eight_timing=
starter=3     # of the election that is counted
fits=is_exact # what it has cost, to theory
disturbed=0   # elections that another one followed at once
disturbed_max=0
step=  # what was done last
dead=  # the ids of those that were killed
aside= # and of one that its ring steps over

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
    # It elects the best that begins: it would have 3, whom 8 then replaces.
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

# eight_new ALGORITHM SECTION: a cluster of them, not started.
eight_new() {
    local file

    live_end
    file=$(mktemp "${TMPDIR:-/tmp}/electd-XXXXXX") || return
    kind=$(kind_of "$1") dead='' aside=''
    eight_file "$@" >"$file"
    cluster_new "$file"
    rm "$file"
}

# eight_start ALGORITHM SECTION: and all of them agree, linked as they ought
# to be.
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

# fall ID...: these are killed, one right after the other; the rest agree.
fall() {
    local id

    for id in "$@"; do
        node_kill9 "$id" || return
        dead+=" $id"
    done
    whole
}

# rise ID...: these of the dead return.
rise() {
    local id

    for id in "$@"; do
        dead=${dead/ $id/}
    done
    node_start "$@" && whole
}

## Who is connected with whom

# linked A B: may they be neighbours, by the topology? In a ring and in a full
# graph the dead keep nobody apart.
linked() {
    local links

    case $kind in
    tree) links=$tree_links ;;
    graph) links=$graph_links ;;
    *) return 0 ;;
    esac
    [[ " $links " =~ " "($1-$2|$2-$1)" " ]]
}

# part_of ID ID...: all of the latter that the first is connected with.
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
    local id=$1 ids other i
    shift

    ids=("$@")
    for ((i = 0; i < $#; i++)); do
        other=${ids[i]}
        if [ "$kind" = ring ]; then
            [ "${ids[(i + 1) % $#]}" = "$id" ] ||
                [ "${ids[i == 0 ? $# - 1 : i - 1]}" = "$id" ] || continue
        else
            linked "$id" "$other" || continue
        fi
        [ "$other" = "$id" ] || echo "$other"
    done | sort -u | paste -sd ' '
}

# links_of ID: the peers that are up at this node; or "aside" if its ring steps
# over it.
links_of() {
    ask "$1" -o kv status 2>/dev/null | awk -F = '
        $1 == "node_bypassed" && $2 == "true" { print "aside"; exit }
        /^peers_[0-9]+_id=/ { id = $2 }
        /^peers_[0-9]+_up=true/ { print id }' | sort -u | paste -sd ' '
}

# believes ID: "TERM LEADER", or nothing.
believes() {
    ask "$1" -o kv leader 2>/dev/null |
        sed -n 's/^term=//p; s/^leader_id=//p' | paste -sd ' '
}

# part_agrees ID...: they follow the best of them, all in one term. If one is
# aside the leader may be any, as a leader that is put aside leads on.
part_agrees() {
    local best=0 id first belief

    for id in "$@"; do
        [ "$id" -le "$best" ] || best=$id
    done
    first=$(believes "$1")
    [ "${first#* }" = "$best" ] || [[ -n $aside && $first == *' '[1-8] ]] ||
        return
    for id in "$@"; do
        belief=$(believes "$id")
        [ "$belief" = "$first" ] || return
    done
}

# all_believe ID...: what each does, in one line.
all_believe() {
    local id

    for id in "$@"; do
        echo -n "$id '$(believes "$id")' "
    done
}

# all_agree ID...: each connected part of these comes to follow its best.
all_agree() {
    local until=$((SECONDS + seconds_max)) id

    for id in "$@"; do
        # shellcheck disable=SC2046 # ids in words
        until part_agrees $(part_of "$id" "$@"); do
            [ $SECONDS -lt "$until" ] ||
                complain "after $step, term and leader: $(all_believe "$@")" ||
                return
        done
    done
}

# all_linked ID...: the links of each come to be those of the topology, among
# these.
all_linked() {
    local until=$((SECONDS + seconds_max)) id wanted links

    for id in "$@"; do
        wanted=$(neighbours_of "$id" "$@")
        until links=$(links_of "$id") && [ "$links" = "$wanted" ]; do
            [ $SECONDS -lt "$until" ] ||
                complain "after $step: $id has the links '$links'" ||
                return
        done
    done
}

# whole: those that are left are linked as they ought to be, and agree.
whole() {
    # shellcheck disable=SC2046,SC2086 # ids in words
    all_linked $(without $dead) && all_agree $(without $dead)
}

## What an election costs

# theory ALGORITHM OPTION...: what electsim counts if the starter begins.
theory() {
    local links=

    [ "$kind" != tree ] || links=$tree_links
    [ "$kind" != graph ] || links=$graph_links
    [ -z "$links" ] || set -- "$@" --links "$(for pair in $links; do
        echo "$((${pair%-*} - 1))-$((${pair#*-} - 1))"
    done | paste -sd,)"
    "$electsim" run --algorithm "$@" --topology "$kind" --nodes 8 \
        --starters $((starter - 1)) -o json |
        sed -n 's/.*"messages":\({[^}]*}\).*/\1/p'
}

# Which way a rank goes is drawn: no more than the worst case, and one round.
is_within_its_bound() {
    local elected=${1#*ELECTION\":}

    [ "${elected%%[,\}]*}" -le 36 ] && [[ $1 == *'"LEADER":8'* ]]
}

# is_exact COST WANTED
is_exact() {
    [ "$1" = "$2" ]
}

# counted WANTED: the starter is told to elect; it costs what is wanted, as the
# leader, node 8, counts it in all eight. Fails with 2 if another election has
# followed at once: then that is counted, not this one.
counted() {
    local told until=$((SECONDS + seconds_max)) term cost=
    local news='"event":"(election|leader|counted)","term":([0-9]+)'

    told=$(ask "$starter" -o kv elect | sed -n 's/^term=//p')
    [ -n "$told" ] || complain "$starter does not elect" || return
    while [ $SECONDS -lt "$until" ] &&
        read -r -t "$seconds_max" -u "${watch_fd[8]}" event; do
        [[ $event =~ $news ]] || continue
        term=${BASH_REMATCH[2]}
        [ "$term" -le "$told" ] || { echo "    $told, then $event"; return 2; }
        [[ $term == "$told" && $event == *'"counted"'*'"nodes":8,'* ]] ||
            continue
        cost=$(sed -n 's/.*"messages":\({[^}]*}\).*/\1/p' <<<"$event")
        "$fits" "$cost" "$1" && return
    done
    complain "what it cost: wanted '$1', got '$cost'"
}

# elects ALGORITHM OPTION...: is told to, and does, at the cost of theory. What
# disturbs an election is no fault by itself, if it is rare.
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

# Three in a row are killed, first far from the leader and then with it in the
# middle; the ring closes over them, and opens again as they return.
a_ring_loses_three_in_a_row() {
    local step

    eight_start chang-roberts '' || return
    step='death of three in a row' && fall 3 4 5 || return
    step='their return' && rise 3 4 5 || return
    step='death of the leader between two others' && fall 7 8 1 || return
    step='their return' && rise 7 8 1
}
