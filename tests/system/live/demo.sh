#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `make demo`: five daemons on loopback elect a leader, lose it to kill -9,
# elect another, follow the first again when it comes back, and hold an election
# that the worst of them begins. It needs no privilege, and leaves nothing
# behind but a picture of that election, in BUILD.
set -u

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tests/lib/cluster.sh
. tests/lib/cluster.sh

bold='' green='' red='' end=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
    bold=$'\e[1m' green=$'\e[32m' red=$'\e[31m' end=$'\e[0m'
fi

finish() {
    local status=$?

    trap '' INT TERM
    cluster_end
    case $status in
    0 | 130 | 143) ;;
    *) echo "${red}The demonstration did not end well.$end" ;;
    esac
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step() {
    printf '\n%s%s%s\n' "$bold" "$1" "$end"
}

# show_leaders ID...: prints a command for each node, and its answer.
show_leaders() {
    local id

    for id in "$@"; do
        printf '    node %s$ electctl leader   %s%s%s\n' "$id" "$green" \
            "$(ask "$id" leader 2>&1)" "$end"
    done
}

# milliseconds FROM TO: the time between two moments in nanoseconds, as 12.3.
milliseconds() {
    local tenths=$((($2 - $1) / 100000))

    echo "$((tenths / 10)).$((tenths % 10))"
}

# follow LEADER SINCE ID...: waits until each of these nodes follows LEADER, and
# prints how long after SINCE that was, and why.
follow() {
    local leader=$1 since=$2 id reason
    shift 2

    for id in "$@"; do
        watch_leader "$id" "$leader" || exit 1
        reason=
        [[ $event =~ \"reason\":\"([^\"]*)\" ]] && reason=${BASH_REMATCH[1]}
        printf '    node %s: leader %s after %s%7s ms%s   %s\n' "$id" \
            "$leader" "$green" "$(milliseconds "$since" "$moment")" "$end" \
            "${reason:+($reason)}"
    done
}

# counted LEADER NODES TERM: waits until the events of NODES nodes have messages
# of that term, and nothing comes any more; `messages` is what they sent.
counted() {
    local before=

    messages=
    until [[ $messages == *" $2 nodes sent "* && $messages == "$before" ]]; do
        [ $SECONDS -lt $((3 * seconds_max)) ] ||
            { echo "not $2 nodes took part in term $3"; exit 1; }
        before=$messages
        pause
        messages=$(ask "$1" history --all --term "$3" | tail -n 1)
    done
}

term_of() {
    kv "$1" term leader
}

# cost WHOSE MESSAGES: a row of the table of messages, by kind.
cost() {
    local kind count total=0 row

    printf -v row '    %-16s' "$1"
    for kind in ELECTION OK COORDINATOR; do
        count=0
        [[ $2 =~ ([0-9]+)\ $kind|$kind\ ([0-9]+) ]] &&
            count=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
        total=$((total + count))
        printf -v row '%s %11s' "$row" "$count"
    done
    printf '%s %s%7s%s\n' "$row" "$green" "$total" "$end"
}

# costs NODES STARTER: what the daemons counted, beside what electsim counts.
costs() {
    printf '    %-16s %11s %11s %11s %7s\n' messages ELECTION OK \
        COORDINATOR total
    cost "$1 daemons" "$messages"
    cost electsim "$("$BUILD/electsim" run --algorithm bully --nodes "$1" \
        --starters "$2")"
}

step "1. Five nodes start from one configuration, conf/loopback.conf."
cluster_new conf/loopback.conf || exit 1
began=$("$kill9")
node_start 1 2 3 4 5 || exit 1
watch_open 1 2 3 4 5
follow 5 "$began" 1 2 3 4 5
echo "  They listened first, then elected the highest id. Ask any of them:"
show_leaders 1 2 3 4 5

step "2. The leader is killed: kill -9 ${daemon_pid[5]}"
node_kill9 5 || exit 1
follow 4 "$moment" 1 2 3 4
echo "  The next best took over; the time runs from the kill to each node's"
echo "  decision. It began, and nobody is better: the bully's best case, n - 1"
echo "  messages."
counted 4 4 "$(term_of 4)"
costs 4 4
show_leaders 1 2 3 4

step "3. The old leader starts again, and being better, takes over: the bully."
began=$("$kill9")
node_start 5 || exit 1
watch_open 5
follow 5 "$began" 5 1 2 3 4
show_leaders 1 2 3 4 5

step "4. The worst node calls an election: the bully's worst case, n^2 - 1."
said=$(ask 1 elect) || exit 1
printf '    node 1$ electctl elect    %s%s%s\n' "$green" "$said" "$end"
counted 5 5 "${said##* }"
ask 1 explain | sed -n 's/^It sent/    Node 1 sent/p'
ask 5 explain | sed -n 's/^It sent/    Node 5 sent/p'
echo "  Each asks all that are better (ELECTION), each of these answers (OK) and"
echo "  asks on; the best has nobody to ask and tells all (COORDINATOR)."
costs 5 1

step "5. How it stands, once the leader has told node 1 that all follow."
until ask 1 -o json leader | grep -q '"agree":5' || [ $SECONDS -gt 60 ]; do
    pause
done
ask 1 status | sed 's/^/    /'

step "6. A picture of the election that node 1 called: each message, by its causes."
ask 1 history --all --term "${said##* }" --svg "$BUILD/demo.svg" || exit 1
echo "    $BUILD/demo.svg   (any browser shows it)"

step "7. All are stopped, each says goodbye to the others."
for id in 1 2 3 4 5; do
    kill "${daemon_pid[$id]}"
    node_gone "$id" || { echo "node $id ended with status $?"; exit 1; }
done
echo "    done"
