# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller; of live.sh
# Sourced by scripts that have electvip hold two addresses on hosts of a LAN,
# after hosts.sh. The last host runs no node: it is a client, or a stranger.
# ELECTVIP: another electvip.

electvip=${ELECTVIP:-$BUILD/electvip}
v4=198.18.0.100 v6=2001:db8::100
nodes=$((hosts - 1)) other=$hosts
lease_ms=3000
declare -A vip_pid=()
holders_pid=
at_end vip_end

# plug_v6 N: gives the interface of this host an address of IPv6.
plug_v6() {
    ip -n "h$1" address add "2001:db8::$1/64" dev eth0 nodad
}

for ((n = 1; n <= hosts; n++)); do
    plug_v6 "$n" || exit 1
done

node_text() {
    printf 'name = "web%d"; address = "198.18.0.%d:7420";' "$1" "$1"
}

# vip_cluster GUARANTEE: a new cluster, which elects the last node.
vip_cluster() {
    vip_end
    fresh && chmod 711 "$cluster" || return
    sed -i -e "s/\"component\"/\"$1\"/" -e '/^nodes = (/,/^);/d' \
        "$cluster/electd.conf"
    sed -i 's/^control = {/& deadlines = ("nobody");/' "$cluster/electd.conf"
    # shellcheck disable=SC2046 # numbers in words
    setting "timing = { heartbeat = \"50ms\"; misses = 3;
  lease = \"${lease_ms}ms\"; startup = \"300ms\"; };
$(nodes $(seq "$nodes"))" && {
        [ "$1" = component ] || node_init $(seq "$nodes")
    } || return
    # shellcheck disable=SC2046 # numbers in words
    cluster_start "$nodes" $(seq "$nodes") && settle $(seq "$nodes")
}

# An ordinary user with two capabilities, as by electvip@.service.
as_electvip="setpriv --pdeathsig KILL --reuid 65534 --regid 65534
    --clear-groups --inh-caps -all,+net_admin,+net_raw
    --ambient-caps -all,+net_admin,+net_raw
    --bounding-set -all,+net_admin,+net_raw --no-new-privs --"

# vip_on ID [OPTION...]: electvip on that host.
vip_on() {
    local id=$1

    shift
    # shellcheck disable=SC2046,SC2086 # commands in words
    $WRAP $(enter "$id") $as_electvip "$electvip" -s "$cluster/$id.sock" \
        -i eth0 "$@" "$v4" "$v6" </dev/null 2>>"$cluster/vip$id.log" &
    vip_pid[$id]=$!
}

# vip_watch: begins to write down which hosts have the addresses.
vip_watch() {
    local until=$((SECONDS + seconds_max)) names=() address n

    # shellcheck disable=SC2086 # ids in words
    [ -z "$holders_pid" ] || { kill $holders_pid; wait $holders_pid; } \
        2>/dev/null
    holders_pid=
    for ((n = 1; n <= hosts; n++)); do
        names+=("h$n")
    done
    for address in "$v4" "$v6"; do
        "$tools/holders" "$address" "${names[@]}" \
            >"$cluster/holders.$address" &
        holders_pid+=" $!"
        until grep -q ready "$cluster/holders.$address"; do
            [ "$SECONDS" -lt "$until" ] || complain 'nobody watches' || return
            pause
        done
    done
}

# vip_begin GUARANTEE [OPTION...]: a cluster, and electvip on each node.
vip_begin() {
    local id

    vip_cluster "$1" && vip_watch || return
    for ((id = 1; id <= nodes; id++)); do
        vip_on "$id" "${@:2}"
    done
    held "$nodes"
}

# find_holders ADDRESS: sets `holders` to the hosts that have it now.
find_holders() {
    local host what n
    local -A last=()

    while read -r _ host what; do
        [ -z "$host" ] || last[$host]=$what
    done <"$cluster/holders.$1"
    holders=
    for ((n = 1; n <= hosts; n++)); do
        [ "${last[h$n]-}" != begins ] || holders+=${holders:+ }h$n
    done
}

