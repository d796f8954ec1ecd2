/* SPDX-License-Identifier: ISC */
/*
 * The SVG: plain shapes and one style sheet, so that it looks the same in a
 * browser, on paper and in a drawing program. A tooltip on each arrow shows
 * what the message carries.
 */
#include <string.h>

#include "tests/sim/diagram_private.h"
#include "tests/sim/trace.h"

/* The colours of the kinds of messages. People who cannot see all colours can
 * tell them apart too. */
static const char *const colours[MESSAGE_KINDS_MAX] = { "#2563ab", "#c2410c",
	"#15803d", "#a21c6f", "#6d4bc3", "#a16207", "#0f766e", "#57606a" };

static const char style[] =
    "<style>\n"
    "text { font-family: 'DejaVu Sans', Verdana, sans-serif; }\n"
    ".title { font-size: 20px; font-weight: bold; fill: #1f2933; }\n"
    ".facts { font-size: 13px; fill: #52606d; }\n"
    ".legend { font-size: 12px; fill: #323f4b; }\n"
    ".axis { font-size: 10px; fill: #9aa5b1; text-anchor: end; }\n"
    ".grid { stroke: #eef1f4; stroke-width: 1; }\n"
    ".asleep { stroke: #cbd2d9; stroke-width: 1.5; }\n"
    ".awake { stroke: #7b8794; stroke-width: 2; }\n"
    ".follows { stroke: #3e4c59; stroke-width: 3; }\n"
    ".leads { stroke: #e0a100; stroke-width: 5; }\n"
    ".again { stroke: #cbd2d9; stroke-width: 1.5;"
    " stroke-dasharray: 3 4; }\n"
    ".node { fill: #ffffff; stroke: #3e4c59; stroke-width: 2; }\n"
    ".leader { fill: #ffd34d; stroke: #3e4c59; stroke-width: 2; }\n"
    ".ghost { fill: #ffffff; stroke: #cbd2d9; stroke-width: 1.5;"
    " stroke-dasharray: 3 3; }\n"
    ".id { font-size: 13px; font-weight: bold; fill: #1f2933;"
    " text-anchor: middle; }\n"
    ".pale { fill: #9aa5b1; }\n"
    ".arrow { stroke-width: 1.6; fill: none; }\n"
    ".strip { fill: #ffffff; fill-opacity: 0.8; }\n"
    ".label { text-anchor: middle; }\n"
    ".start { fill: #1f2933; }\n"
    "</style>\n";

/* Gives the node that all follow; NODE_NONE: there is none. */
static node_id
find_leader(const struct diagram *d)
{
	node_id leader = d->lines[0].winner;

	for (uint32_t i = 0; i < d->nodes; i++) {
		if (d->lines[i].decided == NEVER ||
		    d->lines[i].winner != leader)
			return NODE_NONE;
	}
	return leader;
}

static void
print_arrowheads(FILE *out)
{
	fputs("<defs>\n", out);
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		fprintf(out,
		    "<marker id=\"head%u\" viewBox=\"0 0 10 10\" refX=\"10\""
		    " refY=\"5\" markerWidth=\"9\" markerHeight=\"9\""
		    " markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
		    "<path d=\"M0 1 L10 5 L0 9 L2.5 5 z\" fill=\"%s\"/>"
		    "</marker>\n",
		    i, colours[i]);
	fputs("</defs>\n", out);
}

static void
print_title(FILE *out, const struct diagram *d)
{
	node_id leader = find_leader(d);
	bool is_timed = d->schedule == SCHEDULE_UNIT;

	fprintf(out,
	    "<text class=\"title\" x=\"24\" y=\"34\">%s, %u node%s</text>\n",
	    d->algorithm->name, d->nodes, d->nodes == 1 ? "" : "s");
	fprintf(out,
	    "<text class=\"facts\" x=\"24\" y=\"56\">%u message%s, %llu %s%s%s;",
	    d->count, d->count == 1 ? "" : "s", (unsigned long long)d->end,
	    is_timed ? "unit" : "step", d->end == 1 ? "" : "s",
	    is_timed ? " of time" : "");
	if (leader == NODE_NONE)
		fputs(" no leader</text>\n", out);
	else
		fprintf(out, " all follow node %u</text>\n", leader);
}

