/* SPDX-License-Identifier: ISC */
/*
 * The places of all things on the page. A small page fits a screen. In a larger
 * one all gaps have their least size, and the page grows. A label lies along
 * its arrow where it covers no other label; if there is no such place the
 * layout shortens it to the number, or leaves it out.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "tests/sim/diagram_private.h"
#include "tests/sim/trace.h"

#define PAGE_WIDTH  1152.0 /* of the columns together, all in pixels */
#define PAGE_HEIGHT 576.0  /* of the lifelines */
#define MARGIN      64.0   /* at the left and the right */
#define HEADING     168.0  /* above the lifelines */
#define FOOTING     56.0   /* beneath them */
#define WIDTH_MIN   680.0  /* the heading needs it */
#define BESIDE      6.0    /* between arrows that share a line */
#define LETTER      0.64   /* a letter's width, in heights */
#define ABOVE       0.58   /* from arrow to middle, in heights */
#define BENEATH     0.64
#define DEGREES     57.29577951308232

static double
clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

uint32_t
layout_column(const struct layout *l, uint32_t node)
{
	return node + l->has_left;
}

bool
arrow_has_origin(const struct arrow *a)
{
	return a->origin != NODE_NONE && a->rank.id != NODE_NONE &&
	       a->origin != a->rank.id;
}

double
layout_x(const struct layout *l, uint32_t column)
{
	double all = l->gap * (l->columns - 1);

	return (l->width - all) / 2 + l->gap * column;
}

double
layout_y(const struct layout *l, uint64_t at)
{
	return l->top + l->unit * (double)at;
}

/* True if the message goes from the last node to the first, or back. */
static bool
arrow_turns(const struct diagram *d, const struct arrow *a, enum ring_link link)
{
	uint32_t edge = link == RING_RIGHT ? d->nodes - 1 : 0;

	return d->is_ring && a->link == (uint32_t)link && a->from == edge;
}

static void
place_columns(const struct diagram *d, struct layout *l)
{
	double units = d->end > 0 ? (double)d->end : 1;
	bool is_timed = d->schedule == SCHEDULE_UNIT;

	*l = (struct layout){ .top = HEADING };
	for (uint32_t i = 0; i < d->count; i++) {
		l->has_left |= arrow_turns(d, &d->arrows[i], RING_LEFT);
		l->has_right |= arrow_turns(d, &d->arrows[i], RING_RIGHT);
	}
	l->columns = d->nodes + l->has_left + l->has_right;
	l->gap =
	    l->columns < 2 ? 0 : clamp(PAGE_WIDTH / (l->columns - 1), 44, 220);
	l->unit = is_timed ? clamp(PAGE_HEIGHT / units, 26, 190)
			   : clamp(PAGE_HEIGHT / units, 12, 60);
	l->font = l->gap < 80 ? 9 : 10.5;
	l->width = fmax(WIDTH_MIN, l->gap * (l->columns - 1) + 2 * MARGIN);
	l->height = HEADING + l->unit * (double)d->end + FOOTING;
}

/* Counts the earlier arrows that run along the very same line. */
static unsigned
count_beside(const struct diagram *d, uint32_t index)
{
	const struct arrow *a = &d->arrows[index];
	unsigned count = 0;

	for (uint32_t i = 0; i < index; i++) {
		const struct arrow *b = &d->arrows[i];

		count += b->from == a->from && b->to == a->to &&
			 b->link == a->link && b->sent == a->sent &&
			 b->received == a->received;
	}
	return count;
}

static void
place_arrow(const struct diagram *d, const struct layout *l, uint32_t index)
{
	struct arrow *a = &d->arrows[index];
	uint32_t from = layout_column(l, a->from);
	uint32_t to = layout_column(l, a->to);
	double down = BESIDE * count_beside(d, index);

	if (arrow_turns(d, a, RING_RIGHT))
		to = from + 1;
	else if (arrow_turns(d, a, RING_LEFT))
		to = from - 1;
	if (a->received == NEVER)
		a->received = d->end;
	a->tail =
	    (struct point){ layout_x(l, from), layout_y(l, a->sent) + down };
	a->head =
	    (struct point){ layout_x(l, to), layout_y(l, a->received) + down };
}

/* An arrow ends at the edge of a decision's mark, not within it. */
static void
trim_arrow(const struct diagram *d, const struct layout *l, struct arrow *a)
{
	const struct lifeline *n = &d->lines[a->to];
	double dx = a->head.x - a->tail.x, dy = a->head.y - a->tail.y;
	double trim = n->winner == n->id ? LEADER_RADIUS : FOLLOWER_RADIUS;

	if (n->decided != a->received ||
	    a->head.x != layout_x(l, layout_column(l, a->to)))
		return;
	trim = (trim + 1) / hypot(dx, dy);
	a->head.x -= dx * trim;
	a->head.y -= dy * trim;
}

/* Gives how far two labels overlap, each seen as beads on a string. */
static bool
labels_collide(
    const struct layout *l, const struct arrow *a, const struct arrow *b)
{
	double bead = l->font * 0.95;
	double reach = (a->length + b->length) / 2 + bead;
	unsigned beads_a = (unsigned)(a->length / bead * 1.5) + 2;
	unsigned beads_b = (unsigned)(b->length / bead * 1.5) + 2;

	if (fabs(a->middle.x - b->middle.x) > reach ||
	    fabs(a->middle.y - b->middle.y) > reach)
		return false;
	for (unsigned i = 0; i < beads_a; i++) {
		double s = a->length * (i / (beads_a - 1.0) - 0.5);
		double ax = a->middle.x + s * cos(a->angle / DEGREES);
		double ay = a->middle.y + s * sin(a->angle / DEGREES);

		for (unsigned j = 0; j < beads_b; j++) {
			double t = b->length * (j / (beads_b - 1.0) - 0.5);
			double bx = b->middle.x + t * cos(b->angle / DEGREES);
			double by = b->middle.y + t * sin(b->angle / DEGREES);

			if (hypot(ax - bx, ay - by) < bead)
				return true;
		}
	}
	return false;
}

