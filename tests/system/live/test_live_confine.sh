#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What electd gives up by itself: system calls that it does not need, and the
# rights of root if root started it.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# says NAME PID: the values of that name, of all threads, each once.
says() {
    sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/task"/*/status | sort -u |
        sed 's/\t/ /g; s/ $//'
}

# capabilities BITS [realtime]: as /proc has them, with CAP_NET_BIND_SERVICE.
# Where root may not raise a limit, CAP_IPC_LOCK and CAP_SYS_NICE are needed as
# well.
capabilities() {
    local bits=$(($1 | 1 << 10))

    prlimit --memlock=unlimited true 2>/dev/null || bits=$((bits | 1 << 14))
    [ "${2-}" != realtime ] || prlimit --rtprio=2 true 2>/dev/null ||
        bits=$((bits | 1 << 23))
    printf '%016x' "$bits"
}

# preloaded LIBRARY: what runs node 1 with it.
preloaded() {
    echo "$WRAP env LD_PRELOAD=$(realpath "$BUILD/tests/tools/preload/$1.so")"
}

# outcomes WHEN: of the calls of tests/tools/preload/forbidden.c, each once.
outcomes() {
    sed -n "s/^$1: [a-z]*: //p" "$cluster/1.log" | sort -u
}

# The same calls are permitted before it has begun to listen.
what_an_intruder_would_call_is_refused() {
    fresh && WRAP=$(preloaded forbidden) node_start 1 || return
    is 'filter' 2 "$(says Seccomp "${daemon_pid[1]}")" &&
        is 'rights' 1 "$(says NoNewPrivs "${daemon_pid[1]}")" || return
    ! outcomes first | grep -x ENOSYS || complain 'they fail anyway' || return
    kill -USR2 "${daemon_pid[1]}" && log_comes_to 1 '^later: setuid: ' &&
        is 'outcomes' ENOSYS "$(outcomes later)" &&
        is 'calls' "$(grep -c '^first: ' "$cluster/1.log")" \
            "$(grep -c '^later: ' "$cluster/1.log")"
}

# What it does seldom: another helper, which locks its memory and has a filter
# of its own; other settings; a tape.
confined_node_still_does_what_is_rare() {
    local helper

    helper=$(helper_of 1)
    kill -KILL "$helper" && log_comes_to 1 'started lastwill again' &&
        awaits "$seconds_max" test -d "/proc/$(helper_of 1)/task" || return
    setting 'config_version = 1; timing = { heartbeat = "50ms"; };' &&
        kill -HUP "${daemon_pid[1]}" &&
        log_comes_to 1 'reload: changed: timing.heartbeat' &&
        kill -USR1 "${daemon_pid[1]}" &&
        log_comes_to 1 'SIGUSR1: wrote .*-1.tape' && node_start 2 && node_end 1 2
}

build_without_a_filter_says_so() {
    fresh && node_start 1 &&
        logged 1 'info: runs without a filter of system calls' && node_end 1
}

kernel_without_filters_is_logged_once() {
    fresh && WRAP=$(preloaded noseccomp) node_start 1 &&
        is 'filter' 0 "$(says Seccomp "${daemon_pid[1]}")" &&
        is 'lines' 1 "$(grep -c 'warning: cannot filter .* (seccomp), .*: Function not' \
            "$cluster/1.log")" && node_end 1
}

# owned_by_nobody: a new cluster, whose files belong to a user without rights,
# who may use the programs.
owned_by_nobody() {
    fresh && mkdir "$cluster/state" && chmod 755 "$cluster" &&
        chown -R 65534:65534 "$cluster" &&
        sed -i 's/group *=.*/group = "";/' "$cluster/electd.conf"
}

# Another port may come by a reload.
root_becomes_the_owner_of_the_state_directory() {
    owned_by_nobody && sed -i 's/:742/:74/' "$cluster/electd.conf" &&
        node_start 1 || return
    is 'users' '65534 65534 65534 65534' "$(says Uid "${daemon_pid[1]}")" &&
        is 'group' '65534 65534 65534 65534' "$(says Gid "${daemon_pid[1]}")" &&
        is 'groups' 65534 "$(says Groups "${daemon_pid[1]}")" &&
        is 'capabilities' "$(capabilities 0)" \
            "$(says CapEff "${daemon_pid[1]}")" &&
        is 'what they may be' "$(capabilities 0)" \
            "$(says CapPrm "${daemon_pid[1]}")" &&
        is 'user of the helper' '65534 65534 65534 65534' \
            "$(says Uid "$(helper_of 1)")" &&
        is 'owner of its state' 65534 \
            "$(stat -c %u "$cluster/state/loopback-1.state")" &&
        logged 1 "info: continues as user [a-z0-9]+, who owns $cluster/state" &&
        ! grep 'cannot read it' "$cluster/1.log" && node_end 1
}

