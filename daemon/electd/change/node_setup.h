/* SPDX-License-Identifier: ISC */
/* Makes the node's setup from the settings and the key files. */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_NODE_SETUP_H
#define ELECTD_DAEMON_ELECTD_CHANGE_NODE_SETUP_H

#include "daemon/config/settings.h"

/*
 * Makes what node_init() needs to run as node `self`, except the durable state.
 * It borrows strings from the settings. A node that these do not name is an
 * observer. Returns NULL, with the reason on stderr, if a key file is unusable
 * or there is no memory.
 */
struct node_setup *node_setup_new(
    const struct settings *settings, node_id self);

/* The same with the document of the settings, if they have one: *document is
 * allocated, and the setup borrows it. NULL without memory. */
struct node_setup *node_setup_whole(
    const struct settings *settings, node_id self, uint8_t **document);

/* Reads the key, and the old key if there is one. False, after a line to
 * `errors` for each that is unusable, or one if they have the same id
 * (PROTOCOL.md, Keys). */
bool node_setup_keys(
    const struct settings *settings, struct setup_keys *keys, FILE *errors);

/* Wipes the keys, too. */
void node_setup_free(struct node_setup *setup);

#endif
