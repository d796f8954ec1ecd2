/* SPDX-License-Identifier: ISC */
/* What differs between two configurations, and what that change needs. */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_COMPARE_H
#define ELECTD_COMMON_CONFIG_CONFIG_COMPARE_H

#include "common/config/config_rows.h"

#define CHANGE_TEXT_MAX 96 /* "address of " and a name, and its end */

/* Takes one setting that differs, as "timing.heartbeat" or "address of web2".
 * The text is valid during the call. */
typedef void change_taker(
    void *context, enum change change, const char *setting);

/* True if two structs have the same value in a row. */
bool config_is_same(const struct config_row *row, const void *a, const void *b);

/*
 * Tells `take` of each setting in which `wanted` differs from `running`, once,
 * in the order of electd.conf(5). A change of the address of `bound` needs a
 * restart: the socket of this host is bound to it. NODE_NONE: to another one.
 */
void config_compare(const struct config *running, const struct config *wanted,
    node_id bound, change_taker *take, void *context);

#endif
