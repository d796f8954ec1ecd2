#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `make purity` finds a function that reads a clock, one that allocates and one
# that opens a file, each planted beside the objects of the core.
# Computes only.
set -u

cd "$(dirname "$0")/../.." || exit
: "${BUILD:=build}"
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
core=$(printf "$BUILD/%s\n" common/*/*.c common/*/*/*.c algorithms/*.c | sed 's/c$/o/')

# purity OBJECT...: checks the core with these objects.
purity() {
    make -s BUILD="$tmp" CORE_OBJ="$(echo $core "$@")" purity
}

# finds NAME STATEMENT: succeeds if the check names the function that this
# statement calls.
finds() {
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nvoid planted(void);\nvoid\nplanted(void)\n{\n\t%s;\n}\n' \
        "$2" >"$tmp/planted.c"
    gcc -std=c11 -D_GNU_SOURCE -w -O0 -c -o "$tmp/planted.o" "$tmp/planted.c" &&
        ! purity "$tmp/planted.o" >"$tmp/told" 2>&1 && grep -qx "$1" "$tmp/told"
}

holds 'the core is pure' purity
holds 'a clock that is read is found' finds time 'time(NULL)'
holds 'memory that is allocated is found' finds malloc 'free(malloc(7))'
holds 'a file that is opened is found' finds fopen 'fopen("x", "w")'
cases_end
