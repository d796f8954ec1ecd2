#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The recipes of electd-recipes(7) on three hosts with systemd, with Debian's
# cron, nginx and PostgreSQL. What the page shows is done as it stands there,
# and then things are killed, stopped and cut.
#
# usage: recipes.sh [CASE...], as root, after tree.sh BUILD/recipes/debian/tree
# and the packages that the Makefile gives it. ROUNDS (1): of faults.
# shellcheck disable=SC2015,SC2016,SC2034,SC2154,SC2317 # live.sh; cases by name
set -u

hosts=4 # the last one has the clients
# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/../lan/hosts.sh"
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh
# shellcheck source=tests/system/rollout/machines.sh
. tests/system/rollout/machines.sh
# shellcheck source=tests/system/recipes/page.sh
. tests/system/recipes/page.sh

: "${ROUNDS:=1}"
tree=$BUILD/recipes/debian/tree
machines=$BUILD/recipes/machines
record=$BUILD/recipes/record
[ -d "$tree" ] || { echo "skip: no $tree"; exit 77; }
mkdir -p "$record" &&
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit

client_pids=
freezer=$(awk '$3 == "cgroup" && $4 ~ /freezer/ { print $2 }' /proc/self/mounts)

# In place of live.sh's.
live_end() {
    [ ! -d "$freezer/electd-$$" ] || thaw
    clients_end
    machines_abandon
    cluster_end
} 2>/dev/null

## Hosts

hosts_start() {
    local n

    hosts_boot || return
    for n in 1 2 3; do
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
    readme_conf >"$cluster/electd.conf"
    for n in 1 2 3; do
        cp "$cluster/electd.conf" "$(root "$n")/etc/electd/" || return
    done
    step 1 '(umask 077; electctl keygen > /etc/electd/web.key)' '' &&
        step 1 'for h in web2 web3; do
            scp -p /etc/electd/web.key $h:/etc/electd/; done' '' || return
    for n in 1 2 3; do
        step "$n" 'systemd-tmpfiles --create electd.conf &&
            electd --init-cluster && electd -t &&
            systemctl enable --now electd' '' || return
    done
    step 1 'electctl -q -t 60s wait leader' ''
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
    local main supervisor

    main=$(main_of "$1" "$3")
    on "$1" bash -c "main=$main"'
        read -r supervisor _ <"/proc/$main/task/$main/children"
        read -r command _ <"/proc/$supervisor/task/$supervisor/children"
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

    for what in command supervisor main supervisor+main; do
        again kill_of "$(leader)" "$what" scheduler || complain "$what" ||
            return
    done
    # The best host takes over again: the lead is not to move as it is asked
    # for.
    for what in 'systemctl kill -s KILL electd' 'systemctl restart electd' \
        'systemctl kill -s KILL scheduler' 'systemctl restart scheduler' \
        'electctl -q resign'; do
        # shellcheck disable=SC2086 # a command in words
        awaits "$seconds_max" eval '[ "$(leader)" = 3 ]' &&
            again on 3 $what || complain "$what" || return
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

## nginx behind a floating address

# fetch PATH: what a client gets.
fetch() {
    ip netns exec h4 chroot "$tree" curl -s -m 1 "http://198.18.0.10/$1"
}

# served_by_leader: waits until it is the leader's nginx.
served_by_leader() {
    awaits "$seconds_max" eval '[ "$(fetch host)" = "web$(leader)" ]'
}

# moves COMMAND...: does this at the leader, and waits until another host
# serves.
moves() {
    local lead

    lead=$(leader)
    "$1" "$lead" "${@:2}" &&
        awaits "$seconds_max" eval "[[ \$(fetch host) == web[!$lead] ]]"
}

address_is_where_nginx_is_well() {
    local lead

    web && follow electd-recipes.7 'NGINX BEHIND A FLOATING ADDRESS' &&
        served_by_leader && lead=$(leader) && moves on systemctl stop nginx &&
        on "$lead" systemctl start nginx && served_by_leader
}

# A leader that restarts takes over again, perhaps before a client has noticed.
address_moves_with_the_lead() {
    moves on systemctl kill -s KILL electd && moves on electctl -q resign &&
        on "$(leader)" systemctl restart electvip@web electd &&
        served_by_leader
}

## PostgreSQL

binaries=/usr/lib/postgresql/15/bin
any='host=198.18.0.11,198.18.0.12,198.18.0.13 target_session_attrs=read-write'

# psql SECONDS CONNECTION OPTION...: from a host of its own, for so long at
# most.
psql() {
    ip netns exec h4 chroot "$tree" env PGUSER=postgres PGDATABASE=postgres \
        PGCONNECT_TIMEOUT=2 PGPASSWORD="$password" timeout "$1" \
        "$binaries/psql" -qAtX -F ' ' -v ON_ERROR_STOP=1 -d "${@:2}" 2>/dev/null
}

# sql STATEMENT: at the primary, as soon as there is one.
sql() {
    awaits "$seconds_max" psql 10 "$any" -c "$1"
}

# client: writes one row after the other, and notes those that it was told are
# there, with the time.
client() {
    local -i session=0
    local row last_term="SELECT max(substr(rolname, 6)::bigint) FROM pg_roles"

    last_term+=" WHERE rolname ~ '^term_'"
    while :; do
        session+=1
        awk -v first="${session}000000" -v term="$last_term" 'BEGIN { for (;;)
            printf "INSERT INTO rows VALUES (%d, (%s)) RETURNING id;\n",
                first + i++, term }' |
            psql 3 "$any" | while read -r row; do
            echo "$row $EPOCHREALTIME"
        done >>"$cluster/acked"
        pause
    done
}

