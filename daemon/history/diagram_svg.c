/* SPDX-License-Identifier: ISC */
/* The SVG. A tooltip on each arrow shows what the message carries. */
#include <string.h>

#include "daemon/history/diagram_private.h"

static void
print_axis(FILE *out, const struct diagram *d, const struct layout *l)
{
	double left = layout_x(l, 0) - 22;
	double right = layout_x(l, l->columns - 1) + 14;
	uint64_t every = l->unit < 20 ? 5 : 1;

	fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
	    left, l->top - 26, diagram_is_timed(d) ? "time" : "step");
	for (uint64_t at = 0; at <= d->end; at += every) {
		double y = layout_y(l, at);

		fprintf(out,
		    "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
		    " y2=\"%.1f\"/><text class=\"axis\" x=\"%.1f\" y=\"%.1f\">"
		    "%llu</text>\n",
		    left + 6, y, right, y, left, y + 3.5,
		    (unsigned long long)at);
	}
}

static void
print_line(FILE *out, const char *class, double x, double from, double to)
{
	if (from == to)
		return;
	fprintf(out,
	    "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
	    " y2=\"%.1f\"/>\n",
	    class, x, from, x, to);
}

/* Draws the box above and beneath a column, with the node's id in it. */
static void
print_id(FILE *out, node_id id, const char *class, double x, double y)
{
	char text[16];
	double half = 8 + 4.2 * snprintf(text, sizeof(text), "%u", id);

	fprintf(out,
	    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\""
	    " height=\"24\" rx=\"12\"/><text class=\"id%s\" x=\"%.1f\""
	    " y=\"%.1f\">%s</text>\n",
	    class, x - half, y - 12, 2 * half,
	    strcmp(class, "ghost") == 0 ? " pale" : "", x, y + 4.7, text);
}

/* Draws the line from one mark to the next. */
static void
print_lifeline(FILE *out, const struct diagram *d, const struct layout *l,
    uint32_t node, node_id leader)
{
	const struct lifeline *n = &d->lines[node];
	node_id id = n->history->id;
	const char *box = id == leader ? "leader" : "node", *class = "awake";
	double x = layout_x(l, layout_column(l, node));
	double end = layout_y(l, d->end) + 12, y;

	y = n->touched == NEVER ? end : layout_y(l, n->touched);
	print_line(out, "asleep", x, l->top - 16, y);
	for (uint32_t i = 0; i < d->marks_count; i++) {
		const struct mark *m = &d->marks[i];

		if (m->node != node || m->kind == MARK_STARTS)
			continue;
		print_line(out, class, x, y, layout_y(l, m->at));
		y = layout_y(l, m->at);
		class = m->kind == MARK_LOSES ? "awake"
			: m->winner == id     ? "leads"
					      : "follows";
	}
	print_line(out, class, x, y, end);
	print_id(out, id, box, x, l->top - 30);
	print_id(out, id, box, x, end + 12);
}

static void
print_ghost(FILE *out, const struct diagram *d, const struct layout *l,
    uint32_t column, uint32_t node)
{
	double x = layout_x(l, column);
	double end = layout_y(l, d->end) + 12;

	print_line(out, "again", x, l->top - 16, end);
	print_id(out, d->lines[node].history->id, "ghost", x, l->top - 30);
}

static void
print_lifelines(FILE *out, const struct diagram *d, const struct layout *l)
{
	node_id leader = diagram_leader(d);

	if (l->has_left)
		print_ghost(out, d, l, 0, d->nodes - 1);
	if (l->has_right)
		print_ghost(out, d, l, l->columns - 1, 0);
	for (uint32_t i = 0; i < d->nodes; i++)
		print_lifeline(out, d, l, i, leader);
}

/* What a message carries, and between which events it went. */
static void
print_tooltip(FILE *out, const struct diagram *d, const struct arrow *a)
{
	const struct event *e = a->event;
	const char *name = arrow_phase_name(d, a);
	const char *word = arrow_phase_word(d, a);

	fprintf(out, "<title>%s", d->head->kinds[a->kind]);
	if (e->origin != NODE_NONE)
		fprintf(out, ", begun by %u", e->origin);
	if (e->rank != NODE_NONE)
		fprintf(out, ", rank of %u", e->rank);
	if (word != NULL)
		fprintf(out, ", %s", word);
	else if (e->phase > 0 && name != NULL)
		fprintf(out, ", %s %u", name, e->phase);
	fprintf(out, ": from %u", d->lines[a->from].history->id);
	if (!a->is_orphan)
		fprintf(out, " at %llu", (unsigned long long)a->sent);
	fprintf(out, " to %u", d->lines[a->to].history->id);
	if (!a->is_lost)
		fprintf(out, " at %llu", (unsigned long long)a->taken);
	fprintf(out, "%s</title>", a->is_lost ? ", not taken" : "");
}

