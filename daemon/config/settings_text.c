/* SPDX-License-Identifier: ISC */
/* Reads the file, and finds what libconfig accepts silently. */
#include "daemon/config/settings_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX   32    /* brackets; libconfig's stack is bounded too */
#define ASSIGNS_MAX 20000 /* NODES_MAX nodes in full need a third of it */

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct scan {
	char *at;
	int line;
	char brackets[DEPTH_MAX]; /* the open ones, innermost last */
	unsigned depth;           /* of `brackets` */
	char before;              /* the first byte of the last token */
	unsigned assigns;         /* settings so far */
	const char *name;         /* the last one; NULL: none yet */
	int name_size;            /* bytes of `name` */
	struct settings_errors *errors;
	bool refused; /* the text must not be parsed */
};

static void
scan_refuse(struct scan *s, int line, const char *what)
{
	settings_errors_add(s->errors, line, NULL, "%s", what);
	s->refused = true;
}

static void
scan_skip(struct scan *s, size_t size)
{
	for (; size > 0; size--) {
		if (*s->at == '\n')
			s->line++;
		s->at++;
	}
}

static void
scan_comment(struct scan *s)
{
	int begun = s->line;
	const char *end;

	if (s->at[0] == '#' || s->at[1] == '/') {
		scan_skip(s, strcspn(s->at, "\n"));
		return;
	}
	end = strstr(s->at + 2, "*/");
	if (end == NULL) {
		scan_refuse(s, begun,
		    "syntax error: the comment that begins here does not end; add \"*/\"");
		return;
	}
	scan_skip(s, (size_t)(end - s->at) + 2);
}

/* True if a value may stand here. Elsewhere libconfig leaks a string. */
static bool
scan_at_value(const struct scan *s)
{
	if (s->before == ',')
		return s->depth > 0 && s->brackets[s->depth - 1] != '{';
	return strchr("=:([\"", s->before) != NULL;
}

/* No setting contains a newline, so a string that does lacks a quote. */
static void
scan_string(struct scan *s)
{
	if (!scan_at_value(s)) {
		scan_refuse(s, s->line,
		    "syntax error: a string where a name, \";\" or \",\" is expected");
		return;
	}
	s->at++;
	while (strchr("\"\n", *s->at) == NULL) {
		bool pair =
		    s->at[0] == '\\' && (s->at[1] == '"' || s->at[1] == '\\');

		s->at += pair ? 2 : 1;
	}
	if (*s->at == '"')
		s->at++;
	else
		scan_refuse(s, s->line,
		    "syntax error: a string that begins here does not end; add a quote");
}

static void
scan_name(struct scan *s)
{
	size_t size = strspn(s->at, LETTERS DIGITS "*-_");

	s->name = s->at;
	s->name_size = size < 40 ? (int)size : 40;
	s->at += size;
}

/* Overwrites the integer from `start` to here, which is out of range. */
static void
scan_refuse_integer(struct scan *s, char *start)
{
	size_t size = (size_t)(s->at - start);

	settings_errors_add(s->errors, s->line, NULL,
	    "%.*s%s%.*s%s is out of range; an integer is %d to %d",
	    s->name_size, s->name == NULL ? "" : s->name,
	    s->name == NULL ? "" : ": ", size < 40 ? (int)size : 40, start,
	    size < 40 ? "" : "...", INT32_MIN, INT32_MAX);
	memset(start, '0', size);
	start[0] = '.';
}

static void
scan_number(struct scan *s)
{
	char *start = s->at;
	unsigned long long most = INT32_MAX;
	unsigned long long value;

	if (*s->at == '-')
		most++;
	s->at += strspn(s->at, "+-");
	if (strchr(DIGITS ".", *s->at) == NULL)
		return;
	errno = 0;
	if (s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X')) {
		value = strtoull(s->at, NULL, 16);
		s->at += 2 + strspn(s->at + 2, DIGITS "ABCDEFabcdef");
	} else {
		value = strtoull(s->at, NULL, 10);
		s->at += strspn(s->at, DIGITS);
	}
	s->at += strspn(s->at, "L");
	if (*s->at == '.')
		s->at += 1 + strspn(s->at + 1, DIGITS);
	else if (value > most || errno == ERANGE)
		scan_refuse_integer(s, start);
}

static void
scan_bracket(struct scan *s)
{
	if (strchr("})]", *s->at) != NULL) {
		s->depth -= s->depth > 0;
	} else if (s->depth == DEPTH_MAX) {
		scan_refuse(s, s->line,
		    "syntax error: brackets are nested too deeply; no setting needs more than 3");
		return;
	} else {
		s->brackets[s->depth++] = *s->at;
	}
	s->at++;
}

static void
scan_assign(struct scan *s)
{
	s->assigns++;
	if (s->assigns > ASSIGNS_MAX)
		scan_refuse(s, s->line,
		    "there are more than 20000 settings; the largest cluster needs a third of them");
	s->at++;
}