# steered_by GROUP: a daemon that root starts gives this group the admin socket,
# and says so once.
steered_by() {
    node_start 1 &&
        is 'group' "$1" "$(stat -c %G "$cluster/1.admin.sock")" &&
        node_end 1 && is 'lines' 1 "$(grep -c \
        "info: control: members of group $1 may steer;" "$cluster/1.log")"
}

# But root's is only what a chown of the user alone leaves.
group_of_the_state_directory_may_steer() {
    local theirs own

    theirs=$(getent group 1 | cut -d: -f1)
    own=$(id -gn "$(id -un 65534)")
    owned_by_nobody && chgrp 1 "$cluster/state" && steered_by "$theirs" &&
        owned_by_nobody && chgrp 0 "$cluster/state" && steered_by "$own"
}

# A reload reads it as the owner of the state directory.
file_that_only_root_can_read_is_a_warning() {
    owned_by_nobody && chown 0:0 "$cluster/electd.conf" &&
        chmod 600 "$cluster/electd.conf" && node_start 1 &&
        logged 1 "warning: $cluster/electd.conf: .* cannot read it, so a reload will fail: chown [^ ]+ $cluster/electd.conf\$" &&
        kill -HUP "${daemon_pid[1]}" &&
        log_comes_to 1 'error: reload: .*Permission denied' && node_end 1
}

# As root, and as the user; electd tells the same when it starts.
socket_for_a_group_of_others_is_refused_with_the_remedy() {
    local remedy='must be a member of root: usermod -aG root [a-z0-9]+$' as

    owned_by_nobody && sed -i 's/control = {/& group = "root";/' \
        "$cluster/electd.conf" || return
    for as in '' as_nobody; do
        exits 1 $as "$electd" -t -c "$cluster/electd.conf" -i 1 &&
            has '-t' 'error: control.group: .*' "$said" &&
            has '-t' "$remedy" "$(grep control.group <<<"$said")" &&
            exits 1 $as "$electd" -c "$cluster/electd.conf" -i 1 &&
            has 'start' "$remedy" "$(grep control.group <<<"$said")" || return
    done
    WRAP="$WRAP setpriv --reuid 65534 --regid 65534 --groups 0" node_start 1 &&
        is 'group' 0 "$(stat -c %g "$cluster/1.admin.sock")" && node_end 1
}

realtime_needs_no_root() {
    owned_by_nobody && setting 'realtime = true;' && node_start 1 || return
    is 'user' '65534 65534 65534 65534' "$(says Uid "${daemon_pid[1]}")" &&
        is 'capabilities' "$(capabilities 0 realtime)" \
            "$(says CapEff "${daemon_pid[1]}")" &&
        logged 1 'info: realtime: SCHED_RR, priority 2' &&
        ! grep 'warning: realtime' "$cluster/1.log" && node_end 1
}

# Files of others are within its reach then: CAP_CHOWN and CAP_DAC_OVERRIDE.
root_who_owns_the_state_keeps_few_rights() {
    fresh && node_start 1 || return
    is 'users' '0 0 0 0' "$(says Uid "${daemon_pid[1]}")" &&
        is 'capabilities' "$(capabilities 3)" \
            "$(says CapEff "${daemon_pid[1]}")" &&
        is 'what programs may have' 0000000000000000 \
            "$(says CapBnd "${daemon_pid[1]}")" && node_end 1 &&
        logged 1 "notice: continues as root, as there is no $cluster/state yet" &&
        node_start 1 && node_end 1 &&
        logged 1 "notice: continues as root, who owns .*: chown -R electd: $cluster/state\$"
}

if nm -D "$electd" | grep -q asan; then
    check build_without_a_filter_says_so
else
    check what_an_intruder_would_call_is_refused
    check confined_node_still_does_what_is_rare
    check kernel_without_filters_is_logged_once
fi
as_root root_becomes_the_owner_of_the_state_directory
as_root group_of_the_state_directory_may_steer
as_root file_that_only_root_can_read_is_a_warning
as_root socket_for_a_group_of_others_is_refused_with_the_remedy
as_root root_who_owns_the_state_keeps_few_rights
if chrt -r 1 true 2>/dev/null; then
    as_root realtime_needs_no_root
else
    echo 'skip real time: it is not permitted here'
fi
check_end
