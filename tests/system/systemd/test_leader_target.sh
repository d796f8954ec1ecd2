#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Three machines that systemd boots: a service that is bound to
# electd-leader.target runs on one of them, and never on two, whatever is
# killed, stopped, cut off or powered off. The service of web1 stops when it is
# told to; that of web2 is deaf, and so must be killed; that of web3 leaves a
# process in a session of its own. web1 binds a service that has a unit already;
# web2 has the units of electd@web.
#
# FAULTS: how many (30). SEED: of their order (1).
# shellcheck disable=SC2317 # cases and faults are called by name
set -u

hosts=3
cd "$(dirname "$0")/../../.." || exit
command -v systemd-nspawn >/dev/null ||
    { echo 'skip: systemd-nspawn is not installed'; exit 77; }
# shellcheck source=tests/system/lan/hosts.sh
. tests/system/lan/hosts.sh
# shellcheck source=tests/system/live/live_run.sh
. tests/system/live/live_run.sh
# shellcheck source=tests/system/rollout/machines.sh
. tests/system/rollout/machines.sh

: "${FAULTS:=30}" "${SEED:=1}"
daemon=(- electd electd@web electd)
leader=(- electd-leader electd-leader@web electd-leader)
wish=(- '' deaf fork)

# In place of live.sh's.
live_end() {
    machines_abandon
    umount "$cluster"
    rm -rf --one-file-system "$cluster"
} 2>/dev/null

# The machines see this host's own root under layers in memory: so they have the
# libraries that electd was built with. Of this host's units they start only
# what belongs to every boot.
begin() {
    local id etc

    cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") &&
        mount -t tmpfs none "$cluster" && mkdir "$cluster/stamps" || return
    record=$cluster machines=$cluster/machines tree=$cluster/all:/
    nspawn_options=(--bind="$cluster/stamps:/stamps")
    init_arguments=(systemd.unit=machine.target)
    etc=$cluster/all/etc/electd
    "${MAKE:-make}" -s --no-print-directory BUILD="$BUILD" install \
        DESTDIR="$cluster/all" &&
        install -D -m 755 -t "$cluster/all/usr/lib/electd-test" "$stamp" &&
        mkdir -p "$etc" && (umask 077 && "$electctl" keygen >"$etc/web.key") &&
        for id in electd web; do
            configure >"$etc/$id.conf"
        done
}

configure() {
    echo 'cluster = "web"; guarantee = "quorum"; preempt = "never";'
    nodes 1 2 3
}

node_text() {
    printf 'name = "web%d"; address = "198.18.0.%d:7420";' "$1" "$1"
}

# units_add ID: the units of the machine.
units_add() {
    local root=$machines/$1/root target=${leader[$1]}.target
    local units=$root/etc/systemd/system generator

    rm -rf "$units" "$root/var/lib/electd" "$root"/var/log/journal/*
    mkdir -p "$units" "$root/etc/systemd/system-generators"
    for generator in /usr/lib/systemd/system-generators/*; do
        ln -sf /dev/null "$root/etc/systemd/system-generators/${generator##*/}"
    done
    : >"$root/etc/fstab"
    printf '%032x\n' "$1" >"$root/etc/machine-id"
    cat >"$units/machine.target" <<EOF
[Unit]
Requires=basic.target
After=basic.target
Wants=${daemon[$1]}.service ${leader[$1]}.service
EOF
    cat >"$units/stamp.service" <<EOF
[Unit]
StartLimitIntervalSec=0

[Service]
EnvironmentFile=/run/${leader[$1]}/leader.env
ExecStart=/usr/lib/electd-test/stamp /stamps ${wish[$1]}
Restart=always
TimeoutStopSec=3s

[Install]
WantedBy=$([ "$1" = 1 ] && echo machine.target || echo "$target")
EOF
    mkdir "$units/stamp.service.d"
    printf '%s\n' '[Unit]' "BindsTo=$target" "After=$target" \
        >"$units/stamp.service.d/leader.conf"
    sed "s|^ExecStart=.*|ExecStart=/bin/touch /stamps/job.web$1|" \
        conf/nightly-job.service >"$units/nightly-job.service"
}

# machine_begin ID: boots it, and lets it vote.
machine_begin() {
    machine_mount "$1" && units_add "$1" && power_on "$1" &&
        bind_service "$1" &&
        on "$1" systemctl stop "${daemon[$1]}" &&
        on "$1" electd --init-cluster && on "$1" systemctl start "${daemon[$1]}"
}

