/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_check.h"
#include "common/util/text.h"
#include "daemon/config/settings.h"

/* A value that is being taken. */
struct taking {
	const struct config_row *row;
	void *of;
	const char *text;
	int64_t number;
	char *fault; /* of VALUE_FAULT_MAX bytes; "" while there is none */
};

/* Writes the fault of a text. */
static void
refuse(const struct taking *t, const char *fault)
{
	char value[QUOTED_MAX];

	snprintf(
	    t->fault, VALUE_FAULT_MAX, "%s %s", quoted(t->text, value), fault);
}

const char *
quoted(const char *text, char buffer[QUOTED_MAX])
{
	const size_t end = QUOTED_MAX - sizeof("\\xff...\"");
	size_t size = 0;

	buffer[size++] = '"';
	for (; *text != '\0' && size < end; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c > '~')
			size += (size_t)snprintf(
			    buffer + size, QUOTED_MAX - size, "\\x%02x", c);
		else
			buffer[size++] = (char)c;
	}
	snprintf(
	    buffer + size, QUOTED_MAX - size, *text != '\0' ? "...\"" : "\"");
	return buffer;
}

/* The words that a row of words has in its struct. */
static const char *const *
words_of(const struct config_row *row, const void *of)
{
	return row->words != NULL
		   ? row->words
		   : ((const struct config *)of)->algorithm->variants;
}

/* Lists the words of a choice as `"a", "b" or "c"`. */
static void
words_list(const char *const *words, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; words[i] != NULL && used < size; i++) {
		const char *between = words[i + 1] == NULL ? " or " : ", ";

		used += (size_t)snprintf(buffer + used, size - used, "%s\"%s\"",
		    i == 0 ? "" : between, words[i]);
	}
}

static void
take_word(const struct taking *t)
{
	const char *const *words = words_of(t->row, t->of);
	char list[80], fault[128];
	int64_t i = 0;

	while (words[i] != NULL && strcmp(words[i], t->text) != 0)
		i++;
	if (words[i] != NULL) {
		config_set(t->row, t->of, i);
		return;
	}
	words_list(words, list, sizeof(list));
	snprintf(fault, sizeof(fault), "is unknown; must be %s", list);
	refuse(t, fault);
}

static void
take_truth(const struct taking *t)
{
	config_set(t->row, t->of, (t->number != 0) != t->row->is_negated);
}

/* Reads the delay of "after 300s". Returns false if it is not 1 ms to 30 d. */
static bool
preempt_read_delay(const char *text, nsec_t *delay)
{
	const char word[] = "after ";

	return strncmp(text, word, sizeof(word) - 1) == 0 &&
	       duration_read(text + sizeof(word) - 1, delay) &&
	       *delay >= PREEMPT_MIN && *delay <= PREEMPT_MAX;
}

static void
take_preempt(const struct taking *t)
{
	struct config *c = t->of;
	nsec_t delay;

	if (strcmp(t->text, "always") == 0)
		c->preempt = PREEMPT_ALWAYS;
	else if (strcmp(t->text, "never") == 0)
		c->preempt = PREEMPT_NEVER;
	else if (preempt_read_delay(t->text, &delay)) {
		c->preempt = PREEMPT_AFTER;
		c->preempt_after = delay;
	} else
		refuse(t,
		    "is unknown; must be \"always\", \"never\", or \"after \" and a delay of 1ms to 30d, as in \"after 300s\"");
}

static void
take_algorithm(const struct taking *t)
{
	struct config *c = t->of;
	const struct algorithm *algorithm = algorithm_find(t->text);
	char list[ALGORITHMS_BYTES], fault[ALGORITHMS_BYTES + 32];

	if (algorithm != NULL) {
		c->algorithm = algorithm;
		return;
	}
	snprintf(fault, sizeof(fault), "is unknown; known are: %s",
	    algorithms_list(algorithms, NULL, 0, list));
	refuse(t, fault);
}

static void
take_number(const struct taking *t)
{
	if (t->number >= t->row->low && t->number <= t->row->high)
		config_set(t->row, t->of, t->number);
	else
		snprintf(t->fault, VALUE_FAULT_MAX,
		    "%" PRId64 " is out of range; must be %" PRId64
		    " to %" PRId64,
		    t->number, t->row->low, t->row->high);
}

/* Refuses a text that is no duration; suggests the text without spaces if that
 * is one. */
static void
refuse_duration(const struct taking *t)
{
	char joined[DURATION_MAX_BYTES], fault[DURATION_MAX_BYTES + 64];
	size_t size = 0;
	nsec_t duration;

	for (const char *at = t->text; *at != '\0'; at++) {
		if (*at != ' ' && size < sizeof(joined) - 1)
			joined[size++] = *at;
	}
	joined[size] = '\0';
	if (!duration_read(joined, &duration)) {
		refuse(t,
		    "is not a duration; write a whole number and a unit (us, ms, s, m, h, d), as in \"250ms\"");
		return;
	}
	snprintf(
	    fault, sizeof(fault), "has a space in it; write \"%s\"", joined);
	refuse(t, fault);
}

