# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # much is for the caller
# Sourced by scripts that run real daemons: a cluster out of a file of conf/ with
# a directory, key, sockets and state of its own. They run on loopback, or where
# enter() says. No sleep decides anything: scripts read the events of
# `electctl watch`, or ask.
#
# BUILD: where the programs are. ELECTCTL: another electctl. WRAP: a command to
# run the daemons under. LOOPBACK: the first half of the addresses that are ours
# alone; all of 127.0.0.0/8 is this host.

# shellcheck source=tests/lib/ends.sh
. "${BASH_SOURCE[0]%/*}/ends.sh"
# shellcheck source=tests/lib/wait.sh
. "${BASH_SOURCE[0]%/*}/wait.sh"
# shellcheck source=tests/lib/stalls.sh
. "${BASH_SOURCE[0]%/*}/stalls.sh"

: "${BUILD:=build}" "${WRAP:=}" "${LOOPBACK:=127.$((RANDOM % 254 + 1))}"
electd=$BUILD/electd
electctl=${ELECTCTL:-$BUILD/electctl}
kill9=$BUILD/tests/tools/kill9

cluster=       # its directory
seconds_max=60 # for anything to happen; it takes one or two, on a slow disk more
declare -A daemon_pid=() watch_fd=() watch_pid=()

# cluster_directory: makes it, with a key.
cluster_directory() {
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") &&
        (umask 077 && "$electctl" keygen >"$cluster/key")
}

# cluster_new CONF: a directory with a key and a copy of CONF, all paths in it,
# and an address of our own in place of 127.0.0.1.
cluster_new() {
    local host=$LOOPBACK.$((RANDOM % 254 + 1)).1

    cluster_directory || return
    sed -e "s|\"127\.0\.0\.1:|\"$host:|" \
        -e "s|\(key_file *[=:] *\)\"[^\"]*\"|\1\"$cluster/key\"|" \
        -e "s|\(old_key_file *[=:] *\)\"[^\"]*\"|\1\"\"|" \
        -e "s|\(socket *[=:] *\)\"[^\"]*\"|\1\"$cluster/%i.sock\"|" \
        -e "s|\(group *[=:] *\)\"[^\"]*\"|\1\"$(id -gn)\"|" \
        -e "s|\(state_dir *[=:] *\)\"[^\"]*\"|\1\"$cluster/state\"|" \
        "$1" >"$cluster/electd.conf"
}

# node_text ID: prints what a configuration says of a node besides its id. For the
# caller to define otherwise.
node_text() {
    printf 'address = "198.18.0.%d:7420";' "$1"
}

# nodes ID...: prints the setting with these.
nodes() {
    local id end=

    printf 'nodes = ('
    for id in "$@"; do
        printf '%s\n  { id = %d; ' "$end" "$id"
        node_text "$id"
        end=' },'
    done
    printf ' }\n);\n'
}

# cluster_configure ID...: writes a configuration of these: what standard input
# says, and all paths in the directory. `control` has more settings of the socket.
# Fails, and says why, if electd does not accept it.
cluster_configure() {
    local said

    {
        cat
        nodes "$@"
        echo "security = { key_file = \"$cluster/key\"; };"
        echo "control = { socket = \"$cluster/%i.sock\"; ${control-} };"
        echo "state_dir = \"$cluster/state\";"
    } >"$cluster/electd.conf"
    said=$("$electd" -t --file-only -c "$cluster/electd.conf" -i "$1" 2>&1) ||
        { echo "$said" >&2; return 1; }
}

# node_init ID...: makes their state files, and sets `said`, what electd says.
node_init() {
    local id

    for id in "$@"; do
        # shellcheck disable=SC2046 # a command in words
        said=$($(enter "$id") "$electd" --init-cluster \
            -c "$cluster/electd.conf" -i "$id" 2>&1) ||
            { echo "    $said" >&2; return 1; }
    done
}

# new_key FILE [OTHER]: a key that electd accepts beside the other, or that of the
# cluster: one of 256 has the same short id by chance.
new_key() {
    local conf=$cluster/keys.conf

    cat >"$conf" <<EOF || return
cluster = "keys";
guarantee = "component";
nodes = ({ id = 1; name = "one"; address = "127.0.0.1:7420"; });
security = { key_file = "${2:-$cluster/key}"; old_key_file = "$1"; };
EOF
    while (umask 077 && "$electctl" keygen >"$1") &&
        "$electd" -t -c "$conf" 2>&1 | grep -q 'the same short id'; do
        rm "$1"
    done
    rm "$conf"
}

# ask ID WORD...: runs electctl for node ID, with enough time for a busy host, or
# as much as ask_time says.
ask() {
    ${in_place-} "$electctl" -s "$cluster/$1.sock" \
        -t "${ask_time:-${seconds_max}s}" "${@:2}"
}

# asked ID WORD...: the same for "$(asked ...)": electctl takes the place of that
# shell. Scripts ask often, and a process costs more than the answer.
asked() {
    local in_place=exec

    ask "$@"
}

