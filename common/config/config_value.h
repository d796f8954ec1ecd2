/* SPDX-License-Identifier: ISC */
/* Durations, names and addresses as text. */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_VALUE_H
#define ELECTD_COMMON_CONFIG_CONFIG_VALUE_H

#include "common/config/config.h"

/* Reads a duration such as "250ms", without a space. Returns false if the text
 * is none or overflows. */
bool duration_read(const char *text, nsec_t *duration);

#define DURATION_MAX_BYTES 32 /* any 64-bit number, a unit and its end */

/* Writes a duration as duration_read() reads it. Returns `buffer`. */
const char *duration_text(nsec_t duration, char buffer[DURATION_MAX_BYTES]);

/* Says what is wrong with a name and what would be right, or returns NULL if
 * the text is valid. */
const char *name_fault(const char *text);

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

extern const char *const family_words[];

#endif
