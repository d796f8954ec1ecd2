/* SPDX-License-Identifier: ISC */
/*
 * A script for the stage. It reads bytes as steps, each a number and its
 * parameters. Some datagrams are any bytes; most have the member's own seal.
 */
#include "tests/model/fuzz/feed.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/lib/stage.h"
#include "tests/model/fuzz/feed_group.h"
#include "tests/model/fuzz/feed_hosts.h"
#include "tests/model/fuzz/feed_pull.h"
#include "tests/model/fuzz/feed_word.h"

#define STEPS_MAX 100         /* of a script: enough for any state, and fast */
#define END       (20 * SEC)  /* then the nodes must have a leader */
#define END_LONG  (120 * SEC) /* in a ring, which must close first */

static struct stage s;
static uint8_t datagram[PACKET_MAX];
static node_id relied_on; /* the leader that a client relies on, */
static nsec_t until;      /* until this time */

static struct feed_hosts hosts = { .stage = &s };

/* The script ends with its bytes: what it reads beyond is zero. */
struct script {
	struct reader r;
	unsigned node; /* the target of the step */
	struct member *member;
};

/* Reads at most `capacity` bytes of any content. */
static size_t
read_any(struct reader *r, uint8_t *bytes, size_t capacity)
{
	size_t size = read_u8(r) * 5U;

	if (size > capacity)
		size = capacity;
	if (size > r->left)
		size = r->left;
	read_bytes(r, bytes, size);
	return size;
}

static void
step_raw(struct script *script)
{
	enum stage_from from = (enum stage_from)(read_u8(&script->r) % 3);
	size_t size = read_any(&script->r, datagram, sizeof(datagram));

	/* Do first what time alone has made due. */
	stage_run(&s, 0);
	s.bytes_sent = 0;
	stage_feed(&s, script->node, from, datagram, size);
	if (!node_peer_status(s.nodes[script->node], 0).session)
		assert(s.bytes_sent <= size);
}

/* Sends what one node sent to the other again, perhaps with one byte changed.
 */
static void
step_copy(struct script *script)
{
	struct stage_flying copy = s.last;
	uint16_t at = read_u16(&script->r);
	uint8_t change = read_u8(&script->r);
	enum stage_from from = (enum stage_from)(read_u8(&script->r) % 3);

	if (copy.size == 0)
		return;
	if (copy.from == FROM_GROUP)
		from = FROM_GROUP;
	copy.bytes[at % copy.size] ^= change;
	stage_feed(&s, copy.to, from, copy.bytes, copy.size);
}

static void
step_sealed(struct script *script)
{
	uint8_t plain[PACKET_SEALED_MAX];
	uint8_t bits = read_u8(&script->r);
	size_t size = read_any(&script->r, plain, sizeof(plain));
	enum packet_type type = bits & 2 ? PACKET_BYE : PACKET_SESSION;
	enum stage_from from = bits & 4 ? FROM_NOWHERE : FROM_MEMBER;

	if (!script->member->has_session)
		return;
	stage_feed(&s, script->node, from, datagram,
	    member_seal(script->member, type, bits & PACKET_PING, plain, size,
		datagram));
}

/* Draws a number near the node's own, or any. */
static uint64_t
read_term(struct script *script)
{
	return feed_term(&script->r, stage_status(&s, script->node).term);
}

/* Fills in what only some algorithms have. */
static void
read_journey(struct reader *r, struct message *m)
{
	uint8_t bits = read_u8(r);

	m->origin = bits & 1 ? read_u32(r) & NODE_ID_MAX : m->rank.id;
	m->phase = bits & 2 ? read_u32(r) : bits >> 4 & 3;
	m->distance = bits & 4 ? read_u32(r) : bits >> 6;
	m->list_count = bits & 8 ? read_u16(r) : 0;
	for (unsigned i = 0; i < m->list_count && i < LIST_MAX; i++)
		m->list[i] = read_u8(r);
}

static void
write_message(struct script *script, struct writer *w)
{
	uint8_t kind = read_u8(&script->r);
	struct message m = {
		.kind = kind % MESSAGE_KINDS_MAX,
		.term = read_term(script),
		.rank = feed_rank(&script->r),
		.reason = feed_reason(&script->r),
		.link = kind >> 3 & 3,
	};

	if (kind & 0x80)
		read_journey(&script->r, &m);
	member_write_message(script->member, w, &m);
}

