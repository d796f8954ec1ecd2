#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The state file of real daemons. Under quorum an operator makes it once. If it
# is missing, damaged, another node's or an old copy, the node runs, answers and
# follows, and neither votes nor is eligible until a leader that leads without
# it has admitted it. A full disk does no harm, and a disk that takes no writes
# costs the vote. Under component the term outlives a restart. Takes 63 s.
# shellcheck disable=SC2317 # cases are called by name
# A tmpfs of our own needs a mount namespace of our own.
if [ -z "${ELECTD_UNSHARED-}" ]; then
    for how in -m -rm; do
        if unshare $how mount -t tmpfs none /mnt 2>/dev/null; then
            ELECTD_UNSHARED=yes exec unshare $how "$0" "$@"
        fi
    done
    ELECTD_UNSHARED=no
fi
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"

readonly timing='timing = { heartbeat = "50ms"; misses = 3;
    lease = "600ms"; startup = "200ms"; };'
state= # of the cluster: a directory

# five_with_state ID...: a cluster of five voters; these have a state file.
five_with_state() {
    local id

    fresh && setting "$timing" || return
    state=$cluster/state
    sed -i 's|guarantee = "component"|guarantee = "quorum"|' \
        "$cluster/electd.conf"
    for id in "$@"; do
        exits 0 init "$id" || return
    done
}

init() {
    "$electd" --init-cluster -c "$cluster/electd.conf" -i "$1"
}

file() {
    echo "$state/loopback-$1.state"
}

# spoil ID OFFSET: flips bits of that byte.
spoil() {
    local byte

    byte=$(od -An -tu1 -j "$2" -N 1 "$(file "$1")") &&
        printf '%b' "\\x$(printf %x $((byte ^ 0x41)))" |
        dd of="$(file "$1")" bs=1 seek="$2" conv=notrunc status=none
}

# state_is ID WORD: fails unless its status says so, and that it has a vote if
# and only if the state is sound.
state_is() {
    local vote=false

    [ "$2" != sound ] || vote=true
    has "state file of $1" "\"state_file\":\"$2\",\"has_vote\":$vote" \
        "$(ask "$1" -o json status)"
}

# comes_to WHAT PATTERN COMMAND...: waits until the command's output matches.
comes_to() {
    local until=$((SECONDS + seconds_max)) what=$1 pattern=$2 in_place=
    shift 2

    [ "$1" != ask ] || in_place="exec"
    until has "$what" "$pattern" "$("$@")" 2>/dev/null; do
        [ "$SECONDS" -lt "$until" ] || has "$what" "$pattern" "$("$@")" ||
            return
        pause
    done
}

state_becomes() {
    comes_to "state file of $1" "\"state_file\":\"$2\"" ask "$1" -o json status
}

# voteless ID: with 1 and 2 it is no majority, and its file stays as it is; with
# 4, too, there is a leader, which admits it: so its next start has a vote.
voteless() {
    local before

    before=$(sha256sum "$(file "$1")" 2>/dev/null)
    node_start 1 2 "$1" && watch_open 1 "$1" &&
        comes_to 'links of 1' 'peers_up=2' ask 1 -o kv status ||
        return
    exits 1 ask 1 -t 1s wait leader && exit_becomes 5 ask "$1" leader &&
        exit_becomes 5 ask "$1" -q is-leader && state_is "$1" lost &&
        is 'the file' "$before" "$(sha256sum "$(file "$1")" 2>/dev/null)" &&
        node_start 4 && watch_open 2 4 && agree 4 1 2 "$1" 4 || return
    exits 0 ask "$1" leader && is 'who leads' four "$said" &&
        state_becomes "$1" sound && state_is "$1" sound &&
        logged "$1" 'is sound: this node votes from now on' &&
        node_kill9 "$1" && node_start "$1" && state_is "$1" sound
}

