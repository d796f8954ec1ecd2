#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The demonstration ends well, its daemons count what electsim counts, its
# picture has what they count, and the README shows what it prints.
set -u

: "${BUILD:=build}"
cd "$(dirname "$0")/../../.." || exit
export BUILD
failures=0

# row WHOSE N: the numbers of the Nth row of WHOSE in the tables of messages.
row() {
    sed -nE "s/^ +([0-9] )?$1 ((  *[0-9]+)+)\$/\2/p" <<<"$said" |
        sed -n "$2p" | tr -s ' '
}

# has_row NAME WHOSE N PATTERN
has_row() {
    if [[ $(row "$2" "$3") =~ ^\ $4$ ]]; then
        echo "ok $1"
    else
        echo "not ok $1"
        failures=$((failures + 1))
    fi
}

# Times, processes and reasons differ from run to run.
alike() {
    sed 's/ *[0-9.]* ms/ T ms/; s/kill -9 .*/kill -9/; s/([a-z]*:/(REASON:/'
}

# `make demo` prints the README's lines after it, in their order.
readme_shows_it() {
    local shown

    shown=$(sed -n '/^    \$ make demo/,/^$/s/^    //p' README.md | sed 1d | alike)
    if [ -n "$shown" ] && [[ $(alike <<<"$said") = *"$shown"* ]]; then
        echo 'ok the README shows what it prints'
    else
        echo 'not ok the README shows what it prints'
        failures=$((failures + 1))
    fi
}

# It prints where the picture is, and the worst case is there to see.
picture_is_drawn() {
    if grep -q "^    $BUILD/demo.svg " <<<"$said" &&
        grep -q '>24 messages, .* follow node 5<' "$BUILD/demo.svg"; then
        echo 'ok a picture shows the worst case'
    else
        echo 'not ok a picture shows the worst case'
        failures=$((failures + 1))
    fi
}

# `make demo` installs what programs need, and not what unit tests need.
it_needs_no_cmocka() {
    local commands sources wrong

    commands=$("${MAKE:-make}" -n BUILD="$BUILD/nothing" all tools)
    sources=$(grep -oE '(algorithms|common|daemon|tests)/[a-z0-9_/]*\.c' \
        <<<"$commands" | sort -u)
    # shellcheck disable=SC2086 # files in words
    wrong=$(grep -l cmocka $sources; grep -o 'pkg-config.*cmocka.* [^ ]*\.c' \
        <<<"$commands")
    if [ -n "$sources" ] && [ -z "$wrong" ]; then
        echo 'ok what it builds needs no cmocka'
    else
        echo "not ok what it builds needs no cmocka: $wrong"
        failures=$((failures + 1))
    fi
}

rm -f "$BUILD/demo.svg"
if said=$(bash tests/system/live/demo.sh); then
    echo 'ok it ends well'
else
    echo "not ok it ends well: exit $?"
    failures=1
fi
# Where the host is busy another survivor may begin as well.
has_row 'the best begins' daemons 1 '[0-9]+ [0-9]+ [3-9] [0-9]+'
has_row 'the best case' electsim 1 '0 0 3 3'
has_row 'the worst begins' daemons 2 '10 10 4 24'
has_row 'the worst case' electsim 2 '10 10 4 24'
picture_is_drawn
readme_shows_it
it_needs_no_cmocka
[ "$failures" -eq 0 ] || sed 's/^/    /' <<<"$said"
exit $((failures > 0))
