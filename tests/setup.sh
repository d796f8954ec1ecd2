#!/bin/sh
# SPDX-License-Identifier: ISC
# setup.sh build|deb|test|long: installs the missing packages that electd's build
# (and its Debian packages, or its tests, and the long ones) need; prints nothing
# if none is missing. On Debian and its relatives it uses apt-get, as root or by
# sudo; elsewhere it says what to install.
set -u

goal=${1:-test}
missing=

# need PACKAGE COMMAND...: PACKAGE is missing unless COMMAND succeeds.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

can_compile() {
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
        gcc -x c -o /dev/null -
}

module() {
    need "$1" pkg-config --exists "$2"
}

need_packaging() {
    need debhelper command -v dh
    need dh-python command -v dh_python3
    need dpkg-dev command -v dpkg-buildpackage
}

look() {
    missing=
    need gcc command -v gcc
    need libc6-dev can_compile
    need pkg-config command -v pkg-config
    module libevent-dev libevent_core
    module libconfig-dev libconfig
    module libsodium-dev libsodium
    module libjansson-dev jansson
    module libmnl-dev libmnl
    module libmicrohttpd-dev libmicrohttpd
    [ "$goal" = build ] && return
    module libcmocka-dev cmocka
    need iproute2 command -v ip
    need procps command -v ps
    need systemd command -v systemd-analyze
    [ "$goal" = deb ] && need_packaging && return
    need util-linux command -v unshare
    need mandoc command -v mandoc
    need shellcheck command -v shellcheck
    need python3 command -v python3
    need mypy command -v mypy
    need socat command -v socat
    need git command -v git
    need perl perl -MTime::HiRes -e 1
    [ "$goal" = test ] && return
    need_packaging
    need lintian command -v lintian
    need rpm command -v rpmbuild
    need clang command -v clang
    need debootstrap command -v debootstrap
    need systemd-container command -v systemd-nspawn
    need openssh-client command -v ssh-keygen
}

become=
look
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
    echo "setup: please install (Debian's names):$missing" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    become=sudo
    if ! command -v sudo >/dev/null; then
        echo "setup: please run, as root: apt-get install$missing" >&2
        exit 1
    fi
fi

echo "Installing$missing."
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
apt() {
    $become env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1
}
apt update || echo "setup: apt-get update failed, going on" >&2
# shellcheck disable=SC2086 # a list of words
if ! apt install --no-install-recommends $missing; then
    cat "$log" >&2
    echo "setup: apt-get could not install:$missing" >&2
    exit 1
fi
look
if [ -n "$missing" ]; then
    echo "setup: installed, but still not found:$missing" >&2
    exit 1
fi
