#!/bin/sh
# SPDX-License-Identifier: ISC
# The test LAN obeys its commands, and leaves nothing behind. As root the script
# runs a second time as an ordinary user.
#
# usage: LAN=build/tests/system/lan/lan tests/system/lan/test_lan.sh
# Takes 15 s.

LAN=${LAN:-${BUILD:-build}/tests/system/lan/lan}
[ -x "$LAN" ] || { echo "test_lan: $LAN: not built" >&2; exit 1; }

# LeakSanitizer does not work across PID namespaces.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

"$LAN" --check || exit

tmp=$(mktemp -d) || exit 1
dir=$tmp/lan
mkdir "$dir"
lan=
failed=0

finish() {
    [ -z "$lan" ] || { kill "$lan" && wait "$lan"; } 2>/dev/null
    rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

ask() {
    "$LAN" -d "$dir" "$@"
}

start() {
    "$LAN" -d "$dir" "$@" &
    lan=$!
    ask wait || exit 1
}

stop() {
    kill "$lan"
    wait "$lan"
    status=$?
    lan=
    return "$status"
}

# is SENTENCE EXPECTED ACTUAL
is() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        printf 'not ok: %s\n expected: %s\n got:      %s\n' "$1" "$2" "$3"
        failed=1
    fi
}

