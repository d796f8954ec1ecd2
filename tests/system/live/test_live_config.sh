#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# electd reports errors of a configuration, a key or the host before it starts,
# and settings that differ between nodes while they run.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

# refused STATUS PATTERN: fails unless node 1 refuses to start, and says why.
refused() {
    exits "$1" timeout "$seconds_max" "$electd" \
        -c "$cluster/electd.conf" -i 1 && has 'error' "$2" "$said"
}

# An address of this cluster's host that no node has.
elsewhere() {
    sed -n 's/.*id = 1;.*"\(127\.[0-9.]*\):.*/\1:7499/p' \
        "$cluster/electd.conf"
}

# Checks the whole output of each, and that it opens no socket, not even to look
# up a name.
broken_configurations_open_no_socket() {
    local file status count=0

    fresh || return
    for file in tests/unit/settings/*.conf; do
        (cd tests/unit/settings && "$tools/nosocket" "$electd" -c "${file##*/}" \
            >"$cluster/said" 2>&1)
        status=$?
        if [ "$status" -ne 8 ] ||
            ! diff "${file%.conf}.expected" "$cluster/said"; then
            complain "$file: exit status $status" || return
        fi
        count=$((count + 1))
    done
    echo "    $count configurations"
    [ "$count" -ge 30 ] || complain 'too few'
}

