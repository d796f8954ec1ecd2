/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/print/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  80 /* columns of a terminal */
#define INDENT 9  /* of a further line: the width of a label */

#define MEMBER_MAX 160 /* bytes between two braces of a text */

void
line_add(struct line *line, const char *format, ...)
{
	size_t space = sizeof(line->text) - line->size;
	va_list args;
	int added;

	va_start(args, format);
	added = vsnprintf(line->text + line->size, space, format, args);
	va_end(args);
	if (added > 0)
		line->size += (size_t)added < space ? (size_t)added : space - 1;
}

/*
 * The size of the first piece of `text`. A piece ends at the space after a
 * comma, a semicolon or a colon, or at a gap of two spaces, but not within
 * parentheses.
 */
static size_t
piece_size(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] != '\0'; i++) {
		depth += text[i] == '(';
		depth -= text[i] == ')' && depth > 0;
		if (i > 0 && text[i] == ' ' && depth == 0 &&
		    (strchr(",;:", text[i - 1]) != NULL || text[i + 1] == ' '))
			break;
	}
	return i;
}

/* The columns of these bytes: one for each character. */
static size_t
columns(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void
line_print(const struct line *line)
{
	const char *at = line->text;
	size_t column = 0;

	while (*at != '\0') {
		size_t gap = strspn(at, " ");
		size_t size = piece_size(at + gap);
		size_t width = columns(at + gap, size);

		if (column > INDENT && column + gap + width > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else {
			printf("%*s", (int)gap, "");
			column += gap;
		}
		printf("%.*s", (int)size, at + gap);
		column += width;
		at += gap + size;
	}
	putchar('\n');
}

/* "1.3 ms", "2h11m". */
static void
add_elapsed(struct line *line, double ms)
{
	unsigned long long s = (unsigned long long)(ms / 1000.0);

	if (ms < 1000.0)
		line_add(line, "%.1f ms", ms);
	else if (s < 60)
		line_add(line, "%.1f s", ms / 1000.0);
	else if (s < 3600)
		line_add(line, "%llum%llus", s / 60, s % 60);
	else if (s < 86400)
		line_add(line, "%lluh%llum", s / 3600, s / 60 % 60);
	else
		line_add(line, "%llud%lluh", s / 86400, s / 3600 % 24);
}

const char *
plural(json_int_t count)
{
	return count == 1 ? "" : "s";
}

const char *
name_text(const json_t *names, const char *id, char text[PLAIN_TEXT_MAX])
{
	const json_t *name = field(names, id);

	plain_text(name, text);
	if (name == NULL || strcmp(text, id) == 0)
		snprintf(text, PLAIN_TEXT_MAX, "node %s", id);
	return text;
}

const char *
answer_reason(const json_t *names, const json_t *answer, const json_t *reason,
    char text[PLAIN_TEXT_MAX])
{
	const json_t *named = field(answer, "reason_name");
	char name[PLAIN_TEXT_MAX];
	char *colon = strchr(plain_text(reason, text), ':');

	if (colon == NULL)
		return text;
	colon++;
	name_text(names, colon, name);
	if (json_is_string(named) &&
	    strcmp(json_string_value(named), colon) != 0)
		plain_text(named, name);
	snprintf(colon, PLAIN_TEXT_MAX - (size_t)(colon - text), "%s", name);
	return text;
}

static void
add_kinds(struct line *line, json_t *kinds)
{
	const char *between = "";
	const char *key;
	json_t *count;

	json_object_foreach(kinds, key, count)
	{
		char name[PLAIN_TEXT_MAX];

		if (json_integer_value(count) == 0)
			continue;
		snprintf(name, sizeof(name), "%s", key);
		make_plain(name);
		line_add(line, "%s%" JSON_INTEGER_FORMAT " %s", between,
		    json_integer_value(count), name);
		between = ", ";
	}
	if (between[0] == '\0')
		line_add(line, "nothing");
}

/* Adds a member of the object in the form that this word names. */
static void
add_value(
    struct line *line, const json_t *object, json_t *value, const char *form)
{
	char text[PLAIN_TEXT_MAX], name[PLAIN_TEXT_MAX];

	if (strcmp(form, "ms") == 0 && json_is_number(value))
		add_elapsed(line, json_number_value(value));
	else if (strcmp(form, "node") == 0 && json_is_integer(value))
		line_add(line, "%s",
		    name_text(line->names, plain_text(value, text), name));
	else if (strcmp(form, "why") == 0)
		line_add(line, "%s",
		    answer_reason(line->names, object, value, text));
	else if (strcmp(form, "s") == 0)
		line_add(line, "%s",
		    plural(json_is_array(value)
			       ? (json_int_t)json_array_size(value)
			       : json_integer_value(value)));
	else if (strcmp(form, "kinds") == 0)
		add_kinds(line, value);
	else if (strcmp(form, "count") == 0)
		line_add(line, "%zu", json_array_size(value));
	else
		line_add(line, "%s", plain_text(value, text));
}

/* The member with this path, "a.b", of the object. */
static json_t *
find(const json_t *object, char *path)
{
	char *key, *rest = NULL;

	for (key = strtok_r(path, ".", &rest); key != NULL;
	     key = strtok_r(NULL, ".", &rest))
		object = json_is_array(object)
			     ? json_array_get(object, strtoul(key, NULL, 10))
			     : field(object, key);
	return (json_t *)(uintptr_t)object;
}

/* Adds the member at *at, which is behind it then. False if it is not there. */
static bool
add_member(struct line *line, const json_t *object, const char **at)
{
	char words[MEMBER_MAX];
	size_t size = strcspn(*at, "}") - 1, path_size;
	const char *colon;
	json_t *value;

	assert(size < sizeof(words));
	snprintf(words, size + 1, "%s", *at + 1);
	*at += size + 2;
	path_size = strcspn(words, " ?");
	colon = strchr(words + path_size, ':');
	if (words[path_size] == '\0' || colon == NULL) {
		bool has_form = words[path_size] == ' ';

		words[path_size] = '\0';
		value = find(object, words);
		add_value(
		    line, object, value, has_form ? words + path_size + 1 : "");
	} else {
		words[path_size] = '\0';
		value = find(object, words);
		if (json_is_true(value))
			line_add(line, "%.*s",
			    (int)(colon - (words + path_size + 1)),
			    words + path_size + 1);
		else
			line_add(line, "%s", colon + 1);
	}
	return value != NULL && !json_is_null(value);
}

static void add_choice(
    struct line *line, const json_t *object, const char **at);

/* Adds the text up to what ends this part of a choice. False if not all of its
 * members are there. */
static bool
add_part(struct line *line, const json_t *object, const char **at)
{
	bool is_whole = true;

	for (;;) {
		size_t words = strcspn(*at, "{[|]");

		line_add(line, "%.*s", (int)words, *at);
		*at += words;
		if (**at == '{')
			is_whole &= add_member(line, object, at);
		else if (**at == '[')
			add_choice(line, object, at);
		else
			return is_whole;
	}
}

static void
add_choice(struct line *line, const json_t *object, const char **at)
{
	bool is_chosen = false;

	do {
		size_t size = line->size;

		++*at;
		if (add_part(line, object, at) && !is_chosen)
			is_chosen = true;
		else
			line->text[line->size = size] = '\0';
	} while (**at == '|');
	++*at;
}

void
line_fill(struct line *line, const json_t *object, const char *text)
{
	(void)add_part(line, object, &text);
	assert(*text == '\0');
}

size_t
line_fill_list(struct line *line, const json_t *list,
    bool (*belongs)(const json_t *element), size_t most, const char *between,
    const char *text)
{
	size_t i, count = 0;
	json_t *element;

	json_array_foreach(list, i, element)
	{
		if ((belongs != NULL && !belongs(element)) || count++ >= most)
			continue;
		line_add(line, "%s", count > 1 ? between : "");
		line_fill(line, element, text);
	}
	if (count > most)
		line_add(line, " and %zu more", count - most);
	return count;
}

bool
line_fill_phrase(struct line *line, const json_t *object, const char *key,
    const struct phrase *phrases)
{
	for (; phrases->word != NULL; phrases++) {
		if (is_word(object, key, phrases->word)) {
			line_fill(line, object, phrases->text);
			return true;
		}
	}
	return false;
}

void
set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_string(text));
}

void
set_list(json_t *object, const char *key, const json_t *list,
    bool (*belongs)(const json_t *element), size_t most, const char *text)
{
	struct line line = { .names = field(object, "names") };

	if (line_fill_list(&line, list, belongs, most, ", ", text) > 0)
		set_text(object, key, line.text);
}

void
set_phrase(json_t *object, const char *key, const json_t *other,
    const char *word, const struct phrase *phrases)
{
	struct line line = { .size = 0 };

	if (line_fill_phrase(&line, other, word, phrases))
		set_text(object, key, line.text);
}

void
print_text(const json_t *object, const char *text)
{
	struct line line = { .names = field(object, "names") };

	line_fill(&line, object, text);
	puts(line.text);
}

void
print_broken(const json_t *object, const char *text)
{
	struct line line = { .names = field(object, "names") };

	line_fill(&line, object, text);
	if (line.size > 0)
		line_print(&line);
}
