#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# run.sh TEST...: runs tests, each under a time limit, and counts their cases.
# A TEST is a program of unit tests (BUILD/tests/unit/FOLDER/test), a group of
# its cases (FOLDER/test_FILE), a script (*.sh), one with the programs of
# BUILD/VARIANT, without LONG (VARIANT:SCRIPT), or make:TARGET. Each gets BUILD
# (absolute), an empty TMPDIR and a network of its own (LOOPBACK=127.N, for
# 127.N.0.0/16), and fails if it leaves a process or a file behind. Logs are kept
# in BUILD/log. The reasons of failures are told at once, and again at the end.
#
# Scripts run real daemons and mostly wait for their timers, so four a processor
# run at once. Programs, targets and scripts with the line "# Computes only."
# run beside them, one a processor, at a lower priority: they take the time
# that the daemons leave. What took longest the last time begins first, by
# BUILD/log/times: for each test the seconds that it took, and those of a
# processor. What is not there takes as long as its line "# Takes N s." says, and
# without one it goes before all others.
#
# A script succeeds, fails, or is skipped (exit 77, its last line says why) as
# one case; or it reports several by lines "ok NAME", "not ok NAME", "skip NAME:
# why". A target is skipped if its last line begins with "skip: ".
# LIMIT: seconds for a test (1200). WRAP: a command to run programs under.
# SIDE_BY_SIDE: how many scripts run at once (four a processor).
#
# A script is void if the line after its first "not ok" is "void: WHY": its
# daemons were not given the processor. It runs again, from its beginning, as its
# cases build on each other, and at most twice.
set -u

[ $# -gt 0 ] || { echo 'usage: run.sh TEST...' >&2; exit 2; }
: "${BUILD:=build}" "${LIMIT:=1200}" "${WRAP:=}" "${MAKE:=make}"
mkdir -p "$BUILD/log" || exit 1
root=$(cd "$BUILD" && pwd) || exit 1
lib=$(cd "$(dirname "$0")/lib" && pwd) || exit 1

# Prints where the files of tests go: into memory if it has a gigabyte and runs
# programs, as daemons wait for the disk before they promise, and it may be busy.
place() {
    local free probe

    free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)
    if [ "${free:-0}" -ge 1000000 ] &&
        probe=$(mktemp /dev/shm/electd-XXXXXX 2>/dev/null); then
        echo '#!/bin/sh' >"$probe" && chmod 700 "$probe"
        if "$probe" 2>/dev/null; then
            rm "$probe"
            echo /dev/shm
            return
        fi
        rm "$probe"
    fi
    echo /tmp
}

work=$(mktemp -d "${TMPDIR:-$(place)}/electd-run-XXXXXX") || exit 1
chmod 711 "$work" # some tests go on as another user
jobs_max=$(nproc)
: "${SIDE_BY_SIDE:=$((4 * jobs_max))}"
network=$((RANDOM % 254)) # of the first test
mark=TEST_OF_RUN=$$.$RANDOM

declare -A test_of=() began_at=() number_of=() # by process id
declare -A is_script=()                        # the same, of scripts alone
declare -A voids=()                            # how often, by test
declare -i passed=0 failed=0 skipped=0 void=0 number=0
declare -i good_cases=0 bad_cases=0 skip_cases=0 # of the test that has ended
scripts=() others=() reasons=()

good='' bad='' dim='' end=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
    good=$'\e[32m' bad=$'\e[31m' dim=$'\e[33m' end=$'\e[0m'
fi

