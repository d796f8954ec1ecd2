/* SPDX-License-Identifier: ISC */
/*
 * The step from the configuration in effect to the next one. Under quorum the
 * leader alone takes it, and the voters change one at a time (PROTOCOL.md,
 * Changes of voters).
 */

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/lead/handover.h"
#include "common/node/life.h"
#include "common/node/peer/peers.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/voters.h"

static bool
names(const struct node_setup *setup, node_id id)
{
	return id == setup->self || setup_names(setup, id);
}

/* The role that the configuration in effect gives to a node. */
static enum role
role_now(struct node *node, node_id id)
{
	const struct peer *p = peers_find(node, id);

	if (id == node->setup.self)
		return node->setup.role;
	return p != NULL ? p->setup.role : ROLE_OBSERVER;
}

/* What concerns the voters of a step. */
struct voters_step {
	unsigned differ; /* voters of one of the two configurations only */
	unsigned count;  /* voters of the next one */
	unsigned was;    /* voters of the present one */
	unsigned heard;  /* of the next ones, those that grant us the lease */
	unsigned new;    /* of the next ones, joiners that say HELLO */
	bool promotes;   /* an observer becomes a voter: it may have forgotten
	                  * what it promised as a voter before */
};

static void
step_add(struct voters_step *s, struct node *node, nsec_t now, node_id id,
    enum role next)
{
	const struct peer *p = peers_find(node, id);
	bool was = role_votes(role_now(node, id)), is = role_votes(next);
	bool is_known = p != NULL || id == node->setup.self;

	s->differ += was != is;
	s->count += is;
	s->was += was;
	s->promotes |= is && !was && is_known;
	if (!is)
		return;
	if (!was)
		s->new += outside_hears_for_a_lease(node, now, id);
	else if (p != NULL)
		s->heard += voters_counts(node, p) &&
			    nominee_is_granted_by(node, now, voters_number(p));
	else
		s->heard +=
		    voters_has_vote(node, now) &&
		    nominee_is_granted_by(node, now, voters_own_number(node));
}

static struct voters_step
voters_step(struct node *node, nsec_t now, const struct node_setup *setup)
{
	struct voters_step s = { .differ = 0 };

	step_add(&s, node, now, setup->self, setup->role);
	for (unsigned i = 0; i < setup->peers_count; i++)
		step_add(
		    &s, node, now, setup->peers[i].id, setup->peers[i].role);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		node_id id = p->setup.id;

		if (!names(setup, id))
			step_add(&s, node, now, id, ROLE_OBSERVER);
	}
	return s;
}

/*
 * A reign that does not last for a lease stamps nothing. Each config term is a
 * configuration that all others must fetch before they may lead: where the disk
 * of the best node is slow and its reigns are short, it would never have the
 * latest one in time.
 */
static bool
has_led_for_a_lease(const struct node *node, nsec_t now)
{
	return nsec_since(now, node->lead.since) >= node->setup.timing.lease;
}

enum change_step
node_step(struct node *node, nsec_t now, const struct node_setup *setup,
    uint64_t *config_term)
{
	struct voters_step voters = voters_step(node, now, setup);
	uint64_t held = nominee_held(node);

	*config_term = 0;
	if (!node_is_quorum(node))
		return STEP_READY;
	if (voters.differ > 1)
		return STEP_TOO_FAR;
	if (voters.promotes)
		return STEP_PROMOTES;
	/* The lease of a node that wakes late is over, and no input has said
	 * so yet. */
	if (node_status(node, now).state != STATE_LEADER ||
	    life_is_ending(node) || handover_is_made(node))
		return STEP_NOT_OURS;
	*config_term = held;
	if (node->setup.config_id.config_term != held)
		return has_led_for_a_lease(node, now) ? STEP_STAMP
						      : STEP_UNSETTLED;
	if (!nominee_is_settled(node, now))
		return STEP_UNSETTLED;
	/* Perhaps a joiner cannot vote, and nobody knows before it votes.
	 * Only a second voter has to be trusted. */
	if (voters.was == 1)
		voters.heard += voters.new;
	if (voters.heard < voters.count / 2 + 1)
		return STEP_UNHEARD;
	return setup->role == ROLE_CANDIDATE ? STEP_READY : STEP_RESIGN;
}

node_id
node_awaits(struct node *node, nsec_t now, const struct node_setup *setup)
{
	if (!node_is_quorum(node))
		return NODE_NONE;
	for (unsigned i = 0; i < setup->peers_count; i++) {
		const struct peer_setup *p = &setup->peers[i];

		if (role_votes(p->role) && !role_votes(role_now(node, p->id)) &&
		    !outside_hears(node, now, p->id))
			return p->id;
	}
	return NODE_NONE;
}

bool
node_wants_stamp(const struct node *node, nsec_t now)
{
	uint64_t config_term = node->setup.config_id.config_term;

	return node_is_quorum(node) && configs_exchange(node) &&
	       (config_term == 0 || (config_term != nominee_held(node) &&
					nominee_misses_a_voter(node))) &&
	       node_leads(node) && has_led_for_a_lease(node, now) &&
	       !life_is_ending(node) && !handover_is_made(node) &&
	       node_status(node, now).state == STATE_LEADER;
}
