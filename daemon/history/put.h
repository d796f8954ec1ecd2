/* SPDX-License-Identifier: ISC */
/*
 * Builds JSON objects key by key. Each put_() function adds a key and its value
 * at the end of *object. Without memory it frees *object and sets it to NULL,
 * and it leaves a NULL as it is; so only the last result needs a check.
 */
#ifndef ELECTD_DAEMON_HISTORY_PUT_H
#define ELECTD_DAEMON_HISTORY_PUT_H

#include <jansson.h>

#include "common/wire/reason.h"

/* Adds any value, and takes over its reference. */
void put_value(json_t **object, const char *key, json_t *value);

/* The same for an array: the value becomes its last. */
void put_next(json_t **array, json_t *value);

/* Adds a text, which is copied. */
void put_text(json_t **object, const char *key, const char *text);

/* NULL is null. */
void put_text_or_null(json_t **object, const char *key, const char *text);

/* Adds true or false. */
void put_flag(json_t **object, const char *key, bool flag);

/* The same; null unless it is known. */
void put_flag_or_null(
    json_t **object, const char *key, bool is_known, bool flag);

/* Adds an integer. */
void put_count(json_t **object, const char *key, uint64_t count);

/* The same; null unless it is known. */
void put_count_or_null(
    json_t **object, const char *key, bool is_known, uint64_t count);

/* The key is "token"; 0 is null. */
void put_token(json_t **object, uint64_t token);

/* NODE_NONE is null. */
void put_id(json_t **object, const char *key, node_id id);

/* Milliseconds with three decimals: an election takes less than one. */
void put_ms_or_null(
    json_t **object, const char *key, bool is_known, nsec_t duration);

/*
 * Adds "valid_ms" and "until_boot_ns"; 0 means no deadline. The node's clock is
 * CLOCK_BOOTTIME.
 */
void put_deadline(json_t **object, nsec_t now, nsec_t until);

/* The key is "reason". */
void put_reason(json_t **object, struct reason reason);

/* Makes a string of `text`, which need not be UTF-8: then each byte that is not
 * ASCII becomes a question mark. */
json_t *put_string(const char *text);

#endif