an_operator_makes_it_once() {
    local before

    five_with_state && exits 0 init 1 &&
        has 'done' '^made .*/loopback-1.state: node one ' \
        "$said" && is 'size' 8192 "$(stat -c %s "$(file 1)")" || return
    before=$(sha256sum "$(file 1)")
    exits 0 init 1 && has 'why' 'exists already and is sound' "$said" &&
        is 'the file' "$before" "$(sha256sum "$(file 1)")" || return
    node_start 1 && exits 1 init 1 &&
        has 'why' 'another electd with this id runs on this host' "$said" &&
        state_is 1 sound && node_end 1 || return
    sed -i 's|guarantee = "quorum"|guarantee = "component"|' \
        "$cluster/electd.conf"
    exits 1 init 2 && has 'why' 'is not needed' "$said" && [ ! -e "$(file 2)" ]
}

without_one_a_node_waits_for_a_leader() {
    five_with_state 1 2 4 && voteless 3 &&
        logged 3 'loopback-3.state: .*: missing; it waits for a leader .*electd --init-cluster'
}

a_deleted_one_is_made_anew_by_a_leader_alone() {
    five_with_state 1 2 3 4 && rm "$(file 3)" && voteless 3
}

# lost_after PATTERN COMMAND...: damages the file of 3 by the command. No
# operator replaces it; the daemon must log that, and have no vote until a
# leader has admitted it.
lost_after() {
    local why=$1 before
    shift

    five_with_state 1 2 3 4 && "$@" || return
    before=$(sha256sum "$(file 3)")
    exits 1 init 3 && has 'why' "$why; left as it is" "$said" &&
        is 'the file' "$before" "$(sha256sum "$(file 3)")" && voteless 3 &&
        logged 3 "loopback-3.state: .*: $why; it waits for a leader"
}

truncate_to() {
    truncate -s "$1" "$(file 3)"
}

a_truncated_one_is_lost() {
    local size

    for size in 0 4096 8191 8193; do
        lost_after '(wrong size|not a state file of electd)' truncate_to "$size" ||
            return
    done
}

# spoil_both OFFSET OFFSET: damages a byte of each slot.
spoil_both() {
    spoil 3 "$1" && spoil 3 $((4096 + $2))
}

bits_flipped_in_both_slots_lose_it() {
    lost_after 'wrong checksum' spoil_both 20 100 &&
        lost_after 'wrong checksum' spoil_both 4095 40
}

# The other slot is good, and as new.
bits_flipped_in_one_slot_do_no_harm() {
    five_with_state 1 2 3 && spoil 3 100 && cluster_start 3 1 2 3 &&
        state_is 3 sound &&
        logged 3 'one of its two copies is damaged' && node_kill9 3 &&
        spoil 3 4200 && node_start 3 && state_is 3 sound || return
    # Each start repairs it.
    node_end 1 2 3 && : >"$cluster/3.log" && node_start 3 &&
        is 'warnings' '' "$(grep damaged "$cluster/3.log")"
}

copy_that_of_2() {
    cp "$(file 2)" "$(file 3)"
}

that_of_another_node_is_none() {
    lost_after 'of another node or cluster' copy_that_of_2
}

# The file was made and used under component, and so perhaps made anew.
that_of_component_has_no_vote() {
    five_with_state 1 2 4 || return
    sed 's|guarantee = "quorum"|guarantee = "component"|' \
        "$cluster/electd.conf" >"$cluster/component.conf"
    node_run 3 "$cluster/component.conf" && node_end 3 && voteless 3 &&
        logged 3 'made by a node without a vote'
}

# Others know of a later life, whose promises are not in the file.
an_old_copy_is_revoked() {
    five_with_state 1 2 3 4 && cluster_start 3 1 2 3 && settle 1 2 3 &&
        node_end 3 && cp "$(file 3)" "$cluster/old" && node_start 3 4 &&
        watch_open 3 4 && agree 4 1 2 3 4 && node_kill9 3 && node_start 3 &&
        watch_open 3 && agree 4 3 && node_kill9 3 || return
    cp "$cluster/old" "$(file 3)" && node_start 3 && watch_open 3 &&
        agree 4 3 &&
        comes_to 'log of 3' 'is sound: this node votes from now on' \
            cat "$cluster/3.log" &&
        logged 3 'is an old copy, perhaps from a backup' &&
        state_is 3 sound || return
    node_kill9 3 && node_start 3 && state_is 3 sound
}

# A disk with room for the states of four nodes, and all else that three keep.
small_disk() {
    mkdir "$state" && mount -t tmpfs -o size=72k none "$state"
}

