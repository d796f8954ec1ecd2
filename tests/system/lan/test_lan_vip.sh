#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electvip on three hosts of a LAN, under quorum: the leader's host has the
# addresses, and no two hosts have one at once, whatever is killed, stopped or
# removed. A fourth host is their client.
# Takes 108 s.
# shellcheck disable=SC2317 # cases are called by name
hosts=4

# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/hosts.sh"
# shellcheck source=tests/system/lan/lan_vip.sh
. tests/system/lan/lan_vip.sh

it_is_where_the_leader_is_and_moves_with_it() {
    vip_begin quorum && reached 3 && ask 3 -q resign && held 2 && reached 2 &&
        ask 3 -q rejoin && held 3 && reached 3 && apart
}

# Of CAP_NET_ADMIN and CAP_NET_RAW it has kept the first, 12.
it_has_one_capability_and_a_filter() {
    local status

    status=$(cat "/proc/${vip_pid[3]}/status")
    has 'effective' $'CapEff:\t0000000000001000' "$status" &&
        has 'permitted' $'CapPrm:\t0000000000001000' "$status" &&
        has 'ambient' $'CapAmb:\t0000000000000000' "$status" &&
        has 'filter' $'Seccomp:\t2' "$status"
}

killed_daemon_moves_it() {
    node_kill9 3 && held 2 && reached 2 && node_start 3 && held 3 && apart &&
        vip_says 3 'web3 leads in term .*: eth0 has 2001:db8::100$'
}

# Neither is there at first.
it_waits_for_the_daemon_and_the_interface() {
    vip_stop 3 && node_kill9 3 && unplug 3 && vip_on 3 &&
        vip_says 3 'no interface eth0 yet: waiting' &&
        vip_says 3 'no daemon answers at .*/3.sock yet: waiting' && plug 3 && plug_v6 3 &&
        node_start 3 && held 3 && reached 3 && apart
}

# stop_all: stops all that could remove the address, and sets `moment`.
stop_all() {
    moment=$("$kill9") && node_stop 3 &&
        kill -STOP "${vip_pid[3]}" "$(helper_of 3)"
}

# go_on: the kernel has killed electvip, which must not go on.
go_on() {
    kill -CONT "${daemon_pid[3]}" "$(helper_of 3)"
    vip_gone 3
    is 'status' 137 $? && vip_on 3 && held 3 && apart
}

# The kernel removes the address.
stopped_host_loses_it_in_time() {
    stop_all && held 2 && reached 2 && apart &&
        echo "# stopped, it has $v4 for $(after "$moment" 3) ms more" && go_on
}

# A change of another address has the kernel look again, but not soon.
stopped_host_whose_kernel_is_late_loses_it_in_time() {
    stop_all || return
    until [ "$("$kill9")" -gt $((moment + 600000000)) ]; do pause; done
    ip -n h3 address add 198.18.7.7/32 dev eth0 &&
        ip -n h3 address add 2001:db8:7::7/128 dev eth0 nodad && held 2 &&
        apart && echo "# and with another address that is new, for $(
            after "$moment" 3) ms" && go_on
}

killed_electvip_loses_it_by_its_lifetime() {
    moment=$("$kill9") && kill -KILL "${vip_pid[3]}" && vip_gone 3
    held && echo "# without electvip it has $v4 for $(
        after "$moment" 3) ms more" && vip_on 3 && held 3 && apart
}

