#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# run.sh tells why a test failed, at once and again at the end; runs again
# what a busy host disturbed; and begins with what takes long.
# Computes only.
# shellcheck disable=SC2154,SC2317 # of sentences.sh; called by name
set -u

cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
mkdir "$tmp/build" "$tmp/tmp"

# runs FILE...: runs tests of $tmp; what run.sh says is in `said`, its end from
# "failed:" on in `end`.
runs() {
    said=$(cd "$tmp" && BUILD=build TMPDIR=tmp LIMIT=60 \
        bash "$OLDPWD/tests/run.sh" "$@" 2>&1)
    status=$?
    end=$(sed -n '/^failed:$/,$p' <<<"$said")
}

# tells STATUS LINES: succeeds if run.sh gave this status, and said all of these
# lines both before "failed:" and after it.
tells() {
    local line

    printf '%s\n' "$said"
    [ "$status" -eq "$1" ] || return
    while IFS= read -r line; do
        [[ $end == *"| $line"* && ${said%"$end"} == *"| $line"* ]] || {
            echo "not twice: $line"
            return 1
        }
    done <<<"$2"
}

# silent WORD...: succeeds if run.sh said none of these words.
silent() {
    local word

    printf '%s\n' "$said"
    for word in "$@"; do
        [[ $said != *"$word"* ]] || { echo "said: $word"; return 1; }
    done
}

cat >"$tmp/fails.sh" <<'SCRIPT'
# Computes only.
echo '    said by the first'
echo 'ok first case'
echo '    term: wanted 1, got 2'
echo 'not ok second case'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    echo "    1.log: line $i of a log"
done
echo '    as if by a third'
echo 'not ok: third case'
echo ' expected: a leader'
for i in $(seq 60); do
    echo "ok case $i after it"
done
echo 'skip a case: none here'
exit 1
SCRIPT
runs fails.sh
holds 'the reasons of a failed script are told, and again at the end' \
    tells 1 '    term: wanted 1, got 2
not ok second case
    1.log: line 1 of a log
    1.log: line 12 of a log
    as if by a third
not ok: third case
 expected: a leader'
holds 'what is not of a failed case is not told' \
    silent 'by the first' 'line 13 of a log' 'after it'
holds 'its cases are counted' test "${said##*$'\n'}" = '61 passed, 2 failed, 1 skipped'

# shellcheck disable=SC2016 # it is C
printf '%s\n' '#include "tests/unit/group.h"' \
    'static void passes(void **state) { (void)state; }' \
    'static void left_out(void **state) { (void)state; skip("none here"); }' \
    'static void fails(void **state)' \
    '{ (void)state; assert_string_equal("one\ntwo", "three"); }' \
    'static void says(void **state)' \
    '{ (void)state; fail_msg("seed %d: two leaders", 7); }' \
    'int main(void) { const struct CMUnitTest tests[] = {' \
    'cmocka_unit_test(passes), cmocka_unit_test(left_out),' \
    'cmocka_unit_test(fails), cmocka_unit_test(says), cmocka_unit_test(passes) };' \
    'return cmocka_run_group_tests(tests, NULL, NULL); }' >"$tmp/fails.c"
holds 'a program of cmocka is built' gcc -I. -o "$tmp/build/fails" \
    "$tmp/fails.c" -lcmocka
runs build/fails
holds 'the reasons of a failed program are told, and again at the end' \
    tells 1 '[  ERROR   ] --- "one
two" != "three"
[   LINE   ] --- '"$tmp"'/fails.c:5: error: Failure!
[  FAILED  ] fails'
holds 'the message of a failed case is told' \
    tells 1 'ERROR: seed 7: two leaders'
holds 'a failed case is told once' \
    test "$(grep -c 'FAILED  \] fails' <<<"$end")" = 1
holds 'a skipped case is told once, with its reason' \
    test "$(grep -c '^skipped fails: left_out: none here$' <<<"$said")" = 1

printf '%s\n' '# Computes only.' 'echo ok first case' \
    'echo cannot go on' 'exit 3' >"$tmp/ends.sh"
runs ends.sh
holds 'the end of a test that fails without a verdict is told' \
    tells 1 'cannot go on'
