#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2317 # the cases are called by holds()
# `make install`: every file where Debian looks for it, nothing else, no trace
# after `make uninstall`; and systemd's own verdict on the installed units.
# Computes only.
set -u

: "${BUILD:=build}" "${MAKE:=make}"
cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tests/lib/cases.sh
. tests/lib/cases.sh
tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-install-XXXXXX") || exit
trap 'rm -rf "$tmp"' EXIT
trap 'interrupted' INT TERM

# systemd-analyze, when it is interrupted, leaves its own directory behind,
# always in /tmp.
interrupted() {
    find /tmp -maxdepth 1 -name 'systemd-temporary-*' -user "$(id -u)" \
        -newer "$tmp" -empty -delete
    exit 130
}

place() {
    "$MAKE" -s --no-print-directory BUILD="$BUILD" "$@"
}

# The tree without the examples, which are the files of conf/ and a drop-in.
expected=$(
    cat <<'LIST'
usr/bin/electctl 755
usr/bin/electsim 755
usr/include/electd.h 644
usr/lib/libelectd.a 644
usr/lib/libelectd.so.0 644
usr/lib/pkgconfig/libelectd.pc 644
usr/lib/python3/dist-packages/electd.py 644
usr/lib/systemd/system/electd-checks.service 644
usr/lib/systemd/system/electd-checks@.service 644
usr/lib/systemd/system/electd-follow.service 644
usr/lib/systemd/system/electd-follow@.service 644
usr/lib/systemd/system/electd-leader.service 644
usr/lib/systemd/system/electd-leader.target 644
usr/lib/systemd/system/electd-leader@.service 644
usr/lib/systemd/system/electd-leader@.target 644
usr/lib/systemd/system/electd-wait.service 644
usr/lib/systemd/system/electd-wait@.service 644
usr/lib/systemd/system/electd.service 644
usr/lib/systemd/system/electd@.service 644
usr/lib/systemd/system/electvip@.service 644
usr/lib/systemd/system/electweb@.service 644
usr/lib/systemd/system/electweb@.socket 644
usr/lib/sysusers.d/electd.conf 644
usr/lib/tmpfiles.d/electd.conf 644
usr/libexec/electd/lastwill 711
usr/libexec/electd/leader-target 755
usr/sbin/electd 755
usr/sbin/electvip 755
usr/sbin/electweb 755
usr/share/bash-completion/completions/electctl 644
usr/share/doc/electd/LICENSE 644
usr/share/doc/electd/README.md 644
usr/share/fish/vendor_completions.d/electctl.fish 644
usr/share/man/man1/electctl.1 644
usr/share/man/man1/electsim.1 644
usr/share/man/man3/electd.3 644
usr/share/man/man5/electd.conf.5 644
usr/share/man/man7/electd-operating.7 644
usr/share/man/man7/electd-overview.7 644
usr/share/man/man7/electd-protocol.7 644
usr/share/man/man7/electd-recipes.7 644
usr/share/man/man8/electd.8 644
usr/share/man/man8/electvip.8 644
usr/share/man/man8/electweb.8 644
usr/share/zsh/vendor-completions/_electctl 644
LIST
)
files_are_in_place() {
    place install DESTDIR="$tmp/tree" || return
    diff <(echo "$expected") <(cd "$tmp/tree" &&
        find . -type f ! -path '*/examples/*' -printf '%P %m\n' | LC_ALL=C sort)
}

