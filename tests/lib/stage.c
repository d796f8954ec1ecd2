/* SPDX-License-Identifier: ISC */
#include "tests/lib/stage.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"

#define DELIVERED_MAX 256 /* at one instant; more is an endless chatter */
#define STEPS_MAX     100000

static const uint8_t key[KEY_BYTES] = { 'k', 'e', 'y' };

void
stage_set(struct stage *s, unsigned nodes_count)
{
	*s = (struct stage){
		.now = STAGE_BEGIN,
		.nodes_count = nodes_count,
		.beat_at = STAGE_BEGIN,
	};
	for (unsigned i = 0; i < nodes_count; i++) {
		struct node_setup *setup = &s->setups[i];

		for (unsigned k = 0; k < 2; k++)
			s->configured[i][k] = (struct peer_setup){
				.id = k == FROM_MEMBER ? 1 : 3 - i,
				.role = ROLE_CANDIDATE,
			};
		*setup = (struct node_setup){
			.self = i + 2,
			.role = ROLE_CANDIDATE,
			.peers = s->configured[i],
			.peers_count = 2,
			.algorithm = &algorithm_bully,
			.timing.heartbeat = STAGE_BEAT,
			.timing.misses = 3,
			.timing.startup = SEC,
			.cluster = "web",
			.versions = PACKET_VERSIONS,
			.durable = { .incarnation = 7 },
			.entropy = { (uint8_t)(i + 2) },
		};
		memcpy(setup->keys.first, key, KEY_BYTES);
		member_init(&s->members[i], 1, setup->self, key);
	}
}

void
stage_ring(struct stage *s)
{
	/* By node: its peers, the nearest first. */
	static const unsigned right[STAGE_NODES][2] = { { 1, 0 }, { 0, 1 } };
	static const unsigned left[STAGE_NODES][2] = { { 0, 1 }, { 1, 0 } };

	for (unsigned i = 0; i < s->nodes_count; i++) {
		s->setups[i].topology = TOPOLOGY_RING;
		s->setups[i].ring.right = right[i];
		s->setups[i].ring.right_count = 2;
		s->setups[i].ring.left = left[i];
		s->setups[i].ring.left_count = 2;
	}
}

void
stage_path(struct stage *s)
{
	for (unsigned i = 0; i < s->nodes_count; i++)
		s->setups[i].topology = TOPOLOGY_TREE;
	s->configured[1][0].is_remote = true;
}

void
stage_graph(struct stage *s)
{
	for (unsigned i = 0; i < s->nodes_count; i++)
		s->setups[i].topology = TOPOLOGY_GRAPH;
}

/* Finds out which peers of a node the member and the other node are. */
static void
number_peers(struct stage *s, unsigned node)
{
	const struct node_setup *setup = &s->setups[node];
	const node_id ids[] = { [FROM_MEMBER] = 1, [FROM_NODE] = 3 - node };

	for (unsigned from = 0; from < 2; from++) {
		s->peers[node][from] = PEER_NONE;
		for (unsigned i = 0; i < setup->peers_count; i++) {
			if (setup->peers[i].id == ids[from])
				s->peers[node][from] = i;
		}
	}
}

/* Where a node's datagram to one of its peers goes. */
static enum stage_from
place_of(const struct stage *s, unsigned node, unsigned peer)
{
	for (unsigned from = 0; from < 2; from++) {
		if (s->peers[node][from] == peer)
			return (enum stage_from)from;
	}
	return FROM_NOWHERE;
}

void
stage_start(struct stage *s)
{
	for (unsigned i = 0; i < s->nodes_count; i++) {
		void *memory = calloc(1, node_size(&s->setups[i]));

		assert(memory != NULL);
		s->members[i].is_quorum =
		    s->setups[i].guarantee == GUARANTEE_QUORUM;
		s->nodes[i] = node_init(memory, &s->setups[i], s->now);
		for (unsigned from = 0; from < 2; from++) {
			s->peers[i][from] = from;
			s->found[i][from] = (enum stage_from)from;
		}
	}
}

void
stage_strike(struct stage *s)
{
	for (unsigned i = 0; i < s->nodes_count; i++) {
		node_done(s->nodes[i]);
		free(s->nodes[i]);
		s->nodes[i] = NULL;
	}
}

static void
send_to_node(struct stage *s, unsigned to, const struct action *a)
{
	struct stage_flying f = {
		.to = to,
		.from = a->kind == ACTION_GROUP ? FROM_GROUP : FROM_NODE,
		.size = a->size,
	};

	memcpy(f.bytes, a->datagram, a->size);
	s->last = f;
	if (to < s->nodes_count && !s->is_cut && s->flying_count < STAGE_FLYING)
		s->flying[s->flying_count++] = f;
}