printf '%s\n' '# Computes only.' 'echo ok first case' >"$tmp/passes.sh"
runs passes.sh
holds 'a run without failures ends without reasons' \
    test "$status $end" = '0 '

# disturbed TIMES: a script that fails in so many runs, whose second case a daemon
# disturbed by standing still.
disturbed() {
    printf '%s\n' "echo run >>runs; [ \$(wc -l <runs) -le $1 ] || exit 0" \
        'echo ok first case' 'echo not ok second case' \
        'echo "    void: a daemon stood still for 124 ms"' \
        'echo not ok third case' 'exit 1' >"$tmp/disturbed.sh"
    rm -f "$tmp/runs"
    runs disturbed.sh
}

# ran TIMES STATUS LAST: succeeds if it ran so often, and run.sh ended so.
ran() {
    printf '%s\n' "$said"
    [ "$(wc -l <"$tmp/runs") $status ${said##*$'\n'}" = "$1 $2 $3" ]
}

disturbed 2
holds 'a script that was disturbed runs again, at most twice' \
    ran 3 0 '1 passed, 0 failed, 0 skipped'
holds 'the reason is told' grep -q 'void: a daemon stood still for 124 ms' \
    <<<"$said"
holds 'it is counted' grep -qx '2 void, and run again' <<<"$said"
disturbed 9
holds 'one that is disturbed each time has failed' \
    ran 3 1 '1 passed, 2 failed, 0 skipped'
printf '%s\n' 'echo run >>runs' 'echo not ok first case' \
    'echo not ok second case' 'echo "    void: a daemon stood still for 9 ms"' \
    'exit 1' >"$tmp/disturbed.sh"
rm "$tmp/runs"
runs disturbed.sh
holds 'one whose first failed case was not disturbed has failed' \
    ran 1 1 '0 passed, 2 failed, 0 skipped'

# begins FILE...: succeeds if these begin in this order, one after the other.
begins() {
    rm -f "$tmp/begun"
    SIDE_BY_SIDE=1 runs "$@"
    printf '%s\n' "$said"
    [ "$(cat "$tmp/begun")" = "${order// /$'\n'}" ]
}

for name in short middle new; do
    printf '%s\n' "# Takes ${#name}0 s." "echo $name >>begun" >"$tmp/$name.sh"
done
sed -i '/^#/d' "$tmp/new.sh"
order='new middle short'
holds 'a script that says that it takes long begins before others' \
    begins short.sh middle.sh new.sh
printf '%s\n' 'short.sh 99 1' 'middle.sh 98 1' 'new.sh 97 1' >"$tmp/build/log/times"
order='short middle new'
holds 'what took longest the last time begins first' \
    begins new.sh middle.sh short.sh
echo 'while [ $((i += 1)) -lt 200000 ]; do :; done' >>"$tmp/short.sh"
runs short.sh
holds 'the time that it took, and that of a processor, are kept' \
    grep -qx 'short.sh [0-9.]* 0\.[0-9]*[1-9][0-9]*' "$tmp/build/log/times"

# What live.sh says of logs, which is what run.sh reads.
. tests/lib/stalls.sh
mkdir "$tmp/logs"
printf '%s\n' '2000-01-01T00:00:00.000Z info: not scheduled for 900 ms' \
    '2999-01-01T00:00:00.000Z info: not scheduled for 41 ms' \
    '2999-01-01T00:00:01.000Z warning: not scheduled for 124 ms, longer' \
    >"$tmp/logs/1.log"
echo '2999-01-01T00:00:00.000Z info: not scheduled for 5000 ms' \
    >"$tmp/logs/2.log"
stalls_begin
stalls_wanted[2]=yes
holds 'the longest time that a daemon stood still in this case is told' \
    test "$(stalls_tell "$tmp/logs")" = \
    '    void: a daemon stood still for 124 ms'
stalls_keep "$tmp/logs"
rm "$tmp"/logs/*
holds 'so it is when the logs are gone' test "$(stalls_tell "$tmp/logs")" = \
    '    void: a daemon stood still for 124 ms'
stalls_begin
holds 'the next case was not disturbed' test -z "$(stalls_tell "$tmp/logs")"
cases_end