static void
scan_directive(struct scan *s)
{
	const char word[] = "@include";

	if (strncmp(s->at, word, sizeof(word) - 1) == 0)
		scan_refuse(s, s->line,
		    "@include: is not supported; write the whole configuration into one file");
	s->at++;
}

/* Skips blanks or a comment. Returns false if there was none. */
static bool
scan_blank(struct scan *s)
{
	if (strchr(" \t\r\f\n", *s->at) != NULL)
		scan_skip(s, 1);
	else if (*s->at == '#' || strncmp(s->at, "//", 2) == 0 ||
		 strncmp(s->at, "/*", 2) == 0)
		scan_comment(s);
	else
		return false;
	return true;
}

static void
scan_token(struct scan *s)
{
	char first = *s->at;

	if (strchr(LETTERS "*", first) != NULL)
		scan_name(s);
	else if (strchr(DIGITS "+-.", first) != NULL)
		scan_number(s);
	else if (strchr("{}()[]", first) != NULL)
		scan_bracket(s);
	else if (first == '=' || first == ':')
		scan_assign(s);
	else if (first == '"')
		scan_string(s);
	else if (first == '@')
		scan_directive(s);
	else
		s->at++;
	s->before = first;
}

bool
settings_text_scan(char *text, struct settings_errors *errors)
{
	struct scan s = {
		.at = text,
		.line = 1,
		.before = ';',
		.errors = errors,
	};

	while (*s.at != '\0' && !s.refused) {
		if (!scan_blank(&s))
			scan_token(&s);
	}
	return !s.refused;
}

