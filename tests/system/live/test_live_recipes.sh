#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Runs each recipe of electd-operating(7) under the guarantee "component", and
# checks what has become of the cluster: test_live_recipes_quorum.sh does so
# under "quorum". The commands are those of the page: a recipe is a subsection
# (.Ss) with a display in which a line begins with the name of a host as its
# prompt.
#
#   web1# COMMAND       runs on this host; a backslash at its end continues it
#   # COMMAND           runs on every host of the cluster, one after the other
#   text below vi       indented: what the file says then, setting by setting
#   text below others   what they print. A command that only asks is repeated
#                       until it does.
#   # quorum only       behind a command: not under component; also the reverse
#
# Each host has a mount namespace with its own /etc, /run and /var/lib, where
# the real electd and electctl find their files (recipe_host.sh). Else there are
# only the programs of `real`, and these stand-ins:
#
#   192.0.2.            the addresses of $LOOPBACK.7. As all hosts have all of
#                       them, electd is told its id: that of its address, where
#                       webN has those that end in 1N and 2N
#   systemctl           start, stop, restart, enable and disable of electd: a
#                       child of the host, which has started when it answers
#   ssh, scp            another host, and files to its directories
#   systemd-tmpfiles    the mode of the keys, out of electd.tmpfiles
#   make                `make install` into a directory of the host
#   vi                  writes what the page shows
#
# Any other command fails, as does one that exits with another status than 0,
# anywhere in a loop; a recipe of the page that is not run here; and one that is
# run here and not there.
# Takes 24 s.
# shellcheck disable=SC2154,SC2317 # of live.sh; cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_release.sh
. tests/system/live/live_release.sh

: "${guarantee:=component}"
page=daemon/man/electd-operating.7
real=() # the programs that recipes may run
for program in chown cp grep mv rm; do
    real+=("$(command -v "$program")")
done
declare -A host_pid=()
export BUILD LOOPBACK WRAP tree=$PWD seconds_max hosts
unshare='unshare -m'
[ "$(id -u)" = 0 ] || unshare='unshare -Urm'
$unshare mount --bind /etc /etc 2>/dev/null ||
    { echo 'skip: no mount namespaces'; exit 77; }

## The page

# displays: its displays as text, each line after the title of its section,
# that of its subsection, and tabs.
displays() {
    awk '/^\.Sh / { section = substr($0, 5); title = "" }
        /^\.Ss / { title = substr($0, 5) }
        /^\.Bd/ { on = 1; next } /^\.Ed/ { on = 0 }
        /^\.Dl / { sub(/^\.Dl /, ""); line = 1 }
        line || on && !/^\./ { line = 0
            gsub(/\\e/, "\\"); gsub(/\\-/, "-"); gsub(/\\&/, "")
            printf "%s\t%s\t%s\n", section, title, $0 }' "$page"
}

# recipes: the titles of all.
recipes() {
    displays | awk -F '\t' '$2 && $3 ~ /^web[0-9]+# / { print $2 }' | uniq
}