# between SENTENCE LOW HIGH ACTUAL
between() {
    if [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then
        echo "ok: $1 ($2 <= $4 <= $3)"
    else
        echo "not ok: $1: $4 is not from $2 to $3"
        failed=1
    fi
}

# The part of a probe's result that is the same in every run.
probe() {
    ask probe "$@" | sed -n 's/ digest=.*//p'
}

# field NAME, of the lines on standard input
field() {
    tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1
}

# warm A B: gives each the hardware address of the other for good. A host that
# asked again, after some seconds, would add a frame to what is counted.
warm() {
    met "$1" "$2" && met "$2" "$1"
}

met() {
    ask exec "$1" -- ip neigh replace "198.18.0.$2" dev eth0 nud permanent \
        lladdr "$(printf '02:00:00:00:00:%02x' "$2")"
}

# joined A B: waits until B hears A, and A hears B. On a busy host the kernel
# opens the ports of a new LAN a little after it has made them.
joined() {
    tries=500
    until [ "$tries" = 0 ] ||
        { [ "$(probe "$1" "$2" 1 wait=20ms | field received)" = 1 ] &&
            [ "$(probe "$2" "$1" 1 wait=20ms | field received)" = 1 ]; }; do
        tries=$((tries - 1))
    done
}

a_good_lan_delivers_all_once_in_order() {
    joined 1 2
    is "1 reaches 2" \
        "sent=100 refused=0 received=100 duplicate=0 reordered=0 damaged=0" \
        "$(probe 1 2 100)"
    warm 3 1
    is "3 reaches 1, with the largest datagrams, in a burst" \
        "sent=500 refused=0 received=500 duplicate=0 reordered=0 damaged=0" \
        "$(probe 3 1 500 size=1472 gap=0)"
    is "nothing was harmed" 1 "$(ask stats | wc -l | tr -d ' ')"
}

a_program_runs_on_its_host() {
    is "standard input and output are passed through" "HELLO" \
        "$(echo hello | ask exec 1 -- tr a-z A-Z)"
    ask exec 2 -- sh -c 'exit 7'
    is "so is the exit status" 7 "$?"
    ask exec 2 -- sh -c 'kill -9 $$'
    is "and the signal it ended by" 137 "$?"
    is "it is on that host" "198.18.0.2" "$(ask exec 2 -- \
        grep -om 1 '198.18.0.[1-9]$' /proc/net/fib_trie)"
}

# The program does not wait in read(2): a shell would, for ever, if the signal
# came just before.
signals_reach_the_program() {
    mkfifo "$tmp/ready"
    "$LAN" -d "$dir" exec 1 -- sh -c \
        'trap "exit 5" TERM; echo >"$0"; while :; do sleep 0.02; done' "$tmp/ready" &
    client=$!
    read -r _ <"$tmp/ready"
    kill -TERM "$client"
    wait "$client"
    is "a signal to the client reaches the program" 5 "$?"
}

a_cut_is_one_way_or_both() {
    warm 1 2
    ask cut '1>2'
    is "nothing passes the cut" \
        "sent=20 refused=0 received=0 duplicate=0 reordered=0 damaged=0" \
        "$(probe 1 2 20)"
    is "the other way is open" \
        "sent=20 refused=0 received=20 duplicate=0 reordered=0 damaged=0" \
        "$(probe 2 1 20)"
    is "the cut is counted" "20" "$(ask stats 1:2 | field cut)"
    ask cut 1-2
    is "cut both ways" 0 "$(probe 2 1 20 | field received)"
    is "only between the two" 20 "$(probe 1 3 20 | field received)"
    ask heal
    is "healed" 20 "$(probe 1 2 20 | field received)"
}

a_partition_divides() {
    warm 2 3
    ask partition 1,2 3
    is "together" 10 "$(probe 1 2 10 | field received)"
    is "apart" 0 "$(probe 2 3 10 | field received)"
    is "apart, the other way" 0 "$(probe 3 1 10 | field received)"
    ask partition 1 2,3
    is "divided anew" 10 "$(probe 2 3 10 | field received)"
    ask heal
    is "whole again" 10 "$(probe 3 1 10 | field received)"
}

# 1000 at 30 %: 700 +- 14.5, so 5 deviations are 627 to 773.
loss_is_as_configured() {
    warm 1 2
    ask set all loss=30%
    out=$(probe 1 2 1000 gap=0)
    between "of 1000 at 30 % loss" 627 773 "$(echo "$out" | field received)"
    is "those lost are counted" 1000 \
        $(($(echo "$out" | field received) + $(ask stats 1:2 | field lost)))
    ask clear
    ask set 2.out loss=100%
    is "loss at one port" 0 "$(probe 1 2 10 | field received)"
    is "and one direction" 10 "$(probe 2 1 10 | field received)"
    ask clear
}

# 500 at 10 %: 50 +- 6.7, so 5 deviations are 17 to 83.
duplicates_arrive_twice() {
    warm 1 2
    ask set 1:2 dup=100%
    is "all twice" \
        "sent=50 refused=0 received=50 duplicate=50 reordered=0 damaged=0" \
        "$(probe 1 2 50)"
    ask set 1:2 dup=10%
    between "duplicates of 500 at 10 %" 17 83 \
        "$(probe 1 2 500 gap=0 | field duplicate)"
    ask clear
}

# 400 at 25 % are 100 +- 8.7 held back, few of them by less than the gap.
reordered_frames_are_overtaken() {
    warm 1 2
    ask set 1:2 reorder=25% jitter=20ms
    out=$(probe 1 2 400)
    is "none is lost" 400 "$(echo "$out" | field received)"
    between "reordered of 400 at 25 %" 40 144 "$(echo "$out" | field reordered)"
    ask set 1:2 reorder=0
    is "jitter alone keeps the order" \
        "sent=100 refused=0 received=100 duplicate=0 reordered=0 damaged=0" \
        "$(probe 1 2 100)"
    ask clear
}

delay_is_at_least_as_configured() {
    warm 1 2
    ask set 1:2 delay=20ms
    out=$(ask probe 1 2 20)
    is "all arrive" 20 "$(echo "$out" | field received)"
    between "the shortest delay in us" 20000 999999 "$(echo "$out" | field min)"
    ask set 1.in delay=10ms
    between "delays add up" 30000 999999 "$(ask probe 1 2 20 | field min)"
    ask clear
    # 20 frames of 1042 bytes take 166.7 ms.
    ask set 2.out rate=1mbit
    between "the longest wait for the rate in us" 160000 999999 \
        "$(ask probe 1 2 20 gap=0 size=1000 | field max)"
    ask clear
}

# snmp PROTOCOL NAME: a counter of host 2
snmp() {
    ask exec 2 -- awk -v p="$1:" -v name="$2" '
        $1 == p && !n { for (i = 2; i <= NF; i++) if ($i == name) n = i; next }
        $1 == p { print $n }' /proc/net/snmp
}

corruption_is_seen_by_the_checksums() {
    warm 1 2
    before=$(($(snmp Ip InHdrErrors) + $(snmp Udp InErrors)))
    ask set 1:2 corrupt=100%
    is "none is taken for good, none arrives damaged" \
        "sent=100 refused=0 received=0 duplicate=0 reordered=0 damaged=0" \
        "$(probe 1 2 100)"
    after=$(($(snmp Ip InHdrErrors) + $(snmp Udp InErrors)))
    is "the host has refused each" 100 $((after - before))
    between "most by the UDP checksum" 50 100 "$(snmp Udp InCsumErrors)"
    ask clear
}

carrier_comes_and_goes() {
    is "carrier at first" up "$(ask link 2)"
    ask carrier 2 down
    is "carrier lost" down "$(ask link 2)"
    is "others keep theirs" up "$(ask link 1)"
    is "nothing arrives" 0 "$(probe 1 2 5 | field received)"
    ask carrier 2 up
    is "carrier back" up "$(ask link 2)"
    is "it arrives again" 5 "$(probe 1 2 5 | field received)"
}

nonsense_is_refused() {
    is "place" "lan: no such place: 1>4" "$(ask set '1>4' loss=1% 2>&1)"
    is "host" "lan: no such host: 4" "$(ask exec 4 -- true 2>&1)"
    is "fault" "lan: no such fault: loss=101%" \
        "$(ask set all delay=1s loss=101% 2>&1)"
    is "and nothing was set" 20 "$(probe 1 2 20 wait=100ms | field received)"
    is "command" "lan: no such command: dance" "$(ask dance 2>&1)"
    is "group" "lan: not hosts, or one twice: 2,3" \
        "$(ask partition 1,2 2,3 2>&1)"
    is "a second LAN of the same name" "lan: $dir: Address already in use" \
        "$("$LAN" -d "$dir" 2>&1)"
}

# digest SEED: shows which of 200 frames arrive
digest() {
    start --hosts 2 --seed "$1"
    joined 1 2
    ask set all loss=50%
    ask probe 1 2 200 gap=0 | field digest
    stop
}

a_seed_repeats_itself() {
    first=$(digest 7)
    is "the same seed, the same fates" "$first" "$(digest 7)"
    [ "$first" != "$(digest 8)" ]
    is "another seed, other fates" 0 "$?"
}

a_bridge_has_no_faults() {
    start --hosts 3 --bridge
    joined 1 3
    is "the bridge delivers" 100 "$(probe 1 3 100 | field received)"
    is "faults are refused" "lan: not with a bridge: set" \
        "$(ask set all loss=1% 2>&1)"
    is "carrier is not" "" "$(ask carrier 1 down 2>&1)"
    is "carrier lost" down "$(ask link 1)"
    stop
}

it_ends_when_told_or_its_time_is_over() {
    start --hosts 2
    stop
    is "ended by a signal" 0 "$?"
    start --hosts 2
    ask stop
    wait "$lan"
    is "ended by command" 0 "$?"
    lan=
    "$LAN" -d "$dir" --hosts 2 --for 1 2>/dev/null
    is "ended by its time" 124 "$?"
}

# The substitution ends when the last process with its pipe is dead.
it_dies_with_its_parent() {
    is "dead with its parent" "started" "$(
        sh -c '"$0" -d "$1" --for 20 & "$0" -d "$1" wait && echo started' \
            "$LAN" "$dir")"
    ask gone 1
    is "and gone" 0 "$?"
}

