/* SPDX-License-Identifier: ISC */
/*
 * The voters under the guarantee "quorum" (PROTOCOL.md, Quorum): which nodes
 * they are, which of them we hear, and whether those are a majority. Under
 * "component" there are no voters, and a majority needs none: it is always
 * heard.
 */

#include "common/node/watch/voters.h"

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/peer/process.h"
#include "common/node/peer/timestamps.h"
#include "common/node/watch/liveness.h"

void
voters_init(struct node *node)
{
	struct node_voters *v = &node->vote.voters;

	assert(v->count == 0);
	v->number = VOTER_NONE;
	for (unsigned i = 0; i < node->peers_count; i++)
		node->peers[i].voter.number = VOTER_NONE;
	if (!node_is_quorum(node))
		return;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (role_votes(p->setup.role))
			p->voter.number = v->count++;
	}
	if (role_votes(node->setup.role))
		v->number = v->count++;
	v->majority = v->count / 2 + 1;
}

void
voters_change(struct node *node)
{
	node->vote.voters = (struct node_voters){ .count = 0 };
	voters_init(node);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		struct peer_voter *v = &p->voter;

		/* An observer from now on. */
		if (v->number == VOTER_NONE)
			v->votes = v->sees_request = false;
	}
}

struct owner
voters_self(const struct node *node)
{
	assert(node->setup.self != NODE_NONE);
	assert(node->setup.durable.incarnation > 0);
	return (struct owner){
		.id = node->setup.self,
		.incarnation = node->setup.durable.incarnation,
	};
}

unsigned
voters_own_number(const struct node *node)
{
	return node->vote.voters.number;
}

unsigned
voters_number(const struct peer *p)
{
	return p->voter.number;
}

unsigned
voters_count(const struct node *node)
{
	return node->vote.voters.count;
}

unsigned
voters_majority(const struct node *node)
{
	return node->vote.voters.majority;
}

/* True if our durable state may be trusted and our id is not in use twice. */
static bool
voters_is_able(const struct node *node, nsec_t now)
{
	return node->setup.state_health == STATE_HEALTH_SOUND &&
	       !node_is_duplicate(node, now);
}

bool
voters_has_vote(const struct node *node, nsec_t now)
{
	return node->vote.voters.number != VOTER_NONE &&
	       voters_is_able(node, now);
}

/* An observer is asked for no vote, so it hears no requests. */
bool
voters_hear(struct peer *p, bool votes, bool sees_request)
{
	bool is_voter = p->voter.number != VOTER_NONE;
	bool voted = p->voter.votes;

	assert(p->has_session);
	p->voter.votes = is_voter && votes;
	p->voter.sees_request = is_voter && sees_request;
	return p->voter.votes != voted;
}

bool
voters_see_request(const struct node *node, nsec_t now)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->voter.sees_request && p->link.is_up &&
		    node_is_recent(node, now, timestamps_heard(p)))
			return true;
	}
	return false;
}

bool
voters_votes(const struct peer *p)
{
	return p->voter.votes;
}

bool
voters_counts(const struct node *node, const struct peer *p)
{
	return p->voter.votes && configs_may_grant(node, p);
}

unsigned
voters_heard(const struct node *node, nsec_t now)
{
	unsigned count = voters_has_vote(node, now);

	if (node->vote.voters.count == 0)
		return 0;
	for (const struct peer *p = node->peers; p < peers_end(node); p++)
		count += voters_counts(node, p);
	return count;
}

bool
voters_are_there(const struct node *node, nsec_t now)
{
	unsigned majority = node->vote.voters.majority;

	return majority == 0 || voters_heard(node, now) >= majority;
}

/*
 * A node that is cut off misses one peer after another. It must not spend a
 * term on that, so voters in doubt do not count. Nor do those that it cannot
 * reach: they would not answer. And when a link comes up, the peer names its
 * leader in the same datagram: so a node that was cut off and returns knows
 * the leader before it may begin.
 */
bool
voters_are_certain(const struct node *node, nsec_t now)
{
	unsigned count = voters_has_vote(node, now);

	if (node->vote.voters.majority == 0)
		return true;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		count += voters_counts(node, p) && p->link.is_up &&
			 !liveness_doubts(node, now, p);
	}
	return count >= node->vote.voters.majority;
}

void
voters_reset(struct peer *p)
{
	assert(!p->has_session);
	p->voter.votes = p->voter.sees_request = false;
}

void
voters_check(const struct node *node)
{
	const struct node_voters *v = &node->vote.voters;
	unsigned count = v->number != VOTER_NONE;

	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		const struct peer_voter *voter = &p->voter;

		assert(voter->number == VOTER_NONE || voter->number < v->count);
		assert(voter->number != VOTER_NONE ||
		       !(voter->votes || voter->sees_request));
		assert(
		    p->has_session || !(voter->votes || voter->sees_request));
		count += voter->number != VOTER_NONE;
	}
	assert(count == v->count);
	assert((v->majority == 0) == !node_is_quorum(node));
	/* Two majorities share a voter. */
	assert(v->majority == 0 || 2 * v->majority > v->count);
}
