#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Counts how often a live node is given up. Five hosts in network namespaces have
# no faults, and the script counts their events about each other: on cores that
# other programs keep busy, or on a network that loses datagrams.
#
# usage: suspicion.sh
# MINUTES (10; RUN_SECONDS instead), HEARTBEAT (10ms), MISSES (3), LOAD (yes or
# no), LOSS (0): percent of all datagrams. ALGORITHM (bully), GUARANTEE
# (component), SEED (1): of the loss. ONLY_FIRST (no): whether to end with the first.
# BUILD: where the programs are. RECORD: where all events go;
# BUILD/suspicion. Ends with 1 if there was one.
set -u

: "${MINUTES:=10}" "${HEARTBEAT:=10ms}" "${LOAD:=yes}" "${LOSS:=0}" "${SEED:=1}"
: "${GUARANTEE:=component}" "${ONLY_FIRST:=no}"
# shellcheck source=tests/bench/chaos/hosts.sh
. "$(dirname "$0")/chaos/hosts.sh"

: "${RUN_SECONDS:=$((MINUTES * 60))}" "${RECORD:=$BUILD/suspicion}"
readonly start_seconds=30 # for all to have found each other
witness= # a bare process that is held up as the daemons are
load=()  # processes that keep the cores busy, or look for the first event

at_end '[ -z "$witness" ] || kill "$witness"'
at_end calm

# Two for each core, of the priority that the daemons have, and, as other users'
# work is, in a session of their own: the kernel shares its time between these.
busy() {
    local i count=$((2 * $(nproc)))

    if command -v stress-ng >/dev/null; then
        echo "load: stress-ng --cpu $count"
        setsid stress-ng --quiet --cpu "$count" \
            --timeout $((RUN_SECONDS + 60)) &
        load=($!)
        return
    fi
    echo "load: $count busy loops (stress-ng is not installed)"
    for ((i = 0; i < count; i++)); do
        setsid bash -c 'while :; do :; done' &
        load+=($!)
    done
}

calm() {
    [ "${#load[@]}" = 0 ] || kill "${load[@]}" 2>/dev/null
    load=()
}

# All follow the same one, and there was no event meanwhile: all links are up.
agreed() {
    local told followed

    told=$(cat "$cluster"/watch.*)
    # shellcheck disable=SC2086 # hosts in words
    all_follow '' $hosts || return
    pause $((1 + 3 * heartbeat_ns / 1000000000)) # nobody says that all is over
    [ "$told" = "$(cat "$cluster"/watch.*)" ]
} 2>/dev/null

# sum NAME: a counter of `stats`, of all hosts
sum() {
    local host total=0

    for host in $hosts; do
        total=$((total + $(ask_time=5s ask "$host" -o json stats |
            sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p")))
    done
    echo "$total"
}

# For how many ms this machine's host has let its cores wait, since it booted.
stolen() {
    local cpus # the word, then ticks: proc(5)

    read -r -a cpus </proc/stat
    echo $((cpus[8] * 1000 / $(getconf CLK_TCK)))
}

# told EVENT [EVIDENCE]: counts such events
told() {
    cat "$cluster"/watch.* | grep "\"event\":\"$1\"" |
        grep -c "${2:+\"evidence\":\"$2\"}"
}

# All events until now are of the start.
begin() {
    local file until=$((SECONDS + start_seconds))

    hosts_begin $((RUN_SECONDS + 120)) "$@"
    for host in $hosts; do
        hand "$host" start 0 0
    done
    until agreed; do
        [ "$SECONDS" -lt "$until" ] ||
            { echo 'not ok: no leader of all at the start'; exit 1; }
        pause
    done
    [ "$LOSS" = 0 ] || net set all loss="$LOSS%"
    for file in "$cluster"/watch.* "$cluster"/electd.*.log; do
        : >"$file"
    done
    suspicions=$(sum suspicions) stalls=$(sum stalls)
}

# Waits so long, or until the first event, where that is enough.
look_on() {
    local began=$SECONDS waited

    waited=$(stolen)
    exec {testimony}< <(exec setsid "$BUILD/tests/bench/witness" \
        "$heartbeat_ns" $((heartbeat_ns * MISSES)))
    witness=$!
    if [ "$ONLY_FIRST" = yes ]; then
        timeout "$RUN_SECONDS" bash -c 'tail -q -n +1 -f "$@" |
            grep -q -m 1 -E "\"(peer-down|leader|no-leader)\","' - \
            "$cluster"/watch.* &
        load+=($!)
        wait "$!"
    else
        pause "$RUN_SECONDS"
    fi
    seconds=$((SECONDS - began)) theft=$(($(stolen) - waited))
    kill "$witness"
    read -r wakes late delay <&"$testimony"
}

# Prints how often links and the leader changed.
count() {
    local evidence

    for evidence in missed refused died reset; do
        lost[$evidence]=$(told peer-down $evidence)
    done
    followed=$(told leader) forsaken=$(told no-leader)
    suspicions=$(($(sum suspicions) - suspicions))
    stalls=$(($(sum stalls) - stalls))
    longest=$(sed -n 's/.*not scheduled for \([0-9]*\) ms.*/\1/p' \
        "$cluster"/electd.*.log | sort -n | tail -n 1)
    hangs=$(cat "$cluster"/electd.*.log | grep -c 'lastwill has announced')
}

verdict() {
    local all=$((lost[missed] + lost[refused] + lost[died] + lost[reset]))
    local word=ok

    [ $((all + followed + forsaken)) = 0 ] || word='not ok'
    echo "$word: $seconds s of $ALGORITHM, $GUARANTEE, $HEARTBEAT x $MISSES," \
        "load $LOAD, loss $LOSS %"
    echo "  links lost: $all (missed ${lost[missed]}, refused" \
        "${lost[refused]}, died ${lost[died]}, reset ${lost[reset]})"
    echo "  leaders: $followed told, $forsaken times none"
    echo "  daemons: $suspicions suspicions, $stalls stalls, longest" \
        "${longest:-0} ms; $hangs hangs told by helpers"
    echo "  a bare process: $wakes wakes, $late later than $MISSES" \
        "heartbeats, longest $((delay / 1000)) us"
    echo "  machine: $(nproc) cores, load" \
        "$(cut -d ' ' -f 1-3 /proc/loadavg), $theft ms stolen by its host"
    [ "$word" = ok ]
}

declare -A lost=()
hosts_check
heartbeat_ns=$(nanoseconds "$HEARTBEAT") || exit
if [ "$LOSS" = 0 ]; then
    begin --bridge
else
    begin --seed "$SEED"
fi
[ "$LOAD" != yes ] || busy
look_on
count
calm
hosts_keep "$RECORD"
hosts_end
verdict
