#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The programs that electd(3) prints, linked with the installed library as its
# users do, on three real daemons: no two lead at once, and no handover waits for
# a deadline. Takes 60 s.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh

: "${MAKE:=make}" "${TRIALS:=${LONG:+100}}" "${TRIALS:=15}"
tree=$(mktemp -d "${TMPDIR:-/tmp}/electd-library-XXXXXX") || exit
at_end 'rm -rf "$tree"'
declare -A program_pid=()

# example N: the Nth program of the manual page.
example() {
    awk -v wanted="$1" '/^\.Sh EXAMPLES/ { on = 1 }
        on && /^\.Bd/ { count++; next }
        on && /^\.Ed/ && count == wanted { exit }
        on && count == wanted { gsub(/\\e/, "\\"); print }' daemon/man/electd.3
}

# flags: those of the library in the tree.
flags() {
    PKG_CONFIG_LIBDIR=$tree/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        pkg-config "$@" libelectd
}

# A sanitized library needs a sanitized program.
sanitized=
! nm -D "$BUILD/libelectd.so.0" | grep -q __asan ||
    sanitized=-fsanitize=address,undefined

# compile NAME N [FLAG...]: makes a program of the Nth example.
compile() {
    local ours

    example "$2" >"$tree/$1.c" && ours=$(flags --cflags --libs) || return
    # shellcheck disable=SC2086 # flags in words
    "${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror $sanitized -o "$tree/$1" \
        "$tree/$1.c" $ours "${@:3}"
}

programs_of_the_manual_compile_and_link() {
    local events

    "$MAKE" -s BUILD="$BUILD" install DESTDIR="$tree" >/dev/null &&
        events=$(pkg-config --cflags --libs libevent_core) &&
        compile worker 1 && compile switcher 2 || return
    # shellcheck disable=SC2086 # flags in words
    compile follower 3 $events
}

static_program_needs_no_library_of_ours() {
    # shellcheck disable=SC2086 # flags in words
    "${CC:-gcc}" $sanitized -o "$tree/static" "$tree/worker.c" \
        -I"$tree/usr/include" "$tree/usr/lib/libelectd.a" -ljansson &&
        ! readelf -d "$tree/static" | grep -q libelectd
}

header_declares_what_the_library_exports() {
    local declared exported

    declared=$(sed -n 's/^[a-z].*\<\(electd_[a-z_]*\)(.*/\1/p' \
        "$tree/usr/include/electd.h" | sort)
    exported=$(nm -D --defined-only "$tree/usr/lib/libelectd.so.0" |
        sed -n 's/.* T \([^@]*\).*/\1/p' | sort)
    is 'the exported functions' "$declared" "$exported" &&
        is 'those of the static library' "$declared" "$(
            nm -g --defined-only "$tree/usr/lib/libelectd.a" |
                sed -n 's/.* T //p' | sort)"
}

header_is_for_older_compilers_and_for_others() {
    printf '#include <electd.h>\nint main(void) { return 0; }\n' \
        >"$tree/any.c"
    "${CC:-gcc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        -I"$tree/usr/include" "$tree/any.c" &&
        { ! command -v g++ >/dev/null || g++ -Wall -Wextra -Werror \
            -fsyntax-only -I"$tree/usr/include" -x c++ "$tree/any.c"; }
}

# program PROGRAM ID: runs it beside that daemon. All write to one file.
program() {
    ELECTD_SOCKET=$cluster/$2.sock LD_LIBRARY_PATH=$tree/usr/lib \
        "$tree/$1" >>"$cluster/acts" 2>>"$cluster/$2.program" &
    program_pid[$2]=$!
}

programs_end() {
    local id

    for id in "${!program_pid[@]}"; do
        program_kill9 "$id"
    done
}
at_end programs_end

# program_kill9 ID: the shell's own message about it is of no interest.
program_kill9() {
    {
        kill -9 "${program_pid[$1]}"
        wait "${program_pid[$1]}"
    } 2>/dev/null
    unset "program_pid[$1]"
}

# acts PATTERN: waits until the last line that was written now matches.
acts() {
    local until=$((SECONDS + seconds_max)) before

    before=$(stat -c %s "$cluster/acts")
    until [[ $(tail -c +$((before + 1)) "$cluster/acts" | tail -n 1) =~ $1 ]]; do
        [ "$SECONDS" -lt "$until" ] || complain "no '$1', but: $(
            tail -n 1 "$cluster/acts")" || return
        pause
    done
}

# begin: three nodes; the third leads, and all have a worker.
begin() {
    local id

    cluster_start 3 1 2 3 && voters_are 3 1 2 3 || return
    : >"$cluster/acts"
    for id in 1 2 3; do
        program worker "$id"
    done
    acts '^web3 '
}

# fault KIND: hits the leader, or its worker.
fault() {
    local id

    id=$(tail -n 1 "$cluster/acts")
    id=${id%% *} id=${id#web}
    case $1 in
    0) node_kill9 "$id" && acts "^web[^$id] " && node_start "$id" ;;
    1) node_end "$id" && acts "^web[^$id] " && node_start "$id" ;;
    2) ask "$id" -q resign && acts "^web[^$id] " && ask "$id" -q rejoin ;;
    3) program_kill9 "$id" && program worker "$id" && acts '^web' ;;
    4) kill "${program_pid[$id]}" && wait "${program_pid[$id]}" &&
        program worker "$id" && acts '^web' ;;
    esac && voters_are 3 1 2 3
}

# A token belongs to one node, and no line has a lower one than a line before.
no_two_leaders_write_at_once() {
    local trial

    quorum 3 && setting 'preempt = "never";' && begin || return
    for ((trial = 0; trial < TRIALS; trial++)); do
        fault $((trial % 5)) || complain "fault $((trial % 5))" || return
    done
    programs_end
    awk '{
            if ($2 + 0 < last || ($2 in node && node[$2] != $1)) {
                print "    line " NR ": " $0 " after " last
                wrong = 1
            }
            last = $2 + 0
            node[$2] = $1
        }
        END { exit NR == 0 || wrong }' "$cluster/acts"
}

# A deadline would hold each of these up for 17.5 s at least.
every_deadline_is_given_back() {
    local seconds_max=$seconds_max

    lease_ms=30000 quorum 3 && begin && seconds_max=15 &&
        ask 3 -q resign && acts '^web2 ' &&
        ask 3 -q rejoin && acts '^web3 ' &&
        kill "${program_pid[3]}" && wait "${program_pid[3]}" &&
        unset 'program_pid[3]' && ask 3 -q resign && acts '^web2 ' &&
        node_end 2 && acts '^web1 ' && programs_end
}

# said WORDS: waits until a program has written this line.
said() {
    local until=$((SECONDS + seconds_max))

    until grep -qx "$1" "$cluster/acts"; do
        [ "$SECONDS" -lt "$until" ] || complain "no line: $1" || return
        pause
    done
}

loops_of_others_are_told_in_time() {
    quorum 3 && cluster_start 3 1 2 3 && voters_are 3 1 2 3 || return
    : >"$cluster/acts"
    program switcher 3 && program follower 1 &&
        said 'begins on web3' && said 'the leader is web3' &&
        ask 3 -q resign && said 'ends on web3' &&
        said 'the leader is web2' && programs_end
}

check programs_of_the_manual_compile_and_link
check static_program_needs_no_library_of_ours
check header_declares_what_the_library_exports
check header_is_for_older_compilers_and_for_others
check no_two_leaders_write_at_once
check every_deadline_is_given_back
check loops_of_others_are_told_in_time
check_end