/* Makes bodies that are near an honest one. */
static struct body
read_body(struct script *script)
{
	struct body body = member_body(script->member, s.now);
	uint8_t bits = read_u8(&script->r);

	if (bits & 1)
		body.flags = read_u8(&script->r);
	if (bits & 2)
		body.ack += read_u8(&script->r);
	if (bits & 4)
		body.sack = read_u32(&script->r);
	if (bits & 8)
		body.timestamp = read_u32(&script->r);
	if (bits & 16)
		body.echo = read_u32(&script->r);
	if (bits & 32)
		body.heartbeat_us = read_u32(&script->r);
	if (bits & 64)
		body.incarnation += read_u8(&script->r);
	if (bits & 128)
		script->member->sequence += read_u8(&script->r);
	return body;
}

static struct feed_honest
honest_of(const struct script *script)
{
	return (struct feed_honest){
		.term = stage_status(&s, script->node).term,
		.now = s.now,
		.timestamp = script->member->heard.timestamp,
		.lease = s.setups[script->node].timing.lease,
		.config_id = *node_config_id(s.nodes[script->node]),
	};
}

/* Makes a body, messages and beacons as the script says. */
static void
step_frames(struct script *script)
{
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));
	struct body body = read_body(script);
	uint8_t count = read_u8(&script->r) % 20;
	struct feed_honest honest = honest_of(script);

	if (!script->member->has_session)
		return;
	for (unsigned i = 0; i < count; i++) {
		uint8_t kind = read_u8(&script->r),
			word = kind & 4 ? 4 : kind & 3;

		if ((kind & 0xc0) == 0x40)
			feed_word(&script->r, word, &honest, &w);
		else if (kind % 4 == 0)
			feed_beacon(&script->r, honest.term, &w);
		else
			write_message(script, &w);
	}
	body.frames_count = count;
	stage_feed(&s, script->node, FROM_MEMBER, datagram,
	    member_say(script->member, &body, frames, w.size, datagram));
}

/* Makes a handshake of any content; a copy of our salt makes it an answer. */
static void
step_handshake(struct script *script)
{
	struct member *m = script->member;
	struct handshake h = { .verdict = VERDICT_WELCOME,
		.config_id = m->config_id,
		.is_quorum = m->is_quorum,
		.exchanges = m->exchanges };
	uint8_t bits = read_u8(&script->r);

	memcpy(h.salt, m->salt, SALT_BYTES);
	memcpy(h.instance, m->instance, SALT_BYTES);
	h.salt[0] = read_u8(&script->r);
	h.config_id.digest[0] ^= bits >> 1 & 1;
	h.instance[1] = bits >> 2 & 1;
	h.verdict = (enum verdict)(bits >> 3 & 3);
	h.known = bits & 0x80 ? read_u64(&script->r) : read_u8(&script->r);
	if (bits & 0x40)
		memcpy(h.echo, m->their_salt, SALT_BYTES);
	stage_feed(&s, script->node, bits & 0x20 ? FROM_NOWHERE : FROM_MEMBER,
	    datagram,
	    member_handshake(
		m, bits & 1 ? PACKET_HELLO : PACKET_HELLO_ACK, &h, datagram));
}

static void
step_hello(struct script *script)
{
	stage_feed(&s, script->node, FROM_MEMBER, datagram,
	    member_hello(script->member, datagram));
}

static void
step_welcome(struct script *script)
{
	if (!script->member->was_greeted)
		return;
	stage_feed(&s, script->node, FROM_MEMBER, datagram,
	    member_welcome(script->member, datagram));
}

static void
step_beat(struct script *script)
{
	if (script->member->has_session)
		stage_beat(&s, script->node, NULL, 0, 0);
}

/* Lets up to a second and a quarter pass; more when the script repeats it. */
static void
step_time(struct script *script)
{
	stage_run(&s, read_u8(&script->r) * 5 * MSEC);
}

/* The clock jumps, as if nothing had run for so long. */
static void
step_pause(struct script *script)
{
	s.now += read_u8(&script->r) * 10 * MSEC;
}

