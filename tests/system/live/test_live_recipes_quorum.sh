#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Runs each recipe of electd-operating(7) under the guarantee "quorum".
# Takes 92 s.
# shellcheck disable=SC2034 # for the sourced
guarantee=quorum
# shellcheck source=tests/system/live/test_live_recipes.sh
. "$(dirname "$0")/test_live_recipes.sh"
