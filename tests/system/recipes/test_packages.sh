#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The packages: what is in them, and what they do to three hosts with systemd
# that have no compiler.
#
# The hosts need the tree of recipes.sh; without it they are left out.
# shellcheck disable=SC2015,SC2016,SC2034,SC2154,SC2317 # live.sh; cases by name
set -u

hosts=3
for program in git dpkg-buildpackage dh lintian rpmbuild; do
    command -v "$program" >/dev/null ||
        { echo "skip: $program is not installed"; exit 77; }
done
# shellcheck source=tests/system/lan/hosts.sh
. "$(dirname "$0")/../lan/hosts.sh"
# shellcheck source=tests/system/rollout/machines.sh
. tests/system/rollout/machines.sh
# shellcheck source=tests/system/recipes/page.sh
. tests/system/recipes/page.sh

git rev-parse -q --verify HEAD >/dev/null 2>&1 ||
    { echo 'skip: there is no history to make a tarball of'; exit 77; }
tree=$BUILD/recipes/debian/tree
cluster=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit
machines=$cluster/machines record=$cluster
later=999 # the version of an upgrade

# In place of live.sh's.
live_end() {
    machines_abandon
    rm -rf --one-file-system "$cluster"
} 2>/dev/null

## What is in them

# make_in DIRECTORY TARGET WORD...: without what this make was told.
make_in() {
    env -u MAKEFLAGS -u MAKELEVEL CCACHE_DISABLE=1 \
        DEB_BUILD_OPTIONS="nocheck parallel=2" \
        "${MAKE:-make}" -s BUILD="$1" "${@:2}" >"$cluster/log" 2>&1 ||
        complain "$(tail -n 20 "$cluster/log")"
}

packages_are_the_same_from_every_directory() {
    local package name

    make_in "$cluster/one" deb && make_in "$cluster/two/deep" deb || return
    for package in "$cluster"/one/deb/*.deb; do
        name=${package##*/}
        cmp "$package" "$cluster/two/deep/deb/$name" ||
            complain "$name differs" || return
    done
    is 'packages' \
        "electd-dbgsym electd-tools-dbgsym electd-tools electd electweb-dbgsym electweb $(
            )libelectd-dev libelectd0-dbgsym libelectd0 python3-electd " \
        "$(cd "$cluster/one/deb" && echo *.deb | sed 's/_[^ ]*\.deb */ /g')"
}

# It leaves files behind.
lintian_finds_nothing() {
    TMPDIR=$cluster lintian --allow-root --fail-on error,warning \
        "$cluster"/one/deb/*.changes >"$cluster/log" 2>&1 ||
        complain "$(cat "$cluster/log")"
}

# plain: of a list of files and modes, what `make install` has as well: all but
# what Debian and RPM add, where `make install` has it, not compressed.
plain() {
    sed -e 's|^/*||' -e 's|^lib/|usr/lib/|' -e 's|\.gz | |' \
        -e 's|^usr/lib/[^/]*-linux-gnu/|usr/lib/|' -e 's|^usr/lib64/|usr/lib/|' \
        -e 's|zsh/site-functions|zsh/vendor-completions|' \
        -e '/\/doc\/[^/]*\/\(changelog\|copyright\) /d' \
        -e '/\/lintian\/\|\/\.build-id\//d' | LC_ALL=C sort
}

files_of_tree() {
    find "$1" -type f -printf '%P %m\n'
}

debian_packages_have_what_is_installed() {
    local package

    make_in "$BUILD" install DESTDIR="$cluster/installed" || return
    for package in "$cluster"/one/deb/{electd,electd-tools,electweb,libelectd0,libelectd-dev,python3-electd}_*.deb; do
        dpkg-deb -x "$package" "$cluster/unpacked" || return
    done
    diff <(files_of_tree "$cluster/installed" | plain) \
        <(files_of_tree "$cluster/unpacked" | plain)
}

rpm_packages_have_the_same() {
    make_in "$cluster/one" rpm CHECK=--nocheck || return
    diff <(files_of_tree "$cluster/installed" | plain) \
        <(rpm -qp --qf '[%{FILENAMES} %{FILEMODES:octal}\n]' \
            "$cluster"/one/rpm/*/*.rpm 2>/dev/null |
            sed -n 's/ 10\?0\(...\)$/ \1/p' | plain)
}

## What they do to hosts

# apt N VERB WORD...: without a question.
apt() {
    on "$1" env DEBIAN_FRONTEND=noninteractive apt-get -y "${@:2}" \
        >"$cluster/apt" 2>&1 </dev/null || complain "$(tail "$cluster/apt")"
}

# as_later PACKAGE: a package with the same files and a later version.
as_later() {
    dpkg-deb -R "$1" "$cluster/later" &&
        sed -i "s/^Version: .*/Version: $later/" "$cluster/later/DEBIAN/control" &&
        dpkg-deb -b "$cluster/later" "$cluster/later.deb" >"$cluster/log"
}

fresh_install_starts_nothing() {
    local n unit

    for n in 1 2 3; do
        cp "$cluster"/one/deb/electd_*.deb "$(root "$n")/" &&
            apt "$n" install "./$(basename "$cluster"/one/deb/electd_*.deb)" &&
            is "electd of web$n" 'inactive disabled' \
                "$(on "$n" systemctl is-active electd) $(on "$n" systemctl is-enabled electd)" &&
            is 'failed units' '' \
                "$(on "$n" systemctl list-units -q --failed 'elect*')" &&
            is 'lastwill' '711 root' "$(on "$n" stat -c '%a %U' \
                /usr/libexec/electd/lastwill)" &&
            is '/var/lib/electd' '700 electd' \
                "$(on "$n" stat -c '%a %U' /var/lib/electd)" || return
    done
}

