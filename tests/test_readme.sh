#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The README says what electsim says: the table of the algorithms, the diagram,
# and the output of each command of electsim that it shows.
set -u

cd "$(dirname "$0")/.." || exit
: "${BUILD:=build}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit
trap 'rm -rf "$tmp"' EXIT
failures=0

# same NAME WANTED GOT: two files.
same() {
    if diff -u "$2" "$3" >"$tmp/diff"; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$tmp/diff"
        failures=$((failures + 1))
    fi
}

# How long it took is no promise.
untimed() {
    sed 's/ *[0-9.]* s: proved/ T s: proved/; s/^\(cpu *\)[0-9.]* s/\1T s/'
}

"$BUILD/electsim" table --markdown >"$tmp/table" || exit
grep '^|' README.md | head -n "$(wc -l <"$tmp/table")" >"$tmp/readme"
same 'the table of the algorithms' "$tmp/table" "$tmp/readme"

"$BUILD/electsim" run --algorithm chang-roberts --nodes 8 --ids random \
    --svg "$tmp/svg" >/dev/null || exit
same 'the diagram' "$tmp/svg" tests/sim/chang-roberts.svg

# What follows a command, up to the next one or the end of the block.
answer_of() {
    awk -v command="    \$ $1" '$0 == command { on = 1; next }
        /^    \$ / || !/^    / { on = 0 } on { print substr($0, 5) }' README.md
}

while read -r command; do
    answer_of "$command" | untimed >"$tmp/wanted"
    # shellcheck disable=SC2086 # a command in words
    "$BUILD/electsim" ${command#build/electsim } 2>&1 | untimed >"$tmp/got"
    same "$command" "$tmp/wanted" "$tmp/got"
done < <(sed -n 's/^    \$ \(build\/electsim .*\)/\1/p' README.md)
exit $((failures > 0))
