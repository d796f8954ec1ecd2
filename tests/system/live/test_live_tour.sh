#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Runs the commands of TOUR in electd-overview(7) in their order, and compares
# what they print with what the page shows, but for times and terms. Then runs
# the programs of the README and of electd-recipes(7) on a cluster of one.
# shellcheck disable=SC2317 # finish() is called by a trap
set -u

cd "$(dirname "$0")/../../.." || exit
: "${BUILD:=build}"
root=$PWD
PATH=$(cd "$BUILD" && pwd):$PATH
tmp=$(mktemp -d "${TMPDIR:-/tmp}/electd-XXXXXX") || exit
# shellcheck source=tests/lib/wait.sh
. tests/lib/wait.sh
host=127.$((RANDOM % 254 + 1)).$((RANDOM % 254 + 1)).1
seconds_max=60
failures=0
started=1 # the term of the last election that `elect` began

finish() {
    local pid

    while read -r pid; do
        kill "$pid" || continue
        timeout "$seconds_max" tail --pid="$pid" -f /dev/null ||
            kill -KILL "$pid"
    done < <(cat "$tmp"/build/*/*.pid) 2>/dev/null
    rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Leaves out what differs between two runs: times, terms, addresses, the layout,
# and how the loss of a leader was noticed, which depends on the host's load.
essence() {
    sed -E 's/^[0-9-]+T[0-9:.]+Z/TIME/; s/127(\.[0-9]+){3}/HOST/g
        s/[0-9.]+ (us|ms|s|min)([^a-z]|$)/T\2/g; s/\<([Tt]erm.)[0-9]+/\1N/g
        s/((valid_ms|until_boot_ns)=)[0-9]+/\1N/
        s/(died|refused|missed)/LOST/g' | tr -s ' \n' '  '
}

# A command that changes something runs once. One that only asks is repeated
# until it prints the right text, for as long as a busy host may take.
changes_something() {
    [[ $1 =~ ^(cp|mkdir|\(umask|start|for|kill)|keygen|\ watch\ |\
^ask\ .*(elect|resign|rejoin)$ ]]
}

# here COMMAND: the command as it is to be run here. The term of an election is
# the one that `elect` has just said: on a busy host a start takes several.
here() {
    sed -E -e "s,/usr/share/doc/electd/examples,$tmp/examples,g" \
        -e "s/--term [0-9]+/--term $started/" <<<"$1"
}

# run COMMAND WANTED: runs a case.
run() {
    local until=$((SECONDS + seconds_max)) wanted

    wanted=$(essence <<<"$2")
    while :; do
        eval "$(here "$1")" >"$tmp/said" 2>&1 </dev/null
        disown -a # or the shell tells of each that is killed
        [ "$(essence <"$tmp/said")" = "$wanted" ] && break
        # A command without output may leave an empty line or none.
        [ -z "$2" ] && [ ! -s "$tmp/said" ] && break
        if changes_something "$1" || [ $SECONDS -ge $until ]; then
            printf 'not ok %s\n    wanted: %s\n    got: %s\n' \
                "${1//$'\n'/; }" "$wanted" "$(essence <"$tmp/said")"
            failures=$((failures + 1))
            return
        fi
        pause
    done
    [[ $(<"$tmp/said") =~ ^election\ started,\ term\ ([0-9]+)$ ]] &&
        started=${BASH_REMATCH[1]}
    printf 'ok %s\n' "${1//$'\n'/; }"
}

# The literal displays of the section TOUR as text: "$ " begins a command, "> "
# goes on with it, and all else is what it prints.
displays() {
    sed -n '/^\.Sh TOUR/,/^\.Sh ALGORITHMS/ { /^\.Bd/,/^\.Ed/ { /^\./d
        s/\\e/\\/g; s/\\-/-/g; p } }' "$root/daemon/man/electd-overview.7"
}

tour() {
    local line i
    local -a commands=() answers=()

    while IFS= read -r line; do
        case $line in
        '$ '*)
            commands+=("${line#'$ '}")
            answers+=('')
            ;;
        '>'*) commands[-1]+=$'\n'${line#>} ;;
        *) answers[-1]+=${answers[-1]:+$'\n'}$line ;;
        esac
    done < <(displays)
    for i in "${!commands[@]}"; do
        run "${commands[i]}" "${answers[i]}"
    done
}

# A block of the README: the lines after the one that holds WORDS, indented.
block_after() {
    awk -v words="$1" 'index($0, words) { on = 1; next }
        on && /^    / { print substr($0, 5); told = 1; next }
        on && told && NF { exit }
        on && told { print "" }' "$root/README.md"
}

# A display of electd-recipes(7): the one after the line that is WORDS.
display_after() {
    awk -v words="$1" '$0 == words { on = 1; next }
        on && /^\.Ed/ { exit }
        on && !/^\.Bd/ { gsub(/\\e/, "\\"); print }' "$root/daemon/man/electd-recipes.7"
}

mkdir "$tmp/examples" && cd "$tmp" || exit
for conf in "$root"/conf/loopback*.conf; do
    sed "s/\"127\.0\.0\.1:/\"$host:/" "$conf" >"examples/${conf##*/}"
done
tour

# A cluster of one, with the settings of the README.
mkdir -p build/web && (umask 077; electctl keygen >build/web/key)
cat >web.conf <<CONF
cluster = "web";
guarantee = "quorum";
nodes = ( { id = 1; name = "web1"; address = "$host:7420"; } );
security = { key_file = "./build/web/key"; };
control = { socket = "./build/web/web.sock"; };
state_dir = "./build/web";
CONF
electd --init-cluster -c web.conf -i 1 >/dev/null || exit
electd -c web.conf -i 1 2>build/web/log &
echo $! >build/web/1.pid
export ELECTD_SOCKET=$tmp/build/web/web.sock
electctl -q -t "${seconds_max}s" wait leader || cat build/web/log
block_after 'that a shell can' >program.sh
run 'bash program.sh' 'this host leads, with the token 1'
if command -v python3 >/dev/null; then
    {
        printf 'def work(term):\n    raise SystemExit(f"in term {term}")\n'
        display_after 'In Python:' | sed "s|/run/electd/web.sock|$ELECTD_SOCKET|"
    } >program.py
    run 'python3 program.py' 'in term 1'
    {
        sed -n 1,2p program.py
        display_after 'is its manual:' |
            sed "s|\"web\"|socket=\"$ELECTD_SOCKET\"|"
    } >module.py
    run "PYTHONPATH=$root/daemon/libelectd/python python3 -B module.py" \
        'in term 1'
else
    echo 'skip program.py: python3 is not installed'
fi
exit $((failures > 0))
