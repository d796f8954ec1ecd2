#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# One system of the bench on a LAN of its own: started on five hosts, watched
# while idle, then its leader suffers every fault in turn. The referee (see
# referee.c) does the harm and finds the times; this script does the rest.
#
# usage: system.sh NAME, from bench.sh, which says what its variables are
# shellcheck disable=SC2317 # functions are called by name
set -u

# The old leader comes back as a follower.
PREEMPT=never
here=$(dirname "$0")
# shellcheck source=tests/bench/chaos/hosts.sh
. "$here/chaos/hosts.sh"

system=$1 kind=${1%%-*}
readonly limit_ns=20000000000 # for a leader to be found
readonly start_ns=2000000000  # of calm, until links and sessions are made
readonly asking_ns=50000000   # for a question to be on its way
# shellcheck disable=SC2034 # of what is sourced
readonly start_seconds=20 system
failed=0
heartbeat=  # with its unit, how often they hear of each other
settle_ns=  # for all links to be up: one that flaps is made to wait
calm_ns=    # so long must nothing be told for it to be over
question=   # is being asked by this process
ended_ns=0  # at most, until one that was revived no longer took the lead
declare -a said=() client=() main=() aim=()
helper=() # processes that end with this one

# shellcheck source=/dev/null
. "$here/$kind.sh" || exit 1

at_end '[ "${#helper[@]}" = 0 ] || kill "${helper[@]}"'

note() {
    echo "$system: $*" | tee -a "$RESULT/notes"
}

wrong() {
    note "$fault, trial $trial: $*"
    failed=1
}

# refer WORD...: asks the referee; sets `answer`, fails if it is "late".
refer() {
    echo "$*" >&"$to_referee"
    read -r answer <&"$from_referee" ||
        { echo 'the referee has gone' >&2; exit 1; }
    [ "$answer" != late ]
}

# run HOST PROGRAM ARGUMENT...: sets main[HOST] to its process, and client[HOST]
# to one that ends with it. Its output goes to $cluster/said.HOST.
run() {
    # shellcheck disable=SC2016 # for the other shell
    "$lan" -d "$lan_dir" exec "$1" -- bash -c 'read -r pid _ </proc/self/stat
        echo "$pid" >"$0"
        exec "$@"' "$cluster/pid.$1" "${@:2}" </dev/null >>"$cluster/said.$1" 2>&1 &
    client[$1]=$!
    read -r "main[$1]" <"$cluster/pid.$1"
}

# The processes of a system on a host, the one that was started first.
processes() {
    local pid exe list=${main[$1]}

    for pid in /proc/[0-9]*; do
        [ "$pid/ns/net" -ef "/proc/$list/ns/net" ] || continue
        exe=$(readlink "$pid/exe")
        case ${exe##*/} in
        lan | tell | referee) ;;
        *) [ "${pid#/proc/}" = "${main[$1]}" ] || list+=" ${pid#/proc/}" ;;
        esac
    done 2>/dev/null
    echo "$list"
}

## Idle

# sample HOST: CPU in ns, packets and bytes sent, PSS in KiB, times woken up
sample() {
    local pid

    # shellcheck disable=SC2046 # processes in words
    set -- "$1" $(processes "$1")
    {
        sed -n 's/^ *eth0:/net/p' "/proc/$2/net/dev"
        for pid in "${@:2}"; do
            sed 's/^/cpu /' "/proc/$pid"/task/*/schedstat
            cat "/proc/$pid/smaps_rollup" "/proc/$pid"/task/*/status
        done
    } 2>/dev/null | awk '
        $1 == "net" { bytes = $10; packets = $11 }
        $1 == "cpu" { cpu += $2 }
        $1 == "Pss:" { pss += $2 }
        $1 == "voluntary_ctxt_switches:" { wakes += $2 }
        END { printf "%.0f %.0f %.0f %.0f %.0f\n", cpu, packets, bytes, pss,
            wakes }'
}

# idle LEADER: measures so many seconds without a fault
idle() {
    local host
    local -a before=()

    for host in $hosts; do
        before[host]=$(sample "$host")
    done
    refer idle "${IDLE}000000000"
    [ "$answer" = 0 ] || note "$answer events while idle"
    for host in $hosts; do
        echo "$host $(($1 == host)) ${before[host]} $(sample "$host")"
    done | awk -v OFS=, -v name="$system" -v seconds="$IDLE" \
        -v heartbeat="$heartbeat_ns" '
        { print name, $1, $2, seconds, heartbeat, $8 - $3, $9 - $4, $10 - $5,
            $11, $12 - $7 }' >>"$RESULT/idle.csv"
}

