# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # much is for the caller, or of it
# Sourced by scripts that consist of cases. Each case prints "ok NAME", or "not ok
# NAME" and why, which tests/run.sh counts.
#
# The caller may define case_begins, which runs before each function that is a
# case, and case_fails, which tells more of a case that failed. tmp: a directory,
# for holds() and equal().

failures=0
all_words="$*" # NAME...: only these functions

case_begins() {
    :
}

case_fails() {
    :
}

# verdict NAME STATUS: prints the result of a case.
verdict() {
    if [ "$2" -eq 0 ]; then
        echo "ok $1"
        return
    fi
    echo "not ok $1"
    failures=$((failures + 1))
    case_fails
}

# check NAME: runs the case NAME, a function.
check() {
    [[ -z $all_words || " $all_words " == *" $1 "* ]] || return
    case_begins
    "$1"
    verdict "${1//_/ }" $?
}

# holds SENTENCE COMMAND...: the case holds if the command succeeds. What the
# command prints is told if it fails.
holds() {
    "${@:2}" >"$tmp/said" 2>&1
    set -- "$1" $?
    verdict "$@"
    [ "$2" -eq 0 ] || sed 's/^/    /' "$tmp/said"
}

# equal SENTENCE WANTED GOT: the case holds if they are the same.
equal() {
    holds "$1" is 'it' "${@:2}"
}

# complain TEXT: prints why a case fails; gives 1.
complain() {
    echo "    ${1//$'\n'/$'\n'    }" >&2
    return 1
}

# is WHAT WANTED GOT: fails unless they are the same.
is() {
    [ "$2" = "$3" ] || complain "$1: wanted '$2', got '$3'"
}

# has WHAT PATTERN TEXT: fails unless it matches the extended regular expression.
has() {
    [[ $3 =~ $2 ]] || complain "$1: no '$2' in '$3'"
}

# cases_end: the last line of a script: its exit status.
cases_end() {
    exit $((failures > 0))
}
