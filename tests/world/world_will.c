/* SPDX-License-Identifier: ISC */
/*
 * The helpers of a world. Each holds the wills of its process. It sends them
 * when the process was killed, or does not run for so long that it counts as
 * dead. Some helpers die with their process, as when a host loses its power.
 */
#include "tests/world/world_process.h"

#include <inttypes.h>
#include <string.h>

/* A helper whose process died alone mostly speaks, and soon. */
#define SPEAKS    750 /* permille */
#define SPEAKS_IN MSEC

/* The numbers of wills go down from the last in each session: the first will of
 * a session is the plain one. */
static void
will_check_number(
    struct world *w, process_name name, node_id to, const struct action *a)
{
	struct process *p = &w->processes[name];
	struct reader r = reader_of(a->datagram, a->size);
	uint64_t *last = &p->helper.wills[to][false].number;
	struct packet_head head;

	if (!packet_head_decode(&r, &head))
		world_fail(w, "%u leaves what is no will", name);
	else if (head.number >= *last &&
		 (a->releases || head.number != UINT64_MAX))
		world_fail(w, "%u seals two wills under one number", name);
	else
		*last = head.number;
}

void
will_take(struct world *w, process_name name, const struct action *a)
{
	struct process *p = &w->processes[name];
	node_id to = world_id_of(p, a->peer);

	assert(a->size <= PACKET_WILL_BYTES);
	if (a->size > 0) {
		world_check_datagram(w, name, a);
		will_check_number(w, name, to, a);
	}
	p->helper.wills[to][a->releases].size = a->size;
	memcpy(p->helper.wills[to][a->releases].bytes, a->datagram, a->size);
}

/* Sends one will when its time comes. */
static void
will_push(
    struct world *w, process_name name, node_id to, bool releases, nsec_t at)
{
	const struct process *p = &w->processes[name];
	struct pending *d;

	if (p->helper.wills[to][releases].size == 0)
		return;
	d = pending_new(PENDING_WILL, at, p->helper.wills[to][releases].bytes,
	    p->helper.wills[to][releases].size);
	d->target = name;
	d->to = to;
	if (releases)
		d->sent = node_handed_out(p->node);
	world_queue_push(&w->queue, d);
}

/* From now on others may take the process for dead. */
static void
will_speak(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	uint64_t *spoken_of = &w->processes[p->id].spoken_of;

	p->helper.declared = world_status(w, name).incarnation;
	if (p->helper.declared > *spoken_of)
		*spoken_of = p->helper.declared;
}

/* Fails if the process says that a peer died, but no helper has said so. */
void
will_check_death(struct world *w, process_name name, const struct notice *n)
{
	const struct process *p = &w->processes[name];
	struct peer_status peer;

	/* Where an id is in use twice, one process may seem to have replaced
	 * the other. */
	if (n->kind != NOTICE_PEER_DOWN || n->evidence != EVIDENCE_DIED ||
	    w->processes[WORLD_COPY].id == n->peer)
		return;
	peer = node_peer_status(p->node, world_peer_of(p, n->peer));
	/* The other has a session: another process has taken the place of this
	 * one. */
	if (!peer.session && peer.incarnation > w->processes[n->peer].spoken_of)
		world_fail(w, "%u says that %" PRIu32 " (%" PRIu64 ") is dead",
		    name, n->peer, peer.incarnation);
}

/* The process itself says that it ends. Its goodbye may be the first that a
 * peer hears of it, and then ends the session that has just replaced the last
 * one. */
void
will_part(struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	uint64_t *spoken_of = &w->processes[p->id].spoken_of;
	uint64_t incarnation = world_status(w, name).incarnation;

	if (incarnation > *spoken_of)
		*spoken_of = incarnation;
}

void
will_die(struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	nsec_t at, free_at;

	if (!w->helpers || p->frozen || random_below(&w->hosts, 1000) >= SPEAKS)
		return;
	at = w->now + random_below(&w->hosts, SPEAKS_IN);
	free_at = clock_world(p, node_handed_out(p->node));
	world_note(w, "the helper of %u speaks", name);
	will_speak(w, name);
	for (node_id to = 1; to <= w->setup.nodes; to++) {
		bool releases = p->helper.wills[to][true].size > 0;

		if (!releases || free_at > at)
			will_push(w, name, to, false, at);
		if (releases)
			will_push(w, name, to, true, at); /* or later */
	}
}

void
will_pause(struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	nsec_t detection = w->setup.misses * w->setup.heartbeat;
	struct pending *look;

	if (!w->helpers)
		return;
	look = pending_new(PENDING_WILL,
	    clock_world(p, clock_local(p, w->now) + detection), NULL, 0);
	look->target = name;
	look->life = p->lives;
	look->sent = w->now;
	world_queue_push(&w->queue, look);
}

/* A process that has been paused all the time counts as dead. */
static void
will_look(struct world *w, const struct pending *look)
{
	struct process *p = &w->processes[look->target];

	if (p->node == NULL || p->lives != look->life || !p->paused ||
	    p->frozen || p->paused_at != look->sent)
		return;
	world_note(w, "the helper of %u finds that it hangs", look->target);
	will_speak(w, look->target);
	p->helper.has_spoken = true;
	for (node_id to = 1; to <= w->setup.nodes; to++)
		will_push(w, look->target, to, false, w->now);
}

/* True if it is too early by the host's clock, which may run at another rate by
 * now. */
static bool
will_waits(struct world *w, const struct pending *will)
{
	const struct process *p = &w->processes[will->target];
	nsec_t at = clock_world(p, will->sent);
	struct pending *again;

	if (clock_local(p, w->now) >= will->sent)
		return false;
	/* A host's clock stands still with the host: then it will be later. */
	if (p->frozen)
		at = nsec_after(w->now, MSEC);
	again = pending_new(PENDING_WILL, at, will->bytes, will->size);
	again->target = will->target;
	again->to = will->to;
	again->sent = will->sent;
	world_queue_push(&w->queue, again);
	return true;
}

void
will_due(struct world *w, const struct pending *will)
{
	if (will->size == 0)
		will_look(w, will);
	else if (!will_waits(w, will))
		world_send(w, will->target, will->to, will->bytes, will->size);
}