static void
step_switch(struct script *script)
{
	uint8_t bits = read_u8(&script->r);

	s.is_cut ^= bits & 1;
	s.is_beating ^= bits >> 1 & 1;
	s.beat_at = s.now;
	if (bits & 4)
		stage_elect(&s, script->node);
	if (bits == 0x80)
		stage_stop(&s, script->node);
	if (node_stopped(s.nodes[script->node]))
		return;
	if (bits & 8)
		stage_resign(&s, script->node, bits >> 5 & 3);
	if (bits & 16)
		stage_stand(&s, script->node);
	if (bits & 32)
		stage_refuse(
		    &s, script->node, bits & 64 ? FROM_MEMBER : FROM_NODE);
}

/* A client asks for the leader; a client that relies on a leader never gets a
 * second one. */
static void
step_ask(struct script *script)
{
	struct node_status status = stage_status(&s, script->node);
	nsec_t at = node_hand_out(s.nodes[script->node], s.now);

	if (status.leader != s.setups[script->node].self || at <= s.now)
		return;
	relied_on = status.leader;
	until = at;
}

/* A new process takes the member's place. */
static void
step_rebirth(struct script *script)
{
	uint8_t bits = read_u8(&script->r);
	struct member *m = script->member;

	m->incarnation = bits & 0x80 ? read_u64(&script->r) : bits;
	m->instance[2] = bits;
	m->has_session = false;
}

/* The member gets another address, or speaks other versions from now on. */
static void
step_move(struct script *script)
{
	uint8_t bits = read_u8(&script->r);
	uint8_t lowest = (bits >> 1 & 7) == 0 ? 0 : 4 + (bits >> 1 & 7);

	if ((bits & 1) == 0) {
		s.is_away[script->node] = true;
		return;
	}
	script->member->versions.lowest = lowest;
	script->member->versions.highest = (uint8_t)(lowest + (bits >> 4 & 3));
}

/* The member's helper says that it is dead, and gives up its terms. */
static void
step_will(struct script *script)
{
	uint8_t bits = read_u8(&script->r);
	uint64_t number = bits & 4 ? read_u64(&script->r) : UINT64_MAX - bits;
	uint64_t term = bits & 1 ? read_term(script) : 0;

	if (!script->member->has_session)
		return;
	stage_feed(&s, script->node, (enum stage_from)((bits >> 4) % 3),
	    datagram, member_will(script->member, number, term, datagram));
}

/* The node hung, and its helper has sent a will to the other one. */
static void
step_hang(struct script *script)
{
	const struct kept_will kept = s.wills[script->node][FROM_NODE][0];

	if (node_stopped(s.nodes[script->node]))
		return;
	if (kept.size > 0)
		stage_feed(
		    &s, 1 - script->node, FROM_NOWHERE, kept.bytes, kept.size);
	stage_declare_dead(&s, script->node);
}

/* The host of a node gets a later file. */
static void
step_reload(struct script *script)
{
	feed_hosts_reload(&hosts, script->node, read_u8(&script->r));
}

/* Draws a configuration near the node's. */
static struct config_id
read_config_id(struct script *script)
{
	uint8_t bits = read_u8(&script->r);
	struct config_id config_id = s.setups[script->node].config_id;

	if (bits & 4)
		config_id = feed_config_id(
		    config_id.config_term + (hosts.has_steps ? bits >> 6 : 0),
		    config_id.config_version + (bits & 3), read_u8(&script->r));
	if (bits & 8)
		config_id.digest[1] ^= 1;
	return config_id;
}

/* The member has another configuration from now on; or it greets with one,
 * or says that it does not name the node. */
static void
step_config_id(struct script *script)
{
	struct member *m = script->member;
	uint8_t bits = read_u8(&script->r);
	struct handshake h = {
		.verdict = bits & 4 ? VERDICT_OUTSIDE : VERDICT_WELCOME,
		.config_id = read_config_id(script),
		.is_quorum = m->is_quorum ^ (bits >> 3 & 1),
		.exchanges = bits & 1,
	};

	if (bits & 2) {
		m->config_id = h.config_id;
		return;
	}
	memcpy(h.salt, m->salt, SALT_BYTES);
	memcpy(h.echo, m->their_salt, SALT_BYTES);
	memcpy(h.instance, m->instance, SALT_BYTES);
	stage_feed(&s, script->node, FROM_MEMBER, datagram,
	    member_handshake(
		m, bits & 16 ? PACKET_HELLO : PACKET_HELLO_ACK, &h, datagram));
}