checks_open_no_socket() {
    local file

    for file in conf/*.conf; do
        exits 0 "$tools/nosocket" "$electd" -t --file-only -c "$file" &&
            has "said of $file" "^$file: ok: cluster [a-z-]+, ([0-9]+ nodes|nodes by discovery), \
algorithm [a-z-]+, guarantee (component|quorum)$" "$said" || return
    done
    exits 0 "$tools/nosocket" "$electd" -A && has '-A' '^bully +' "$said" &&
        exits 0 "$tools/nosocket" "$electd" -V &&
        has '-V' '^electd [0-9.]+$' "$said"
}

# checked STATUS LAST [WORDS...]: fails unless electd -t for node 1 prints LAST
# as its last line, and each of the words in other lines.
checked() {
    local status=$1 last=$2 words
    shift 2

    exits "$status" "$electd" -t -c "$cluster/electd.conf" -i 1 &&
        has 'the last line' "^$cluster/electd.conf: $last: cluster loopback, " \
            "${said##*$'\n'}" || return
    for words in "$@"; do
        has 'said' "$cluster/electd.conf: $words" "$said" || return
    done
    [ "$(wc -l <<<"$said")" -eq $(($# + 1)) ] || complain "more was said: $said"
}

check_reports_what_a_host_lacks() {
    local key state

    fresh && key=$cluster/key state=$cluster/state &&
        checked 0 'ok, 1 warning' "warning: state_dir: $state: No such file" &&
        mkdir -m 700 "$state" && checked 0 ok &&
        chmod 770 "$state" && checked 0 'ok, 1 warning' \
        "warning: state_dir: $state: its group may write to it" &&
        chmod 700 "$state" && chmod 640 "$key" &&
        checked 8 '1 error' "error: $key: is open to group or others" &&
        mv "$key" "$key.1" && checked 8 '1 error' "error: $key: No such file" &&
        rmdir "$state" && touch "$state" &&
        checked 1 '2 errors' "error: state_dir: $state: Not a directory" \
            "error: $key: No such file" &&
        mv "$key.1" "$key" && chmod 600 "$key" && rm "$state" &&
        mkdir -m 700 "$state" && checked 0 ok &&
        sed -i 's/"[0-9.]*:7422"/"nobody.invalid:7422"/' \
            "$cluster/electd.conf" &&
        checked 0 'ok, 1 warning' 'warning: two: cannot resolve nobody.invalid:7422: ' &&
        sed -i -e 's/"nobody.invalid:/"127.0.0.1:/' \
            -e 's/"[0-9.]*:7421"/"192.0.2.1:7421"/' "$cluster/electd.conf" &&
        checked 1 '1 error' 'error: cannot listen on 192.0.2.1:7421: not an address of this host .* correct id or -i, '
}

check_reports_what_a_start_cannot_make() {
    local state

    fresh && state=$cluster/state &&
        sed -i "s|\"$state\"|\"$cluster/none/state\"|" "$cluster/electd.conf" &&
        checked 1 '1 error' "error: state_dir: $cluster/none/state: No such file .*: create those" &&
        ln -s nothing "$cluster/link" &&
        sed -i "s|\"$cluster/none/state\"|\"$cluster/link\"|" "$cluster/electd.conf" &&
        checked 1 '1 error' "error: state_dir: $cluster/link: it is a symbolic link to nothing" &&
        sed -i -e "s|\"$cluster/link\"|\"$state\"|" \
            -e "s|$cluster/%i.sock|$cluster/none/%i.sock|" "$cluster/electd.conf" &&
        mkdir -m 700 "$state" &&
        checked 1 '1 error' "error: control.socket: $cluster/none/1.sock: its directory does not exist" &&
        mkdir "$cluster/none" && checked 0 ok && : >"$cluster/none/1.sock" &&
        checked 1 '1 error' "error: control.socket: $cluster/none/1.sock: is not a socket" &&
        sed -i "s|$cluster/none/%i.sock|/run/electd/%i.sock|" \
            "$cluster/electd.conf" && { [ -e /run/electd ] ||
        checked 0 'ok, 1 warning' 'warning: control.socket: /run/electd/.*; systemd creates it'; }
}

check_reports_what_the_owner_of_a_key_cannot_make() {
    fresh && chmod 755 "$cluster" && mkdir -m 700 "$cluster/state" &&
        chown 65534 "$cluster/state" "$cluster/key" &&
        checked 1 '1 error' 'error: control.socket: .*: Permission denied; its directory must belong' &&
        mkdir "$cluster/run" && chown 65534 "$cluster/run" &&
        sed -i "s|$cluster/%i.sock|$cluster/run/%i.sock|" "$cluster/electd.conf" &&
        checked 0 ok && rmdir "$cluster/state" &&
        exits 1 as_nobody "$electd" -t -c "$cluster/electd.conf" -i 1 &&
        has 'said' "error: state_dir: $cluster/state: Permission denied; create it" "$said"
}

unwise_setting_is_a_warning() {
    fresh && mkdir -m 700 "$cluster/state" && setting \
        'timing = { heartbeat = "1ms"; misses = 1; };' &&
        checked 0 'ok, 2 warnings' 'warning: timing.heartbeat: below 10ms' \
            'warning: timing.misses: with 1, ' &&
        fresh && mkdir -m 700 "$cluster/state" &&
        sed -i -e 's/"component"/"quorum"/' -e '/id = 5;/d' \
            -e '/id = 4;/s/,$//' "$cluster/electd.conf" &&
        checked 0 'ok, 2 warnings' \
            'warning: guarantee: 4 voters survive no more failures than 3' \
            "warning: $cluster/state/loopback-1.state: .* missing; .*electd --init-cluster" &&
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i 1 &&
        checked 0 'ok, 1 warning' 'warning: guarantee: 4 voters' &&
        rm -r "$cluster/state" && checked 0 'ok, 3 warnings' \
            'warning: guarantee: 4 voters' \
            "warning: state_dir: $cluster/state: No such file" \
            "warning: $cluster/state/loopback-1.state: this node does not vote yet: missing; .*electd --init-cluster" &&
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i 1 &&
        sed -i -e '/id = [34];/d' -e '/id = 2;/s/,$//' \
            "$cluster/electd.conf" &&
        checked 0 'ok, 1 warning' 'warning: guarantee: with 2 voters' &&
        exits 0 "$tools/nosocket" "$electd" --file-only \
            -c "$cluster/electd.conf" &&
        has 'file alone' ': ok, 1 warning: cluster' "$said"
}

# The config version was taken back, which the state file knows to be a mistake.
check_tells_that_a_node_has_lost_the_settings_of_its_votes() {
    fresh && sed -i -e 's/"component"/"quorum"/' -e '/id = [45];/d' \
        -e '/id = 3;/s/,$//' "$cluster/electd.conf" &&
        setting 'config_version = 1;' &&
        exits 0 "$electd" --init-cluster -c "$cluster/electd.conf" -i 1 &&
        node_start 1 && node_end 1 && checked 0 'ok' || return
    sed -i '/^config_version/d' "$cluster/electd.conf" &&
        checked 0 'ok, 1 warning' 'warning: config_version: this file is older \(config version 0\) than ' &&
        rm "$cluster/state/loopback-1.settings" && checked 0 'ok, 1 warning' \
        'warning: .*: this node does not vote yet: this node has voted by settings of config version 1, .* kept here no more'
}

# -T prints a configuration for which it prints the same.
settings_in_effect_are_printed() {
    local file

    for file in conf/*.conf; do
        exits 0 "$tools/nosocket" "$electd" -T -i 2 -c "$file" || return
        echo "$said" >"$cluster/printed"
        exits 0 "$electd" -T -i 2 -c "$cluster/printed" &&
            is "$file" "$(cat "$cluster/printed")" "$said" || return
    done
    has 'a default' 'startup = "1s";' "$said"
}

wrong_options_exit_2() {
    exits 2 "$electd" -x && exits 2 "$electd" -i 0 &&
        exits 2 "$electd" -i 4294967297 && exits 2 "$electd" -t word &&
        is 'a word' 'electd: unexpected argument "word"; use -c FILE to name a configuration file' \
            "$said" && exits 2 "$electd" --nothing &&
        has 'its name' "^electd: unrecognized option '--nothing'" "$said" &&
        exits 0 "$electd" -h && has 'usage' '^usage: .*electd -h ' "$said" &&
        exits 8 "$electd" -c "$cluster/nothing.conf" &&
        has 'error' 'nothing.conf: cannot be opened: No such file' "$said"
}

# unnamed STATUS PATTERN: fails unless electd finds no node with this address.
unnamed() {
    exits "$1" timeout "$seconds_max" "$electd" -c "$cluster/electd.conf" &&
        has 'error' "$2" "$said"
}

# The interface has one address of 127/8. First no node has it, and it may still
# come; then all nodes have it.
nothing_says_which_node_it_is() {
    fresh && unnamed 1 'no node has an address of this host (.*); the nodes are at 127.*:7421 .*; correct the addresses, set id = N, or start with -i N' &&
        mkdir -m 700 "$cluster/state" && touch "$cluster/state/other-6.state" &&
        unnamed 1 'no node has an' && touch "$cluster/state/loopback-6.state" &&
        unnamed 8 'this host was node 6, by its state file, and .* disable electd here' &&
        touch "$cluster/state/loopback-5.state" && unnamed 1 'no node has an' &&
        sed -i 's/"127\.[0-9.]*:/"127.0.0.1:/' "$cluster/electd.conf" &&
        unnamed 8 'several nodes have an address of this host '
}

# The same run reports all that does not depend on it.
a_check_reports_that_no_node_is_this_host() {
    fresh && mkdir -m 700 "$cluster/state" && chmod 640 "$cluster/key" &&
        sed -i 's/"component"/"quorum"/' "$cluster/electd.conf" &&
        exits 1 "$electd" -t -c "$cluster/electd.conf" &&
        has 'host' "^$cluster/electd.conf: error: no node has an address of this host \\(" "$said" &&
        has 'key' "electd.conf: error: $cluster/key: is open to group" "$said" &&
        has 'last' ': 2 errors: cluster loopback' "$said"
}

a_key_must_be_one_and_be_secret() {
    local key

    fresh || return
    key=$cluster/key
    chmod 640 "$key" && refused 8 "$key: is open to group or others" &&
        chmod 600 "$key" && mv "$key" "$key.1" &&
        refused 8 "$key: No such file" && ln -s "$key.1" "$key" &&
        refused 8 "$key: is a symbolic link" && rm "$key" &&
        ln "$key.1" "$key" && refused 8 "$key: has more than one link" &&
        rm "$key" && mkdir "$key" && refused 8 "$key: is not a regular file" &&
        rmdir "$key" && (umask 077 && mkfifo "$key") &&
        refused 8 "$key: is not a regular file" && rm "$key" &&
        (umask 077 && echo c2hvcnQ= >"$key") &&
        refused 8 "$key: holds no key" && mv "$key.1" "$key"
}

# key_of BYTE: the key of 32 such bytes, in octal.
key_of() {
    head -c 32 /dev/zero | tr '\0' "\\$1" | base64
}

# Two different keys share their short id by chance, as one pair of 256 does.
two_keys_must_have_different_ids() {
    fresh && key_of 003 >"$cluster/key" &&
        (umask 077 && key_of 330 >"$cluster/key.2") &&
        sed -i "s|^security.*|security = { key_file = \"$cluster/key\"; \
old_key_file = \"$cluster/key.2\"; };|" "$cluster/electd.conf" &&
        refused 8 "$cluster/key.2: happens to have the same short id as $cluster/key," &&
        key_of 003 >"$cluster/key.2" &&
        refused 8 "$cluster/key.2: holds the same key as $cluster/key; remove" &&
        key_of 004 >"$cluster/key.2" && node_start 1 && node_end 1
}

a_port_in_use_is_named() {
    fresh && node_start 1 && refused 1 ':7421: Address already in use'
}

# The other daemon has another name for the cluster, and so another lock.
a_check_finds_a_port_that_another_program_has() {
    fresh && node_start 1 &&
        exits 0 "$electd" -t -c "$cluster/electd.conf" -i 1 &&
        variant other 's/^cluster = .*/cluster = "other";/' &&
        exits 1 "$electd" -t -c "$cluster/other.conf" -i 1 &&
        has 'why' 'cannot listen on .*:7421: Address already in use; is another electd' \
            "$said" && node_end 1 &&
        exits 0 "$electd" -t -c "$cluster/other.conf" -i 1
}

