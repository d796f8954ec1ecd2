# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034 # for the caller
# Sourced by scripts that run daemons of the last release, on top of live.sh.
# tests/system/live/release names its commit; this builds it from the history.

commit=$(cat tests/system/live/release)
release=$BUILD/release # with its sources, programs and commit
last=$release/src/build/electd

# release_missing: says why it cannot be built here, or fails.
release_missing() {
    ! git cat-file -e "$commit^{commit}" 2>/dev/null &&
        echo "the history with the last release, $commit, is not here"
}

# Programs alone, and only once for each commit: the first script that comes.
build_release() {
    (flock 9 && build_release_alone) 9>"$release.lock"
}

build_release_alone() {
    [ "$commit" != "$(cat "$release/commit" 2>/dev/null)" ] || return 0
    rm -rf "$release" && mkdir -p "$release/src" &&
        git archive "$commit" | tar -x -C "$release/src" || return
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -s -j2 \
        -C "$release/src" BUILD=build ${CC:+CC="$CC"} build/electd \
        build/lastwill >"$release/log" 2>&1 || return
    echo "$commit" >"$release/commit"
}
