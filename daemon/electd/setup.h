/* SPDX-License-Identifier: ISC */
/* The node's own view of the configuration, with the keys read. */
#ifndef ELECTD_DAEMON_ELECTD_SETUP_H
#define ELECTD_DAEMON_ELECTD_SETUP_H

#include "daemon/config/settings.h"

/*
 * Makes what node_init() wants for node `self`, but for its record.
 * NULL, told on stderr, if a key file is no good or there is no memory.
 * setup_free() wipes the keys; NULL is harmless.
 */
struct node_setup *setup_new(const struct settings *settings, node_id self);
void setup_free(struct node_setup *setup);

#endif
