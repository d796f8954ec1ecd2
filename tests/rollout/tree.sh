#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tree.sh DIR: makes a small Debian tree with systemd and what electd needs to
# run, unless it is there. rollout.sh boots it. This needs the network, which
# that script has left.
set -u

suite=bookworm
packages=systemd,systemd-sysv,dbus,libevent-core-2.1-7,libconfig9
packages+=,libsodium23,libjansson4
# What would use a processor while others measure.
idle='apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer
    e2scrub_all.timer systemd-tmpfiles-clean.timer console-getty.service'

[ "$(id -u)" = 0 ] || { echo 'skip: needs root'; exit 77; }
for program in debootstrap systemd-nspawn; do
    command -v "$program" >/dev/null ||
        { echo 'skip: needs debootstrap and systemd-container'; exit 77; }
done
[ ! -d "$1" ] || exit 0
echo "Making $1."
rm -rf "$1.new"
# The tree appears when it is whole.
# shellcheck disable=SC2086 # units in words
if mkdir -p "${1%/*}" && debootstrap --variant=minbase \
    --include="$packages" "$suite" "$1.new" >"$1.log" 2>&1 &&
    systemctl -q --root="$1.new" mask $idle 2>>"$1.log"; then
    mv "$1.new" "$1"
    exit
fi
tail -n 5 "$1.log" >&2
rm -rf "$1.new"
exit 1
