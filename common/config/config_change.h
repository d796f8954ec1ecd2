/* SPDX-License-Identifier: ISC */
/* The next configuration, in which one node comes, goes, or is elsewhere. */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_CHANGE_H
#define ELECTD_COMMON_CONFIG_CONFIG_CHANGE_H

#include "common/config/config.h"

enum member_change_kind {
	MEMBER_ADD,
	MEMBER_REMOVE,
	MEMBER_REPLACE, /* the node has another address */
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

#define CHANGE_ERROR_MAX 400 /* bytes of what is wrong, and its end */

/*
 * Makes this change of *config, which has a document and room for one node
 * more. The list has the next revision then if discovery is on and no file is
 * to have the list; else it has the next config version. False, and what is
 * wrong with the change in `error`, if a value is out of its range. The result
 * is unchecked otherwise, and not complete.
 */
bool config_change_member(struct config *config,
    const struct member_change *change, char error[CHANGE_ERROR_MAX]);

/* Clears what config_complete() fills in, before the nodes change: the order
 * of a ring by ids, and the greatest possible diameter. */
void config_forget_defaults(struct config *config);

#endif
