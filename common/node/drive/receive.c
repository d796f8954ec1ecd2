/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that come in. The cheapest check comes first and the seal last;
 * before the seal is verified only the head is read, and nothing is believed
 * (PROTOCOL.md, Order of checks).
 */
#include "common/node/drive/receive.h"

#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/drive/beacon.h"
#include "common/node/drive/body.h"
#include "common/node/drive/frames.h"
#include "common/node/drive/messages.h"
#include "common/node/drive/node_inside.h"
#include "common/node/drive/send.h"
#include "common/node/lead/lastwill.h"
#include "common/node/life.h"
#include "common/node/links/ring.h"
#include "common/node/links/topology.h"
#include "common/node/links/tree.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"
#include "common/node/vote/durable.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/discovery.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/voters.h"

/* The longest heartbeat that a peer may announce, in ours. Honest peers
 * announce 1, as all nodes have the same timing; a broken peer must be missed,
 * too. Any small number does. */
#define BEAT_MAX 10

/* The checks that need no peer. */
static enum drop
head_judge(const struct node *node, const uint8_t *bytes, size_t size,
    struct packet_head *head)
{
	struct reader r = reader_of(bytes, size);

	if (size < PACKET_HEAD_BYTES || size > PACKET_MAX)
		return DROP_SHORT;
	if (!packet_head_decode(&r, head))
		return DROP_FOREIGN;
	if (!keys_name_cluster(node, head))
		return DROP_CLUSTER;
	if (head->type == PACKET_ANNOUNCE
		? !node->setup.discovery.is_on
		: node->input.is_by_group != (head->type == PACKET_GROUP))
		return DROP_FOREIGN;
	if (head->type == PACKET_ANNOUNCE) {
		if (head->source == NODE_NONE ||
		    (head->destination != node->setup.self &&
			head->destination != NODE_NONE))
			return DROP_UNKNOWN;
		return keys_have(node, head->key_id) ? DROP_NONE : DROP_KEY;
	}
	if (head->source == node->setup.self)
		return DROP_SAME_ID;
	if (head->destination !=
	    (head->type == PACKET_GROUP ? NODE_NONE : node->setup.self))
		return DROP_UNKNOWN;
	/* A session has keys of its own, and outlives the cluster's key under
	 * which it began. */
	if ((head->type == PACKET_HELLO || head->type == PACKET_HELLO_ACK) &&
	    !keys_have(node, head->key_id))
		return DROP_KEY;
	return DROP_NONE;
}

/* Opens a datagram under the session, or under an offer. An offer that it opens
 * under is thereby confirmed: *confirmed, else NULL. */
static enum drop
peer_open(const struct node *node, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain, struct offer **confirmed)
{
	enum drop drop = DROP_SESSION;

	assert(head->source == p->setup.id);
	*confirmed = NULL;
	if (p->has_session)
		drop =
		    session_open(node, &p->session, head, bytes, size, plain);
	if (drop == DROP_NONE)
		return DROP_NONE;
	*confirmed = handshake_open_offer(node, p, head, bytes, size, plain);
	return *confirmed != NULL ? DROP_NONE : drop;
}

/* What the body says of the peer and of us. */
static void
body_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const struct body *b)
{
	bool was_heard = p->detector.is_heard, is_news, has_changed = false;

	assert(p->has_session);
	/* The numbers of a group are others, and it is of our configuration. */
	if (head->type != PACKET_GROUP) {
		has_changed = configs_hear(p, head->number, b->config_tag);
		group_keep_word(p, now, head->number, b);
	}
	keys_hear(p, head->key_id, b->second_key_id);
	timestamps_take(node, now, p, b);
	detector_heard(&p->detector, node->input.arrived, b->timestamp,
	    nsec_earlier(b->heartbeat_us * USEC,
		BEAT_MAX * node->setup.timing.heartbeat));
	assert(p->detector.is_heard);
	p->rank.is_eligible = b->flags & BODY_ELIGIBLE;
	p->rank.is_contender = b->flags & BODY_CONTENDER;
	topology_set_rank(node, now, p);
	is_news =
	    voters_hear(p, b->flags & BODY_VOTES, b->watch & WATCH_REQUEST);
	p->link.hears_us = b->flags & BODY_HEARD;
	liveness_hear(node, p, b->watch);
	damping_told(node, now, b->restarts);
	if (b->flags & BODY_DUPLICATE)
		process_on_own_duplicate(node, now);
	if (p->detector.is_heard != was_heard)
		peers_schedule(node, p);
	if (head->flags & PACKET_PING)
		peers_answer(node, p);
	if (head->flags & PACKET_ANSWER)
		timestamps_take_answer(node, p, b);
	/* The peer may ping on behalf of others: with a new number our beacon
	 * is news to them. */
	if ((head->flags & PACKET_PING) && node_leads(node) &&
	    node_is_star(node))
		lead_renumber(&node->lead);
	node_link_judge(node, now, p, EVIDENCE_MISSED);
	assert(p->link.is_up == p->link.hears_us);
	if (has_changed && p->link.is_up)
		topology_update(node, now, p);
	if (is_news || has_changed)
		quorum_look(node, now);
	if (node_is_ring(node))
		ring_hear(node, now, p, b->flags);
}

