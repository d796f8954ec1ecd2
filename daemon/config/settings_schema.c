/* SPDX-License-Identifier: ISC */
/* Each setting's type, range and default, and its check. */
#include "daemon/config/settings_private.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_value.h"

#define AT(member)        .at = offsetof(struct draft, member)
#define AT_NODE(member)   .at = offsetof(struct draft_node, member)
#define AT_CHECK(member)  .at = offsetof(struct draft_check, member)
#define AT_CHOICE(member) .at = offsetof(struct draft_choices, member)
#define NSEC(duration)    ((int64_t)(duration))
#define MINUTE            (60 * SEC)

#define OPTION_ID .kind = KIND_INTEGER, .low = 1, .high = NODE_ID_MAX

static const struct option node_options[] = {
	{ "id", OPTION_ID, AT_NODE(id),
	    .required = "give each node its own number" },
	{ "name", KIND_NAME, AT_NODE(name) },
	{ "address", KIND_ADDRESS, AT_NODE(address),
	    .required = "give it as in \"192.0.2.11:7420\"" },
	{ "priority", KIND_INTEGER, AT_NODE(priority), .low = INT32_MIN,
	    .high = INT32_MAX, .initial = "0" },
	{ "role", KIND_WORD, AT_NODE(role), .words = role_words,
	    .initial = "candidate" },
	{ 0 },
};

static const struct option neighbour_options[] = {
	{ "id", OPTION_ID, AT_NODE(id), .required = "give the neighbour's id" },
	{ "address", KIND_ADDRESS, AT_NODE(address),
	    .required = "give it as in \"192.0.2.11:7420\"" },
	{ "side", KIND_WORD, AT_NODE(side), .words = side_words },
	{ 0 },
};

static const struct option topology_options[] = {
	{ "kind", KIND_WORD, AT(topology.kind), .words = topology_words },
	{ "order", KIND_ORDER, AT(topology.order) },
	{ "links", KIND_LINKS, AT(topology.links) },
	{ "diameter", KIND_INTEGER, AT(topology.diameter), .low = 0,
	    .high = DIAMETER_MAX },
	{ "degree", KIND_INTEGER, AT(topology.degree), .low = DEGREE_MIN,
	    .high = DEGREE_MAX, .initial = "8" },
	{ 0 },
};

static const struct option timing_options[] = {
	{ "heartbeat", KIND_DURATION, AT(heartbeat), .low = NSEC(HEARTBEAT_MIN),
	    .high = NSEC(HEARTBEAT_MAX), .initial = "100ms" },
	{ "misses", KIND_INTEGER, AT(misses), .low = 1, .high = MISSES_MAX,
	    .initial = "3" },
	{ "lease", KIND_DURATION, AT(lease), .low = NSEC(LEASE_MIN),
	    .high = NSEC(LEASE_MAX) },
	{ "startup", KIND_DURATION, AT(startup), .low = 0,
	    .high = NSEC(STARTUP_MAX), .initial = "1s" },
	{ "forget", KIND_DURATION, AT(forget), .low = NSEC(FORGET_MIN),
	    .high = NSEC(FORGET_MAX), .initial = "1h" },
	{ 0 },
};

static const struct option security_options[] = {
	{ "key_file", KIND_PATH, AT(key_file) },
	{ "old_key_file", KIND_PATH, AT(old_key_file), .may_be_empty = true },
	{ 0 },
};

static const struct option control_options[] = {
	{ "socket", KIND_PATH, AT(socket) },
	{ "group", KIND_NAME, AT(group), .may_be_empty = true },
	{ "deadlines", KIND_NAMES, AT(deadlines) },
	{ 0 },
};

static const struct option multicast_options[] = {
	{ "group", KIND_TEXT, AT(multicast.group),
	    .required = "give it as in \"239.192.74.20:7421\"" },
	{ "interface", KIND_TEXT, AT(multicast.interface) },
	{ "ttl", KIND_INTEGER, AT(multicast.ttl), .low = 1, .high = 255,
	    .initial = "1" },
	{ 0 },
};

