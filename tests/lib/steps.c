/* SPDX-License-Identifier: ISC */
#include "tests/lib/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/instance.h"

#define STEP_MAX 240 /* bytes */
#define TEXT_MAX 2000

static struct instance it;
static char step[STEP_MAX]; /* that is taken, for messages */

static void
must(bool holds, const char *what)
{
	if (!holds)
		fail_msg("\"%s\": %s", step, what);
}

/* Ends `text` before the mark; gives what follows the mark, or NULL. */
static char *
cut(char *text, const char *mark)
{
	char *at = strstr(text, mark);

	if (at == NULL)
		return NULL;
	*at = '\0';
	return at + strlen(mark);
}

static uint32_t
number_read(const char *word, char **end)
{
	uint32_t number = (uint32_t)strtoul(word, end, 10);

	must(*end != word, "no number");
	return number;
}

static uint32_t
number_of(const char *word)
{
	char *end;
	uint32_t number = number_read(word, &end);

	must(*end == '\0', "more than a number");
	return number;
}

static struct rank
rank_of(const char *word)
{
	char *flags;
	struct rank rank = instance_rank(number_read(word, &flags));

	for (; *flags != '\0'; flags++) {
		must(strchr("!^", *flags) != NULL, "no such rank");
		if (*flags == '!')
			rank.is_eligible = false;
		else
			rank.priority = 1;
	}
	return rank;
}

static uint16_t
ids_read(const char *text, node_id *ids, unsigned max)
{
	uint16_t count = 0;

	for (;; text++) {
		char *end;

		must(count < max, "too many ids");
		ids[count++] = number_read(text, &end);
		if (*end == '\0')
			return count;
		text = end;
	}
}

static uint8_t
kind_of(const char *name)
{
	const char *const *kinds = it.algorithm->kinds;

	for (uint8_t i = 0; i < MESSAGE_KINDS_MAX && kinds[i] != NULL; i++)
		if (strcmp(kinds[i], name) == 0)
			return i;
	must(strcmp(name, "other") == 0, "no such kind");
	return MESSAGE_KINDS_MAX;
}

static void
field_read(const char *word, struct message *m)
{
	switch (*word) {
	case 'o':
		m->origin = number_of(word + 1);
		break;
	case 'p':
		m->phase = number_of(word + 1);
		break;
	case 'd':
		m->distance = number_of(word + 1);
		break;
	case 'l':
		if (word[1] != '\0')
			m->list_count = ids_read(word + 1, m->list, LIST_MAX);
		break;
	default:
		m->rank = rank_of(word);
	}
}

/* Gives the word for the link. */
static const char *
message_read(char *text, struct message *m)
{
	char *rest, *word;
	const char *link = strtok_r(text, " ", &rest);

	*m = (struct message){ .kind = 0 };
	word = strtok_r(NULL, " ", &rest);
	must(word != NULL, "no kind of message");
	m->kind = kind_of(word);
	while ((word = strtok_r(NULL, " ", &rest)) != NULL)
		field_read(word, m);
	return link;
}

static unsigned
link_of(const char *word)
{
	unsigned link;

	if (strcmp(word, "left") == 0)
		return RING_LEFT;
	if (strcmp(word, "right") == 0)
		return RING_RIGHT;
	link = number_of(word);
	must(link < it.view.links_count, "no such link");
	return link;
}

/* What a step "begin" chooses. */
struct beginning {
	struct choices choices;
	struct rank self;
	enum prefer prefer;
	uint64_t seed;
	node_id peers[INSTANCE_LINKS_MAX];
	unsigned peers_count;
};

static void
word_read(const char *word, struct beginning *b)
{
	if (strcmp(word, "lowest") == 0)
		b->prefer = PREFER_LOWEST;
	else if (strcmp(word, "starters_only") == 0)
		b->choices.starters_only = true;
	else if (strcmp(word, "no_wakeup") == 0)
		b->choices.no_wakeup = true;
	else if (strcmp(word, "any_leader") == 0)
		b->choices.any_leader = true;
	else if (strncmp(word, "diameter=", 9) == 0)
		b->choices.diameter = number_of(word + 9);
	else if (strncmp(word, "variant=", 8) == 0)
		b->choices.variant = (uint8_t)number_of(word + 8);
	else if (strncmp(word, "seed=", 5) == 0)
		b->seed = number_of(word + 5);
	else if (strncmp(word, "self=", 5) == 0)
		b->self = rank_of(word + 5);
	else if (strncmp(word, "peers=", 6) == 0)
		b->peers_count =
		    ids_read(word + 6, b->peers, INSTANCE_LINKS_MAX);
	else
		must(false, "no such word");
}

static void
begin(const struct algorithm *algorithm, char *text)
{
	struct beginning b = { .self = instance_rank(5) };
	char *rest, *word = strtok_r(text, " ", &rest);
	uint32_t links_count = number_of(word);

	while ((word = strtok_r(NULL, " ", &rest)) != NULL)
		word_read(word, &b);
	instance_begin(&it, algorithm, &b.choices, b.self, links_count);
	it.view.prefer = b.prefer;
	it.view.seed = b.seed;
	for (unsigned i = 0; i < b.peers_count; i++)
		it.links[i].rank = instance_rank(b.peers[i]);
	instance_again(&it);
}

