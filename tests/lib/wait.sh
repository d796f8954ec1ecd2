# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that wait for what only asking shows.

exec {silence}<> <(:) # nothing ever comes from there

# pause [SECONDS]: waits for a tenth of a second, or for this time, so that a loop
# which asks leaves the processor to those it waits for. It starts no process:
# bash now and then waits for ever for one that had a number of an earlier one.
# shellcheck disable=SC2120 # the caller may give it
pause() {
    read -r -t "${1-0.1}" -u "$silence" || :
}

# awaits SECONDS COMMAND...: repeats it until it succeeds; fails after that time.
awaits() {
    local until=$((SECONDS + $1))

    until "${@:2}"; do
        if [ "$SECONDS" -ge "$until" ]; then
            echo "    after $1 s: no '${*:2}'" >&2
            return 1
        fi
        pause
    done
}
