#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Five hosts with systemd and electd as its service, under the guarantee quorum.
# An operator changes their cluster by the steps of electd-operating(7), and the
# script finds for how long there is no leader in each step:
#
#   clients  no host answered that it has a leader (client.c)
#   members  by the events of each host, none had one
#   leaders  by its own events, none was one
#
# usage: rollout.sh, as root, after tree.sh BUILD/rollout/debian/tree
# PARTS: resign grow verb settings away restart upgrade, or some of these.
# CYCLES (2): of grow, verb, restart and upgrade. ROUNDS (1): of settings.
# RESIGNS (10). SEED (1): of the order of changes. ASK: what clients ask, leader
# or is-leader; the latter gets deadlines, for which each handover waits. BUILD:
# where the programs are; the record goes to BUILD/rollout/record.
#
# In the table 0 ms of the clients means at most 2.
# shellcheck disable=SC2015,SC2034,SC2046,SC2086,SC2154 # words; live.sh
set -u

hosts=5
# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/../lan/hosts.sh"
# shellcheck source=tests/system/live/live_release.sh
. tests/system/live/live_release.sh
# shellcheck source=tests/system/rollout/machines.sh
. tests/system/rollout/machines.sh

: "${PARTS:=resign grow verb settings away restart upgrade}"
: "${CYCLES:=2}" "${ROUNDS:=1}" "${RESIGNS:=10}" "${SEED:=1}" "${ASK:=leader}"
record=$BUILD/rollout/record
seconds_max=60
grace=2200ms # of a voter that has just started: the lease, and some more
client_pid=
wanted=ok absent= # the verdict of `status`, for want of this member
config_version=0 members='' heartbeat='' algorithm='' keys=''
declare -A priority=()

# In place of live.sh's.
live_end() {
    [ -z "$client_pid" ] || { kill "$client_pid"; wait "$client_pid"; }
    client_pid=
    machines_abandon
    cluster_end
} 2>/dev/null

## The cluster

node_text() {
    printf 'name = "web%d"; address = "198.18.0.%d:7420"; priority = %d;' \
        "$1" "$1" "${priority[$1]:-0}"
}

# write ID...: the file that these hosts have from now on.
write() {
    local id

    for id in "$@"; do
        {
            echo 'cluster = "web"; guarantee = "quorum";'
            echo "config_version = $config_version; algorithm = \"$algorithm\";"
            echo "timing = { heartbeat = \"$heartbeat\"; };"
            [ -z "$keys" ] || echo "security = { $keys };"
            nodes $members
        } >"$machines/$id/root/etc/electd/electd.conf" || return
    done
}

# give KEY ID...: copies a key to these hosts, by the name of the file.
give() {
    local id

    for id in "${@:2}"; do
        cp "$cluster/$1" "$machines/$id/root/etc/electd/$1" &&
            on "$id" systemd-tmpfiles --create electd.conf || return
    done
}

# start ID...: as INSTALLING in electd-operating(7) has it.
start() {
    local id

    for id in "$@"; do
        give web.key "$id" || return
        on "$id" test -e "/var/lib/electd/web-$id.state" ||
            on "$id" electd --init-cluster >/dev/null || return
        on "$id" electd -t >>"$record/said" 2>&1 &&
            on "$id" systemctl -q enable --now electd || return
    done
}

# field ID KEY: of `status`.
field() {
    kv "$1" "$2" status 2>/dev/null
}

# is_well ID...: all of them agree, and find nothing wrong.
is_well() {
    local id said first=

    for id in "$@"; do
        said=$(ask "$id" -o kv status 2>/dev/null | grep -E \
            '^(verdict|config_version|file_config_version|leader_id|term)=')
        : "${first:=$said}"
        [[ $said == "$first" && $said == *verdict="$wanted"* ]] || return
    done
}

# calm: waits until all is well with the members that are up, and all vote.
calm() {
    awaits "$seconds_max" is_well "$@" || { ask "$1" status; return 1; }
    ! ask "$1" -q -t "$grace" wait no-leader 2>/dev/null ||
        complain 'the leader is lost'
}

