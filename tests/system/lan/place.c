/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/place.h"

#include <stdio.h>
#include <string.h>

#define COLUMN_IN   0
#define COLUMN_OUT  1
#define COLUMN_LINK 1 /* plus the host at the link's other end */

unsigned
place_parse_host(const char *text, unsigned hosts, const char **end)
{
	unsigned host = 0;

	while (*text >= '0' && *text <= '9' && host <= hosts)
		host = host * 10 + (unsigned)(*text++ - '0');
	*end = text;
	return host <= hosts ? host : 0;
}

/* Reads what follows the first host's number. */
static bool
place_parse_tail(struct place *p, const char *tail, unsigned hosts)
{
	if (*tail == '\0')
		p->kind = PLACE_PORT;
	else if (strcmp(tail, ".in") == 0)
		p->kind = PLACE_IN;
	else if (strcmp(tail, ".out") == 0)
		p->kind = PLACE_OUT;
	else if (*tail == '>' || *tail == ':')
		p->kind = PLACE_ONE_WAY;
	else if (*tail == '-')
		p->kind = PLACE_BOTH_WAYS;
	else
		return false;
	if (p->kind != PLACE_ONE_WAY && p->kind != PLACE_BOTH_WAYS)
		return true;
	p->b = place_parse_host(tail + 1, hosts, &tail);
	return p->b != 0 && p->b != p->a && *tail == '\0';
}

bool
place_parse(struct place *p, const char *text, unsigned hosts)
{
	const char *tail;

	*p = (struct place){ .kind = PLACE_ALL };
	if (strcmp(text, "all") == 0 || strcmp(text, "*") == 0)
		return true;
	p->a = place_parse_host(text, hosts, &tail);
	return p->a != 0 && place_parse_tail(p, tail, hosts);
}

static bool
place_has_link(const struct place *p, unsigned from, unsigned to)
{
	if (p->kind == PLACE_ALL || p->kind == PLACE_EVERY)
		return true;
	if (p->kind == PLACE_ONE_WAY || p->kind == PLACE_BOTH_WAYS)
		if (from == p->a && to == p->b)
			return true;
	return p->kind == PLACE_BOTH_WAYS && from == p->b && to == p->a;
}

static bool
place_has_port(const struct place *p, enum place_kind direction, unsigned host)
{
	if (p->kind == PLACE_EVERY)
		return true;
	return (p->kind == direction || p->kind == PLACE_PORT) && p->a == host;
}

/* Gives the wire that the walk has reached; NULL: it is not of the place. */
static struct wire *
place_wire(struct place *p, struct fabric *f)
{
	unsigned host = p->row, to = p->column - COLUMN_LINK;
	size_t size = sizeof(p->name);

	if (p->column == COLUMN_IN) {
		snprintf(p->name, size, "%u.in", host);
		return place_has_port(p, PLACE_IN, host) ? &f->in[host] : NULL;
	}
	if (p->column == COLUMN_OUT) {
		snprintf(p->name, size, "%u.out", host);
		return place_has_port(p, PLACE_OUT, host) ? &f->out[host]
							  : NULL;
	}
	snprintf(p->name, size, "%u>%u", host, to);
	if (to == host || !place_has_link(p, host, to))
		return NULL;
	return &f->link[host][to];
}

struct wire *
place_next(struct place *p, struct fabric *f)
{
	struct wire *w = NULL;

	if (p->row == 0)
		p->row = 1;
	while (w == NULL && p->row <= f->hosts) {
		w = place_wire(p, f);
		if (p->column++ == f->hosts + COLUMN_LINK) {
			p->column = 0;
			p->row++;
		}
	}
	return w;
}
