#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bench of floating addresses: five hosts in network namespaces, joined by
# the kernel's bridge, and a sixth that begins a connection to the address every
# millisecond. The host that has the address suffers one fault after the other.
# How long is the address not reached, and how long do two hosts have it?
#
# usage: vip.sh, as root
# TRIALS of each fault (5); FAULTS: kill stop cut off term. SYSTEMS: electvip
# keepalived-1s keepalived-10ms. LEASE (3s), HEARTBEAT (100ms): of electd, under
# quorum. SEED (1): of the moments of the faults. BUILD: where the programs are.
# RESULT: where the trials go, as CSV; BUILD/vip.
#
# kill: -9 of the leader's electd; of all processes of keepalived. stop: SIGSTOP
# of all their processes on that host. cut: its port leaves the bridge. off: its
# interface goes down, and all these processes are killed. The server there, and
# the kernel, live on: of a host that is really off nothing is left. term:
# SIGTERM to electd, or to keepalived.
# shellcheck disable=SC2034,SC2154,SC2317 # of what is sourced; called by name
set -u

hosts=6
: "${BUILD:=build}" "${TRIALS:=5}" "${SEED:=1}"
: "${FAULTS:=kill stop cut off term}"
: "${SYSTEMS:=electvip keepalived-1s keepalived-10ms}" "${LEASE:=3s}"
: "${HEARTBEAT:=100ms}" "${RESULT:=$BUILD/vip}"
export BUILD TRIALS FAULTS SEED SYSTEMS LEASE HEARTBEAT RESULT
case $RESULT in /*) ;; *) RESULT=$PWD/$RESULT ;; esac

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/../system/lan/hosts.sh"

readonly address=198.18.0.100 port=7
readonly calm_ms=1500 # without a gap, before and after a fault
readonly window_s=5   # from a fault until it is mended
nodes='1 2 3 4 5'
main=() helper=()
RANDOM=$SEED

# spawn HOST COMMAND...: runs it there, as the main process of that host.
spawn() {
    local host=$1

    shift
    # shellcheck disable=SC2046,SC2086 # commands in words
    $WRAP $(enter "$host") "$@" </dev/null >>"$cluster/$host.log" 2>&1 &
    main[host]=$!
}

## electvip

electvip_prepare() {
    # shellcheck disable=SC2086 # ids in words
    cluster_configure $nodes <<EOF && node_init $nodes || exit 1
cluster = "vip"; guarantee = "quorum"; preempt = "never";
timing = { heartbeat = "$HEARTBEAT"; misses = 3; lease = "$LEASE"; startup = "1s"; };
EOF
}

electvip_start() {
    lives "${main[$1]-}" || spawn "$1" "$electd" -c "$cluster/electd.conf" -i "$1"
    # shellcheck disable=SC2046,SC2086 # commands in words
    lives "${vip[$1]-}" || {
        $WRAP $(enter "$1") "$BUILD/electvip" -s "$cluster/$1.sock" -i eth0 \
            "$address" </dev/null >>"$cluster/vip.$1.log" 2>&1 &
        vip[$1]=$!
    }
}

# The host's electd, or all that electd and electvip are there.
electvip_processes() {
    case $1 in
    kill | term) echo "${main[$2]}" ;;
    *)
        echo "${main[$2]} ${vip[$2]} $(
            cat "/proc/${main[$2]}/task/${main[$2]}/children")"
        ;;
    esac
}

# All voters are heard by all, so that a failover is not delayed by a start.
electvip_is_ready() {
    local host

    for host in $nodes; do
        ask_time=1s ask "$host" status 2>/dev/null |
            grep -q '5 of 5 voters heard' || return
    done
}

## keepalived

keepalived_prepare() {
    local host interval=1

    [ "$system" = keepalived-1s ] || interval=0.01
    for host in $nodes; do
        cat >"$cluster/keepalived.$host.conf" <<EOF
global_defs { router_id host$host
    vrrp_version 3 }
vrrp_instance bench { state BACKUP
    nopreempt
    interface eth0
    virtual_router_id 51
    priority $((205 + host))
    advert_int $interval
    virtual_ipaddress { $address/32 dev eth0 } }
EOF
    done
}

keepalived_start() {
    spawn "$1" keepalived --dont-fork --vrrp --log-console \
        -f "$cluster/keepalived.$1.conf" -p "$cluster/keepalived.$1.pid" \
        -r "$cluster/vrrp.$1.pid"
}

keepalived_processes() {
    [ "$1" != term ] || { echo "${main[$2]}"; return; }
    echo "${main[$2]} $(cat "/proc/${main[$2]}/task/${main[$2]}/children")"
}

keepalived_is_ready() {
    :
}

## The trials

# holders: the hosts that have the address now.
holders() {
    awk '{ has[$2] = $3 == "begins" }
        END { for (host in has) if (has[host]) print substr(host, 2) }' \
        "$cluster/holders"
}

# quiet_since NS: succeeds if no gap ended later.
quiet_since() {
    awk -v from="$1" '$2 > from { exit 1 }' "$cluster/gaps"
}

# await_calm: waits until one host has the address and is reached, for a while.
await_calm() {
    local until=$((SECONDS + seconds_max)) from host=

    while [ "$SECONDS" -lt "$until" ]; do
        from=$("$kill9") host=$(holders)
        pause "$((calm_ms / 1000)).$((calm_ms % 1000))"
        [[ $host =~ ^[1-5]$ && $host = "$(holders)" ]] &&
            quiet_since "$from" && reached && "${kind}_is_ready" || continue
        leader=$host
        return
    done
    echo "$system: not settled: $(holders | tr '\n' ' ')" >&2
    return 1
}

# A connection succeeds now.
reached() {
    ip netns exec h6 timeout 1 bash -c "exec 3<>/dev/tcp/$address/$port" \
        2>/dev/null
}

# strike FAULT HOST: sets `moment` and `struck`, the processes.
strike() {
    struck=$("${kind}_processes" "$1" "$2")
    # At any moment between two heartbeats.
    pause "0.$(printf '%03d' $((RANDOM % 1000)))"
    moment=$("$kill9")
    # shellcheck disable=SC2086 # ids in words
    case $1 in
    kill) kill -KILL $struck ;;
    term) kill $struck ;;
    stop) kill -STOP $struck ;;
    cut) ip link set "h$2" nomaster ;;
    off) ip link set "h$2" down && kill -KILL $struck ;;
    esac
}

# mend FAULT HOST
mend() {
    # shellcheck disable=SC2086 # ids in words
    case $1 in
    stop)
        kill -CONT $struck 2>/dev/null
        lives "${main[$2]}" || wait "${main[$2]}"
        ;;
    cut) ip link set "h$2" master br0 ;;
    off)
        ip -n "h$2" address delete "$address/32" dev eth0
        ip link set "h$2" up
        ;;
    esac 2>/dev/null
    { lives "${main[$2]}" && { [ "$kind" != electvip ] ||
        lives "${vip[$2]}"; }; } || "${kind}_start" "$2"
}

# judge FROM TO: the longest time in ms for which the address was not reached,
# and all time for which two hosts had it.
judge() {
    awk -v from="$1" '$2 > from && $2 - $1 > most { most = $2 - $1 }
        END { printf "%.1f,", most / 1e6 }' "$cluster/gaps"
    awk -v from="$1" -v to="$2" '
        function pass(at) {
            if (count > 1 && at > from)
                sum += at - (since > from ? since : from)
            since = at
        }
        $3 == "begins" { pass($1); count++ }
        $3 == "ends" { pass($1); count-- }
        END { pass(to); printf "%.1f\n", sum / 1e6 }' "$cluster/holders"
}

a_trial() {
    local old

    await_calm || return
    old=$leader
    strike "$1" "$old"
    pause "$window_s"
    mend "$1" "$old"
    await_calm || return
    echo "$system,$1,$trial,$old,$leader,$(judge "$moment" "$("$kill9")")" |
        tee -a "$RESULT/trials.csv"
}

# a_system NAME: on all hosts, with all that observes it.
a_system() {
    local host fault trial

    system=$1 kind=${1%%-*} vip=() main=() helper=()
    command -v "$kind" >/dev/null || [ "$kind" = electvip ] ||
        { echo "$kind is not installed"; return; }
    cluster_directory || exit 1
    "${kind}_prepare"
    for host in $nodes; do
        ip netns exec "h$host" "$tools/../bench/knock" serve "$port" &
        helper+=($!)
    done
    # shellcheck disable=SC2046,SC2086 # names in words
    "$tools/holders" "$address" $(printf 'h%s ' $nodes) >"$cluster/holders" &
    helper+=($!)
    ip netns exec h6 "$tools/../bench/knock" "$address" "$port" >"$cluster/gaps" &
    helper+=($!)
    for host in $nodes; do
        "${kind}_start" "$host"
    done
    for fault in $FAULTS; do
        for ((trial = 1; trial <= TRIALS; trial++)); do
            a_trial "$fault" || { failures=1; break 2; }
        done
    done
    a_system_end
}

# a_system_end: ends what runs, also what is stopped, and takes addresses away.
a_system_end() {
    local host pids

    for host in $nodes; do
        pids=$(ip netns pids "h$host")
        # shellcheck disable=SC2086 # ids in words
        [ -z "$pids" ] || kill -KILL $pids
        ip -n "h$host" address delete "$address/32" dev eth0
    done
    [ "${#helper[@]}" = 0 ] || kill -KILL "${helper[@]}"
    wait
    [ -z "$cluster" ] || rm -rf "$cluster"
    cluster=
} 2>/dev/null
at_end a_system_end

# tables: of the trials.
tables() {
    echo '| system | fault | n | not reached, ms: median | max' \
        '| two holders, ms: median | max |'
    echo '|---|---|---|---|---|---|---|'
    sort -t, -k1,1 -k2,2 -s "$RESULT/trials.csv" | awk -F, '
        function median(values, n, i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
                    t = values[j]; values[j] = values[j - 1]
                    values[j - 1] = t
                }
            return n % 2 ? values[(n + 1) / 2] : \
                (values[n / 2] + values[n / 2 + 1]) / 2
        }
        function row() {
            if (n > 0)
                printf "| %s | %s | %d | %.1f | %.1f | %.1f | %.1f |\n", \
                    name, fault, n, median(gaps, n), gaps[n], \
                    median(twos, n), twos[n]
            n = 0
        }
        $1 == "system" { next }
        $1 != name || $2 != fault { row(); name = $1; fault = $2 }
        { gaps[++n] = $6 + 0; twos[n] = $7 + 0 }
        END { row() }'
}

mkdir -p "$RESULT" || exit 1
echo 'system,fault,trial,old,new,unreached_ms,two_ms' >"$RESULT/trials.csv"
for each in $SYSTEMS; do
    a_system "$each"
done
tables | tee "$RESULT/report.md"
echo "$(nproc) cores, $(uname -sr), load $(cut -d ' ' -f 1-3 /proc/loadavg);" \
    "electd: quorum, lease $LEASE, heartbeats of $HEARTBEAT." |
    tee -a "$RESULT/report.md"
exit "$failures"