/* A node that is no peer greets, with our key. */
static void
step_outsider(struct script *script)
{
	struct member m;

	member_init(&m, 9, script->node + 2, script->member->key);
	m.is_quorum = script->member->is_quorum;
	m.exchanges = read_u8(&script->r) & 1;
	stage_feed(&s, script->node, FROM_NOWHERE, datagram,
	    member_hello(&m, datagram));
}

/* Somebody with the key announces itself, perhaps as one of the nodes; what it
 * echoes is of the node's last answer. */
static void
step_announce(struct script *script)
{
	uint8_t bits = read_u8(&script->r);
	struct announce i = {
		.config_id = read_config_id(script),
		.priority = bits,
		.is_quorum = bits & 1,
		.asks = bits & 2,
		.is_refused = bits & 8,
		.name = "stranger",
	};
	struct member m;

	member_init(&m, bits >> 5 & 7, script->node + 2, script->member->key);
	m.incarnation = read_u8(&script->r);
	i.instance[0] = read_u8(&script->r) & 3;
	if (bits & 16)
		memcpy(i.echo, script->member->their_challenge, SALT_BYTES);
	if (m.id == NODE_NONE)
		return;
	stage_feed(&s, script->node, bits & 8 ? FROM_NOWHERE : FROM_MEMBER,
	    datagram, member_announce(&m, &i, datagram));
}

static void
write_piece(struct script *script, struct writer *w)
{
	struct config_id config_id = read_config_id(script);
	uint8_t bits = read_u8(&script->r);
	uint8_t bytes[PIECE_MAX];
	struct config_piece piece = {
		.tag = config_tag(&config_id),
		.offset = bits & 1 ? read_u16(&script->r)
				   : script->member->ask.offset,
		.size = bits & 2 ? read_u8(&script->r) * 4U + 1 : FEED_DOCUMENT,
		.bytes = bytes,
	};

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, feed_document(config_id.digest[0]), FEED_DOCUMENT);
	if (piece.size > PIECE_MAX)
		piece.size = PIECE_MAX;
	member_write_piece(w, &piece);
}

/* Tells a configuration, asks for a document or gives one, or all of these. */
static void
step_exchange(struct script *script)
{
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer w = writer_of(frames, PACKET_SEALED_MAX - BODY_BYTES);
	uint8_t bits = read_u8(&script->r);
	struct config_id config_id;
	unsigned count = 0;

	if (!script->member->has_session)
		return;
	if (bits & 1) {
		config_id = read_config_id(script);
		member_write_told(&w,
		    &(struct config_advert){ config_id,
			bits & 8 ? read_u16(&script->r) + 1U : FEED_DOCUMENT });
		count++;
	}
	if (bits & 2) {
		config_id = read_config_id(script);
		member_write_ask(
		    &w, &(struct config_ask){
			    config_tag(&config_id), read_u16(&script->r) });
		count++;
	}
	if (bits & 4) {
		write_piece(script, &w);
		count++;
	}
	assert(!w.failed);
	stage_beat(&s, script->node, frames, w.size, count);
}

/* An operator orders a standby, for up to a second or for good, or ends it,
 * or leaves it an older file; or the member says anything at all of itself. */
static void
step_standby(struct script *script)
{
	uint8_t frames[FRAME_BYTES + UINT8_MAX];
	struct writer w = writer_of(frames, sizeof(frames));
	uint8_t bits = read_u8(&script->r), size;
	const struct standby standby = {
		.is_on = bits & 2,
		.left = bits & 4 ? NSEC_NEVER : (1U + (bits >> 3)) * 32 * MSEC,
		.reason = "script",
	};
	struct packet_frame f = { .type =
				      bits & 64 ? FRAME_FILE : FRAME_STANDBY };

	if (bits & 1) {
		if (bits & 64)
			node_set_file(s.nodes[script->node], s.now, bits & 2);
		else
			node_set_standby(
			    s.nodes[script->node], s.now, &standby);
		stage_perform(&s, script->node);
		return;
	}
	size = read_u8(&script->r);
	f.size = size < script->r.left ? size : script->r.left;
	f.bytes = read_run(&script->r, f.size);
	frame_encode(&w, &f);
	if (script->member->has_session)
		stage_beat(&s, script->node, frames, w.size, 1);
}

