# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2015,SC2034,SC2154 # for the caller, and of it
# Sourced on top of tests/lan/hosts.sh: machine N is the host N booted with
# systemd, from an overlay of the tree of tree.sh. All of it is under
# BUILD/rollout; only the tree and the record outlive the script.

boot_seconds=120
mkdir -p "$BUILD/rollout" && BUILD=$(cd "$BUILD" && pwd) || exit 1
tree=$BUILD/rollout/debian/tree
machines=$BUILD/rollout/machines # N/root is what machine N sees
declare -A machine_pid=() init_pid=()

# pause: waits for a twentieth of a second.
pause() {
    read -r -t 0.05 <> <(:) || :
}

# awaits SECONDS COMMAND...: repeats it until it succeeds.
awaits() {
    local until=$((SECONDS + $1))

    until "${@:2}"; do
        [ "$SECONDS" -lt "$until" ] || complain "after $1 s: no '${*:2}'" ||
            return
        pause
    done
}

# group_mounts: where systemd's control groups are mounted.
group_mounts() {
    awk '$3 == "cgroup2" || $3 == "cgroup" && /name=systemd/ { print $2 }' \
        /proc/self/mounts
}

# boot N: its systemd has a control group of its own.
boot() {
    local root=$machines/$1/root group

    mkdir -p "$machines/$1"/{upper,work,root} && mount -t overlay overlay -o \
        "lowerdir=$tree,upperdir=$machines/$1/upper,workdir=$machines/$1/work" \
        "$root" || return
    for group in $(group_mounts); do
        mkdir -p "$group/electd-$$-$1" || return
    done
    (
        for group in $(group_mounts); do
            echo "$BASHPID" >"$group/electd-$$-$1/cgroup.procs" || exit
        done
        exec setpriv --pdeathsig KILL unshare -fp --kill-child --mount-proc \
            systemd-nspawn -q --register=no --keep-unit --link-journal=no \
            --resolv-conf=off --timezone=off -M "web$1" -D "$root" \
            --network-namespace-path="/run/netns/h$1" -b
    ) </dev/null >"$record/console.$1" 2>&1 &
    machine_pid[$1]=$!
}

# child_of PID: its first child, if it has one.
child_of() {
    local child=

    read -r child _ <"/proc/$1/task/$1/children"
    [ -z "$child" ] || echo "$child"
} 2>/dev/null

# is_up N: whether it has booted; sets its init_pid.
is_up() {
    local said

    init_pid[$1]=$(child_of "$(child_of "${machine_pid[$1]}")")
    [ -n "${init_pid[$1]}" ] &&
        said=$(on "$1" systemctl is-system-running 2>/dev/null)
    [[ ${said-} =~ ^(running|degraded)$ ]]
}

# on N COMMAND...: runs it on this machine.
on() {
    nsenter -t "${init_pid[$1]}" -a "${@:2}"
}

machines_boot() {
    local n

    machines_abandon
    for n in "$@"; do
        boot "$n" || return
    done
    for n in "$@"; do
        awaits "$boot_seconds" is_up "$n" || return
    done
}

# Each machine ends with the first process of its namespace.
machines_abandon() {
    local n group

    for n in "${!machine_pid[@]}"; do
        kill -KILL "$(child_of "${machine_pid[$n]}")"
        wait "${machine_pid[$n]}"
        unset "machine_pid[$n]" "init_pid[$n]"
    done
    for n in "$machines"/*/root; do
        ! mountpoint -q "$n" || umount "$n" || return
    done
    rm -rf "$machines"
    for group in $(group_mounts); do
        find "$group"/electd-"$$"-* -depth -type d -exec rmdir {} +
    done
} 2>/dev/null
