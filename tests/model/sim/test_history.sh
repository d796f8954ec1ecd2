#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2317 # the cases are called by check()
# electctl's history, and its cuts, of the histories of a textbook's figure and
# of runs that electsim has written. Computes only.
set -u

tree=$PWD
electctl=$(realpath "${ELECTCTL:-${BUILD:-build}/electctl}") || exit
# shellcheck source=tests/model/sim/electsim.sh
. "$(dirname "$0")/electsim.sh"
figure=$tree/tests/model/sim/histories/figure.json

# judged STATUS WANTED AT FILE: fails unless electctl judges the cut so.
judged() {
    local said exited

    said=$("$electctl" history --at "$3" --file "$4" 2>&1)
    exited=$?
    [ "$exited" = "$1" ] && [ "$said" = "$2" ] && return
    printf 'electctl history --at %s: exit %s\n%s\n' "$3" "$exited" "$said"
    return 1
}

# refuses PART OPTION...: fails unless electctl says this and exits with 2.
refuses() {
    local part=$1 said exited

    shift
    said=$("$electctl" "$@" 2>&1 >out)
    exited=$?
    [ "$exited" = 2 ] && [ ! -s out ] && [[ $said = *"$part"* ]] && return
    printf 'electctl %s: exit %s\n%s\n' "$*" "$exited" "$said"
    return 1
}

# Babaoglu and Marzullo, "Consistent Global States of Distributed Systems",
# figure 2: the cut C. One message crosses it forwards.
the_cut_5_2_4_of_the_figure_is_consistent() {
    judged 0 'consistent
frontier:      8     1:5     term 0    p1 sends M to p3, its event 6
frontier:      8     2:2     term 0    p2 takes M from p3, its event 3
frontier:      7     3:4     term 0    p3 timer
in transit: M from 1 to 3, sent by event 5, taken by event 6' \
        1:5,2:2,3:4 "$figure"
}

# The same figure: the cut C'. It has the sixth event of 3, and not the fifth of
# 1, which happened before.
the_cut_3_2_6_of_the_figure_is_inconsistent() {
    judged 1 'inconsistent
frontier:      4     1:3     term 0    p1 sends M to p3, its event 2
frontier:      8     2:2     term 0    p2 takes M from p3, its event 3
frontier:      9     3:6     term 0    p3 takes M from p1, its event 5
taken but not sent: M from 1 to 3, sent by event 5, taken by event 6
in transit: M from 3 to 1, sent by event 1, taken by event 4' \
        1:3,2:2,3:6 "$figure"
}

an_empty_cut_and_a_whole_one_are_consistent() {
    "$electctl" -q history --at 1:0,2:0,3:0 --file "$figure" &&
        "$electctl" -q history --at 1:6,2:3,3:6 --file "$figure"
}

a_cut_is_drawn_with_its_frontier() {
    "$electctl" -q history --at 1:3,2:2,3:6 --file "$figure" \
        --svg cut.svg && return 1
    [ "$(grep -c 'class="cut"' cut.svg)" = 1 ] &&
        [ "$(grep -c 'class="front"' cut.svg)" = 3 ] &&
        [ "$(grep -c 'class="broken"' cut.svg)" = 1 ] &&
        grep -q 'the cut is inconsistent' cut.svg
}

# The verdict is the answer in each form, and the exit status if another form of
# the events is wanted.
a_verdict_has_each_form_of_an_answer() {
    [ "$("$electctl" history --at 1:3,2:2,3:6 --file "$figure" -o kv |
        head -n 1)" = consistent=false ] &&
        [[ $("$electctl" history --at 1:3,2:2,3:6 --file "$figure" -o json) = \
            '{"consistent":false,"frontier":[{"id":1,'* ]] || return
    "$electctl" history --at 1:3,2:2,3:6 --file "$figure" --format svg >cut.svg
    [ $? = 1 ] && [ "$(grep -c 'class="broken"' cut.svg)" = 1 ] &&
        refuses 'has -o kv for --at alone' history --file "$figure" -o kv
}