examples_are_all_there() {
    mkdir "$tmp/examples" &&
        cp -r conf/* systemd/*.conf "$tmp/examples" &&
        diff -r "$tmp/examples" "$tmp/tree/usr/share/doc/electd/examples"
}

links_of_the_readme_lead_to_installed_files() {
    local docs=$tmp/tree/usr/share/doc/electd link lacking=0

    while read -r link; do
        [ -e "$docs/$link" ] || {
            echo "README.md links $link, which is not installed"
            lacking=1
        }
    done < <(grep -o '](\([^)]*\))' "$docs/README.md" | tr -d '()]')
    [ "$lacking" = 0 ]
}

uninstalled_without_a_trace() {
    place uninstall DESTDIR="$tmp/tree" || return
    [ -z "$(find "$tmp/tree" -type f)" ]
}

# Without a file's name they apply the rules of every package on the host.
only_our_own_rules_are_applied() {
    local texts=(README.md conf daemon/man systemd)

    grep -rqE "$applies" "${texts[@]}" && ! applied_beyond "${texts[@]}"
}

applies='systemd-(sysusers|tmpfiles --create)'

# applied_beyond FILE...: prints lines that apply the rules of others, too;
# fails if there are none.
applied_beyond() {
    grep -rnE "$applies" "$@" | grep -vE 'electd\.conf([ ;]|$)'
}

rules_of_every_package_are_found() {
    mkdir "$tmp/text" && cp daemon/man/* "$tmp/text" &&
        ! applied_beyond "$tmp/text" &&
        echo '# systemd-tmpfiles --create' >>"$tmp/text/electd.8" &&
        applied_beyond "$tmp/text" >/dev/null
}

# pages: the manual pages of the list, as name.section.
pages() {
    sed -n 's|^usr/share/man/man./\(.*\) 644$|\1|p' <<<"$expected"
}

pages_name_each_other() {
    local page other lacking=0

    for page in $(pages); do
        for other in $(pages); do
            [ "$page" = "$other" ] ||
                sed -n '/^\.Sh SEE ALSO/,$p' \
                    "$tmp/tree/usr/share/man/man${page##*.}/$page" |
                grep -q "^\.Xr ${other%.*} ${other##*.}\( ,\)*\$" || {
                echo "SEE ALSO of $page lacks $other"
                lacking=1
            }
        done
    done
    [ "$lacking" = 0 ]
}

program_runs_from_its_place() {
    "$tmp/prefix/sbin/electd" -V && "$tmp/prefix/bin/electctl" --help &&
        "$tmp/prefix/sbin/electvip" -V && "$tmp/prefix/sbin/electweb" -V
}

units_name_programs_of_their_own_place() {
    ! grep -nE '(^|[^a-z])/usr/(s?bin|libexec)/' \
        "$tmp"/prefix/lib/systemd/system/*
}

# Nothing in the units of the one cluster of a host stands for a name.
units_of_the_one_cluster_have_its_files() {
    local units=$tmp/prefix/lib/systemd/system

    ! grep -nE 'NAME|^[^#]*%i|@\.' "$units"/electd*[!@].* &&
        grep -q '^ExecStart=.*/etc/electd/electd\.conf' \
            "$units/electd.service" &&
        grep -q '^ExecStart=.*/etc/electd/changed.$' \
            "$units/electd-follow.service"
}

# Where memory is short the kernel kills others first, and electd goes on if
# that takes its helper. Prints the units that do not say so.
units_outlive_others() {
    local units=$tmp/prefix/lib/systemd/system

    ! {
        grep -Lx OOMScoreAdjust=-900 "$units"/{electd,electvip@}.service
        grep -Lx OOMPolicy=continue "$units"/electd.service
    } | grep .
}

# A good answer is empty; the exit status says nothing.
systemd_has_no_complaint() {
    local said

    said=$(MANPATH=$tmp/prefix/share/man \
        SYSTEMD_UNIT_PATH=$tmp/prefix/lib/systemd/system: \
        systemd-analyze verify "$@" electd.service electd@web.service \
            electd-wait.service electd-wait@web.service \
            electd-follow.service electd-follow@web.service \
            electd-checks.service electd-checks@web.service \
            electd-leader.service electd-leader@web.service \
            electd-leader.target electd-leader@web.target \
            electvip@web.service electweb@web.service \
            electweb@web.socket 2>&1)
    echo "$said"
    [ -z "$said" ]
}

