#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The checks of services decide who may lead: real daemons on loopback with
# `electctl checks` beside them. A check fails in every way that a check has,
# the helper is killed and stopped, the configuration changes, operators
# interfere. Takes 47 s.
# shellcheck disable=SC2016,SC2317 # for other shells; cases called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/live.sh"
# shellcheck source=tests/system/live/live_quorum.sh
. tests/system/live/live_quorum.sh
# shellcheck source=tests/system/live/live_checks.sh
. tests/system/live/live_checks.sh

guarantee=component

# three: a new cluster of three, each with a check that passes, and no helper.
three() {
    local id

    helpers_end
    if [ "$guarantee" = quorum ]; then quorum 3; else fresh; fi || return
    for id in 1 2 3; do
        probe "$id" && checks "$id" "$(of "$id" "$once")" &&
            node_run "$id" "$cluster/$id.conf" || return
    done
    watch_open 1 2 3
}

# well: all checks pass again, and 3 leads.
well() {
    does 3 true && led_by 3 1 2 3
}

# sick SHELL REASON: the check of the leader, 3, does that. Then 3 is on standby
# for this reason, 2 leads, and once the check passes 3 leads again.
sick() {
    does 3 "$1" && led_by 2 1 2 3 && fault_is 3 "$2" 1 2 3 && well
}

nobody_leads_before_the_checks_have_run() {
    three && status_becomes 1 'NO LEADER  no node is eligible, 3 on standby' &&
        fault_is 3 'checks: `electctl checks` does not run' 1 2 3 &&
        exits 1 ask 3 -q is-leader &&
        does 3 'until [ -e "$0.go" ]; do sleep 0.02; done' &&
        helper_start 3 && fault_is 3 'checks: none has been run yet' 1 2 3 &&
        logged 3 'checks: `electctl checks` has connected' &&
        touch "$cluster/3.probe.go" && led_by 3 1 2 3 &&
        status_has 3 $'\n''health   1 check, all pass'$'\n' &&
        has 'JSON' '"standby":null,"checks":\{"count":1,"fault":null\}' \
            "$(ask 3 -o json status)" &&
        helper_start 1 2 && status_becomes 2 'health   1 check, all pass'
}

leader_whose_service_is_sick_hands_over() {
    settle 1 2 3 && does 3 'echo starts; echo; echo no answer; exit 7' &&
        read_until 1 '"event":"standby","node":3,"self":1,"on":true,"standby_reason":"check probe: exited 7: no answer"' &&
        led_by 2 1 2 3 &&
        fault_is 3 'check probe: exited 7: no answer' 1 2 3 &&
        status_has 3 ' follower, candidate, not eligible \(standby\), ' &&
        logged 3 'is on standby: check probe: exited 7' &&
        logged 2 'leads in term .* \(an operator or a check wants another leader' &&
        has 'helper' 'electctl: check probe: exited 7: no answer' \
            "$(cat "$cluster/3.helper.log")" &&
        well && has 'helper' 'electctl: check probe: passes' \
        "$(cat "$cluster/3.helper.log")"
}

service_of_a_follower_is_sick() {
    does 2 'exit 1' && fault_is 2 'check probe: exited 1' 1 2 3 &&
        does 3 'exit 1' && led_by 1 1 2 3 && does 1 'exit 1' &&
        status_becomes 2 'NO LEADER  no node is eligible, 3 on standby' &&
        does 2 true && led_by 2 1 2 3 && does 1 true && well
}

daemon_that_restarts_hears_of_it() {
    does 3 'echo full; exit 1' && led_by 2 1 2 3 && node_end 3 &&
        node_run 3 "$cluster/3.conf" && watch_open 3 &&
        fault_is 3 'check probe: exited 1: full' 1 2 3 && led_by 2 1 2 3 &&
        does 3 true && led_by 3 1 2 3
}

# The hanging check would end by itself only after the test.
check_that_hangs_is_ended() {
    renew 3 "$(of 3 "$once" 300ms)" &&
        is 'answer' 'changed: checks' "$said" &&
        led_by 3 1 2 3 &&
        sick 'echo $$ >"$0.pid"; echo thinks; exec sleep 1000' \
            'check probe: timed out: thinks' && gone "$cluster/3.probe.pid" &&
        sick 'trap "" TERM INT HUP; sleep 1000 & echo $! >"$0.child"; wait' \
            'check probe: timed out' && gone "$cluster/3.probe.child" &&
        sick 'yes' 'check probe: timed out: y' &&
        renew 3 "$(of 3 "$once")"
}

