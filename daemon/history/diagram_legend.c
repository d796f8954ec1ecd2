/* SPDX-License-Identifier: ISC */
/* What a diagram says above its lines. */
#include "daemon/history/diagram_private.h"

bool
diagram_is_timed(const struct diagram *d)
{
	return d->head->clock == HISTORY_UNITS;
}

node_id
diagram_leader(const struct diagram *d)
{
	node_id leader = d->lines[0].winner;

	for (uint32_t i = 0; i < d->nodes; i++) {
		if (!d->lines[i].is_decided || d->lines[i].winner != leader)
			return NODE_NONE;
	}
	return leader;
}

/* The term of all events; 0: they are of several, or of none. */
static uint64_t
find_term(const struct causes *c)
{
	uint64_t term = causes_event(c, c->order[0])->term;

	for (unsigned i = 0; i < c->order_count; i++) {
		if (causes_event(c, c->order[i])->term != term)
			return 0;
	}
	return term;
}

static void
print_title(FILE *out, const struct diagram *d)
{
	node_id leader = diagram_leader(d);
	uint64_t term = find_term(d->causes);
	bool is_timed = diagram_is_timed(d);

	fprintf(out, "<text class=\"title\" x=\"24\" y=\"34\">%s, %u node%s",
	    d->head->algorithm, d->nodes, d->nodes == 1 ? "" : "s");
	if (term != 0)
		fprintf(out, ", term %llu", (unsigned long long)term);
	fputs("</text>\n", out);
	fprintf(out,
	    "<text class=\"facts\" x=\"24\" y=\"56\">%u message%s, %llu %s%s%s;",
	    d->count, d->count == 1 ? "" : "s", (unsigned long long)d->end,
	    is_timed ? "unit" : "step", d->end == 1 ? "" : "s",
	    is_timed ? " of time" : "");
	if (leader == NODE_NONE)
		fputs(" no leader", out);
	else
		fprintf(out, " all follow node %u", leader);
	if (d->lost > 0)
		fprintf(out, "; %u not taken", d->lost);
	if (d->hidden > 0)
		fprintf(out, "; %u with nodes that are not shown", d->hidden);
	fputs("</text>\n", out);
}

static const char *
verdict_text(const struct diagram *d)
{
	bool is_unknown = false;

	if (d->cut->verdict != CUT_IS_UNJUDGED)
		return d->cut->verdict == CUT_IS_CONSISTENT
			   ? "the cut is consistent"
			   : "the cut is inconsistent";
	for (unsigned i = 0; i < d->causes->passages_count; i++) {
		switch (
		    cut_crossing(d->causes, d->cut, &d->causes->passages[i])) {
		case CROSSING_BROKEN:
			return "the cut is inconsistent";
		case CROSSING_UNKNOWN:
			is_unknown = true;
			break;
		case CROSSING_NONE:
		case CROSSING_TRANSIT:
			break;
		}
	}
	return is_unknown ? "the cut may be inconsistent"
			  : "the cut is consistent";
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
		    x, y, x + 26, y, diagram_colour(kind), kind);
		snprintf(
		    text, sizeof(text), "%u %s", count, d->head->kinds[kind]);
		x = print_entry(out, x + 33, y, text);
	}
}

/* Says what the numbers of phases at labels are called; "": there are none. */
static const char *
find_phase(const struct diagram *d)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct arrow *a = &d->arrows[i];
		const char *name = arrow_phase_name(d, a);

		if (a->event->phase > 0 && name != NULL &&
		    arrow_phase_word(d, a) == NULL)
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
	diagram_print_start(out, x + 6, y + 5);
	x = print_entry(out, x + 18, y, "starts");
	diagram_print_circle(out, "leader", x + 7, y, LEADER_RADIUS);
	x = print_entry(out, x + 20, y, "leads");
	diagram_print_circle(out, "node", x + 6, y, FOLLOWER_RADIUS);
	x = print_entry(out, x + 18, y, "follows");
	if (l->has_left || l->has_right) {
		diagram_print_circle(out, "ghost", x + 7, y, LEADER_RADIUS);
		x = print_entry(out, x + 20, y, "the ring closes");
	}
	if (has_origins)
		x = print_entry(out, x, y, "i: k = from i, best k");
	snprintf(text, sizeof(text), "(k) = %s k", phase);
	if (phase[0] != '\0')
		x = print_entry(out, x, y, text);
	if (d->cut != NULL)
		fprintf(out,
		    "<text class=\"says\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x,
		    y + 4, verdict_text(d));
}

void
diagram_print_heading(
    FILE *out, const struct diagram *d, const struct layout *l)
{
	print_title(out, d);
	print_legend_kinds(out, d, 24, 82);
	print_legend_marks(out, d, l, 24, 106);
}