static const struct option self_options[] = {
	{ "name", KIND_NAME, AT(self.name) },
	{ "priority", KIND_INTEGER, AT(self.priority), .low = INT32_MIN,
	    .high = INT32_MAX, .initial = "0" },
	{ "role", KIND_WORD, AT(self.role), .words = role_words,
	    .initial = "candidate" },
	{ 0 },
};

static const struct option check_options[] = {
	{ "name", KIND_NAME, AT_CHECK(name),
	    .required = "give each check a name, as in \"nginx\"" },
	{ "command", KIND_WORDS, AT_CHECK(command) },
	{ "unit", KIND_TEXT, AT_CHECK(unit) },
	{ "interval", KIND_DURATION, AT_CHECK(interval), .low = NSEC(50 * MSEC),
	    .high = NSEC(60 * MINUTE), .initial = "2s" },
	{ "timeout", KIND_DURATION, AT_CHECK(timeout), .low = NSEC(10 * MSEC),
	    .high = NSEC(60 * MINUTE) },
	{ "rise", KIND_INTEGER, AT_CHECK(rise), .low = 1, .high = 100,
	    .initial = "2" },
	{ "fall", KIND_INTEGER, AT_CHECK(fall), .low = 1, .high = 100,
	    .initial = "3" },
	{ 0 },
};

const struct option settings_options[] = {
	{ "cluster", KIND_NAME, AT(cluster),
	    .required =
		"give a name that no other cluster on this network has" },
	{ "guarantee", KIND_WORD, AT(guarantee), .words = guarantee_words,
	    .required = "choose \"component\" or \"quorum\"" },
	{ "algorithm", KIND_TEXT, AT(algorithm), .initial = "bully" },
	{ "prefer", KIND_WORD, AT(prefer), .words = prefer_words,
	    .initial = "highest" },
	{ "preempt", KIND_TEXT, AT(preempt), .initial = "always" },
	{ "id", OPTION_ID, AT(id) },
	{ "listen", KIND_ADDRESS, AT(listen) },
	{ "nodes", KIND_NODES, AT(nodes), .options = node_options },
	{ "generation", KIND_INTEGER, AT(generation), .low = 0,
	    .high = GENERATION_MAX, .initial = "0" },
	{ "neighbours", KIND_NODES, AT(neighbours),
	    .options = neighbour_options },
	{ "topology", KIND_GROUP, .options = topology_options },
	{ "timing", KIND_GROUP, .options = timing_options },
	{ "security", KIND_GROUP, .options = security_options },
	{ "control", KIND_GROUP, .options = control_options },
	{ "state_dir", KIND_PATH, AT(state_dir), .initial = "/var/lib/electd" },
	{ "realtime", KIND_TRUTH, AT(realtime) },
	{ "record", KIND_TRUTH, AT(record) },
	{ "watch_carrier", KIND_TRUTH, AT(watch_carrier) },
	{ "expect", KIND_INTEGER, AT(expect), .low = 0, .high = NODES_MAX,
	    .initial = "0" },
	{ "discovery", KIND_TRUTH, AT(discovery) },
	{ "multicast", KIND_GROUP, .options = multicast_options },
	{ "join", KIND_ADDRESSES, AT(join) },
	{ "self", KIND_GROUP, .options = self_options },
	{ "checks", KIND_CHECKS, AT(checks), .options = check_options },
	{ 0 },
};

/* The options that algorithms may have, by their bit in `choices`. */
static const struct {
	enum choice choice;
	struct option option;
} choices[] = {
	{ CHOICE_VARIANT, { "variant", KIND_WORD, AT_CHOICE(variant) } },
	{ CHOICE_JOIN, { "join", KIND_TRUTH, AT_CHOICE(join) } },
	{ CHOICE_WAKEUP, { "wakeup", KIND_TRUTH, AT_CHOICE(wakeup) } },
	{ CHOICE_ANNOUNCE, { "announce", KIND_WORD, AT_CHOICE(announce),
			       .words = announce_words } },
};

