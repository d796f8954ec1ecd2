/* SPDX-License-Identifier: ISC */
/* Answers as key=value pairs that a shell can eval safely. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/electctl/print/print.h"

#define NAME_MAX_SIZE 128 /* of a joined name; the longest has 42 bytes */

/* Quotes the text if necessary. In single quotes only these are special. */
static void
print_quoted(const char *text)
{
	static const char harmless[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_./:@%+,-";

	if (text[0] != '\0' && text[strspn(text, harmless)] == '\0') {
		fputs(text, stdout);
		return;
	}
	putchar('\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
	putchar('\'');
}

/* A line of the settings may be longer than any other text. */
static void
print_string(const json_t *value)
{
	char *text = strdup(json_string_value(value));

	if (text == NULL)
		return;
	make_plain(text);
	print_quoted(text);
	free(text);
}

static void
print_scalar(const json_t *value)
{
	if (json_is_string(value))
		print_string(value);
	else if (json_is_integer(value))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		printf("%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", stdout);
}

struct pairs {
	const char *between; /* two pairs */
	bool have_begun;     /* at least one pair was printed */
};

static void print_value(struct pairs *pairs, const char *name, json_t *value);

/* Joins two names. Characters that a shell's name cannot have become "_". */
static void
print_member(
    struct pairs *pairs, const char *parent, const char *key, json_t *value)
{
	char name[NAME_MAX_SIZE];

	snprintf(name, sizeof(name), "%s%s%s", parent,
	    parent[0] == '\0' ? "" : "_", key);
	for (char *at = name; *at != '\0'; at++) {
		if (!isalnum((unsigned char)*at))
			*at = '_';
	}
	print_value(pairs, name, value);
}

static void
print_object(struct pairs *pairs, const char *name, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	    print_member(pairs, name, key, value);
}

static void
begin_pair(struct pairs *pairs, const char *name, const char *suffix)
{
	printf(
	    "%s%s%s=", pairs->have_begun ? pairs->between : "", name, suffix);
	pairs->have_begun = true;
}

/* Numbers the elements from 0; their count has a name of its own. */
static void
print_array(struct pairs *pairs, const char *name, const json_t *array)
{
	char index[24];

	begin_pair(pairs, name, "_count");
	printf("%zu", json_array_size(array));
	for (size_t i = 0; i < json_array_size(array); i++) {
		snprintf(index, sizeof(index), "%zu", i);
		print_member(pairs, name, index, json_array_get(array, i));
	}
}

static void
print_value(struct pairs *pairs, const char *name, json_t *value)
{
	if (json_is_object(value)) {
		print_object(pairs, name, value);
	} else if (json_is_array(value)) {
		print_array(pairs, name, value);
	} else {
		begin_pair(pairs, name, "");
		print_scalar(value);
	}
}

/* Without a leader the names are the same. */
void
print_kv_leader(json_t *answer)
{
	static const char *const keys[][2] = { { "id", "leader" },
		{ "id", "leader_id" }, { "name", "leader_name" },
		{ "address", "leader_address" } };
	struct pairs pairs = { .between = "\n" };
	const char *key;
	json_t *value;

	json_object_foreach(answer, key, value)
	{
		if (strcmp(key, "leader") != 0)
			print_member(&pairs, "", key, value);
		else
			for (size_t i = 0; i < 4; i++)
				print_value(&pairs, keys[i][1],
				    json_object_get(value, keys[i][0]));
	}
	putchar('\n');
}

void
print_kv(json_t *value, const char *between)
{
	struct pairs pairs = { .between = between };

	print_value(&pairs, "", value);
	putchar('\n');
}
