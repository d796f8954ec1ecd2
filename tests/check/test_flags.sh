#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What was compiled by another compiler, or with other flags, is compiled anew,
# and has another name (daemon/tape/identity.h). In another directory it is the
# same.
# Computes only.
# shellcheck disable=SC2154,SC2317 # of sentences.sh; called by name
set -u

cd "$(dirname "$0")/../.." || exit
: "${MAKE:=make}"
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
object=$tmp/build/common/util/bytes.o
compiler=$tmp/other-gcc
cat >"$compiler" <<'END' && chmod 700 "$compiler"
#!/bin/sh
[ "$1" != --version ] || exec echo 'Another compiler'
exec gcc "$@"
END

# compiles OPTION...: prints what make compiles with these, and leaves the name of
# the build in `identity`.
compiles() {
    env -u MAKEFLAGS "$MAKE" BUILD="$tmp/build" "$@" "$object" \
        "$tmp/build/identity.c" >"$tmp/told" || return
    identity=$(sed -n 's/.*= "\(.*\)";/\1/p' "$tmp/build/identity.c")
    cat "$tmp/told"
}

# again OPTION...: succeeds if these compile the object anew, into another build.
again() {
    local before=$identity

    compiles "$@" && grep -q "$object" "$tmp/told" &&
        [ "$identity" != "$before" ]
}

# as_before OPTION...: succeeds if make has nothing to compile.
as_before() {
    local before=$identity

    compiles "$@" && ! grep -q "$object" "$tmp/told" &&
        [ "$identity" = "$before" ]
}

# named_alike OPTION...: succeeds if these compile it into the same build.
named_alike() {
    local before=$identity

    compiles "$@" && grep -q "$object" "$tmp/told" &&
        [ "$identity" = "$before" ]
}

# In a copy of the tree without its history.
same_elsewhere() {
    local objects=0

    mkdir "$tmp/elsewhere" &&
        cp -R Makefile algorithms common conf daemon systemd tests \
            "$tmp/elsewhere" &&
        for tree in . "$tmp/elsewhere"; do
            env -u MAKEFLAGS CCACHE_DISABLE=1 "$MAKE" -s -C "$tree" \
                BUILD="$tmp/build" "$object" &&
                mv "$object" "$tmp/bytes.$((++objects))" || return
        done
    cmp "$tmp/bytes.1" "$tmp/bytes.2"
}

compiles >/dev/null || exit
holds 'the same flags compile nothing' as_before
holds 'warnings that are errors compile nothing' as_before WERROR=1
holds 'other flags compile it anew' again CFLAGS=-O0
holds 'another compiler compiles it anew' again CFLAGS=-O0 CC="$compiler"
holds 'another version compiles it anew' again VERSION=9.9
compiles >/dev/null || exit
holds 'paths in what a debugger reads are no other build' named_alike \
    CFLAGS='-O2 -g1 -ffile-prefix-map=/here=.'
holds 'another directory gives the same bytes' same_elsewhere
cases_end