fill_disk() {
    ! dd if=/dev/zero of="$state/full" bs=1k status=none 2>/dev/null &&
        is 'room' 0 "$(df --output=avail "$state" | tail -n 1 | tr -d ' ')"
}

on_a_full_disk_it_goes_on() {
    five_with_state && small_disk && exits 0 init 1 && exits 0 init 2 &&
        exits 0 init 3 && cluster_start 3 1 2 3 && fill_disk || return
    node_kill9 3 && node_start 3 && watch_open 3 && agree 3 1 2 3 &&
        state_is 1 sound && state_is 2 sound && state_is 3 sound &&
        exits 0 ask 3 -q is-leader && exits 1 init 4 &&
        has 'why' 'No space left' "$said" &&
        is 'left' '' "$(find "$state" -name '*-4.state*')" &&
        leaders_are_kept_later
}

# The disk has no room for the last leaders of 1 either, and then has.
leaders_are_kept_later() {
    local table

    log_comes_to 1 'cannot keep the last leaders in .*: No space left' &&
        table=$(ask 1 history --leaders) && rm "$state/full" && node_end 1 &&
        node_start 1 && watch_open 1 && agree 3 1 &&
        is 'the leaders' "$table" "$(ask 1 history --leaders)" &&
        is 'warnings' 1 "$(grep -c 'last leaders' "$cluster/1.log")"
}

# says_so COUNT ID...: each has warned so often of a disk that is full.
says_so() {
    local count=$1 id

    shift
    for id in "$@"; do
        is "warnings of $id" "$count" \
            "$(grep -c 'cannot keep the settings' "$cluster/$id.log")" || return
    done
}

# in_effect VERSION ID...: waits until that is so everywhere.
in_effect() {
    local config_version=$1 id

    shift
    for id in "$@"; do
        comes_to "settings of $id" $'\n'"config_version=$config_version"$'\n' \
            ask "$id" -o kv status || return
    done
}

# three_that_fill WHOSE: a cluster of three, led by 3, where 2 has a directory
# of its own; the disk of that is full (-2), or that of the others ('').
three_that_fill() {
    five_with_state && small_disk && mkdir "$state-2" &&
        mount -t tmpfs -o size=24k none "$state-2" &&
        sed "s|^state_dir.*|state_dir = \"$state-2\";|" \
            "$cluster/electd.conf" >"$cluster/2.conf" &&
        exits 0 "$electd" --init-cluster -c "$cluster/2.conf" -i 2 &&
        exits 0 init 1 && exits 0 init 3 && node_start 1 3 &&
        node_run 2 "$cluster/2.conf" && watch_open 1 2 3 &&
        agree 3 1 2 3 && stamped 1 2 3 && state=$state$1 fill_disk
}

stamped() {
    local id

    for id in "$@"; do
        comes_to "config term at $id" 'config_term=[1-9]' ask "$id" -o kv status || return
    done
}

# later: the next config version, which 3 reads.
later() {
    setting 'config_version = 1;' && sed -i 's|misses = 3|misses = 4|' \
        "$cluster/electd.conf" && kill -HUP "${daemon_pid[3]}"
}

leader_whose_disk_is_full_tries_again_quietly() {
    three_that_fill '' && later &&
        comes_to 'status of 3' 'three \(its disk is full' ask 3 status &&
        exits 1 ask 1 -t 5s wait no-leader && in_effect 0 1 2 3 &&
        says_so 1 3 && rm "$state/full" && in_effect 1 1 2 3 &&
        says_so 1 3 && says_so 0 2 &&
        logged 3 'cannot keep the settings of config version 1 in .*' &&
        logged 3 'has the settings of config version 1 now: the disk works again'
}

follower_whose_disk_is_full_tries_again_quietly() {
    three_that_fill -2 && later && in_effect 1 1 3 &&
        comes_to 'status of 2' 'two \(its disk is full' ask 2 status &&
        ! [[ $(ask 2 -o kv status) =~ _why=behind ]] &&
        exits 1 ask 1 -t 5s wait no-leader && in_effect 0 2 &&
        logged 2 'cannot keep the settings of config version 1 in .*' &&
        rm "$state-2/full" && in_effect 1 2 && says_so 1 2 && says_so 0 1 3
}

