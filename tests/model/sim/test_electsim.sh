#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2317 # the cases are called by check()
# electsim's commands: their output and their exit status.
# Computes only.
set -u

# shellcheck source=tests/model/sim/electsim.sh
. "$(dirname "$0")/electsim.sh"

# says STATUS WANTED OPTION...: fails unless a run prints this, on stdout and
# stderr.
says() {
    local status=$1 wanted=$2 said exited

    shift 2
    said=$("$BUILD/electsim" run "$@" 2>&1)
    exited=$?
    [ "$exited" = "$status" ] && [ "$said" = "$wanted" ] && return
    printf 'electsim run %s: exit %s\n%s\n' "$*" "$exited" "$said"
    return 1
}

# refuses STATUS PART OPTION...: fails unless a run prints this, among other
# things.
refuses() {
    local status=$1 part=$2 said exited

    shift 2
    said=$("$BUILD/electsim" run "$@" 2>&1 >out)
    exited=$?
    [ "$exited" = "$status" ] && [ ! -s out ] && [[ $said = *"$part"* ]] &&
        return
    printf 'electsim run %s: exit %s\n%s\n' "$*" "$exited" "$said"
    return 1
}

a_ring_of_eight_as_json() {
    says 0 '{"algorithm":"chang-roberts","nodes":8,"edges":8,"diameter":4,"leader":8,"agreed":true,"messages":{"ELECTION":15,"LEADER":8},"total":23,"time":16}' \
        --algorithm chang-roberts --topology ring --ids asc --nodes 8 -o json
}

a_trace_shows_every_step() {
    says 0 '    0    1 * starts                    candidate   > ELECTION(1) to 2
    0    2 * starts                    candidate   > ELECTION(2) to 1
    1    2 < ELECTION(1) from 1        candidate
    1    1 < ELECTION(2) from 2        passive     > ELECTION(2) to 2
    2    2 < ELECTION(2) from 1        decided     > LEADER(2) to 1  = leader 2
    3    1 < LEADER(2) from 2          decided     > LEADER(2) to 2  = leader 2
    4    2 < LEADER(2) from 1          decided
algorithm  chang-roberts
graph      2 nodes, 2 edges, diameter 1
leader     2
messages   5: ELECTION 3, LEADER 2
time       4' --algorithm chang-roberts --nodes 2 --trace
}

json_is_alone_on_stdout() {
    "$BUILD/electsim" run --algorithm bully --nodes 3 --trace -o json \
        >out 2>trace || return
    [ "$(wc -l <out)" = 1 ] && [ "$(grep -c starts trace)" = 3 ]
}

too_few_rounds_do_not_agree() {
    says 1 '{"algorithm":"floodmax","nodes":8,"edges":7,"diameter":7,"leader":null,"agreed":false,"messages":{"MAX":84},"total":84,"time":6}' \
        --algorithm floodmax --topology path --diameter 6 -o json
}

no_node_leads_where_none_is_eligible() {
    says 0 'algorithm  bully
graph      2 nodes, 1 edge, diameter 1
leader     none: no node is eligible
messages   3: ELECTION 1, OK 1, COORDINATOR 1
time       2' --algorithm bully --nodes 2 --abstain 1,2
}

priority_comes_before_id() {
    "$BUILD/electsim" run --algorithm bully --nodes 3 --priorities 0,9,0 \
        -o json | grep -q '"leader":2,'
}

options_that_do_not_suit_are_refused() {
    refuses 2 'bully needs a complete graph' --algorithm bully \
        --topology ring &&
        refuses 2 'This graph suits: tree tree-echo' --algorithm lelann \
            --topology star &&
        refuses 2 'lelann has no --variant' --algorithm lelann --variant x &&
        refuses 2 'Its variants are: standard' --algorithm chang-roberts \
            --variant x
}

