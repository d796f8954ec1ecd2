# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that run real daemons on the test LAN: five nodes of one
# cluster on hosts 1 to 5, and on host 6 perhaps a second process that calls
# itself node 3, the copy. lan_begin exits with 77 where there can be no LAN.
#
# No sleep decides anything. One pipe brings the events of `electctl watch` of
# all nodes; every wait reads it until a deadline, and every verdict uses the
# events and their mono_ns.
#
# BUILD: where the programs are. SEED: of the LAN's faults. GUARANTEE,
# HEARTBEAT: of the cluster.

# shellcheck source=tests/lib/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/cluster.sh"
# shellcheck source=tests/system/lan/net.sh
. "$(dirname "${BASH_SOURCE[0]}")/net.sh"
# shellcheck source=tests/lib/first.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/first.sh"
# shellcheck source=tests/lib/cases.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/cases.sh"

: "${SEED:=7}" "${GUARANTEE:=component}" "${HEARTBEAT:=100ms}"
WRAP="$FIRST $WRAP"
readonly copy=6 # the host of the copy
seconds_max=20  # for anything to happen; it takes one or two
declare -A leader=() term=() is_duplicate=()
tmp=
partial= # of the next event, read when its time was up

at_end 'lan_end; [ -z "$tmp" ] || rm -rf "$tmp"'

case_fails() {
    stalls_tell "$tmp"
    declare -p leader term | sed 's/^/ /'
}

# lan_begin OPTION...: builds the LAN, and a configuration for all nodes.
lan_begin() {
    local program

    for program in "$electd" "$electctl" "$kill9"; do
        [ -x "$program" ] || { echo "$program: not built" >&2; exit 1; }
    done
    cluster_directory || exit 1
    tmp=$cluster
    chmod 711 "$tmp"
    mkdir "$tmp/lan" "$tmp/state" "$tmp/state.copy"
    events=$tmp/events # all that was read, a line each
    : >"$events"
    mkfifo "$tmp/watch"
    exec {stream}<>"$tmp/watch"
    lan_up "$tmp/lan" "$copy" "$@"
    warm 1 2 3 4 5 "$copy"
    configure
}

# The end of the LAN is the end of all that runs there.
lan_end() {
    [ "${#watch_pid[@]}" -eq 0 ] || kill "${watch_pid[@]}"
    lan_down
    watch_pid=()
} 2>/dev/null

configure() {
    local control

    control="group = \"$(net exec 1 -- id -gn)\";"
    cluster_configure 1 2 3 4 5 <<EOF || exit 1
cluster = "lan"; guarantee = "$GUARANTEE"; algorithm = "bully";
timing = { heartbeat = "$HEARTBEAT"; misses = 3; startup = "1s"; };
EOF
    {
        sed -e "s|%i.sock|$copy.sock|" -e "s|/state|/state.copy|" \
            "$tmp/electd.conf"
        echo "listen = \"198.18.0.$copy:7420\";"
    } >"$tmp/copy.conf"
    [ "$GUARANTEE" != quorum ] || node_init 1 2 3 4 5 || exit 1
}

# start ID...: daemons, each on its host; returns when they can be watched.
start() {
    local id conf

    for id in "$@"; do
        conf=electd.conf
        [ "$id" != "$copy" ] || conf=copy.conf
        node_launch "$id" "$tmp/$conf" -i "$((id == copy ? 3 : id))"
    done
    for id in "$@"; do
        node_await "$id" || exit 1
        leader[$id]=0 term[$id]=
        "$electctl" -s "$tmp/$id.sock" -o json watch 2>/dev/null \
            > >(exec sed -u "s/\"self\":[0-9]*/\"self\":$id/" >"$tmp/watch") &
        watch_pid[$id]=$!
        reach known "$id" || exit 1
        is_duplicate[$id]=$(ask "$id" -o kv status |
            sed -n 's/^node_duplicate=//p')
    done
}

# stop ID...: ends daemons, which must all end well.
stop() {
    local id

    for id in "$@"; do
        kill "${daemon_pid[$id]}"
    done
    for id in "$@"; do
        node_gone "$id" || verdict "node $id ends, with status $?" 1
        wait "${watch_pid[$id]}"
        unset "watch_pid[$id]"
    done
}

## What the nodes tell

