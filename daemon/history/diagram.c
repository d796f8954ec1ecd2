/* SPDX-License-Identifier: ISC */
#include "daemon/history/diagram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/history/diagram_private.h"
#include "daemon/system/new_file.h"

/* The place of an event on the page's axis. */
static uint64_t
axis_of(const struct diagram *d, struct place at)
{
	if (d->head->clock == HISTORY_NANOSECONDS)
		return d->causes->row_of[at.node][at.index];
	return causes_event(d->causes, at)->at;
}

/* The place on the right of a node in its ring; DIAGRAM_NODES_MAX: it has sent
 * nothing there. */
static unsigned
right_of(const struct histories *h, unsigned node)
{
	const struct history *one = &h->nodes[node];

	for (unsigned i = one->count; i > 0; i--) {
		const struct event *e = &one->events[i - 1];
		unsigned peer;

		if (e->kind != EVENT_SENT || e->link != 0)
			continue;
		peer = histories_find(h, e->peer);
		return peer < h->count ? peer : DIAGRAM_NODES_MAX;
	}
	return DIAGRAM_NODES_MAX;
}

/* Orders the nodes of a ring to the right, if that leads round all of them. */
static void
order_ring(const struct histories *h, unsigned order[DIAGRAM_NODES_MAX])
{
	unsigned next[DIAGRAM_NODES_MAX], at = 0;
	bool is_seen[DIAGRAM_NODES_MAX] = { false };

	for (unsigned i = 0; i < h->count; i++) {
		if (at >= h->count || is_seen[at])
			return;
		is_seen[at] = true;
		next[i] = at;
		at = right_of(h, at);
	}
	memcpy(order, next, h->count * sizeof(*order));
}

static bool
make_lines(struct diagram *d)
{
	const struct histories *h = d->causes->histories;
	unsigned order[DIAGRAM_NODES_MAX];

	d->nodes = h->count;
	d->lines = calloc(d->nodes, sizeof(*d->lines));
	if (d->lines == NULL)
		return false;
	for (unsigned i = 0; i < h->count; i++)
		order[i] = i;
	if (d->is_ring)
		order_ring(h, order);
	for (unsigned i = 0; i < h->count; i++) {
		d->lines[i] = (struct lifeline){
			.history = &h->nodes[order[i]],
			.node = order[i],
			.touched = NEVER,
			.cut_at = NEVER,
			.winner = NODE_NONE,
		};
	}
	return true;
}

/* The line of a node; DIAGRAM_NODES_MAX: it has none. */
static uint32_t
line_of(const struct diagram *d, node_id id)
{
	for (uint32_t i = 0; i < d->nodes; i++) {
		if (d->lines[i].history->id == id)
			return i;
	}
	return DIAGRAM_NODES_MAX;
}

static void
add_arrow(struct diagram *d, const struct passage *p)
{
	const struct event *e = p->event;
	bool is_sent = p->sent.index != CAUSES_NONE;
	bool is_taken = p->taken.index != CAUSES_NONE;
	const struct place known = is_sent ? p->sent : p->taken;
	uint32_t own = line_of(d, d->causes->histories->nodes[known.node].id);
	uint32_t other = line_of(d, e->peer);

	if (other == DIAGRAM_NODES_MAX) {
		d->hidden++;
		return;
	}
	d->lost += is_sent && !is_taken;
	d->arrows[d->count++] = (struct arrow){
		.from = is_sent ? own : other,
		.to = is_sent ? other : own,
		.link = e->link,
		.sent = axis_of(d, known),
		.taken = axis_of(d, is_taken ? p->taken : known),
		.is_lost = !is_taken,
		.is_orphan = !is_sent,
		.is_broken = d->cut != NULL && cut_crossing(d->causes, d->cut,
						   p) == CROSSING_BROKEN,
		.kind = e->message,
		.event = e,
	};
}