/* Says where the member stands in the tree. */
static void
step_tree(struct script *script)
{
	uint8_t frame[FRAME_BYTES + TREE_WORD_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));
	uint8_t bits = read_u8(&script->r);
	struct tree_word word = { .is_parent = bits & 1,
		.is_child = (bits & 3) == 2 };

	if (!script->member->has_session)
		return;
	word.label.epoch = bits & 4 ? EPOCH_MAX : read_u16(&script->r);
	word.label.root = read_u8(&script->r) % 4 + 1;
	word.label.level = (uint16_t)(read_u16(&script->r) % (LEVEL_MAX + 1));
	member_write_tree(&w, &word);
	assert(!w.failed);
	stage_beat(&s, script->node, frame, w.size, 1);
}

/* The member's session tells of groups. */
static void
step_group_word(struct script *script)
{
	uint8_t frames[FEED_GROUP_WORD_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	if (script->member->has_session) {
		unsigned count =
		    feed_group_word(&script->r, script->member, &w);

		stage_beat(&s, script->node, frames, w.size, count);
	}
}

/* The member sends a group datagram. */
static void
step_group(struct script *script)
{
	struct feed_honest honest = honest_of(script);
	size_t size = feed_group(
	    &script->r, script->member, script->node + 1, &honest, datagram);

	stage_feed(&s, script->node, FROM_GROUP, datagram, size);
}

static void
step_pull(struct script *script)
{
	feed_pull(&script->r, &s, script->node);
}

/* No two nodes lead under "quorum", whatever a member without a vote sends. */
static void
check_one_leader(void)
{
	/* A member that gives away configurations decides who votes. */
	if (s.setups[0].guarantee != GUARANTEE_QUORUM || hosts.has_steps ||
	    s.setups[0].peers[0].role != ROLE_OBSERVER)
		return;
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		if (stage_status(&s, i).state != STATE_LEADER)
			continue;
		assert(stage_status(&s, 1 - i).state != STATE_LEADER);
		assert(s.now >= until || relied_on == s.setups[i].self);
	}
}

static void
run_script(struct script *script)
{
	static void (*const steps[])(struct script *) = { step_raw, step_copy,
		step_sealed, step_frames, step_handshake, step_hello,
		step_welcome, step_beat, step_time, step_pause, step_switch,
		step_rebirth, step_ask, step_will, step_hang, step_reload,
		step_config_id, step_outsider, step_exchange, step_move,
		step_standby, step_announce, step_tree, step_group_word,
		step_group, step_pull };
	size_t kinds = sizeof(steps) / sizeof(steps[0]);

	for (unsigned i = 0; i < STEPS_MAX && script->r.left > 0; i++) {
		uint8_t step = read_u8(&script->r);

		script->node = step >> 7;
		script->member = &s.members[script->node];
		steps[(step & 0x7f) % kinds](script);
		feed_hosts_judge(&hosts);
		check_one_leader();
	}
}

/* Under "quorum" a leader needs both nodes, with sound durable states. */
static bool
may_elect(void)
{
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		if (s.setups[i].guarantee == GUARANTEE_QUORUM &&
		    (node_deadline(s.nodes[i]) == NSEC_NEVER ||
			stage_status(&s, i).state_health != STATE_HEALTH_SOUND))
			return false;
	}
	return true;
}

/* Left alone, both nodes have a leader soon, whatever happened. */
static void
check_end(void)
{
	static const struct standby off = { .is_on = false };
	enum topology topology = s.setups[0].topology;
	nsec_t end;

	s.is_beating = false;
	s.is_cut = false;
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		node_set_standby(s.nodes[i], s.now, &off);
		stage_perform(&s, i);
	}
	end = nsec_after(s.now, topology == TOPOLOGY_RING ? END_LONG : END);
	while (s.now < end) {
		stage_run(&s, 100 * MSEC);
		feed_hosts_judge(&hosts);
	}
	check_one_leader();
	for (unsigned i = 0; i < STAGE_NODES && may_elect(); i++) {
		enum node_state state = stage_status(&s, i).state;

		if (node_deadline(s.nodes[i]) == NSEC_NEVER)
			continue; /* it has been stopped */
		assert(state == STATE_LEADER || state == STATE_FOLLOWER);
	}
}

/* The nodes are of other releases, which have a version in common: 7 or 8. */
static void
set_versions(struct reader *r)
{
	uint8_t bits = read_u8(r);

	s.setups[0].versions = (struct versions){ 6, bits & 1 ? 8 : 7 };
	s.setups[1].versions = (struct versions){ bits & 2 ? 7 : 6, 8 };
}

