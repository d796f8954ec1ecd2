/* SPDX-License-Identifier: ISC */
/*
 * Pulls: a node asks another for items, over the nodes of a path that the asker
 * gives. Those in between keep nothing but what waits for their next datagram;
 * what is lost on the way is asked for again (PROTOCOL.md, Pulls).
 */

#include "common/node/look/pulls.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/peers.h"

/* We serve each peer five thousand pulls a second, and a hundred at once. */
#define PULL_COST  (200 * USEC)
#define PULL_BURST (20 * MSEC)

#define AGAIN_MIN (10 * MSEC)  /* longer than the way over a LAN */
#define AGAIN_MAX (200 * MSEC) /* also where heartbeats are rare */

_Static_assert(PULL_BYTES + 4 * PULL_PATH_MAX < PULLED_BYTES_MAX, "it fits");
_Static_assert(
    PULLED_BYTES + 4 * PULL_PATH_MAX + SNAPSHOT_HEAD_BYTES < PULLED_BYTES_MAX,
    "an item fits");
_Static_assert(EVENT_BYTES <= SNAPSHOT_HEAD_BYTES, "an event does, too");

/* Gives a relay to the peer with this id. False if it is not there. */
static bool
relay_to(struct node *node, node_id id, bool is_answer, const struct writer *w)
{
	struct node_pulls *pulls = &node->look.pulls;
	struct peer *p = peers_find(node, id);
	struct relay *relay;

	assert(!w->failed);
	if (p == NULL || !p->has_session)
		return false;
	/* The asker asks again. */
	if (pulls->relays_count == RELAYS_MAX)
		return true;
	relay = &pulls->relays[pulls->relays_count++];
	relay->to = p->index;
	relay->is_answer = is_answer;
	relay->size = w->size;
	memcpy(relay->bytes, w->start, w->size);
	peers_schedule(node, p);
	return true;
}

/* An answer has come to us, who asked. */
static void
own_take(struct node *node, const struct pulled *pulled)
{
	struct node_pulls *pulls = &node->look.pulls;

	for (unsigned i = 0; i < PULLS_MAX; i++) {
		struct own_pull *own = &pulls->own[i];

		/* Answers go out one at a time: the asker asks again for
		 * another. */
		if (own->pull.count == 0 || pulls->has_pulled ||
		    !pull_equal(&own->pull, &pulled->pull))
			continue;
		own->pull.count = 0;
		pulls->has_pulled = true;
		pulls->pulled = *pulled;
		memcpy(pulls->items, pulled->items, pulled->size);
		pulls->pulled.items = NULL;
	}
}

/* Sends an answer back by one node of the path. */
static void
answer_send(struct node *node, const struct pulled *pulled)
{
	uint8_t bytes[PULLED_BYTES_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct pulled back = *pulled;

	if (pulled->pull.at == 0) {
		own_take(node, pulled);
		return;
	}
	back.pull.at--;
	pulled_encode(&w, &back);
	relay_to(node, back.pull.path[back.pull.at], true, &w);
}

/* Writes events from this one on. Returns the number of the next; 0: there is
 * none. */
static uint64_t
events_write(const struct node *node, uint64_t from, struct writer *w)
{
	const struct event *e;

	while (w->capacity - w->size >= EVENT_BYTES &&
	       (e = event_log_find(&node->look.events, from)) != NULL) {
		event_encode(w, e);
		from++;
	}
	return event_log_find(&node->look.events, from) != NULL ? from : 0;
}

/* Answers a pull whose last node we are, or where we know that it fails. */
static void
answer(struct node *node, const struct pull *pull,
    enum snapshot_outcome outcome, node_id culprit)
{
	uint8_t items[PULLED_BYTES_MAX];
	struct writer w =
	    writer_of(items, PULLED_BYTES_MAX - PULLED_BYTES - 4 * pull->count);
	struct pulled pulled = {
		.pull = *pull,
		.outcome = outcome,
		.incarnation = node->setup.durable.incarnation,
		.culprit = culprit,
		.first = pull->from,
		.items = items,
	};
	uint64_t first = event_log_first(&node->look.events);

	if (outcome == SNAPSHOT_COMPLETE && pull->kind == PULL_EVENTS) {
		pulled.first = pull->from < first ? first : pull->from;
		pulled.next = events_write(node, pulled.first, &w);
	} else if (outcome == SNAPSHOT_COMPLETE) {
		pulled.next =
		    snapshot_write_items(node, &pull->name, pull->from, &w);
	}
	assert(!w.failed);
	pulled.size = w.size;
	answer_send(node, &pulled);
}

/* Keeps a pull of our part of a snapshot, which is not complete. */
static void
owe(struct node *node, const struct pull *pull)
{
	struct pull *place = &node->look.pulls.owed[0];

	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		struct pull *owed = &node->look.pulls.owed[i];

		if (owed->count == 0)
			place = owed;
		if (owed->count > 0 &&
		    snapshot_name_equal(&owed->name, &pull->name)) {
			place = owed;
			break;
		}
	}
	*place = *pull;
}