# The daemon cannot write, nor keep its incarnation: it only follows.
on_a_disk_to_read_only_it_has_no_vote() {
    five_with_state && small_disk && exits 0 init 1 && exits 0 init 2 &&
        exits 0 init 3 && exits 0 init 4 &&
        mount -o remount,bind,ro "$state" && node_start 3 && state_is 3 failed &&
        logged 3 'cannot be written: .*neither votes.*: Read-only' || return
    node_end 3 && mount -o remount,bind,rw "$state" && node_start 3 &&
        state_is 3 sound
}

# To a process that writes, a limit on files is an error of the disk. It is
# large enough for the log.
a_write_that_fails_costs_the_vote() {
    five_with_state 1 2 3 4 && cluster_start 4 1 2 3 4 && settle 1 2 3 4 &&
        prlimit --pid "${daemon_pid[3]}" --fsize=4096: && node_kill9 4 || return
    # No two can elect, and 3 cannot promise.
    state_becomes 3 failed && logged 3 'cannot write votes to .*/loopback-3.state: File too large; .*: repair' &&
        logged 3 'could not be written: this node neither votes .*; repair the disk' &&
        comes_to 'state of 1' 'state=no-quorum' ask 1 -o kv status || return
    # It does not even try again: an earlier write may have been torn.
    prlimit --pid "${daemon_pid[3]}" --fsize=unlimited: &&
        exits 1 ask 1 -t 1s wait leader && state_is 3 failed &&
        node_kill9 3 && node_start 3 && watch_open 3 && agree 3 1 2 3 &&
        state_is 3 sound
}

# gone_by WORDS COMMAND...: harms the state of 3; the daemon must name that, and
# lose its vote.
gone_by() {
    local words=$1
    shift

    five_with_state 1 2 4 || return
    sed "s|^state_dir.*|state_dir = \"$state-3\";|" "$cluster/electd.conf" \
        >"$cluster/3.conf"
    exits 0 "$electd" --init-cluster -c "$cluster/3.conf" -i 3 &&
        node_start 1 2 4 && node_run 3 "$cluster/3.conf" &&
        watch_open 1 2 3 4 && agree 4 1 2 3 4 && settle 1 2 3 4 &&
        "$@" && node_kill9 4 && state_becomes 3 failed &&
        logged 3 "loopback-3.state: $words; .* the state file is gone; see" &&
        logged 3 'could not be written: .*; repair the disk and restart electd'
}

# remove [NAME]: removes a name from 3's directory, or all of it.
remove() {
    rm -r "$state-3${1+/$1}"
}

a_removed_file_is_distinguished_from_a_bad_disk() {
    gone_by 'its directory was removed' remove &&
        gone_by 'it was removed' remove loopback-3.state
}

owner() {
    stat -c %u:%a "$1"
}

# place TEXT: --init-cluster of 1 makes its state directory by this setting.
place() {
    sed -i "s|^state_dir.*|state_dir = \"$1\";|" "$cluster/electd.conf"
    exits 0 init 1
}

files_that_root_makes_are_for_the_user_of_electd() {
    five_with_state && chmod 755 "$cluster" && mkdir "$cluster/theirs" &&
        chown 65534:65534 "$cluster/theirs" || return
    place "$cluster/a" && is 'a' 0:700 "$(owner "$cluster/a")" &&
        has 'what to do' "if electd .*: chown -R electd: $cluster/a\$" "$said" ||
        return
    place "$cluster/theirs/b" &&
        is 'b' 65534:700 "$(owner "$cluster/theirs/b")" &&
        is 'its state' 65534:600 \
            "$(owner "$cluster/theirs/b/loopback-1.state")" &&
        is 'lines' 1 "$(wc -l <<<"$said")" || return
    chown 65534 "$cluster/key" && place "$cluster/c" &&
        is 'c' 65534:700 "$(owner "$cluster/c")" &&
        is 'its state' 65534:600 "$(owner "$cluster/c/loopback-1.state")" &&
        is 'lines' 1 "$(wc -l <<<"$said")" || return
    # It leaves an existing one as it is, and reports what does not fit.
    mkdir -m 700 "$cluster/d" && place "$cluster/d" &&
        is 'd' 0:700 "$(owner "$cluster/d")" &&
        has 'what to do' "belongs to root, .*: chown -R [^ ]+ $cluster/d\$" \
            "$said"
}

