# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2015,SC2034,SC2154 # for the caller, and of it
# Sourced on top of tests/system/rollout/machines.sh: the hosts web1 to web3 with
# systemd, on which what a page shows is done as it stands there. `cluster` is a
# directory.
#
#   # /FILE          a display that begins so is the rest of this file on all hosts
#   web1# COMMAND    runs on this host; a backslash at its end continues it
#   # COMMAND        runs on all hosts, one after the other
#   text below       what it prints; below vi what the file says from now on
#
# The addresses 192.0.2.N are 198.18.0.N here. vi alone has a stand-in.

source_tree=$PWD
seconds_max=120

# displays PAGE SECTION: its displays as text, each line after the number of the
# display and a tab. The page is of the manual, or README.md.
displays() {
    if [ "$1" = README.md ]; then
        awk -v section="$2" '/^## / { on = substr($0, 4) == section }
            !/^    / { n++; next }
            on { gsub(/192\.0\.2\./, "198.18.0."); print n "\t" substr($0, 5) }' \
            "$source_tree/README.md"
        return
    fi
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
    awk -f tests/system/live/edit.awk <(printf '%s' "$3") "$file" \
        >"$cluster/edited" && cp "$cluster/edited" "$file"
}

# step HOST COMMAND TEXT: one command. If it prints something else, it is
# repeated for as long as a busy host may take.
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

# hosts_boot: they can reach each other by name, and by ssh as root.
hosts_boot() {
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
                'StrictHostKeyChecking no' >"$(root "$n")/root/.ssh/config" || return
    done
}

# readme_conf: the file of README.md, for the addresses here.
readme_conf() {
    sed -n '/^    cluster = /,/^    );/s/^    //p' "$source_tree/README.md" |
        sed 's/192\.0\.2\./198.18.0./'
}

# ask N WORD...: electctl on machine N.
ask() {
    on "$1" electctl -t 60s "${@:2}"
}

leader() {
    local name

    name=$(ask 1 wait leader) && echo "${name#web}"
}

# main_of N UNIT: the process of the unit.
main_of() {
    on "$1" systemctl show --value -p MainPID "$2"
}