/* We are the last node of the path. */
static void
reach(struct node *node, const struct pull *pull)
{
	node_id culprit = NODE_NONE;
	enum snapshot_outcome outcome =
	    pull->kind == PULL_EVENTS
		? SNAPSHOT_COMPLETE
		: snapshot_outcome_of(node, &pull->name, &culprit);

	if (outcome == SNAPSHOT_OPEN)
		owe(node, pull);
	else
		answer(node, pull, outcome, culprit);
}

/* Hands a pull on to the next node of the path. */
static void
hand_on(struct node *node, const struct pull *pull)
{
	uint8_t bytes[PULLED_BYTES_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct pull next = *pull;

	next.at++;
	assert(next.at < next.count);
	pull_encode(&w, &next);
	if (!relay_to(node, next.path[next.at], false, &w))
		answer(node, pull, SNAPSHOT_SILENT, next.path[next.at]);
}

static nsec_t
pause(const struct node *node)
{
	nsec_t beat = node->setup.timing.heartbeat;

	return beat < AGAIN_MIN ? AGAIN_MIN : nsec_earlier(beat, AGAIN_MAX);
}

static void
ask(struct node *node, nsec_t now, struct own_pull *own)
{
	/* The answer may come at once, and ends it. */
	const struct pull pull = own->pull;

	own->again_at = nsec_after(now, pause(node));
	if (pull.count == 1)
		reach(node, &pull);
	else
		hand_on(node, &pull);
}

bool
pulls_begin(struct node *node, nsec_t now, const struct pull *pull)
{
	assert(pull->count > 0);
	assert(pull->at == 0);
	assert(pull->path[0] == node->setup.self);
	for (unsigned i = 0; i < PULLS_MAX; i++) {
		struct own_pull *own = &node->look.pulls.own[i];

		if (own->pull.count > 0)
			continue;
		own->pull = *pull;
		/* A node that waits for a marker waits a detection at most. */
		own->until = nsec_after(now, 2 * node_detection(node) + SEC);
		ask(node, now, own);
		return true;
	}
	return false;
}

void
pulls_take(struct node *node, struct peer *p, const struct pull *pull)
{
	if (pull->at == 0 || pull->path[pull->at] != node->setup.self ||
	    pull->path[pull->at - 1] != p->setup.id ||
	    !bucket_take(
		&p->pulls.empty_at, node->input.now, PULL_COST, PULL_BURST))
		return;
	if (pull->at + 1 == pull->count)
		reach(node, pull);
	else
		hand_on(node, pull);
}

void
pulls_take_answer(
    struct node *node, struct peer *p, const struct pulled *pulled)
{
	const struct pull *pull = &pulled->pull;

	if (pull->at + 1 == pull->count ||
	    pull->path[pull->at] != node->setup.self ||
	    pull->path[pull->at + 1] != p->setup.id ||
	    pulled->size >
		PULLED_BYTES_MAX - PULLED_BYTES - 4 * (size_t)pull->count)
		return;
	answer_send(node, pulled);
}

void
pulls_look(struct node *node)
{
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		struct pull *owed = &node->look.pulls.owed[i], pull;
		node_id culprit;

		if (owed->count == 0 || snapshot_outcome_of(node, &owed->name,
					    &culprit) == SNAPSHOT_OPEN)
			continue;
		pull = *owed;
		owed->count = 0;
		reach(node, &pull);
	}
}