# Where 1 sent what 3 took is in no history.
without_the_senders_history_it_is_not_known() {
    sed 1d "$figure" >others.json
    judged 7 'not known
frontier:      8     2:2     term 0    p2 takes M from p3, its event 3
frontier:      9     3:6     term 0    p3 takes M from 1
taken, sent nobody knows where: M from 1 to 3, sent by event -, taken by event 2
taken, sent nobody knows where: M from 1 to 3, sent by event -, taken by event 6
in transit: M from 2 to 1, sent by event 1, taken by event -
in transit: M from 3 to 1, sent by event 1, taken by event -' \
        2:2,3:6 others.json
}

# The channel keeps its order: a later message shows that it was sent before.
what_a_sender_has_forgotten_was_sent_before() {
    python3 - "$figure" >late.json <<'PY'
import json, sys
nodes = [json.loads(line) for line in open(sys.argv[1])]
nodes[0]["events"] = nodes[0]["events"][3:]
nodes[0]["first"] = 4
print("\n".join(map(json.dumps, nodes)))
PY
    "$electctl" -q history --at 1:5,2:2,3:4 --file late.json
}

cuts_that_make_no_sense_are_refused() {
    refuses 'a cut is NODE:EVENT' history --at 1 --file "$figure" &&
        refuses 'a cut is NODE:EVENT' history --at '1:2;' --file "$figure" &&
        refuses 'does not name node 3' history --at 1:1,2:1 --file "$figure" &&
        refuses 'named twice' history --at 1:1,1:1 --file "$figure" &&
        refuses 'no history of node 4' history --at 4:1 --file "$figure" &&
        refuses 'has the events 1 to 3, not 4' \
            history --at 1:1,2:4,3:1 --file "$figure"
}

files_that_are_no_histories_are_refused() {
    : >empty.json
    echo '{"id":1}' >short.json
    cat "$figure" "$figure" >twice.json
    sed 's/"cluster":"figure"/"cluster":"other"/;2,$d' "$figure" |
        sed 's/"id":1/"id":4/' >other.json
    refuses 'has no history' history --file empty.json &&
        refuses 'is missing' history --file short.json &&
        refuses 'does not follow' history --file twice.json &&
        refuses 'of different runs' history --file "$figure" \
            --file other.json &&
        refuses 'No such file' history --file nowhere.json
}

# Each of two nodes sends only after it has taken what the other sends.
histories_that_contradict_each_other_are_refused() {
    python3 - "$figure" >wrong.json <<'PY'
import json, sys
nodes = [json.loads(line) for line in open(sys.argv[1])][:2]
for node, peer in zip(nodes, (2, 1)):
    events = node["events"][1:3]
    for number, kind in ((1, "taken"), (2, "sent")):
        events[number - 1] |= {"number": number, "at": number, "kind": kind,
                               "peer": peer, "sequence": 1, "session": 1,
                               "message": "M", "rank": None, "origin": None,
                               "phase": 0}
    node |= {"events": events, "last": 2}
print("\n".join(map(json.dumps, nodes)))
PY
    refuses 'contradict each other' history --file wrong.json
}