/* Returns what kind of file it is, or NULL if it is a regular one. */
static const char *
file_kind(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

/* Opens `path` if it is a regular file. Returns -1 after adding an error. */
static int
text_open(const char *path, struct settings_errors *errors)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	const char *kind;

	if (fd < 0 || fstat(fd, &status) < 0) {
		settings_errors_add(
		    errors, 0, NULL, "cannot be opened: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	kind = file_kind(status.st_mode);
	if (kind != NULL) {
		settings_errors_add(errors, 0, NULL,
		    "is %s; a configuration must be a regular file", kind);
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads until the end or `capacity`. Returns the size, or -1 and sets errno. */
static ssize_t
read_all(int fd, char *to, size_t capacity)
{
	size_t size = 0;

	while (size < capacity) {
		ssize_t got = read(fd, to + size, capacity - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		size += (size_t)got;
	}
	return (ssize_t)size;
}

static int
line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* Checks `size` bytes of text and terminates them by a newline and NUL. */
static bool
text_finish(char *text, ssize_t size, struct settings_errors *errors)
{
	const char *nul;

	if (size < 0) {
		settings_errors_add(
		    errors, 0, NULL, "cannot be read: %s", strerror(errno));
		return false;
	}
	if ((size_t)size > SETTINGS_FILE_MAX) {
		settings_errors_add(errors, 0, NULL,
		    "is larger than %zu bytes; no configuration needs that",
		    SETTINGS_FILE_MAX);
		return false;
	}
	nul = memchr(text, '\0', (size_t)size);
	if (nul != NULL) {
		settings_errors_add(errors, line_of(text, nul), NULL,
		    "there is a NUL byte; a configuration must be text");
		return false;
	}
	if (size == 0 || text[size - 1] != '\n')
		text[size++] = '\n';
	text[size] = '\0';
	return true;
}

char *
settings_text_read(const char *path, struct settings_errors *errors)
{
	int fd = text_open(path, errors);
	char *text;

	if (fd < 0)
		return NULL;
	text = malloc(SETTINGS_FILE_MAX + sizeof("\n"));
	if (text == NULL)
		errors->out_of_memory = true;
	else if (!text_finish(
		     text, read_all(fd, text, SETTINGS_FILE_MAX + 1), errors)) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

#define CANDIDATES_MAX 64 /* names of one line that are looked up */
#define HINT_MAX       64 /* bytes; fits the longest hint */
#define PUNCTUATION    "=:;,{}()[]"

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

struct hint {
	int line; /* of the likely cause */
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
tokens_skip_blanks(struct tokens *r)
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

/* True if the next token should be a value, not the name of a setting. */
static bool
tokens_at_value(const struct tokens *r)
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

/* A colon does not end a value, so an address without quotes is one word. */
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

/* Reads the next token. Returns false at the end. */
static bool
tokens_next(struct tokens *r)
{
	bool value;

	r->named = is_word(&r->token) && !tokens_at_value(r);
	if (token_is(&r->token, "{([") && r->depth < DEPTH_MAX)
		r->open[r->depth++] = r->token;
	else if (token_is(&r->token, "})]"))
		r->depth -= r->depth > 0;
	r->before = r->token;
	tokens_skip_blanks(r);
	value = tokens_at_value(r);
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

/* True for numbers and truth values, the words that need no quotes. */
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
	    "the \"%c\" of line %d may not be closed", *open->at, open->line);
	return true;
}

/* Finds what is wrong with a closing bracket. */
static bool
hint_close(const struct tokens *r, struct hint *hint)
{
	char close = *r->token.at;
	const struct token *open;

	if (r->depth == 0) {
		snprintf(hint->text, sizeof(hint->text),
		    "this \"%c\" may be one too many", close);
		return true;
	}
	open = &r->open[r->depth - 1];
	if (!brackets_match(*open->at, close)) {
		hint_unclosed(hint, open);
	} else if (close != '}' && token_is(&r->before, ",")) {
		hint->line = r->before.line;
		snprintf(hint->text, sizeof(hint->text),
		    "the comma before the \"%c\" may be one too many", close);
	}
	return hint->text[0] != '\0';
}

/* Finds what is wrong with a word or an opening bracket in place of a value. */
static bool
hint_value(const struct tokens *r, struct hint *hint)
{
	const char *text = NULL;

	if (is_word(&r->token) && !is_bare_value(&r->token))
		text = "a string may lack its quotes";
	else if (token_is(&r->token, "{") && token_is(&r->before, "[,") &&
		 token_is(&r->open[r->depth - 1], "["))
		text = "a list of groups is in ( ), not in [ ]";
	else if (token_is(&r->token, "[(") && token_is(&r->before, "[,") &&
		 token_is(&r->open[r->depth - 1], "["))
		text = "a list of lists is in ( ), not in [ ]";
	else if (!token_is(&r->before, "=:([,")) {
		hint->line = r->before.line;
		text = "a comma may be missing between two entries";
	}
	if (text != NULL)
		snprintf(hint->text, sizeof(hint->text), "%s", text);
	return text != NULL;
}

/* Returns true and a hint if the token is wrong for a reason that is known. */
static bool
hint_make(const struct tokens *r, struct hint *hint)
{
	hint->line = r->token.line;
	if (token_is(&r->token, "})]"))
		return hint_close(r, hint);
	if (!is_word(&r->token) && !token_is(&r->token, "{(["))
		return false;
	if (tokens_at_value(r))
		return hint_value(r, hint);
	if (r->named) {
		hint->line = r->before.line;
		snprintf(hint->text, sizeof(hint->text),
		    "a \"=\" may be missing after the name");
		return true;
	}
	if (!is_word(&r->token) && r->depth > 0)
		return hint_unclosed(hint, &r->open[r->depth - 1]);
	return false;
}

/* Looks for the first cause up to `line`; or else for an open bracket. */
static void
hint_find(const char *text, int line, struct hint *hint)
{
	struct tokens r = { .at = text, .line = 1 };

	while (tokens_next(&r)) {
		if (r.token.line > line)
			break;
		if (hint_make(&r, hint))
			return;
	}
	hint->line = line;
	if (r.token.size == 0 && r.depth > 0)
		hint_unclosed(hint, &r.open[r.depth - 1]);
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
settings_text_explain(
    const char *text, int line, struct settings_errors *errors)
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

/* The line of an earlier setting with this name in the same group, or 0. */
static int
name_find_earlier(const char *text, const struct tokens *at)
{
	const struct token *name = &at->token;
	struct tokens r = { .at = text, .line = 1 };

	if (at->depth > 0) {
		r.at = at->open[at->depth - 1].at + 1;
		r.line = at->open[at->depth - 1].line;
	}
	while (tokens_next(&r) && r.token.at < name->at) {
		if (r.depth == 0 && is_word(&r.token) && !tokens_at_value(&r) &&
		    r.token.size == name->size &&
		    memcmp(r.token.at, name->at, name->size) == 0)
			return r.token.line;
	}
	return 0;
}

void
settings_text_explain_duplicate(
    const char *text, int line, struct settings_errors *errors)
{
	struct tokens r = { .at = text, .line = 1 };
	int candidates = 0;
	char buffer[QUOTED_MAX + 2];

	while (tokens_next(&r) && r.token.line <= line &&
	       candidates < CANDIDATES_MAX) {
		char name[QUOTED_MAX];
		int first;

		if (r.token.line < line || !is_word(&r.token) ||
		    tokens_at_value(&r))
			continue;
		candidates++;
		first = name_find_earlier(text, &r);
		if (first == 0)
			continue;
		snprintf(name, sizeof(name), "%.*s",
		    r.token.size < 64 ? (int)r.token.size : 64, r.token.at);
		settings_errors_add(errors, line, NULL,
		    "syntax error: %s is already given in line %d; keep one of the two",
		    quoted(name, buffer), first);
		return;
	}
	settings_errors_add(errors, line, NULL,
	    "syntax error: duplicate setting name%s",
	    line_quoted(text, line, buffer));
}
