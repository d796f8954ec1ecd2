#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What `electctl metrics` prints of real daemons is what Prometheus reads, and
# what the alerts and the dashboard ask for. Its own tools are asked, if they are
# there.
# shellcheck disable=SC2317 # cases are called by name
# shellcheck source=tests/system/live/live.sh
. "$(dirname "$0")/../live/live.sh"

# metrics ID: those of a node.
metrics() {
    ask "$1" metrics
}

# value ID NAME: of a metric without labels.
value() {
    metrics "$1" | sed -n "s/^$2 //p"
}

# leads ID...: for each node 1 if it leads, else 0.
leads() {
    local id

    for id in "$@"; do
        value "$id" electd_is_leader
    done | paste -sd ' '
}

one_leads_and_all_know_it() {
    fresh && cluster_start 3 1 2 3 && is 'is_leader' '0 0 1' "$(leads 1 2 3)" &&
        is 'has_leader' 1 "$(value 1 electd_has_leader)" &&
        is 'the term' "$(kv 1 term status)" "$(value 1 electd_term)"
}

survivors_count_the_change() {
    local before

    before=$(value 1 electd_leader_changes_total)
    node_kill9 3 && agree 2 1 2 || return
    [ "$(value 1 electd_leader_changes_total)" -gt "$before" ] &&
        is 'who leads' '0 1' "$(leads 1 2)" &&
        has 'the peer' 'electd_peer_up\{peer="three"\} 0' "$(metrics 1)"
}

without_a_daemon_it_is_down() {
    exits 3 "$electctl" -s none.sock metrics 2>/dev/null &&
        is 'what is said' 'electd_up 0' "$(grep "^electd_" <<<"$said")"
}

prometheus_reads_them_without_complaint() {
    is 'complaints' '' "$(metrics 1 | promtool check metrics 2>&1)"
}

each_alert_fires_when_it_should() {
    promtool check rules conf/prometheus/alerts.yml &&
        promtool test rules conf/prometheus/alerts_test.yml
}

# The names that the alerts and the dashboard ask for; what only some hosts have
# is in the unit tests.
what_is_asked_for_is_there() {
    local names

    names=$(cat conf/prometheus/*.yml conf/prometheus/dashboard.json |
        grep -oE '\belectd_[a-z_]+' | sort -u |
        grep -vE '^electd_(check_failing|voters|votes|spare_failures)$')
    is 'what lacks' '' "$(comm -23 <(echo "$names") \
        <(metrics 1 | sed -n 's/^\(electd_[a-z_]*\).*/\1/p' | sort -u))"
}

check one_leads_and_all_know_it
check survivors_count_the_change
check what_is_asked_for_is_there
check without_a_daemon_it_is_down
if command -v promtool >/dev/null; then
    check prometheus_reads_them_without_complaint
    check each_alert_fires_when_it_should
else
    echo 'skip prometheus_reads_them_without_complaint: no promtool'
    echo 'skip each_alert_fires_when_it_should: no promtool'
fi
check_end