/* Prints the text of one entry of the legend; gives where the next one begins.
 */
static double
print_entry(FILE *out, double x, double y, const char *text)
{
	fprintf(out, "<text class=\"legend\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
	    x, y + 4, text);
	for (; *text != '\0'; text++)
		x += *text >= 'A' && *text <= 'Z' ? 8.7 : 6.8;
	return x + 24;
}

static void
print_legend_kinds(FILE *out, const struct diagram *d, double x, double y)
{
	for (unsigned kind = 0; kind < MESSAGE_KINDS_MAX; kind++) {
		char text[LABEL_MAX];
		unsigned count = 0;

		for (uint32_t i = 0; i < d->count; i++)
			count += d->arrows[i].kind == kind;
		if (count == 0)
			continue;
		fprintf(out,
		    "<line class=\"arrow\" x1=\"%.1f\" y1=\"%.1f\""
		    " x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
		    " marker-end=\"url(#head%u)\"/>\n",
		    x, y, x + 26, y, colours[kind], kind);
		snprintf(text, sizeof(text), "%u %s", count,
		    d->algorithm->kinds[kind]);
		x = print_entry(out, x + 33, y, text);
	}
}

static void
print_start(FILE *out, double x, double y)
{
	fprintf(out, "<path class=\"start\" d=\"M%.1f %.1f l-6 -10 h12 z\"/>\n",
	    x, y);
}

static void
print_circle(FILE *out, const char *class, double x, double y, double radius)
{
	fprintf(out,
	    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>\n",
	    class, x, y, radius);
}

/* Says what the numbers of phases at labels are called; "": there are none. */
static const char *
find_phase(const struct diagram *d)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct arrow *a = &d->arrows[i];
		const char *name = trace_phase_name(d->algorithm, a->kind);

		if (a->phase > 0 && name != NULL &&
		    trace_phase_word(d->algorithm, a->kind, a->phase) == NULL)
			return name;
	}
	return "";
}

/* Explains the marks on lifelines, and the parts of labels that the run has. */
static void
print_legend_marks(FILE *out, const struct diagram *d, const struct layout *l,
    double x, double y)
{
	const char *phase = find_phase(d);
	bool has_origins = false;
	char text[LABEL_MAX];

	for (uint32_t i = 0; i < d->count; i++)
		has_origins |= arrow_has_origin(&d->arrows[i]);
	print_start(out, x + 6, y + 5);
	x = print_entry(out, x + 18, y, "starts");
	print_circle(out, "leader", x + 7, y, LEADER_RADIUS);
	x = print_entry(out, x + 20, y, "leads");
	print_circle(out, "node", x + 6, y, FOLLOWER_RADIUS);
	x = print_entry(out, x + 18, y, "follows");
	if (l->has_left || l->has_right) {
		print_circle(out, "ghost", x + 7, y, LEADER_RADIUS);
		x = print_entry(out, x + 20, y, "the ring closes");
	}
	if (has_origins)
		x = print_entry(out, x, y, "i: k = from i, best k");
	snprintf(text, sizeof(text), "(k) = %s k", phase);
	if (phase[0] != '\0')
		print_entry(out, x, y, text);
}

static void
print_axis(FILE *out, const struct diagram *d, const struct layout *l)
{
	double left = layout_x(l, 0) - 22;
	double right = layout_x(l, l->columns - 1) + 14;
	uint64_t every = l->unit < 20 ? 5 : 1;

	fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
	    left, l->top - 26, d->schedule == SCHEDULE_UNIT ? "time" : "step");
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