/* Takes a marker that the channel gave. */
static void
marker_take(struct node *node, nsec_t now, struct peer *p, struct reader *r)
{
	struct snapshot_name name;

	if (snapshot_name_decode(r, &name)) {
		snapshot_take_marker(node, p, &name);
		return;
	}
	snapshot_take_message(node, p, NULL);
	drop_datagram(node, now, p, DROP_FORMAT);
}

/* Takes the messages that the channel has in order. A message may end the
 * session; then nothing more of it counts. */
static void
messages_deliver(struct node *node, nsec_t now, struct peer *p)
{
	uint8_t bytes[CHANNEL_BODY_MAX];
	struct message m;
	uint32_t tag;
	size_t size;

	assert(node->input.speaker == NULL);
	node->input.speaker = p;
	while (p->has_session) {
		struct reader r;

		size = channel_deliver(&p->channel, node->blocks, bytes);
		if (size == 0)
			break;
		assert(size <= sizeof(bytes));
		r = reader_of(bytes, size);
		if (size == SNAPSHOT_NAME_BYTES) {
			marker_take(node, now, p, &r);
			continue;
		}
		tag = read_u32(&r);
		if (!message_decode(&r, &m) || !reader_at_end(&r)) {
			snapshot_take_message(node, p, NULL);
			drop_datagram(node, now, p, DROP_FORMAT);
			continue;
		}
		snapshot_take_message(node, p, &m);
		messages_take(node, now, p, tag, &m);
		assert(node->input.speaker == p);
	}
	node->input.speaker = NULL;
}

/* Checks that a body is in its range and says something of the present. */
static enum drop
body_judge(struct node *node, nsec_t now, struct peer *p, struct reader *r,
    struct body *b)
{
	assert(p->has_session);
	if (!body_decode(r, b) ||
	    b->incarnation != node->setup.durable.incarnation ||
	    !channel_ack(&p->channel, node->blocks, b->ack, b->sack))
		return DROP_FORMAT;
	return timestamps_accept(node, now, p, b->echo) ? DROP_NONE : DROP_LATE;
}

/* A node of an earlier configuration may still follow a leader that ours
 * does not name. Under `neighbours` no host knows all nodes. */
static bool
beacon_is_of_member(struct node *node, const struct beacon *beacon)
{
	node_id id = beacon->leader.id;

	return !configs_exchange(node) || id == NODE_NONE ||
	       id == node->setup.self || peers_find(node, id) != NULL;
}

/*
 * Under component a node that has a leader, or elects one, ignores the beacon
 * of another leader that comes by a link which only one end hears: that leader
 * would not hear the election that follows. Under quorum only the leader of the
 * majority has a beacon, so we follow it.
 */
static bool
beacon_counts(
    const struct node *node, const struct peer *p, const struct beacon *beacon)
{
	const struct lead *lead = &node->lead;

	if (p->link.is_up || node_is_quorum(node))
		return true;
	if (lead->is_fresh)
		return beacon->leader.id == lead->beacon.leader.id;
	return !node->election.is_open;
}

/* Takes the frames of quorum, which belong to the session they came by. */
static void
quorum_frames_take(
    struct node *node, nsec_t now, struct peer *p, const struct delivery *d)
{
	assert(p->has_session);
	if (d->has_release) {
		voting_withdraw(p, d->release.term);
		node_act_on_votes(node, now,
		    nominee_take_release(
			node, now, session_owner(p), d->release.term));
	}
	if (d->has_request && d->request.admits)
		durable_admit(node, now, session_owner(p), &d->request);
	if (d->has_request)
		voting_take_request(node, now, p, &d->request);
	if (d->has_vote)
		node_act_on_votes(
		    node, now, nominee_take_vote(node, now, p, &d->vote));
	if (d->has_beacon && d->has_lease_left)
		quorum_take_lease_left(node, now, &d->beacon, &d->lease_left);
}

