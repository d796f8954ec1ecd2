/* SPDX-License-Identifier: ISC */
/*
 * Actions that go out: when the caller pulls them, node_act() builds the
 * datagrams that are due to peers, one for each before the second for any, and
 * hands out durable states, notices and last wills (PROTOCOL.md, The core as a
 * machine, Body, Frames).
 */
#include "common/node/drive/send.h"

#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/standby.h"
#include "common/node/drive/body.h"
#include "common/node/drive/group_send.h"
#include "common/node/drive/timers.h"
#include "common/node/lead/handover.h"
#include "common/node/lead/lastwill.h"
#include "common/node/links/tree.h"
#include "common/node/look/pulls.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"
#include "common/node/tape/tape.h"
#include "common/node/vote/durable.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/discovery.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/stall.h"

/* Writes the messages that the channel has due, as many as fit. Returns their
 * number. */
static unsigned
messages_write(struct node *node, nsec_t now, struct peer *p, struct writer *w)
{
	struct frame frame;
	unsigned count = 0;

	assert(w->size <= w->capacity);
	while (w->size + FRAME_BYTES < w->capacity &&
	       channel_output(&p->channel, node->blocks, now,
		   w->capacity - w->size - FRAME_BYTES, &frame)) {
		body_write_frame(
		    w, FRAME_MESSAGE, frame.seq, frame.bytes, frame.size);
		count++;
	}
	return count;
}

/* Writes our word of the virtual tree. Returns the number of frames. */
static unsigned
tree_write(const struct node *node, const struct peer *p, struct writer *f)
{
	uint8_t bytes[TREE_WORD_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct tree_word word;

	if (!tree_word_of(node, p, &word))
		return 0;
	tree_word_encode(&w, &word);
	assert(!w.failed);
	body_write_frame(f, FRAME_TREE, 0, bytes, w.size);
	return 1;
}

/* Writes what a nominee and a voter say to each other. Returns the number of
 * frames. */
static unsigned
quorum_frames_write(
    struct node *node, nsec_t now, const struct peer *p, struct writer *f)
{
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	const struct vote_response *response = voting_response(p);
	const struct release release = { nominee_released(node) };
	struct vote_request request;
	unsigned count = 0;

	if (release.term != 0) {
		release_encode(&w, &release);
		body_write_frame(f, FRAME_RELEASE, 0, bytes, w.size);
		count++;
	}
	if (nominee_request_of(node, now, p, &request)) {
		w = writer_of(bytes, sizeof(bytes));
		vote_request_encode(&w, &request);
		body_write_frame(f, FRAME_VOTE_REQUEST, 0, bytes, w.size);
		count++;
	}
	if (response != NULL) {
		w = writer_of(bytes, sizeof(bytes));
		vote_response_encode(&w, response);
		body_write_frame(f, FRAME_VOTE_RESPONSE, 0, bytes, w.size);
		count++;
	}
	assert(!w.failed);
	return count;
}

/* Writes the part to be sealed: the body and, in the present session, the
 * frames. Returns its size. */
static size_t
sealed_write(struct node *node, nsec_t now, struct peer *p, bool is_current,
    uint8_t *plain)
{
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer f = writer_of(frames, sizeof(frames));
	struct writer w = writer_of(plain, PACKET_SEALED_MAX);
	struct body body = body_of(node, now, p);
	unsigned count = 0;

	if (is_current) {
		unsigned messages;

		count += body_write_beacon(node, now, p, &f);
		count += standby_write(node, now, p, &f);
		count += quorum_frames_write(node, now, p, &f);
		count += tree_write(node, p, &f);
		count += group_write(node, now, p, &f);
		count += snapshot_write(node, p, &f);
		count += pulls_write(node, p, &f);
		messages = messages_write(node, now, p, &f);

		if (messages == 0)
			node->counters.heartbeats++;
		count += messages;
		count += configs_write(node, p, &f);
	}
	body.frames_count = (uint16_t)count;
	body_encode(&w, &body);
	write_bytes(&w, frames, f.size);
	assert(!w.failed);
	assert(!f.failed);
	return w.size;
}

size_t
send_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram)
{
	struct packet_head head = keys_head(node, p->setup.id, type);
	size_t size = sealed_write(
	    node, now, p, session == &p->session, datagram + PACKET_HEAD_BYTES);

	assert(size >= BODY_BYTES);
	assert(size <= PACKET_SEALED_MAX);
	if (peers_pings(p) || liveness_wants_answer(node, p))
		head.flags |= PACKET_PING;
	if (peers_answers(p))
		head.flags |= PACKET_ANSWER;
	session_seal(node, session, &head, datagram, size);
	return PACKET_HEAD_BYTES + size;
}