static bool
message_is(const struct message *m, const struct message *expected)
{
	bool names_all = !it.algorithm->has_lists;

	return m->kind == expected->kind &&
	       rank_equal(&m->rank, &expected->rank) &&
	       m->origin == expected->origin && m->phase == expected->phase &&
	       (m->distance == expected->distance ||
		   (!names_all && expected->distance == 0)) &&
	       (m->list_count == expected->list_count
		       ? memcmp(m->list, expected->list,
			     m->list_count * sizeof(*m->list)) == 0
		       : !names_all && expected->list_count == 0);
}

static size_t
sent_on(size_t at, unsigned link, const struct message *m)
{
	must(at < it.out.count, "sends less");
	must(it.room[at].link == link, "sends on another link");
	must(message_is(&it.room[at].message, m), "sends another");
	return at + 1;
}

/* Checks the messages from `at` on; gives the index of the next. `from` is the
 * link of the input. */
static size_t
sent_check(char *text, size_t at, unsigned from)
{
	struct message m;
	const char *word = message_read(text, &m);
	bool is_others = strcmp(word, "others") == 0;

	if (strcmp(word, "both") == 0)
		return sent_on(sent_on(at, RING_LEFT, &m), RING_RIGHT, &m);
	if (!is_others && strcmp(word, "all") != 0)
		return sent_on(at, link_of(word), &m);
	for (unsigned i = 0; i < it.view.links_count; i++)
		if (!is_others || i != from)
			at = sent_on(at, i, &m);
	return at;
}

/* Checks all results of the last step. */
static void
results_check(char *results, const char *phase, unsigned from)
{
	size_t sent = 0;
	bool arms = false, decides = false;

	while (results != NULL) {
		char *next = cut(results, ", ");

		if (strcmp(results, "arms") == 0) {
			arms = true;
		} else if (strncmp(results, "decides ", 8) == 0) {
			struct rank winner = rank_of(results + 8);

			decides = true;
			must(it.out.has_decided, "does not decide");
			must(rank_equal(&it.out.winner, &winner),
			    "decides for another");
		} else {
			sent = sent_check(results, sent, from);
		}
		results = next;
	}
	must(it.out.count == sent, "sends more");
	must(it.out.has_armed == arms, "a timer");
	must(it.out.has_decided == decides, "decides");
	if (phase == NULL && decides)
		phase = "decided";
	if (phase != NULL)
		must(strcmp(it.algorithm->phase(it.state), phase) == 0,
		    it.algorithm->phase(it.state));
}

static void
refused_check(unsigned link, const struct message *m, const char *phase)
{
	uint8_t before[INSTANCE_STATE_MAX];

	memcpy(before, it.state, sizeof(before));
	instance_receive(&it, link, m);
	results_check(NULL, phase, link);
	must(memcmp(before, it.state, sizeof(before)) == 0, "it changes");
}

/* Refuses a message; or, of any other kind, each that the algorithm lacks. */
static void
refused_step(unsigned link, struct message *m, const char *phase)
{
	if (m->kind < MESSAGE_KINDS_MAX) {
		refused_check(link, m, phase);
		return;
	}
	for (unsigned kind = 0; kind <= UINT8_MAX; kind++) {
		m->kind = (uint8_t)kind;
		if (kind >= MESSAGE_KINDS_MAX ||
		    it.algorithm->kinds[kind] == NULL)
			refused_check(link, m, phase);
	}
}

static void
message_step(char *input, char *results, const char *phase, bool is_refused)
{
	struct message m;
	bool names_list = strstr(input, " l") != NULL;
	unsigned link = link_of(message_read(input, &m));

	if (it.algorithm->has_lists && !names_list && m.origin != NODE_NONE) {
		message_list(&m, m.origin);
		if (m.rank.id != m.origin && m.rank.id != NODE_NONE)
			message_list(&m, m.rank.id);
	}
	if (is_refused) {
		refused_step(link, &m, phase);
		return;
	}
	instance_receive(&it, link, &m);
	results_check(results, phase, link);
}

static void
take(const struct algorithm *algorithm, char *text)
{
	char *phase = cut(text, " = ");
	char *results = cut(text, " > ");
	bool is_refused = cut(text, " refused") != NULL;

	if (strncmp(text, "begin ", 6) == 0)
		begin(algorithm, text + 6);
	else if (strcmp(text, "start") == 0)
		instance_start(&it);
	else if (strcmp(text, "timer") == 0)
		instance_expire(&it);
	else {
		message_step(text, results, phase, is_refused);
		return;
	}
	results_check(results, phase, 0);
}

void
steps(const struct algorithm *algorithm, const char *format, ...)
{
	char all[TEXT_MAX], *text = all, *next;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(all, sizeof(all), format, arguments);
	va_end(arguments);
	assert_in_range(size, 0, sizeof(all) - 1);
	while ((next = cut(text, "\n")) != NULL) {
		assert_true(strlen(text) < sizeof(step));
		strcpy(step, text);
		take(algorithm, text);
		text = next;
	}
	assert_true(*text == '\0');
}