# electd looks at the key before root becomes a user that may not see it.
a_key_that_only_root_can_see_is_looked_at() {
    five_with_state && chmod 755 "$cluster" &&
        mkdir -m 700 "$cluster/secret" && mkdir "$cluster/theirs" &&
        mv "$cluster/key" "$cluster/secret" &&
        chown 1 "$cluster/secret/key" && chown 65534 "$cluster/theirs" ||
        return
    sed -i "s|\"$cluster/key\"|\"$cluster/secret/key\"|" \
        "$cluster/electd.conf"
    place "$cluster/theirs/f" &&
        is 'f' 65534:700 "$(owner "$cluster/theirs/f")" &&
        has 'what to do' \
            "but key_file to .*: chown -R [^ ]+ $cluster/theirs/f\$" "$said"
}

root_makes_none_where_others_write() {
    five_with_state && mkdir -m 775 "$cluster/open" &&
        sed -i "s|^state_dir.*|state_dir = \"$cluster/open/g\";|" \
            "$cluster/electd.conf" &&
        exits 1 init 1 && is 'lines' 1 "$(wc -l <<<"$said")" &&
        has 'why' 'open/g: others may write to the directory above, ' "$said" &&
        [ ! -e "$cluster/open/g" ]
}

a_link_to_nothing_is_named() {
    five_with_state && ln -s nothing "$state" && exits 1 init 1 &&
        has 'why' 'state: it is a symbolic link to nothing; ' "$said" &&
        exits 1 "$electd" -c "$cluster/electd.conf" -i 1 &&
        has 'why' 'state: cannot .*: it is a symbolic link to nothing; ' "$said"
}

a_directory_of_others_is_named() {
    five_with_state && chmod 755 "$cluster" && mkdir -m 700 "$cluster/e" &&
        sed -i "s|^state_dir.*|state_dir = \"$cluster/e\";|" \
            "$cluster/electd.conf" &&
        exits 1 as_nobody "$electd" --init-cluster -c "$cluster/electd.conf" \
            -i 1 &&
        has 'why' "Permission denied; .*: chown -R [^ ]+ $cluster/e\$" "$said"
}

a_directory_open_to_others_is_named() {
    five_with_state && mkdir "$state" && chmod 777 "$state" &&
        exits 0 init 1 &&
        has 'why' 'anyone may write to it .*: chmod go-w ' "$said" &&
        chmod 770 "$state" && node_start 1 && state_is 1 sound &&
        logged 1 'its group may write to it .*: chmod go-w ' && node_end 1 &&
        chmod 700 "$state" && : >"$cluster/1.log" && node_start 1 &&
        is 'warnings' '' "$(grep chmod "$cluster/1.log")"
}

# Its manager would kill a leader that waits for a deadline it handed out.
waiting_for_a_deadline_asks_for_the_time() {
    five_with_state 1 2 3 || return
    # Like a daemon, it ends with the script, however that ends.
    socat -u "UNIX-RECV:$cluster/notify" "CREATE:$cluster/told" &
    daemon_pid[manager]=$!
    comes_to 'the manager' notify ls "$cluster" && node_start 1 2 &&
        WRAP="env NOTIFY_SOCKET=$cluster/notify $WRAP" node_start 3 &&
        watch_open 1 2 3 && agree 3 1 2 3 && exits 0 ask 3 is-leader --deadline &&
        node_end 3 &&
        logged 3 'a client may rely on this leader .*; send the signal again' &&
        comes_to 'word' 'STOPPING=1.*EXTEND_TIMEOUT_USEC=1200000' \
            cat "$cluster/told"
}

a_second_signal_ends_at_once() {
    five_with_state 1 2 3 4 && cluster_start 4 1 2 3 4 &&
        ask 4 is-leader --deadline >/dev/null &&
        kill "${daemon_pid[4]}" &&
        comes_to 'log of 4' 'a client may rely' cat "$cluster/4.log" &&
        node_end 4 &&
        logged 4 'at once on a second signal' && agree 3 1 2 3
}

