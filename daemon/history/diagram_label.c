/* SPDX-License-Identifier: ISC */
/*
 * Labels. One lies along its arrow where it covers no other label, and where
 * the fewest lines cross it; if there is no such place it is shortened to the
 * number, or left out.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "daemon/history/diagram_private.h"
#include "daemon/history/phases.h"

#define LETTER  0.64 /* a letter's width, in heights */
#define ABOVE   0.58 /* from arrow to middle, in heights */
#define BENEATH 0.64
#define DEGREES 57.29577951308232

const char *
arrow_phase_name(const struct diagram *d, const struct arrow *a)
{
	return phase_name(d->head->algorithm, d->head->kinds[a->kind]);
}

const char *
arrow_phase_word(const struct diagram *d, const struct arrow *a)
{
	return phase_word(
	    d->head->algorithm, d->head->kinds[a->kind], a->event->phase);
}

bool
arrow_has_origin(const struct arrow *a)
{
	const struct event *e = a->event;

	return e->origin != NODE_NONE && e->rank != NODE_NONE &&
	       e->origin != e->rank;
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
	const struct event *e = a->event;
	const char *kind = is_long ? d->head->kinds[a->kind] : "";
	const char *word = arrow_phase_word(d, a);
	node_id id = e->rank != NODE_NONE ? e->rank : e->origin;
	size_t at = (size_t)snprintf(a->label, LABEL_MAX, "%s%s", kind,
	    is_long && id != NODE_NONE ? " " : "");

	assert(at < LABEL_MAX / 2);
	if (arrow_has_origin(a))
		at += (size_t)snprintf(
		    a->label + at, LABEL_MAX - at, "%u: ", e->origin);
	if (id != NODE_NONE)
		at += (size_t)snprintf(a->label + at, LABEL_MAX - at, "%u", id);
	if (word != NULL && is_long)
		snprintf(a->label + at, LABEL_MAX - at, " %s", word);
	else if (word == NULL && e->phase > 0)
		snprintf(a->label + at, LABEL_MAX - at, " (%u)", e->phase);
}

void
diagram_place_labels(struct diagram *d, const struct layout *l)
{
	for (uint32_t i = 0; i < d->count; i++) {
		label_write(d, &d->arrows[i], true);
		if (place_label(d, l, i))
			continue;
		label_write(d, &d->arrows[i], false);
		if (!place_label(d, l, i))
			d->arrows[i].label[0] = '\0';
	}
}