/* Takes what the peer says of configurations of the settings. */
static void
config_frames_take(
    struct node *node, nsec_t now, struct peer *p, const struct delivery *d)
{
	assert(p->has_session);
	if (d->has_piece)
		configs_take_piece(node, now, p, &d->piece);
	if (d->has_advert && d->advert.size == 0) {
		outside_on_word(node, now, p, &d->advert.config_id);
	} else if (d->has_advert) {
		configs_take_advert(node, now, p, &d->advert);
		/* A voter that cannot vote for us does not count. */
		quorum_look(node, now);
	}
	if (d->has_ask)
		configs_take_ask(node, p, &d->ask);
}

/* Takes what the session says of groups. */
static void
group_frames_take(
    struct node *node, nsec_t now, struct peer *p, const struct delivery *d)
{
	struct body body;

	assert(p->has_session);
	if (d->has_group_key)
		group_take_key(node, p, now, &d->group_key);
	if (!d->has_group_heard)
		return;
	group_take_heard(node, p, &d->group_heard);
	body = body_of(node, now, p);
	if (group_reaches(node, p) && d->group_heard.word != group_word(&body))
		peers_schedule(node, p);
}

/* Ends our lone lead: the peer follows no leader that we take for ours, so
 * every peer is to know of us. */
static void
lead_make_known(struct node *node)
{
	lead_end_lone(&node->lead);
	peers_schedule_all(node);
}

/* Takes what an authentic datagram holds, of the session or of a group; `drop`
 * says whether all of it could be read. The messages come before the beacon,
 * which may end their election. The beacon comes before the lease left and the
 * members, which count only if they are of the leader that we follow. */
static void
delivery_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const struct delivery *d, enum drop drop,
    bool overflowed)
{
	const struct lease_left *lease_left;
	struct peer *refused;

	if (drop != DROP_NONE)
		drop_datagram(node, now, p, drop);
	body_take(node, now, p, head, &d->body);
	if (overflowed)
		node_session_end(
		    node, now, peers_largest_user(node, p), EVIDENCE_RESET);
	/* A message may come by an edge that this very datagram confirms. */
	if (d->has_tree && p->has_session)
		tree_hear(node, now, p, head->number, &d->tree);
	messages_deliver(node, now, p);
	if (!p->has_session)
		return;
	lease_left = d->has_lease_left ? &d->lease_left : NULL;
	refused =
	    liveness_take_leader(node, p, d->has_beacon ? &d->beacon : NULL);
	if (refused != NULL)
		node_suspect(node, now, refused, EVIDENCE_REFUSED);
	if (d->has_beacon && beacon_is_of_member(node, &d->beacon) &&
	    beacon_counts(node, p, &d->beacon) &&
	    quorum_credits(node, now, &d->beacon, lease_left))
		beacon_take(node, now, p, &d->beacon);
	if (node->lead.is_lone && p->link.is_up && !tree_is_forming(node))
		lead_make_known(node);
	if (p->has_session)
		quorum_frames_take(node, now, p, d);
	if (p->has_session && d->has_members && configs_agree(node, p))
		liveness_take_members(node, p, &d->members);
}

/* All processes of the peer up to this incarnation are over: ends the session
 * with any of them. */
static void
node_bury(struct node *node, nsec_t now, struct peer *p, uint64_t incarnation,
    enum evidence evidence)
{
	process_bury(p, incarnation, evidence);
	handshake_bury(p, incarnation);
	if (p->has_session && session_is_up_to(&p->session, incarnation))
		node_session_end(node, now, p, evidence);
	assert(process_is_over(p, incarnation));
	assert(!p->has_session || !session_is_up_to(&p->session, incarnation));
}

/* Takes an authentic datagram of the session of a peer. */
static void
session_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, struct reader *r)
{
	struct delivery d = { .has_beacon = false };
	bool overflowed = false;
	enum drop drop = body_judge(node, now, p, r, &d.body);

	assert(p->has_session);
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return;
	}
	drop = frames_read(node, now, p, r, &d, &overflowed);
	/* A record that its names led to does not count it. */
	node->counters.received++;
	p->traffic.received++;
	delivery_take(node, now, p, head, &d, drop, overflowed);
	if (p->has_session)
		config_frames_take(node, now, p, &d);
	if (p->has_session)
		group_frames_take(node, now, p, &d);
	if (p->has_session && drop == DROP_NONE)
		standby_hear(node, now, p, head->number,
		    d.has_standby ? &d.standby : NULL, d.has_older_file);
	if (head->type == PACKET_BYE && p->has_session)
		node_bury(
		    node, now, p, session_owner(p).incarnation, EVIDENCE_BYE);
}