# In the first slot, after magic, version, id, sequence, name, incarnation.
kept_term() {
    od -An -tu8 --endian=big -j 96 -N 8 "$(file "$1")"
}

term_of() {
    kv "$1" term leader
}

under_component_the_term_outlives_all_nodes() {
    local term i

    fresh && state=$cluster/state && cluster_start 3 1 2 3 &&
        settle 1 2 3 || return
    for i in 1 2 3 4 5; do
        exits 0 ask 3 elect && term=${said##* } &&
            read_until 1 "\"event\":\"leader\",\"term\":$term," || return
    done
    # Nothing waits for the disk here: a term is on it soon after its event.
    for i in 1 2 3; do
        comes_to "term on the disk of $i" "^ *$term\$" kept_term "$i" || return
    done
    node_kill9 1 && node_kill9 2 && node_kill9 3 &&
        cluster_start 3 1 2 3 || return
    [ "$(term_of 1)" -gt "$term" ] ||
        complain "term $(term_of 1) after $term" || return
    node_end 1 2 3
}

under_component_a_damaged_one_is_made_anew() {
    fresh && state=$cluster/state && node_start 1 && node_end 1 &&
        spoil 1 50 && spoil 1 5000 && node_start 1 &&
        logged 1 'loopback-1.state: wrong checksum; creating a new one' &&
        is 'incarnation' 1 "$(kv 1 node_incarnation status)" && node_end 1 && node_start 1 &&
        is 'incarnation' 2 "$(kv 1 node_incarnation status)"
}

# They run on: under component a term may come twice.
under_component_nodes_run_on_without_theirs() {
    fresh && state=$cluster/state && cluster_start 3 1 2 3 &&
        settle 1 2 3 && rm "$(file 3)" && cp "$(file 2)" "$state/copy" &&
        mv "$state/copy" "$(file 2)" && exits 0 ask 3 elect || return
    comes_to 'log of 3' 'cannot write the term to .*: it was removed;' \
        cat "$cluster/3.log" &&
        comes_to 'log of 2' 'another file has taken its place;' \
            cat "$cluster/2.log" && exits 0 ask 3 elect && settle 1 2 3 &&
        node_end 1 2 3
}

live_kill() {
    local id

    for id in "${!daemon_pid[@]}"; do
        node_kill9 "$id"
    done
}

# with_tmpfs NAME: runs the case if this script can mount a tmpfs.
with_tmpfs() {
    if [ "$ELECTD_UNSHARED" = yes ]; then
        check "$1"
        live_kill
        umount "$state" "$state-2" 2>/dev/null
    else
        echo "skip ${1//_/ }: no mount namespace to be had"
    fi
}

check an_operator_makes_it_once
check without_one_a_node_waits_for_a_leader
check a_deleted_one_is_made_anew_by_a_leader_alone
check a_truncated_one_is_lost
check bits_flipped_in_both_slots_lose_it
check bits_flipped_in_one_slot_do_no_harm
check that_of_another_node_is_none
check that_of_component_has_no_vote
check an_old_copy_is_revoked
with_tmpfs on_a_full_disk_it_goes_on
with_tmpfs leader_whose_disk_is_full_tries_again_quietly
with_tmpfs follower_whose_disk_is_full_tries_again_quietly
with_tmpfs on_a_disk_to_read_only_it_has_no_vote
check a_write_that_fails_costs_the_vote
check a_removed_file_is_distinguished_from_a_bad_disk
as_root files_that_root_makes_are_for_the_user_of_electd
as_root a_key_that_only_root_can_see_is_looked_at
as_root root_makes_none_where_others_write
as_root a_directory_of_others_is_named
check a_link_to_nothing_is_named
check a_directory_open_to_others_is_named
if command -v socat >/dev/null; then
    check waiting_for_a_deadline_asks_for_the_time
else
    echo 'skip who waits for a deadline asks for the time: no socat'
fi
check a_second_signal_ends_at_once
check under_component_the_term_outlives_all_nodes
check under_component_nodes_run_on_without_theirs
check under_component_a_damaged_one_is_made_anew
check_end