static void
print_arrow(FILE *out, const struct diagram *d, const struct arrow *a)
{
	bool is_whole = !a->is_lost && !a->is_orphan;

	if (a->is_broken)
		fprintf(out,
		    "<line class=\"broken\" x1=\"%.1f\" y1=\"%.1f\""
		    " x2=\"%.1f\" y2=\"%.1f\"/>\n",
		    a->tail.x, a->tail.y, a->head.x, a->head.y);
	fprintf(out,
	    "<line class=\"arrow%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
	    " y2=\"%.1f\" stroke=\"%s\"",
	    is_whole ? "" : " unknown", a->tail.x, a->tail.y, a->head.x,
	    a->head.y, diagram_colour(a->kind));
	if (a->is_lost)
		fputc('>', out);
	else
		fprintf(out, " marker-end=\"url(#head%u)\">", a->kind);
	print_tooltip(out, d, a);
	fputs("</line>\n", out);
	if (a->is_lost)
		fprintf(out,
		    "<path class=\"arrow\" stroke=\"%s\""
		    " d=\"M%.1f %.1f l8 8 m0 -8 l-8 8\"/>\n",
		    diagram_colour(a->kind), a->head.x - 4, a->head.y - 4);
}

/* Draws a label on a strip of white, which covers the lines behind it. */
static void
print_label(FILE *out, const struct layout *l, const struct arrow *a)
{
	if (a->label[0] == '\0')
		return;
	fprintf(out,
	    "<g transform=\"translate(%.1f %.1f) rotate(%.1f)\">"
	    "<rect class=\"strip\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\""
	    " height=\"%.1f\"/><text class=\"label\" font-size=\"%.1f\""
	    " fill=\"%s\" y=\"%.1f\">%s</text></g>\n",
	    a->middle.x, a->middle.y, a->angle, 2 - a->length / 2,
	    -l->font * 0.45, a->length - 4, l->font * 0.9, l->font,
	    diagram_colour(a->kind), l->font * 0.36, a->label);
}

/* True if the node decides where it starts. */
static bool
is_decided_at(const struct diagram *d, const struct mark *start)
{
	for (uint32_t i = 0; i < d->marks_count; i++) {
		const struct mark *m = &d->marks[i];

		if (m->node == start->node && m->at == start->at &&
		    m->kind == MARK_DECIDES)
			return true;
	}
	return false;
}

static void
print_marks(FILE *out, const struct diagram *d, const struct layout *l)
{
	for (uint32_t i = 0; i < d->marks_count; i++) {
		const struct mark *m = &d->marks[i];
		double x = layout_x(l, layout_column(l, m->node));
		double y = layout_y(l, m->at);

		if (m->kind == MARK_STARTS)
			diagram_print_start(out, x,
			    y - (is_decided_at(d, m) ? LEADER_RADIUS : 0));
		else if (m->kind == MARK_LOSES)
			continue;
		else if (m->winner == d->lines[m->node].history->id)
			diagram_print_circle(
			    out, "leader", x, y, LEADER_RADIUS);
		else
			diagram_print_circle(
			    out, "node", x, y, FOLLOWER_RADIUS);
	}
}

/* Where the cut crosses a line: beneath its last event there. */
static double
cut_y(const struct layout *l, const struct lifeline *n)
{
	if (n->cut_at == NEVER)
		return l->top - 10;
	return layout_y(l, n->cut_at) + (n->has_later ? 4 : l->unit * 0.45);
}

/* Draws the cut through all lines, and rings its frontier. */
static void
print_cut(FILE *out, const struct diagram *d, const struct layout *l)
{
	double left = layout_x(l, layout_column(l, 0));
	double right = layout_x(l, layout_column(l, d->nodes - 1));

	fprintf(out, "<path class=\"cut\" d=\"M%.1f %.1f", left - 16,
	    cut_y(l, &d->lines[0]));
	for (uint32_t i = 0; i < d->nodes; i++)
		fprintf(out, " L%.1f %.1f", layout_x(l, layout_column(l, i)),
		    cut_y(l, &d->lines[i]));
	fprintf(out, " L%.1f %.1f\"/>\n", right + 16,
	    cut_y(l, &d->lines[d->nodes - 1]));
	for (uint32_t i = 0; i < d->nodes; i++) {
		if (d->lines[i].cut_at != NEVER)
			diagram_print_circle(out, "front",
			    layout_x(l, layout_column(l, i)),
			    layout_y(l, d->lines[i].cut_at), 10);
	}
}

void
diagram_print(FILE *out, const struct diagram *d, const struct layout *l)
{
	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\""
	    " height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>%s</title>\n",
	    l->width, l->height, l->width, l->height, d->head->algorithm);
	diagram_print_style(out);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	diagram_print_heading(out, d, l);
	print_axis(out, d, l);
	print_lifelines(out, d, l);
	for (uint32_t i = 0; i < d->count; i++)
		print_arrow(out, d, &d->arrows[i]);
	print_marks(out, d, l);
	for (uint32_t i = 0; i < d->count; i++)
		print_label(out, l, &d->arrows[i]);
	if (d->cut != NULL)
		print_cut(out, d, l);
	fputs("</svg>\n", out);
}
