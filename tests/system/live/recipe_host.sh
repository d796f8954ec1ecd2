# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2317 # of its caller; called by recipes
# A host for recipes: recipe_host.sh NAME, in a mount namespace of its own. Its
# /etc, /run and /var/lib are those of $hosts/NAME, so the programs find their
# files where they are on any host. It runs the commands that come by
# $hosts/NAME/in, line by line, until it is told to end: see on(), here and in
# test_live_recipes.sh, whose head comment says what stands in for what.
set -uE

# shellcheck source=tests/lib/wait.sh
. "$(dirname "$0")/../../lib/wait.sh"
name=$1
root=$hosts/$name
real_path=$PATH
pid= # of its electd
mount --bind "$root/etc" /etc && mount --bind "$root/run" /run &&
    mount --bind "$root/var/lib" /var/lib && cd "$root/root" || exit

# cannot WORD...: for what these functions do not know.
cannot() {
    echo "no stand-in for: $*" >&2
    return 99
}

# on HOST COMMAND: runs it on another host; gives what it prints and its status.
on() {
    local told status

    echo "$2" >"$hosts/$1/in"
    told=$(<"$hosts/$1/out")
    [ -z "$told" ] || printf '%s\n' "$told"
    read -r status <"$hosts/$1/status"
    return "$status"
}

# notes COMMAND...: runs it, and has the whole line fail if it does. A trap does
# not see what fails before && in a loop.
notes() {
    "$@" && return
    failed=$?
    return "$failed"
}

## What stands in for programs

# The id of the node with an address of this host, in its file.
own_id() {
    PATH=$real_path sed -nE "s/.*\{ id = ([0-9]+);.*\"${LOOPBACK//./\\.}\.7\.[12]${name#web}:.*/\1/p" \
        /etc/electd/electd.conf
}

electd() {
    "$root/usr/sbin/electd" -i "$(own_id)" "$@"
}

systemctl() {
    local PATH=$real_path

    case $* in
    'start electd' | 'enable --now electd') unit_start ;;
    'daemon-reload') ;;
    'stop electd' | 'disable --now electd') unit_stop ;;
    'restart electd') unit_stop && unit_start ;;
    *) cannot systemctl "$@" ;;
    esac
}

# As a unit of Type=notify, it has started when it answers.
unit_start() {
    local until=$((SECONDS + seconds_max))

    [ -z "$pid" ] || return 0
    # shellcheck disable=SC2086 # WRAP is a command in words
    $WRAP "$root/usr/sbin/electd" -i "$(own_id)" </dev/null \
        >>"$root.log" 2>&1 &
    pid=$!
    echo $pid >"$root/pid"
    until "$root/usr/bin/electctl" -q stats >/dev/null 2>&1; do
        if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$until" ]; then
            tail -n 5 "$root.log" >&2
            return 1
        fi
        pause
    done
}

unit_stop() {
    local ended=$pid

    [ -n "$ended" ] || return 0
    pid=
    rm "$root/pid"
    kill "$ended" && wait "$ended"
}

systemd-tmpfiles() {
    [ "$*" = '--create electd.conf' ] || cannot systemd-tmpfiles "$@" || return
    PATH=$real_path awk '$1 == "z" { print "chmod", $3, $2 }' \
        "$tree/systemd/electd.tmpfiles" | PATH=$real_path sh
}

# make install: in the source tree, into the directory of this host.
make() {
    [ "$*" = install ] || cannot make "$@" || return
    PATH=$real_path command "${MAKE:-make}" -s -C "$tree" BUILD="$BUILD" \
        DESTDIR="$root" install
}

scp() {
    local to=${*: -1}

    [ "$1" != -p ] || shift
    [[ $to == web[0-9]:/* && -d $hosts/${to/:/} ]] ||
        notes cannot scp "$@" || return
    notes cp -p "${@:1:$#-1}" "$hosts/${to/:/}"
}

ssh() {
    if [ "$1" = "$name" ]; then
        notes eval "${*:2}"
    else
        PATH=$real_path notes on "$1" "${*:2}"
    fi
}

# vi FILE: writes what the page shows below the command: each setting in place
# of the one of the same name, or added.
vi() {
    [ "$#" = 1 ] && [ -s "$root/text" ] || cannot vi "$@" || return
    PATH=$real_path awk -f "$tree/tests/system/live/edit.awk" \
        "$root/text" "$1" >"$root/edited" && cp "$root/edited" "$1"
}

## What the test does to a host

# The host loses its power, and all that it had with it.
lose_all() {
    local PATH=$real_path

    {
        # shellcheck disable=SC2046 # numbers
        kill -KILL $(cat "/proc/$pid/task/$pid/children") "$pid"
        wait "$pid" || pid=
    } 2>/dev/null
    rm -rf /etc/electd/* /var/lib/electd/* /run/electd/* "$root/pid"
}

PATH=$root/usr/bin:$hosts/bin
while read -r command <"$root/in"; do
    {
        failed=0
        trap 'failed=$?' ERR
        eval "$command"
        trap - ERR
        echo "$failed" >"$root/status"
    } >"$root/out" 2>&1 </dev/null
done