# The processes that test NUMBER started, whatever group they are in now.
left_by() {
    grep -lszxF "$mark.$1" /proc/[0-9]*/environ 2>/dev/null |
        sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# Gives the processes of test NUMBER a second to end, then ends them. Fails if it
# had to.
sweep() {
    local pid late=0

    for pid in $(left_by "$1"); do
        timeout 1 tail --pid="$pid" -f /dev/null
    done
    for pid in $(left_by "$1"); do
        kill -KILL "$pid" 2>/dev/null && late=1
    done
    return $late
}

# timeout(1) leads a group of its own and hands a signal on to all of it.
stop() {
    local pid

    trap '' INT TERM HUP
    for pid in "${!test_of[@]}"; do
        pkill -TERM -P "$pid"
    done
    wait
    for pid in "${!number_of[@]}"; do
        sweep "${number_of[$pid]}"
    done
    rm -rf "$work"
}
trap stop EXIT
trap 'echo; echo interrupted; exit 130' INT TERM HUP
TIMEFORMAT='%R %U %S'
times=$BUILD/log/times
long=${LONG:+long:} # these take other times
touch "$times"

# Keeps the times of tests that have ended beside those of others.
keep_times() {
    awk '{ last[$1] = $0 } END { for (test in last) print last[test] }' \
        "$times" "$work/times" | sort -k 2nr >"$work/times.new" &&
        cat "$work/times.new" >"$times"
}

# by_time TEST...: prints them, the longest first: as the last time, or else as
# the script says, or else in this order before all others.
by_time() {
    local test said

    for test in "$@"; do
        said=
        [[ $test != *.sh || -n $long ]] ||
            said=$(sed -n '/^[^#]/q; s/^# Takes \([0-9]*\) s\.$/\1/p' "${test#*:}")
        echo "$long$test ${said:-1e9} $test"
    done | awk 'FILENAME != "-" { took[$1] = $2; next }
        { print (($1 in took) ? took[$1] : $2), $3 }' "$times" - |
        sort -s -k 1,1gr | cut -d ' ' -f 2-
}

name_of() {
    local name=${1#"$BUILD"/}

    name=${name/tests\//}
    name=${name/#make:/make }
    echo "${name/://}"
}

log_of() {
    local name=${1//[\/:]/-}

    echo "$BUILD/log/${name#"${BUILD//[\/:]/-}-"}.log"
}

# Succeeds if the test needs real time.
needs_time() {
    [[ $1 == *.sh ]] && ! grep -qx '# Computes only\.' "${1#*:}"
}

start() {
    local test=$1 build=$root command priority=(nice -n 5)

    number+=1
    ! needs_time "$test" || priority=()
    mkdir -m 1777 "$work/$number"
    # shellcheck disable=SC2206 # WRAP is a command in words
    case $test in
    make:*) command=("$MAKE" -s --no-print-directory "${test#make:}") ;;
    *:*.sh) build+=/${test%%:*} command=(env -u LONG bash "${test#*:}") ;;
    *.sh) command=(bash "$test") ;;
    */test_*) command=($WRAP "${test%/*}/test" "${test##*/}") ;;
    *) command=($WRAP "$test") ;;
    esac
    {
        time env "$mark.$number" BUILD="$build" TMPDIR="$work/$number" \
            LOOPBACK="127.$(((network + number) % 254 + 1))" \
            "${priority[@]}" timeout -k 5 "$LIMIT" "${command[@]}" \
            >"$(log_of "$test")" 2>&1 </dev/null
    } 2>"$work/$number.time" &
    test_of[$!]=$test
    [ "${#priority[@]}" -ne 0 ] || is_script[$!]=yes
    number_of[$!]=$number
    began_at[$!]=${EPOCHREALTIME/[.,]/}
}

# Counts the cases passed, failed and skipped in the log of a test.
count() {
    awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
        /^ok:? / { passed++ } /^not ok:? / { failed++ }
        /^skip / { skipped++ }
        END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# Why a test that ended with STATUS failed, beyond its cases; or nothing.
complaint() {
    local status=$1 number=$2 files

    case $status in
    0 | 77) ;;
    124 | 137) echo "not done after $LIMIT s" ;;
    *) echo "exit status $status" ;;
    esac
    sweep "$number" || echo 'left processes behind'
    files=$(ls -mA "$work/$number")
    [ -z "$files" ] || echo "left files behind: $files"
    rm -rf "${work:?}/$number"
}

# Why the test that left this log is void; fails if it is not.
void_of() {
    [ "${voids[$test]-0}" -lt 2 ] &&
        awk '/^not ok:? / { getline; sub(/^ +/, ""); print; exit }' "$1" |
        grep '^void: '
}

tell() {
    local colour=$1 word=$2 name=$3 cases=$4 took=$5

    printf '%s%-4s%s  %-32s %-32s %3d.%d s\n' "$colour" "$word" "$end" \
        "$name" "$cases" $((took / 1000000)) $((took / 100000 % 10))
}