# What it finds of its own it takes away, before its lifetime is over.
its_own_stale_address_is_removed() {
    local id=1 tries=10 stale

    while [ "$tries" -gt 0 ]; do
        kill -KILL "${vip_pid[$id]}" && vip_gone "$id"
        ip -n h1 address add "$v4/32" dev eth0 valid_lft 2 preferred_lft 0 &&
            vip_on "$id" && held 3 || return
        stale=$(awk '$2 == "h1" && $3 == "begins" { at = $1 }
            $2 == "h1" && $3 == "ends" { print int(($1 - at) / 1e6) }' \
            "$cluster/holders.$v4" | tail -n 1)
        [ "$stale" -ge 1900 ] || return 0
        tries=$((tries - 1))
    done
    complain "it was there for $stale ms"
}

# Nobody but electvip gives so short a lifetime.
address_of_others_stays() {
    ip -n h2 address add "$v4/24" dev eth0 && ask 3 -q resign &&
        vip_says 2 "eth0 has $v4 already, and not from electvip" &&
        ip -n h2 address show dev eth0 | grep -q "$v4/24" &&
        ip -n h2 address delete "$v4/24" dev eth0 && held 2 &&
        ask 3 -q rejoin && held 3
}

removed_address_comes_back() {
    vip_restart && begun 1 &&
        ip -n h3 address delete "$v4/32" dev eth0 &&
        ip -n h3 address delete "$v6/128" dev eth0 && begun 2 && held 3 &&
        reached 3 && vip_says 3 "$v6 was removed from eth0"
}

address_in_use_is_not_taken() {
    vip_stop 3 && held && ip -n h4 address add "$v4/32" dev eth0 &&
        ip -n h4 address add "$v6/128" dev eth0 nodad && vip_on 3 &&
        vip_says 3 "$v4 is in use by ..:" && vip_says 3 "$v6 is in use by" &&
        held 4 && ip -n h4 address delete "$v4/32" dev eth0 &&
        ip -n h4 address delete "$v6/128" dev eth0 && held 3 && reached 3 &&
        apart
}

# An address that another host takes by force is defended.
rival_is_told_of() {
    ip -n h4 address add "$v4/32" dev eth0 &&
        ip netns exec h4 timeout 1 bash -c \
            "exec 3<>/dev/tcp/198.18.0.2/9 2>&1" 2>/dev/null
    ip -n h4 neigh flush dev eth0 &&
        ip -n h4 route get 198.18.0.3 from "$v4" >/dev/null &&
        ip -n h4 route add 198.18.0.3/32 dev eth0 src "$v4" &&
        { ip netns exec h4 timeout 1 bash -c \
            "exec 3<>/dev/tcp/198.18.0.3/9" 2>/dev/null; true; } &&
        vip_says 3 "$v4 is ours, but ..:" &&
        ip -n h4 route delete 198.18.0.3/32 dev eth0 &&
        ip -n h4 address delete "$v4/32" dev eth0 && held 3 && reached 3 &&
        vip_watch
}

# Its interface is up, but nobody hears it any more.
cut_off_host_loses_it_in_time() {
    ip link set h3 nomaster && held 2 && reached 2 && apart &&
        ip link set h3 master br0 && held 3 && reached 3 && apart
}

interface_goes_and_comes() {
    ip -n h3 link set eth0 down && held 2 && ip -n h3 link set eth0 up &&
        held 3 && unplug 3 && held 2 && plug 3 && plug_v6 3 && held 3 &&
        reached 3 && apart
}

# joined ID: waits until the interface passes on what is sent to the group of
# the probes of the address of IPv6.
joined() {
    local until=$((SECONDS + seconds_max))

    until ip -n "h$1" maddress show dev eth0 | grep -q 33:33:ff:00:01:00; do
        [ "$SECONDS" -lt "$until" ] || complain \
            "not joined: $(ip -n "h$1" maddress show dev eth0)" || return
        pause
    done
}

# This host does not lead, so the kernel joins nothing for an address.
new_interface_joins_the_group_of_the_address() {
    vip_begin quorum && joined 1 && unplug 1 && plug 1 && plug_v6 1 && joined 1
}

# Linux before 6.2 refuses to rename an interface that is up. A leader that is not
# given the processor may lose its lead at that moment, and then says so: its
# interface is renamed again.
renamed_interface_loses_it() {
    local said='has got another name: eth0 has .* no more' tries=10

    ip -n h3 link set eth0 name lan0 2>/dev/null || return 0
    until held && grep -qE "$said" "$cluster/vip3.log"; do
        [ $((tries -= 1)) -gt 0 ] || break
        ip -n h3 link set lan0 name eth0 && held 3 &&
            ip -n h3 link set eth0 name lan0 || return
    done
    vip_says 3 "$said" && ip -n h3 link set lan0 name eth0 && held 3 &&
        reached 3 && apart
}

# And it gives its deadline back: a handover does not wait for that.
told_to_end_it_takes_the_address_along() {
    local before

    before=$(wc -l <"$cluster/vip3.log")
    vip_stop 3 && held && apart &&
        has 'log' "told to end: eth0 has $v4 no more" \
            "$(tail -n "+$((before + 1))" "$cluster/vip3.log")" &&
        moment=$("$kill9") && ask 3 -q resign && held 2 && apart &&
        echo "# the next host has $v4 after $(after "$moment" 2 begins) ms"
}

short_lease_is_refused() {
    lease_ms=2000
    vip_cluster quorum && vip_on 3 &&
        vip_says 3 'set timing.lease to "3s" or more' && vip_stop 3
}

# The one before it counts to its end.
lease_that_becomes_short_takes_it_away() {
    lease_ms=3000
    vip_begin quorum || return
    sed -i -e '1i config_version = 1;' -e 's/3000ms/2000ms/' \
        "$cluster/electd.conf"
    exits 0 ask 3 reload && held &&
        vip_says 3 'the lease may end: eth0 has .* no more' &&
        vip_says 3 'set timing.lease to "3s" or more' && apart
}

two_leaders_are_refused() {
    vip_cluster component && exits 6 "$electvip" -s "$cluster/3.sock" -i eth0 \
        "$v4" && has 'why' 'even-if-two lets them' "$said" && vip_watch &&
        vip_on 3 --even-if-two && vip_on 2 --even-if-two && held 3 &&
        node_kill9 3 && held 2 && reached 2
}

wrong_words_are_refused() {
    exits 2 "$electvip" && exits 2 "$electvip" -i eth0 &&
        exits 2 "$electvip" -i eth0 198.18.0.100/24 &&
        has 'why' 'give the address alone' "$said" &&
        exits 2 "$electvip" -i eth0 127.0.0.1 &&
        exits 2 "$electvip" -i eth0 "$v4" "$v4" &&
        exits 2 "$electvip" -i eth0 -s x --cluster y "$v4" &&
        exits 2 "$electvip" -i eth0 -s "$cluster/2.admin.sock" "$v4" &&
        exits 0 "$electvip" --help && exits 0 "$electvip" -V &&
        exits 4 as_nobody "$electvip" -s "$cluster/2.sock" -i eth0 "$v4" &&
        has 'why' 'CAP_NET_ADMIN' "$said"
}

check it_is_where_the_leader_is_and_moves_with_it
case $BUILD in
*/asan | */coverage) ;; # these programs need more system calls
*) check it_has_one_capability_and_a_filter ;;
esac
check killed_daemon_moves_it
check it_waits_for_the_daemon_and_the_interface
check stopped_host_loses_it_in_time
check stopped_host_whose_kernel_is_late_loses_it_in_time
check killed_electvip_loses_it_by_its_lifetime
check its_own_stale_address_is_removed
check address_of_others_stays
check removed_address_comes_back
check address_in_use_is_not_taken
check rival_is_told_of
check cut_off_host_loses_it_in_time
check interface_goes_and_comes
check new_interface_joins_the_group_of_the_address
check renamed_interface_loses_it
check told_to_end_it_takes_the_address_along
check short_lease_is_refused
check lease_that_becomes_short_takes_it_away
check two_leaders_are_refused
check wrong_words_are_refused
check_end
