/* SPDX-License-Identifier: ISC */
/*
 * What datagrams of sessions and of groups have in common: the body, and the
 * beacon with what goes with it (PROTOCOL.md, Body, Frames).
 */
#include "common/node/drive/body.h"

#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/lead/leadership.h"
#include "common/node/links/ring.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/process.h"
#include "common/node/peer/timestamps.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/group.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/voters.h"

struct body
body_for_all(const struct node *node, nsec_t now)
{
	struct rank rank = leadership_rank(node, now);
	unsigned flags = 0;

	if (rank.is_eligible)
		flags |= BODY_ELIGIBLE;
	if (rank.is_contender)
		flags |= BODY_CONTENDER;
	if (voters_has_vote(node, now))
		flags |= BODY_VOTES;
	return (struct body){
		.timestamp = timestamps_own(now),
		.heartbeat_us = (uint32_t)(node->setup.timing.heartbeat / USEC),
		.watch = quorum_sees_request(node, now) ? WATCH_REQUEST : 0,
		.flags = (uint8_t)flags,
		.config_tag = config_tag(&node->setup.config_id),
		.second_key_id = keys_second_id(node),
	};
}

struct body
body_of(const struct node *node, nsec_t now, const struct peer *p)
{
	struct body b = body_for_all(node, now);
	unsigned flags = 0;

	assert(p->index < node->peers_count);
	if (p->has_session && p->detector.is_heard)
		flags |= BODY_HEARD;
	if (process_is_duplicate(p, now))
		flags |= BODY_DUPLICATE;
	if (node_is_ring(node))
		flags |= ring_flags(node, p);
	b.incarnation = process_incarnation(p);
	b.ack = channel_ack_number(&p->channel);
	b.sack = channel_sack_bits(&p->channel);
	b.echo = timestamps_echo(p, now);
	b.heartbeat_us = (uint32_t)(group_pause(node, now, p) / USEC);
	b.watch |= (uint8_t)liveness_flags(p);
	b.restarts = (uint8_t)process_restarts(p, now);
	b.flags |= (uint8_t)flags;
	return b;
}

/*
 * The beacon to send: our own, the newest one that we know, or one without a
 * leader; false if there is none to send. A node that is bypassed or outside,
 * or hears no majority, tells that it has no leader in the highest term that it
 * has seen: it can neither follow one of an earlier term nor elect.
 */
static bool
beacon_of(const struct node *node, struct beacon *beacon)
{
	const struct lead *lead = &node->lead;

	if (!lead->is_fresh) {
		*beacon = (struct beacon){ .term = node->election.term };
		return ring_is_bypassed(node) || !quorum_is_there(node) ||
		       (!node->election.is_open &&
			   (node->lead.found_nobody ||
			       (node_is_outside(node) &&
				   !node_is_quorum(node))));
	}
	*beacon = lead->beacon;
	if (beacon->leader.id == node->setup.self)
		return beacon->leader.is_eligible && !lead->is_lone;
	assert(beacon->hops < NODES_MAX);
	beacon->hops++;
	return true;
}

void
body_write_frame(struct writer *w, enum frame_type type, uint32_t sequence,
    const uint8_t *bytes, size_t size)
{
	struct packet_frame f = {
		.type = (uint8_t)type,
		.sequence = sequence,
		.bytes = bytes,
		.size = size,
	};

	frame_encode(w, &f);
}

/* Writes the beacon with what goes with it: its token if that is known;
 * `left` unless NULL. Returns the number of frames. */
static unsigned
beacon_write(struct node *node, nsec_t now, const struct lease_left *left,
    struct writer *f)
{
	uint8_t bytes[BEACON_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct beacon beacon;
	const uint8_t *members;
	size_t members_size;
	unsigned count = 1;

	if (quorum_is_over(node, now) || !beacon_of(node, &beacon))
		return 0;
	beacon_encode(&w, &beacon);
	assert(!w.failed);
	body_write_frame(f, FRAME_BEACON, 0, bytes, w.size);
	if (beacon.token != 0) {
		w = writer_of(bytes, sizeof(bytes));
		token_encode(&w, &beacon);
		body_write_frame(f, FRAME_TOKEN, 0, bytes, w.size);
		count++;
	}
	members = liveness_members(node, &members_size);
	if (members != NULL) {
		body_write_frame(f, FRAME_MEMBERS, 0, members, members_size);
		count++;
	}
	if (left == NULL)
		return count;
	w = writer_of(bytes, sizeof(bytes));
	lease_left_encode(&w, left);
	body_write_frame(f, FRAME_LEASE_LEFT, 0, bytes, w.size);
	return count + 1;
}

/* Under quorum there is never a beacon without the lease left. */
unsigned
body_write_beacon(
    struct node *node, nsec_t now, const struct peer *p, struct writer *f)
{
	struct lease_left left;

	if (!quorum_limits_lead(node))
		return beacon_write(node, now, NULL, f);
	return quorum_lease_left_of(node, now, p, &left)
		   ? beacon_write(node, now, &left, f)
		   : 0;
}

unsigned
body_write_beacon_to_all(
    struct node *node, nsec_t now, nsec_t held, struct writer *f)
{
	struct lease_left left;

	if (!quorum_limits_lead(node))
		return beacon_write(node, now, NULL, f);
	return quorum_lease_left_of_all(node, now, held, &left)
		   ? beacon_write(node, now, &left, f)
		   : 0;
}
