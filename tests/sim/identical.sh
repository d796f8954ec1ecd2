#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# identical.sh ELECTSIM...: do these builds of it print the same, byte for
# byte? Prints which runs were compared, or the first that differs.
set -u

algorithms='bully bully-broadcast lelann chang-roberts hirschberg-sinclair
ring-list tree tree-echo floodmax traversal extinction'
runs=0

# same OPTION...: one run by every build.
same() {
    local first='' said program

    for program in "${programs[@]}"; do
        said=$("$program" run "$@" 2>&1; echo "exit $?")
        if [ "${first:=$said}" != "$said" ]; then
            echo "$program differs: electsim run $*"
            exit 1
        fi
    done
    runs=$((runs + 1))
}

programs=("$@")
for algorithm in $algorithms; do
    for seed in 1 2 3; do
        for schedule in unit random; do
            same --algorithm "$algorithm" --ids random --seed "$seed" \
                --schedule "$schedule" --nodes 12 --trace
            same --algorithm "$algorithm" --ids random --seed "$seed" \
                --schedule "$schedule" --nodes 90 --starters 5,7 -o json
        done
    done
done
same --algorithm chang-roberts --variant bidirectional --ids random \
    --nodes 1000 -o json
same --algorithm extinction --topology random:3000 --nodes 1000 -o json
same --algorithm bully --topology ring
echo "$runs runs, the same from $# builds"