# recipe_read TITLE: its commands: where each runs, what, and the text below.
recipe_read() {
    local line is_open=

    where=() what=() below=()
    while IFS= read -r line; do
        line=${line//192.0.2./$LOOPBACK.7.}
        if [ -n "$is_open" ]; then
            what[-1]+=$line
        elif [[ $line =~ ^(web[0-9])?#\ (.*) ]]; then
            where+=("${BASH_REMATCH[1]}")
            what+=("${BASH_REMATCH[2]}")
            below+=('')
        else
            [ "${#below[@]}" -gt 0 ] ||
                complain "$1: text before the first command" || return
            below[-1]+=$line$'\n'
        fi
        is_open=
        [[ $line != *\\ ]] || is_open=yes what[-1]=${what[-1]%\\}
    done < <(displays | awk -F '\t' -v title="$1" '$2 == title' | cut -f 3-)
}

## Hosts

# on HOST COMMAND: as in recipe_host.sh.
on() {
    local told status

    echo "$2" >"$hosts/$1/in"
    told=$(<"$hosts/$1/out")
    [ -z "$told" ] || printf '%s\n' "$told"
    read -r status <"$hosts/$1/status"
    return "$status"
}

# ask ID WORD...: electctl at host webID.
ask() {
    ${in_place-} "$electctl" -s "$hosts/web$1/run/electd/web.sock" \
        -t "${seconds_max}s" "${@:2}"
}

# host_make ROOT: what each host has at first.
host_make() {
    mkdir -p "$1"/{etc,run,var/lib}/electd "$1"/usr/{bin,sbin} "$1/root" &&
        chmod 700 "$1/var/lib/electd" &&
        cp -a /etc/{passwd,group,nsswitch.conf,alternatives} "$1/etc" &&
        echo "electd:x:0:0::/:/bin/false" >>"$1/etc/passwd" &&
        echo "electd:x:0:" >>"$1/etc/group" &&
        ln -s "$electd" "$1/usr/sbin" && ln -s "$electctl" "$1/usr/bin" &&
        mkfifo "$1/in" "$1/out"
}

# host_start N: as a copy of $hosts/host.
host_start() {
    local root=$hosts/web$1 deathsig=

    [[ $WRAP != *--pdeathsig* ]] || deathsig='setpriv --pdeathsig KILL'
    cp -a "$hosts/host" "$root" || return
    # shellcheck disable=SC2086 # commands in words
    $deathsig $unshare bash tests/system/live/recipe_host.sh "web$1" \
        </dev/null >>"$root.log" 2>&1 &
    host_pid[$1]=$!
}

# The daemons die with their hosts.
live_end() {
    local id

    for id in "${!host_pid[@]}"; do
        kill -KILL "${host_pid[$id]}"
        wait "${host_pid[$id]}"
        unset "host_pid[$id]"
    done 2>/dev/null
    cluster_end
}

# begin N [SPARE...]: hosts web1 to webN with the cluster of INSTALLING, and
# those of these numbers without one.
begin() {
    local id file ids=()

    live_end
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || return
    for ((id = 1; id <= $1; id++)); do
        ids+=("$id")
    done
    printf -v cluster_hosts 'web%s ' "${ids[@]}"
    hosts=$cluster file=$cluster/host/etc/electd/electd.conf
    mkdir "$hosts/bin" && ln -s "${real[@]}" "$hosts/bin" &&
        host_make "$hosts/host" || return
    for id in "${@:2}"; do
        host_start "$id" || return
    done
    {
        echo 'cluster = "web";'
        echo "guarantee = \"$guarantee\";"
        echo 'config_version = 1;'
        echo 'nodes = ('
        for ((id = 1; id <= $1; id++)); do
            echo "  { id = $id; name = \"web$id\";" \
                "address = \"$LOOPBACK.7.1$id:7420\"; }${ids[id]+,}"
        done
        echo ');'
    } >"$file"
    (umask 077 && exec "$electctl" keygen >"$cluster/key") &&
        cp -p "$cluster/key" "${file%/*}/web.key" || return
    for id in "${ids[@]}"; do
        host_start "$id" || return
        [ "$guarantee" = component ] ||
            exits 0 on "web$id" \
                'electd --init-cluster || electd --init-state' || return
        exits 0 on "web$id" 'systemctl start electd' || return
    done
    ask 1 -q wait leader && settled 1 "$1" "${ids[@]}" && keep
}

# field ID KEY: of `status`, as electctl -o kv names it.
field() {
    kv "$1" "$2" status
}

# settled VERSION LEADER ID...: waits until these are the members, all of them
# say so in the same words, and each has the file of this config version.
settled() {
    local until=$((SECONDS + seconds_max)) id i key first got shared wanted all
    local heard value members=" ${*:3} "

    all=" verdict=ok config_version=$1 file_config_version=$1 leader_id=$2"
    shift 2
    all+=" nodes=$# peers_up=$(($# - 1)) peers_count=$(($# - 1)) peers"
    while :; do
        first=
        for id in "$@"; do
            hear "$id" status
            got=
            for key in verdict config_version file_config_version leader_id nodes \
                peers_up peers_count; do
                pick "$key"
                got+=" $key=$value"
            done
            got+=' peers '
            for ((i = 0; i < $#; i++)); do
                pick "peers_${i}_id"
                got+=${value:+$value }
            done
            wanted=$all${members/ $id / }
            pick term
            shared="term=$value"
            pick config_term
            shared+=" config_term=$value $(asked "$id" config 2>/dev/null)"
            : "${first:=$shared}"
            [[ $got == "$wanted" && $shared == "$first" ]] || break
        done
        [[ $got != "$wanted" || $shared != "$first" ]] || return 0
        [ "$SECONDS" -lt "$until" ] || complain \
            "web$id: wanted$wanted, got$got; $shared" || return
        pause
    done
}

# keep: notes what a recipe begins with.
keep() {
    term_before=$(field 1 term) changes_before=$(count 1 changes)
    config_before=$(ask 1 config 2>/dev/null)
    true
}

# leaders_since N: how often web1 has had another one.
leaders_since() {
    is 'changes of leader' "$1" "$(($(count 1 changes) - changes_before))" &&
        { [ "$1" != 0 ] || is 'term' "$term_before" "$(field 1 term)"; }
}

# stopped N: fails unless webN has no daemon.
stopped() {
    [ ! -e "$hosts/web$1/pid" ] || complain "web$1 runs electd"
}

## Recipes

# Whether a command only asks.
asks() {
    [[ $1 =~ electctl\ (-o\ kv\ )?(status|key|config) &&
        ! $1 =~ reload|systemctl|scp|vi|'>' ]]
}

# printed TEXT: whether `said` is this, whatever its layout.
printed() {
    local wanted=${1%$'\n'} got=$said

    while [[ $wanted$got == *'  '* ]]; do
        wanted=${wanted//  / } got=${got//  / }
    done
    [ "$wanted" = "$got" ]
}

# step HOST COMMAND TEXT: one command of a recipe.
step() {
    local until=$((SECONDS + seconds_max)) status
    local command=${2%%  #*} text=$3

    [[ $2 != *"  # "*" only" || $2 == *"  # $guarantee only" ]] || return 0
    if [[ $command == vi\ * ]]; then
        ! grep -v '^    ' <<<"${text%$'\n'}" >&2 ||
            complain "$1# $command: no text, or it is not indented" || return
        cut -c 5- <<<"${text%$'\n'}" >"$hosts/$1/text"
        text=
    fi
    while :; do
        said=$(on "$1" "$command")
        status=$?
        if [ $status -eq 0 ] && { [ -z "$text" ] || printed "$text"; }; then
            return
        fi
        if ! asks "$command" || [ -z "$text" ] ||
            [ "$SECONDS" -ge "$until" ]; then
            complain "$1# $command: exit status $status, and it prints: $said"
            return 1
        fi
        pause
    done
}

# follow TITLE: the whole recipe.
follow() {
    local where what below i host

    recipe_read "$1" || return
    for i in "${!what[@]}"; do
        for host in ${where[i]:-$cluster_hosts}; do
            step "$host" "${what[i]}" "${below[i]}" || return
        done
    done
}

# Each recipe has a case of its title here, with underscores.

Add_a_host() {
    begin 3 4 && follow 'Add a host' && settled 2 4 1 2 3 4 && leaders_since 1
}

Remove_a_host() {
    begin 4 && follow 'Remove a host' && stopped 4 && settled 2 3 1 2 3 &&
        leaders_since 1
}

# Nobody says goodbye. The others have a leader for longer than a lease.
Replace_a_dead_host() {
    begin 3 && on web2 lose_all &&
        exits 1 ask 1 -q -t 2500ms wait no-leader &&
        follow 'Replace a dead host' && settled 2 3 1 2 3 && leaders_since 0 &&
        has 'address' "$LOOPBACK.7.22:7420" "$(ask 3 members)" && votes 2
}

# votes N: fails unless webN votes, where there are votes.
votes() {
    [ "$guarantee" = component ] || is "vote of web$1" true \
        "$(field "$1" node_has_vote)"
}

Change_the_address_of_a_host() {
    begin 3 && follow 'Change the address of a host' && settled 2 3 1 2 3 &&
        leaders_since 0 &&
        has 'address' "$LOOPBACK.7.22:7420" "$(ask 3 members)"
}

Change_a_setting() {
    begin 3 && follow 'Change a setting' && settled 2 3 1 2 3 &&
        leaders_since 0 && has 'setting' 'heartbeat = "200ms"' "$(ask 3 config)"
}

Undo_a_change() {
    begin 3 && follow 'Change a setting' && follow 'Undo a change' &&
        settled 3 3 1 2 3 && leaders_since 0 &&
        is 'settings' "${config_before/config_version = 1;/config_version = 3;}" \
            "$(ask 3 config)"
}

Choose_which_host_leads() {
    begin 3 && follow 'Choose which host leads' && settled 2 1 1 2 3 &&
        leaders_since 1
}

Change_the_algorithm() {
    begin 3 && follow 'Change the algorithm' && settled 2 3 1 2 3 &&
        leaders_since 0 && is 'algorithm' hirschberg-sinclair \
        "$(field 3 algorithm)"
}

Add_a_host_without_a_file() {
    begin 3 4 && follow 'Add a host without a file' && settled 2 4 1 2 3 4 &&
        leaders_since 1
}

Remove_a_host_without_a_file() {
    begin 4 && follow 'Remove a host without a file' && stopped 4 &&
        settled 2 3 1 2 3 && leaders_since 1
}

# Its host was the leader's: another leads meanwhile.
Move_a_node_to_another_host_without_a_file() {
    begin 4 5 && follow 'Move a node to another host without a file' &&
        stopped 4 && is_at 4 5 && settled 2 4 1 2 3 4 && leaders_since 2 &&
        has 'address' "$LOOPBACK.7.15:7420" "$(ask 3 members)" && votes 4
}

# is_at NODE N: from now on this node is asked at webN.
is_at() {
    rm -r "$hosts/web$1/run" && ln -s "../web$2/run" "$hosts/web$1/run"
}

# Once in 256 times electd refuses the new key, and the operator begins again.
# The recipes that copy the key to a new host find it afterwards.
Change_the_key() {
    until begin 3 4 && follow 'Change the key'; do
        [[ $said == *'the same short id'* ]] || return
    done
    settled 1 3 1 2 3 && leaders_since 0 &&
        have_new_key "$hosts/web1/etc/electd/web.key" &&
        follow 'Add a host' && settled 2 4 1 2 3 4
}

A_key_was_lost_or_leaked() {
    begin 3 && follow 'A key was lost or leaked' && settled 1 3 1 2 3 &&
        have_new_key "$hosts/web1/etc/electd/web.key"
}

# have_new_key FILE: fails unless all hosts have this key alone, a new one.
have_new_key() {
    local id sum

    sum=$(sha256sum <"$1") || return
    ! cmp -s "$1" "$cluster/key" || complain 'the key is the old one' || return
    for id in 1 2 3; do
        is "the keys of web$id" "${sum%% *}" \
            "$(ask "$id" -o kv key | sed -n 's/^keys_[0-9]*_sha256=//p')" ||
            return
    done
}

# Web3 leads before and after, not meanwhile.
Work_on_one_host() {
    begin 3 && follow 'Work on one host' && settled 1 3 1 2 3 &&
        leaders_since 2
}

# rolled: the leader handed over once at most, and took over again. Where disks
# are slow it gives up, and wins a later term.
rolled() {
    local terms

    settled 1 3 1 2 3 && terms=$(sed -n -E \
        's/.* (web[0-9]+) leads (again )?in term ([0-9]+) .*/\1 \3/p' \
        "$hosts"/web[123].log | sort -u |
        awk -v before="$term_before" '$2 >= before' | wc -l) &&
        { [ "$terms" -le 3 ] || complain "$terms terms had a leader"; } &&
        [ "$(field 1 term)" -gt "$term_before" ]
}

pids() {
    cat "$hosts"/web[123]/pid
}

Restart_host_by_host() {
    local before

    begin 3 && before=$(pids) && follow 'Restart host by host' && rolled &&
        ! grep -xF "$before" <(pids)
}

# runs PROGRAM: fails unless each host runs it, wherever it is installed.
runs() {
    local pid

    for pid in $(pids); do
        cmp "$1" "/proc/$pid/exe" || complain "$pid runs another program" ||
            return
    done
}

Upgrade_host_by_host() {
    local present=$electd electd=$last why

    ! why=$(release_missing) || complain "$why" || return
    build_release || complain "$(tail -n 20 "$release/log")" || return
    begin 3 && runs "$last" && follow 'Upgrade host by host' && rolled &&
        runs "$present"
}

# A display elsewhere in these sections would be a recipe that nobody runs.
no_other_command_of_these_sections_is_left_out() {
    is 'commands' '' "$(awk -F '\t' 'NR == FNR { known[$0]; next }
        $1 ~ /^(CHANGING A CLUSTER|KEYS|UPGRADING)$/ && !($2 in known) &&
        $3 ~ /^(web[0-9]+)?[#$] / { print $1 ": " $3 }' \
        <(recipes) <(displays))"
}

# No case has lost its recipe, and no recipe has no case.
each_case_has_its_recipe() {
    is 'recipes' "$(compgen -A function | grep '^[A-Z]')" \
        "$(recipes | tr ' ' _ | LC_ALL=C sort)"
}

check each_case_has_its_recipe
check no_other_command_of_these_sections_is_left_out
while read -r title <&3; do
    check "${title// /_}"
done 3< <(recipes)
check_end
