#!/bin/sh
# SPDX-License-Identifier: ISC
# identity.sh COMPILER FLAGS FILE...: prints a C source with the name of this
# build of the core: a hash of the compiler, its target, its flags and these
# files. A checkpoint of a node is bytes of its memory, so only a program of the
# same build can put it into its own.
set -eu

compiler=$1 flags=$2
shift 2
hash=$({
    "$compiler" --version
    "$compiler" -dumpmachine
    echo "$flags"
    cat "$@"
} | sha256sum)
cat <<END
/* Made by daemon/tape/identity.sh. */
#include "daemon/tape/identity.h"

const char build_identity[BUILD_IDENTITY_MAX] = "${hash%% *}";
END
