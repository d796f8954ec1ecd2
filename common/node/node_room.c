/* SPDX-License-Identifier: ISC */
/*
 * How a leader makes room (PROTOCOL.md, Handover): it leads on until there is
 * another, so that nobody is without one. It says so with its pulse. If that is
 * its own plan, it does not stand any more, and begins an election, or has its
 * successor begin it; if not, it lost one.
 *
 *   component: it follows the next leader like anybody else.
 *   quorum: hearing the pulse, voters promise the next leader its term before
 *   they may grant it (voter.h). Once a majority has, the old one gives up, and
 *   the next needs no more than their word.
 *
 * Deadlines that were handed out come before all that. Whoever waits in vain
 * for another leader gives up; but who resigned, and is the only one left,
 * leads on.
 */
#include "common/node/node_private.h"

#define ROOM_LEAD (50 * MSEC)  /* before the last deadline, others elect */
#define ROOM_TIME (100 * MSEC) /* for that, or a detection, if longer */

/* May this one be there to take over? Where there are no sessions between all,
 * a node hears few of those who stand. */
static bool
room_is_heir(const struct node *node, const struct peer *p)
{
	return p->is_up && (!watch_is_star(node) || p->rank.stands);
}

/* Is there anybody to hand over to, as far as this node knows? */
bool
room_has_heir(const struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (room_is_heir(node, &node->peers[i]))
			return true;
	}
	return false;
}

/* And does it know for certain? */
static bool
room_hears_heir(const struct node *node, nsec_t now)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (room_is_heir(node, p) && !watch_doubts(node, now, p))
			return true;
	}
	return false;
}

/* In a cluster where all hear all: the best of those who stand. */
static node_id
room_heir(const struct node *node)
{
	const struct peer *best = NULL;

	if (node->setup.topology != TOPOLOGY_FULL)
		return NODE_NONE;
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (p->is_up && p->rank.stands &&
		    (best == NULL ||
			rank_better(&p->rank, &best->rank, node->setup.prefer)))
			best = p;
	}
	return best == NULL ? NODE_NONE : best->setup.id;
}

/* Until when clients were told that this node leads. */
static nsec_t
room_handed(const struct node *node)
{
	return node_is_quorum(node) ? node->quorum.lease.handed : 0;
}

/* Begins to make room. Who does it already goes on; but a plan of its own
 * comes before an election that it lost. */
void
room_make(struct node *node, nsec_t now, struct cause cause, bool is_planned,
    node_id to)
{
	struct room *room = &node->room;

	assert(node_leads(node));
	if (room->is_made && (room->is_planned || !is_planned))
		return;
	*room = (struct room){
		.is_made = true,
		.cause = cause,
		.is_planned = is_planned,
		.to = to,
		.at = nsec_since(room_handed(node), ROOM_LEAD),
	};
	if (node_is_quorum(node))
		lease_finish(&node->quorum.lease);
	room_tick(node, now);
}

/* Nobody leads any more, or another does, or this node is to lead on. */
void
room_close(struct node *node)
{
	node->room.is_made = node->room.is_planned = false;
	node->room.is_told = false;
	node->is_named = false;
	if (node_is_quorum(node))
		lease_resume(&node->quorum.lease);
}

/* A leader is taken. If it is this node once more, in a later term, it has won
 * the place back that it had lost; but what it planned it does in that term. */
void
room_renew(struct node *node, node_id leader)
{
	if (leader != node->setup.self || !node->room.is_planned)
		room_close(node);
	node->is_named = false;
	node->room.is_told = false;
	node->room.heir = NODE_NONE;
	node->room.at = nsec_since(room_handed(node), ROOM_LEAD);
}

/* Leads no more, now that no deadline lies ahead. */
static void
room_give_up(struct node *node, nsec_t now)
{
	node->room.at = NSEC_NEVER;
	if (node_is_quorum(node))
		lease_yield(&node->quorum.lease, now);
	else
		node_unfollow(node, now, node->room.cause);
}

/* Everybody is to hear of it now. */
static void
room_say(struct node *node)
{
	node->lead.pulse.number++;
	for (unsigned i = 0; i < node->peers_count; i++) {
		node->peers[i].moved_to = 0;
		peer_tell(node, &node->peers[i]);
	}
}

/* Nobody else is left: it is as if no operator had wanted another leader. */
static void
room_forgive(struct node *node, nsec_t now)
{
	if (!node->is_abstaining)
		return;
	node->is_abstaining = false;
	node_note(node, now, (struct notice){ .kind = NOTICE_STANDS });
}

/* This leader has nobody to make room for, and leads on. */
static void
room_call_off(struct node *node, nsec_t now)
{
	struct pulse *pulse = &node->lead.pulse;

	room_close(node);
	room_forgive(node, now);
	if (!pulse->makes_room)
		return;
	pulse->makes_room = pulse->is_named = pulse->is_leaving = false;
	pulse->successor = NODE_NONE;
	room_say(node);
}

/* All are to know, and to elect. */
static void
room_tell(struct node *node, nsec_t now)
{
	struct room *room = &node->room;
	struct pulse *pulse = &node->lead.pulse;
	nsec_t time = node_detection(node);

	room->is_told = true;
	room->has_waited = room->awaits_disks = false;
	room->moved_to = 0;
	room->at = nsec_after(now, time > ROOM_TIME ? time : ROOM_TIME);
	pulse->makes_room = true;
	pulse->is_leaving = room->cause.kind == CAUSE_BYE;
	pulse->is_named = room->to != NODE_NONE;
	pulse->successor = NODE_NONE;
	if (room->is_planned)
		pulse->successor = pulse->is_named ? room->to : room_heir(node);
	room->heir = pulse->successor;
	room_say(node);
	if (room->is_planned && pulse->successor == NODE_NONE)
		node_begin_election(node, now, room->cause);
	if (node_is_quorum(node))
		quorum_reconsider(node, now);
}

