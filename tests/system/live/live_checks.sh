# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154 # for the caller; of live.sh
# Sourced by scripts that run checks of services on real daemons, on top of
# live_quorum.sh: the service of each node is a script, which does what the
# caller says.

declare -A helper_pid=()
at_end helpers_end

# does ID SHELL: what the check of that node does from its next run on.
does() {
    echo "$2" >"$cluster/does.new" && mv "$cluster/does.new" "$cluster/$1.does"
}

# probe ID: the command that does it, and counts its runs in ID.ran.
probe() {
    local file=$cluster/$1.probe

    does "$1" true
    cat >"$file" <<EOF
#!/bin/sh
echo >>"$cluster/$1.ran"
. "$cluster/$1.does"
EOF
    chmod +x "$file"
}

# checks ID TEXT: the configuration of that node, with these as its checks.
checks() {
    { cat "$cluster/electd.conf" && echo "checks = ( $2 );"; } \
        >"$cluster/$1.new" && mv "$cluster/$1.new" "$cluster/$1.conf"
}

# of ID MORE [TIMEOUT]: its check, "probe", with more settings.
of() {
    echo "{ name = \"probe\"; command = [\"$cluster/$1.probe\"];
      interval = \"100ms\"; timeout = \"${3-${seconds_max}s}\"; $2 }"
}

once='rise = 1; fall = 1;'

# helper_start ID...: runs the checks of these nodes.
helper_start() {
    local id

    for id in "$@"; do
        "$electctl" -s "$cluster/$id.sock" checks </dev/null \
            >>"$cluster/$id.helper.log" 2>&1 &
        helper_pid[$id]=$!
    done
}

# helper_end [-SIGNAL] ID: its exit status. The shell's own message about it is
# of no interest.
helper_end() {
    local signal=-TERM pid

    [[ $1 != -* ]] || { signal=$1 && shift; }
    pid=${helper_pid[$1]}
    unset "helper_pid[$1]"
    { kill "$signal" "$pid" && wait "$pid"; } 2>/dev/null
}

helpers_end() {
    local id

    for id in "${!helper_pid[@]}"; do
        helper_end -KILL "$id"
    done
    helper_pid=()
}

# count_runs ID: sets `runs` to how often its check has begun.
count_runs() {
    local lines

    mapfile -t lines <"$cluster/$1.ran"
    runs=${#lines[@]}
}

# runs_on ID: waits until its check has begun anew twice, so one run has
# happened since this call.
runs_on() {
    local until=$((SECONDS + seconds_max)) before runs

    count_runs "$1"
    before=$runs
    until count_runs "$1" && [ "$runs" -ge $((before + 2)) ]; do
        [ "$SECONDS" -lt "$until" ] || complain "check of $1 stands" || return
        pause
    done
}

# filled FILE: waits until it has something, and was empty or not there before.
filled() {
    local until=$((SECONDS + seconds_max))

    until [ -s "$1" ]; do
        [ "$SECONDS" -lt "$until" ] || complain "nothing in $1" || return
        pause
    done
}

# lists ID: how many lists of checks the helper has had.
lists() {
    grep -c -e 'to run$' -e 'waiting for some$' "$cluster/$1.helper.log"
}

# renew ID TEXT: reloads the configuration with these checks, which differ from
# those before, and waits until the helper has them.
renew() {
    local until=$((SECONDS + seconds_max)) had

    had=$(lists "$1")
    checks "$1" "$2" && exits 0 ask "$1" reload || return
    until [ "$(lists "$1")" -gt "$had" ]; do
        [ "$SECONDS" -lt "$until" ] || complain "$1 has other checks" || return
        pause
    done
}

# gone FILE: waits until the process has ended whose id is in there.
gone() {
    local until=$((SECONDS + seconds_max))

    until [ -s "$1" ] && ! lives "$(<"$1")"; do
        [ "$SECONDS" -lt "$until" ] || complain "$1 does not end" || return
        pause
    done
}

# of_config_version ID N: succeeds if its settings are of this config version.
of_config_version() {
    [[ $(asked "$1" config) == *"config_version = $2;"* ]]
}

# config_version_becomes N ID...: waits until these have settings of that config
# version.
config_version_becomes() {
    local config_version=$1 id

    shift
    for id in "$@"; do
        awaits "$seconds_max" of_config_version "$id" "$config_version" || return
    done
}
