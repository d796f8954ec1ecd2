# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by scripts that need more than every host and every user has. Each
# function prints why not if it fails.

# can_have_hosts: succeeds if there can be network namespaces, with mounts of
# their own, and a bridge.
can_have_hosts() {
    local said

    [ "$(id -u)" = 0 ] || { echo 'not root'; return 1; }
    said=$(unshare -n -m --propagation private sh -c 'mkdir -p /run/netns &&
        mount -t tmpfs none /run/netns && ip link add br0 type bridge &&
        ip link add h1 type veth peer name eth0 && ip netns add h1' 2>&1) ||
        { echo "no network namespaces: ${said%%$'\n'*}"; return 1; }
}

# can_have_mounts: succeeds if there can be mounts that this host does not see.
can_have_mounts() {
    local said how=-m

    [ "$(id -u)" = 0 ] || how=-Urm
    said=$(unshare "$how" true 2>&1) ||
        { echo "no mounts of our own: ${said%%$'\n'*}"; return 1; }
}

# can_be_nobody PROGRAM: succeeds if root can run this as a user without rights.
can_be_nobody() {
    [ "$(id -u)" = 0 ] || { echo 'not root'; return 1; }
    as_nobody true 2>/dev/null ||
        { echo 'root may not become another user here'; return 1; }
    as_nobody test -x "$1" ||
        { echo 'another user cannot reach this directory'; return 1; }
}

# as_nobody COMMAND...: runs it as such a user.
as_nobody() {
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# can_freeze: succeeds if there can be a file system that hangs: a file with
# ext4 in it, which fsfreeze stops.
can_freeze() {
    local name

    [ "$(id -u)" = 0 ] || { echo 'not root'; return 1; }
    for name in mkfs.ext4 fsfreeze losetup; do
        command -v "$name" >/dev/null || { echo "no $name"; return 1; }
    done
    losetup -f >/dev/null 2>&1 || { echo 'no loop devices'; return 1; }
}
