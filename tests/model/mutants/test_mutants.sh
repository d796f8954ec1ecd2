#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Finds planted bugs (tests/model/mutants/rules.mk). The electsim that has one
# runs the seed that its script tells ("# seed: N"), and if that finds nothing
# any more seed after seed until a promise breaks; the sound one keeps them all
# over as many seeds (tests/model/sim/test_swarm.sh). It prints for each bug the
# seed, the seconds of a processor until then, the broken promise, and the bug.
# A bug whose script says "# component" runs under that guarantee, the others
# under "quorum". One whose script says "# test: NAME" must make that test fail,
# of which the case that "# case:" says is tried first, and one whose script
# says "# script: NAME" that script, with what "# set:" says, or its "# case:".
#
# LONG: set for every bug; without it only those whose script says "# sample",
# which are found soon. ONLY: instead, a word in the names of the bugs. SEEDS:
# at most so many for each bug (1000). SEED: the first (1), in place of the one
# that a script tells. RECORD: set to write the seeds and cases that found bugs
# into their scripts. Takes 3 s. Computes only.
set -u

: "${BUILD:=build}" "${SEEDS:=1000}" "${LONG:=}" "${ONLY:=}" "${SEED:=}" \
    "${RECORD:=}"
CHUNK=50 # seeds at a time

number() { # of a member of swarm's answer
    sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"
}

# record SCRIPT WORD VALUE: has the script tell what found its bug.
record() {
    sed -i -e "/^# $2: /d" -e "1a # $2: $3" "$1"
}

# run PROGRAM GUARANTEE SEED SEEDS: plays these seeds until a promise breaks,
# and sets `seed` and `why`; adds the time to `spent`.
run() {
    local said answer

    said=$("$1" swarm --guarantee "$2" --seed "$3" --seeds "$4" --stop \
        -o json 2>&1)
    answer=$(grep '^{"seeds"' <<<"$said") || return
    seed=$(($3 + $(number seeds <<<"$answer") - 1))
    spent=$(echo "$spent $(number cpu_s <<<"$answer")" |
        awk '{ printf "%.1f", $1 + $2 }')
    why=$(sed -n '/^seed /{s/^[^:]*: //p;q}' <<<"$said")
}

# hunt PROGRAM GUARANTEE TOLD: sets the seed that breaks a promise, or the last,
# the seconds that this took, and the broken promise. TOLD: the seed to try
# first.
hunt() {
    local first=${SEED:-1} next

    seed=0 spent=0 why=''
    if [ -n "$3" ] && [ -z "$SEED" ]; then
        run "$1" "$2" "$3" 1
        [ -z "$why" ] || return
    fi
    for ((next = first; next < first + SEEDS; next += CHUNK)); do
        run "$1" "$2" "$next" $CHUNK || break
        [ -z "$why" ] || break
    done
}

# fault PROGRAM...: runs a test until a case fails; sets `found` to that case,
# and `why` to it or the assertion. The test ends there, so the files that it
# leaves are removed here. SEEDS and SEED are for electsim alone.
fault() {
    local said files status

    files=$(mktemp -d -p "${TMPDIR:-/tmp}" XXXXXX) || exit # a short path
    chmod 711 "$files" # clients of other users reach the sockets in it
    said=$(env -u SEEDS -u SEED CMOCKA_TEST_ABORT=1 TMPDIR="$files" "$@" 2>&1)
    status=$?
    rm -rf "$files"
    [ $status -ne 0 ] && [ $status -ne 2 ] || return
    found=$(sed -n 's/^\[ RUN      \] //p' <<<"$said" | tail -n 1)
    why=$(sed -n '/ failed\.$/s/.*: Assertion //p' <<<"$said")
    : "${why:=$found}"
}

