/* SPDX-License-Identifier: ISC */
#include "daemon/history/history_print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/history/phases.h"

#define MESSAGE_TEXT_MAX 224
#define EVENT_TEXT_MAX   320

/* Adds to a text of `room` bytes, and cuts off the rest. */
__attribute__((format(printf, 3, 4))) static void
text_add(char *text, size_t room, const char *format, ...)
{
	size_t size = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + size, room - size, format, arguments);
	va_end(arguments);
}

/* "PROBE web3: web7, phase 2": from web3, best web7. */
static const char *
message_text(const struct histories *all, const struct history *h,
    const struct event *e, char text[MESSAGE_TEXT_MAX])
{
	const char *kind = h->kinds[e->message];
	const char *name = phase_name(h->algorithm, kind);
	const char *word = phase_word(h->algorithm, kind, e->phase);
	node_id best = e->rank != NODE_NONE ? e->rank : e->origin;
	char one[HISTORY_NAME_MAX];

	snprintf(text, MESSAGE_TEXT_MAX, "%s", kind);
	if (e->origin != NODE_NONE && e->origin != best)
		text_add(text, MESSAGE_TEXT_MAX,
		    " %s:", history_name(all, e->origin, one));
	if (best != NODE_NONE)
		text_add(text, MESSAGE_TEXT_MAX, " %s",
		    history_name(all, best, one));
	if (word != NULL)
		text_add(text, MESSAGE_TEXT_MAX, ", %s", word);
	else if (name != NULL)
		text_add(
		    text, MESSAGE_TEXT_MAX, ", %s %" PRIu32, name, e->phase);
	return text;
}

/* " (died:web4)", or nothing without a reason. */
static void
add_reason(const struct histories *all, struct reason reason, char *text)
{
	const struct reason alone = { reason.kind, NODE_NONE };
	char word[REASON_TEXT_MAX], name[HISTORY_NAME_MAX];

	if (reason.kind == REASON_NONE)
		return;
	text_add(text, EVENT_TEXT_MAX, " (%s", reason_text(alone, word));
	if (reason.node != NODE_NONE)
		text_add(text, EVENT_TEXT_MAX, ":%s",
		    history_name(all, reason.node, name));
	text_add(text, EVENT_TEXT_MAX, ")");
}

/* "follows web5" and the like. */
static void
leader_text(const struct histories *all, const struct history *h,
    const struct event *e, char text[EVENT_TEXT_MAX])
{
	bool is_own = e->leader == h->id, is_decided = e->kind == EVENT_DECIDED;
	bool is_lost = e->kind == EVENT_NO_LEADER;
	char name[HISTORY_NAME_MAX];

	if (e->leader == NODE_NONE) {
		snprintf(text, EVENT_TEXT_MAX, "%s",
		    is_lost ? "has no leader" : "decides that nobody leads");
		return;
	}
	snprintf(text, EVENT_TEXT_MAX, "%s %s",
	    is_lost      ? is_own ? "leads no more as" : "no longer follows"
	    : is_decided ? "decides for"
	    : is_own     ? "leads as"
			 : "follows",
	    history_name(all, e->leader, name));
}

/* "takes PROBE web7 from web3": what an event is, in words. */
static const char *
event_text(const struct histories *all, const struct history *h,
    const struct event *e, char text[EVENT_TEXT_MAX])
{
	char what[MESSAGE_TEXT_MAX], name[HISTORY_NAME_MAX];

	switch ((enum event_kind)e->kind) {
	case EVENT_STARTS:
		snprintf(text, EVENT_TEXT_MAX, "starts");
		add_reason(all, e->reason, text);
		break;
	case EVENT_SENT:
	case EVENT_TAKEN:
		snprintf(text, EVENT_TEXT_MAX, "%s %s %s %s",
		    e->kind == EVENT_SENT ? "sends" : "takes",
		    message_text(all, h, e, what),
		    e->kind == EVENT_SENT ? "to" : "from",
		    history_name(all, e->peer, name));
		break;
	case EVENT_TIMER:
		snprintf(text, EVENT_TEXT_MAX, "timer");
		break;
	case EVENT_DECIDED:
	case EVENT_LEADER:
	case EVENT_NO_LEADER:
		leader_text(all, h, e, text);
		add_reason(all, e->reason, text);
		break;
	case EVENT_KINDS:
		assert(false);
	}
	return text;
}

/* The number of the event at the other end of a message. */
static void
print_other_end(FILE *out, const struct causes *c, struct place at)
{
	bool is_taken = causes_event(c, at)->kind == EVENT_TAKEN;
	unsigned p = c->passage_of[at.node][at.index];
	struct place other;

	if (p == CAUSES_NONE)
		return;
	other = is_taken ? c->passages[p].sent : c->passages[p].taken;
	if (other.index != CAUSES_NONE)
		fprintf(out, ", its event %" PRIu64,
		    causes_event(c, other)->number);
}

