/* SPDX-License-Identifier: ISC */
#include "daemon/history/history_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history/phases.h"

#define MESSAGE_TEXT_MAX 80

/* "PROBE 3: 7, phase 2": from node 3, best 7; as the labels of diagrams. */
static const char *
message_text(
    const struct history *h, const struct event *e, char text[MESSAGE_TEXT_MAX])
{
	const char *kind = h->kinds[e->message];
	const char *name = phase_name(h->algorithm, kind);
	const char *word = phase_word(h->algorithm, kind, e->phase);
	char origin[16] = "", rank[16] = "", phase[40] = "";

	if (e->origin != NODE_NONE && e->rank != NODE_NONE &&
	    e->origin != e->rank)
		snprintf(origin, sizeof(origin), " %" PRIu32 ":", e->origin);
	if (e->rank != NODE_NONE || e->origin != NODE_NONE)
		snprintf(rank, sizeof(rank), " %" PRIu32,
		    e->rank != NODE_NONE ? e->rank : e->origin);
	if (word != NULL)
		snprintf(phase, sizeof(phase), ", %s", word);
	else if (name != NULL)
		snprintf(phase, sizeof(phase), ", %s %" PRIu32, name, e->phase);
	snprintf(text, MESSAGE_TEXT_MAX, "%s%s%s%s", kind, origin, rank, phase);
	return text;
}

/* "follows 5 (died:4)" and the like. */
static void
leader_text(
    const struct history *h, const struct event *e, char text[EVENT_TEXT_MAX])
{
	bool is_own = e->leader == h->id, is_decided = e->kind == EVENT_DECIDED;
	char why[REASON_TEXT_MAX] = "";

	if (e->reason.kind != REASON_NONE)
		reason_text(e->reason, why);
	if (e->kind == EVENT_NO_LEADER && e->leader == NODE_NONE)
		snprintf(text, EVENT_TEXT_MAX, "has no leader");
	else if (e->kind == EVENT_NO_LEADER)
		snprintf(text, EVENT_TEXT_MAX, "%s %" PRIu32,
		    is_own ? "leads no more as" : "no longer follows",
		    e->leader);
	else if (e->leader == NODE_NONE)
		snprintf(text, EVENT_TEXT_MAX, "decides that nobody leads");
	else
		snprintf(text, EVENT_TEXT_MAX, "%s %" PRIu32,
		    is_decided ? "decides for"
		    : is_own   ? "leads as"
			       : "follows",
		    e->leader);
	if (why[0] != '\0')
		snprintf(text + strlen(text), EVENT_TEXT_MAX - strlen(text),
		    " (%s)", why);
}

const char *
history_event_text(
    const struct history *h, const struct event *e, char text[EVENT_TEXT_MAX])
{
	char what[MESSAGE_TEXT_MAX], why[REASON_TEXT_MAX];

	switch ((enum event_kind)e->kind) {
	case EVENT_STARTS:
		if (e->reason.kind == REASON_NONE)
			snprintf(text, EVENT_TEXT_MAX, "starts");
		else
			snprintf(text, EVENT_TEXT_MAX, "starts (%s)",
			    reason_text(e->reason, why));
		break;
	case EVENT_SENT:
	case EVENT_TAKEN:
		snprintf(text, EVENT_TEXT_MAX, "%s %s %s %" PRIu32,
		    e->kind == EVENT_SENT ? "sends" : "takes",
		    message_text(h, e, what),
		    e->kind == EVENT_SENT ? "to" : "from", e->peer);
		break;
	case EVENT_TIMER:
		snprintf(text, EVENT_TEXT_MAX, "timer");
		break;
	case EVENT_DECIDED:
	case EVENT_LEADER:
	case EVENT_NO_LEADER:
		leader_text(h, e, text);
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

static void
print_time(FILE *out, const struct causes *c, struct place at)
{
	int64_t time = causes_time(c, at) - causes_time(c, c->order[0]);

	if (c->histories->nodes[at.node].clock == HISTORY_NANOSECONDS)
		fprintf(out, "%14.3f ms", (double)time / (double)MSEC);
	else
		fprintf(out, "%6" PRIu64, causes_event(c, at)->at);
}

void
history_print_event(FILE *out, const struct causes *c, struct place at)
{
	const struct history *h = &c->histories->nodes[at.node];
	const struct event *e = causes_event(c, at);
	char text[EVENT_TEXT_MAX];

	print_time(out, c, at);
	fprintf(out, "  %4" PRIu32 ":%-5" PRIu64 " term %-4" PRIu64 " %s",
	    h->id, e->number, e->term, history_event_text(h, e, text));
	print_other_end(out, c, at);
	fputc('\n', out);
}

void
history_print_text(FILE *out, const struct causes *c)
{
	for (unsigned i = 0; i < c->order_count; i++)
		history_print_event(out, c, c->order[i]);
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
		    e->term, history_event_text(h, e, text));
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
		    h->id, message_text(h, e, text));
	} else if (e->kind == EVENT_SENT) {
		if (c->passages[p].taken.index == CAUSES_NONE)
			fprintf(out, "    n%" PRIu32 "-xn%" PRIu32 ": %s\n",
			    h->id, e->peer, message_text(h, e, text));
	} else {
		fprintf(out,
		    "    Note over n%" PRIu32 ": %s, term %" PRIu64 "\n", h->id,
		    history_event_text(h, e, text), e->term);
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
