# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller; of live.sh
# Sourced by scripts that run a command on the host that leads, on top of
# live_quorum.sh.

stamp=$tools/stamp
declare -A run_pid=()
at_end run_end

# run_on ID WORD...: electctl run of this on that host. Its supervisor has to be
# in time.
run_on() {
    local id=$1
    shift

    mkdir -p "$cluster/stamps" || return
    # shellcheck disable=SC2086 # FIRST is a command in words
    $FIRST "$electctl" -s "$cluster/$id.sock" run "$@" \
        2>>"$cluster/$id.run" &
    run_pid[$id]=$!
}

supervisor_of() { child_of "${run_pid[$1]}"; }
command_of() { child_of "$(supervisor_of "$1")"; }

# gone PID: waits until it has ended.
gone() {
    local until=$((SECONDS + seconds_max))

    while lives "$1"; do
        [ "$SECONDS" -lt "$until" ] || complain "$1 does not end" || return
        pause
    done
}

# commands_count: so many have begun.
commands_count() {
    compgen -G "$cluster/stamps/web*" | wc -l
}

# commands: the first and the last moment of each, and its node, in order.
commands() {
    awk '{ sub(/.*\/web/, "", FILENAME); print $1, $2, int(FILENAME) }' \
        "$cluster"/stamps/* | sort
}

# stamped N: waits until so many commands have begun.
stamped() {
    local until=$((SECONDS + seconds_max)) begun

    while begun=("$cluster"/stamps/web*) &&
        [ ! -e "${begun[0]}" ] || [ "${#begun[@]}" -lt "$1" ]; do
        [ "$SECONDS" -lt "$until" ] || complain "no $1 commands" || return
        pause
    done
}

# apart: no two hosts ran a command at once, and the later one had a later term.
apart() {
    local file

    for file in "$cluster"/stamps/*; do
        echo "$(<"$file") ${file##*/}"
    done | tr . ' ' | sort | awk '
        {
            for (node in last)
                if (node != $3 && ($1 <= last[node] || $4 <= term[node])) {
                    print node " until " last[node] " in term " term[node]
                    print $3 " from " $1 " in term " $4
                    exit 1
                }
            if (last[$3] < $2)
                last[$3] = $2
            term[$3] = $4
        }'
}

# run_kill9 ID [PID]: kills its electctl, and the other. The shell's own message
# about it is of no interest.
run_kill9() {
    {
        kill -9 "${run_pid[$1]}" "${@:2}"
        wait "${run_pid[$1]}"
    } 2>/dev/null
    return 0
}

# run_end: ends what runs, also commands that are deaf.
run_end() {
    local id supervisor

    for id in "${!run_pid[@]}"; do
        supervisor=$(cat "/proc/${run_pid[$id]}/task/${run_pid[$id]}/children" \
            2>/dev/null)
        run_kill9 "$id"
        # shellcheck disable=SC2086 # at most one
        [ -z "$supervisor" ] || gone $supervisor
    done
    run_pid=()
}
