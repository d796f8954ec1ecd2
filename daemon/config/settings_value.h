/* SPDX-License-Identifier: ISC */
/*
 * Values of settings as text: durations, names, addresses, paths, and the words
 * of each choice. Pure.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H

#include "daemon/config/settings.h"

#define PATH_MAX_BYTES 1024 /* any path in the file, and its end */

/* The words of each choice, by the value of its enum; NULL ends them. */
extern const char *const guarantee_words[];
extern const char *const prefer_words[];
extern const char *const preempt_words[];
extern const char *const role_words[];
extern const char *const topology_words[];
extern const char *const side_words[];
extern const char *const announce_words[];
extern const char *const family_words[];

/* The index of `text` in `words`, or -1. */
int word_find(const char *const *words, const char *text);

/*
 * How many letters must be added, dropped, changed or swapped with their
 * neighbour to make `a` of `b` (optimal string alignment). Case does not count.
 * UINT_MAX if a word is longer than 32 bytes.
 */
unsigned word_distance(const char *a, const char *b);

/* Reads a duration such as "250ms", without a space. Returns false if the text
 * is none or overflows. */
bool duration_read(const char *text, nsec_t *duration);

#define DURATION_MAX_BYTES 32 /* any 64-bit number, a unit and its end */

/* Writes a duration as duration_read() reads it. Returns `buffer`. */
const char *duration_text(nsec_t duration, char buffer[DURATION_MAX_BYTES]);

/* Each says what is wrong with the text and what would be right, or returns
 * NULL if the text is valid. */
const char *name_fault(const char *text);
const char *path_fault(const char *text);

/*
 * The same of "host:port" or "[IPv6]:port". If the text is valid, `canonical`
 * is the one way in which all spellings of this address are written.
 */
const char *address_fault(const char *text, char canonical[ADDRESS_MAX_BYTES]);

enum family {
	FAMILY_ANY, /* a host name: unknown until it is resolved */
	FAMILY_IPV4,
	FAMILY_IPV6,
};

/* The family of a canonical address. */
enum family address_family(const char *canonical);

/* True if a canonical address means every address of its host. */
bool address_is_wildcard(const char *canonical);

#endif
