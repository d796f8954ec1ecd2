#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electd.py on three real daemons under quorum, where programs in Python hold the
# lead (hold.py), with and without asyncio. Fault after fault, drawn from a seed,
# at the node that leads:
#   RESIGN             it hands over, and the program gives its deadline back
#   TERM, KILL, STOP   of the program, and then it hands over
#   DAEMON-KILL, DAEMON-STOP, ALL-KILL, ALL-STOP   of electd, and of both
# By their deadlines no two ever lead at once, and no handover waits for a
# deadline that could be given back.
#
# TRIALS: how many faults (24; LONG: 100). SEED: of the draw. KINDS: of faults.
# Takes 20 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh

: "${TRIALS:=${LONG:+100}}"
: "${TRIALS:=24}" "${SEED:=1}"
: "${KINDS:=RESIGN RESIGN TERM TERM KILL STOP DAEMON-KILL DAEMON-STOP ALL-KILL ALL-STOP}"
read -ra kinds <<<"$KINDS"
RANDOM=$SEED
lease_ms=1000 # a node is elected while more than half of a deadline is left
export PYTHONPATH=$PWD/daemon/libelectd/python PYTHONDONTWRITEBYTECODE=1

command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }

# hold_on ID: a program there.
hold_on() {
    local how=()

    [ $((RANDOM % 2)) = 0 ] || how=(async)
    mkdir -p "$cluster/stamps" || return
    # shellcheck disable=SC2086 # FIRST is a command in words
    $FIRST python3 tests/system/live/hold.py "web$1" "$cluster/$1.sock" \
        "$cluster" "${how[@]}" 2>>"$cluster/$1.hold.log" &
    run_pid[$1]=$!
}

# hand_over: web$at gives up the lead; another leads then.
hand_over() {
    ask "$at" -q resign && stamped $((before + 1)) && ask "$at" -q rejoin
}

# end_holder SIGNAL: the program there ends by it.
end_holder() {
    {
        kill "-$1" "${run_pid[$at]}"
        wait "${run_pid[$at]}"
    } 2>/dev/null
    return 0
}

# strike: does the fault, and mends it once another node leads.
strike() {
    case $kind in
    RESIGN) hand_over ;;
    TERM | KILL) end_holder "$kind" && hand_over && hold_on "$at" ;;
    STOP)
        kill -STOP "${run_pid[$at]}" && hand_over &&
            kill -CONT "${run_pid[$at]}"
        ;;
    *KILL)
        [ "$kind" = DAEMON-KILL ] || end_holder KILL
        node_kill9 "$at" && stamped $((before + 1)) && node_start "$at" &&
            { [ "$kind" = DAEMON-KILL ] || hold_on "$at"; }
        ;;
    *STOP)
        [ "$kind" = DAEMON-STOP ] || kill -STOP "${run_pid[$at]}"
        node_stop "$at" && stamped $((before + 1)) && node_continue "$at" &&
            kill -CONT "${run_pid[$at]}"
        ;;
    esac
}

trial() {
    local at before kind=${kinds[RANDOM % ${#kinds[@]}]}

    [[ $kind != RESIGN && $kind != TERM ]] || wanted=$((wanted + 1))
    before=$(commands_count)
    read -r _ _ at < <(commands | tail -n 1) && voters_are 3 1 2 3 &&
        strike || complain "$kind of web$at"
}

# given_back N: N programs gave back a deadline before its end, and each time the
# next leader began before that end, too.
given_back() {
    commands | awk -v wanted="$1" '
        FNR == NR { split($1, name, /[.b]/); node[FNR] = name[2]; stopped[FNR] = $2
            until[FNR] = $3; why[FNR] = $4 " " $5 " " $6; given = FNR; next }
        {
            for (i = 1; i <= given; i++)
                if (!(i in next_at) && $3 != node[i] && $1 > stopped[i])
                    next_at[i] = $1
        }
        END {
            for (i = 1; i <= given; i++) {
                if (why[i] !~ /^(this node hands|told to end)/ ||
                    stopped[i] >= until[i] || !(i in next_at))
                    continue
                count++
                if (next_at[i] >= until[i]) {
                    print "web" node[i] " gave " until[i] " back at " \
                        stopped[i] ", but the next led at " next_at[i]
                    bad = 1
                }
            }
            print "    " count + 0 " deadlines were given back"
            if (count + 0 != wanted)
                print "it should be " wanted
            exit bad || count + 0 != wanted
        }' "$cluster/given" -
}

# say ID CODE: what a program prints that asks node ID.
say() {
    ELECTD_SOCKET=$cluster/$1.sock exits 0 python3 -c "import electd; $2"
}

questions_are_answered() {
    quorum 3 && setting 'preempt = "never";' && cluster_start 3 1 2 3 &&
        voters_are 3 1 2 3 && say 1 'print(electd.leader())' &&
        has 'leader' "name='web3', id=3, .* is_here=False" "$said" &&
        say 3 'print(electd.status()["quorum"])' &&
        has 'status' "'voters': 3" "$said" &&
        say 2 'print(next(electd.watch())["leader"])' && is 'event' 3 "$said"
}

never_two_at_once() {
    local id i wanted=0

    for id in 1 2 3; do
        hold_on "$id" || return
    done
    stamped 1 || return
    for ((i = 0; i < TRIALS; i++)); do
        trial || complain "trial $i: $(tail -n 5 "$cluster"/*.hold.log)" || break
    done
    run_end
    apart && given_back "$wanted" && [ "$i" = "$TRIALS" ]
}

check questions_are_answered
check never_two_at_once
check_end
