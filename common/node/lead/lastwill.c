/* SPDX-License-Identifier: ISC */
/*
 * The last will (PROTOCOL.md, Last will): sealed datagrams that a helper, which
 * has no keys, sends once this process is dead or hangs. For each session one
 * says "died"; for each voter another one also gives up the term that this node
 * holds or requests. The node seals them beforehand, and anew at each change.
 */

#include "common/node/lead/lastwill.h"

#include <string.h>

#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/peer/session.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/voters.h"

#define HANG_MIN (10 * MSEC) /* a busy host stalls a process for less */

/* Not before peers may have declared us dead. Under quorum the voters decide
 * who leads next, not the rank alone. */
struct will_rules
node_will_rules(const struct node_setup *setup)
{
	bool is_quorum = setup->guarantee == GUARANTEE_QUORUM;
	nsec_t hang = setup->timing.heartbeat * setup->timing.misses / 8 * 9;

	if (hang < HANG_MIN)
		hang = HANG_MIN;
	if (hang < 2 * setup->timing.heartbeat)
		hang = 2 * setup->timing.heartbeat;
	return (struct will_rules){
		.hang = hang,
		.has_successor = setup->topology == TOPOLOGY_FULL && !is_quorum,
	};
}

void
lastwill_change(struct node *node, struct peer *p)
{
	peer_set_add(&node->out.will.due, p->index);
	p->will.died_due = p->will.release_due = true;
}

void
lastwill_change_all(struct node *node)
{
	node->out.will.due = (struct peer_set){ .used = 0 };
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		lastwill_change(node, p);
}

void
lastwill_end_session(struct node *node, struct peer *p)
{
	assert(!p->has_session);
	p->will.last_incarnation = session_owner(p).incarnation;
	p->will.last_opener =
	    *session_opener(&p->session, p->will.last_incarnation);
	lastwill_change(node, p);
}

/* Notes the term that releasing wills give up. If it has changed, those wills
 * are due. */
static void
will_look(struct node *node)
{
	uint64_t term = nominee_bequeathed(node);

	if (term == node->out.will.term)
		return;
	node->out.will.term = term;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!p->has_session || voters_number(p) == VOTER_NONE)
			continue;
		peer_set_add(&node->out.will.due, i);
		p->will.release_due = true;
	}
}

/* Builds the next of a peer's two wills that is due. */
static void
peer_will(struct node *node, struct peer *p, struct action *action)
{
	uint64_t term =
	    voters_number(p) != VOTER_NONE ? node->out.will.term : 0;
	struct packet_head head = keys_head(node, p->setup.id, PACKET_DIED);

	assert(p->will.died_due || p->will.release_due);
	action->kind = ACTION_WILL;
	action->peer = p->index;
	action->place = peers_rank_place(node, p);
	action->size = 0;
	action->releases = !p->will.died_due;
	if (p->has_session && (!action->releases || term != 0))
		action->size = session_seal_will(node, &p->session, &head,
		    action->releases ? term : 0, action->datagram);
	if (p->will.died_due)
		p->will.died_due = false;
	else
		p->will.release_due = false;
	if (!p->will.died_due && !p->will.release_due)
		peer_set_remove(&node->out.will.due, p->index);
}

bool
lastwill_act(struct node *node, struct action *action)
{
	unsigned first;

	will_look(node);
	first = peer_set_next(&node->out.will.due, 0);
	if (first == NODES_MAX)
		return false;
	assert(first < node->peers_count);
	peer_will(node, &node->peers[first], action);
	return true;
}

/*
 * Opens a will under the key of the peer's session; of an offer that no
 * datagram has confirmed; or of its last session, which silence or an earlier
 * will ended. *by is what opened it.
 */
static enum drop
will_find(const struct node *node, const struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, struct will *will,
    const struct opener **by)
{
	uint64_t incarnation = head->incarnation;
	bool is_last = p->will.last_incarnation != 0 &&
		       incarnation == p->will.last_incarnation;
	const struct opener *openers[] = {
		p->has_session ? session_opener(&p->session, incarnation)
			       : NULL,
		handshake_opener(p, incarnation),
		is_last ? &p->will.last_opener : NULL,
	};
	enum drop drop = DROP_SESSION;

	for (size_t i = 0; i < 3 && drop != DROP_NONE; i++) {
		if (openers[i] != NULL)
			drop = session_open_will(
			    node, *by = openers[i], head, bytes, will);
	}
	return drop;
}

/* The helper has a socket of its own, so the will may come from any address. */
bool
lastwill_open(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct opened_will *opened)
{
	const struct opener *by = NULL;
	enum drop drop = DROP_SEAL; /* no last will has another size */
	struct will will;

	assert(head->type == PACKET_DIED);
	assert(head->source == p->setup.id);
	if (size == PACKET_WILL_BYTES && head->number >= WILL_NUMBERS)
		drop = will_find(node, p, head, bytes, &will, &by);
	/* The helper sends each will more than once: this is a copy. */
	if (process_is_over(p, head->incarnation) &&
	    (drop != DROP_NONE || will.term == 0)) {
		node->counters.dropped[DROP_INCARNATION]++;
		return false;
	}
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return false;
	}
	node->counters.received++;
	assert(by != NULL);
	*opened = (struct opened_will){
		.by = { .id = p->setup.id, .incarnation = head->incarnation },
		.term = will.term,
		.opener = *by,
	};
	return true;
}

void
lastwill_remember(struct peer *p, const struct opened_will *opened)
{
	assert(opened->by.id == p->setup.id);
	assert(process_is_over(p, opened->by.incarnation));
	p->will.last_incarnation = opened->by.incarnation;
	p->will.last_opener = opened->opener;
}

void
lastwill_check(const struct node *node, const struct peer *p)
{
	bool is_due = p->will.died_due || p->will.release_due;

	assert(peer_set_has(&node->out.will.due, p->index) == is_due);
	/* The key is that of a process which was confirmed, or is over. */
	assert(p->will.last_incarnation <= process_known(p));
}
