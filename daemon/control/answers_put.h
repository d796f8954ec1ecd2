/* SPDX-License-Identifier: ISC */
/*
 * The words that JSON answers are written with. Each adds a key and its value
 * at the end of *object; without memory *object is freed and NULL, and stays
 * so, hence only the last result needs a look.
 */
#ifndef ELECTD_DAEMON_CONTROL_ANSWERS_PUT_H
#define ELECTD_DAEMON_CONTROL_ANSWERS_PUT_H

#include <jansson.h>

#include "common/wire/reason.h"

/* Any value; its reference is taken. */
void put_value(json_t **object, const char *key, json_t *value);

void put_text(json_t **object, const char *key, const char *text);
void put_flag(json_t **object, const char *key, bool flag);
void put_flag_or_null(
    json_t **object, const char *key, bool is_known, bool flag);
void put_count(json_t **object, const char *key, uint64_t count);
void put_count_or_null(
    json_t **object, const char *key, bool is_known, uint64_t count);

/* NODE_NONE is null. */
void put_id(json_t **object, const char *key, node_id id);

/* Milliseconds to the microsecond: an election takes less than one. */
void put_ms_or_null(
    json_t **object, const char *key, bool is_known, nsec_t duration);

/* The keys are "valid_ms" and "until_boot_ns": the node lives by
 * CLOCK_BOOTTIME. An `until` of 0 is none. */
void put_deadline(json_t **object, nsec_t now, nsec_t until);

/* The key is "reason". */
void put_reason(json_t **object, struct reason reason);

/* A string, its bytes mended if they are no UTF-8. */
json_t *put_string(const char *text);

#endif