# bind_service ID: as electd-operating(7) says.
bind_service() {
    if [ "$1" = 1 ]; then
        on 1 systemctl -q disable --now stamp &&
            on 1 systemctl -q add-wants "${leader[1]}.target" stamp
    else
        on "$1" systemctl -q enable stamp
    fi
}

power_on() {
    boot "$1" && awaits "$boot_seconds" is_up "$1"
}

journal() {
    on "$1" journalctl --no-pager -q -o short-monotonic -u 'electd*' \
        -u 'stamp*' | tail -n "${2:-60}"
}

runs() {
    on "$1" systemctl -q is-active stamp
}

# Succeeds if all are well, and the leader alone runs the service: `host`. It
# asks for no deadline, which would delay the next handover.
is_undamped() {
    local id

    host=
    for id in 1 2 3; do
        on "$id" electctl -q status --check >/dev/null 2>&1 || return
        ! runs "$id" || [ -z "$host" ] || return
        ! runs "$id" || host=$id
    done
    [ -n "$host" ] &&
        on "$host" electctl -o kv status | grep -qx "leader_id=$host"
}

begun() {
    find "$cluster/stamps" -name 'web*' | wc -l
}

# units_kill SIGNAL ID UNIT...: to all of their processes.
units_kill() {
    on "$2" systemctl kill -s "$1" -- "${@:3}"
}

# The faults: each is told the host that leads. What ends the service there
# begins with "end_". heal_NAME, if there is one, repairs it once the service
# runs anew.

end_kill_electd() { units_kill KILL "$1" "${daemon[$1]}"; }

end_stop_electd() { units_kill STOP "$1" "${daemon[$1]}"; }
heal_stop_electd() { units_kill CONT "$1" "${daemon[$1]}"; }

end_kill_leader_unit() { units_kill KILL "$1" "${leader[$1]}"; }

end_stop_leader_unit() { units_kill STOP "$1" "${leader[$1]}"; }

end_kill_electctl() {
    on "$1" systemctl kill -s KILL --kill-whom=main "${leader[$1]}"
}

end_stop_electctl() {
    on "$1" systemctl kill -s STOP --kill-whom=main "${leader[$1]}"
}

# script ID: the command of electctl run there, by this host's numbers.
script() {
    pgrep -f '^/bin/sh /usr/libexec/electd/leader-target run' \
        --nslist pid --ns "${init_pid[$1]}"
}

end_kill_script() { kill -KILL "$(script "$1")"; }

# It cannot stop the target then.
end_stop_script() { kill -STOP "$(script "$1")" && end_resign "$1"; }
heal_stop_script() { heal_standby "$1"; }

end_kill_all() { units_kill KILL "$1" "${daemon[$1]}" "${leader[$1]}"; }

# Nothing runs there but systemd and the service.
end_stop_both() { units_kill STOP "$1" "${daemon[$1]}" "${leader[$1]}"; }
heal_stop_both() { heal_stop_electd "$1"; }

# Nothing runs there but systemd.
end_stop_all() {
    units_kill STOP "$1" "${daemon[$1]}" "${leader[$1]}" stamp
}
heal_stop_all() { heal_stop_electd "$1"; }

end_end_electd() { on "$1" systemctl stop "${daemon[$1]}"; }
heal_end_electd() { on "$1" systemctl start "${daemon[$1]}"; }

end_restart_electd() { on "$1" systemctl restart "${daemon[$1]}"; }

end_restart_leader_unit() { on "$1" systemctl restart "${leader[$1]}"; }

end_standby() { on "$1" electctl -q standby; }
heal_standby() { on "$1" electctl -q rejoin; }

# To web2, whose service is deaf; or from there.
end_resign() {
    if [ "$1" = 2 ]; then
        on 2 electctl -q resign
    else
        on "$1" electctl -q resign --to web2
    fi
}
heal_resign() { heal_standby "$1"; }

end_cut() { ip link set "h$1" down; }
heal_cut() { ip link set "h$1" up; }

end_power_off() { power_off "$1"; }
heal_power_off() { power_on "$1"; }

end_kill_service() { on "$1" systemctl kill -s KILL stamp; }

keep_reload_electd() { on "$1" systemctl reload "${daemon[$1]}"; }

keep_reload_systemd() { on "$1" systemctl daemon-reload; }

keep_reexec_systemd() { on "$1" systemctl daemon-reexec; }

