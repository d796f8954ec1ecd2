/* SPDX-License-Identifier: ISC */
/*
 * The values of settings as text: durations, names, addresses, paths and the
 * words of each choice. Pure. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H

#include "daemon/config/settings.h"

#define PATH_MAX_BYTES 1024 /* of any path in the file, and its end */

/* The words of a choice, by the value of its enum; NULL at the end. */
extern const char *const guarantee_words[];
extern const char *const prefer_words[];
extern const char *const preempt_words[];
extern const char *const role_words[];
extern const char *const topology_words[];
extern const char *const side_words[];
extern const char *const announce_words[];
extern const char *const family_words[];

/* The index of `text` in `words`; -1 if it is none of them. */
int word_find(const char *const *words, const char *text);

/* Reads "250ms", without a space; false if it is none or overflows. */
bool duration_read(const char *text, nsec_t *duration);

#define DURATION_MAX_BYTES 32

/* Writes a duration as duration_read() takes it; gives `room`. */
const char *duration_text(nsec_t duration, char room[DURATION_MAX_BYTES]);

/* What is wrong, and what would be right; NULL: nothing is wrong. */
const char *name_fault(const char *text);
const char *path_fault(const char *text);

/*
 * The same of "host:port" or "[v6]:port". Nothing wrong: `canonical` is how
 * every spelling of this address is written.
 */
const char *address_fault(const char *text, char canonical[ADDRESS_MAX_BYTES]);

enum family {
	FAMILY_ANY, /* a host name: not known before it is resolved */
	FAMILY_IPV4,
	FAMILY_IPV6,
};

/* The family of a canonical address. */
enum family address_family(const char *canonical);

/* Does a canonical address stand for every address of its host? */
bool address_is_wildcard(const char *canonical);

#endif
