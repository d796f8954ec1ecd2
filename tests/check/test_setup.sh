#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# setup.sh asks for what a goal needs, and no more; can.sh says why a test cannot
# run here.
# Computes only.
# shellcheck disable=SC2154 # of sentences.sh
set -u

cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh

# asks GOAL WORD...: succeeds if, where nothing is installed, setup.sh asks for
# each WORD, or for none that begins with "!".
asks() {
    local goal=$1 said word

    shift
    said=" $(PATH=/nowhere /bin/sh tests/setup.sh "$goal" 2>&1) "
    echo "$said"
    for word in "$@"; do
        if [[ $word == '!'* ]]; then
            [[ $said != *" ${word#!} "* ]] || return
        else
            [[ $said == *" $word "* ]] || return
        fi
    done
}

holds 'a build needs libraries' asks build gcc libevent-dev libmnl-dev
holds 'a build needs nothing of the tests' \
    asks build '!libcmocka-dev' '!mandoc' '!socat' '!python3' '!debootstrap'
holds 'packages need their tools' asks deb gcc libcmocka-dev debhelper dpkg-dev \
    '!lintian' '!socat'
holds 'tests need their tools' asks test gcc libcmocka-dev mandoc shellcheck socat
holds 'tests need nothing of the long ones' asks test '!clang' '!debootstrap' '!debhelper'
holds 'long tests need a compiler more, and a tree' asks long clang debootstrap lintian rpm

# cannot WHY RIGHT: succeeds if there are no hosts without a right, and that is
# why.
cannot() {
    local said

    said=$(setpriv --bounding-set="-$2" --inh-caps="-$2" bash -c \
        '. tests/lib/can.sh; can_have_hosts') && return 1
    echo "$said"
    [[ $said == "$1"* ]]
}

if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
    holds 'without the right to namespaces there are no hosts' \
        cannot 'no network namespaces: unshare' sys_admin
else
    holds 'without root there are no hosts' bash -c \
        '. tests/lib/can.sh; ! can_have_hosts >/dev/null'
fi
cases_end
