/* SPDX-License-Identifier: ISC */
/*
 * Documents of later configurations (PROTOCOL.md, Configurations): one that
 * comes in pieces, and one that is kept in the state directory.
 */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_DOCUMENT_H
#define ELECTD_DAEMON_ELECTD_CHANGE_DOCUMENT_H

#include "daemon/config/settings_document.h"

/* A document that comes, or has come. All zero: none. */
struct document {
	struct config_id config_id;
	bool is_lost;   /* there was no memory for it, and it has no bytes */
	node_id giver;  /* of its last piece */
	uint8_t *bytes; /* allocated */
	size_t size;    /* bytes that are there */
	size_t whole;   /* bytes that it will have */
};

/* Takes the piece of an ACTION_DOCUMENT. Without memory the document is
 * lost. */
void document_take(struct document *document, const struct action *action);

/* There is no memory for the document: frees it, marks it as lost, and logs
 * that. The caller tells the node by node_refuse(). */
void document_lose(struct document *document);

/*
 * Reads a document that is whole: see settings_read_document(). It is wrong,
 * too, if it is not the configuration that its giver says. *errors is
 * allocated; NULL without memory.
 */
enum document_fit document_read(const struct document *document,
    const struct settings *own, struct settings **settings, char **errors);

/* Frees it; then it is all zero. */
void document_done(struct document *document);

/* Keeps the settings as they are, and waits for the disk. False if that fails,
 * which was logged. */
bool document_keep(const struct settings *settings);

/* Reads what is kept in the state directory. NULL if there is nothing, or it
 * cannot be used, which was logged. */
struct settings *document_kept(
    const struct settings *settings, const char *path);

/*
 * `wanted`, which was read from a file of an earlier config version than that
 * of `running`: replaces all that hosts share by that of `running`, in place.
 * False without memory; then nothing has changed.
 */
bool document_outrank(struct settings *wanted, const struct settings *running);

/* Replaces all that is a host's own in *wanted by that of `running`, in place.
 * False without memory; then nothing has changed. */
bool document_adopt(struct settings *wanted, const struct settings *running);

/* Replaces *settings in place by *other, which is freed. */
void document_replace(struct settings *settings, struct settings *other);

#endif
