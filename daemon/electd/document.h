/* SPDX-License-Identifier: ISC */
/*
 * Documents of later editions (PROTOCOL.md, Editions): one that comes in
 * pieces, and one that was kept before the start.
 */
#ifndef ELECTD_DAEMON_ELECTD_DOCUMENT_H
#define ELECTD_DAEMON_ELECTD_DOCUMENT_H

#include "daemon/config/settings.h"

/* A document that comes, or has come. All zero: none. */
struct document {
	struct edition edition;
	node_id giver; /* of its last piece */
	char *bytes;   /* allocated */
	size_t size;   /* bytes that are there */
	size_t whole;  /* bytes that it will have */
};

/* Takes the piece of an ACTION_DOCUMENT. True once the document is whole.
 * Without memory it stays empty, which was logged. */
bool document_take(struct document *document, const struct action *action);

/* Frees it; then it is all zero. */
void document_done(struct document *document);

/*
 * Puts the settings into effect that are kept in the state directory, if they
 * are later than those of the file `path`, and logs that. *settings, which has
 * an id, is replaced in place. A document that is kept and wrong is logged, and
 * ignored.
 */
void document_recall(struct settings *settings, const char *path);

/*
 * `wanted`, which was read from a file of an earlier generation than that of
 * `running`: replaces all that hosts share by that of `running`, in place.
 * False without memory; then nothing has changed.
 */
bool document_outrank(struct settings *wanted, const struct settings *running);

#endif
