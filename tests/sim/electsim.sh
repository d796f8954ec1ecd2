# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # `failures` is for the caller
# Sourced by scripts that run electsim, in a directory of their own.

: "${BUILD:=build}"
BUILD=$(cd "$BUILD" && pwd) || exit
cd "$(mktemp -d)" || exit
trap 'rm -rf "$PWD"' EXIT
failures=0

# check NAME: runs a case, a function of that name.
check() {
    if "$1"; then
        echo "ok $1"
    else
        echo "not ok $1"
        failures=$((failures + 1))
    fi
}
