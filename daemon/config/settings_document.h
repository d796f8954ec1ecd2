/* SPDX-License-Identifier: ISC */
/*
 * The document of an edition: the settings that the nodes of a cluster share,
 * as a configuration text (PROTOCOL.md, Editions). One node gives it to
 * another, which puts it together with the settings of its own host.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_DOCUMENT_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_DOCUMENT_H

#include "daemon/config/settings.h"

/*
 * True if these settings have a document: if the host knows all nodes.
 */
bool settings_have_document(const struct settings *settings);

/* QUORUM: true if no leader has put these settings into effect yet: they are
 * those of a file. */
bool settings_are_unstamped(const struct settings *settings);

/* The document, and its size in bytes, at most DOCUMENT_MAX. Allocated; NULL
 * without memory, or if it would be larger. */
char *settings_document(const struct settings *settings, size_t *size);

/* Prints how a document begins: what only electd says. */
void settings_print_numbers(const struct settings *settings, FILE *to);

/* What is this host's own, and no document may change. */
struct own_settings {
	node_id id; /* NODE_NONE: that of the first node of a document */
	enum guarantee guarantee;
	char cluster[NAME_MAX_BYTES];
	uint32_t file_generation;
	char *text; /* what settings_print_own() prints, but without the id;
	             * allocated */
};

/* The text is NULL without memory. */
struct own_settings settings_own(const struct settings *settings);

/* What came of a document. */
enum joined {
	JOINED,         /* there are settings */
	JOINED_WRONG,   /* see the errors */
	JOINED_REMOVED, /* it names no node with the host's id */
};

/*
 * Makes the settings of which all that hosts share is in a document, any bytes
 * that a node of the cluster gave, and the rest in `own`. They have a document
 * themselves, and the host's id and cluster. If not JOINED, writes errors to
 * `errors` as settings_parse() does, with `name` for the path; else the caller
 * frees *settings.
 */
enum joined settings_join(const char *document, size_t size,
    const struct own_settings *own, const char *name,
    struct settings **settings, FILE *errors);

#endif