static enum action_kind
send_hello(struct node *node, struct peer *p, struct action *action)
{
	assert(hello_is_due(p));
	hello_clear(p);
	action->size = handshake_build_hello(node, p, action->datagram);
	return ACTION_HELLO;
}

static enum action_kind
send_session(
    struct node *node, nsec_t now, struct peer *p, struct action *action)
{
	enum packet_type type = peers_says_bye(p) ? PACKET_BYE : PACKET_SESSION;

	assert(p->has_session);
	action->size = send_build_session(
	    node, now, p, &p->session, type, action->datagram);
	timestamps_sent(node, now, p);
	group_on_sent(node, now, p);
	peers_sent(p);
	nominee_on_sent(p);
	if (!peers_says_bye(p)) /* each BYE has the response */
		voting_on_sent(p);
	channel_acked(&p->channel);
	if (pulls_are_due(node, p))
		peers_schedule(node, p);
	return ACTION_SEND;
}

/* Builds the next datagram that is due to this peer, if any. */
static bool
peer_act(struct node *node, nsec_t now, struct peer *p, struct action *action)
{
	if (p->has_session &&
	    (peers_is_due(p) || channel_due(&p->channel, now)))
		action->kind = send_session(node, now, p, action);
	else if (hello_is_due(p))
		action->kind = send_hello(node, p, action);
	else
		return false;
	action->peer = p->index;
	p->traffic.sent++;
	node->counters.sent++;
	return true;
}

/* Builds the next datagram: first the answer to the one that came in, then what
 * the peers are due. */
static bool
datagram_act(struct node *node, nsec_t now, struct action *action)
{
	assert(!durable_is_mute(node));
	if (handshake_take_reply(node, action)) {
		node->counters.sent++;
		return true;
	}
	if (group_act(node, now, action))
		return true;
	while (peers_are_touched(node)) {
		struct peer *p =
		    peers_take_turn(node, handover_first_peer(node));

		if (p == NULL)
			continue;
		if (peer_act(node, now, p, action))
			return true;
		timers_settle(node, p);
	}
	return false;
}

/* What is sent to the peer goes to its new address, so the host must have that
 * first. */
static bool
address_act(struct node *node, struct action *action)
{
	if (node->out.moved == NULL)
		return false;
	action->kind = ACTION_ADDRESS;
	action->peer = node->out.moved->index;
	node->out.moved = NULL;
	return true;
}

static bool
next_act(struct node *node, nsec_t now, struct action *action)
{
	if (address_act(node, action))
		return true;
	/* First, as its address is that of the datagram that came in. */
	if (discovery_act_joiner(node, action))
		return true;
	if (durable_take(node, now, &action->durable, &action->is_anew)) {
		action->kind = ACTION_PERSIST;
		return true;
	}
	if (durable_is_mute(node))
		handshake_drop_reply(node);
	/* Datagrams before notices: peers wait for them, the host does not. */
	else if (datagram_act(node, now, action) || discovery_act(node, action))
		return true;
	if (notices_take(&node->out.notices, &action->notice)) {
		action->kind = ACTION_NOTICE;
		return true;
	}
	if (!durable_is_mute(node) && lastwill_act(node, action))
		return true;
	if (configs_act(node, action) || pulls_act(node, action))
		return true;
	/* Nothing is left to do: the stall meter counts from this deadline. */
	stall_ask(node, node_deadline(node));
	return false;
}

bool
node_act(struct node *node, nsec_t now, struct action *action)
{
	bool has_action;

	tape_begin_act(node->recording.tape, now);
	has_action = next_act(node, now, action);
	tape_act(node->recording.tape, has_action ? action : NULL);
	return has_action;
}
