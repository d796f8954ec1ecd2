# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that run electsim, in a directory of their own.

# shellcheck source=tests/lib/cases.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/cases.sh"

: "${BUILD:=build}"
BUILD=$(cd "$BUILD" && pwd) || exit
cd "$(mktemp -d)" || exit
trap 'rm -rf "$PWD"' EXIT
