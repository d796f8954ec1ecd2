# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154 # of live.sh
# Sourced by scripts of a disk that hangs, on top of live_checks.sh: a file with
# ext4 in it, at $disk. While it is frozen, no signal ends a process that
# writes there.

at_end hang_end

hang_begin() {
    disk=$cluster.disk
    mkdir "$disk" && truncate -s 16M "$disk.image" &&
        mkfs.ext4 -q "$disk.image" &&
        mount -o loop,nosuid,nodev "$disk.image" "$disk" &&
        rmdir "$disk/lost+found"
}

# What waits for the disk dies once that answers.
hang_end() {
    [ -n "${disk-}" ] || return
    fsfreeze -u "$disk"
    helpers_end
    umount -l "$disk"
    rm -rf "$disk" "$disk.image"
}

# waiting: the processes that wait for the disk, each in a line.
waiting() {
    local status pid

    for status in /proc/[0-9]*/status; do
        pid=${status%/status}
        if grep -qs $'^State:\tD' "$status" &&
            grep -qsxzF checks "$pid/cmdline" &&
            grep -qsF "$cluster/" "$pid/cmdline"; then
            echo "${pid#/proc/}"
        fi
    done
}

# waits N: succeeds if so many processes wait for the disk.
waits() {
    [ "$(waiting | wc -l)" = "$1" ]
}