three_hosts_elect_as_the_readme_says() {
    readme_conf >"$(root 1)/etc/electd/electd.conf" &&
        follow README.md 'Three hosts'
}

# page N PATH: the status of a page of electweb there.
page() {
    on "$1" curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:8008$2"
}

# It starts at the first question, and gets its socket from systemd.
electweb_says_where_the_leader_is() {
    local n said=()

    for n in 1 2 3; do
        cp "$cluster"/one/deb/electweb_*.deb "$(root "$n")/" &&
            apt "$n" install "./$(basename "$cluster"/one/deb/electweb_*.deb)" &&
            is "electweb of web$n" inactive \
                "$(on "$n" systemctl is-active electweb@web)" &&
            on "$n" systemctl -q enable --now electweb@web.socket || return
        said+=("$(page "$n" /leader)")
    done
    is '/leader' '503 503 200' "${said[*]}" &&
        is '/follower' '200 200 503' \
            "$(page 1 /follower) $(page 2 /follower) $(page 3 /follower)" &&
        is '/metrics' 200 "$(page 2 /metrics)" &&
        is 'electweb of web1' active "$(on 1 systemctl is-active electweb@web)"
}

# All is well on all hosts.
is_well() {
    local n

    for n in 1 2 3; do
        on "$n" electctl -q status --check || return
    done
} >/dev/null 2>&1

# term: of the leader.
term() {
    on 1 electctl -o kv status | sed -n 's/^term=//p'
}

# starts N: how often electd has been started there.
starts() {
    on "$1" journalctl -q -u electd -u electd@electd | grep -c ' Started '
}

# kept N: what an upgrade must not change there.
kept() {
    on "$1" sh -c 'sha256sum /etc/electd/* && ls /var/lib/electd/*.state &&
        ls -l /etc/systemd/system/*.wants'
}

# host_is_upgraded N: it starts once, and costs one leader at most.
host_is_upgraded() {
    local before_term before_starts before_kept

    before_term=$(term) before_starts=$(starts "$1") before_kept=$(kept "$1")
    cp "$cluster/later.deb" "$(root "$1")/" &&
        apt "$1" install ./later.deb && awaits "$seconds_max" is_well &&
        is "version on web$1" "$later" \
            "$(on "$1" dpkg-query -f '${Version}' -W electd)" &&
        is "starts on web$1" $((before_starts + 1)) "$(starts "$1")" &&
        is "files on web$1" "$before_kept" "$(kept "$1")" || return
    [ $(($(term) - before_term)) -le 1 ] ||
        complain "web$1: from term $before_term to $(term)"
}

# The better host does not take the lead back, which would be a second change.
# web2 has the unit of a host of several clusters.
upgrade_costs_one_leader_at_most() {
    local n

    as_later "$cluster"/one/deb/electd_*.deb || return
    for n in 1 2 3; do
        sed -i '1i preempt = "never"; config_version = 1;' \
            "$(root "$n")/etc/electd/electd.conf" || return
    done
    for n in 1 2 3; do
        on "$n" electctl -q reload || return
    done
    on 2 systemctl -q disable --now electd &&
        on 2 systemctl -q enable --now electd@electd &&
        awaits "$seconds_max" is_well || return
    for n in 1 2 3; do
        host_is_upgraded "$n" || return
    done
}

# web2's unit is an instance.
removed_daemon_ends_and_leaves_its_state() {
    local pid before

    pid=$(main_of 2 electd@electd) before=$(kept 2)
    apt 2 remove electd || return
    ! on 2 test -e "/proc/$pid" || complain 'electd runs on' || return
    awaits "$seconds_max" eval \
        '[[ $(on 1 electctl status --check) == *"2 of 3 nodes up"* ]]' &&
        is 'files' "$before" "$(kept 2)" && apt 2 install ./later.deb &&
        is 'electd' inactive "$(on 2 systemctl is-active electd@electd)" &&
        on 2 systemctl start electd@electd && awaits "$seconds_max" is_well
}

purged_package_leaves_users_and_what_was_written_by_hand() {
    local n

    for n in 1 2 3; do
        apt "$n" purge electd electweb && is "what is left on web$n" \
            $'/etc/electd/electd.conf\n/etc/electd/web.key' \
            "$(on "$n" find /etc /usr /var/lib /run '(' -path '*/electd*' -o \
                -name 'electvip*' -o -name 'electweb*' ')' -type f \
                -o -xtype l -name 'elect*')" &&
            on "$n" sh -c '[ ! -e /var/lib/electd ]' &&
            is 'user' electd "$(on "$n" id -nu electd)" || return
    done
}

check packages_are_the_same_from_every_directory
check lintian_finds_nothing
check debian_packages_have_what_is_installed
check rpm_packages_have_the_same
if [ -d "$tree" ] && command -v systemd-nspawn >/dev/null; then
    hosts_boot || exit
    check fresh_install_starts_nothing
    check three_hosts_elect_as_the_readme_says
    check electweb_says_where_the_leader_is
    check upgrade_costs_one_leader_at_most
    check removed_daemon_ends_and_leaves_its_state
    check purged_package_leaves_users_and_what_was_written_by_hand
else
    echo "skip hosts: no $tree, or no systemd-nspawn"
fi
cases_end