## Faults

# settle WHEN [CALM]: sets the leader of all hosts
settle() {
    refer settle "${2:-$calm_ns}" "$settle_ns" ||
        { note "no leader of all hosts, $1"; exit 1; }
    leader=$answer
}

# The process with the fault has ended, or is about to.
restart() {
    wait "${client[$1]}"
    "${kind}_start" "$1" || { note "host $1 did not start again"; exit 1; }
} 2>/dev/null

# The revived one must not lead for an instant.
revive() {
    local claims ended

    if [ "$kind" != electd ]; then
        refer harm cont "$1" "${aim[@]:2}"
        return
    fi
    electd_asks "$1"
    refer idle "$asking_ns"
    refer harm cont "$1" "${aim[@]:2}"
    wait "$question" && wrong "revived, host $1 answers that it leads"
    settle 'after a stop'
    refer claims "$1"
    read -r claims ended <<<"$answer"
    [ "$claims" = 0 ] || wrong "revived, host $1 led again"
    [ "$ended" != - ] || { wrong "revived, host $1 leads on"; return; }
    [ "$ended" -le "$ended_ns" ] || ended_ns=$ended
}

# mend FAULT HOST
mend() {
    case $1 in
    kill | killall | term) restart "$2" ;;
    stop) revive "$2" ;;
    cut) refer harm heal "$2" ;;
    link)
        refer harm up "$2"
        # shellcheck disable=SC2086 # hosts in words
        introduce $hosts
        ;;
    resign) "${kind}_returns" "$2" ;;
    esac
}

# a_trial FAULT: a line of trials.csv
a_trial() {
    local start='' first='' all='' gap='' next='' old

    # At any moment between two heartbeats.
    settle "before $1" $((calm_ns + heartbeat_ns * RANDOM / 32768))
    old=$leader
    case $1 in
    cut) aim=(cut "$old") ;;
    link) aim=(down "$old") ;;
    *) "${kind}_aims" "$1" "$old" || return ;;
    esac
    if refer strike "${aim[@]:0:2}" "$calm_ns" "$limit_ns" "${aim[@]:2}"; then
        read -r start first all gap next <<<"$answer"
        [ "$start" != - ] || start=
    fi
    # Only a leader that ends in order can avoid a gap.
    [[ $1 =~ ^(term|resign)$ ]] || gap=
    echo "$system,$1,$trial,$old,$next,$start,$first,$all,$gap" \
        >>"$RESULT/trials.csv"
    mend "$1" "$old" || wrong 'could not be mended'
}

progress() {
    [ ! -t 2 ] || printf '\r%s: %s, %d of %d ' "$system" "$1" "$trial" \
        "$TRIALS" >&2
}

# The LAN, the referee, and the system on every host.
begin() {
    local host fd switch

    hosts_join 86400 --bridge
    read -r switch _ <"/proc/$lan_pid/task/$lan_pid/children"
    mkfifo "$cluster/events"
    # This keeps the pipe open while no host writes: it loses no event, nor ends.
    exec {fd}<>"$cluster/events"
    coproc REFEREE { exec "$BUILD/tests/bench/referee" "$lan_dir" \
        "/proc/$switch/ns/net" "$hosts_count" "$cluster/events" \
        "$RESULT/$system.events"; }
    helper+=("$REFEREE_PID")
    exec {to_referee}>&"${REFEREE[1]}" {from_referee}<&"${REFEREE[0]}"
    for host in $hosts; do
        mkfifo "$cluster/pid.$host"
    done
    "${kind}_prepare"
    heartbeat_ns=$(nanoseconds "$heartbeat") || exit
    calm_ns=$((3 * heartbeat_ns + 100000000))
    settle_ns=$((limit_ns + 100 * heartbeat_ns))
    for host in $hosts; do
        "${kind}_start" "$host" || { note "host $host did not start"; exit 1; }
    done
}

hosts_check
command -v "$kind" >/dev/null || [[ $kind =~ ^(electd|toy)$ ]] ||
    { note 'not installed'; exit 77; }
RANDOM=${SEED:-1}
begin
settle 'at the start' "$start_ns"
[ "$IDLE" = 0 ] || idle "$leader"
for fault in $FAULTS; do
    for ((trial = 1; trial <= TRIALS; trial++)); do
        progress "$fault"
        a_trial "$fault" ||
            { note "$fault: there is no such thing here"; break; }
    done
    [ "$fault" != stop ] || [ "$kind" != electd ] ||
        note "revived, the old leader says within $ended_ns ns that it leads no more"
done
[ ! -t 2 ] || printf '\r%40s\r' '' >&2
exit "$failed"
