#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The recipes of electd-recipes(7) on three hosts with systemd, with Debian's cron.
# What the page shows is done as it stands there, and then things are killed.
#
#   # /FILE          a display that begins so is the rest of this file on all hosts
#   web1# COMMAND    runs on this host; a backslash at its end continues it
#   # COMMAND        runs on all hosts, one after the other
#   text below       what it prints; below vi what the file says from now on
#
# The addresses 192.0.2.N are 198.18.0.N here. vi alone has a stand-in.
#
# usage: recipes.sh [CASE...], as root, after tree.sh BUILD/recipes/debian/tree and
# the packages that the Makefile gives it.
# shellcheck disable=SC2015,SC2016,SC2034,SC2154,SC2317 # live.sh; cases by name
set -u

hosts=3
# shellcheck source=tests/lan/hosts.sh
. "$(dirname "$0")/../lan/hosts.sh"
# shellcheck source=tests/live/live_run.sh
. tests/live/live_run.sh
# shellcheck source=tests/rollout/machines.sh
. tests/rollout/machines.sh

tree=$BUILD/recipes/debian/tree
machines=$BUILD/recipes/machines
record=$BUILD/recipes/record
source_tree=$PWD
seconds_max=120
[ -d "$tree" ] || { echo "skip: no $tree"; exit 77; }
mkdir -p "$record" &&
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit

# In place of live.sh's.
live_end() {
    machines_abandon
    cluster_end
} 2>/dev/null

## The page

# displays PAGE SECTION: its displays as text, each line after the number of the
# display and a tab.
displays() {
    awk -v section="$2" '/^\.Sh / { on = substr($0, 5) == section }
        /^\.Bd/ { n++; text = 1; next } /^\.Ed/ { text = 0 }
        on && text { gsub(/\\e/, "\\"); gsub(/\\-/, "-"); gsub(/\\&/, "")
            gsub(/192\.0\.2\./, "198.18.0."); print n "\t" $0 }' \
        "$source_tree/daemon/man/$1"
}

# root N: the root directory of machine N.
root() {
    echo "$machines/$1/root"
}

# write_file FILE TEXT: on all hosts.
write_file() {
    local n

    for n in 1 2 3; do
        printf '%s' "$2" >"$(root "$n")$1" || return
    done
}

# edit N FILE TEXT: puts the settings of this text in place of the present ones.
edit() {
    local file

    file=$(root "$1")$2
    awk -f tests/live/edit.awk <(printf '%s' "$3") "$file" \
        >"$cluster/edited" && cp "$cluster/edited" "$file"
}

# step HOST COMMAND TEXT: one command. If it prints something else, it is repeated
# for as long as a busy host may take.
step() {
    local until=$((SECONDS + seconds_max)) said status

    if [[ $2 == vi\ * ]]; then
        edit "$1" "${2#vi }" "$(cut -c 5- <<<"$3")"
        return
    fi
    while :; do
        said=$(on "$1" bash -c "$2" 2>&1 </dev/null)
        status=$?
        if [ -z "$3" ]; then
            [ $status -eq 0 ] ||
                complain "web$1# $2: exit status $status: $said"
            return
        fi
        [ "$said" != "${3%$'\n'}" ] || return 0
        [ "$SECONDS" -lt "$until" ] ||
            complain "web$1# $2: it prints: $said" || return
        pause
    done
}

# perform: the commands in where, what and below.
perform() {
    local i n

    for i in "${!what[@]}"; do
        for n in ${where[i]:-1 2 3}; do
            step "$n" "${what[i]%%  #*}" "${below[i]}" || return
        done
    done
    where=() what=() below=()
}

