#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# How electd's figures grow with the number of nodes: N real daemons on this
# host, over the loopback of a network namespace of their own, for each N and
# for `full` with bully and `ring` with hirschberg-sinclair. Each row: start,
# election, idle, kill -9 of the leader, election of the next. Then five nodes
# at 100 ms beside a bare toy (toy.c) that sends and answers the same datagrams.
#
# usage: scale.sh N: the numbers of nodes ("5 50 200"; up to 1000). WHICH: "full
# ring". ALGORITHM: another than these two, in the topologies of WHICH.
# HEARTBEAT (1s; in s or ms), IDLE (10): seconds without events. LIMIT (60):
# seconds for an election. MULTICAST (no): yes, if the leader's heartbeats go to
# a group. BUILD: where the programs are; the tables go to BUILD/scale.
set -u

cd "$(dirname "$0")/../../.." || exit
: "${BUILD:=build}" "${N:=5 50 200}" "${WHICH:=full ring}" "${HEARTBEAT:=1s}"
: "${IDLE:=10}" "${LIMIT:=60}" "${ALGORITHM:=}" "${MULTICAST:=no}"
readonly records=$BUILD/scale
readonly columns='topology n start_s elect_s elect_cpu_s elect_datagrams
    elect_lost calm_s idle_cpu_pct leader_cpu_pct follower_cpu_pct datagrams
    idle_lost idle_changes pss_mib pss_max_mib first_ms all_ms again_cpu_s
    again_datagrams again_lost agree processes cut_off outcome'
crowd=$BUILD/tests/bench/scale/crowd
toy=$BUILD/tests/bench/scale/toy
failed=0
# shellcheck source=tests/lib/child.sh
. tests/lib/child.sh
# shellcheck source=tests/lib/cluster.sh
. tests/lib/cluster.sh

# The daemons end before their directory goes.
at_end 'child_end; crowd_gone'

# A network of our own: it has no other datagrams, and no port is in use.
enter_network() {
    local how

    [ -z "${ELECTD_UNSHARED-}" ] || return
    for how in -n -rn; do
        if unshare "$how" true 2>/dev/null; then
            ELECTD_UNSHARED=yes exec unshare "$how" \
                bash tests/bench/scale/scale.sh
        fi
    done
    echo 'No network namespaces here: all datagrams of this host are counted.'
}

# milliseconds DURATION
milliseconds() {
    case $1 in
    *[!0-9]*ms | '' | ms | s) return 1 ;;
    *ms) echo "${1%ms}" ;;
    *[!0-9]*s) return 1 ;;
    *s) echo "$((${1%s} * 1000))" ;;
    *) return 1 ;;
    esac
}

node_text() {
    printf 'address = "127.0.0.1:%d";' "$((10000 + $1))"
}

# settings TOPOLOGY N HEARTBEAT: prints what all nodes share.
settings() {
    local algorithm=$ALGORITHM

    case $1 in
    full) : "${algorithm:=bully}" ;;
    ring) : "${algorithm:=hirschberg-sinclair}" ;;
    esac
    echo "cluster = \"scale\"; guarantee = \"component\";"
    echo "algorithm = \"$algorithm\"; topology = { kind = \"$1\"; };"
    echo "timing = { heartbeat = \"$3\"; misses = 3; startup = \"1s\"; };"
    [ "$MULTICAST" = no ] ||
        echo 'multicast = { group = "239.192.74.20:7421"; interface = "lo"; };'
    # The tapes of a thousand, on one host, would take 10 GB.
    [ "$2" -le 200 ] || echo 'record = false;'
}

# crowd_of TOPOLOGY N HEARTBEAT IDLE: runs it; its figures go to $cluster/figures.
crowd_of() {
    local status

    # shellcheck disable=SC2046 # ids in words
    cluster_directory && settings "$@" | cluster_configure $(seq "$2") || exit 1
    run "$crowd" -b "$(milliseconds "$3")" -i "$4" -l "$LIMIT" "$2" \
        "$electd" "$cluster/electd.conf" "$cluster" >"$cluster/figures"
    status=$?
    printf 'topology %s\nn %s\n' "$1" "$2" >>"$cluster/figures"
    [ "$status" = 0 ] || failed=1
}

crowd_gone() {
    [ -z "$cluster" ] || rm -rf "$cluster"
    cluster=
}

# figure NAME: a figure of the crowd; nothing if there is none.
figure() {
    sed -n "s/^$1 //p" "$cluster/figures"
}

# The figures as a line of CSV, in the order of the columns.
as_csv() {
    awk -v columns="$columns" '
        { name = $1; sub(/^[^ ]* /, ""); value[name] = $0 }
        END {
            n = split(columns, c, /[ \n]+/)
            for (i = 1; i <= n; i++)
                printf "%s%s", value[c[i]], i < n ? "," : "\n"
        }' "$cluster/figures"
}