# What it leaves behind ends with it: children, and what has become a daemon.
check_that_forks_leaves_nothing_behind() {
    does 3 'sleep 1000 & echo $! >"$0.one"
        (setsid sh -c "echo \$\$ >$0.two; exec sleep 1000" </dev/null \
            >/dev/null 2>&1 &)
        until [ -s "$0.two" ]; do sleep 0.02; done' &&
        runs_on 3 && gone "$cluster/3.probe.one" &&
        gone "$cluster/3.probe.two" && does 3 true && runs_on 3 &&
        status_has 3 'health   1 check, all pass' && led_by 3 1 2 3
}

# A megabyte, no line, bytes that are no text, and a character that does not
# fit.
check_that_floods_its_output_passes() {
    does 3 'head -c 1000000 /dev/urandom' && runs_on 3 &&
        status_has 3 'health   1 check, all pass' &&
        sick 'head -c 100000 /dev/zero | tr "\0" x; exit 3' \
            'check probe: exited 3: x{40}'$'\n' &&
        sick 'printf "\033[2J\377 %36s\303\244\303\244 \n\n" x; exit 3' \
            'check probe: exited 3: [?]\[2J[?] xää'$'\n' &&
        sick 'printf "%39s\303\244\n" x | tr " " y; exit 3' \
            'check probe: exited 3: y{38}x'$'\n'
}

# Every second run fails.
flap='[ -e "$0.odd" ] && rm "$0.odd" && exit 1; touch "$0.odd"'

check_that_flaps_counts_its_results() {
    local term

    renew 3 "$(of 3 'rise = 2; fall = 2;')" &&
        runs_on 3 && led_by 3 1 2 3 && settle 1 2 3 || return
    term=$(kv 3 term status)
    does 3 "$flap" && runs_on 3 && runs_on 3 && runs_on 3 &&
        status_has 3 'health   1 check, all pass' &&
        has 'term' "term=$term"$'\n' "$(ask 3 -o kv status)"$'\n' &&
        does 3 'exit 1' && led_by 2 1 2 3 && does 3 "$flap" && runs_on 3 &&
        runs_on 3 && fault_is 3 'check probe: exited 1' 3 && well &&
        renew 3 "$(of 3 "$once")" && runs_on 3 &&
        does 3 "$flap" && runs_on 3 && runs_on 3 && runs_on 3 && well
}

killed_helper_puts_the_node_on_standby() {
    rm -f "$cluster"/3.probe.*
    does 3 'echo $$ >"$0.pid"; exec sleep 1000' &&
        filled "$cluster/3.probe.pid" || return
    helper_end -KILL 3
    gone "$cluster/3.probe.pid" && led_by 2 1 2 3 &&
        fault_is 3 'checks: `electctl checks` does not run' 1 2 3 &&
        logged 3 'checks: `electctl checks` has disconnected' &&
        does 3 true && helper_start 3 && led_by 3 1 2 3
}

helper_that_is_ended_takes_its_checks_along() {
    rm -f "$cluster"/3.probe.*
    does 3 'setsid sleep 1000 & echo $! >"$0.one"; echo $$ >"$0.pid"; wait' &&
        filled "$cluster/3.probe.pid" && helper_end 3 &&
        gone "$cluster/3.probe.pid" &&
        gone "$cluster/3.probe.one" && does 3 true && helper_start 3 &&
        led_by 3 1 2 3
}

stopped_helper_puts_the_node_on_standby() {
    kill -STOP "${helper_pid[3]}" && led_by 2 1 2 3 &&
        fault_is 3 'checks: `electctl checks` does not answer' 1 2 3 &&
        kill -CONT "${helper_pid[3]}" && led_by 3 1 2 3
}

one_helper_is_enough() {
    exits 6 "$electctl" -s "$cluster/3.sock" checks &&
        is 'why' 'electctl: another `electctl checks` is connected already' \
            "$said" && status_has 3 'health   1 check, all pass' &&
        exits 2 ask 3 checks now && is 'leader' 3 "$(
            kv 1 leader_id status)"
}