note() {
    echo "{\"event\":\"$1\",\"name\":\"$2\",\"mono_ns\":$("$kill9")}" \
        >>"$record/steps"
}

# shuffle WORD...: sets `shuffled`, these in an order that the seed draws.
shuffle() {
    local i j word

    for ((i = $#; i > 1; i--)); do
        j=$((RANDOM % i + 1)) word=${!i}
        set -- "${@:1:i-1}" "${!j}" "${@:i+1}"
        set -- "${@:1:j-1}" "$word" "${@:j+1}"
    done
    shuffled=$*
}

# drop ID WORD...: these without it.
drop() {
    local word rest=

    for word in "${@:2}"; do
        [ "$word" = "$1" ] || rest+="${rest:+ }$word"
    done
    echo "$rest"
}

# up: the members that run.
up() {
    drop "$absent" $members
}

# step NAME COMMAND...: one change, until all is well again.
step() {
    note step "$1"
    if ! "${@:2}" || ! calm $(up); then
        echo "not ok: $1" >&2
        exit 1
    fi
    note 'done' "$1"
    printf '.' >&2
}

leader() {
    field "${members%% *}" leader_id
}

# begin ID...: a new cluster of these.
begin() {
    local id root

    for id in "${!init_pid[@]}"; do
        root=$machines/$id/root
        on "$id" systemctl -q disable --now electd 2>/dev/null
        rm -rf "$root"/{etc,var/lib}/electd/*
    done
    members=$* config_version=1 heartbeat=100ms algorithm=bully keys=''
    priority=()
    (umask 077 && "$electctl" keygen >"$cluster/web.key")
    write "$@" && start "$@" && calm "$@"
}

# put SOURCE ID...: make install, as INSTALLING has it.
put() {
    local id

    for id in "${@:2}"; do
        env -u MAKEFLAGS -u MAKELEVEL "${MAKE:-make}" -s -C "$1" \
            BUILD="${build_of[$1]}" DESTDIR="$machines/$id/root" install \
            >>"$record/said" &&
            on "$id" systemd-sysusers electd.conf 2>/dev/null &&
            on "$id" systemd-tmpfiles --create electd.conf &&
            on "$id" systemctl daemon-reload || return
    done
}

## Changes

in_effect() {
    [ "$(field "$1" config_version)" = "$config_version" ]
}

# read_by ID...: these have a new file, and read it.
read_by() {
    local id

    for id in "$@"; do
        on "$id" electd -t >>"$record/said" 2>&1 &&
            on "$id" systemctl reload electd || return
    done
}

# roll_out ID...: the next config version, first to one and then to the others.
roll_out() {
    write "$1" && read_by "$1" && awaits "$seconds_max" in_effect "$1" &&
        write "${@:2}" && read_by "${@:2}"
}

leave() {
    on "$1" systemctl -q disable --now electd &&
        rm "$machines/$1/root/etc/electd/web.key"
}

# Any member is the first to read the file.
add_by_file() {
    shuffle $(up)
    members+=" $1" config_version=$((config_version + 1))
    write "$1" && start "$1" && roll_out $shuffled
}

remove_by_file() {
    members=$(drop "$1" $members) config_version=$((config_version + 1))
    shuffle $(up)
    roll_out $shuffled && leave "$1"
}

# members_change WORD...: on any host that stays, which prints the file for all.
members_change() {
    local id first=${shuffled%% *}

    on "$first" electctl -q members "$@" &&
        on "$first" electctl config >"$cluster/new" || return
    config_version=$((config_version + 1))
    for id in $members; do
        cp "$cluster/new" "$machines/$id/root/etc/electd/electd.conf" || return
    done
}

add_by_verb() {
    shuffle $(up)
    members+=" $1"
    members_change add "$1" "web$1" "198.18.0.$1:7420" --force && start "$1" &&
        read_by $shuffled
}

remove_by_verb() {
    members=$(drop "$1" $members)
    shuffle $(up)
    members_change remove "$1" && read_by $shuffled && leave "$1"
}

# members_go HOW: three grow to five, and shrink again. In odd cycles the last
# one leads, in even ones web3, which is always there.
members_go() {
    local cycle

    begin 1 2 3
    for ((cycle = 1; cycle <= CYCLES; cycle++)); do
        if ((cycle % 2)); then
            step "$1: joiner takes the lead" "add_by_$1" 4
            step "$1: joiner takes the lead" "add_by_$1" 5
            step "$1: leader is removed" "remove_by_$1" 5
            step "$1: leader is removed" "remove_by_$1" 4
            priority[3]=1
        else
            step "$1: joiner follows" "add_by_$1" 4
            step "$1: joiner follows" "add_by_$1" 5
            step "$1: follower is removed" "remove_by_$1" 4
            step "$1: follower is removed" "remove_by_$1" 5
            priority[3]=0
        fi
        config_version=$((config_version + 1))
        roll_out $members && calm $members || exit 1
    done
}

change_timing() {
    [ "$heartbeat" = 100ms ] && heartbeat=200ms || heartbeat=100ms
    settings_step timing
}

change_priority() {
    shuffle $(drop "$(leader)" $(up))
    priority[${shuffled%% *}]=$((config_version + 1))
    settings_step 'priority moves the lead'
}

change_algorithm() {
    shuffle $(drop "$algorithm" bully chang-roberts hirschberg-sinclair lelann)
    algorithm=${shuffled%% *}
    settings_step algorithm
}

# settings_step WHAT: the next config version.
settings_step() {
    config_version=$((config_version + 1))
    shuffle $(up)
    step "settings: $1" roll_out $shuffled
}

# One of them goes, and comes back.
change_members() {
    local id

    shuffle $(up)
    id=${shuffled%% *}
    step "settings: $(lead_of "$id") is removed" remove_by_file "$id"
    step 'settings: it is added again' add_by_file "$id"
}

# lead_of ID: what it is.
lead_of() {
    [ "$(field "$1" leader_id)" = "$1" ] && echo leader || echo follower
}

# says WORD ID...: whether `key` of all these says so.
says() {
    local id

    for id in "${@:2}"; do
        ask "$id" -o kv key | grep -qx "$1" || return
    done
}

# keys_step WHAT KEYS VERDICT: these keys on all hosts, until all say so.
keys_step() {
    keys=$2
    shuffle $members
    step "settings: key ($1)" keys_change "$3" $shuffled
}

keys_change() {
    write $members && read_by "${@:2}" &&
        { [ -z "$1" ] || awaits "$seconds_max" says "$1" "${@:2}"; }
}

change_key() {
    local old=$key dir=/etc/electd

    key=web-$config_version-$RANDOM.key
    new_key "$cluster/$key" "$cluster/$old" && give "$key" $members || exit 1
    keys_step 'accept the new one' \
        "key_file = \"$dir/$old\"; old_key_file = \"$dir/$key\";" may_swap=true
    keys_step 'send with it' \
        "key_file = \"$dir/$key\"; old_key_file = \"$dir/$old\";" may_drop=true
    keys_step 'forget the old one' "key_file = \"$dir/$key\";" ''
}

# A file with twelve errors: the reload lists them, and nothing changes.
mistakes() {
    local file=$machines/2/root/etc/electd/electd.conf before said

    before=$(state_of 2)
    cp "$file" "$cluster/good"
    cat >"$file" <<'END'
cluster = "web"; guarantee = "quorum"; config_version = 99; colour = "red";
algorithm = "paxos"; preempt = "perhaps"; realtime = 5;
timing = { heartbeat = "0ms"; misses = 0; startup = "soon"; };
nodes = (
  { id = 1; name = "web1"; address = "198.18.0.1:7420"; role = "king"; },
  { id = 1; name = "web2"; address = "198.18.0.2:7420"; },
  { id = 3; name = "web1"; address = "198.18.0.3:7420"; },
  { id = 4; name = "web4"; address = "198.18.0.3:7420"; },
  { id = 5; name = "web5"; address = "198.18.0.5:99999"; }
);
END
    ! on 2 systemctl reload electd 2>/dev/null || complain 'no failure' ||
        return
    said=$(on 2 electctl reload 2>&1)
    cp "$cluster/good" "$file"
    [ "$(grep -c '^electctl: .*electd.conf:[0-9]*: ' <<<"$said")" = 12 ] ||
        complain "not twelve errors: $said" || return
    is 'state' "$before" "$(state_of 2)"
}

# state_of ID: what stays if nothing changes.
state_of() {
    ask "$1" -o kv status |
        grep -E '^(term|leader_id|config_version|config_term|verdict|up_ms)=' |
        grep -v up_ms
    on "$1" systemctl show -p MainPID electd
    ask "$1" config
}

## Parts

part_resign() {
    local i

    begin 1 2 3 4 5
    for ((i = 0; i < RESIGNS; i++)); do
        step 'hand-over: resign' on 5 electctl -q resign
        step 'hand-over: rejoin' on 5 electctl -q rejoin
    done
}

part_grow() {
    members_go file
}

part_verb() {
    members_go verb
}

part_settings() {
    local round change key=web.key

    begin 1 2 3 4 5
    for ((round = 1; round <= ROUNDS; round++)); do
        shuffle timing priority algorithm key members
        for change in $shuffled; do
            "change_$change"
        done
        step 'settings: twelve errors' mistakes
    done
}

# web1 is away meanwhile, and returns with the oldest file.
part_away() {
    local change

    begin 2 3 4 5 1
    on 1 systemctl -q stop electd
    wanted=degraded absent=1
    shuffle timing priority algorithm members
    for change in $shuffled; do
        "change_$change"
    done
    wanted=ok absent=
    step 'away: returns with the oldest file' returns 1
}

# returns ID: it learns the settings from the others, in the same term; then it
# gets the file.
returns() {
    local term

    term=$(field 2 term)
    is 'its config version' 1 "$(sed -n 's/^config_version = \([0-9]*\);.*/\1/p' \
        "$machines/$1/root/etc/electd/electd.conf")" &&
        on "$1" systemctl -q start electd &&
        awaits "$seconds_max" in_effect "$1" && write "$1" && read_by "$1" &&
        calm $members && is 'term' "$term" "$(field 2 term)"
}

# The leader is the last.
part_restart() {
    local cycle id

    begin 1 2 3 4 5
    for ((cycle = 1; cycle <= CYCLES; cycle++)); do
        for id in 1 2 3 4 5; do
            step "restart: $(lead_of "$id")" on "$id" systemctl restart electd
        done
    done
}

# The last release is upgraded to this one, and back in even cycles.
part_upgrade() {
    local cycle id to

    build_release || { tail -n 5 "$release/log"; exit 1; }
    put "$release/src" 1 2 3 4 5 && begin 1 2 3 4 5 || exit 1
    for ((cycle = 1; cycle <= CYCLES; cycle++)); do
        ((cycle % 2)) && to=$PWD || to=$release/src
        for id in 1 2 3 4 5; do
            step "upgrade: $(lead_of "$id")" upgrade "$to" "$id"
        done
    done
    put "$PWD" 1 2 3 4 5
}

upgrade() {
    put "$1" "$2" && on "$2" systemctl restart electd
}

RANDOM=$SEED
[ -x "$BUILD/tests/system/rollout/client" ] && [ -d "$tree" ] ||
    { echo 'not built'; exit 1; }
declare -A build_of=([$PWD]=$BUILD [$release/src]=build)
cluster_directory || exit 1
rm -rf "$record" && mkdir "$record" && : >"$record/steps" || exit 1
machines_boot 1 2 3 4 5 || exit 1
put "$PWD" 1 2 3 4 5 || exit 1
sockets=()
for ((id = 1; id <= hosts; id++)); do
    ln -s "/proc/${init_pid[$id]}/root/run/electd/web.sock" "$cluster/$id.sock"
    sockets+=("$cluster/$id.sock")
done
setpriv --pdeathsig KILL chrt -f 1 "$BUILD/tests/system/rollout/client" "$ASK" \
    "${sockets[@]}" >"$record/events" &
client_pid=$!
for part in $PARTS; do
    echo "$part" >&2
    "part_$part" || exit 1
done
echo >&2
live_end
cat "$record"/{steps,events} | sed -nE 's/.*"mono_ns":([0-9]+).*\}$/\1 &/p' |
    sort -n | awk -f tests/system/rollout/table.awk