/* Sets up three voters, or two and the member, which then has no vote; some of
 * them have promised a term. They exchange documents, or not. */
static void
set_guarantee(struct reader *r)
{
	uint8_t bits = read_u8(r);

	for (unsigned i = 0; i < STAGE_NODES; i++) {
		struct node_setup *setup = &s.setups[i];

		memcpy(hosts.peers[i], setup->peers, sizeof(hosts.peers[i]));
		hosts.peers[i][0].role = (enum role)((bits & 3) % 3);
		for (unsigned j = 0; j < 2; j++)
			hosts.peers[i][j].is_configured =
			    hosts.peers[i][j].role != ROLE_OBSERVER;
		setup->peers = hosts.peers[i];
		setup->guarantee = GUARANTEE_QUORUM;
		setup->timing.lease = (1 + (bits >> 2 & 3)) * SEC / 2;
		if ((bits >> (4 + i) & 1) == 0)
			continue;
		setup->durable.promise.term = read_u8(r) + 1U;
		setup->durable.promise.owner =
		    (struct owner){ .id = read_u8(r) % 3 + 1U,
			    .incarnation = 6 };
	}
	hosts.has_steps = (bits & 0x40) != 0;
	if (hosts.has_steps)
		feed_hosts_exchange(&hosts);
	if (bits & 0x80)
		set_versions(r);
}

/* Links the nodes otherwise than each to each, or takes another algorithm. */
static void
set_shape(struct reader *r, unsigned how)
{
	static const struct algorithm *const of[][4] = {
		{ &algorithm_lelann, &algorithm_chang_roberts,
		    &algorithm_hirschberg_sinclair, &algorithm_ring_list },
		{ &algorithm_tree, &algorithm_tree_echo, &algorithm_floodmax,
		    &algorithm_traversal },
		{ &algorithm_floodmax, &algorithm_traversal,
		    &algorithm_extinction, &algorithm_bully_broadcast },
	};
	uint8_t bits = read_u8(r);

	for (unsigned i = 0; i < STAGE_NODES; i++) {
		struct node_setup *setup = &s.setups[i];

		setup->algorithm = of[how - 1][bits & 3];
		setup->choices = (struct choices){ .diameter = 2,
			.starters_only = bits & 4,
			.any_leader = bits & 4 };
	}
	if (how == 1)
		stage_ring(&s);
	else if (how == 2)
		stage_path(&s);
	else
		stage_graph(&s);
	if (bits & 0x80)
		set_versions(r);
}

/* All may send to a multicast group, and do if they exchange documents. */
static void
set_group(void)
{
	for (unsigned i = 0; i < STAGE_NODES; i++)
		s.setups[i].has_group = true;
}

/* The nodes take whoever has the key. */
static void
set_discovery(void)
{
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		s.setups[i].discovery = (struct discovery_setup){
			.is_on = true,
			.forget = 10 * SEC,
			.has_addresses = true,
			.name = "node",
		};
	}
}

void
feed_node(const uint8_t *bytes, size_t size)
{
	struct script script = { .r = reader_of(bytes, size) };
	uint8_t how = read_u8(&script.r);

	until = 0;
	hosts.has_steps = false;
	stage_set(&s, STAGE_NODES);
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		s.setups[i].prefer = how & 1 ? PREFER_LOWEST : PREFER_HIGHEST;
		s.setups[i].preempt = (enum preempt)((how >> 1 & 3) % 3);
		s.setups[i].preempt_after = SEC;
		s.setups[i].trace = how & 8;
	}
	if (how >> 6 != 0)
		set_shape(&script.r, how >> 6);
	hosts.is_full = how >> 6 == 0;
	if (hosts.is_full)
		set_group();
	if (hosts.is_full && (how & 8))
		set_discovery();
	if ((how >> 1 & 3) == 3)
		set_guarantee(&script.r);
	else
		feed_hosts_exchange(&hosts);
	stage_start(&s);
	if (how & 16)
		stage_run(&s, 2 * SEC);
	if (how & 32)
		for (unsigned i = 0; i < STAGE_NODES; i++)
			stage_join(&s, i);
	run_script(&script);
	check_end();
	stage_strike(&s);
}
