# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # FIRST is for the caller
# Sourced by scripts whose daemons are to have the processor when they want it,
# however busy the host is.
#
# FIRST: a command to run such a program under; set it to nothing to have it run
# like all others.

# first_command: prints the best one that this user may use. A program that never
# waits would stop the host: the kernel ends it after five seconds.
first_command() {
    if chrt -r 1 prlimit --rttime=5000000 true; then
        echo 'prlimit --rttime=5000000 chrt -r 1'
    elif [ -z "$(nice -n -10 true 2>&1)" ]; then
        echo 'nice -n -10'
    fi
} 2>/dev/null

: "${FIRST=$(first_command)}"
