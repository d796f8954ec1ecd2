/* SPDX-License-Identifier: ISC */
/*
 * How far this process takes part (PROTOCOL.md, Turns).
 *
 *   listens --it has heard enough, or is elected--> takes part
 *   takes part --the peers have given it up--> listens
 *   either --it is told to stop--> leaves --it leads no more--> stopped
 */

#include "common/node/life.h"

#include "common/node/context.h"

static void
life_set_stage(struct node *node, enum life_stage stage)
{
	enum life_stage before = node->life.stage;

	assert(before != LIFE_STOPPED);
	assert(before != LIFE_LEAVES || stage == LIFE_STOPPED);
	assert(before == LIFE_LEAVES || stage != LIFE_STOPPED);
	node->life.stage = stage;
}

void
life_init(struct node *node, nsec_t now)
{
	assert(node->life.stage == LIFE_LISTENS);
	life_listen(node, now, node->setup.timing.startup);
}

void
life_listen(struct node *node, nsec_t now, nsec_t duration)
{
	if (!life_is_ending(node))
		life_set_stage(node, LIFE_LISTENS);
	node->life.listens_until = nsec_after(now, duration);
	node->life.eligible_since = now;
}

void
life_shorten_listening(struct node *node, nsec_t until)
{
	assert(life_listens(node));
	node->life.listens_until =
	    nsec_earlier(node->life.listens_until, until);
}

void
life_tick(struct node *node, nsec_t now)
{
	if (!life_listens(node) || now < node->life.listens_until)
		return;
	life_take_part(node);
	node_trace(node, now, "startup is over");
}

void
life_take_part(struct node *node)
{
	assert(node->life.stage != LIFE_STOPPED);
	if (life_listens(node))
		life_set_stage(node, LIFE_TAKES_PART);
}

void
life_leave(struct node *node)
{
	life_set_stage(node, LIFE_LEAVES);
}

void
life_stop(struct node *node)
{
	assert(!node_leads(node));
	life_set_stage(node, LIFE_STOPPED);
}

bool
life_listens(const struct node *node)
{
	return node->life.stage == LIFE_LISTENS;
}

bool
life_takes_part(const struct node *node)
{
	return node->life.stage == LIFE_TAKES_PART;
}

bool
life_leaves(const struct node *node)
{
	return node->life.stage == LIFE_LEAVES;
}

bool
life_is_stopped(const struct node *node)
{
	return node->life.stage == LIFE_STOPPED;
}

bool
life_is_ending(const struct node *node)
{
	return life_leaves(node) || life_is_stopped(node);
}

nsec_t
life_listens_until(const struct node *node)
{
	return node->life.listens_until;
}

nsec_t
life_deadline(const struct node *node)
{
	return life_listens(node) ? node->life.listens_until : NSEC_NEVER;
}

void
life_stand_anew(struct node *node, nsec_t now)
{
	node->life.eligible_since = now;
}

void
life_set_carrier(struct node *node, nsec_t now, bool has_carrier)
{
	assert(node->life.lacks_carrier == has_carrier);
	assert(!node_leads(node) || !has_carrier);
	node->life.lacks_carrier = !has_carrier;
	if (has_carrier)
		life_listen(node, now, node->setup.timing.startup);
}

bool
life_lacks_carrier(const struct node *node)
{
	return node->life.lacks_carrier;
}

bool
life_was_eligible_for(const struct node *node, nsec_t now, nsec_t duration)
{
	return now >= nsec_after(node->life.eligible_since, duration);
}

void
life_check(const struct node *node)
{
	const struct node_life *life = &node->life;

	assert(life->stage <= LIFE_STOPPED);
	assert(life->stage != LIFE_LISTENS ||
	       life->eligible_since <= life->listens_until);
	/* A leader has heard enough, and leads on until it may stop. */
	assert(!node_leads(node) || life->stage == LIFE_TAKES_PART ||
	       life->stage == LIFE_LEAVES);
}

bool
node_stopped(const struct node *node)
{
	return life_is_stopped(node);
}