static void
take_document(struct stage_document *d, const struct action *a)
{
	if (a->offset == 0)
		*d = (struct stage_document){ .size = 0 };
	assert(a->size > 0);
	assert(a->offset == d->size);
	assert(a->size <= a->total - d->size);
	d->config_id = a->config_id;
	d->giver = a->giver;
	d->total = a->total;
	if (a->total <= sizeof(d->bytes))
		memcpy(d->bytes + d->size, a->datagram, a->size);
	d->size += a->size;
	d->pieces++;
}

static void
take_will(
    struct stage *s, unsigned node, enum stage_from to, const struct action *a)
{
	struct packet_head head;
	struct will will;

	if (to != FROM_NOWHERE)
		kept_will_take(&s->wills[node][to][a->releases], a);
	if (to == FROM_MEMBER && s->wills_count < STAGE_WILLS &&
	    member_hear_will(
		&s->members[node], a->datagram, a->size, &head, &will))
		s->will_numbers[s->wills_count++] = head.number;
}

/* The node finds a peer at `from`, where no other is then. */
static void
find(struct stage *s, unsigned node, unsigned peer, enum stage_from from)
{
	enum stage_from place = place_of(s, node, peer);

	s->finds++;
	if (place == FROM_NOWHERE)
		return;
	for (unsigned i = 0; i < 2; i++) {
		if (s->found[node][i] == from)
			s->found[node][i] = (enum stage_from)i;
	}
	s->found[node][place] = from;
	if (place == FROM_MEMBER && from == FROM_MEMBER)
		s->is_away[node] = false;
}

/* True if what the node sends to a peer in this way gets there. A HELLO also
 * goes to where the settings have the peer. */
static bool
is_reached(const struct stage *s, unsigned node, enum stage_from place,
    enum action_kind kind)
{
	if (place == FROM_NOWHERE || (place == FROM_MEMBER && s->is_away[node]))
		return false;
	return kind == ACTION_HELLO || s->found[node][place] == place;
}

/* Replies go to `from`, the source of the input. */
static void
perform(struct stage *s, unsigned node, enum stage_from from,
    const struct action *a)
{
	enum stage_from to = from;

	switch (a->kind) {
	case ACTION_PERSIST:
		assert(!s->is_persisting[node]);
		s->durable = a->durable;
		s->is_anew = a->is_anew;
		s->is_persisting[node] = true;
		return;
	case ACTION_NOTICE:
		s->notices[a->notice.kind]++;
		s->last_notices[a->notice.kind] = a->notice;
		if (a->notice.kind == NOTICE_LEADER ||
		    a->notice.kind == NOTICE_NO_LEADER)
			s->lead = a->notice;
		if (a->notice.kind == NOTICE_DROPPED) {
			s->dropped_notices[node][a->notice.drop]++;
			s->last_dropped = a->notice;
		}
		return;
	case ACTION_ADDRESS:
		find(s, node, a->peer, from);
		return;
	case ACTION_HELLO:
	case ACTION_SEND:
		to = place_of(s, node, a->peer);
		if (!is_reached(s, node, to, a->kind))
			to = FROM_NOWHERE;
		break;
	case ACTION_REPLY:
		break;
	case ACTION_WILL:
		take_will(s, node, place_of(s, node, a->peer), a);
		return;
	case ACTION_DOCUMENT:
		take_document(&s->documents[node], a);
		return;
	case ACTION_JOINER:
		s->joiners_met++;
		s->met[node] = a->joiner;
		return;
	case ACTION_PULLED:
		s->pulled[node] = a->pulled;
		s->answers[node]++;
		return;
	case ACTION_GROUP:
	case ACTION_JOIN:
		to = s->nodes_count == STAGE_NODES ? FROM_NODE : FROM_NOWHERE;
		member_hear(&s->members[node], a->datagram, a->size);
		break;
	}
	s->bytes_sent += a->size;
	if (to == FROM_MEMBER)
		member_hear(&s->members[node], a->datagram, a->size);
	else if (to == FROM_NODE)
		send_to_node(s, 1 - node, a);
}

static void
pull(struct stage *s, unsigned node, enum stage_from from)
{
	static struct action action;

	node_check(s->nodes[node]);
	for (;;) {
		while (node_act(s->nodes[node], s->now, &action))
			perform(s, node, from, &action);
		node_check(s->nodes[node]);
		if (!s->is_persisting[node] || s->is_slow)
			return;
		s->is_persisting[node] = false;
		node_persisted(s->nodes[node], s->now, true);
	}
}

/* The peer that the node takes to be at this source; beyond FROM_NOWHERE: the
 * one of that number. */