wrong_options_are_refused() {
    refuses 2 'there is no "nope"' --algorithm nope &&
        refuses 2 '--algorithm is needed' --nodes 3 &&
        refuses 2 '--nodes is' --algorithm bully --nodes 0 &&
        refuses 2 '--nodes is' --algorithm bully --nodes 16777217 &&
        refuses 2 '--seed is' --algorithm bully --seed 1x &&
        refuses 2 '3 different numbers' --algorithm bully --nodes 3 \
            --ids 1,2,2 &&
        refuses 2 'node 3 unconnected: no way leads from 1' --algorithm tree \
            --links 1-2,3-4 &&
        refuses 2 'no tree' --algorithm tree --links 1-2,2-3,3-1 &&
        refuses 2 'each pair once' --algorithm tree --links 1-2,2-1 &&
        refuses 2 'the id of no node' --algorithm tree --ids 5,7,9 \
            --links 5-7,7-8 &&
        refuses 2 'pairs of ids' --algorithm tree --links 0-1 &&
        refuses 2 'ids of nodes' --algorithm bully --starters 9 &&
        refuses 2 'ids of nodes' --algorithm bully --abstain 0 &&
        refuses 2 'has 12 nodes' --algorithm floodmax --topology grid:3x4 \
            --nodes 5 &&
        refuses 2 'from 7 to 28' --algorithm floodmax --topology random:6
}

too_many_messages_are_refused() {
    refuses 6 '7984008000 messages' --algorithm floodmax \
        --topology grid:1000x1000 &&
        refuses 6 '--force runs it, for minutes' --algorithm lelann \
            --nodes 100000 &&
        refuses 6 'for days' --algorithm lelann --nodes 1000000 &&
        refuses 6 '499999500000 links' --algorithm bully --nodes 1000000 &&
        refuses 6 'up to 500001500000 messages' --algorithm chang-roberts \
            --nodes 1000000 --ids desc
}

a_diagram_too_large_is_refused_before_anything_runs() {
    refuses 6 'not 65' --algorithm lelann --nodes 65 --trace --svg svg &&
        refuses 6 'not 2070' --algorithm lelann --nodes 45 --trace --svg svg &&
        [ ! -e svg ] &&
        "$BUILD/electsim" run --algorithm lelann --nodes 44 --svg svg >out &&
        [ -s svg ]
}

a_token_shows_its_direction() {
    "$BUILD/electsim" run --algorithm traversal --links 1-2,2-3,3-1 \
        --starters 1 --trace >out &&
        grep -q '< TOKEN(1, onward) from 1 ' out &&
        grep -q '> TOKEN(of 1, best 3, bounced) to 3$' out &&
        grep -q '> TOKEN(of 1, best 3, back) to 2$' out
}

# The tree of 5, 9 and 7, by the ids that it prints.
nodes_are_named_by_their_ids() {
    "$BUILD/electsim" run --algorithm tree --ids 9,7,5 --links 5-9,9-7 \
        --starters 7 --abstain 9 --trace >out || return
    grep -q '^ *0  *7 \* starts' out && grep -q '> WAKEUP to 9$' out &&
        grep -q '^leader  *7$' out
}

# again OPTION...: compares a random graph with that of the links it prints.
again() {
    local links

    "$BUILD/electsim" run --trace "$@" >out || return
    links=$(sed -n 's/^links      //p' out)
    [ -n "$links" ] || return
    "$BUILD/electsim" run --algorithm "$2" --links "$links" --trace >again ||
        return
    diff <(grep -v ^links out) again
}

links_that_are_told_are_taken_back() {
    again --algorithm traversal --nodes 9 &&
        again --algorithm traversal --topology random:32 --nodes 12 &&
        again --algorithm tree --nodes 33 &&
        ! again --algorithm tree --nodes 34 &&
        ! again --algorithm tree --topology star
}

one_is_one() {
    "$BUILD/electsim" run --algorithm bully --nodes 1 |
        grep -q '^graph      1 node, 0 edges, '
}

each_command_lists_its_options() {
    for command in run table explore replay swarm; do
        "$BUILD/electsim" "$command" --help >out || return
        grep -q '^usage: ' out && grep -q Example out || return
        "$BUILD/electsim" "$command" --nope 2>out
        [ $? = 2 ] && [ "$(head -c 10 out)" = 'electsim: ' ] || return
    done
    "$BUILD/electsim" table -n 0 2>out
    [ $? = 2 ] && grep -q '^electsim: --nodes are' out
}

for name in each_command_lists_its_options one_is_one \
    a_ring_of_eight_as_json a_trace_shows_every_step \
    a_token_shows_its_direction nodes_are_named_by_their_ids links_that_are_told_are_taken_back \
    a_diagram_too_large_is_refused_before_anything_runs json_is_alone_on_stdout too_few_rounds_do_not_agree \
    no_node_leads_where_none_is_eligible priority_comes_before_id \
    options_that_do_not_suit_are_refused wrong_options_are_refused \
    too_many_messages_are_refused; do
    check "$name"
done
cases_end