# hear ID WORD...: sets `heard` to what electctl -o kv tells of node ID, with a
# newline before each line and after the last.
hear() {
    heard=$'\n'$(asked "$1" -o kv "${@:2}")$'\n'
}

# pick KEY: sets `value` to that of KEY in `heard`, or to nothing.
pick() {
    value=${heard#*$'\n'"$1="}
    [ "$value" != "$heard" ] || value=$'\n'
    value=${value%%$'\n'*}
}

# learn ID KEY WORD...: does both.
learn() {
    hear "$1" "${@:3}"
    pick "$2"
}

# kv ID KEY WORD...: prints that value.
kv() {
    local heard value

    learn "$@"
    printf '%s\n' "$value"
}

# enter ID: prints a command that runs another one on the host of node ID, or
# nothing. For the caller to define.
enter() {
    :
}

# node_launch HOST FILE OPTION...: starts a daemon there with this configuration.
node_launch() {
    # shellcheck disable=SC2046,SC2086 # commands in words
    $WRAP $(enter "$1") "$electd" -c "$2" "${@:3}" </dev/null \
        >>"$cluster/$1.log" 2>&1 &
    daemon_pid[$1]=$!
}

# node_start ID...: starts daemons, and returns when their sockets answer.
node_start() {
    local id

    for id in "$@"; do
        node_launch "$id" "$cluster/electd.conf" -i "$id"
    done
    for id in "$@"; do
        node_await "$id" || return
    done
}

# A socket appears only when it answers, so there is nothing else to wait for.
node_await() {
    local until=$((SECONDS + seconds_max))

    until ask "$1" -q stats >/dev/null 2>&1; do
        if ! kill -0 "${daemon_pid[$1]}" 2>/dev/null ||
            [ $SECONDS -ge $until ]; then
            echo "node $1 did not start:" >&2
            tail -n 5 "$cluster/$1.log" >&2
            return 1
        fi
        pause
    done
}

# watch_open ID...: begins to listen to the events of these nodes.
watch_open() {
    local id fd

    for id in "$@"; do
        watch_close "$id"
        exec {fd}< <(exec "$electctl" -s "$cluster/$id.sock" -o json watch \
            2>/dev/null)
        watch_fd[$id]=$fd watch_pid[$id]=$!
    done
}

# watch_leader ID LEADER: reads the events of node ID until it follows LEADER
# (or leads, if it is itself), and sets `event` and its mono_ns, `moment`.
watch_leader() {
    local wanted="\"event\":\"(state|leader)\".*\"leader\":$2,"

    while read -r -t "$seconds_max" -u "${watch_fd[$1]}" event; do
        [[ $event =~ $wanted ]] || continue
        [[ $event =~ \"mono_ns\":([0-9]+) ]] && moment=${BASH_REMATCH[1]}
        return
    done
    echo "node $1 does not say that $2 leads" >&2
    return 1
}

# watch_close ID...: stops listening to these, if it did.
watch_close() {
    local id fd

    for id in "$@"; do
        fd=${watch_fd[$id]-}
        [ -n "$fd" ] || continue
        kill "${watch_pid[$id]}" 2>/dev/null
        exec {fd}<&-
        unset "watch_fd[$id]" "watch_pid[$id]"
    done
}

# node_kill9 ID: kills it, and sets `moment` to when, on the clock of mono_ns.
# The shell's own message about it is of no interest.
node_kill9() {
    {
        moment=$("$kill9" "${daemon_pid[$1]}") || return
        node_gone "$1"
    } 2>/dev/null
    return 0
}

# node_stop ID...: these stand still, as the caller wants it. node_continue ID...:
# they go on.
node_stop() {
    local id

    for id in "$@"; do
        stalls_wanted[$id]=yes
        kill -STOP "${daemon_pid[$id]}" || return
    done
}

node_continue() {
    local id

    for id in "$@"; do
        kill -CONT "${daemon_pid[$id]}" || return
    done
}

# node_gone ID: waits for a daemon that is about to end; gives its exit status.
node_gone() {
    local pid=${daemon_pid[$1]}

    unset "daemon_pid[$1]"
    wait "$pid"
}

# Ends all that is left, and removes the directory.
cluster_end() {
    local id

    watch_close "${!watch_fd[@]}"
    for id in "${!daemon_pid[@]}"; do
        kill "${daemon_pid[$id]}" 2>/dev/null
        kill -CONT "${daemon_pid[$id]}" 2>/dev/null
    done
    for id in "${!daemon_pid[@]}"; do
        timeout "$seconds_max" tail --pid="${daemon_pid[$id]}" -f /dev/null ||
            kill -KILL "${daemon_pid[$id]}"
        node_gone "$id" 2>/dev/null
    done
    if [ -n "$cluster" ]; then
        stalls_keep "$cluster"
        rm -rf "$cluster"
    fi
    cluster=
}
