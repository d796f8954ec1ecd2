/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "daemon/history/phases.h"

#define COLUMN      24 /* letters for the event */
#define COLUMN_WIDE 42 /* the same, where messages are longer */
#define PHASE       10 /* letters for the phase */

/* Adds text at the right; what does not fit is left out. */
struct text {
	char *bytes;
	size_t size;
	size_t length;
};

static void __attribute__((format(printf, 2, 3)))
text_add(struct text *t, const char *format, ...)
{
	va_list list;
	int added;

	va_start(list, format);
	added =
	    vsnprintf(t->bytes + t->length, t->size - t->length, format, list);
	va_end(list);
	assert(added >= 0);
	t->length += (size_t)added;
	if (t->length >= t->size)
		t->length = t->size - 1;
}

static void
text_add_rank(struct text *t, const struct rank *rank)
{
	text_add(t, "%" PRIu32, rank->id);
	if (rank->priority != 0)
		text_add(t, " priority %" PRId32, rank->priority);
	if (!rank->is_eligible)
		text_add(t, " abstaining");
}

static void
text_add_list(struct text *t, const struct message *m)
{
	if (m->list_count > LIST_MAX) {
		text_add(t, ", list of %u", m->list_count);
		return;
	}
	for (unsigned i = 0; i < m->list_count; i++)
		text_add(t, "%s%" PRIu32, i == 0 ? ", list " : " ", m->list[i]);
}

static void
text_add_phase(
    struct text *t, const struct algorithm *algorithm, const struct message *m)
{
	const char *name =
	    phase_name(algorithm->name, algorithm->kinds[m->kind]);
	const char *word =
	    phase_word(algorithm->name, algorithm->kinds[m->kind], m->phase);

	if (word != NULL)
		text_add(t, ", %s", word);
	else if (name != NULL)
		text_add(t, ", %s %" PRIu32, name, m->phase);
}

void
trace_message(const struct algorithm *algorithm, const struct message *m,
    char *text, size_t size)
{
	bool has_phase =
	    phase_name(algorithm->name, algorithm->kinds[m->kind]) != NULL;
	bool is_other = m->origin != m->rank.id || m->list_count > 0;
	struct text t = { .bytes = text, .size = size };

	text_add(&t, "%s", algorithm->kinds[m->kind]);
	if (m->rank.id == NODE_NONE && m->origin == NODE_NONE && !has_phase)
		return;
	text_add(&t, "(");
	if (m->origin != NODE_NONE && is_other)
		text_add(&t, "of %" PRIu32 "%s", m->origin,
		    m->rank.id != NODE_NONE ? ", best " : "");
	if (m->rank.id != NODE_NONE)
		text_add_rank(&t, &m->rank);
	text_add_list(&t, m);
	text_add_phase(&t, algorithm, m);
	if (m->distance != 0)
		text_add(&t, ", distance %" PRIu32, m->distance);
	text_add(&t, ")");
}

void
trace_init(struct trace *t, const struct run_setup *setup, FILE *to)
{
	const struct algorithm *a = setup->algorithm;
	bool is_wide = a->has_lists;

	for (size_t i = 0; i < MESSAGE_KINDS_MAX && a->kinds[i] != NULL; i++)
		is_wide |= phase_name(a->name, a->kinds[i]) != NULL;
	*t = (struct trace){
		.algorithm = setup->algorithm,
		.ranks = setup->ranks,
		.to = to,
		.column = is_wide ? COLUMN_WIDE : COLUMN,
	};
}

/* Begins a line: when, which node, and what began the step. */
static void
trace_step(struct trace *t, const struct moment *moment, const char *sign,
    const char *what)
{
	trace_end(t);
	fprintf(t->to, "%5" PRIu64 " %4" PRIu32 " %s %-*s  %s", moment->time,
	    t->ranks[moment->node].id, sign, t->column, what, moment->phase);
	t->has_begun = true;
	t->padding = PHASE - (int)strlen(moment->phase);
	t->last[0] = '\0';
}

/* The results of a step begin in a column of their own. */
static void
trace_effect(struct trace *t, const char *sign, const char *what)
{
	fprintf(t->to, "%*s  %s %s", t->padding > 0 ? t->padding : 0, "", sign,
	    what);
	t->padding = 0;
}

static void
trace_delivery(struct trace *t, const struct moment *moment)
{
	char what[sizeof(t->last) + 32];
	struct text text = { .bytes = what, .size = sizeof(what) };

	trace_message(t->algorithm, moment->message, what, sizeof(t->last));
	text.length = strlen(what);
	text_add(&text, " from %" PRIu32, t->ranks[moment->other].id);
	trace_step(t, moment, "<", what);
}

/* Equal messages to several nodes share one text. */
static void
trace_send(struct trace *t, const struct moment *moment)
{
	char what[sizeof(t->last)];

	trace_message(t->algorithm, moment->message, what, sizeof(what));
	if (strcmp(what, t->last) != 0) {
		trace_effect(t, ">", what);
		fputs(" to", t->to);
	}
	fprintf(t->to, " %" PRIu32, t->ranks[moment->other].id);
	memcpy(t->last, what, sizeof(what));
}

static void
trace_decision(struct trace *t, const struct rank *winner)
{
	if (!winner->is_eligible) {
		trace_effect(t, "=", "no leader");
		return;
	}
	trace_effect(t, "=", "leader");
	fprintf(t->to, " %" PRIu32, winner->id);
}

void
trace_observe(void *context, const struct moment *moment)
{
	struct trace *t = context;

	switch (moment->kind) {
	case MOMENT_START:
		trace_step(t, moment, "*", "starts");
		break;
	case MOMENT_DELIVER:
		trace_delivery(t, moment);
		break;
	case MOMENT_TIMER:
		trace_step(t, moment, "!", "timer");
		break;
	case MOMENT_SEND:
		trace_send(t, moment);
		break;
	case MOMENT_DECIDE:
		trace_decision(t, moment->winner);
		break;
	}
}

void
trace_end(struct trace *t)
{
	if (t->has_begun)
		fputc('\n', t->to);
	t->has_begun = false;
}