static void
print_lifeline(FILE *out, const struct diagram *d, const struct layout *l,
    uint32_t node, node_id leader)
{
	const struct lifeline *n = &d->lines[node];
	double x = layout_x(l, layout_column(l, node));
	double end = layout_y(l, d->end) + 12;
	double touched = n->touched == NEVER ? end : layout_y(l, n->touched);
	double decided = n->decided == NEVER ? end : layout_y(l, n->decided);
	bool leads = n->decided != NEVER && n->winner == n->id;

	print_line(out, "asleep", x, l->top - 16, touched);
	print_line(out, "awake", x, touched, decided);
	print_line(out, leads ? "leads" : "follows", x, decided, end);
	print_id(
	    out, n->id, n->id == leader ? "leader" : "node", x, l->top - 30);
	print_id(out, n->id, n->id == leader ? "leader" : "node", x, end + 12);
}

static void
print_ghost(FILE *out, const struct diagram *d, const struct layout *l,
    uint32_t column, uint32_t node)
{
	double x = layout_x(l, column);
	double end = layout_y(l, d->end) + 12;

	print_line(out, "again", x, l->top - 16, end);
	print_id(out, d->lines[node].id, "ghost", x, l->top - 30);
}

static void
print_lifelines(FILE *out, const struct diagram *d, const struct layout *l)
{
	node_id leader = find_leader(d);

	if (l->has_left)
		print_ghost(out, d, l, 0, d->nodes - 1);
	if (l->has_right)
		print_ghost(out, d, l, l->columns - 1, 0);
	for (uint32_t i = 0; i < d->nodes; i++)
		print_lifeline(out, d, l, i, leader);
}

static void
print_arrow(FILE *out, const struct diagram *d, const struct arrow *a)
{
	const char *name = trace_phase_name(d->algorithm, a->kind);
	const char *word = trace_phase_word(d->algorithm, a->kind, a->phase);

	fprintf(out,
	    "<line class=\"arrow\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\""
	    " y2=\"%.1f\" stroke=\"%s\" marker-end=\"url(#head%u)\"><title>%s",
	    a->tail.x, a->tail.y, a->head.x, a->head.y, colours[a->kind],
	    a->kind, d->algorithm->kinds[a->kind]);
	if (a->origin != NODE_NONE)
		fprintf(out, ", begun by %u", a->origin);
	if (a->rank.id != NODE_NONE)
		fprintf(out, ", rank of %u", a->rank.id);
	if (word != NULL)
		fprintf(out, ", %s", word);
	else if (a->phase > 0 && name != NULL)
		fprintf(out, ", %s %u", name, a->phase);
	fprintf(out, ": from %u at %llu to %u at %llu</title></line>\n",
	    d->lines[a->from].id, (unsigned long long)a->sent,
	    d->lines[a->to].id, (unsigned long long)a->received);
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
	    colours[a->kind], l->font * 0.36, a->label);
}

static void
print_marks(FILE *out, const struct diagram *d, const struct layout *l)
{
	for (uint32_t i = 0; i < d->nodes; i++) {
		const struct lifeline *n = &d->lines[i];
		double x = layout_x(l, layout_column(l, i));

		if (n->started != NEVER)
			print_start(out, x,
			    layout_y(l, n->started) -
				(n->decided == n->started ? LEADER_RADIUS : 0));
		if (n->decided == NEVER)
			continue;
		if (n->winner == n->id)
			print_circle(out, "leader", x, layout_y(l, n->decided),
			    LEADER_RADIUS);
		else
			print_circle(out, "node", x, layout_y(l, n->decided),
			    FOLLOWER_RADIUS);
	}
}

void
diagram_print(FILE *out, const struct diagram *d, const struct layout *l)
{
	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\""
	    " height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>%s</title>\n",
	    l->width, l->height, l->width, l->height, d->algorithm->name);
	fputs(style, out);
	print_arrowheads(out);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	print_title(out, d);
	print_legend_kinds(out, d, 24, 82);
	print_legend_marks(out, d, l, 24, 106);
	print_axis(out, d, l);
	print_lifelines(out, d, l);
	for (uint32_t i = 0; i < d->count; i++)
		print_arrow(out, d, &d->arrows[i]);
	print_marks(out, d, l);
	for (uint32_t i = 0; i < d->count; i++)
		print_label(out, l, &d->arrows[i]);
	fputs("</svg>\n", out);
}
