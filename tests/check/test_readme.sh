#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The documents are true where that can be checked without a daemon: outputs of
# electsim, the table of the algorithms, the diagram, the configuration and the
# commands of the README, and the files and targets that are named.
# tests/system/live/test_live_tour.sh and tests/system/live/test_demo.sh check
# what daemons print. Takes 9 s. Computes only.
set -u

cd "$(dirname "$0")/../.." || exit
: "${BUILD:=build}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit
trap 'rm -rf "$tmp"' EXIT
failures=0
documents='README.md tests/README.md algorithms/README.md CONTRIBUTING.md'

# same NAME WANTED GOT: fails unless two files are the same.
same() {
    if diff -u "$2" "$3" >"$tmp/diff"; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$tmp/diff"
        failures=$((failures + 1))
    fi
}

# none NAME FILE: fails unless a list of faults is empty.
none() {
    same "$1" /dev/null "$2"
}

# Times differ from run to run.
untimed() {
    sed 's/ *[0-9.]* s: proved/ T s: proved/; s/^\(cpu *\)[0-9.]* s/\1T s/'
}

# The lines of DOCUMENT that follow COMMAND, up to the next command or the end
# of the block.
answer_of() {
    awk -v command="$1" '{ text = substr($0, 7); sub(/ +#.*/, "", text) }
        /^    [$#] / && text == command { on = 1; next }
        /^    [$#] / || !/^    / { on = 0 } on { print substr($0, 5) }' "$2"
}

# The commands of README.md, without their remarks and prompts.
commands_of_three_hosts() {
    sed -n '/^## Three hosts/,/^## Use it/s/^    \(web1\)*# //p' README.md |
        sed 's/  *#.*//'
}

# Those of the manual, likewise, with each that goes over several lines as one.
commands_of_manual() {
    sed -n '/^\.Bd/,/^\.Ed/p' daemon/man/electd-operating.7 |
        sed -e ':again' -e '/\\e$/{N;s/ *\\e\n */ /;b again' -e '}' \
            -e 's/^\(web1\)*# //' -e 's/  *# .*//'
}

awk 'END { if (NR > 130) print NR " lines" }
    length > 100 && !/^\|/ { print FILENAME ":" FNR ": too long" }' \
    README.md >"$tmp/large"
none 'the README is short' "$tmp/large"

sed -n 's/^VERSION *:= */Version /p' Makefile >"$tmp/wanted"
grep -oE '^Version [0-9.]*[0-9]' README.md >"$tmp/got"
same 'the version' "$tmp/wanted" "$tmp/got"
sed 's/^.*(\(.*\)).*/Version \1/; q' systemd/debian/changelog >"$tmp/got"
same 'the version of the changelog' "$tmp/wanted" "$tmp/got"
sed -n 's/^Version: /Version /p' systemd/rpm/electd.spec >"$tmp/got"
same 'the version of the RPM packages' "$tmp/wanted" "$tmp/got"

for document in $documents; do
    grep -oE '(tests|conf|common|algorithms|daemon|systemd)/[a-z0-9_./-]+\.[a-z0-9]+' \
        "$document" | while read -r file; do
        [ -e "$file" ] || echo "$document: $file"
    done
    grep -oE '`make [a-z-]+|    [$#] make [a-z-]+' "$document" | sed 's/.* //' |
        while read -r target; do
            grep -qE "^($target|${target%%-*}-%):" Makefile tests/*/rules.mk \
                tests/*/*/rules.mk ||
                echo "$document: make $target"
        done
done >"$tmp/missing"
none 'the files and targets that are named exist' "$tmp/missing"

"$BUILD/electsim" table --markdown >"$tmp/table" || exit
grep '^| *algorithm' -A "$(($(wc -l <"$tmp/table") - 1))" \
    algorithms/README.md >"$tmp/shown"
same 'the table of the algorithms' "$tmp/table" "$tmp/shown"

"$BUILD/electsim" run --algorithm chang-roberts --nodes 8 --ids random \
    --svg "$tmp/svg" >/dev/null || exit
same 'the diagram' "$tmp/svg" tests/model/sim/chang-roberts.svg

# A fault of this host is no fault of the configuration.
sed -n '/^    cluster = /,/^    );/s/^    //p' README.md >"$tmp/electd.conf"
"$BUILD/electd" --file-only -c "$tmp/electd.conf" 2>&1 |
    sed "s|^$tmp/|/etc/electd/|" >"$tmp/got"
answer_of 'electd -t' README.md >"$tmp/wanted"
same 'the configuration of three hosts' "$tmp/wanted" "$tmp/got"

commands_of_manual >"$tmp/manual"
commands_of_three_hosts | grep -vxFf "$tmp/manual" >"$tmp/missing"
none 'electd-operating(7) has the commands of three hosts' "$tmp/missing"

for document in $documents; do
    while read -r command; do
        answer_of "$command" "$document" | untimed >"$tmp/wanted"
        # shellcheck disable=SC2086 # a command in words
        "$BUILD/electsim" ${command#build/electsim } 2>&1 | untimed >"$tmp/got"
        same "$command" "$tmp/wanted" "$tmp/got"
    done < <(sed -n 's/^    \$ \(build\/electsim .*\)/\1/p' "$document")
done
exit $((failures > 0))
