#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five real daemons on the test LAN: the leader's host is cut off, and its cut
# healed, again and again. The script prints how long it takes after each cut
# until all follow one leader, and how often the leader changed for the others.
#
# usage: test_lan_heal.sh CUTS (7), CUT_SECONDS (2), WHOLE_SECONDS (1): how
# many, how long each lasts, and how long it is then until the next; 20, 3 and 2
# for the full figures. GUARANTEE (component), HEARTBEAT (100ms). BUILD: where
# the programs are. SEED: of the LAN. Takes 23 s.
set -u

: "${CUTS:=7}" "${CUT_SECONDS:=2}" "${WHOLE_SECONDS:=1}"
# shellcheck source=tests/system/lan/live_lan.sh
. "$(dirname "$0")/live_lan.sh"

# Succeeds if every node follows the same leader.
is_one() {
    [ "${leader[1]}" != 0 ] && follow "${leader[1]}" 1 2 3 4 5
}

# A limit for the busiest machine; tests/unit/cluster/test_cluster_heal.c has
# the true one. With damped links the last of seven cuts took 9600 ms to heal.
limit_ms=5000
slow=0 times=()
lan_begin --seed "$SEED"
start 1 2 3 4 5
settles 'five nodes elect the highest id' 5 1 2 3 4 5
began=$("$kill9")
for ((i = 1; i <= CUTS; i++)); do
    net partition 5 1,2,3,4
    during "$CUT_SECONDS"
    healed=$("$kill9")
    net heal
    reach is_one || { slow=$CUTS; break; }
    times+=("$(milliseconds "$healed" "$(latest "$healed" "${leader[1]}")")")
    [ "${times[-1]}" -le "$limit_ms" ] || ((slow++))
    during "$WHOLE_SECONDS"
done
echo "#   ms from the end of a cut until all follow one leader: ${times[*]}"
echo "#   median $(printf '%s\n' "${times[@]}" | sort -n |
    sed -n "$(((CUTS + 1) / 2))p"), longest $(printf '%s\n' "${times[@]}" |
    sort -n | tail -n 1)"
tell_changes "$began"
equal "after each of $CUTS cuts all follow one leader soon" 0 "$slow"
holds 'the host that was cut off says that it is damped' \
    grep -q '^damped .* does not take over for [0-9]' < <(ask 5 status)
stop 1 2 3 4 5
lan_end
cases_end