# held ID...: waits until exactly these hosts have each address.
held() {
    local until=$((SECONDS + seconds_max)) wanted address holders

    wanted=${*/#/h}
    for address in "$v4" "$v6"; do
        until find_holders "$address"; [ "$holders" = "$wanted" ]; do
            [ "$SECONDS" -lt "$until" ] || complain \
                "$address is at '$holders', not '$wanted'" || return
            pause
        done
    done
}

# begun N: waits until each address was given N times.
begun() {
    local until=$((SECONDS + seconds_max)) address

    for address in "$v4" "$v6"; do
        until [ "$(grep -c begins "$cluster/holders.$address")" -ge "$1" ]; do
            [ "$SECONDS" -lt "$until" ] ||
                complain "$address was not given $1 times" || return
            pause
        done
    done
}

# apart: no address was ever at two hosts at once.
apart() {
    local address

    for address in "$v4" "$v6"; do
        awk -v address="$address" '
            $3 == "begins" { if (count++ > 0) since = $1 }
            $3 == "ends" && --count == 1 && $1 > since {
                print "    " address " was at two hosts for " \
                    ($1 - since) / 1e6 " ms"
                bad = 1
            }
            END { exit bad || count > 1 }' \
            "$cluster/holders.$address" >&2 || return
    done
}

# reached ID: waits until the other host reaches each address at this one, whose
# kernel says that nothing listens there; and knows it by the right MAC.
reached() {
    local until=$((SECONDS + seconds_max)) address mac

    mac=$(ip netns exec "h$1" cat /sys/class/net/eth0/address) || return
    for address in "$v4" "$v6"; do
        until ip netns exec "h$other" timeout 1 bash -c \
            "exec 3<>/dev/tcp/$address/9" 2>&1 | grep -q refused &&
            ip -n "h$other" neigh show "$address" | grep -q "$mac"; do
            [ "$SECONDS" -lt "$until" ] ||
                complain "$address is not reached at $1: $(
                    ip -n "h$other" neigh show "$address")" || return
            pause
        done
    done
}

# vip_says ID PATTERN: waits until it has said so.
vip_says() {
    local until=$((SECONDS + seconds_max))

    until grep -qE -- "$2" "$cluster/vip$1.log"; do
        [ "$SECONDS" -lt "$until" ] || complain \
            "electvip of $1: no '$2' in: $(cat "$cluster/vip$1.log")" || return
        pause
    done
}

# vip_gone ID: waits for an electvip that is about to end; gives its status.
vip_gone() {
    local pid=${vip_pid[$1]}

    unset "vip_pid[$1]"
    { wait "$pid"; } 2>/dev/null
}

# vip_stop ID: tells it to end, which it does well.
vip_stop() {
    kill "${vip_pid[$1]}" || return
    vip_gone "$1" ||
        complain "electvip of $1 ended with status $?"
}

# vip_restart: all are started anew, and so is what is written down.
vip_restart() {
    local id

    for id in "${!vip_pid[@]}"; do
        vip_stop "$id" || return
    done
    vip_watch || return
    for ((id = 1; id <= nodes; id++)); do
        vip_on "$id"
    done
    held "$nodes"
}

# after NS ID [EVENT]: how long after that time the first address ended there,
# or began, in ms.
after() {
    awk -v from="$1" -v host="h$2" -v what="${3-ends}" '
        $2 == host && $3 == what && $1 > from {
            print int(($1 - from) / 1e6)
            exit
        }' "$cluster/holders.$v4"
}

# vip_end: ends what runs.
vip_end() {
    local id

    for id in "${!vip_pid[@]}"; do
        kill -KILL "${vip_pid[$id]}" && vip_gone "$id"
    done
    # shellcheck disable=SC2086 # ids in words
    [ -z "$holders_pid" ] || kill $holders_pid
    holders_pid=
} 2>/dev/null