# Nobody starts it where it must not run, nor the target.
keep_start_elsewhere() {
    local id=$(($1 % 3 + 1))

    ! on "$id" systemctl start stamp 2>/dev/null &&
        ! on "$id" systemctl start "${leader[$id]}.target" 2>/dev/null
}

mapfile -t kinds < <(compgen -A function | grep -E '^(end|keep)_[a-z_]+$')

# fault KIND: does it to the host that leads, and waits until all is well.
fault() {
    local kind=$1 name=${1#*_} id=$host count

    count=$(begun)
    echo "$("$kill9") $name web$id" >>"$cluster/faults"
    "$kind" "$id" || complain "$kind of web$id" || return
    [ "$kind" = "keep_$name" ] || stamped $((count + 1)) || return
    [ "$(type -t "heal_$name")" != function ] || "heal_$name" "$id" || return
    awaits "$seconds_max" is_undamped
}

# The service that is deaf must be killed before electd hands over, and by
# systemd alone.
deaf_service_is_killed() {
    { [ "$host" = 2 ] || fault end_resign; } && fault end_resign &&
        fault end_resign && fault end_stop_both
}

faults() {
    local i

    RANDOM=$SEED
    for ((i = 0; i < FAULTS; i++)); do
        # Each kind comes, and then any of them.
        if ((i < ${#kinds[@]})); then
            fault "${kinds[i]}" || return
        else
            fault "${kinds[RANDOM % ${#kinds[@]}]}" || return
        fi
    done
}

runs_on_the_leader_alone() {
    awaits "$seconds_max" is_undamped
}

job_runs_on_the_leader_alone() {
    local id

    for id in 1 2 3; do
        on "$id" systemctl start nightly-job || return
    done
    is 'ran' "$cluster/stamps/job.web$host" "$(ls "$cluster"/stamps/job.*)" &&
        rm "$cluster"/stamps/job.*
}

# Tells the gaps when nobody ran it, by kinds of faults, from the lines "BEGAN
# LAST NODE" in order, and the faults.
tell() {
    for file in "$cluster"/stamps/web*; do
        echo "$(cat "$file") $(basename "$file" | cut -d . -f 1)"
    done | sort >"$cluster/runs"
    awk -v runs="$cluster/runs" '
        { at[NR] = $1; kind[NR] = $2 }
        END {
            fault = 0
            while ((getline line <runs) > 0) {
                split(line, run, " ")
                while (fault < NR && at[fault + 1] < run[1])
                    fault++
                if (end != "" && run[1] > end && fault > 0)
                    gap[fault] += (run[1] - end) / 1e6
                if (end != "" && run[1] < end && run[3] != node)
                    overlaps++
                if (run[2] > end) {
                    end = run[2]
                    node = run[3]
                }
            }
            for (i in gap)
                print kind[i], gap[i]
            print "overlaps", overlaps + 0
        }' "$cluster/faults" | sort -k 1,1 -k 2,2n
}

figures() {
    tell >"$cluster/gaps"
    echo "$(wc -l <"$cluster/faults") faults, $(wc -l <"$cluster/runs") runs," \
        "$(sed -n 's/^overlaps //p' "$cluster/gaps") overlaps of two hosts"
    awk '!/^overlaps/ {
            of[$1] = of[$1] " " $2
        }
        END {
            for (kind in of) {
                n = split(of[kind], ms, " ")
                printf "%-20s %3d  median %6.0f ms  max %6.0f ms\n", kind, n,
                    ms[int((n + 1) / 2)], ms[n]
            }
        }' "$cluster/gaps" | sort
    grep -v '^overlaps' "$cluster/gaps" | sort -k 2,2n | awk '{ ms[NR] = $2 }
        END {
            printf "%-20s %3d  median %6.0f ms  max %6.0f ms\n",
                "nobody ran it", NR, ms[int((NR + 1) / 2)], ms[NR]
        }'
}

tell_why() {
    local id

    [ "$failures" -gt 0 ] || return 0
    tail -n 3 "$cluster/faults"
    for id in 1 2 3; do
        echo "web$id:"
        on "$id" electctl status
        journal "$id"
    done
}

begin || exit
for machine in 1 2 3; do
    machine_begin "$machine" >>"$cluster/begin" 2>&1 ||
        { tail -n 5 "$cluster/begin" && journal "$machine" && exit 1; }
done
check runs_on_the_leader_alone
check job_runs_on_the_leader_alone
check deaf_service_is_killed
check faults
check apart
figures
tell_why
exit $((failures > 0))