# observer: asks all three again and again. If one was the primary before and
# after another one was, there were two.
observer() {
    local now last='' n
    local -A over=()

    while :; do
        for n in 1 2 3; do
            now=$(psql 3 "host=198.18.0.1$n" -c "SELECT '$n',
                pg_postmaster_start_time() WHERE NOT pg_is_in_recovery()")
            [ -n "$now" ] && [ "$now" != "$last" ] || continue
            [ -z "${over[$now]-}" ] || echo "$now" >>"$cluster/two"
            [ -z "$last" ] || over[$last]=yes
            last=$now
            echo "$now" >>"$cluster/primaries"
        done
        pause
    done
}

clients_end() {
    local pid

    for pid in $client_pids; do
        kill -KILL -- "-$pid"
        wait "$pid"
    done
    client_pids=
} 2>/dev/null

# acked: how many rows the client was told of.
acked() {
    wc -l <"$cluster/acked"
}

# served N: waits until it was told of N more.
served() {
    awaits "$seconds_max" eval "[ \$(acked) -ge $(($(acked) + $1)) ]"
}

# whole: waits until both standbys have all that there is now.
whole() {
    local now

    now=$(sql 'SELECT pg_current_wal_lsn()') &&
        awaits "$seconds_max" eval "[ \"\$(psql 10 \"\$any\" -c \"SELECT
            count(DISTINCT application_name) FROM pg_stat_replication
            WHERE application_name LIKE 'web_' AND replay_lsn >= '$now'\")\" = 2 ]"
}

postgres_has_a_primary() {
    web && follow electd-recipes.7 POSTGRESQL || return
    password=$(cut -d : -f 5 "$(root 1)/var/lib/postgresql/.pgpass")
    whole && sql 'CREATE TABLE rows (id bigint PRIMARY KEY, term bigint)' &&
        : >"$cluster/acked" && : >"$cluster/two" || return
    set -m # each has a process group
    client </dev/null >/dev/null 2>&1 &
    client_pids=$!
    observer </dev/null >/dev/null 2>&1 &
    client_pids+=" $!"
    set +m
    served 5
}

# The longest time without an answer, in the last rows: of the fault before.
outage() {
    tail -n +"$1" "$cluster/acked" | awk 'NR > 1 && $2 - last > most {
        most = $2 - last } { last = $2 } END { printf "%.2f s\n", most }'
}

# frozen N: all that electd and PostgreSQL run there stops, until another host
# has the primary.
frozen() {
    local processes

    processes=$(on "$1" systemctl show -p MainPID --value electd pg-primary)
    on "$1" systemctl kill -s STOP electd pg-primary && served 5 &&
        on "$1" systemctl kill -s CONT electd pg-primary
}

# cut N: nobody hears this host until the primary is elsewhere.
cut_off() {
    ip link set "h$1" down && served 5 && ip link set "h$1" up
}

# all_die: PostgreSQL, on all hosts at once.
all_die() {
    local n

    for n in 1 2 3; do
        on "$n" systemctl kill -s KILL pg-primary pg-standby || return
    done
}

# fault NAME LEADER: one of them.
fault() {
    case $1 in
    command | supervisor | main | supervisor+main) kill_of "$2" "$1" pg-primary ;;
    electd) on "$2" systemctl kill -s KILL electd ;;
    resign) on "$2" electctl -q resign ;;
    frozen | cut_off) "$1" "$2" ;;
    all_die) all_die ;;
    esac
}

# Nothing that a client was told of is lost, and the terms of the rows only
# rise.
postgres_loses_nothing_in() {
    local name=$1 lead from

    lead=$(leader) from=$(acked)
    fault "$name" "$lead" && served 5 || return
    echo "    $name: $(outage "$from")"
    [ "$name" != resign ] || ask "$lead" -q rejoin
    whole || return
    cut -d ' ' -f 1 "$cluster/acked" | sort >"$cluster/told"
    sql 'SELECT id FROM rows' | sort >"$cluster/there"
    is 'rows that are lost' '' "$(comm -23 "$cluster/told" "$cluster/there")" &&
        is 'rows of an earlier term behind a later one' '' "$(sql 'SELECT id FROM
            (SELECT id, term < lag(term) OVER (ORDER BY id) AS is_back FROM rows)
            AS r WHERE is_back')" &&
        is 'primaries that were there again' '' "$(cat "$cluster/two")"
}

