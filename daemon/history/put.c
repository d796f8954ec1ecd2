/* SPDX-License-Identifier: ISC */
#include "daemon/history/put.h"

#define TEXT_MAX 256 /* bytes of a string that is no UTF-8, and its end */

json_t *
put_string(const char *text)
{
	json_t *string = json_string(text);
	char repaired[TEXT_MAX];
	size_t i;

	if (string != NULL)
		return string;
	for (i = 0; text[i] != '\0' && i < sizeof(repaired) - 1; i++)
		repaired[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	repaired[i] = '\0';
	return json_string(repaired);
}

void
put_value(json_t **object, const char *key, json_t *value)
{
	if (json_object_set_new(*object, key, value) == 0)
		return;
	json_decref(*object);
	*object = NULL;
}

void
put_next(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value) == 0)
		return;
	json_decref(*array);
	*array = NULL;
}

void
put_text(json_t **object, const char *key, const char *text)
{
	put_value(object, key, put_string(text));
}

void
put_text_or_null(json_t **object, const char *key, const char *text)
{
	put_value(object, key, text != NULL ? put_string(text) : json_null());
}

void
put_flag(json_t **object, const char *key, bool flag)
{
	put_value(object, key, json_boolean(flag));
}

void
put_flag_or_null(json_t **object, const char *key, bool is_known, bool flag)
{
	put_value(object, key, is_known ? json_boolean(flag) : json_null());
}

void
put_count(json_t **object, const char *key, uint64_t count)
{
	put_value(object, key, json_integer((json_int_t)count));
}

void
put_count_or_null(
    json_t **object, const char *key, bool is_known, uint64_t count)
{
	put_value(object, key,
	    is_known ? json_integer((json_int_t)count) : json_null());
}

void
put_token(json_t **object, uint64_t token)
{
	put_count_or_null(object, "token", token != 0, token);
}

void
put_id(json_t **object, const char *key, node_id id)
{
	put_count_or_null(object, key, id != NODE_NONE, id);
}

void
put_ms_or_null(json_t **object, const char *key, bool is_known, nsec_t duration)
{
	double ms = (double)(duration / USEC) / 1000.0;

	put_value(object, key, is_known ? json_real(ms) : json_null());
}

void
put_deadline(json_t **object, nsec_t now, nsec_t until)
{
	put_count_or_null(
	    object, "valid_ms", until > 0, nsec_since(until, now) / MSEC);
	put_count_or_null(object, "until_boot_ns", until > 0, until);
}

void
put_reason(json_t **object, struct reason reason)
{
	char text[REASON_TEXT_MAX];

	put_text(object, "reason", reason_text(reason, text));
}