# The namespaces of the LAN, as /proc names them.
namespaces() {
    for host in 1 2; do
        ask exec "$host" -- readlink /proc/self/ns/net /proc/self/ns/pid
    done | sort -u
}

# remaining NAMES: counts the processes in them
remaining() {
    readlink /proc/[0-9]*/ns/net /proc/[0-9]*/ns/pid_for_children \
        2>/dev/null | grep -cxF -e "$1"
}

# vanish NAMES: waits until they are empty; the last process may still be ending
vanish() {
    tries=100
    while [ "$(remaining "$1")" -gt 0 ] && [ "$tries" -gt 0 ]; do
        tries=$((tries - 1))
        pause
    done
    remaining "$1"
}

# Every process of the LAN holds the pipe: it ends with the last of them.
nothing_is_left_behind_by_kill_9() {
    mkfifo "$tmp/alive"
    timeout 10 cat "$tmp/alive" &
    reader=$!
    exec 9>"$tmp/alive"
    start --hosts 2
    ask exec 1 -- sh -c 'sleep 600 & sleep 600 &'
    "$LAN" -d "$dir" exec 2 -- sh -c 'echo >"$0"; exec sleep 600' "$tmp/ready" &
    client=$!
    read -r _ <"$tmp/ready"
    exec 9>&-
    names=$(namespaces)
    is "3 namespaces are seen" 3 "$(echo "$names" | wc -l | tr -d ' ')"
    [ "$(remaining "$names")" -gt 3 ]
    is "and are in use" 0 "$?"
    kill -9 "$lan"
    wait "$lan" 2>/dev/null
    lan=
    wait "$reader"
    is "no process" 0 "$?"
    wait "$client" 2>/dev/null
    is "not that of a client" 137 "$?"
    ask gone 1
    is "no socket" 0 "$?"
    is "no namespace" 0 "$(vanish "$names")"
    is "no interface" "" "$(find /sys/class/net -name 'port*')"
    is "no file" "" "$(ls -A "$dir")"
}

start --hosts 3 --seed 7
a_good_lan_delivers_all_once_in_order
a_program_runs_on_its_host
signals_reach_the_program
a_cut_is_one_way_or_both
a_partition_divides
loss_is_as_configured
duplicates_arrive_twice
reordered_frames_are_overtaken
delay_is_at_least_as_configured
corruption_is_seen_by_the_checksums
carrier_comes_and_goes
nonsense_is_refused
stop
a_seed_repeats_itself
a_bridge_has_no_faults
it_ends_when_told_or_its_time_is_over
it_dies_with_its_parent
nothing_is_left_behind_by_kill_9

# An ordinary user cannot be expected to reach this directory.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    echo "# as an ordinary user"
    cp "$LAN" "$tmp/program" && cp "$0" "$tmp/script" && chmod 755 "$tmp"
    LAN=$tmp/program setpriv --reuid=65534 --regid=65534 --clear-groups \
        sh "$tmp/script"
    status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || failed=1
fi
exit "$failed"
