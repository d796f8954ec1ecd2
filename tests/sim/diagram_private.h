/* SPDX-License-Identifier: ISC */
/*
 * The parts of a diagram: the events of the run (diagram.c), their places on
 * the page (diagram_layout.c), and the SVG (diagram_svg.c).
 */
#ifndef ELECTD_TESTS_SIM_DIAGRAM_PRIVATE_H
#define ELECTD_TESTS_SIM_DIAGRAM_PRIVATE_H

#include <stdio.h>

#include "tests/sim/diagram.h"

#define LEADER_RADIUS   7.0 /* of the marks of decisions, in pixels */
#define FOLLOWER_RADIUS 5.0

#define LABEL_MAX 64 /* a kind and three numbers of ten digits */

struct point {
	double x;
	double y;
};

/* One message; `sent` and `received` in units of time, or in steps. */
struct arrow {
	uint32_t from;
	uint32_t to;
	uint32_t link; /* of the sender */
	uint64_t sent;
	uint64_t received;
	uint8_t kind;
	struct rank rank;
	node_id origin;
	uint32_t phase;

	struct point tail; /* the layout sets this and what follows */
	struct point head;
	char label[LABEL_MAX]; /* empty: there is no place for it */
	struct point middle;   /* of the label */
	double length;         /* of the label, estimated */
	double angle;          /* in degrees */
};

/* A node; NEVER stands for an event that has not happened. */
struct lifeline {
	node_id id;
	uint64_t started; /* by itself */
	uint64_t touched; /* when it started or got its first message */
	uint64_t decided; /* for `winner`, or, NODE_NONE, for nobody */
	node_id winner;
};

#define NEVER UINT64_MAX

struct diagram {
	const struct algorithm *algorithm;
	enum schedule schedule;
	bool is_ring;
	bool is_too_large;
	bool has_failed; /* no memory */
	uint32_t nodes;
	struct lifeline *lines; /* allocated, unless there are too many */
	uint32_t count;         /* of messages */
	uint32_t size;
	struct arrow *arrows; /* allocated */
	uint64_t end;         /* the last unit, or step */
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

/* Places everything, so that no label covers another. */
void diagram_place(struct diagram *d, struct layout *l);

/* True if another node began the message than the one whose rank it carries. */
bool arrow_has_origin(const struct arrow *a);

double layout_x(const struct layout *l, uint32_t column);
double layout_y(const struct layout *l, uint64_t at);

/* Gives a node's own column. */
uint32_t layout_column(const struct layout *l, uint32_t node);

/* Prints the page as SVG. */
void diagram_print(FILE *out, const struct diagram *d, const struct layout *l);

#endif
