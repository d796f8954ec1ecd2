/* SPDX-License-Identifier: ISC */
/*
 * A node is outside while a later configuration than ours does not name it:
 * then it was removed. It is also outside while at least as many peers say that
 * of earlier configurations as there are nodes of its own configuration, with
 * itself: then it is new, and the cluster does not know it yet. Fewer are hosts
 * that were away, or have a wrong file.
 *
 * A peer says so as the answer to a HELLO (VERDICT_OUTSIDE), or as it puts the
 * configuration into effect (configs.c). Each word counts for a while, until
 * the next one may come.
 */

#include "common/node/config/outside.h"

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/life.h"
#include "common/node/peer/peers.h"

#define OUTSIDE_LASTS (3 * SEC) /* without a new word: three lazy HELLOs */
#define OUTSIDE_BEATS 3         /* HELLOs go out with heartbeats */

/* For how long a word counts. */
static nsec_t
outside_lasts(const struct node *node)
{
	nsec_t beats = OUTSIDE_BEATS * node->setup.timing.heartbeat;

	return beats > OUTSIDE_LASTS ? beats : OUTSIDE_LASTS;
}

void
outside_look(struct node *node, nsec_t now)
{
	struct node_outside *o = &node->outside;
	bool was_outside = o->is_outside, is_removed = false;
	unsigned earlier = 0, ours = 1;
	uint32_t own = node->setup.config_id.config_version;

	o->at = NSEC_NEVER;
	o->removed_by = 0;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		ours += p->link.is_up && configs_agree(node, p);
		if (now >= p->outside.until)
			continue;
		is_removed |= p->outside.is_later;
		/* A joiner's file is later, but has no config term yet. */
		if (p->outside.config_version > own &&
		    p->outside.config_version > o->removed_by)
			o->removed_by = p->outside.config_version;
		earlier += !p->outside.is_later;
		o->at = nsec_earlier(o->at, p->outside.until);
	}
	o->is_outside = is_removed || (earlier > 0 && earlier >= ours);
	/* The others may have a leader, and we do not hear it yet. */
	if (was_outside && !o->is_outside && !node_leads(node))
		life_listen(node, now, node->setup.timing.startup);
}

void
outside_on_word(struct node *node, nsec_t now, struct peer *p,
    const struct config_id *config_id)
{
	p->outside = (struct peer_outside){
		.until = nsec_after(now, outside_lasts(node)),
		.is_later =
		    config_id_compare(config_id, &node->setup.config_id) > 0,
		.config_version = config_id->config_version,
	};
	outside_look(node, now);
}

void
outside_on_session(struct node *node, nsec_t now, struct peer *p)
{
	p->outside.until = 0;
	outside_look(node, now);
}

void
outside_change(struct node *node, nsec_t now)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		p->outside.is_later = false;
	outside_look(node, now);
}

void
outside_tick(struct node *node, nsec_t now)
{
	if (now >= node->outside.at)
		outside_look(node, now);
}

nsec_t
outside_deadline(const struct node *node)
{
	return node->outside.at;
}

void
outside_tell(struct node *node, nsec_t now)
{
	struct node_outside *o = &node->outside;

	bool is_outside = node_is_outside(node);

	if (is_outside == o->is_told)
		return;
	o->is_told = is_outside;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_OUTSIDE, .on = is_outside });
}

void
outside_on_caller(struct node *node, nsec_t now, node_id id)
{
	struct outside_caller *callers = node->outside.callers;
	unsigned at = 0;

	assert(id != node->setup.self);
	assert(peers_find(node, id) == NULL);
	for (unsigned i = 0; i < CALLERS_MAX; i++) {
		if (callers[i].id == id)
			at = i;
		else if (callers[at].id != id &&
			 callers[i].until < callers[at].until)
			at = i;
	}
	if (callers[at].id != id || now >= callers[at].until)
		callers[at].since = now;
	callers[at].id = id;
	callers[at].until = nsec_after(now, outside_lasts(node));
}

/* NULL: it has not said HELLO of late. */
static const struct outside_caller *
outside_caller(const struct node *node, nsec_t now, node_id id)
{
	for (unsigned i = 0; i < CALLERS_MAX; i++) {
		const struct outside_caller *c = &node->outside.callers[i];

		if (c->id == id && now < c->until)
			return c;
	}
	return NULL;
}

bool
outside_hears(const struct node *node, nsec_t now, node_id id)
{
	return outside_caller(node, now, id) != NULL;
}

bool
outside_hears_for_a_lease(const struct node *node, nsec_t now, node_id id)
{
	const struct outside_caller *c = outside_caller(node, now, id);

	return c != NULL &&
	       nsec_since(now, c->since) >= node->setup.timing.lease;
}

bool
node_is_outside(const struct node *node)
{
	return node->outside.is_outside &&
	       !(node_is_quorum(node) && node_leads(node));
}

uint32_t
outside_removed_by(const struct node *node)
{
	return node->outside.removed_by;
}
