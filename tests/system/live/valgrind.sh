#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Three daemons in valgrind start, elect, lose their leader and stop: not one
# byte lost or misread. Only `make valgrind` runs this: it takes a while.
set -u

cd "$(dirname "$0")/../../.." || exit
command -v valgrind >/dev/null || { echo 'valgrind is not installed'; exit 77; }
WRAP='valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=all
    --errors-for-leak-kinds=definite,indirect,possible'
# shellcheck source=tests/lib/cluster.sh
. tests/lib/cluster.sh
seconds_max=60
at_end cluster_end

# stop ID: ends it; it must end well, without a complaint of valgrind's.
stop() {
    kill "${daemon_pid[$1]}"
    node_gone "$1"
    local status=$?

    if [ $status -ne 0 ] || grep -n '^==' "$cluster/$1.log"; then
        echo "not ok node $1 ended with status $status"
        cat "$cluster/$1.log"
        exit 1
    fi
    echo "ok node $1 is clean"
}

cluster_new conf/loopback.conf || exit 1
node_start 1 2 3 || exit 1
watch_open 1 2 3
for id in 1 2 3; do
    watch_leader "$id" 3 || exit 1
    ask "$id" status >/dev/null || exit 1
    ask "$id" -o json stats >/dev/null || exit 1
done
stop 3
watch_leader 1 2 || exit 1
watch_leader 2 2 || exit 1
stop 2
stop 1