reload_reaches_the_helper() {
    local file='{ name = "file"; command = ["ls", "/etc/group"];
        interval = "50ms"; timeout = "60s"; '

    renew 3 "$(of 3 "$once"), $file $once }" &&
        status_becomes 3 'health   2 checks, all pass' && led_by 3 1 2 3 &&
        renew 3 "$(of 3 "$once"), ${file/group/nothing} $once }" &&
        led_by 2 1 2 3 &&
        fault_is 3 'check file: exited 2: ls: cannot access ./etc/nothing' \
            1 2 3 && renew 3 '' && led_by 3 1 2 3 &&
        lacks 3 health && exits 8 reload_wrong &&
        has 'why' 'checks\[0\]: has nothing to do; give it a command, unit, disk or pressure' \
            "$said" && does 3 'exit 4' && renew 3 "$(of 3 "$once")" &&
        led_by 2 1 2 3 &&
        fault_is 3 'check probe: exited 4' 1 2 3 && well
}

# The rest of the file waits for the leader, but the checks are this host's own.
checks_of_a_file_with_a_later_config_version_count_at_once() {
    local guarantee=quorum

    three && helper_start 1 2 3 && led_by 3 1 2 3 &&
        sed -i '1i config_version = 5;' "$cluster/electd.conf" &&
        renew 1 "$(of 1 "$once"), { name = \"more\"; command = [\"true\"]; }" &&
        status_becomes 1 'health   2 checks, all pass' &&
        config_version_becomes 5 1 2 &&
        status_has 1 'health   2 checks, all pass' &&
        does 1 'exit 4' && fault_is 1 'check probe: exited 4' 1 2 3 &&
        sed -i 's/config_version = 5/config_version = 6/' "$cluster/electd.conf" &&
        renew 3 "$(of 3 "$once"), { name = \"more\"; command = [\"true\"]; }" &&
        config_version_becomes 6 2 3 &&
        status_becomes 3 'health   2 checks, all pass' &&
        does 3 'exit 5' && fault_is 3 'check probe: exited 5' 1 2 3 &&
        led_by 2 2 && exits 6 ask 2 resign --to web3 && has 'why' \
        'web3 is on standby: check probe: exited 5; unless a check' "$said"
}

# The leader puts that into effect later, which has no checks of its own.
checks_of_the_leader_stand_when_another_host_proposes_first() {
    local guarantee=quorum

    three && helper_start 1 2 3 && led_by 3 1 2 3 &&
        sed -i '1i config_version = 5;' "$cluster/electd.conf" &&
        checks 2 "$(of 2 "$once")" && exits 0 ask 2 reload &&
        renew 3 "$(of 3 "$once"), { name = \"more\"; command = [\"true\"]; }" &&
        config_version_becomes 5 3 &&
        status_becomes 3 'health   2 checks, all pass'
}

# The same file with a later config version changes nothing more once all have
# it.
other_settings_of_such_a_file_do_so_too() {
    cp -p "$cluster/key" "$cluster/copy" || return
    sed -i -e "s|$cluster/key|$cluster/copy|" \
        -e 's/config_version = 5/config_version = 7/' "$cluster/1.conf"
    exits 0 ask 1 reload && logged 1 'notice: changed: security.key_file' &&
        config_version_becomes 7 3 1 && exits 0 ask 1 reload &&
        has 'what it says' 'already in effect' "$said"
}

# lacks ID WORD: its status has no such line.
lacks() {
    exits 1 grep "^$2" <<<"$(ask "$1" status)"
}

reload_wrong() {
    checks 3 '{ name = "x"; }' && ask 3 reload
}

operator_comes_first() {
    exits 0 ask 3 standby --reason cable && led_by 2 1 2 3 &&
        does 3 'exit 1' &&
        status_becomes 3 $'\n''health   check probe: exited 1'$'\n' &&
        fault_is 3 cable 1 2 3 && exits 0 ask 3 rejoin &&
        is 'answer' 'this node stays on standby: check probe: exited 1' \
            "$said" && fault_is 3 'check probe: exited 1' 1 2 3 &&
        exits 0 ask 3 rejoin && led_by 2 1 2 3 &&
        exits 0 ask 3 standby --for 1h --reason again &&
        fault_is 3 again 1 2 3 && does 3 true &&
        status_becomes 3 $'\n''health   1 check, all pass'$'\n' &&
        fault_is 3 again 1 2 3 && exits 0 ask 3 rejoin &&
        is 'answer' 'this node stands for election again' "$said" &&
        led_by 3 1 2 3
}