# NAME SCRIPT: runs the test that must find a bug: the case that the script
# tells, then all; the short form, then the long.
test_bug() {
    local why='' found='' ok=ok news='' group told case long

    group=$(sed -n 's/^# test: //p' "$2")
    told=$(sed -n 's/^# case: //p' "$2")
    for case in ${told:+"/$told"} ''; do
        for long in '' LONG=1; do
            [ -n "$why" ] || fault env ${long:--u LONG} \
                "$BUILD/tests/model/mutants/$1" "${group##*/}$case"
        done
    done
    [ -n "$why" ] || ok='not ok'
    [ "${told:-$found}" = "$found" ] || news=" (recorded: $told)"
    printf '%s %s: seed -, test %s: %s%s\n      %s\n' "$ok" "$1" \
        "$group" "${why:-not found}" "$news" "$(sed -n '1s/^# //p' "$2")"
    [ -z "$RECORD" ] || [ -z "$found" ] || record "$2" case "$found"
}

# NAME SCRIPT: runs the script that must find a bug, on hosts of its own.
script_bug() {
    local said why ok=ok script settings cases program=ELECTCTL

    [[ $1 != daemon/electvip/* ]] || program=ELECTVIP
    script=$(sed -n 's/^# script: //p' "$2")
    read -ra settings < <(sed -n 's/^# set: //p' "$2")
    read -ra cases < <(sed -n 's/^# case: //p' "$2")
    said=$(env -u SEED "${settings[@]}" "$program=$BUILD/tests/model/mutants/$1" \
        bash "tests/$script.sh" "${cases[@]}" 2>/dev/null)
    if [ $? = 77 ]; then
        why='skipped: no LAN here'
    else
        why=$(sed -n 's/^not ok //p' <<<"$said")
    fi
    [ -n "$why" ] || ok='not ok'
    printf '%s %s: seed -, script %s: %s\n      %s\n' "$ok" "$1" "$script" \
        "${why:-not found}" "$(sed -n '1s/^# //p' "$2")"
}

# Hunts one bug, which has the name of its script.
hunt_bug() {
    local name=$1 guarantee=quorum script=tests/model/mutants/$1.sed
    local told seed spent why ok='ok' news=

    if grep -q '^# test: ' "$script"; then
        test_bug "$name" "$script"
        return
    fi
    if grep -q '^# script: ' "$script"; then
        script_bug "$name" "$script"
        return
    fi
    ! grep -qx '# component' "$script" || guarantee=component
    told=$(sed -n 's/^# seed: //p' "$script")
    hunt "$BUILD/tests/model/mutants/$name" "$guarantee" "$told"
    [ -n "$why" ] || ok='not ok'
    [ "$seed" = "$told" ] || news=" (recorded: ${told:-none})"
    why=${why##*Assertion }
    printf '%s %s: seed %s%s, %s s: %s\n      %s\n' "$ok" "$name" "$seed" \
        "$news" "$spent" "${why:-not found}" \
        "$(sed -n '1s/^# //p' "$script")"
    [ -z "$RECORD" ] || [ -z "$why" ] || record "$script" seed "$seed"
}

if [ $# -gt 0 ]; then
    hunt_bug "$1"
    exit
fi
told=$(mktemp) || exit
trap 'rm -f "$told"' EXIT
export BUILD SEEDS SEED RECORD

# Lists the scripts of the chosen bugs.
wanted() {
    if [ -n "$LONG$ONLY" ]; then
        find tests/model/mutants/*/ -name "*$ONLY*.sed"
    else
        grep -rlx --include='*.sed' '# sample' tests/model/mutants
    fi
}

wanted | sort |
    sed 's|^tests/model/mutants/||; s|\.sed$||' |
    xargs -P "$(nproc)" -I{} bash "$0" {} | tee "$told"
found=$(grep -c '^ok [a-z]*/' "$told")
echo "$found of $(grep -c '/.*: seed' "$told") bugs found"
[ "$found" -gt 0 ] && ! grep -q '^not ok' "$told"