_Static_assert(sizeof(choices) / sizeof(choices[0]) == CHOICES_MAX - 1,
    "every choice fits, and the row that ends them");

const struct option *
algorithm_options(
    const struct algorithm *algorithm, struct option buffer[CHOICES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < CHOICES_MAX - 1; i++) {
		if ((algorithm->choices & (unsigned)choices[i].choice) == 0)
			continue;
		buffer[count] = choices[i].option;
		if (choices[i].choice == CHOICE_VARIANT)
			buffer[count].words = algorithm->variants;
		count++;
	}
	buffer[count] = (struct option){ 0 };
	return buffer;
}

struct given *
given_at(void *base, const struct option *option)
{
	return (struct given *)((char *)base + option->at);
}

/* The setting that is being checked. */
struct check {
	struct settings_errors *errors;
	const char *name; /* the setting's, in full */
};

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

static bool
take_word(
    const struct check *c, const struct option *option, struct given *given)
{
	int index = word_find(option->words, given->text);
	char words[80];
	char value[QUOTED_MAX];

	given->number = index;
	if (index >= 0)
		return true;
	words_list(option->words, words, sizeof(words));
	settings_errors_add(c->errors, given->line, c->name,
	    "%s is unknown; must be %s", quoted(given->text, value), words);
	return false;
}

static bool
take_integer(
    const struct check *c, const struct option *option, struct given *given)
{
	if (given->number >= option->low && given->number <= option->high)
		return true;
	settings_errors_add(c->errors, given->line, c->name,
	    "%lld is out of range; must be %lld to %lld",
	    (long long)given->number, (long long)option->low,
	    (long long)option->high);
	return false;
}

/* Adds the error for a text that is no duration; suggests the text without
 * spaces if that is one. */
static void
refuse_duration(const struct check *c, const struct given *given)
{
	char value[QUOTED_MAX];
	char joined[DURATION_MAX_BYTES];
	size_t size = 0;
	nsec_t duration;

	for (const char *at = given->text; *at != '\0'; at++) {
		if (*at != ' ' && size < sizeof(joined) - 1)
			joined[size++] = *at;
	}
	joined[size] = '\0';
	if (duration_read(joined, &duration))
		settings_errors_add(c->errors, given->line, c->name,
		    "%s has a space in it; write \"%s\"",
		    quoted(given->text, value), joined);
	else
		settings_errors_add(c->errors, given->line, c->name,
		    "%s is not a duration; write a whole number and a unit (us, ms, s, m, h, d), as in \"250ms\"",
		    quoted(given->text, value));
}

static bool
take_duration(
    const struct check *c, const struct option *option, struct given *given)
{
	char value[QUOTED_MAX];
	char low[DURATION_MAX_BYTES];
	char high[DURATION_MAX_BYTES];
	nsec_t duration;

	if (!duration_read(given->text, &duration)) {
		refuse_duration(c, given);
		return false;
	}
	given->number = (int64_t)duration;
	if (given->number >= option->low && given->number <= option->high)
		return true;
	settings_errors_add(c->errors, given->line, c->name,
	    "%s is out of range; must be %s to %s", quoted(given->text, value),
	    duration_text((nsec_t)option->low, low),
	    duration_text((nsec_t)option->high, high));
	return false;
}

/* Returns true if `fault` is NULL, or adds it as an error. */
static bool
take_text(const struct check *c, const struct given *given, const char *fault)
{
	char value[QUOTED_MAX];

	if (fault == NULL)
		return true;
	settings_errors_add(c->errors, given->line, c->name, "%s %s",
	    quoted(given->text, value), fault);
	return false;
}

bool
option_check(const struct option *option, struct given *given, const char *name,
    struct settings_errors *errors)
{
	const struct check check = { errors, name };
	const struct check *c = &check;
	char canonical[ADDRESS_MAX_BYTES];

