/* SPDX-License-Identifier: ISC */
/*
 * From a draft, whose settings are each good by themselves, to settings that
 * are good together. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_BUILD_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_BUILD_H

#include "daemon/config/settings_schema.h"

#define ENTRY_MAX_BYTES 40 /* "neighbours[1023].address" and its end */

/*
 * Gives settings, complete with defaults; of no use if there are errors.
 * NULL: no memory, which is an error too. `id` as for settings_read().
 */
struct settings *settings_build(
    const struct draft *draft, node_id id, struct settings_errors *errors);

/*
 * The part of it that is about nodes: who there is, and which of them we
 * are (settings->id, NODE_NONE if nothing says so).
 */
void settings_build_nodes(struct settings *settings, const struct draft *draft,
    node_id id, struct settings_errors *errors);

/* `path` with every "%i" as `id`; allocated; NULL: no memory. */
char *socket_expand(const char *path, node_id id);

#endif