static void
take_duration(const struct taking *t)
{
	char low[DURATION_MAX_BYTES], high[DURATION_MAX_BYTES];
	char fault[2 * DURATION_MAX_BYTES + 64];
	nsec_t duration;

	if (!duration_read(t->text, &duration)) {
		refuse_duration(t);
		return;
	}
	if ((int64_t)duration >= t->row->low &&
	    (int64_t)duration <= t->row->high) {
		config_set(t->row, t->of, (int64_t)duration);
		return;
	}
	snprintf(fault, sizeof(fault), "is out of range; must be %s to %s",
	    duration_text((nsec_t)t->row->low, low),
	    duration_text((nsec_t)t->row->high, high));
	refuse(t, fault);
}

static void
take_text(const struct taking *t)
{
	const struct config_row *row = t->row;
	char canonical[ADDRESS_MAX_BYTES];
	const char *text = t->text, *fault = NULL;

	if (row->kind == CONFIG_ADDRESS) {
		fault = address_fault(text, canonical);
		text = canonical;
	} else if (*text != '\0' || !row->is_optional) {
		fault = row->fault(text);
	}
	if (fault != NULL) {
		refuse(t, fault);
		return;
	}
	assert(strlen(text) < row->size);
	snprintf((char *)t->of + row->at, row->size, "%s", text);
}

static void (*const takers[])(const struct taking *t) = {
	[CONFIG_TEXT] = take_text,
	[CONFIG_ADDRESS] = take_text,
	[CONFIG_WORD] = take_word,
	[CONFIG_PREEMPT] = take_preempt,
	[CONFIG_ALGORITHM] = take_algorithm,
	[CONFIG_BYTE] = take_word,
	[CONFIG_TRUTH] = take_truth,
	[CONFIG_INT32] = take_number,
	[CONFIG_NUMBER] = take_number,
	[CONFIG_DURATION] = take_duration,
};

const char *
value_take(const struct config_row *row, void *of, const char *text,
    int64_t number, char buffer[VALUE_FAULT_MAX])
{
	const struct taking t = { row, of, text, number, buffer };

	buffer[0] = '\0';
	takers[row->kind](&t);
	return buffer[0] != '\0' ? buffer : NULL;
}

void
value_take_default(const struct config_row *row, void *of)
{
	char fault[VALUE_FAULT_MAX];
	bool is_truth = row->kind == CONFIG_TRUTH;
	int64_t number =
	    is_truth ? row->initial[0] == 't' : atoll(row->initial);

	(void)value_take(
	    row, of, is_truth ? NULL : row->initial, number, fault);
	assert(fault[0] == '\0');
}

const char *
string_text(const char *text, char buffer[VALUE_MAX_BYTES])
{
	size_t size = 0;

	buffer[size++] = '"';
	for (; *text != '\0' && size < VALUE_MAX_BYTES - 3; text++) {
		if (*text == '"' || *text == '\\')
			buffer[size++] = '\\';
		buffer[size++] = *text;
	}
	buffer[size++] = '"';
	buffer[size] = '\0';
	return buffer;
}

/* The text of a value that is a string in a file. */
static const char *
plain_text(const struct config_row *row, const struct config *c,
    char buffer[VALUE_MAX_BYTES])
{
	char delay[DURATION_MAX_BYTES];

	if (row->kind == CONFIG_ALGORITHM)
		return c->algorithm->name;
	if (config_bytes(row) == 0)
		return (const char *)c + row->at;
	if (row->kind == CONFIG_DURATION)
		return duration_text((nsec_t)config_value(row, c), buffer);
	if (row->kind != CONFIG_PREEMPT || c->preempt != PREEMPT_AFTER)
		return words_of(row, c)[config_value(row, c)];
	snprintf(buffer, VALUE_MAX_BYTES, "after %s",
	    duration_text(c->preempt_after, delay));
	return buffer;
}

const char *
value_text(
    const struct config_row *row, const void *of, char buffer[VALUE_MAX_BYTES])
{
	char text[VALUE_MAX_BYTES];

	if (row->kind == CONFIG_TRUTH)
		snprintf(buffer, VALUE_MAX_BYTES, "%s",
		    (config_value(row, of) != 0) != row->is_negated ? "true"
								    : "false");
	else if (row->kind == CONFIG_NUMBER || row->kind == CONFIG_INT32)
		snprintf(
		    buffer, VALUE_MAX_BYTES, "%" PRId64, config_value(row, of));
	else
		string_text(plain_text(row, of, text), buffer);
	return buffer;
}

/* What is wrong with the first word of a command, or NULL. */
static const char *
program_fault(const char *word)
{
	if (*word == '\0')
		return "is empty; begin with the program";
	if (*word != '/' && strchr(word, '/') != NULL)
		return "is a relative path; begin it with \"/\", or give a name that is looked for in PATH";
	return NULL;
}

const char *
command_word_fault(const char *word, bool is_program)
{
	if (!text_is_printable(word, strlen(word)))
		return "has control characters, or is not UTF-8; put it into a script";
	return is_program ? program_fault(word) : NULL;
}