# next UNTIL_NS: reads one event and keeps its content; fails at that time.
next() {
    local left=$(($1 - $("$kill9")))
    local line self

    [ "$left" -gt 0 ] || return
    printf -v left '%d.%09d' $((left / 1000000000)) $((left % 1000000000))
    if ! read -r -t "$left" -u "$stream" line; then
        partial+=$line # the rest of the line comes later
        return 1
    fi
    line=$partial$line partial=
    echo "$line" >>"$events"
    [[ $line =~ \"self\":([0-9]+) ]] && self=${BASH_REMATCH[1]}
    # After a start, events of the process before it are no news.
    [ -n "${term[$self]}" ] || [[ $line == '{"event":"state"'* ]] || return 0
    case $line in
    '{"event":"state"'* | '{"event":"leader"'* | '{"event":"no-leader"'*)
        leader[$self]=0
        [[ $line =~ \"term\":([0-9]+) ]] && term[$self]=${BASH_REMATCH[1]}
        [[ $line =~ \"leader\":([0-9]+) ]] && leader[$self]=${BASH_REMATCH[1]}
        ;;
    '{"event":"duplicate","peer":3,'*)
        [[ $line =~ \"on\":([a-z]+) ]] && is_duplicate[$self]=${BASH_REMATCH[1]}
        ;;
    esac
    return 0
}

# reach CONDITION WORD...: reads events until the condition holds, or fails.
reach() {
    local limit=$(($("$kill9") + seconds_max * 1000000000))

    until "$@"; do
        next "$limit" || return
    done
}

# during SECONDS: reads the events of that time.
during() {
    local limit=$(($("$kill9") + $1 * 1000000000))

    while next "$limit"; do :; done
}

# Succeeds if an event of node ID has been read.
known() {
    [ -n "${term[$1]}" ]
}

# follow LEADER ID...: succeeds if all of them follow it, in one term.
follow() {
    local wanted=$1 id first=$2
    shift

    for id in "$@"; do
        [ "${leader[$id]}" = "$wanted" ] || return
        [ "${term[$id]}" = "${term[$first]}" ] || return
    done
}

# doubled FLAG: succeeds if both processes of id 3 have this flag.
doubled() {
    [ "${is_duplicate[3]}" = "$1" ] && [ "${is_duplicate[$copy]}" = "$1" ]
}

single() {
    [ "${is_duplicate[3]}" = false ]
}

# since NS EVENTS [ID]: "self term leader reason mono_ns", a line for each of
# these events.
since() {
    awk -v from="$1" -v events="^($2)\$" -v id="${3-}" '
        function key(name, found) {
            if (!match($0, "\"" name "\":[^,}]*"))
                return "-"
            found = substr($0, RSTART, RLENGTH)
            sub(/^[^:]*:/, "", found)
            gsub(/"/, "", found)
            return found
        }
        key("event") ~ events && key("mono_ns") + 0 >= from + 0 &&
            (id == "" || key("self") == id) {
            print key("self"), key("term"), key("leader"), key("reason"),
                key("mono_ns")
        }' "$events"
}

# changes NS: the changes of leader that each node saw, and how often it had
# none.
changes() {
    local id

    for id in 1 2 3 4 5; do
        echo "$id $(since 0 leader "$id" | awk -v from="$1" '
            $5 >= from && $3 != last { n++ } { last = $3 }
            END { print n + 0 }') $(since "$1" no-leader "$id" | wc -l)"
    done
}

# most NS: the most changes that a node saw.
most() {
    changes "$1" | awk '$2 > n { n = $2 } END { print n + 0 }'
}

tell_changes() {
    changes "$1" | awk '
        { seen = seen " " $1 ": " $2; lost = lost " " $1 ": " $3 }
        END { print "#   leader changes seen by" seen
            print "#   times without one    by" lost }'
    since "$1" election | awk '!seen[$2]++ { print $4 }' | sort | uniq -c |
        awk '{ why = why ", " $1 " x " $2; n += $1 }
            END { print "#   elections: " n + 0 why }'
}

## The verdicts

# settles SENTENCE LEADER ID...: waits until they all follow it.
settles() {
    holds "$1" reach follow "${@:2}"
}

milliseconds() {
    echo $((($2 - $1) / 1000000))
}

# latest NS LEADER: when the last of the nodes took it, after NS.
latest() {
    since "$1" leader |
        awk -v l="$2" '$3 == l { print $5 }' | sort -n | tail -n 1
}