# copies: how often a host took one.
copies() {
    local n

    for n in 1 2 3; do
        on "$n" journalctl -u pg-standby
    done | grep -c 'takes a copy'
}

postgres_goes_on() {
    local round fault

    [ -n "$client_pids" ] || complain 'there is no primary' || return
    for ((round = 0; round < ROUNDS; round++)); do
        for fault in command electd supervisor main supervisor+main resign frozen cut_off \
            all_die; do
            postgres_loses_nothing_in "$fault" || complain "$fault" || return
        done
    done
    echo "    $(acked) rows, $(copies) copies"
}

# A host that was promoted by hand cannot follow: it takes a copy.
postgres_host_with_another_past_is_copied() {
    local n

    n=$(($(leader) % 3 + 1))
    on "$n" systemctl stop pg-standby &&
        on "$n" runuser -u postgres -- sh -ec "cd /var/lib/postgresql/15/main
            conf=/etc/postgresql/15/main/postgresql.conf
            $binaries/pg_ctl -s -w start -D . -l /tmp/alone -o \"-c \\
                config_file=\$conf -c synchronous_standby_names=\"
            $binaries/pg_ctl -s -w promote -D .
            psql -qc 'CREATE TABLE alone ()'
            $binaries/pg_ctl -s -w stop -D ." &&
        on "$n" systemctl start pg-standby && whole &&
        is 'what it wrote' 0 "$(on "$n" runuser -u postgres -- sh -c "cd /
            psql -Atc \"SELECT count(*) FROM pg_class WHERE relname = 'alone'\"")"
}

# processes N UNIT: their numbers here.
processes() {
    local group

    read -r group < <(group_mounts)
    find "$group/electd-$$-$1" -path "*/system.slice/$2.service/cgroup.procs" \
        -exec cat {} +
}

# frozen_or_not WORD PID...: puts these among the processes that a virtual
# machine stops; or not, if the word is empty. Not even a signal that kills
# reaches them. One may have ended meanwhile.
frozen_or_not() {
    local pid

    for pid in "${@:2}"; do
        echo "$pid" >"$freezer${1:+/electd-$$}/cgroup.procs" ||
            [ ! -e "/proc/$pid" ] || return
    done
}

thaw() {
    echo THAWED >"$freezer/electd-$$/freezer.state"
    # shellcheck disable=SC2046 # numbers
    frozen_or_not '' $(cat "$freezer/electd-$$/cgroup.procs")
    rmdir "$freezer/electd-$$"
} 2>/dev/null

# Electctl, its supervisor and the kernel's timer cannot end the primary, which
# goes on while the next one is there.
late_primary_commits_nothing() {
    local lead next pid
    local -a all

    [ -n "$client_pids" ] || complain 'there is no primary' || return
    lead=$(leader)
    exec {to_late}> >(psql 60 "host=198.18.0.1$lead" >"$cluster/late")
    echo 'SELECT 1;' >&"$to_late"
    awaits "$seconds_max" test -s "$cluster/late" && mkdir "$freezer/electd-$$" &&
        mapfile -t all < <(processes "$lead" electd
            processes "$lead" pg-primary) || return
    frozen_or_not yes "${all[@]}" &&
        echo FROZEN >"$freezer/electd-$$/freezer.state" &&
        served 200 || return
    for pid in "${all[@]}"; do
        [ "$(cat "/proc/$pid/comm")" != postgres ] || frozen_or_not '' "$pid" ||
            return
    done
    echo 'SELECT pg_is_in_recovery(); INSERT INTO rows VALUES (-1, 0) RETURNING id;' \
        >&"$to_late"
    next=$(on $((lead % 3 + 1)) electctl leader) &&
        awaits "$seconds_max" eval '[ $(wc -l <"$cluster/late") -ge 2 ]' &&
        awaits "$seconds_max" psql 10 "host=198.18.0.1${next#web}" \
            -c 'INSERT INTO rows VALUES (-2, 0)' &&
        is 'what it says' $'1\nf' "$(cat "$cluster/late")" || return
    thaw
    exec {to_late}>&-
    whole && is 'what it says in the end' $'1\nf' "$(cat "$cluster/late")" &&
        is 'rows of both' -2 "$(sql 'SELECT id FROM rows WHERE id < 0')"
}

hosts_start && web || exit
check job_of_cron_runs_on_the_leader_alone
check cron_itself_runs_them
check service_runs_on_one_host
check service_goes_on_whatever_happens
check service_ends_well
check address_is_where_nginx_is_well
check address_moves_with_the_lead
check postgres_has_a_primary
check postgres_goes_on
check postgres_host_with_another_past_is_copied
if [ -n "$freezer" ]; then
    check late_primary_commits_nothing
else
    echo 'skip late primary commits nothing: no freezer of control groups'
fi
check_end
