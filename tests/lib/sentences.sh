# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # `failed` is for the caller
# Sourced by scripts whose cases are sentences, with a directory of their own.

failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

# is SENTENCE COMMAND...: prints whether the command succeeds.
is() {
    if "${@:2}" >"$tmp/said" 2>&1; then
        echo "ok: $1"
    else
        echo "not ok: $1"
        sed 's/^/ /' "$tmp/said"
        failed=1
    fi
}