a_check_finds_an_interface_that_is_not_there() {
    fresh && setting 'multicast = { group = "239.1.2.3:7421"; interface = "none0"; };' &&
        exits 1 "$electd" -t -c "$cluster/electd.conf" -i 1 &&
        has 'why' 'multicast.interface: there is no none0' "$said" &&
        sed -i 's/"none0"/"lo"/' "$cluster/electd.conf" &&
        exits 0 "$electd" -t -c "$cluster/electd.conf" -i 1
}

# A second daemon would listen elsewhere, and so find no conflict by that.
a_second_daemon_of_a_node_is_refused() {
    setting "listen = \"$(elsewhere)\";" &&
        sed -i "s|%i.sock|other.sock|" "$cluster/electd.conf" &&
        refused 1 'another electd with this id runs on this host' &&
        ask 1 -q stats && node_end 1
}

# It has an address and a state file of its own, but not a socket.
a_second_daemon_makes_no_state() {
    fresh && node_start 1 && setting "listen = \"$(elsewhere)\";" &&
        sed -i "s|\"$cluster/state\"|\"$cluster/new\"|" \
            "$cluster/electd.conf" &&
        refused 1 "control: $cluster/1.sock: another electd answers there" &&
        [ ! -e "$cluster/new" ] && ask 1 -q stats && node_end 1
}