# Reports one test that has ended, and counts its cases, unless it is void.
finish() {
    local pid=$1 status=$2 test=${test_of[$1]} log name why why_void took

    took=$((${EPOCHREALTIME/[.,]/} - ${began_at[$pid]}))
    tail -n 1 "$work/${number_of[$pid]}.time" |
        awk -v test="$long$test" '{ print test, $1, $2 + $3 }' >>"$work/times"
    log=$(log_of "$test") name=$(name_of "$test")
    why=$(complaint "$status" "${number_of[$pid]}")
    unset "test_of[$pid]" "number_of[$pid]" "began_at[$pid]" "is_script[$pid]"
    if [ "$why" = 'exit status 1' ] && why_void=$(void_of "$log"); then
        voids[$test]=$((${voids[$test]-0} + 1)) void+=1
        tell "$dim" void "$name" 'runs again' "$took"
        echo "      $why_void, of $log:"
        reasons_of "$log"
        scripts=("$test" "${scripts[@]}")
    else
        count_cases
        report
    fi
}

# Counts the cases of the test that has ended; notes what was skipped, and why.
count_cases() {
    read -r good_cases bad_cases skip_cases < <(count "$log")
    if [ "$status" -eq 77 ] || tail -n 1 "$log" | grep -q '^skip: '; then
        skip_cases+=1
        reasons+=("$name: $(tail -n 1 "$log" | sed 's/^skip: //')")
    elif [ -n "$why" ] && [ "$bad_cases" -eq 0 ]; then
        bad_cases=1
    elif [ $((good_cases + bad_cases + skip_cases)) -eq 0 ]; then
        good_cases=1
    fi
    while read -r line; do
        reasons+=("$name: $line")
    done < <(awk '/^because: / { why = substr($0, 10) }
        /^skip / && !told[$0]++ { print substr($0, 6) }
        /^\[  SKIPPED \] [a-z]/ && !told[$4]++ { print $4 ": " why }' "$log")
}

# reasons_of LOG: the reasons of its failures, or the end of it if it says none.
reasons_of() {
    local told

    told=$(awk -f "$lib/failures.awk" "$1")
    if [ -z "$told" ] || [[ $why != '' && $why != 'exit status '[0-9]* ]]; then
        told+=${told:+$'\n'}$(grep -v -e '^\[ RUN ' -e '^\[       OK ' "$1" |
            tail -n 40)
    fi
    printf '      | %s\n' "${told//$'\n'/$'\n'      | }"
}

# The line of one test, and of a failed one its reasons.
report() {
    local colour=$good word=pass cases="$good_cases passed"

    passed+=good_cases failed+=bad_cases skipped+=skip_cases
    [ "$bad_cases" -eq 0 ] || cases+=", $bad_cases failed"
    [ "$skip_cases" -eq 0 ] || cases+=", $skip_cases skipped"
    if [ "$bad_cases" -ne 0 ]; then
        colour=$bad word=FAIL
    elif [ "$good_cases" -eq 0 ]; then
        colour=$dim word=skip
    fi
    if [ "$bad_cases" -eq 0 ]; then
        tell "$colour" "$word" "$name" "$cases" "$took"
        return
    fi
    {
        tell "$colour" "$word" "$name" "$cases" "$took"
        [ -z "$why" ] || printf '      %s\n' "${why//$'\n'/, }"
        echo "      of $log:"
        reasons_of "$log"
    } | tee -a "$work/failed"
}

# Starts as many of the scripts and of the others as may run at once.
fill() {
    while [ "${#scripts[@]}" -gt 0 ] &&
        [ "${#is_script[@]}" -lt "$SIDE_BY_SIDE" ]; do
        start "${scripts[0]}"
        scripts=("${scripts[@]:1}")
    done
    while [ "${#others[@]}" -gt 0 ] &&
        [ $((${#test_of[@]} - ${#is_script[@]})) -lt "$jobs_max" ]; do
        start "${others[0]}"
        others=("${others[@]:1}")
    done
}

while IFS= read -r test; do
    if needs_time "$test"; then
        scripts+=("$test")
    else
        others+=("$test")
    fi
done < <(by_time "$@")
fill
while [ "${#test_of[@]}" -gt 0 ]; do
    wait -n -p pid "${!test_of[@]}" 2>/dev/null
    finish "$pid" $?
    fill
done

keep_times
[ "${#reasons[@]}" -eq 0 ] || printf 'skipped %s\n' "${reasons[@]}"
if [ -s "$work/failed" ]; then
    echo 'failed:'
    cat "$work/failed"
fi
[ "$void" -eq 0 ] || echo "$void void, and run again"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
