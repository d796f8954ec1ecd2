/* SPDX-License-Identifier: ISC */
/*
 * The places of all things on the page. A small page fits a screen. In a larger
 * one all gaps have their least size, and the page grows.
 */
#include <math.h>

#include "daemon/history/diagram_private.h"

#define PAGE_WIDTH  1152.0 /* of the columns together, all in pixels */
#define PAGE_HEIGHT 576.0  /* of the lifelines */
#define MARGIN      64.0   /* at the left and the right */
#define HEADING     168.0  /* above the lifelines */
#define FOOTING     56.0   /* beneath them */
#define WIDTH_MIN   680.0  /* the heading needs it */
#define BESIDE      6.0    /* between arrows that share a line */
/* The links of a ring, as in enum ring_link. */
#define LINK_RIGHT 0
#define LINK_LEFT  1

#define STUB 0.4 /* of a way whose other end is not known */

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
arrow_turns(const struct diagram *d, const struct arrow *a, uint8_t link)
{
	uint32_t edge = link == LINK_RIGHT ? d->nodes - 1 : 0;

	return d->is_ring && a->link == link && a->from == edge &&
	       a->to == d->nodes - 1 - edge;
}

static struct layout
place_columns(const struct diagram *d)
{
	double units = d->end > 0 ? (double)d->end : 1;
	bool is_stepwise = d->head->clock == HISTORY_STEPS;
	struct layout l = { .top = HEADING };

	for (uint32_t i = 0; i < d->count; i++) {
		l.has_left |= arrow_turns(d, &d->arrows[i], LINK_LEFT);
		l.has_right |= arrow_turns(d, &d->arrows[i], LINK_RIGHT);
	}
	l.columns = d->nodes + l.has_left + l.has_right;
	l.gap =
	    l.columns < 2 ? 0 : clamp(PAGE_WIDTH / (l.columns - 1), 44, 220);
	l.unit = is_stepwise ? clamp(PAGE_HEIGHT / units, 12, 60)
			     : clamp(PAGE_HEIGHT / units, 26, 190);
	l.font = l.gap < 80 ? 9 : 10.5;
	l.width = fmax(WIDTH_MIN, l.gap * (l.columns - 1) + 2 * MARGIN);
	l.height = HEADING + l.unit * (double)d->end + FOOTING;
	return l;
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
			 b->taken == a->taken;
	}
	return count;
}

/* A message of which one end is not known goes part of a straight way. */
static void
place_stub(const struct layout *l, struct arrow *a)
{
	double dx = (a->head.x - a->tail.x) * STUB;
	double dy = l->unit * STUB;

	if (a->is_lost)
		a->head = (struct point){ a->tail.x + dx, a->tail.y + dy };
	else
		a->tail = (struct point){ a->head.x - dx, a->head.y - dy };
}

static void
place_arrow(const struct diagram *d, const struct layout *l, uint32_t index)
{
	struct arrow *a = &d->arrows[index];
	uint32_t from = layout_column(l, a->from);
	uint32_t to = layout_column(l, a->to);
	double down = BESIDE * count_beside(d, index);

	if (arrow_turns(d, a, LINK_RIGHT))
		to = from + 1;
	else if (arrow_turns(d, a, LINK_LEFT))
		to = from - 1;
	a->tail =
	    (struct point){ layout_x(l, from), layout_y(l, a->sent) + down };
	a->head =
	    (struct point){ layout_x(l, to), layout_y(l, a->taken) + down };
	if (a->is_lost || a->is_orphan)
		place_stub(l, a);
}

/* The radius of the mark where an arrow ends; 0: there is none. */
static double
mark_radius(const struct diagram *d, const struct arrow *a)
{
	double radius = 0;

	for (uint32_t i = 0; i < d->marks_count; i++) {
		const struct mark *m = &d->marks[i];

		if (m->node == a->to && m->at == a->taken &&
		    m->kind == MARK_DECIDES)
			radius = m->winner == d->lines[a->to].history->id
				     ? LEADER_RADIUS
				     : FOLLOWER_RADIUS;
	}
	return radius;
}

/* An arrow ends at the edge of a decision's mark, not within it. */
static void
trim_arrow(const struct diagram *d, const struct layout *l, struct arrow *a)
{
	double dx = a->head.x - a->tail.x, dy = a->head.y - a->tail.y;
	double radius = mark_radius(d, a), trim;

	if (a->is_lost || radius == 0 ||
	    a->head.x != layout_x(l, layout_column(l, a->to)))
		return;
	trim = (radius + 1) / hypot(dx, dy);
	a->head.x -= dx * trim;
	a->head.y -= dy * trim;
}

struct layout
diagram_place(struct diagram *d)
{
	struct layout l = place_columns(d);

	for (uint32_t i = 0; i < d->count; i++)
		place_arrow(d, &l, i);
	return l;
}

void
diagram_trim_arrows(struct diagram *d, const struct layout *l)
{
	for (uint32_t i = 0; i < d->count; i++)
		trim_arrow(d, l, &d->arrows[i]);
}
