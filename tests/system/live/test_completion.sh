#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Shells complete electctl by what it tells them. What it tells stands in
# tests/unit/electctl/completing.cases.
# Computes only.
# shellcheck disable=SC2154 # of sentences.sh
set -u

: "${BUILD:=build}"
cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tests/lib/sentences.sh
. tests/lib/sentences.sh
PATH=$(cd "$BUILD" && pwd):$PATH
mkdir "$tmp/some_files" && touch "$tmp/some_files/"{one,two}.json || exit

# in_bash WORD...: prints what the last word may become, and in its last line
# what the function changes about completion.
in_bash() {
    bash --norc -c '
        compopt() { changed+=" $2"; }
        . systemd/completion/electctl
        read -ra rule < <(complete -p electctl)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        "${rule[2]}" "$1" "${@: -1}" "${@: -2:1}"
        echo "${COMPREPLY[*]} ${changed-}"' bash electctl "$@"
}

# in_fish LINE: prints the words alone.
in_fish() {
    HOME=$tmp fish --no-config -c '
        source systemd/completion/electctl.fish
        complete -C $argv[1]' "$1" | cut -f 1 | tr '\n' ' '
}

# In a terminal of its own: zsh completes nowhere else.
in_zsh() {
    timeout 60 zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1= fpath=($PWD/systemd/completion \$fpath)"
        zpty -w shell "autoload -U compinit; compinit -u -d $1/zcompdump"
        zpty -w -n shell "$2"$'"'\t'"'
        zpty -r -m shell said "*$3*"
        print -r -- "$3"
        zpty -d shell' zsh "$tmp" "$@"
}

equal 'bash has verbs' 'status standby stats ' "$(in_bash st)"
equal 'bash has values' 'svg shiviz ' "$(in_bash history --format s)"
equal 'bash has files' \
    "$tmp/some_files/one.json  filenames" \
    "$(in_bash history --file "$tmp/some_files/o")"
equal 'bash has commands' 'compgen ' "$(in_bash run compge)"
equal 'bash goes on behind an equals sign' 'role=  nospace' \
    "$(in_bash members add 4 web4 192.0.2.14:7420 r)"
equal 'bash has nothing for what is wrong' ' ' "$(in_bash --nonsense '')"
if command -v fish >/dev/null; then
    equal 'fish has verbs' 'standby stats status ' "$(in_fish 'electctl st')"
    equal 'fish has files' "$tmp/some_files/one.json " \
        "$(in_fish "electctl history --file $tmp/some_files/o")"
else
    echo 'skip fish: it is not installed'
fi
if command -v zsh >/dev/null; then
    equal 'zsh has values' 'no-leader' \
        "$(in_zsh 'electctl wait no' 'no-leader')"
else
    echo 'skip zsh: it is not installed'
fi
cases_end
