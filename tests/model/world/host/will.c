/* SPDX-License-Identifier: ISC */
/*
 * The helpers of a world. Each has the memory of daemon/lastwill/will.h, which
 * its process fills when the daemon does, and sends by the rules of that file:
 * when the process was killed, or does not run for so long that it counts as
 * dead. Some helpers die with their process, as when a host loses its power.
 */
#include "tests/model/world/host/host.h"

#include <inttypes.h>
#include <stdlib.h>

/* A helper whose process died alone mostly speaks, and soon. */
#define SPEAKS    750 /* permille */
#define SPEAKS_IN MSEC

static struct will_plan
plan_of(const struct node_setup *setup)
{
	const struct will_rules rules = node_will_rules(setup);

	return (struct will_plan){
		.peers_count = setup->peers_count,
		.hang = rules.hang,
		.has_successor = rules.has_successor,
	};
}

void
will_start(struct world *w, process_name name, const struct node_setup *setup)
{
	struct helper *h = &w->processes[name].helper;
	const struct will_plan plan = plan_of(setup);
	unsigned most = w->discovery.is_on ? WILL_ROOM_MAX : w->setup.nodes;
	void *memory = calloc(1, will_size(most));

	assert(memory != NULL);
	*h = (struct helper){ .declared = 0 };
	will_init(&h->will, memory, most, AF_INET, &plan);
}

void
will_begin_changes(
    struct world *w, process_name name, const struct node_setup *setup)
{
	struct helper *h = &w->processes[name].helper;
	const struct will_plan plan = plan_of(setup);

	h->is_changing = true;
	will_begin_change(&h->will, &plan);
}

void
will_end_changes(struct world *w, process_name name)
{
	struct helper *h = &w->processes[name].helper;

	if (h->is_changing)
		will_end_change(&h->will);
	h->is_changing = false;
}

void
will_hand_out(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	will_set_handed_out(&p->helper.will, node_handed_out(p->node));
}

void
will_forget(struct world *w, process_name name)
{
	struct helper *h = &w->processes[name].helper;

	free(h->will.memory);
	h->will.memory = NULL;
}

/* The numbers of wills go down from the last in each session: the first will of
 * a session is the plain one. */
static void
will_check_number(
    struct world *w, process_name name, node_id to, const struct action *a)
{
	struct process *p = &w->processes[name];
	struct reader r = reader_of(a->datagram, a->size);
	uint64_t *last = &p->helper.numbers[to];
	struct packet_head head;

	if (!packet_head_decode(&r, &head))
		world_fail(w, "%u leaves what is no will", name);
	else if (head.number >= *last &&
		 (a->releases || head.number != UINT64_MAX))
		world_fail(w, "%u seals two wills under one number", name);
	else
		*last = head.number;
}

/* The port of an address is the id of the host. */
void
will_take(struct world *w, process_name name, const struct action *a)
{
	struct process *p = &w->processes[name];
	node_id id = world_id_of(p, a->peer);
	const struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = (in_port_t)id };

	if (a->size > 0) {
		world_check_datagram(w, name, a);
		if (!w->discovery.is_on)
			will_check_number(w, name, id, a);
	}
	will_set(&p->helper.will, a->place,
	    a->releases ? WILL_RELEASING : WILL_PLAIN,
	    (const struct sockaddr *)&to, a->datagram, a->size);
}

/* Sends these wills when their time comes, and that of the host's clock. */
static void
will_post(struct world *w, process_name name, enum will_choice choice,
    nsec_t at, nsec_t local)
{
	const struct will_view *will = &w->processes[name].helper.will;
	struct will_letter letter = will_letters(will, choice);
	const struct sockaddr_in *to;
	struct pending *d;

	while (will_next(will, &letter)) {
		to = (const struct sockaddr_in *)(const void *)letter.to;
		d = pending_new(PENDING_WILL, at, letter.bytes, letter.size);
		d->target = name;
		d->to = to->sin_port;
		d->sent = local;
		world_queue_push(&w->queue, d);
	}
}

/* From now on others may take the process for dead. */
static void
will_speak(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	uint64_t *spoken_of = &w->processes[p->host].spoken_of;

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
	    w->discovery.is_on || w->processes[WORLD_COPY].id == n->peer)
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
	uint64_t *spoken_of = &w->processes[p->host].spoken_of;
	uint64_t incarnation = world_status(w, name).incarnation;

	if (incarnation > *spoken_of)
		*spoken_of = incarnation;
}

void
will_die(struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	struct will_last_words words;
	nsec_t at;

	if (!w->helpers || p->clock.is_frozen ||
	    random_below(&w->hosts, 1000) >= SPEAKS)
		return;
	at = w->now + random_below(&w->hosts, SPEAKS_IN);
	words =
	    will_last_words(&p->helper.will, clock_local(&p->clock, w->now));
	world_note(w, "the helper of %u speaks", name);
	will_speak(w, name);
	will_post(w, name, words.first, at, 0);
	if (words.release_at != NSEC_NEVER)
		will_post(w, name, WILL_CHOOSE_RELEASING, at, words.release_at);
}

/* The helper looks at a process that is paused once that may hang. */
static void
will_watch(struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	const struct will_view *will = &p->helper.will;
	struct pending *look = pending_new(PENDING_WILL,
	    clock_world(
		&p->clock, nsec_after(will_last_beat(will), will_hang(will))),
	    NULL, 0);

	look->target = name;
	look->life = p->lives;
	look->sent = p->paused_at;
	world_queue_push(&w->queue, look);
}

/* The process has beaten until now. A process that was declared dead, and has
 * not found that yet, beats no more. */
void
will_pause(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!w->helpers || will_is_declared(&p->helper.will))
		return;
	(void)will_beat(&p->helper.will, clock_local(&p->clock, w->now));
	will_watch(w, name);
}

/* A process that has been paused all the time counts as dead. */
static void
will_look(struct world *w, const struct pending *look)
{
	struct process *p = &w->processes[look->target];

	if (p->node == NULL || p->lives != look->life || !p->paused ||
	    p->clock.is_frozen || p->paused_at != look->sent)
		return;
	if (!will_declare_dead(
		&p->helper.will, clock_local(&p->clock, w->now))) {
		if (will_last_beat(&p->helper.will) != 0)
			will_watch(w, look->target); /* its clock has slowed */
		return;
	}
	world_note(w, "the helper of %u finds that it hangs", look->target);
	will_speak(w, look->target);
	will_post(w, look->target, WILL_CHOOSE_PLAIN, w->now, 0);
}

/* True if it is too early by the host's clock, which may run at another rate by
 * now. */
static bool
will_waits(struct world *w, const struct pending *will)
{
	const struct process *p = &w->processes[will->target];
	nsec_t at = clock_world(&p->clock, will->sent);
	struct pending *again;

	if (clock_local(&p->clock, w->now) >= will->sent)
		return false;
	/* A host's clock stands still with the host: then it will be later. */
	if (p->clock.is_frozen)
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
