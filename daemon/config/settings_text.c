/* SPDX-License-Identifier: ISC */
/*
 * Checks what libconfig 1.5 takes silently: it cuts integers to 32 bits, ends
 * an open comment at the end of the text, takes a newline into a string, leaks
 * a string in the place of a name, and recurses for each bracket.
 */
#include "daemon/config/settings_private.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX   32    /* brackets; libconfig's stack is bounded too */
#define ASSIGNS_MAX 20000 /* NODES_MAX nodes in full need a third of it */
#define NUMBER_MAX  40    /* bytes of an integer or a name in a message */

#define BLANKS      " \t\r\f\n"
#define DIGITS      "0123456789"
#define PUNCTUATION "=:;,{}()[]"

struct token {
	const char *at;
	size_t size; /* 0: before the first token, or after the last */
	int line;
};

/* A text that is read token by token. */
struct tokens {
	const char *at;               /* the rest of the text */
	int line;                     /* of `at` */
	struct token token;           /* the present one */
	struct token before;          /* the one before it */
	bool named;                   /* `before` is the name of a setting */
	struct token open[DEPTH_MAX]; /* the open brackets, innermost last */
	unsigned depth;               /* of `open` */
};

static bool
is_comment(const char *at)
{
	return *at == '#' || (at[0] == '/' && (at[1] == '/' || at[1] == '*'));
}

/* Returns `at` if the comment there does not end. */
static const char *
comment_end(const char *at)
{
	const char *end;

	if (at[0] == '#' || at[1] == '/')
		return at + strcspn(at, "\n");
	end = strstr(at + 2, "*/");
	return end == NULL ? at : end + 2;
}

static void
tokens_skip_blanks(struct tokens *r)
{
	while (*r->at != '\0') {
		const char *end = r->at + strspn(r->at, BLANKS);

		if (end == r->at && is_comment(end))
			end = comment_end(end);
		if (end == r->at)
			return;
		for (; r->at < end; r->at++)
			r->line += *r->at == '\n';
	}
}

static bool
token_is(const struct token *token, const char *kinds)
{
	return token->size > 0 && strchr(kinds, *token->at) != NULL;
}

static bool
is_word(const struct token *token)
{
	return token->size > 0 && !token_is(token, PUNCTUATION "\"");
}

/* True if the next token should be a value, not the name of a setting. */
static bool
tokens_at_value(const struct tokens *r)
{
	return token_is(&r->before, "=:") ||
	       (r->depth > 0 && token_is(&r->open[r->depth - 1], "(["));
}

/* Returns 0 if the string does not end in its line. No setting contains a
 * newline, so a string that does lacks a quote. */
static size_t
string_size(const char *at)
{
	size_t size = 1;

	while (strchr("\"\n", at[size]) == NULL) {
		bool is_pair = at[size] == '\\' &&
			       (at[size + 1] == '"' || at[size + 1] == '\\');

		size += is_pair ? 2 : 1;
	}
	return at[size] == '"' ? size + 1 : 0;
}

static size_t
word_size(const char *at)
{
	size_t size = 0;

	while (strchr(BLANKS "\"" PUNCTUATION, at[size]) == NULL &&
	       !is_comment(at + size))
		size++;
	return size;
}

/* Reads the next token. Returns false at the end of the text, or with `at` at
 * the string or comment that does not end. */
static bool
tokens_next(struct tokens *r)
{
	r->named = is_word(&r->token) && !tokens_at_value(r);
	if (token_is(&r->token, "{([") && r->depth < DEPTH_MAX)
		r->open[r->depth++] = r->token;
	else if (token_is(&r->token, "})]"))
		r->depth -= r->depth > 0;
	r->before = r->token;
	tokens_skip_blanks(r);
	r->token = (struct token){ .at = r->at, .line = r->line };
	if (*r->at == '"')
		r->token.size = string_size(r->at);
	else if (*r->at != '\0' && strchr(PUNCTUATION, *r->at) != NULL)
		r->token.size = 1;
	else
		r->token.size = word_size(r->at);
	r->at += r->token.size;
	return r->token.size > 0;
}

/* True where libconfig takes a string. Elsewhere it leaks it. */
static bool
tokens_take_string(const struct tokens *r)
{
	return token_is(&r->before, "=:([\"") ||
	       (token_is(&r->before, ",") && tokens_at_value(r));
}

/* Returns why the text must not be parsed, or NULL. `assigns` counts settings
 * up to here. */