a_state_directory_must_be_ours_to_write() {
    fresh && touch "$cluster/state" && refused 1 'state'
}

# address ID: the configured address of a node.
address() {
    sed -n "s/.*id = $1;.*\"\(127\.[0-9.]*:[0-9]*\)\".*/\1/p" \
        "$cluster/electd.conf"
}

# variant ID SED: makes a changed configuration for a node.
variant() {
    sed -E "$2" "$cluster/electd.conf" >"$cluster/$1.conf"
}

# stranger ID: starts it beside 1 and 2, which must not be affected.
stranger() {
    node_run "$1" "$cluster/$1.conf" && watch_open "$1" &&
        is 'leader at 1' two "$(ask 1 leader)" &&
        has 'up at 1' "id=$1 .* up=false" "$(ask 1 -o kv peers |
            grep "^id=$1 ")"
}

# sees ID PEER PATTERN: waits until the row of PEER in `peers` of node ID
# matches.
sees() {
    local until=$((SECONDS + seconds_max)) answer

    while [ $SECONDS -lt $until ]; do
        answer=$(ask "$1" -o kv peers | grep "^id=$2 ")
        [[ ! $answer =~ $3 ]] || return 0
        pause
    done
    complain "peers of $1: no '$3' in '$answer'"
}

another_key_is_named() {
    # Two that differ also in the byte by which datagrams name their key.
    fresh && printf '%032d' 1 | base64 >"$cluster/key" &&
        setting 'timing = { startup = "300ms"; };' &&
        cluster_start 2 1 2 || return
    (umask 077 && printf '%032d' 2 | base64 >"$cluster/other")
    variant 3 's|/key"|/other"|' && stranger 3 &&
        sees 1 3 'other_key=true' &&
        sees 3 1 'other_key=true' &&
        logged 1 "three .* seems to use another key .* SHA-256 of $cluster/key " &&
        logged 3 "one .* seems to use another key .* SHA-256 of $cluster/other " &&
        has 'status' 'three .* down .* other-key' "$(ask 1 status)" &&
        exits 1 ask 1 status --check &&
        has 'verdict' '^DEGRADED  .* three \(it seems to use another key\)' "$said" &&
        [ "$(count 1 dropped_key)" -gt 0 ]
}

another_cluster_is_named() {
    variant 4 's|"loopback"|"elsewhere"|' && stranger 4 &&
        logged 1 "from four \\($(address 4)\\): it is for another cluster" && [ "$(count 1 dropped_cluster)" -gt 0 ]
}