static unsigned
peer_at(const struct stage *s, unsigned node, enum stage_from from)
{
	for (unsigned i = 0; i < 2; i++) {
		if (i != from && s->found[node][i] == from)
			return s->peers[node][i];
	}
	if (from == FROM_NOWHERE || (from == FROM_MEMBER && s->is_away[node]) ||
	    (from < FROM_NOWHERE && s->found[node][from] != from))
		return PEER_NONE;
	return from < FROM_NOWHERE ? s->peers[node][from] : (unsigned)from;
}

static void
receive(struct stage *s, unsigned node, enum stage_from from,
    const uint8_t *bytes, size_t size)
{
	node_receive(s->nodes[node], s->now, s->age, peer_at(s, node, from),
	    bytes, size);
	pull(s, node, from);
}

static void
deliver(struct stage *s)
{
	for (unsigned i = 0; i < DELIVERED_MAX && s->flying_count > 0; i++) {
		struct stage_flying f = s->flying[0];

		s->flying_count--;
		memmove(s->flying, s->flying + 1, s->flying_count * sizeof(f));
		/* A process that has ended takes no input. */
		if (node_deadline(s->nodes[f.to]) != NSEC_NEVER)
			receive(s, f.to, f.from, f.bytes, f.size);
	}
	s->flying_count = 0;
}

void
stage_change(struct stage *s, unsigned node)
{
	const struct node_setup *setup = &s->setups[node];
	struct node *old = s->nodes[node];
	void *memory = calloc(1, node_change_size(old, setup));

	assert(memory != NULL);
	node_check(old);
	s->nodes[node] = node_change(memory, old, setup, s->now);
	free(old);
	number_peers(s, node);
	stage_perform(s, node);
}

void
stage_feed(struct stage *s, unsigned node, enum stage_from from,
    const uint8_t *bytes, size_t size)
{
	receive(s, node, from, bytes, size);
	deliver(s);
}

void
stage_refuse(struct stage *s, unsigned node, enum stage_from from)
{
	if (s->peers[node][from] == PEER_NONE)
		return;
	node_refused(s->nodes[node], s->now, s->peers[node][from]);
	stage_perform(s, node);
}

void
stage_perform(struct stage *s, unsigned node)
{
	pull(s, node, FROM_NOWHERE);
	deliver(s);
}

void
stage_persist(struct stage *s, unsigned node, bool ok)
{
	assert(s->is_persisting[node] || !ok);
	s->is_persisting[node] = false;
	node_persisted(s->nodes[node], s->now, ok);
	stage_perform(s, node);
}

uint64_t
stage_elect(struct stage *s, unsigned node)
{
	uint64_t term = node_elect(s->nodes[node], s->now);

	stage_perform(s, node);
	return term;
}

void
stage_stop(struct stage *s, unsigned node)
{
	node_stop(s->nodes[node], s->now);
	stage_perform(s, node);
}

enum resignation
stage_resign(struct stage *s, unsigned node, node_id to)
{
	enum resignation begun = node_resign(s->nodes[node], s->now, to, "");

	stage_perform(s, node);
	return begun;
}

void
stage_stand(struct stage *s, unsigned node)
{
	static const struct standby off = { .cause = STANDBY_RESIGNED };

	node_set_standby(s->nodes[node], s->now, &off);
	stage_perform(s, node);
}

void
stage_declare_dead(struct stage *s, unsigned node)
{
	node_declare_dead(s->nodes[node], s->now);
	stage_perform(s, node);
}

void
stage_beat(struct stage *s, unsigned node, const uint8_t *frames, size_t size,
    unsigned count)
{
	uint8_t datagram[PACKET_MAX];
	struct member *m = &s->members[node];
	struct body body = member_body(m, s->now);

	body.frames_count = (uint16_t)count;
	if (s->setups[node].preempt != PREEMPT_ALWAYS)
		body.flags &= (uint8_t)~BODY_CONTENDER;
	stage_feed(s, node, FROM_MEMBER, datagram,
	    member_say(m, &body, frames, size, datagram));
}

void
stage_frame(struct stage *s, unsigned node, uint8_t type, const uint8_t *bytes,
    size_t size)
{
	uint8_t frame[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));
	struct packet_frame f = { type, 0, bytes, size };

	frame_encode(&w, &f);
	assert(!w.failed);
	stage_beat(s, node, frame, w.size, 1);
}

void
stage_lead(struct stage *s, unsigned node, const struct beacon *beacon,
    const struct lease_left *left)
{
	uint8_t frames[2 * FRAME_BYTES + BEACON_BYTES + LEASE_LEFT_BYTES];
	uint8_t bytes[LEASE_LEFT_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer l = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_LEASE_LEFT, 0, bytes, sizeof(bytes) };

	member_write_beacon(&w, beacon);
	if (left != NULL) {
		lease_left_encode(&l, left);
		frame_encode(&w, &f);
	}
	assert(!w.failed);
	stage_beat(s, node, frames, w.size, left != NULL ? 2 : 1);
}

