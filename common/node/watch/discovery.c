/* SPDX-License-Identifier: ISC */
/*
 * A node that hears nobody says who it is, to a group or to addresses that
 * somebody may have. So does a leader, for others may have another one. Whoever
 * hears it answers with an announcement of its own that echoes the challenge of
 * the first; and so does the first. By these echoes each knows that the other
 * is alive, so no copy of a datagram makes a node known.
 *
 *   A -> all  ANNOUNCE  A's challenge
 *   B -> A    ANNOUNCE  B's challenge, A's echoed: A knows that B is alive
 *   A -> B    ANNOUNCE  B's echoed: B knows that A is alive
 *
 * Then each tells its host, whose settings name the other from now on, and a
 * handshake follows. The later configuration of the two comes into effect at
 * both.
 *
 * Under quorum only a node that has a leader tells its host, which proposes
 * settings to that leader. They name the other as an observer.
 */

#include "common/node/watch/discovery.h"

#include <string.h>

#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/links/topology.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/handshake.h"

#define EAGER 10        /* announcements at first, one a heartbeat */
#define LAZY  (1 * SEC) /* between two after that, and of a leader */

/* For how long an echo counts, or twice as long: many round trips. */
#define CHALLENGE_LASTS (4 * SEC)

/* Later configurations make known those that we would: patience with them. */
#define DEFER_BEATS 2

/* The rate of answers to announcements without an echo, which may be copies: a
 * start of 500 hosts takes a second, and no flood makes us say more. */
#define ANSWER_COST  (SEC / 500)
#define ANSWER_BURST (1 * SEC)

static void
challenge_draw(struct node *node, nsec_t now)
{
	struct node_discovery *d = &node->discovery;

	memcpy(d->challenge_before, d->challenge, SALT_BYTES);
	keys_fresh(node, d->challenge, SALT_BYTES);
	d->challenge_until = nsec_after(now, CHALLENGE_LASTS);
}

/* Draws both at first: zeros are nobody's challenge. */
static void
challenges_keep(struct node *node, nsec_t now)
{
	nsec_t until = node->discovery.challenge_until;

	if (now < until)
		return;
	challenge_draw(node, now);
	if (until == 0 || nsec_since(now, until) >= CHALLENGE_LASTS)
		challenge_draw(node, now);
}

static bool
is_echo(const struct node_discovery *d, const uint8_t *echo)
{
	return memcmp(echo, d->challenge, SALT_BYTES) == 0 ||
	       memcmp(echo, d->challenge_before, SALT_BYTES) == 0;
}

/* True if no other node of our configuration counts: we hear none, or those
 * that we hear do not count us. */
static bool
is_alone(const struct node *node)
{
	return peers_sessions(node) == 0 || node_is_outside(node);
}

/* True if we speak for those that we hear, as their leader, or as nobody
 * leads. */
static bool
speaks_for_all(const struct node *node)
{
	return is_alone(node) || node_leads(node) ||
	       lead_id(&node->lead) == NODE_NONE;
}

void
discovery_beat(struct node *node, nsec_t now)
{
	struct node_discovery *d = &node->discovery;

	if (!node->setup.discovery.is_on)
		return;
	challenges_keep(node, now);
	if (!is_alone(node))
		d->tries = 0;
	if (!speaks_for_all(node) || now < d->next_at)
		return;
	d->is_due_to_group = node->setup.has_group;
	d->is_due_to_addresses = node->setup.discovery.has_addresses;
	d->tries += d->tries < EAGER && is_alone(node);
	d->next_at = is_alone(node) && d->tries < EAGER
			 ? now
			 : nsec_after(now, LAZY - LAZY / 10);
}

/* Says of this node what anybody may know. */
static struct announce
announce(const struct node *node)
{
	struct announce i = {
		.config_id = node->setup.config_id,
		.priority = node->setup.priority,
		.role = (uint8_t)node->setup.role,
		.is_quorum = node_is_quorum(node),
		.asks = true,
	};

	memcpy(i.challenge, node->discovery.challenge, SALT_BYTES);
	memcpy(i.instance, keys_instance(node), SALT_BYTES);
	memcpy(i.name, node->setup.discovery.name, sizeof(i.name));
	return i;
}

static void
answer(struct node *node, const struct packet_head *head,
    const struct cluster_key *key, const struct announce *to, bool asks,
    bool refuses)
{
	struct announce i = announce(node);
	uint8_t datagram[ANNOUNCE_BYTES];

	i.asks = asks;
	i.is_refused = refuses;
	memcpy(i.echo, to->challenge, SALT_BYTES);
	keys_seal_announce(node, head->source, key, &i, datagram);
	handshake_reply(node, datagram, sizeof(datagram));
}

/* The sender is alive, and our configuration does not name it. */
static void
make_known(struct node *node, nsec_t now, const struct packet_head *head,
    const struct announce *a)
{
	struct node_discovery *d = &node->discovery;
	bool is_later =
	    config_id_compare(&a->config_id, &node->setup.config_id) > 0;

	/* The leader alone goes on to other settings. */
	if (node_is_quorum(node) && lead_id(&node->lead) == NODE_NONE)
		return;
	if (is_later)
		d->deferred_until =
		    nsec_after(now, DEFER_BEATS * node->setup.timing.heartbeat);
	else if (now < d->deferred_until)
		return;
	if (node->peers_count + 1 >= NODES_MAX)
		return;
	d->known = (struct joiner){
		.id = head->source,
		.priority = a->priority,
		.role = (enum role)a->role,
		.is_next = node_is_quorum(node) || !is_later || !is_alone(node),
	};
	memcpy(d->known.name, a->name, sizeof(d->known.name));
	d->has_known = true;
}