checks_go_on_when_the_operators_time_is_over() {
    ask 3 standby --for 300ms --reason short >/dev/null 2>&1
    does 3 'exit 1' && fault_is 3 'check probe: exited 1' 1 2 3 &&
        exits 1 test -e "$cluster/state/"*-3.standby && well
}

# systemctl in another place.
unit_counts_if_it_is_active() {
    mkdir "$cluster/bin" && cat >"$cluster/bin/systemctl" <<EOF || return
#!/bin/sh
[ "\$*" = 'is-active -- web@1.service' ] || { echo "wrong: \$*"; exit 9; }
cat "$cluster/unit"
grep -qx active "$cluster/unit" || exit 3
EOF
    chmod +x "$cluster/bin/systemctl" && echo active >"$cluster/unit" &&
        renew 3 '{ name = "web"; unit = "web@1.service"; interval = "50ms"; timeout = "60s"; rise = 1; fall = 1; }' &&
        helper_end 3 &&
        PATH=$cluster/bin:$PATH helper_start 3 && led_by 3 1 2 3 &&
        status_becomes 3 'health   1 check, all pass' &&
        echo activating >"$cluster/unit" && led_by 2 1 2 3 &&
        fault_is 3 'check web: exited 3: activating' 1 2 3 &&
        echo failed >"$cluster/unit" &&
        fault_is 3 'check web: exited 3: failed' 1 2 3 &&
        echo active >"$cluster/unit" && led_by 3 1 2 3 &&
        renew 3 "$(of 3 "$once")" && helper_end 3 && helper_start 3 &&
        led_by 3 1 2 3
}

# The helper says no more than once a second that nothing has changed.
daemon_hears_little_of_it() {
    local before ran began=$SECONDS asked runs

    renew 3 "$(of 3 'rise = 100; fall = 100;')" &&
        does 3 "head -c 100000 /dev/urandom; $flap" && runs_on 3 || return
    before=$(count 3 control_requests)
    count_runs 3
    ran=$runs
    until count_runs 3 && [ "$runs" -ge $((ran + 30)) ]; do
        [ $((SECONDS - began)) -lt "$seconds_max" ] ||
            complain 'it does not run' || return
        pause
    done
    asked=$(($(count 3 control_requests) - before))
    [ "$asked" -le $((SECONDS - began + 4)) ] ||
        complain "$asked requests in $((SECONDS - began)) s" || return
    is 'cut off' 0 "$(count 3 control_cut_off)" && well
}

program_that_is_missing_is_a_warning() {
    checks 3 '{ name = "gone"; command = ["/etc/gone", "x"]; },
        { name = "shell"; command = ["/bin/sh"]; },
        { name = "somewhere"; command = ["gone"]; }' || return
    exits 0 "$electd" -t -i 3 -c "$cluster/3.conf" &&
        has 'warning' '3.conf: warning: checks: gone: there is no /etc/gone' \
            "$said" && exits 1 grep -E "shell|somewhere" <<<"$said" &&
        exits 0 "$electd" -t --file-only -i 3 -c "$cluster/3.conf" &&
        exits 1 grep gone <<<"$said"
}

verb_is_for_clients_that_may_steer() {
    cp "$electctl" "$cluster/electctl" && chmod 711 "$cluster" &&
        exits 4 setpriv --reuid=65534 --regid=65534 --clear-groups \
            "$cluster/electctl" -s "$cluster/1.sock" checks
}

for guarantee in component quorum; do
    echo "# $guarantee"
    check nobody_leads_before_the_checks_have_run
    check leader_whose_service_is_sick_hands_over
    check service_of_a_follower_is_sick
    check daemon_that_restarts_hears_of_it
done
check check_that_hangs_is_ended
check check_that_forks_leaves_nothing_behind
check check_that_floods_its_output_passes
check check_that_flaps_counts_its_results
check killed_helper_puts_the_node_on_standby
check helper_that_is_ended_takes_its_checks_along
check stopped_helper_puts_the_node_on_standby
check one_helper_is_enough
check reload_reaches_the_helper
check operator_comes_first
check checks_go_on_when_the_operators_time_is_over
check unit_counts_if_it_is_active
check daemon_hears_little_of_it
check program_that_is_missing_is_a_warning
as_root verb_is_for_clients_that_may_steer
check checks_of_a_file_with_a_later_config_version_count_at_once
check other_settings_of_such_a_file_do_so_too
check checks_of_the_leader_stand_when_another_host_proposes_first
helpers_end
check_end