/* How many voters have promised a term that may come next: not one that an
 * election has overtaken. */
static unsigned
room_count(const struct node *node)
{
	uint64_t held = node->quorum.lease.held, term = node->election.term;
	unsigned count;

	if (term <= held)
		term = held + 1;
	count = node->room.moved_to >= term;
	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].moved_to >= term;
	return count;
}

/* Our own voter waits for a disk, or has waited for one: the others do as well.
 * Once for each telling, and no longer than we may lead. */
static bool
room_awaits_disks(struct node *node)
{
	struct room *room = &node->room;
	const struct promise *promise = &node->quorum.voter.promise;

	if (!node_is_quorum(node) || !room->is_told || room->awaits_disks ||
	    !promise->is_early || promise->term <= node->quorum.lease.held)
		return false;
	room->awaits_disks = true;
	room->at = quorum_until(node);
	return true;
}

/* An algorithm that decides by a timer needs more time. Once for each telling:
 * its timer may begin again. */
static bool
room_waits(struct node *node)
{
	struct room *room = &node->room;

	if (!room->is_told || room->has_waited || !node->election.is_open ||
	    node->election.timer_at == NSEC_NEVER)
		return false;
	room->has_waited = true;
	room->at = nsec_after(node->election.timer_at, ROOM_TIME);
	return true;
}

static bool
room_may_stay(const struct node *node, nsec_t now)
{
	return !node->is_leaving && node_takes_part(node) &&
	       (!node_is_quorum(node) || quorum_holds(node, now, false));
}

/* It is told, or waiting is over. Who resigned in vain leads on; but who is to
 * end does, and nobody leads in a minority. */
void
room_tick(struct node *node, nsec_t now)
{
	struct room *room = &node->room;
	bool is_vain;

	if (!room->is_made || now < room->at)
		return;
	is_vain =
	    room->is_planned && (room->is_told ? !room_hears_heir(node, now)
					       : !room_has_heir(node));
	if ((!is_vain && room_awaits_disks(node)) || room_waits(node))
		return;
	if (is_vain && room_may_stay(node, now))
		room_call_off(node, now);
	else if (is_vain || room->is_told)
		room_give_up(node, now);
	else
		room_tell(node, now);
}

/* A voter has promised a later term than ours: it waits for us. Its words may
 * come in another order. */
void
room_moved(struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	struct peer *p = node_find(node, voter);
	uint64_t *term = p != NULL ? &p->moved_to : &node->room.moved_to;

	if (promised > *term)
		*term = promised;
	if (room_count(node) >= node->quorum.lease.quorum)
		room_give_up(node, now);
}

nsec_t
room_deadline(const struct node *node)
{
	return node->room.is_made ? node->room.at : NSEC_NEVER;
}

/* Is this only what others expect of an election, before the winner itself says
 * that it leads? Then the old leader leads on. */
bool
room_is_early(const struct node *node, const struct pulse *pulse)
{
	return node_leads(node) && node->room.is_told && pulse->number == 0 &&
	       pulse->hops > 0 && !node_is_quorum(node);
}

/* Has whom our voter grants said that it makes room? */
bool
room_is_made_by(const struct node *node, struct owner holder)
{
	const struct pulse *pulse = &node->lead.pulse;

	return node->lead.is_fresh && pulse->makes_room &&
	       pulse->leader.id == holder.id &&
	       pulse->incarnation == holder.incarnation;
}

/* The leader has said so, for the first time; perhaps by another, before its
 * own word that it does not stand any more. */
void
room_heed(struct node *node, nsec_t now)
{
	const struct pulse *pulse = &node->lead.pulse;
	struct peer *p = node_find(node, pulse->leader.id);

	if (p != NULL && pulse->successor != NODE_NONE) {
		p->rank.stands = false;
		node_links_rank(node, now, p);
	}
	if (node->setup.topology != TOPOLOGY_FULL)
		node_hand_on(node);
	if (node_is_quorum(node))
		quorum_reconsider(node, now);
}

/* Whom the leader names begins as soon as it can, while there is room, and need
 * not listen for other leaders first. Once more, if that came to nothing; but
 * not as fast as a member gone bad can say so. */
void
room_succeed(struct node *node, nsec_t now)
{
	const struct pulse *pulse = &node->lead.pulse;
	struct cause cause = { CAUSE_RESIGN, pulse->leader.id };
	bool is_starting = node->is_starting;

	if (!node->lead.is_fresh || pulse->successor != node->setup.self ||
	    !node_rank(node, now).stands || node->election.is_open ||
	    now < node->succeed_at)
		return;
	node->is_starting = false;
	if (!node_may_begin(node, now)) {
		node->is_starting = is_starting;
		return;
	}
	if (pulse->is_leaving)
		cause.kind = CAUSE_BYE;
	node->succeed_at = nsec_after(now, node->setup.heartbeat);
	node->is_named = pulse->is_named;
	node_begin_election(node, now, cause);
}

/* An operator wanted another leader, but nobody else is left. */
void
room_end_abstention(struct node *node, nsec_t now)
{
	if (node->lead.is_fresh)
		node->is_alone = false;
	if (!node->is_abstaining || node->lead.is_fresh ||
	    node->election.is_open || !node_may_begin(node, now))
		return;
	if (!node->found_nobody && room_has_heir(node))
		return;
	node->is_alone = node->found_nobody;
	room_forgive(node, now);
}
