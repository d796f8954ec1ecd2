/* SPDX-License-Identifier: ISC */
/*
 * Which wires of a switch a command speaks of:
 *	all	every link, both ways: each frame passes exactly one of these
 *	1>2	the link from host 1 to host 2 (or 1:2, which needs no quotes)
 *	1-2	the link between them, both ways
 *	3.in	the port of host 3, from host to switch
 *	3.out	the same, from switch to host
 *	3	both
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_PLACE_H
#define ELECTD_TESTS_SYSTEM_LAN_PLACE_H

#include "tests/system/lan/fabric.h"

enum place_kind {
	PLACE_EVERY, /* all links and all ports; has no name */
	PLACE_ALL,
	PLACE_ONE_WAY,
	PLACE_BOTH_WAYS,
	PLACE_IN,
	PLACE_OUT,
	PLACE_PORT,
};

struct place {
	enum place_kind kind;
	unsigned a, b;   /* hosts, where the kind has them */
	unsigned row;    /* of the walk: a host, */
	unsigned column; /* and its in, its out, or one of its links */
	char name[16];   /* of the wire that the walk has reached */
};

/* Reads a place; false: a LAN of so many hosts has none such. */
bool place_parse(struct place *p, const char *text, unsigned hosts);

/* Reads a host's number at the start of text, and gives its end; 0: there is
 * none. */
unsigned place_parse_host(const char *text, unsigned hosts, const char **end);

/* Gives the next wire of the place, from the first on, or NULL. */
struct wire *place_next(struct place *p, struct fabric *f);

#endif
