/* SPDX-License-Identifier: ISC */
/*
 * A line made from words and from members of an answer, and broken if it is too
 * long. A text says where members go:
 *
 *	{term}           the member, made plain; "-" if it is neither a string
 *	                 nor an integer
 *	{leader.name}    a member of a member; {keys.0.file}: of an element
 *	{}               the object itself, which may be any value
 *	{since_ms ms}    a duration in at most two units: "1.3 ms", "2h11m"
 *	{peer node}      the name of the node with this id
 *	{reason why}     a reason, with the name of its node: "died:five"
 *	{voters s}       "s" unless this number, or that of its elements, is 1
 *	{sent kinds}     numbers of messages, "4 ELECTION, 2 OK", or "nothing"
 *	{children count} how many elements
 *	{on?yes:no}      one of two words, for true and for anything else
 *	[one|other]      the first of these texts whose members are all there,
 *	                 which null is not; "" if there is none
 */
#ifndef ELECTD_DAEMON_ELECTCTL_PRINT_LINE_H
#define ELECTD_DAEMON_ELECTCTL_PRINT_LINE_H

#include "daemon/client/client.h"

struct line {
	const json_t *names; /* of nodes, by their ids; NULL: none is known */
	char text[2048];     /* the longest has five nodes, with their names */
	size_t size;
};

/* Adds to the line, and cuts off what does not fit. */
void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the text, with members of the object. */
void line_fill(struct line *line, const json_t *object, const char *text);

/*
 * Adds the text for each element of the list that belongs to it (NULL: each
 * does), and `between` before all but the first. After `most` elements it adds
 * how many more there are. Gives how many belong to the list.
 */
size_t line_fill_list(struct line *line, const json_t *list,
    bool (*belongs)(const json_t *element), size_t most, const char *between,
    const char *text);

/* A word of the daemon's, and the text for it. */
struct phrase {
	const char *word;
	const char *text;
};

/* Adds the text for the word that the member is; false if it has none. The last
 * phrase has no word. */
bool line_fill_phrase(struct line *line, const json_t *object, const char *key,
    const struct phrase *phrases);

/* Gives an object a member that is a text: this one; */
void set_text(json_t *object, const char *key, const char *text);

/* one of the elements of a list, as line_fill_list() makes it, if any belong to
 * it; */
void set_list(json_t *object, const char *key, const json_t *list,
    bool (*belongs)(const json_t *element), size_t most, const char *text);

/* or the text for a word of another object, if it has one. */
void set_phrase(json_t *object, const char *key, const json_t *other,
    const char *word, const struct phrase *phrases);

/* Prints the line. Pieces beyond the 80th column go on in further lines; a
 * single piece is not broken. */
void line_print(const struct line *line);

/* Prints the text, with members of the object, which may have `names` of nodes,
 * as one line of any length. */
void print_text(const json_t *object, const char *text);

/* Prints the text likewise, but broken; nothing if it is empty. */
void print_broken(const json_t *object, const char *text);

/* The name of a node, by its id; "node 4" if it is not known. */
const char *name_text(
    const json_t *names, const char *id, char text[PLAIN_TEXT_MAX]);

/* The answer's reason, with the node's name: "died:five". */
const char *answer_reason(const json_t *names, const json_t *answer,
    const json_t *reason, char text[PLAIN_TEXT_MAX]);

/* "s", or "" for one. */
const char *plural(json_int_t count);

/* The number; 0 if there is none. */
static inline json_int_t
number(const json_t *object, const char *key)
{
	return json_integer_value(field(object, key));
}

/* True if the member is true. */
static inline bool
flag(const json_t *object, const char *key)
{
	return json_is_true(field(object, key));
}

#endif
