#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# same.sh COMMIT: builds electsim of that commit in BUILD/same, and checks that
# it prints the same as BUILD/electsim: so what lies between moved code and
# changed nothing that it does. SEEDS: so many worlds for each guarantee (100).
set -u

: "${BUILD:=build}" "${SEEDS:=100}" "${MAKE:=make}"
export SEEDS

commit=$(git rev-parse --verify "$1^{commit}") || exit
tree=$BUILD/same/$commit
if [ ! -x "$tree/build/electsim" ]; then
    rm -rf "$tree"
    mkdir -p "$tree" && git archive "$commit" | tar -x -C "$tree" &&
        "$MAKE" -s -C "$tree" BUILD=build build/electsim || exit
fi
exec bash tests/model/sim/identical.sh "$BUILD/electsim" "$tree/build/electsim"
