/* SPDX-License-Identifier: ISC */
/*
 * The parts of a diagram, one after the other: what it shows (diagram.c), the
 * places of that on the page (diagram_layout.c, diagram_label.c), and the SVG
 * (diagram_svg.c, diagram_legend.c, diagram_shapes.c).
 */
#ifndef ELECTD_DAEMON_HISTORY_DIAGRAM_PRIVATE_H
#define ELECTD_DAEMON_HISTORY_DIAGRAM_PRIVATE_H

#include "daemon/history/diagram.h"

#define LEADER_RADIUS   7.0 /* of the marks of decisions, in pixels */
#define FOLLOWER_RADIUS 5.0

#define LABEL_MAX 80 /* a kind and three numbers of ten digits */

struct point {
	double x;
	double y;
};

/* A message; `sent` and `taken` are places on the axis. */
struct arrow {
	uint32_t from; /* columns of nodes */
	uint32_t to;
	uint8_t link; /* in a ring, of the sender */
	uint64_t sent;
	uint64_t taken;
	bool is_lost;   /* it was not taken, as far as is known */
	bool is_orphan; /* it was taken, and its sending is not known */
	bool is_broken; /* the cut has its taking and not its sending */
	uint8_t kind;
	const struct event *event; /* either end */

	struct point tail; /* the layout sets this and what follows */
	struct point head;
	char label[LABEL_MAX]; /* empty: there is no place for it */
	struct point middle;   /* of the label */
	double length;         /* of the label, estimated */
	double angle;          /* in degrees */
};

enum mark_kind {
	MARK_STARTS,
	MARK_DECIDES, /* for `winner`, or, NODE_NONE, for nobody */
	MARK_LOSES,   /* its leader */
};

/* What happens to a node at one point of its line. */
struct mark {
	uint32_t node;
	enum mark_kind kind;
	node_id winner;
	uint64_t at;
};

/* A node; NEVER stands for an event that has not happened. */
struct lifeline {
	const struct history *history;
	unsigned node;    /* its place in the histories */
	uint64_t touched; /* its first event */
	uint64_t cut_at;  /* the last event in the cut; NEVER: none */
	bool has_later;   /* that has another one on its row after it */
	node_id winner;   /* of the last mark */
	bool is_decided;
};

#define NEVER UINT64_MAX

struct diagram {
	const struct causes *causes;
	const struct cut *cut;      /* NULL: none */
	const struct history *head; /* what all nodes have in common */
	bool is_ring;
	uint32_t nodes;
	struct lifeline *lines; /* allocated, from the left */
	uint32_t count;         /* of messages */
	struct arrow *arrows;   /* allocated */
	uint32_t marks_count;
	struct mark *marks; /* allocated, in their order */
	uint32_t hidden;    /* messages with nodes that have no line */
	uint32_t lost;
	uint64_t end; /* the last row */
};

/*
 * The page. Columns are counted from 0 at the left. A ring's first and last
 * node may have a second column beyond the other end, so that an arrow between
 * them is as short as any other.
 */
struct layout {
	double width;
	double height;
	double top;       /* of the lifelines */
	double gap;       /* between columns */
	double unit;      /* between units of time, or steps */
	double font;      /* size of labels */
	bool has_left;    /* a second column of the last node, at the left */
	bool has_right;   /* a second column of the first node, at the right */
	uint32_t columns; /* with the second ones */
};

/* Places the columns and the arrows (diagram_layout.c). */
struct layout diagram_place(struct diagram *d);

double layout_x(const struct layout *l, uint32_t column);
double layout_y(const struct layout *l, uint64_t at);

/* Gives a node's own column. */
uint32_t layout_column(const struct layout *l, uint32_t node);

/* Writes all labels along their arrows, so that none covers another
 * (diagram_label.c). */
void diagram_place_labels(struct diagram *d, const struct layout *l);

/* True if another node began the message than the one whose rank it carries. */
bool arrow_has_origin(const struct arrow *a);

/* As phase_name() and phase_word(), of this message. */
const char *arrow_phase_name(const struct diagram *d, const struct arrow *a);
const char *arrow_phase_word(const struct diagram *d, const struct arrow *a);

/* Ends each arrow at the edge of a decision's mark. The labels have their
 * places (diagram_layout.c). */
void diagram_trim_arrows(struct diagram *d, const struct layout *l);

/* Prints the page as SVG (diagram_svg.c). */
void diagram_print(FILE *out, const struct diagram *d, const struct layout *l);

/* What the page says above the lines (diagram_legend.c). */
void diagram_print_heading(
    FILE *out, const struct diagram *d, const struct layout *l);

/* True if time goes by units, which are named so. */
bool diagram_is_timed(const struct diagram *d);

/* The node that all follow; NODE_NONE: there is none. */
node_id diagram_leader(const struct diagram *d);

/* The style sheet, and the heads of arrows (diagram_shapes.c). */
void diagram_print_style(FILE *out);

/* The colour of a kind of messages. */
const char *diagram_colour(unsigned kind);

/* Shapes that the legend shows too. */
void diagram_print_start(FILE *out, double x, double y);
void diagram_print_circle(
    FILE *out, const char *class, double x, double y, double radius);

#endif