/* Takes an authentic datagram of the group that names us as a receiver. */
static void
group_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const struct group_body *g, uint32_t echo,
    unsigned turn, struct reader *r)
{
	struct delivery d = {
		.body = {
			.timestamp = g->timestamp,
			.echo = echo,
			.heartbeat_us = g->heartbeat_us,
			.watch = g->watch,
			.flags = g->flags,
			.config_tag = g->config_tag,
			.second_key_id = g->second_key_id,
		},
	};
	bool overflowed = false;
	enum drop drop;

	group_add_word(p, &d.body);
	group_on_served(p, now);
	node->counters.received++;
	p->traffic.received++;
	drop = frames_read_group(node, p, r, g, turn, &d, &overflowed);
	d.lease_left.timestamp = timestamps_not_ahead(node, now, echo);
	delivery_take(node, now, p, head, &d, drop, overflowed);
}

/* Takes a datagram of type GROUP. One that we cannot open is no news: at first
 * nobody has the key, and one may be late. */
static void
group_receive(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct group_body g;
	enum drop drop = group_unseal(node, p, now, head, bytes, size, plain);
	unsigned turn;
	uint32_t echo;
	struct reader r;

	if (drop != DROP_NONE) {
		node->counters.dropped[drop]++;
		return;
	}
	r = reader_of(plain, size - PACKET_HEAD_BYTES);
	/* Each receiver would answer a ping. */
	if (!group_body_decode(&r, &g) || (head->flags & PACKET_PING) != 0) {
		drop_datagram(node, now, p, DROP_FORMAT);
		return;
	}
	if (g.config_tag != config_tag(&node->setup.config_id) ||
	    !configs_agree(node, p) ||
	    !group_find(&g, peers_own_place(node), &echo, &turn)) {
		group_on_passed(node, now, p);
		return;
	}
	if (!timestamps_accept(node, now, p, echo))
		drop_datagram(node, now, p, DROP_LATE);
	else
		group_take(node, now, p, head, &g, echo, turn, &r);
}

/* Shows a peer that rejected us that we are alive. That proves that there is
 * another process of our id, or that our settings differ. */
static void
prove_alive(struct node *node, nsec_t now, struct peer *p, struct session *s)
{
	uint8_t datagram[PACKET_MAX];
	size_t size =
	    send_build_session(node, now, p, s, PACKET_SESSION, datagram);

	handshake_reply(node, datagram, size);
}

/* A peer knows of a process of ours up to incarnation `known`. Unless that is
 * below ours, goes above it (PROTOCOL.md, Incarnations). */
static void
node_refute(struct node *node, nsec_t now, uint64_t known)
{
	if (known < node->setup.durable.incarnation ||
	    known - node->setup.durable.incarnation > INCARNATION_JUMP_MAX)
		return;
	if (!process_may_refute(node, now))
		return;
	node_trace(node, now, "told of our incarnation -> go above it");
	node_reincarnate(node, now, known + 1, REASON_REFUTED);
	durable_revoke(node, now);
}

/* Acts on what follows from a handshake, and wipes it. True if a session has
 * begun. */
static bool
handshake_act(struct node *node, nsec_t now, struct peer *p,
    struct handshake_result *result)
{
	bool has_begun = result->outcome == HANDSHAKE_BEGINS;

	switch (result->outcome) {
	case HANDSHAKE_ENDS:
		break;
	case HANDSHAKE_BEGINS:
		node_session_begin(node, now, p, result);
		node->out.moved = p;
		assert(p->has_session);
		break;
	case HANDSHAKE_PROVES:
		prove_alive(node, now, p, &result->session);
		break;
	case HANDSHAKE_REFUTES:
		node_refute(node, now, result->known);
		break;
	}
	seal_wipe(result, sizeof(*result));
	return has_begun;
}

/* Takes a datagram of type SESSION or BYE. Its seal proves whose it is,
 * whatever address it came from; and the latest one shows where the peer is. */
