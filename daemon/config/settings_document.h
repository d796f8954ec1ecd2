/* SPDX-License-Identifier: ISC */
/*
 * Settings that are made of others: by a document, which one node gives to
 * another (PROTOCOL.md, Documents), or by a change. Settings do not change in
 * place: these are copies.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_DOCUMENT_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_DOCUMENT_H

#include "common/config/config_change.h"
#include "daemon/config/settings.h"

/* A copy. NULL without memory. */
struct settings *settings_clone(const struct settings *settings);

/* The settings `own` with room for `more` further nodes, and for links by the
 * degree of the shared settings. NULL without memory. */
struct settings *settings_clone_roomy(const struct settings *own, size_t more);

/*
 * The settings of this host, as in `own`, by another configuration, which is
 * complete. NULL without memory, or if it is of another cluster or guarantee,
 * or does not name this host's node.
 */
struct settings *settings_with(
    const struct settings *own, const struct config *shared);

/* What came of a document. */
enum document_fit {
	DOCUMENT_FITS,    /* there are settings */
	DOCUMENT_WRONG,   /* see the errors */
	DOCUMENT_REMOVED, /* it names no node with the host's id: these settings
	                 * are without an id */
};

/*
 * Makes the settings of which all that hosts share is in a document, any bytes
 * that a node of the cluster gave, and the rest in `own`. *errors says what
 * is wrong, one a line, each with `name` before it; allocated, NULL if nothing
 * is or without memory. Unless DOCUMENT_WRONG, the caller frees *settings.
 */
enum document_fit settings_read_document(const void *document, size_t size,
    const struct settings *own, const char *name, struct settings **settings,
    char **errors);

/* The document of settings that have one, and its size in bytes, at most
 * DOCUMENT_MAX. Allocated; NULL without memory, or if it would be larger. */
uint8_t *settings_document(const struct settings *settings, size_t *size);

/*
 * The settings with this change, and with the next config version. NULL, if
 * that is no configuration; *errors is as for settings_read_document().
 */
struct settings *settings_change_member(const struct settings *settings,
    const struct member_change *change, char **errors);

/*
 * Checks and completes the configuration of settings that
 * settings_clone_roomy() made and whose nodes have changed. False if it is
 * wrong; *errors is as for settings_read_document().
 */
bool settings_finish(
    struct settings *settings, const char *name, char **errors);

#endif