# Each run of electsim is read, is consistent as a whole, and is written again
# as it was.
runs_of_electsim_are_histories() {
    local a all

    for a in bully chang-roberts hirschberg-sinclair tree floodmax; do
        "$BUILD/electsim" run --algorithm "$a" --nodes 8 --schedule random \
            --seed 5 --history run.json >/dev/null || return
        all=$(python3 -c 'import json
print(",".join("%d:%d" % (o["id"], o["last"])
    for o in map(json.loads, open("run.json"))))') || return
        "$electctl" -q history --at "$all" --file run.json || return
        "$electctl" history --file run.json --format json >again.json &&
            cmp run.json again.json || return
    done
}

# What a node may have forgotten is not in the sum. A run has no terms.
the_messages_of_a_term_are_counted_as_electsim_counts_them() {
    local all='4 nodes sent 15 messages: 6 ELECTION, 6 OK, 3 COORDINATOR'

    "$BUILD/electsim" run --algorithm bully --nodes 4 --starters 1 \
        --history run.json >said && grep -q '^messages   15: ELECTION 6, OK 6, COORDINATOR 3$' said &&
        sed -i 's/"term":0/"term":1/g' run.json &&
        [ "$("$electctl" history --file run.json --term 1 | tail -n 1)" = \
            "term 1: $all" ] &&
        [[ $("$electctl" history --file run.json --term 1 --from 2) == \
            *'nodes sent at least '* ]] &&
        ! "$electctl" history --file run.json | grep 'nodes sent'
}

# A history in pieces is one history.
pieces_are_put_together() {
    "$BUILD/electsim" run --algorithm chang-roberts --nodes 3 \
        --history run.json >/dev/null || return
    python3 - <<'PY' >pieces.json
import json
for node in map(json.loads, open("run.json")):
    events = node["events"]
    for at in range(0, len(events), 2):
        piece = dict(node, events=events[at:at + 2], first=at + 1)
        print(json.dumps(piece))
PY
    "$electctl" history --file pieces.json --format json | cmp run.json
}

# The clocks of ShiViz count the events of each host from 1 on.
a_log_for_shiviz_has_a_clock_with_each_event() {
    "$electctl" history --file "$figure" --format shiviz >log &&
        [ "$(wc -l <log)" = 30 ] &&
        [ "$(tail -n 3 log | head -n 1)" = \
            'node3 {"node1":5, "node2":1, "node3":6}' ]
}

a_diagram_for_mermaid_has_each_message_once() {
    "$electctl" history --file "$figure" --format mermaid >diagram &&
        [ "$(head -n 1 diagram)" = sequenceDiagram ] &&
        [ "$(grep -c -e '->>' diagram)" = 6 ]
}

# Without the history of node 1 nobody knows that it took these.
a_diagram_for_mermaid_shows_where_a_lost_message_was_to_go() {
    sed 1d "$figure" | "$electctl" history --file - --format mermaid >diagram &&
        [ "$(grep -e '-x' diagram)" = '    n2-xn1: M
    n3-xn1: M
    n2-xn1: M' ]
}

events_of_a_file_begin_where_it_is_asked_for() {
    "$electctl" history --file "$figure" --from 3 --format json >late.json &&
        python3 - "$figure" <<'PY'
import json, sys
whole, late = ([json.loads(line) for line in open(path)]
               for path in (sys.argv[1], "late.json"))
for node in whole:
    node["events"] = [e for e in node["events"] if e["number"] >= 3]
    node["first"] = 3
sys.exit(late != whole)
PY
}

# A daemon of twenty nodes gives no answer before four were asked for, and then
# after a while.
observer_asks_four_nodes_at_a_time_and_ends_in_time() {
    python3 - "$electctl" <<'PY'
import json, socket, subprocess, sys, threading, time

NODES, AT_ONCE, DELAY = 20, 4, 0.3
together = threading.Barrier(AT_ONCE, timeout=20)

def history(node):
    return {"id": node, "name": "n%d" % node, "cluster": "twenty",
            "algorithm": "bully", "topology": "full", "kinds": ["M"],
            "incarnation": 1, "clock": "ns", "epoch_ns": 0, "first": 1,
            "last": 0, "next": None, "events": []}

def serve(client):
    for line in client.makefile():
        request = json.loads(line)
        answer = {"nodes": [{"id": i + 1, "events": 0} for i in range(NODES)]}
        if request["verb"] == "history":
            together.wait()
            time.sleep(DELAY)
            answer = history(request["node"])
        client.sendall(json.dumps(answer).encode() + b"\n")

def accept(server):
    while True:
        threading.Thread(target=serve, args=server.accept()[:1],
                         daemon=True).start()

server = socket.socket(socket.AF_UNIX)
server.bind("web.admin.sock")
server.listen(AT_ONCE)
threading.Thread(target=accept, args=(server,), daemon=True).start()
began = time.monotonic()
run = subprocess.run([sys.argv[1], "-s", "web.sock", "-q", "-t", "1s",
                      "watch", "--all"])
took = time.monotonic() - began
if run.returncode != 0 or not 1 <= took < 1 + 5 * DELAY:
    print("exit %d after %.2f s" % (run.returncode, took))
    sys.exit(1)
PY
}

# The token of node 4 goes round, and so does that of the start.
a_chain_leads_from_the_start_to_the_leader() {
    "$BUILD/electsim" run --algorithm chang-roberts --nodes 4 --ids asc \
        --starters 2 --history run.json >/dev/null || return
    "$electctl" history --file run.json --format chain >chain
    diff chain - <<'END'
     0     2:1     term 0    starts
     0     2:2     term 0    sends ELECTION 2 to 3, its event 1
     1     3:1     term 0    takes ELECTION 2 from 2, its event 2
     1     3:2     term 0    sends ELECTION 3 to 4, its event 1
     2     4:1     term 0    takes ELECTION 3 from 3, its event 2
     2     4:2     term 0    sends ELECTION 4 to 1, its event 1
     3     1:1     term 0    takes ELECTION 4 from 4, its event 2
     3     1:2     term 0    sends ELECTION 4 to 2, its event 3
     4     2:3     term 0    takes ELECTION 4 from 1, its event 2
     4     2:4     term 0    sends ELECTION 4 to 3, its event 3
     5     3:3     term 0    takes ELECTION 4 from 2, its event 4
     5     3:4     term 0    sends ELECTION 4 to 4, its event 3
     6     4:3     term 0    takes ELECTION 4 from 3, its event 4
     6     4:5     term 0    decides for 4
END
}

the_picture_is_that_of_electsim() {
    "$BUILD/electsim" run --algorithm hirschberg-sinclair --nodes 8 \
        --svg direct.svg --history run.json >/dev/null &&
        "$electctl" history --file run.json --format svg |
        cmp direct.svg
}

too_large_a_picture_is_refused() {
    "$BUILD/electsim" run --algorithm lelann --nodes 45 --history run.json \
        >/dev/null || return
    "$electctl" history --file run.json --svg run.svg 2>said
    [ $? = 6 ] && grep -q 'up to 64 nodes and 2000 messages' said
}

for name in \
    the_cut_5_2_4_of_the_figure_is_consistent \
    the_cut_3_2_6_of_the_figure_is_inconsistent \
    an_empty_cut_and_a_whole_one_are_consistent \
    a_cut_is_drawn_with_its_frontier \
    a_verdict_has_each_form_of_an_answer \
    without_the_senders_history_it_is_not_known \
    what_a_sender_has_forgotten_was_sent_before \
    cuts_that_make_no_sense_are_refused \
    files_that_are_no_histories_are_refused \
    histories_that_contradict_each_other_are_refused \
    runs_of_electsim_are_histories \
    the_messages_of_a_term_are_counted_as_electsim_counts_them \
    pieces_are_put_together \
    a_log_for_shiviz_has_a_clock_with_each_event \
    a_diagram_for_mermaid_has_each_message_once \
    a_diagram_for_mermaid_shows_where_a_lost_message_was_to_go \
    events_of_a_file_begin_where_it_is_asked_for \
    observer_asks_four_nodes_at_a_time_and_ends_in_time \
    a_chain_leads_from_the_start_to_the_leader \
    the_picture_is_that_of_electsim too_large_a_picture_is_refused; do
    check "$name"
done
cases_end
