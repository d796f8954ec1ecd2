/* SPDX-License-Identifier: ISC */
/*
 * What differs between two settings of one host, and what a change needs to
 * take effect (electd-operating(7), CHANGING A CLUSTER).
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_CHANGES_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_CHANGES_H

#include "common/config/config_compare.h"
#include "daemon/config/settings.h"

/*
 * Tells `take` of each setting in which `wanted` differs from `running`, once,
 * what all hosts share first. Both have the id of this host's node.
 */
void settings_compare(const struct settings *running,
    const struct settings *wanted, change_taker *take, void *context);

#endif
