# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2015,SC2034,SC2154 # for the caller, and of it
# Sourced on top of tests/system/lan/hosts.sh: machine N is the host N booted
# with systemd, from an overlay of the tree of tree.sh. All of it is under
# BUILD/rollout; only the tree and the record outlive the script.

boot_seconds=120
mkdir -p "$BUILD/rollout" && BUILD=$(cd "$BUILD" && pwd) || exit 1
tree=$BUILD/rollout/debian/tree
machines=$BUILD/rollout/machines # N/root is what machine N sees
declare -A machine_pid=() init_pid=()
nspawn_options=() init_arguments=() # in addition, of every machine

# group_mounts: where systemd's control groups are mounted.
group_mounts() {
    awk '$3 == "cgroup2" || $3 == "cgroup" && /name=systemd/ { print $2 }' \
        /proc/self/mounts
}

# machine_mount N: makes its root, or leaves the one that is there.
machine_mount() {
    local own=$machines/$1

    mkdir -p "$own"/{upper,work,root} && {
        mountpoint -q "$own/root" || mount -t overlay overlay -o \
            "lowerdir=$tree,upperdir=$own/upper,workdir=$own/work" "$own/root"
    }
}

# boot N: its systemd has a control group of its own.
boot() {
    local root=$machines/$1/root group

    machine_mount "$1" || return
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
            --network-namespace-path="/run/netns/h$1" \
            --capability=CAP_NET_ADMIN "${nspawn_options[@]}" \
            -b "${init_arguments[@]}"
    ) </dev/null >"$record/console.$1" 2>&1 &
    machine_pid[$1]=$!
}

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

# power_off N: it ends with the first process of its namespace.
power_off() {
    kill -KILL "$(child_of "${machine_pid[$1]}")"
    wait "${machine_pid[$1]}"
    unset "machine_pid[$1]" "init_pid[$1]"
} 2>/dev/null

machines_abandon() {
    local n group

    for n in "${!machine_pid[@]}"; do
        power_off "$n"
    done
    for n in "$machines"/*/root; do
        ! mountpoint -q "$n" || umount "$n" || return
    done
    rm -rf "$machines"
    for group in $(group_mounts); do
        find "$group"/electd-"$$"-* -depth -type d -exec rmdir {} +
    done
} 2>/dev/null