	if (option->may_be_empty && *given->text == '\0')
		return true;
	switch (option->kind) {
	case KIND_NAME:
		return take_text(c, given, name_fault(given->text));
	case KIND_PATH:
		return take_text(c, given, path_fault(given->text));
	case KIND_ADDRESS:
		return take_text(
		    c, given, address_fault(given->text, canonical));
	case KIND_WORD:
		return take_word(c, option, given);
	case KIND_INTEGER:
		return take_integer(c, option, given);
	case KIND_DURATION:
		return take_duration(c, option, given);
	case KIND_TEXT:
	case KIND_TRUTH:
	case KIND_ORDER:
	case KIND_LINKS:
	case KIND_GROUP:
	case KIND_NODES:
	case KIND_ADDRESSES:
	case KIND_NAMES:
	case KIND_WORDS:
	case KIND_CHECKS:
		return true;
	}
	return false;
}

void
options_default(const struct option *options, void *base)
{
	for (const struct option *o = options; o->name != NULL; o++) {
		struct given *given = given_at(base, o);

		if (o->kind == KIND_GROUP)
			options_default(o->options, base);
		if (o->initial == NULL)
			continue;
		*given = (struct given){ .text = o->initial };
		if (o->kind == KIND_INTEGER)
			given->number = atoll(o->initial);
		given->valid = option_check(o, given, o->name, NULL);
		assert(given->valid);
	}
}

const struct option *
option_find(const struct option *options, const char *name)
{
	for (const struct option *o = options; o->name != NULL; o++) {
		if (strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}

/* The setting that was most likely meant. */
struct guess {
	const char *name;           /* NULL: nothing is near */
	const struct option *owner; /* the group it is in; NULL: the root */
	unsigned distance;          /* from what was written */
};

/* Takes a known name if it is nearer than the guess so far. */
static void
guess_try(struct guess *guess, const struct option *owner, const char *known,
    const char *name)
{
	unsigned distance = word_distance(known, name);
	size_t size = strlen(known);

	if (distance < guess->distance && distance <= size / 3 + 1 &&
	    distance < size)
		*guess = (struct guess){ known, owner, distance };
}

/* Takes the nearest option of `owner` if it is nearer than the guess so far. */
static void
guess_among(struct guess *guess, const struct option *owner, const char *name)
{
	const struct option *o = settings_options;

	if (owner != NULL)
		o = owner->options;
	for (; o->name != NULL; o++)
		guess_try(guess, owner, o->name, name);
}

/*
 * Finds the nearest option of all; of equally near ones, one of `here`. The
 * root also has the algorithms' own groups.
 */
static struct guess
guess_make(const struct option *here, const char *name)
{
	struct guess guess = { .distance = UINT_MAX };

	guess_among(&guess, here, name);
	guess_among(&guess, NULL, name);
	for (const struct option *o = settings_options; o->name != NULL; o++) {
		if (o->options != NULL)
			guess_among(&guess, o, name);
	}
	for (size_t i = 0; here == NULL && algorithms[i] != NULL; i++)
		guess_try(&guess, NULL, algorithms[i]->name, name);
	return guess;
}

static void
known_list(const struct option *options, char buffer[SUGGESTION_MAX])
{
	size_t used = (size_t)snprintf(buffer, SUGGESTION_MAX, "known here:");

	for (const struct option *o = options; o->name != NULL; o++) {
		if (used < SUGGESTION_MAX)
			used += (size_t)snprintf(buffer + used,
			    SUGGESTION_MAX - used, "%s %s",
			    o == options ? "" : ",", o->name);
	}
}

const char *
option_suggest(
    const struct option *here, const char *name, char buffer[SUGGESTION_MAX])
{
	struct guess guess = guess_make(here, name);

	if (guess.name == NULL)
		known_list(
		    here == NULL ? settings_options : here->options, buffer);
	else if (guess.owner == here)
		snprintf(
		    buffer, SUGGESTION_MAX, "did you mean \"%s\"?", guess.name);
	else if (guess.owner == NULL)
		snprintf(buffer, SUGGESTION_MAX,
		    "did you mean \"%s\" outside of any group?", guess.name);
	else
		snprintf(buffer, SUGGESTION_MAX,
		    "did you mean \"%s\" inside of \"%s\"?", guess.name,
		    guess.owner->name);
	return buffer;
}
