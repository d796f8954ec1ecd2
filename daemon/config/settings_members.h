/* SPDX-License-Identifier: ISC */
/*
 * The next settings of a cluster in which one node comes, goes, or has another
 * address: the text of their document, unchecked. Whoever parses it learns what
 * is wrong.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_MEMBERS_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_MEMBERS_H

#include "daemon/config/settings.h"

enum member_change_kind {
	MEMBER_ADD,
	MEMBER_REMOVE,
	MEMBER_REPLACE, /* it has another address */
};

/* One change. Texts are any bytes that end; NULL: not given. */
struct member_change {
	enum member_change_kind kind;
	int64_t id;          /* of the node; but for ADD it is configured */
	const char *name;    /* ADD */
	const char *address; /* ADD, REPLACE */
	const char *role;    /* ADD */
	int64_t priority;    /* ADD */
	bool is_discovered;  /* ADD, QUORUM: no file is to list it */
	bool is_forced;      /* ADD: though it is not heard */
};

/*
 * The document of `settings`, which have one, with this change, and with the
 * next generation. A ring in the order of the ids and the greatest possible
 * diameter, which are the defaults, stay so. *size is its size in bytes.
 * Allocated; NULL without memory.
 */
char *settings_change_member(const struct settings *settings,
    const struct member_change *change, size_t *size);

/* Prints all that hosts share, with the change of a node; NULL: with none. */
void settings_print_changed(const struct settings *settings,
    const struct member_change *change, FILE *to);

#endif
