/* SPDX-License-Identifier: ISC */
/*
 * A file of histories. What the reader takes is written as the same histories
 * again. If it has an order of causes, the whole of it is a cut, and it can be
 * drawn and printed in each form.
 */
#include "tests/model/fuzz/feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history/diagram.h"
#include "daemon/history/history_print.h"

static void
check_again(const struct histories *h)
{
	struct histories again = { 0 };
	char error[HISTORY_ERROR_MAX];

	for (unsigned i = 0; i < h->count; i++) {
		json_t *o = history_json(&h->nodes[i]);

		assert(o != NULL);
		assert(histories_take(&again, o, error));
		json_decref(o);
	}
	assert(again.count == h->count);
	assert(again.events_count == h->events_count);
	for (unsigned i = 0; i < h->count; i++)
		assert(h->nodes[i].count == 0 ||
		       memcmp(again.nodes[i].events, h->nodes[i].events,
			   h->nodes[i].count * sizeof(struct event)) == 0);
	histories_free(&again);
}

/* Each event comes after the earlier ones of its node, and after the sending of
 * what it takes. */
static void
check_order(const struct causes *c)
{
	unsigned *done = calloc(c->histories->count + 1, sizeof(*done));

	assert(done != NULL);
	for (unsigned i = 0; i < c->order_count; i++) {
		struct place at = c->order[i];
		unsigned p = c->passage_of[at.node][at.index];

		assert(at.index == done[at.node]);
		done[at.node]++;
		assert(c->row_of[at.node][at.index] < c->rows);
		if (causes_event(c, at)->kind != EVENT_TAKEN ||
		    c->passages[p].sent.index == CAUSES_NONE)
			continue;
		assert(
		    c->passages[p].sent.index < done[c->passages[p].sent.node]);
	}
	free(done);
}

static void
show(const struct causes *c)
{
	FILE *out = fopen("/dev/null", "w");
	struct cut *cut = calloc(1, sizeof(*cut));
	json_t *verdict;
	int error;

	assert(out != NULL);
	assert(cut != NULL);
	for (unsigned i = 0; i < c->histories->count; i++)
		cut->at[i] = c->histories->nodes[i].first +
			     c->histories->nodes[i].count / 2;
	verdict = cut_json(c, cut);
	assert(verdict != NULL);
	json_decref(verdict);
	error = diagram_write(out, c, cut);
	assert(error == 0 || error == -E2BIG || error == -ENODATA);
	history_print_text(out, c);
	history_print_mermaid(out, c);
	history_print_cost(out, c->histories, 1);
	(void)history_print_chain(out, c);
	assert(history_print_shiviz(out, c) ||
	       c->histories->count > SHIVIZ_NODES_MAX);
	fclose(out);
	free(cut);
}

void
feed_history(const uint8_t *bytes, size_t size)
{
	struct histories h = { 0 };
	struct causes c = { 0 };
	char error[HISTORY_ERROR_MAX] = "";

	if (!histories_read(&h, (const char *)bytes, size, error)) {
		assert(error[0] != '\0');
		histories_free(&h);
		return;
	}
	check_again(&h);
	if (causes_find(&c, &h, error)) {
		check_order(&c);
		show(&c);
	} else {
		assert(error[0] != '\0');
	}
	causes_free(&c);
	histories_free(&h);
}
