/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_syntax.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX      32 /* as settings_text_scan() has it */
#define CANDIDATES_MAX 64 /* names of one line that may be the duplicate */
#define HINT_MAX       64
#define PUNCTUATION    "=:;,{}()[]"

struct token {
	const char *at;
	size_t size; /* 0: the end of the text, or what is before its start */
	int line;
};

/* Goes through a text by tokens. */
struct reader {
	const char *at;
	int line;
	struct token token;
	struct token before;
	bool named;                   /* `before` is the name of a setting */
	struct token open[DEPTH_MAX]; /* brackets, innermost last */
	unsigned depth;
};

struct hint {
	int line; /* where the error is */
	char text[HINT_MAX];
};

static bool
is_comment(const char *at)
{
	return *at == '#' || (at[0] == '/' && (at[1] == '/' || at[1] == '*'));
}

static const char *
comment_end(const char *at)
{
	const char *end = NULL;

	if (at[0] == '/' && at[1] == '*')
		end = strstr(at + 2, "*/");
	return end == NULL ? at + strcspn(at, "\n") : end + 2;
}

static void
reader_skip_blanks(struct reader *r)
{
	while (*r->at != '\0') {
		const char *end = r->at + strspn(r->at, " \t\r\f\n");

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

/* Is a value wanted here, not the name of a setting? */
static bool
reader_at_value(const struct reader *r)
{
	return token_is(&r->before, "=:") ||
	       (r->depth > 0 && token_is(&r->open[r->depth - 1], "(["));
}

static size_t
string_size(const char *at)
{
	size_t size = 1;

	while (strchr("\"\n", at[size]) == NULL)
		size += at[size] == '\\' && at[size + 1] != '\0' ? 2 : 1;
	return size + (at[size] == '"');
}

/* An address without its quotes is one word: colons do not end a value. */
static size_t
word_size(const char *at, bool value)
{
	const char *ends =
	    value ? " \t\r\f\n=;,{}()[]\"" : " \t\r\f\n\"" PUNCTUATION;
	size_t size = 0;

	while (strchr(ends, at[size]) == NULL && !is_comment(at + size))
		size++;
	return size;
}

/* Takes the next token; false at the end. */
static bool
reader_next(struct reader *r)
{
	bool value;

	r->named = is_word(&r->token) && !reader_at_value(r);
	if (token_is(&r->token, "{([") && r->depth < DEPTH_MAX)
		r->open[r->depth++] = r->token;
	else if (token_is(&r->token, "})]"))
		r->depth -= r->depth > 0;
	r->before = r->token;
	reader_skip_blanks(r);
	value = reader_at_value(r);
	r->token = (struct token){ .at = r->at, .line = r->line };
	if (*r->at == '"')
		r->token.size = string_size(r->at);
	else if (*r->at != '\0' && strchr(PUNCTUATION, *r->at) != NULL)
		r->token.size = 1;
	else
		r->token.size = word_size(r->at, value);
	r->at += r->token.size;
	return r->token.size > 0;
}

/* A number or a truth value, the words that need no quotes. */
static bool
is_bare_value(const struct token *token)
{
	char *end;

	if (token->size == 4 && strncasecmp(token->at, "true", 4) == 0)
		return true;
	if (token->size == 5 && strncasecmp(token->at, "false", 5) == 0)
		return true;
	strtod(token->at, &end);
	return end > token->at &&
	       end + strspn(end, "L") == token->at + token->size;
}

static bool
brackets_match(char open, char close)
{
	return (open == '{' && close == '}') || (open == '(' && close == ')') ||
	       (open == '[' && close == ']');
}

static bool
hint_unclosed(struct hint *hint, const struct token *open)
{
	snprintf(hint->text, sizeof(hint->text),
	    "is the \"%c\" of line %d closed?", *open->at, open->line);
	return true;
}

/* What a closing bracket does wrong. */
static bool
hint_close(const struct reader *r, struct hint *hint)
{
	char close = *r->token.at;
	const struct token *open;

	if (r->depth == 0) {
		snprintf(hint->text, sizeof(hint->text),
		    "is this \"%c\" one too many?", close);
		return true;
	}
	open = &r->open[r->depth - 1];
	if (!brackets_match(*open->at, close)) {
		hint_unclosed(hint, open);
	} else if (close != '}' && token_is(&r->before, ",")) {
		hint->line = r->before.line;
		snprintf(hint->text, sizeof(hint->text),
		    "is the comma before the \"%c\" one too many?", close);
	}
	return hint->text[0] != '\0';
}

/* What a word or an opening bracket does wrong where a value is wanted. */
static bool
hint_value(const struct reader *r, struct hint *hint)
{
	const char *text = NULL;

	if (is_word(&r->token) && !is_bare_value(&r->token))
		text = "is a string without quotes?";
	else if (token_is(&r->token, "{") && token_is(&r->before, "[,") &&
		 token_is(&r->open[r->depth - 1], "["))
		text = "a list of groups is in ( ), not in [ ]";
	else if (token_is(&r->token, "[(") && token_is(&r->before, "[,") &&
		 token_is(&r->open[r->depth - 1], "["))
		text = "a list of lists is in ( ), not in [ ]";
	else if (!token_is(&r->before, "=:([,")) {
		hint->line = r->before.line;
		text = "is a comma missing between two entries?";
	}
	if (text != NULL)
		snprintf(hint->text, sizeof(hint->text), "%s", text);
	return text != NULL;
}

/* Gives a hint if the token at hand is wrong, and why can be told. */
static bool
hint_make(const struct reader *r, struct hint *hint)
{
	hint->line = r->token.line;
	if (token_is(&r->token, "})]"))
		return hint_close(r, hint);
	if (!is_word(&r->token) && !token_is(&r->token, "{(["))
		return false;
	if (reader_at_value(r))
		return hint_value(r, hint);
	if (r->named) {
		hint->line = r->before.line;
		snprintf(hint->text, sizeof(hint->text),
		    "is a \"=\" missing after the name?");
		return true;
	}
	if (!is_word(&r->token) && r->depth > 0)
		return hint_unclosed(hint, &r->open[r->depth - 1]);
	return false;
}

/* Looks for the first reason, up to `line`; without one, for what is open. */
static void
hint_find(const char *text, int line, struct hint *hint)
{
	struct reader r = { .at = text, .line = 1 };

	while (reader_next(&r)) {
		if (r.token.line > line)
			break;
		if (hint_make(&r, hint))
			return;
	}
	hint->line = line;
	if (r.token.size == 0 && r.depth > 0)
		hint_unclosed(hint, &r.open[r.depth - 1]);
}

/* The line as a quoted value, `: "..."`; "" if there is nothing in it. */
static const char *
line_quoted(const char *text, int line, char room[QUOTED_MAX + 2])
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
	room[0] = '\0';
	if (size > 0)
		snprintf(room, QUOTED_MAX + 2, ": %s", quoted(copy, value));
	return room;
}

void
settings_syntax_tell(const char *text, int line, struct settings_errors *errors)
{
	struct hint hint = { 0 };
	char source[QUOTED_MAX + 2];
	bool given;

	hint_find(text, line, &hint);
	given = hint.text[0] != '\0';
	settings_errors_add(errors, hint.line, NULL,
	    "syntax error, here or just before%s%s%s%s",
	    line_quoted(text, hint.line, source), given ? " (" : "", hint.text,
	    given ? ")" : "");
}

/* The line of an earlier setting of this name in the same group; 0: none. */
static int
name_find_earlier(const char *text, const struct reader *at)
{
	const struct token *name = &at->token;
	struct reader r = { .at = text, .line = 1 };

	if (at->depth > 0) {
		r.at = at->open[at->depth - 1].at + 1;
		r.line = at->open[at->depth - 1].line;
	}
	while (reader_next(&r) && r.token.at < name->at) {
		if (r.depth == 0 && is_word(&r.token) && !reader_at_value(&r) &&
		    r.token.size == name->size &&
		    memcmp(r.token.at, name->at, name->size) == 0)
			return r.token.line;
	}
	return 0;
}

void
settings_syntax_tell_duplicate(
    const char *text, int line, struct settings_errors *errors)
{
	struct reader r = { .at = text, .line = 1 };
	int candidates = 0;
	char room[QUOTED_MAX + 2];

	while (reader_next(&r) && r.token.line <= line &&
	       candidates < CANDIDATES_MAX) {
		char name[QUOTED_MAX];
		int first;

		if (r.token.line < line || !is_word(&r.token) ||
		    reader_at_value(&r))
			continue;
		candidates++;
		first = name_find_earlier(text, &r);
		if (first == 0)
			continue;
		snprintf(name, sizeof(name), "%.*s",
		    r.token.size < 64 ? (int)r.token.size : 64, r.token.at);
		settings_errors_add(errors, line, NULL,
		    "syntax error: %s is given already in line %d; "
		    "keep one of the two",
		    quoted(name, room), first);
		return;
	}
	settings_errors_add(errors, line, NULL,
	    "syntax error: duplicate setting name%s",
	    line_quoted(text, line, room));
}
