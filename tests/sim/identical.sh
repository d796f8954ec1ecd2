#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# identical.sh ELECTSIM...: checks that these builds of it print the same, byte
# for byte. Prints the runs that it compared, or the first that differs.
set -u

algorithms='bully bully-broadcast lelann chang-roberts hirschberg-sinclair
ring-list tree tree-echo floodmax traversal extinction'
runs=0

# same COMMAND OPTION...: compares one run of every build, without its time.
same() {
    local first='' said program

    for program in "${programs[@]}"; do
        said=$("$program" "$@" 2>&1; echo "exit $?")
        said=$(sed 's/"cpu_s":[0-9.]*//; s/^cpu  .*//' <<<"$said")
        if [ "${first:=$said}" != "$said" ]; then
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
same swarm --seeds 12 --classes -o json
same swarm --seed 44 --seeds 2 --trace
echo "$runs runs, the same from $# builds"
