/* SPDX-License-Identifier: ISC */
/*
 * All settings of a file, a row each: those that all hosts share
 * (common/config/config_rows.h), and those that are a host's own. Reading,
 * printing and comparing come from these rows: a setting is added in one.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_ROWS_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_ROWS_H

#include "common/config/config_rows.h"

enum side {
	SIDE_LEFT, /* in the order of side_words */
	SIDE_RIGHT,
	SIDE_NONE,
};

/* An entry of `neighbours`. What is wrong or not given is zero, or SIDE_NONE.
 */
struct neighbour {
	node_id id;
	char address[ADDRESS_MAX_BYTES];
	enum side side;
};

extern const char *const side_words[];

/* Row `i` of all settings, the shared ones first; NULL: there is none. Each is
 * a row of struct settings, or of an entry of a list. */
const struct config_row *settings_row(size_t i);

/* A section of a file: the root, a group, or an entry of a list of groups. */
struct section {
	const struct config_row *owner; /* the group or the list; NULL: root */
	const struct algorithm *algorithm; /* whose group it is, if the owner
	                                    * is "*" */
};

/* The group that an algorithm has. */
struct section section_of_algorithm(const struct algorithm *algorithm);

/* Row `i` of those among which the section's are; NULL: there is none. */
const struct config_row *section_row(const struct section *section, size_t i);

/* What a row is called in the section; NULL: it is not in there. */
const char *section_name(
    const struct section *section, const struct config_row *row);

/* The row of the section with this name, or NULL. */
const struct config_row *section_find(
    const struct section *section, const char *name);

/* True if the row has sections: it is a group, or a list of groups. */
bool row_has_sections(const struct config_row *row);

#endif
