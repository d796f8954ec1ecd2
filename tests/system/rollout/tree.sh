#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tree.sh DIR [PACKAGE...]: makes a small Debian tree with systemd, what electd
# needs to run, and these packages, unless it is there. rollout.sh and
# recipes.sh boot it. This needs the network, which those scripts have left.
set -u

suite=bookworm
packages=systemd,systemd-sysv,dbus,libevent-core-2.1-7,libconfig9
packages+=,libsodium23,libjansson4
for package in "${@:2}"; do
    packages+=,$package
done
# What would use a processor while others measure.
idle='apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer
    e2scrub_all.timer systemd-tmpfiles-clean.timer console-getty.service'

[ "$(id -u)" = 0 ] || { echo 'skip: needs root'; exit 77; }
for program in debootstrap systemd-nspawn; do
    command -v "$program" >/dev/null ||
        { echo 'skip: needs debootstrap and systemd-container'; exit 77; }
done
[ ! -d "$1" ] || [ "$(cat "$1.packages" 2>/dev/null)" != "$packages" ] || exit 0
echo "Making $1."
rm -rf "$1" "$1.new"
# The tree appears when it is whole.
# shellcheck disable=SC2086 # units in words
if mkdir -p "${1%/*}" && debootstrap --variant=minbase \
    --include="$packages" "$suite" "$1.new" >"$1.log" 2>&1 &&
    systemctl -q --root="$1.new" mask $idle 2>>"$1.log"; then
    echo "$packages" >"$1.packages" && mv "$1.new" "$1"
    exit
fi
tail -n 5 "$1.log" >&2
rm -rf "$1.new"
exit 1