static bool
label_is_free(const struct diagram *d, const struct layout *l, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		if (d->arrows[i].label[0] != '\0' &&
		    labels_collide(l, &d->arrows[index], &d->arrows[i]))
			return false;
	}
	return true;
}

/* Says on which side of the line from p to q the point r is. */
static double
side_of(struct point p, struct point q, struct point r)
{
	return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

/* Counts the other arrows and lifelines that run through a label. */
static unsigned
count_crossings(const struct diagram *d, const struct layout *l, uint32_t index)
{
	const struct arrow *a = &d->arrows[index];
	double dx = a->length / 2 * cos(a->angle / DEGREES);
	double dy = a->length / 2 * sin(a->angle / DEGREES);
	struct point p = { a->middle.x - dx, a->middle.y - dy };
	struct point q = { a->middle.x + dx, a->middle.y + dy };
	unsigned count = 0;

	for (uint32_t i = 0; i < d->count; i++) {
		const struct arrow *b = &d->arrows[i];

		count += i != index &&
			 (side_of(p, q, b->tail) > 0) !=
			     (side_of(p, q, b->head) > 0) &&
			 (side_of(b->tail, b->head, p) > 0) !=
			     (side_of(b->tail, b->head, q) > 0);
	}
	for (uint32_t i = 0; i < l->columns; i++)
		count += (p.x > layout_x(l, i)) != (q.x > layout_x(l, i));
	return count;
}

/* Puts the label at this place along its arrow, above or beneath it. */
static bool
put_label(const struct diagram *d, const struct layout *l, uint32_t index,
    double at, bool is_above)
{
	struct arrow *a = &d->arrows[index];
	double dx = a->head.x - a->tail.x, dy = a->head.y - a->tail.y;
	double length = hypot(dx, dy);
	double off = l->font * (is_above ? -ABOVE : BENEATH);

	if (dx < 0)
		off = -off; /* text runs from left to right */
	if (a->length > fmin(at, 1 - at) * 2 * (length - 16))
		return false;
	a->middle.x = a->tail.x + dx * at - off * dy / length;
	a->middle.y = a->tail.y + dy * at + off * dx / length;
	return label_is_free(d, l, index);
}

/* Tries a text at some places, and takes the one that the fewest arrows cross.
 */
static bool
place_label(struct diagram *d, const struct layout *l, uint32_t index)
{
	static const double places[] = { 0.5, 0.42, 0.58, 0.35, 0.65, 0.28,
		0.72, 0.22, 0.78, 0.15, 0.85 };
	struct arrow *a = &d->arrows[index];
	double dx = a->head.x - a->tail.x, dy = a->head.y - a->tail.y;
	struct point best = { 0 };
	unsigned fewest = UINT_MAX;

	a->angle = atan2(dx < 0 ? -dy : dy, fabs(dx)) * DEGREES;
	a->length = (double)strlen(a->label) * l->font * LETTER;
	for (size_t i = 0; i < 2 * sizeof(places) / sizeof(*places); i++) {
		unsigned crossings;

		if (!put_label(d, l, index, places[i / 2], i % 2 == 0))
			continue;
		crossings = count_crossings(d, l, index);
		if (crossings >= fewest)
			continue;
		fewest = crossings;
		best = a->middle;
	}
	a->middle = best;
	return fewest != UINT_MAX;
}

/* Writes a label: "PROBE 3: 7 (2)" has phase 2, the origin 3 and the rank of
 * node 7; "TOKEN 3: 7 back" names its phase. The short form has no words. */
static void
label_write(const struct diagram *d, struct arrow *a, bool is_long)
{
	const char *kind = is_long ? d->algorithm->kinds[a->kind] : "";
	const char *word = trace_phase_word(d->algorithm, a->kind, a->phase);
	node_id id = a->rank.id != NODE_NONE ? a->rank.id : a->origin;
	size_t at = (size_t)snprintf(a->label, LABEL_MAX, "%s%s", kind,
	    is_long && id != NODE_NONE ? " " : "");

	assert(at < LABEL_MAX / 2);
	if (arrow_has_origin(a))
		at += (size_t)snprintf(
		    a->label + at, LABEL_MAX - at, "%u: ", a->origin);
	if (id != NODE_NONE)
		at += (size_t)snprintf(a->label + at, LABEL_MAX - at, "%u", id);
	if (word != NULL && is_long)
		snprintf(a->label + at, LABEL_MAX - at, " %s", word);
	else if (word == NULL && a->phase > 0)
		snprintf(a->label + at, LABEL_MAX - at, " (%u)", a->phase);
}

void
diagram_place(struct diagram *d, struct layout *l)
{
	place_columns(d, l);
	for (uint32_t i = 0; i < d->count; i++)
		place_arrow(d, l, i);
	for (uint32_t i = 0; i < d->count; i++) {
		struct arrow *a = &d->arrows[i];

		label_write(d, a, true);
		if (place_label(d, l, i))
			continue;
		label_write(d, a, false);
		if (!place_label(d, l, i))
			a->label[0] = '\0';
	}
	for (uint32_t i = 0; i < d->count; i++)
		trim_arrow(d, l, &d->arrows[i]);
}