void
pulls_tick(struct node *node, nsec_t now)
{
	for (unsigned i = 0; i < PULLS_MAX; i++) {
		struct own_pull *own = &node->look.pulls.own[i];

		if (own->pull.count > 0 && now >= own->again_at &&
		    now < own->until)
			ask(node, now, own);
	}
}

nsec_t
pulls_deadline(const struct node *node)
{
	nsec_t at = NSEC_NEVER;

	for (unsigned i = 0; i < PULLS_MAX; i++) {
		const struct own_pull *own = &node->look.pulls.own[i];

		if (own->pull.count > 0)
			at = nsec_earlier(
			    at, nsec_earlier(own->again_at, own->until));
	}
	return at;
}

bool
pulls_are_due(const struct node *node, const struct peer *p)
{
	for (unsigned i = 0; i < node->look.pulls.relays_count; i++) {
		if (node->look.pulls.relays[i].to == p->index)
			return true;
	}
	return false;
}

static void
relay_remove(struct node_pulls *pulls, unsigned i)
{
	assert(i < pulls->relays_count);
	pulls->relays_count--;
	memmove(&pulls->relays[i], &pulls->relays[i + 1],
	    (pulls->relays_count - i) * sizeof(pulls->relays[0]));
}

/* An answer that does not fit is lost, and the asker asks again. */
unsigned
pulls_write(struct node *node, const struct peer *p, struct writer *f)
{
	struct node_pulls *pulls = &node->look.pulls;
	unsigned i = 0, count = 0;

	while (i < pulls->relays_count && pulls->relays[i].to != p->index)
		i++;
	if (i == pulls->relays_count)
		return 0;
	if (f->capacity - f->size >= FRAME_BYTES + pulls->relays[i].size) {
		frame_encode(
		    f, &(struct packet_frame){
			   .type = pulls->relays[i].is_answer ? FRAME_PULLED
							      : FRAME_PULL,
			   .bytes = pulls->relays[i].bytes,
			   .size = pulls->relays[i].size,
		       });
		count++;
	}
	assert(!f->failed);
	relay_remove(pulls, i);
	return count;
}

static bool
pulled_hand_out(
    struct action *action, const struct pulled *pulled, const uint8_t *items)
{
	action->kind = ACTION_PULLED;
	action->pulled = *pulled;
	action->pulled.items = NULL;
	action->size = pulled->size;
	if (pulled->size > 0)
		memcpy(action->datagram, items, pulled->size);
	return true;
}

bool
pulls_act(struct node *node, struct action *action)
{
	struct node_pulls *pulls = &node->look.pulls;

	if (pulls->has_pulled) {
		pulls->has_pulled = false;
		return pulled_hand_out(action, &pulls->pulled, pulls->items);
	}
	for (unsigned i = 0; i < PULLS_MAX; i++) {
		struct own_pull *own = &pulls->own[i];
		struct pulled pulled = { .outcome = SNAPSHOT_SILENT };

		if (own->pull.count == 0 || node->input.now < own->until)
			continue;
		pulled.pull = own->pull;
		pulled.culprit = own->pull.path[own->pull.count - 1];
		own->pull.count = 0;
		return pulled_hand_out(action, &pulled, pulls->items);
	}
	return false;
}

void
pulls_reset(struct node *node, const struct peer *p)
{
	unsigned i = node->look.pulls.relays_count;

	while (i-- > 0) {
		if (node->look.pulls.relays[i].to == p->index)
			relay_remove(&node->look.pulls, i);
	}
}

void
pulls_change(struct node *node)
{
	node->look.pulls.relays_count = 0;
}