/* "2026-11-27T13:14:50.652714Z", of the host of the event; of a run, its
 * step. */
static void
print_time(FILE *out, const struct causes *c, struct place at)
{
	int64_t time = causes_time(c, at), part = time % (int64_t)SEC;
	time_t seconds = (time_t)(time / (int64_t)SEC - (part < 0));
	char text[sizeof("2026-11-27T13:14:50")] = "";
	struct tm tm = { .tm_mday = 1 };

	if (c->histories->nodes[at.node].clock != HISTORY_NANOSECONDS) {
		fprintf(out, "%6" PRIu64, causes_event(c, at)->at);
		return;
	}
	gmtime_r(&seconds, &tm);
	(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(out, "%s.%06uZ", text,
	    (unsigned)((part + (part < 0 ? (int64_t)SEC : 0)) / (int64_t)USEC));
}

/* The name of the node before what it does, unless that is its id. */
static const char *
actor_text(const struct history *h, char text[HISTORY_NAME_MAX + 1])
{
	char id[sizeof("4294967295")];

	snprintf(id, sizeof(id), "%" PRIu32, h->id);
	snprintf(text, HISTORY_NAME_MAX + 1, "%s ", h->name);
	if (!history_is_plain(h->name) || strcmp(h->name, id) == 0)
		text[0] = '\0';
	return text;
}

void
history_print_event(FILE *out, const struct causes *c, struct place at)
{
	const struct history *h = &c->histories->nodes[at.node];
	const struct event *e = causes_event(c, at);
	char actor[HISTORY_NAME_MAX + 1], text[EVENT_TEXT_MAX];

	print_time(out, c, at);
	fprintf(out, "  %4" PRIu32 ":%-5" PRIu64 " term %-4" PRIu64 " %s%s",
	    h->id, e->number, e->term, actor_text(h, actor),
	    event_text(c->histories, h, e, text));
	print_other_end(out, c, at);
	fputc('\n', out);
}

void
history_print_text(FILE *out, const struct causes *c)
{
	for (unsigned i = 0; i < c->order_count; i++)
		history_print_event(out, c, c->order[i]);
}

/* True if the node may have forgotten events of the term: no earlier one is
 * left. */
static bool
is_cut_off(const struct history *h)
{
	return h->first > 1 && h->count > 0 && h->events[0].number == h->first;
}

void
history_print_cost(FILE *out, const struct histories *all, uint64_t term)
{
	unsigned sent[MESSAGE_KINDS_MAX] = { 0 }, nodes = 0, sum = 0;
	bool is_least = false;
	const char *between = ": ";

	for (unsigned i = 0; i < all->count; i++) {
		const struct history *h = &all->nodes[i];

		nodes += h->count > 0;
		is_least |= is_cut_off(h);
		for (unsigned j = 0; j < h->count; j++) {
			if (h->events[j].kind != EVENT_SENT)
				continue;
			sent[h->events[j].message]++;
			sum++;
		}
	}
	fprintf(out, "term %" PRIu64 ": %u node%s sent %s%u message%s", term,
	    nodes, nodes == 1 ? "" : "s", is_least ? "at least " : "", sum,
	    sum == 1 ? "" : "s");
	for (unsigned kind = 0; kind < MESSAGE_KINDS_MAX; kind++) {
		if (sent[kind] == 0)
			continue;
		fprintf(out, "%s%u %s", between, sent[kind],
		    all->nodes[0].kinds[kind]);
		between = ", ";
	}
	fputc('\n', out);
}

/* The last time that a node began to lead; or else, that one followed another.
 */
static bool
find_leader(const struct causes *c, struct place *found)
{
	bool is_found = false, leads = false;

	for (unsigned i = 0; i < c->order_count; i++) {
		struct place at = c->order[i];
		const struct event *e = causes_event(c, at);
		bool is_own = e->leader == c->histories->nodes[at.node].id;

		if ((e->kind != EVENT_DECIDED && e->kind != EVENT_LEADER) ||
		    e->leader == NODE_NONE || (leads && !is_own))
			continue;
		*found = at;
		is_found = true;
		leads = is_own;
	}
	return is_found;
}

/*
 * The cause of an event: of a taking its sending, and else the last thing that
 * the node was given before it. False: it has none, or none that is known.
 */
static bool
find_cause(const struct causes *c, struct place at, struct place *cause)
{
	const struct event *e = causes_event(c, at);
	unsigned p = c->passage_of[at.node][at.index];

	if (e->kind == EVENT_STARTS)
		return false;
	if (e->kind == EVENT_TAKEN) {
		*cause = c->passages[p].sent;
		return cause->index != CAUSES_NONE;
	}
	for (*cause = at; cause->index > 0;) {
		cause->index--;
		e = causes_event(c, *cause);
		if (e->kind == EVENT_STARTS || e->kind == EVENT_TAKEN ||
		    e->kind == EVENT_TIMER)
			return true;
	}
	return false;
}

bool
history_print_chain(FILE *out, const struct causes *c)
{
	struct place *chain = calloc(c->order_count + 1, sizeof(*chain));
	struct place at;
	unsigned count = 0;
	bool is_there = chain != NULL && find_leader(c, &at);

	while (is_there) {
		chain[count++] = at;
		if (!find_cause(c, at, &at))
			break;
	}
	for (unsigned i = count; i > 0; i--)
		history_print_event(out, c, chain[i - 1]);
	free(chain);
	return is_there;
}

/* What an event knows: as many events of each node. */
struct clocks {
	unsigned *of_node;    /* nodes times nodes: of each node, now */
	unsigned *of_passage; /* passages times nodes: when it was sent */
};

static void
clock_step(struct clocks *k, const struct causes *c, struct place at)
{
	unsigned n = c->histories->count;
	unsigned p = c->passage_of[at.node][at.index];
	unsigned *own = k->of_node + (size_t)at.node * n;
	bool is_taken = causes_event(c, at)->kind == EVENT_TAKEN;

	own[at.node]++;
	if (p == CAUSES_NONE)
		return;
	if (!is_taken) {
		memcpy(k->of_passage + (size_t)p * n, own, n * sizeof(*own));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned there = k->of_passage[(size_t)p * n + i];

		if (own[i] < there)
			own[i] = there;
	}
}

static void
print_clock(
    FILE *out, const struct clocks *k, const struct causes *c, unsigned node)
{
	unsigned n = c->histories->count;
	const char *between = "";

	fprintf(out, "node%" PRIu32 " {", c->histories->nodes[node].id);
	for (unsigned i = 0; i < n; i++) {
		unsigned count = k->of_node[(size_t)node * n + i];

		if (count == 0)
			continue;
		fprintf(out, "%s\"node%" PRIu32 "\":%u", between,
		    c->histories->nodes[i].id, count);
		between = ", ";
	}
	fputs("}\n", out);
}

bool
history_print_shiviz(FILE *out, const struct causes *c)
{
	size_t n = c->histories->count;
	struct clocks k;
	bool has_room;

	if (n > SHIVIZ_NODES_MAX)
		return false;
	k.of_node = calloc(n * n + 1, sizeof(*k.of_node));
	k.of_passage = calloc(c->passages_count * n + 1, sizeof(*k.of_passage));
	has_room = k.of_node != NULL && k.of_passage != NULL;
	for (unsigned i = 0; has_room && i < c->order_count; i++) {
		struct place at = c->order[i];
		const struct history *h = &c->histories->nodes[at.node];
		const struct event *e = causes_event(c, at);
		char text[EVENT_TEXT_MAX];

		clock_step(&k, c, at);
		fprintf(out, "%" PRIu64 " term %" PRIu64 " %s\n", e->number,
		    e->term, event_text(c->histories, h, e, text));
		print_clock(out, &k, c, at.node);
	}
	free(k.of_node);
	free(k.of_passage);
	return has_room;
}

/* A message stands where it is taken, or where it is sent if it never is. */
static void
print_mermaid_event(FILE *out, const struct causes *c, struct place at)
{
	const struct history *h = &c->histories->nodes[at.node];
	const struct event *e = causes_event(c, at);
	unsigned p = c->passage_of[at.node][at.index];
	char text[EVENT_TEXT_MAX];

	if (e->kind == EVENT_TAKEN) {
		fprintf(out, "    n%" PRIu32 "->>n%" PRIu32 ": %s\n", e->peer,
		    h->id, message_text(c->histories, h, e, text));
	} else if (e->kind == EVENT_SENT) {
		if (c->passages[p].taken.index == CAUSES_NONE)
			fprintf(out, "    n%" PRIu32 "-xn%" PRIu32 ": %s\n",
			    h->id, e->peer,
			    message_text(c->histories, h, e, text));
	} else {
		fprintf(out,
		    "    Note over n%" PRIu32 ": %s, term %" PRIu64 "\n", h->id,
		    event_text(c->histories, h, e, text), e->term);
	}
}

void
history_print_mermaid(FILE *out, const struct causes *c)
{
	fputs("sequenceDiagram\n", out);
	for (unsigned i = 0; i < c->histories->count; i++) {
		const struct history *h = &c->histories->nodes[i];

		fprintf(out, "    participant n%" PRIu32 " as %s\n", h->id,
		    h->name);
	}
	for (unsigned i = 0; i < c->order_count; i++)
		print_mermaid_event(out, c, c->order[i]);
}