other_guarantee_is_named() {
    variant 5 's|"component"|"quorum"|' && stranger 5 &&
        logged 1 'five has different settings from this host' &&
        logged 5 'one has different settings from this host' &&
        has 'peers' 'id=5 .*differs=true' "$(ask 1 -o kv peers)" &&
        has 'peers' 'settings-differ' "$(ask 5 peers)" &&
        has 'status' 'settings-differ' "$(ask 1 status)" &&
        exits 2 ask 1 status --check &&
        has 'verdict' '^SPLIT  .*five \(its settings differ\): two leaders '\
'are possible$' "$said"
}

they_are_each_alone_and_end_well() {
    local id

    for id in 3 4; do
        exits 0 ask "$id" -t "${seconds_max}s" wait leader || return
    done
    is 'leader' two "$(ask 2 leader)" && node_end 1 2 3 4 5
}

# A copy of a host has the same id and another state. It listens elsewhere,
# since it could not run on this host otherwise.
duplicate_id_is_named_and_neither_is_eligible() {
    fresh && setting 'timing = { startup = "300ms"; };' &&
        cluster_start 3 1 2 3 || return
    variant copy 's|/state"|/copied"|; s|/%i.sock|/copy.sock|' &&
        echo "listen = \"$(elsewhere)\";" >>"$cluster/copy.conf" || return
    # shellcheck disable=SC2086 # WRAP is a command in words
    $WRAP "$electd" -c "$cluster/copy.conf" -i 3 </dev/null \
        >>"$cluster/copy.log" 2>&1 &
    daemon_pid[9]=$!
    read_until 1 '"event":"duplicate","peer":3,.*"on":true' &&
        watch_open 1 2 && agree 2 1 2 && logged 1 'duplicate id' && logged 3 'duplicate id' &&
        has 'status' 'duplicate-id' "$(ask 3 status)" &&
        has 'the copy' 'duplicate-id' \
            "$("$electctl" -s "$cluster/copy.sock" status)" &&
        exits 1 ask 3 -q is-leader &&
        exits 1 "$electctl" -s "$cluster/copy.sock" -q is-leader
}

# state_lost ID: node ID dies and starts again without its state, and no state
# can be written any more, while 1 and 2 stand still, for less than a node may.
state_lost() {
    node_stop 1 2 &&
        rm -rf "$cluster/state" && node_start "$1" &&
        rm -rf "$cluster/state" &&
        node_continue 1 2
}

# Its peers make it go above its old incarnation, but it cannot write the new
# one: it ends before it uses that, or its next life would have to go above it.
an_incarnation_that_cannot_be_kept_is_not_said() {
    local status

    fresh && setting 'timing = { startup = "300ms"; heartbeat = "2s"; };' &&
        cluster_start 3 1 2 3 && node_kill9 3 && agree 2 1 2 &&
        settle 1 2 && state_lost 3 || return
    timeout "$seconds_max" tail -s 0.02 --pid="${daemon_pid[3]}" \
        -f /dev/null || complain 'node 3 goes on' || return
    node_gone 3
    status=$?
    is 'exit status' 1 "$status" && logged 3 'cannot write this node.s incarnation' &&
        node_start 3 && agree 3 1 2 &&
        has 'peers' 'id=3 .*incarnation=2( |$)' \
            "$(ask 1 -o kv peers | grep '^id=3 ')"
}

check broken_configurations_open_no_socket
check checks_open_no_socket
check check_reports_what_a_host_lacks
check check_reports_what_a_start_cannot_make
as_root check_reports_what_the_owner_of_a_key_cannot_make
check unwise_setting_is_a_warning
check check_tells_that_a_node_has_lost_the_settings_of_its_votes
check settings_in_effect_are_printed
check wrong_options_exit_2
check nothing_says_which_node_it_is
check a_check_reports_that_no_node_is_this_host
check a_key_must_be_one_and_be_secret
check two_keys_must_have_different_ids
check a_port_in_use_is_named
check a_second_daemon_of_a_node_is_refused
check a_check_finds_a_port_that_another_program_has
check a_check_finds_an_interface_that_is_not_there
check a_second_daemon_makes_no_state
check a_state_directory_must_be_ours_to_write
check another_key_is_named
check another_cluster_is_named
check other_guarantee_is_named
check they_are_each_alone_and_end_well
check duplicate_id_is_named_and_neither_is_eligible
check an_incarnation_that_cannot_be_kept_is_not_said
check_end