# The units of electd-recipes(7), on the page and among the examples.
recipes_have_no_complaint() {
    local units=$tmp/prefix/lib/systemd/system said

    sed -n '/^# .etc.systemd.system.scheduler/,/^\.Ed/{/^[.#]/d; p}' \
        daemon/man/electd-recipes.7 >"$tmp/scheduler.service" &&
        sed -i "s|/usr/bin/electctl|$tmp/prefix/bin/electctl|
            s|/usr/local/sbin/pg-node|/bin/true|" "$tmp"/*.service \
            "$tmp"/prefix/share/doc/electd/examples/postgresql/*.service &&
        said=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no \
            "$tmp"/scheduler.service \
            "$tmp"/prefix/share/doc/electd/examples/postgresql/*.service 2>&1)
    echo "$said"
    [ -z "$said" ]
}

# unit_is_locked_up UNIT LEVEL: fails if its exposure is higher.
unit_is_locked_up() {
    local level

    level=$(systemd-analyze security --offline=true \
        "$tmp/prefix/lib/systemd/system/$1" |
        sed -n 's/.*exposure level for [^:]*: \([0-9.]*\) .*/\1/p')
    echo "$1: exposure $level"
    awk -v level="$level" -v most="$2" \
        'BEGIN { exit !(level != "" && level <= most) }'
}

# The drop-in lets through what it is for, and hardly more.
realtime_is_permitted_by_its_drop_in() {
    local units=$tmp/prefix/lib/systemd/system

    install -D -m 644 -t "$units/electd.service.d" \
        "$tmp/prefix/share/doc/electd/examples/realtime.conf" &&
        systemd_has_no_complaint --man=no &&
        unit_is_locked_up electd.service 1.8 &&
        systemd-analyze security --offline=true "$units/electd.service" |
        grep -q 'RestrictRealtime= .*may acquire' &&
        rm -r "$units/electd.service.d"
}

# In a root of its own: makes the users, and hides a key from other users.
user_and_keys_are_set_up() {
    local root=$tmp/root

    place install DESTDIR="$root" && mkdir -p "$root/etc/electd" || return
    install -m 644 /dev/null "$root/etc/electd/web.key"
    systemd-sysusers --root="$root" electd.conf &&
        systemd-tmpfiles --root="$root" --create electd.conf || return
    grep -q '^electd:.*:electd-checks$' "$root/etc/group" || return
    uid=$(sed -n 's/^electd:[^:]*:\([0-9]*\):.*/\1/p' "$root/etc/passwd")
    diff <(printf '%s\n' "755 0 etc/electd" "600 $uid etc/electd/web.key" \
        "755 $uid run/electd") \
        <(cd "$root" && stat -c '%a %u %n' etc/electd etc/electd/web.key \
            run/electd)
}

holds 'files are in place' files_are_in_place
holds 'examples are all there' examples_are_all_there
holds 'links of the README lead to installed files' \
    links_of_the_readme_lead_to_installed_files
holds 'only our own rules are applied' only_our_own_rules_are_applied
holds 'those of every package are found' rules_of_every_package_are_found
holds 'each manual page names all others' pages_name_each_other
holds 'uninstalled without a trace' uninstalled_without_a_trace
place install PREFIX="$tmp/prefix" || exit
holds 'program runs from its place' program_runs_from_its_place
holds 'units name programs of their own place' \
    units_name_programs_of_their_own_place
holds 'units of the one cluster have its files' \
    units_of_the_one_cluster_have_its_files
holds 'units outlive others where memory is short' units_outlive_others
if command -v systemd-analyze >/dev/null &&
    [ -e /usr/lib/systemd/system/sysinit.target ]; then
    man=--man=no
    command -v man >/dev/null && man=--man=yes
    holds 'systemd has no complaint' systemd_has_no_complaint $man
    holds 'nor about the recipes' recipes_have_no_complaint
    for unit in electd electd-wait electd-checks electd-leader; do
        holds "$unit.service is locked up" unit_is_locked_up $unit.service 1.5
    done
    holds 'electvip@.service is locked up' unit_is_locked_up \
        electvip@.service 1.6
    holds 'electweb@.service is locked up' unit_is_locked_up \
        electweb@.service 1.5
    holds 'real time is permitted by its drop-in' \
        realtime_is_permitted_by_its_drop_in
else
    echo 'skip units: systemd is not installed'
fi
if [ "$(id -u)" -eq 0 ] && command -v systemd-sysusers >/dev/null &&
    command -v systemd-tmpfiles >/dev/null; then
    holds 'user and keys are set up' user_and_keys_are_set_up
else
    echo 'skip user and keys: needs root, systemd-sysusers, systemd-tmpfiles'
fi
cases_end