static void
add_mark(struct diagram *d, uint32_t node, enum mark_kind kind, node_id winner,
    uint64_t at)
{
	d->marks[d->marks_count++] = (struct mark){
		.node = node, .kind = kind, .winner = winner, .at = at
	};
}

/* A leader that was decided for is no news. */
static void
see_winner(struct diagram *d, uint32_t node, node_id winner, uint64_t at)
{
	struct lifeline *line = &d->lines[node];

	if (line->is_decided && line->winner == winner)
		return;
	line->is_decided = true;
	line->winner = winner;
	add_mark(d, node, MARK_DECIDES, winner, at);
}

static void
see_event(struct diagram *d, struct place place)
{
	const struct event *e = causes_event(d->causes, place);
	uint32_t node = line_of(d, d->causes->histories->nodes[place.node].id);
	struct lifeline *line = &d->lines[node];
	uint64_t at = axis_of(d, place);

	d->end = at > d->end ? at : d->end;
	if (line->touched == NEVER)
		line->touched = at;
	if (d->cut != NULL && e->number <= d->cut->at[place.node])
		line->cut_at = at;
	else if (line->cut_at == at)
		line->has_later = true;
	if (e->kind == EVENT_STARTS) {
		add_mark(d, node, MARK_STARTS, NODE_NONE, at);
	} else if (e->kind == EVENT_DECIDED || e->kind == EVENT_LEADER) {
		see_winner(d, node, e->leader, at);
	} else if (e->kind == EVENT_NO_LEADER && line->is_decided) {
		line->is_decided = false;
		add_mark(d, node, MARK_LOSES, NODE_NONE, at);
	}
}

static int
diagram_make(struct diagram *d)
{
	const struct causes *c = d->causes;

	d->arrows = calloc(c->passages_count + 1, sizeof(*d->arrows));
	d->marks = calloc(c->order_count + 1, sizeof(*d->marks));
	if (d->arrows == NULL || d->marks == NULL || !make_lines(d))
		return -ENOMEM;
	/* Arrows in the order of their first end, as labels go to the first
	 * that wants a place. */
	for (unsigned i = 0; i < c->order_count; i++) {
		struct place at = c->order[i];
		unsigned p = c->passage_of[at.node][at.index];

		see_event(d, at);
		if (p != CAUSES_NONE &&
		    causes_event(c, at) == c->passages[p].event)
			add_arrow(d, &c->passages[p]);
	}
	return d->count > DIAGRAM_MESSAGES_MAX || d->end > DIAGRAM_ROWS_MAX
		   ? -E2BIG
		   : 0;
}

int
diagram_write(FILE *out, const struct causes *c, const struct cut *cut)
{
	const struct histories *h = c->histories;
	struct diagram d = { .causes = c, .cut = cut, .head = h->nodes };
	struct layout layout;
	int error;

	if (h->count > DIAGRAM_NODES_MAX)
		return -E2BIG;
	if (h->count == 0 || h->events_count == 0)
		return -ENODATA;
	d.is_ring = strcmp(d.head->topology, "ring") == 0;
	error = diagram_make(&d);
	if (error == 0) {
		layout = diagram_place(&d);
		diagram_place_labels(&d, &layout);
		diagram_trim_arrows(&d, &layout);
		diagram_print(out, &d, &layout);
		if (fflush(out) != 0)
			error = -errno;
		else if (ferror(out) != 0)
			error = -EIO;
	}
	free(d.lines);
	free(d.arrows);
	free(d.marks);
	return error;
}

int
diagram_write_file(
    const char *path, const struct causes *c, const struct cut *cut)
{
	char temporary[NEW_FILE_PATH_MAX];
	int fd = new_file_begin(path, temporary), error = -ENOMEM;
	FILE *out;

	if (fd < 0)
		return fd;
	out = fdopen(fd, "w");
	if (out != NULL) {
		error = diagram_write(out, c, cut);
		if (fclose(out) != 0 && error == 0)
			error = -errno;
	} else {
		close(fd);
	}
	return new_file_end(path, temporary, error);
}