# follow PAGE SECTION: does all that it shows.
follow() {
    local number line last='' file='' text='' is_open='' is_shown=''
    local -a where=() what=() below=()

    while IFS=$'\t' read -r number line; do
        if [ "$number" != "$last" ]; then
            [ -z "$file" ] || write_file "$file" "$text" || return
            file='' text='' is_shown='' last=$number
            if [[ $line =~ ^#\ (/[^\ ]+)$ ]]; then
                perform || return
                file=${BASH_REMATCH[1]}
                continue
            fi
        fi
        if [ -n "$file" ]; then
            text+=$line$'\n'
        elif [ -n "$is_open" ]; then
            what[-1]+=$'\n'$line
        elif [[ $line =~ ^(web([0-9]))?#\ (.*) ]]; then
            where+=("${BASH_REMATCH[2]}")
            what+=("${BASH_REMATCH[3]}")
            below+=('') is_shown=yes
        elif [ -n "$is_shown" ]; then
            below[-1]+=$line$'\n'
        fi
        [ -n "$file" ] || { is_open='' && [[ $line != *\\ ]] || is_open=yes; }
    done < <(displays "$1" "$2")
    [ -z "$file" ] || write_file "$file" "$text" || return
    perform
}

## Hosts

hosts_start() {
    local n

    machines_boot 1 2 3 && ssh-keygen -q -t ed25519 -N '' -f "$cluster/ssh" ||
        return
    for n in 1 2 3; do
        ip -n "h$n" address add "198.18.0.1$n/24" dev eth0 &&
            echo "web$n" >"$(root "$n")/etc/hostname" &&
            on "$n" hostname "web$n" &&
            printf '%s\n' '127.0.0.1 localhost' '198.18.0.11 web1' \
                '198.18.0.12 web2' '198.18.0.13 web3' \
                >"$(root "$n")/etc/hosts" &&
            install -D -m 600 "$cluster/ssh" "$(root "$n")/root/.ssh/id" &&
            install -D -m 600 "$cluster/ssh.pub" \
                "$(root "$n")/root/.ssh/authorized_keys" &&
            printf '%s\n' 'IdentityFile ~/.ssh/id' 'LogLevel ERROR' \
                'StrictHostKeyChecking no' >"$(root "$n")/root/.ssh/config" &&
            env -u MAKEFLAGS -u MAKELEVEL "${MAKE:-make}" -s BUILD="$BUILD" \
                DESTDIR="$(root "$n")" install >"$record/install" &&
            on "$n" systemd-sysusers electd.conf &&
            on "$n" systemd-tmpfiles --create electd.conf &&
            on "$n" systemctl daemon-reload || return
    done
}

# web: a new cluster web, with the file of README.md.
web() {
    local n

    for n in 1 2 3; do
        on "$n" systemctl -q disable --now electd 2>/dev/null
        rm -rf "$(root "$n")"/{etc,var/lib}/electd/*
    done
    sed -n '/^    cluster = /,/^    );/s/^    //p' "$source_tree/README.md" |
        sed 's/192\.0\.2\./198.18.0./' >"$cluster/electd.conf"
    for n in 1 2 3; do
        cp "$cluster/electd.conf" "$(root "$n")/etc/electd/" || return
    done
    step 1 '(umask 077; electctl keygen > /etc/electd/web.key)' '' &&
        step 1 'for h in web2 web3; do
            scp -p /etc/electd/web.key $h:/etc/electd/; done' '' || return
    for n in 1 2 3; do
        step "$n" 'systemd-tmpfiles --create electd.conf &&
            electd --init-state && electd -t &&
            systemctl enable --now electd' '' || return
    done
    step 1 'electctl -q -t 60s wait leader' ''
}

# ask N WORD...: electctl on machine N.
ask() {
    on "$1" electctl -t 60s "${@:2}"
}

leader() {
    local name

    name=$(ask 1 wait leader) && echo "${name#web}"
}

# main_of N UNIT: the process of the unit; child_of has its guard.
main_of() {
    on "$1" systemctl show --value -p MainPID "$2"
}


# lead_moves N COMMAND...: does this, and waits until another one than N leads.
lead_moves() {
    "${@:2}" && awaits "$seconds_max" eval "[ \"\$(leader)\" != $1 ]"
}

## A job on one host

# as_cron N FILE: runs the line of this file as cron does.
as_cron() {
    on "$1" env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin \
        /bin/sh -c "$(sed -n 's/^\*[^ ]* \* \* \* \* root //p' "$(root "$1")$2")"
}

# ran JOB N: how often this job has run on that host.
ran() {
    wc -l <"$(root "$2")/var/log/$1"
}

# ran_on_one JOB N TIMES: so often, there alone.
ran_on_one() {
    local n

    for n in 1 2 3; do
        is "runs of $1 on web$n" "$([ "$n" = "$2" ] && echo "$3" || echo 0)" \
            "$(ran "$1" "$n")" || return
    done
}

job_of_cron_runs_on_the_leader_alone() {
    local job n status lead

    lead=$(leader) && follow electd-recipes.7 'A JOB ON ONE HOST' || return
    for job in tidy bill; do
        for n in 1 2 3; do
            : >"$(root "$n")/var/log/$job"
            printf '#!/bin/sh\necho "$ELECTD_TERM" >>/var/log/%s\n' "$job" \
                >"$(root "$n")/usr/local/bin/$job"
            chmod 755 "$(root "$n")/usr/local/bin/$job"
            as_cron "$n" "/etc/cron.d/$job" >"$cluster/said" 2>&1
            status=$?
            is 'output' '' "$(cat "$cluster/said")" &&
                is "$job on web$n has failed" "$([ "$n" != "$lead" ] && echo 1)" \
                    "$([ "$status" = 0 ] || echo 1)" || return
        done
        ran_on_one "$job" "$lead" 1 || return
    done
}

# Every minute rather than every fifth, so that none has to wait for it long.
cron_itself_runs_them() {
    local job n lead

    lead=$(leader)
    for n in 1 2 3; do
        for job in tidy bill; do
            : >"$(root "$n")/var/log/$job"
            sed -i 's|^\*/5|*|' "$(root "$n")/etc/cron.d/$job" || return
        done
    done
    for job in tidy bill; do
        awaits "$seconds_max" eval "[ \$(ran $job $lead) -gt 0 ]" || return
    done
    for n in 1 2 3; do
        rm "$(root "$n")"/etc/cron.d/{tidy,bill} || return
    done
    for job in tidy bill; do
        ran_on_one "$job" "$lead" "$(ran "$job" "$lead")" || return
    done
}

## A service on one host

# stamps: takes the stamps of all hosts together.
stamps() {
    mkdir -p "$cluster/stamps" &&
        cp "$machines"/[123]/root/var/lib/private/scheduler/* "$cluster/stamps" 2>/dev/null
}

# began: how many schedulers have begun.
began() {
    find "$machines"/[123]/root/var/lib/private/scheduler -type f -size +0 2>/dev/null | wc -l
}

# again COMMAND...: does this, and waits for the next scheduler.
again() {
    local before

    before=$(began)
    "$@" && awaits "$seconds_max" eval "[ \$(began) -gt $before ]" && stamps &&
        apart
}

# kill_of N WHICH UNIT: kills this part of the unit there.
kill_of() {
    local main guard

    main=$(main_of "$1" "$3")
    on "$1" bash -c "main=$main"'
        read -r guard _ <"/proc/$main/task/$main/children"
        read -r command _ <"/proc/$guard/task/$guard/children"
        kill -KILL $'"${2//+/ \$}"
}

service_runs_on_one_host() {
    local n

    for n in 1 2 3; do
        cp "$stamp" "$(root "$n")/usr/local/bin/stamp" &&
            printf '#!/bin/sh\nexec /usr/local/bin/stamp /var/lib/scheduler fork\n' \
                >"$(root "$n")/usr/local/bin/scheduler" &&
            chmod 755 "$(root "$n")/usr/local/bin/scheduler" || return
    done
    follow electd-recipes.7 'A SERVICE ON ONE HOST' &&
        awaits "$seconds_max" eval '[ $(began) -ge 2 ]' && stamps && apart
}

# Whatever ends, another one begins, on the same host or on the next, and never
# two run at once.
service_goes_on_whatever_happens() {
    local what

    for what in command guard main guard+main; do
        again kill_of "$(leader)" "$what" scheduler || complain "$what" ||
            return
    done
    for what in 'systemctl kill -s KILL electd' 'systemctl restart electd' \
        'systemctl kill -s KILL scheduler' 'systemctl restart scheduler' \
        'electctl -q resign'; do
        # shellcheck disable=SC2086 # a command in words
        again on "$(leader)" $what || complain "$what" || return
    done
}

# A unit that has been stopped has not failed.
service_ends_well() {
    local n

    for n in 1 2 3; do
        on "$n" systemctl -q disable --now scheduler &&
            is "scheduler on web$n" inactive \
                "$(on "$n" systemctl is-active scheduler)" || return
    done
    stamps && apart
}

hosts_start && web || exit
check job_of_cron_runs_on_the_leader_alone
check cron_itself_runs_them
check service_runs_on_one_host
check service_goes_on_whatever_happens
check service_ends_well
check_end