/* Another process has our id. Both hear of it, once each is known to be alive;
 * who hears its own datagram by the group does not count. */
static void
meet_double(struct node *node, nsec_t now, const struct packet_head *head,
    const struct cluster_key *key, const struct announce *a)
{
	bool is_live = is_echo(&node->discovery, a->echo);

	if (memcmp(a->instance, keys_instance(node), SALT_BYTES) == 0)
		return;
	if (is_live)
		process_on_own_duplicate(node, now);
	if (a->asks)
		answer(node, head, key, a, !is_live, true);
}

/* True if we want a session with a peer of this configuration. In a ring only
 * neighbours keep theirs, and a session that lasts a moment brings beacons
 * sooner than the ring does, whose beacons then seem to be late. */
static bool
wants_session(const struct node *node, const struct peer *p,
    const struct config_id *config_id)
{
	return !p->has_session &&
	       (!node_is_ring(node) || topology_keeps(node, p) ||
		   !config_id_equal(config_id, &node->setup.config_id));
}

/* A process has the id of a peer. If that is another one, and we hear the peer,
 * the id is in use twice. Else the peer does not know us, or we would have a
 * session: we answer, so that it does. */
static void
meet_peer(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const struct cluster_key *key,
    const struct announce *a)
{
	bool is_live = is_echo(&node->discovery, a->echo), is_double;

	if (process_is_same(p, head->incarnation, a->instance) &&
	    p->has_session)
		return;
	is_double = p->has_session && p->detector.is_heard &&
		    !process_is_present(p, head->incarnation, a->instance);
	if (is_double && is_live) {
		process_on_duplicate(node, now, p);
		peers_schedule(node, p);
	}
	if (is_live && a->is_refused)
		process_on_own_duplicate(node, now);
	if (is_live && !p->has_session)
		node->out.moved = p; /* it is there, wherever it was before */
	if (is_live && wants_session(node, p, &a->config_id))
		hello_seek(node, now, p);
	if (a->asks)
		answer(node, head, key, a, !is_live, is_double);
}

static void
meet_stranger(struct node *node, nsec_t now, const struct packet_head *head,
    const struct cluster_key *key, const struct announce *a)
{
	bool is_live = is_echo(&node->discovery, a->echo);

	if (a->asks)
		answer(node, head, key, a, !is_live, false);
	if (is_live && a->is_refused)
		process_on_own_duplicate(node, now);
	else if (is_live)
		make_known(node, now, head, a);
}

void
discovery_receive(struct node *node, nsec_t now, struct peer *p,
    struct peer *from, const struct packet_head *head, const uint8_t *bytes,
    size_t size)
{
	const struct cluster_key *key;
	struct announce i;
	enum drop drop;

	assert(node->setup.discovery.is_on);
	challenges_keep(node, now);
	drop = keys_open_announce(node, bytes, size, head->key_id, &key, &i);
	if (drop != DROP_NONE) {
		drop_datagram(node, now, from, drop);
		return;
	}
	if (i.is_quorum != node_is_quorum(node))
		drop = DROP_UNKNOWN;
	else if (!is_echo(&node->discovery, i.echo) &&
		 !bucket_take(
		     &node->discovery.empty_at, now, ANSWER_COST, ANSWER_BURST))
		drop = DROP_RATE;
	if (drop != DROP_NONE) {
		drop_datagram(node, now, from, drop);
		return;
	}
	node->counters.received++;
	if (head->source == node->setup.self)
		meet_double(node, now, head, key, &i);
	else if (node->input.is_by_group && !speaks_for_all(node))
		return; /* another one answers */
	else if (p != NULL)
		meet_peer(node, now, p, head, key, &i);
	else
		meet_stranger(node, now, head, key, &i);
}

node_id
node_forgets(const struct node *node, nsec_t now, node_id above)
{
	node_id gone = NODE_NONE;
	bool is_full = node->setup.topology == TOPOLOGY_FULL;

	/* In a ring we seek few of the others, and the rest may be alive. In a
	 * tree or graph the leader seeks its neighbours alone. */
	if (!node->setup.discovery.is_on || node_is_ring(node) ||
	    (is_full && !node_leads(node)))
		return NODE_NONE;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		nsec_t since = p->link.changed > p->link.sought
				   ? p->link.changed
				   : p->link.sought;

		if (!p->has_session && !p->setup.is_configured &&
		    topology_keeps(node, p) &&
		    nsec_since(now, since) >= node->setup.discovery.forget &&
		    p->setup.id > above &&
		    (gone == NODE_NONE || p->setup.id < gone))
			gone = p->setup.id;
	}
	return gone;
}

bool
discovery_act_joiner(struct node *node, struct action *action)
{
	if (!node->discovery.has_known)
		return false;
	node->discovery.has_known = false;
	action->kind = ACTION_JOINER;
	action->joiner = node->discovery.known;
	return true;
}

bool
discovery_act(struct node *node, struct action *action)
{
	struct node_discovery *d = &node->discovery;
	struct announce i = announce(node);

	if (d->is_due_to_group)
		action->kind = ACTION_GROUP;
	else if (d->is_due_to_addresses)
		action->kind = ACTION_JOIN;
	else
		return false;
	d->is_due_to_addresses &= action->kind == ACTION_GROUP;
	d->is_due_to_group = false;
	keys_seal_announce(
	    node, NODE_NONE, keys_first(node), &i, action->datagram);
	action->size = ANNOUNCE_BYTES;
	node->counters.sent++;
	return true;
}