static void
session_receive(struct node *node, nsec_t now, struct peer *p, bool is_away,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct handshake_result result;
	struct offer *offer;
	struct reader r;
	enum drop drop;

	assert(head->type == PACKET_SESSION || head->type == PACKET_BYE);
	assert(size >= PACKET_HEAD_BYTES);
	assert(size - PACKET_HEAD_BYTES <= sizeof(plain));
	drop = peer_open(node, p, head, bytes, size, plain, &offer);
	if (drop == DROP_SESSION && process_is_over(p, head->incarnation))
		drop = DROP_INCARNATION;
	/* A BYE is said three times; this is not the first. */
	if (drop == DROP_INCARNATION && head->type == PACKET_BYE) {
		node->counters.dropped[drop]++;
		return;
	}
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return;
	}
	if (offer == NULL && is_away && session_is_latest(&p->session, head)) {
		node->out.moved = p;
		lastwill_change(node, p);
	}
	if (offer != NULL) {
		handshake_confirm(node, now, p, offer, &result);
		if (!handshake_act(node, now, p, &result))
			return;
	}
	r = reader_of(plain, size - PACKET_HEAD_BYTES);
	session_take(node, now, p, head, &r);
}

/* The peer answers our HELLO, or refuses our answer to its own. */
static void
hello_ack_receive(struct node *node, nsec_t now, struct peer *p, bool is_away,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	struct handshake_result result;

	assert(head->type == PACKET_HELLO_ACK);
	handshake_take_ack(node, now, p, is_away, head, bytes, size, &result);
	handshake_act(node, now, p, &result);
}

/* Takes a DIED: buries the process that sealed it, and takes back its terms.
 * More than one will of a process may come. If it led, node_conclude() gives
 * the leader up (leadership_flaw()). */
static void
will_receive(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	uint64_t incarnation = head->incarnation;
	struct opened_will will;

	assert(head->type == PACKET_DIED);
	if (!lastwill_open(node, now, p, head, bytes, size, &will))
		return;
	if (!process_is_over(p, incarnation)) {
		node_bury(node, now, p, incarnation, EVIDENCE_DIED);
		lastwill_remember(p, &will);
	}
	assert(process_is_over(p, incarnation));
	if (will.term != 0)
		node_act_on_votes(node, now,
		    nominee_take_release(node, now, will.by, will.term));
	seal_wipe(&will, sizeof(will));
}

/* Drops a datagram of which only the head was looked at; NULL: not even that.
 * The group gives us what we send to it, and what others do. */
static void
head_drop(struct node *node, nsec_t now, struct peer *from,
    const struct packet_head *head, enum drop drop)
{
	if (head != NULL && head->type == PACKET_GROUP)
		node->counters.dropped[drop]++;
	else if (drop == DROP_KEY && from != NULL &&
		 from->setup.id == head->source)
		drop_unopened(node, now, from, drop);
	else
		drop_datagram(node, now, from, drop);
}

void
receive_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size)
{
	struct peer *from = peer >= PEER_GROUP ? NULL : &node->peers[peer];
	struct packet_head head;
	struct peer *p;
	bool is_away, was_read;
	enum drop drop = head_judge(node, bytes, size, &head);

	assert(peer >= PEER_GROUP || peer < node->peers_count);
	assert(!life_is_stopped(node));
	was_read = drop != DROP_SHORT && drop != DROP_FOREIGN;
	drop_note_source(node, was_read ? head.source : NODE_NONE);
	if (drop != DROP_NONE) {
		head_drop(node, now, from, was_read ? &head : NULL, drop);
		return;
	}
	p = peers_find(node, head.source);
	if (head.type == PACKET_ANNOUNCE) {
		discovery_receive(node, now, p, from, &head, bytes, size);
		return;
	}
	if (p == NULL) {
		if (head.type == PACKET_HELLO)
			handshake_take_outsider(node, now, &head, bytes, size);
		else
			head_drop(node, now, NULL, &head, DROP_UNKNOWN);
		return;
	}
	assert(p->setup.id == head.source);
	peers_touch(node, p);
	is_away = p != from;
	switch (head.type) {
	case PACKET_HELLO:
		handshake_take_hello(node, now, p, is_away, &head, bytes, size);
		break;
	case PACKET_HELLO_ACK:
		hello_ack_receive(node, now, p, is_away, &head, bytes, size);
		break;
	case PACKET_SESSION:
	case PACKET_BYE:
		session_receive(node, now, p, is_away, &head, bytes, size);
		break;
	case PACKET_DIED:
		will_receive(node, now, p, &head, bytes, size);
		break;
	case PACKET_GROUP:
		group_receive(node, now, p, &head, bytes, size);
		break;
	case PACKET_ANNOUNCE:
		break; /* see above */
	}
}
