#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `make layers` finds violations in a copy of the tree: an include of a header
# that no README allows, two folders that include each other, two and three files
# that call each other in a cycle, a part that calls node.c, files that touch a
# field of a part, or write one that is not theirs, and a folder with too many
# entries.
# Takes 22 s.
# Computes only.
set -u

cd "$(dirname "$0")/../.." || exit
: "${BUILD:=build}"
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
BUILD=$(cd "$BUILD" && pwd) || exit
layers=$PWD/tests/check/layers.py
copy=$tmp/tree
mkdir -p "$copy/build" "$copy/tests/model"
cp -r common daemon "$copy"
cp -r tests/model/world "$copy/tests/model"
(cd "$BUILD" && find common daemon tests/model/world -name '*.o' -exec \
    cp --parents -t "$copy/build" {} +) || exit
cd "$copy" || exit

# fails_with PATTERN: succeeds if the check fails with this message.
fails_with() {
    ! python3 "$layers" build >"$tmp/told" && grep -q "$1" "$tmp/told"
}

# plant FILE FUNCTION CALLED: adds a function to FILE that calls another.
plant() {
    printf 'void %s(void);\nvoid %s(void);\nvoid\n%s(void)\n{\n\t%s();\n}\n' \
        "$2" "$3" "$2" "$3" >>"$1.c"
    gcc -std=c11 -D_GNU_SOURCE -w -O0 -I. -c -o "build/$1.o" "$1.c"
}

holds 'the tree is in layers' python3 "$layers" build
sed -i '/^#include/{s//#include "common\/node\/node.h"\n&/;:a;n;ba}' \
    common/link/rtt.h
holds 'an include that no README allows is found' fails_with \
    '^common/link/rtt.h:[0-9]*: common/link/README.md does not allow common/node/node.h$'
holds 'folders that include each other are found' \
    fails_with '^common/link/rtt.h:[0-9]*: common/node includes common/link, too$'
sed -i '/common\/node\/node.h/d' common/link/rtt.h
holds 'without it the copy is in layers' python3 "$layers" build
cp daemon/lastwill/helper.h daemon/lastwill/other.h
holds 'what one file may include another may not' fails_with \
    '^daemon/lastwill/other.h:[0-9]*: .* does not allow daemon/net/udp.h$'
rm daemon/lastwill/other.h
plant common/util/random planted_a planted_b
plant common/link/rtt planted_b planted_c
holds 'calls in one direction are no cycle' python3 "$layers" build
plant common/wire/seal planted_c planted_a
holds 'a cycle of three files is found' \
    fails_with '^common/util/random.c: in a cycle of 3 files: .*planted_b'
plant common/quorum/lease planted_d planted_e
plant common/quorum/voter planted_e planted_d
holds 'a cycle of two files is found' \
    fails_with '^common/quorum/lease.c: in a cycle of 2 files: .*planted_e'
plant daemon/control/answers/answers planted_g verbs_answer
holds 'a cycle of the control sockets is found' fails_with \
    '^daemon/control/answers/answers.c: in a cycle of .*: calls verbs_answer'
plant daemon/electctl/print/kv planted_h run_watch
holds 'a cycle of files of electctl is found' \
    fails_with '^daemon/electctl/print/kv.c: in a cycle of .*run_watch'
for i in {1..25}; do echo >"daemon/state/planted_$i.h"; done
holds 'a folder with too many entries is found' \
    fails_with '^daemon/state: has [0-9]* entries, 25 at most$'
rm daemon/state/planted_*.h
plant daemon/history/history planted_l planted_m
plant daemon/net/route planted_m planted_l
holds 'a cycle of files of two folders of the daemon is found' \
    fails_with '^daemon/history/history.c: in a cycle of 2 files: calls planted_m'
plant tests/model/world/queue planted_i planted_j
plant tests/model/world/clock planted_j planted_i
holds 'a cycle of two files of a world is found' \
    fails_with '^tests/model/world/queue.c: in a cycle of 2 files: .*planted_j'
plant common/link/channel planted_f node_conclude
holds 'a part that acts by node.c is found' \
    fails_with '^common/link/channel.c: does not return.*: calls node_conclude of'

# touches FILE STATEMENT WORDS: adds a function with the statement to FILE; the
# check must fail with these words, and not name the file without it.
touches() {
    cp "common/node/$1.c" "$tmp/kept"
    printf 'void\nplanted(struct node *node, struct peer *p)\n{\n\t%s\n}\n' \
        "$2" >>"common/node/$1.c"
    fails_with "^common/node/$1.c:[0-9]*: $3"
    local found=$?
    cp "$tmp/kept" "common/node/$1.c"
    return "$found"
}

holds 'a read of a field of another part is found' touches links/ring \
    'assert(node->stall.wanted > 0);' 'touches node->stall of stall.c$'
holds 'a pointer to another part is found' touches links/ring \
    'struct node_stall *s = &node->stall;' 'touches node->stall of stall.c$'
holds 'a read of a field of a part in a group is found' touches watch/voters \
    'assert(node->vote.nominee.denials == 0);' \
    'touches node->vote.nominee of nominee.c$'
holds 'a read of a part of a peer is found' touches watch/stall \
    'assert(p->ring.is_bypassed);' 'touches peer->ring of ring.c$'
holds 'a write of a field that all read is found' touches links/ring \
    'node->lead.is_fresh = false;' 'writes node->lead of lead.c$'
holds 'a write of what is no part is found' touches links/ring \
    'p->index = 0;' 'writes peer->index$'
cases_end
