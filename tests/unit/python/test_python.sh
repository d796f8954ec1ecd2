#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The cases of test_electd.py.
# Computes only.
set -u

cd "$(dirname "$0")" || exit
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=../../../daemon/libelectd/python \
    python3 -W error -m unittest -v test_electd 2>&1 |
    sed -E '/^test_/ { s/_/ /g
        s/^test ([^(]*) .*\.\.\. ok$/ok \1/
        s/^test ([^(]*) .*\.\.\. skipped (.*)/skip \1: \2/
        s/^test ([^(]*) .*/not ok \1/ }'
exit "${PIPESTATUS[0]}"