static const char *
scan_fault(const struct tokens *r, unsigned assigns)
{
	static const char include[] = "@include";

	if (token_is(&r->token, "\"") && !tokens_take_string(r))
		return "syntax error: a string where a name, \";\" or \",\" is expected";
	if (token_is(&r->token, "{([") && r->depth == DEPTH_MAX)
		return "syntax error: brackets are nested too deeply; no setting needs more than 3";
	if (assigns > ASSIGNS_MAX)
		return "there are more than 20000 settings; the largest cluster needs a third of them";
	if (strncmp(r->token.at, include, sizeof(include) - 1) == 0)
		return "@include: is not supported; write the whole configuration into one file";
	return NULL;
}

/* Returns why reading the tokens ended before the end of the text, or NULL. */
static const char *
scan_end_fault(const struct tokens *r)
{
	if (*r->at == '"')
		return "syntax error: a string that begins here does not end; add a quote";
	if (*r->at != '\0')
		return "syntax error: the comment that begins here does not end; add \"*/\"";
	return NULL;
}

/* The size of the integer at `at` if it is out of range, else 0. */
static size_t
integer_out_of_range(const char *at)
{
	const char *end = at + strspn(at, "+-");
	unsigned long long most = INT32_MAX + (*at == '-' ? 1ULL : 0);
	unsigned long long value;

	errno = 0;
	if (end[0] == '0' && (end[1] == 'x' || end[1] == 'X')) {
		value = strtoull(end, NULL, 16);
		end += 2 + strspn(end + 2, DIGITS "ABCDEFabcdef");
	} else if (strchr(DIGITS, *end) != NULL) {
		value = strtoull(end, NULL, 10);
		end += strspn(end, DIGITS);
	} else {
		return 0;
	}
	end += strspn(end, "L");
	if (*end == '.' || (value <= most && errno == 0))
		return 0;
	return (size_t)(end - at);
}

/* If the token is an integer out of range, adds the error and overwrites the
 * integer in `text`. */
static void
scan_integer(char *text, const struct tokens *r, const struct token *name,
    struct settings_errors *errors)
{
	size_t size = integer_out_of_range(r->token.at);
	char *start = text + (r->token.at - text);

	if (size == 0)
		return;
	settings_errors_add(errors, r->token.line, NULL,
	    "%.*s%s%.*s%s is out of range; an integer is %d to %d",
	    name->size < NUMBER_MAX ? (int)name->size : NUMBER_MAX, name->at,
	    name->size == 0 ? "" : ": ",
	    size < NUMBER_MAX ? (int)size : NUMBER_MAX, start,
	    size < NUMBER_MAX ? "" : "...", INT32_MIN, INT32_MAX);
	memset(start, '0', size);
	start[0] = '.';
}

bool
settings_text_scan(char *text, struct settings_errors *errors)
{
	struct tokens r = { .at = text, .line = 1 };
	struct token name = { .at = "" }; /* of the last setting */
	unsigned assigns = 0;
	const char *fault = NULL;

	while (fault == NULL && tokens_next(&r)) {
		if (r.named)
			name = r.before;
		assigns += token_is(&r.token, "=:");
		if (is_word(&r.token))
			scan_integer(text, &r, &name, errors);
		fault = scan_fault(&r, assigns);
	}
	if (fault == NULL)
		fault = scan_end_fault(&r);
	if (fault != NULL)
		settings_errors_add(errors, r.token.line, NULL, "%s", fault);
	return fault == NULL;
}

/* Writes the line as `: "..."`, or "" if it is blank. */
static const char *
line_quoted(const char *text, int line, char buffer[QUOTED_MAX + 2])
{
	char copy[QUOTED_MAX];
	char value[QUOTED_MAX];
	size_t size;

	for (; line > 1 && *text != '\0'; line--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	text += strspn(text, " \t\r\f");
	size = strcspn(text, "\n");
	while (size > 0 && strchr(" \t\r\f", text[size - 1]) != NULL)
		size--;
	if (size >= sizeof(copy))
		size = sizeof(copy) - 1;
	memcpy(copy, text, size);
	copy[size] = '\0';
	buffer[0] = '\0';
	if (size > 0)
		snprintf(buffer, QUOTED_MAX + 2, ": %s", quoted(copy, value));
	return buffer;
}

void
settings_text_explain(const char *text, int line, const char *what,
    struct settings_errors *errors)
{
	char source[QUOTED_MAX + 2];

	settings_errors_add(
	    errors, line, NULL, "%s%s", what, line_quoted(text, line, source));
}
