# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts whose cases are sentences, with a directory of their own.

# shellcheck source=tests/lib/cases.sh
. "$(dirname "${BASH_SOURCE[0]}")/cases.sh"

tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