# The columns of the CSV that readers look for first.
as_markdown() {
    awk -F, '
        function value(name, format) {
            return $at[name] == "" ? "-" : sprintf(format, $at[name])
        }
        NR == 1 {
            rule = "|--:|--:|--:|--:|--:|--:|--:|--:"
            rule = rule rule
            for (i = 1; i <= NF; i++)
                at[$i] = i
            print "| topology | n | all answer s | elected s " \
                "| by then CPU s | lost | idle: CPU % | leader % " \
                "| follower % | datagrams/interval | lost | PSS MiB " \
                "| largest MiB | kill -9: first ms | all ms | CPU s | lost " \
                "| outcome |"
            print "|---" rule "|---|"
            next
        }
        {
            print "| " $at["topology"] " | " $at["n"] " | " \
                value("start_s", "%.2f") " | " value("elect_s", "%.2f") \
                " | " value("elect_cpu_s", "%.2f") " | " \
                value("elect_lost", "%d") " | " \
                value("idle_cpu_pct", "%.2f") " | " \
                value("leader_cpu_pct", "%.3f") " | " \
                value("follower_cpu_pct", "%.3f") " | " \
                value("datagrams", "%.0f") " | " value("idle_lost", "%d") \
                " | " value("pss_mib", "%.1f") " | " \
                value("pss_max_mib", "%.2f") " | " value("first_ms", "%.0f") \
                " | " value("all_ms", "%.0f") " | " \
                value("again_cpu_s", "%.2f") " | " \
                value("again_lost", "%d") " | " $at["outcome"] " |"
        }' "$1"
}

# The limits that so large a cluster may reach. Some show only outside.
tell_limits() {
    local name

    echo "Limits: $(ulimit -Hn) descriptors a process (crowd needs N + 16)," \
        "$(ulimit -u) processes,"
    for name in kernel.pid_max net.core.rmem_max net.core.rmem_default \
        net.ipv4.udp_mem net.core.somaxconn; do
        echo "  $name = $(tr '\t' ' ' <"/proc/sys/${name//.//}")"
    done
    awk '/^MemAvailable/ { printf "  %.1f GiB available", $2 / 1048576 }' \
        /proc/meminfo
    echo ", $(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

scale_all() {
    local which n csv=$records/scale.csv

    tr -s ' \n' ',' <<<"$columns" | sed 's/,$//' | tr -d '\n' >"$csv"
    echo >>"$csv"
    for which in $WHICH; do
        for n in $N; do
            echo "$which, $n nodes, heartbeat $HEARTBEAT ..." >&2
            crowd_of "$which" "$n" "$HEARTBEAT" "$IDLE"
            as_csv >>"$csv"
            crowd_gone
        done
    done
    as_markdown "$csv" | tee "$records/scale.md"
}

# The datagrams of an idle full cluster: the toy's are the star's, 2(n-1) an
# interval; 127 bytes are those of a heartbeat with its beacon.
beside_toy() {
    local toy_leader toy_follower

    crowd_of full 5 100ms "$IDLE"
    run "$toy" 5 127 100 "$IDLE" >"$cluster/toy" || exit 1
    toy_leader=$(sed -n 's/^leader_cpu_pct //p' "$cluster/toy")
    toy_follower=$(sed -n 's/^follower_cpu_pct //p' "$cluster/toy")
    awk -v l="$(figure leader_cpu_pct)" -v f="$(figure follower_cpu_pct)" \
        -v d="$(figure datagrams)" -v tl="$toy_leader" -v tf="$toy_follower" '
        BEGIN {
            print ""
            print "Idle, five nodes, 100 ms, % of a core:"
            print ""
            print "| | datagrams/interval | leader | follower |"
            print "|---|--:|--:|--:|"
            printf "| electd | %.1f | %.3f | %.3f |\n", d, l, f
            printf "| toy | 8.0 | %.3f | %.3f |\n", tl, tf
            printf "| electd / toy | | %.2f | %.2f |\n", l / tl, f / tf
        }' | tee "$records/toy.md"
    crowd_gone
}

[ -n "${ELECTD_UNSHARED-}" ] || tell_limits
enter_network
milliseconds "$HEARTBEAT" >/dev/null ||
    { echo "HEARTBEAT: a number of s or ms, not $HEARTBEAT" >&2; exit 2; }
for program in "$electd" "$electctl" "$crowd" "$toy"; do
    [ -x "$program" ] || { echo "$program: not built" >&2; exit 1; }
done
mkdir -p "$records" || exit 1
scale_all
beside_toy
echo "The tables are in $records."
exit $failed
