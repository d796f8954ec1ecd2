#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# identical.sh ELECTSIM...: checks that these builds of it print the same, byte
# for byte. Prints the runs that it compared, or the first that differs. SEEDS:
# so many worlds of the swarm for each guarantee (12).
set -u

: "${SEEDS:=12}"
algorithms='bully bully-broadcast lelann chang-roberts hirschberg-sinclair
ring-list tree tree-echo floodmax traversal extinction'
runs=0

# printed PROGRAM OPTION...: the digest of what a run prints, without its time.
printed() {
    { "$@" 2>&1; echo "exit $?"; } | sed 's/"cpu_s":[0-9.]*//
        s/^cpu  .*//; s/, *[0-9.]* s: / /' | sha256sum
}

# same OPTION...: compares one run of every build.
same() {
    local first='' digest program

    for program in "${programs[@]}"; do
        digest=$(printed "$program" "$@")
        if [ "${first:=$digest}" != "$digest" ]; then
            echo "$program differs: electsim $*"
            exit 1
        fi
    done
    runs=$((runs + 1))
}

programs=("$@")
for algorithm in $algorithms; do
    for seed in 1 2 3; do
        for schedule in unit random; do
            same run --algorithm "$algorithm" --ids random --seed "$seed" \
                --schedule "$schedule" --nodes 12 --trace
            same run --algorithm "$algorithm" --ids random --seed "$seed" \
                --schedule "$schedule" --nodes 90 --starters 5,7 -o json
        done
    done
done
same run --algorithm chang-roberts --variant bidirectional --ids random \
    --nodes 1000 -o json
same run --algorithm extinction --topology random:3000 --nodes 1000 -o json
same run --algorithm bully --topology ring
same explore --algorithm all --nodes 3
for guarantee in component quorum; do
    same swarm --guarantee $guarantee --seeds "$SEEDS" --classes -o json
    for ((seed = 1; seed <= SEEDS; seed++)); do
        same swarm --guarantee $guarantee --seed $seed --trace
    done
done
echo "$runs runs, the same from $# builds"