void
stage_tell_config(struct stage *s, unsigned node,
    const struct config_id *config_id, uint32_t size)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ADVERT_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_told(&w, &(struct config_advert){ *config_id, size });
	stage_beat(s, node, frame, w.size, 1);
}

void
stage_ask_config(struct stage *s, unsigned node,
    const struct config_id *config_id, uint32_t offset)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ASK_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_ask(
	    &w, &(struct config_ask){ config_tag(config_id), offset });
	stage_beat(s, node, frame, w.size, 1);
}

void
stage_give(struct stage *s, unsigned node, const struct config_piece *piece)
{
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_piece(&w, piece);
	stage_beat(s, node, frame, w.size, 1);
}

void
stage_vote(struct stage *s, unsigned node, const struct vote_response *v)
{
	uint8_t bytes[VOTE_RESPONSE_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	vote_response_encode(&w, v);
	stage_frame(s, node, FRAME_VOTE_RESPONSE, bytes, w.size);
}

void
stage_grant(struct stage *s, unsigned node)
{
	struct member *m = &s->members[node];
	const struct vote_request c = m->said.request;

	assert(m->said.has_request);
	m->said.has_request = false;
	stage_vote(s, node,
	    &(struct vote_response){
		.term = c.term,
		.sent = c.sent,
		.is_prevote = c.is_prevote,
		.promised = c.is_prevote ? 0 : c.term,
		.config_tag = config_tag(&m->config_id),
	    });
}

void
stage_adopt(struct stage *s)
{
	const struct tree_word word = {
		.label = { .root = 2, .level = 1 },
		.is_parent = true,
	};
	uint8_t frame[FRAME_BYTES + TREE_WORD_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_tree(&w, &word);
	stage_beat(s, 0, frame, w.size, 1);
}

/* Makes the member's answer to a hello, or its heartbeat. A hello ends a
 * session that the member has already used. */
static void
member_tick(struct stage *s)
{
	uint8_t datagram[PACKET_MAX];

	s->beat_at = s->now + STAGE_BEAT;
	for (unsigned i = 0; i < s->nodes_count; i++) {
		struct member *m = &s->members[i];

		if (m->was_greeted) {
			m->was_greeted = false;
			m->has_session &= m->number == 0;
		}
		if (m->has_session)
			stage_beat(s, i, NULL, 0, 0);
		else
			stage_feed(s, i, FROM_MEMBER, datagram,
			    member_hello(m, datagram));
	}
}

static nsec_t
next_at(const struct stage *s)
{
	nsec_t at = s->is_beating ? s->beat_at : NSEC_NEVER;

	for (unsigned i = 0; i < s->nodes_count; i++)
		at = nsec_earlier(at, node_deadline(s->nodes[i]));
	return at;
}

/* The node requests a prevote, and then a vote. */
static void
grant_all(struct stage *s, unsigned node)
{
	for (int i = 0; i < 4 && s->members[node].said.has_request; i++)
		stage_grant(s, node);
}

void
stage_run(struct stage *s, nsec_t duration)
{
	nsec_t until = nsec_after(s->now, duration);

	for (unsigned steps = 0; next_at(s) <= until; steps++) {
		assert(steps < STEPS_MAX);
		if (next_at(s) > s->now)
			s->now = next_at(s);
		for (unsigned i = 0; i < s->nodes_count; i++) {
			if (node_deadline(s->nodes[i]) > s->now)
				continue;
			node_tick(s->nodes[i], s->now);
			pull(s, i, FROM_NOWHERE);
			deliver(s);
		}
		if (s->is_beating && s->beat_at <= s->now)
			member_tick(s);
		for (unsigned i = 0; s->is_granting && i < s->nodes_count; i++)
			grant_all(s, i);
	}
	s->now = until;
}

void
stage_join(struct stage *s, unsigned node)
{
	uint8_t datagram[PACKET_MAX];
	struct member *m = &s->members[node];

	stage_feed(s, node, FROM_MEMBER, datagram, member_hello(m, datagram));
	assert(m->has_session);
	m->was_greeted = false;
	stage_beat(s, node, NULL, 0, 0);
}

struct node_status
stage_status(const struct stage *s, unsigned node)
{
	return node_status(s->nodes[node], s->now);
}

uint64_t
stage_dropped(const struct stage *s, unsigned node, enum drop drop)
{
	return node_counters(s->nodes[node])->dropped[drop];
}

void
stage_begin(struct stage *s, nsec_t duration)
{
	stage_start(s);
	s->is_beating = true;
	stage_run(s, duration);
}

int
stage_enter_alone(void **state)
{
	struct stage *s = *state;

	stage_set(s, 1);
	s->members[0].incarnation = 5;
	stage_start(s);
	stage_run(s, 0);
	return 0;
}

int
stage_leave(void **state)
{
	stage_strike(*state);
	return 0;
}
