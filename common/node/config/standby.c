/* SPDX-License-Identifier: ISC */
/*
 * Standby (PROTOCOL.md, Standby): an operator or the host wants that of this
 * node, or the node has resigned. A node on standby takes part and votes, and
 * is not eligible. It tells its peers, which keep that: so they know why a host
 * is down that is being worked on.
 *
 * A datagram with the frame says that its sender is on standby, one without it
 * that it is not. The newest counts. As after a change of keys, some rounds go
 * to every peer, also to those that get no heartbeats, since one may be lost.
 *
 * In the same way a node tells that its host has an older file, so that an
 * operator sees on each host where a roll-out is not complete.
 */

#include "common/node/config/standby.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/life.h"

#define ROUNDS 3 /* of heartbeats to every peer after a change */

/* The cause of the standby that counts; STANDBY_CAUSES: there is none. */
static enum standby_cause
standby_first(const struct node *node)
{
	unsigned cause = 0;

	while (cause < STANDBY_CAUSES && !node->standby.told[cause].is_on)
		cause++;
	return (enum standby_cause)cause;
}

void
standby_init(struct node *node, nsec_t now)
{
	assert(node->setup.standby.cause == STANDBY_ORDER);
	node->standby.told[STANDBY_ORDER] = node->setup.standby;
	node->standby.at[STANDBY_ORDER] = now;
}

/* Tells the host of a standby that has begun, changed or ended. */
static void
standby_note(struct node *node, nsec_t now, node_id id, bool is_on)
{
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_STANDBY, .peer = id, .on = is_on });
}

bool
standby_set(struct node *node, nsec_t now, const struct standby *standby)
{
	struct node_standby *s = &node->standby;
	enum standby_cause first = standby_first(node), cause = standby->cause;

	assert(cause < STANDBY_CAUSES);
	assert(!standby->is_on || standby->left > 0);
	s->told[cause] = *standby;
	s->at[cause] = now;
	if (standby->is_on && cause != STANDBY_RESIGNED)
		s->told[STANDBY_RESIGNED].is_on = false;
	if (cause > first || (cause < first && !standby->is_on))
		return false;
	life_stand_anew(node, now);
	s->changes++;
	s->rounds_due = ROUNDS;
	standby_note(node, now, node->setup.self, standby_is_on(node));
	return true;
}

void
standby_resign(struct node *node, nsec_t now, const char *reason)
{
	struct standby resigned = {
		.is_on = true,
		.cause = STANDBY_RESIGNED,
		.left = NSEC_NEVER,
		.reason = "resigned",
	};

	if (*reason != '\0')
		strcpy(resigned.reason, reason);
	if (!standby_is_on(node))
		(void)standby_set(node, now, &resigned);
}

void
standby_end_resignation(struct node *node, nsec_t now, bool is_alone)
{
	static const struct standby off = { .cause = STANDBY_RESIGNED };

	if (standby_first(node) != STANDBY_RESIGNED)
		return;
	(void)standby_set(node, now, &off);
	node->standby.is_alone = is_alone;
}

void
standby_on_leader(struct node *node)
{
	node->standby.is_alone = false;
}

bool
standby_is_alone(const struct node *node)
{
	return node->standby.is_alone;
}

void
standby_set_file(struct node *node, bool is_older)
{
	struct node_standby *s = &node->standby;

	s->has_older_file = is_older;
	s->changes++;
	s->rounds_due = ROUNDS;
}

bool
standby_has_older_file(const struct node *node)
{
	return node->standby.has_older_file;
}

bool
standby_peer_has_older_file(const struct peer *p)
{
	return p->link.is_up && p->standby.has_older_file;
}

/* When this is over; NSEC_NEVER: it is off, or has no end of its own. */
static nsec_t
standby_end(const struct node *node, unsigned cause)
{
	const struct node_standby *s = &node->standby;

	return s->told[cause].is_on
		   ? nsec_after(s->at[cause], s->told[cause].left)
		   : NSEC_NEVER;
}

nsec_t
standby_deadline(const struct node *node)
{
	nsec_t at = NSEC_NEVER;

	for (unsigned cause = 0; cause < STANDBY_CAUSES; cause++)
		at = nsec_earlier(at, standby_end(node, cause));
	return at;
}

void
standby_tick(struct node *node, nsec_t now)
{
	for (unsigned cause = 0; cause < STANDBY_CAUSES; cause++) {
		const struct standby off = { .cause =
						 (enum standby_cause)cause };

		if (now >= standby_end(node, cause))
			(void)standby_set(node, now, &off);
	}
}

bool
standby_is_on(const struct node *node)
{
	return standby_first(node) < STANDBY_CAUSES;
}

bool
standby_is_firm(const struct node *node)
{
	return standby_first(node) < STANDBY_RESIGNED;
}

/* A standby that is over is off, even if no input has ended it yet. */
struct standby
standby_own(const struct node *node, nsec_t now)
{
	static const struct standby off = { .is_on = false };
	const struct node_standby *s = &node->standby;

	for (unsigned cause = 0; cause < STANDBY_CAUSES; cause++) {
		struct standby own =
		    standby_later(&s->told[cause], s->at[cause], now);

		if (own.is_on)
			return own;
	}
	return off;
}

struct standby
standby_of(const struct peer *p, nsec_t now)
{
	return standby_later(&p->standby.told, p->standby.at, now);
}

unsigned
standby_changes(const struct node *node)
{
	return node->standby.changes;
}

bool
standby_beat(struct node *node)
{
	if (node->standby.rounds_due == 0)
		return false;
	node->standby.rounds_due--;
	return true;
}

static unsigned
file_write(const struct node *node, struct writer *w)
{
	static const uint8_t is_older = 1;

	if (!node->standby.has_older_file)
		return 0;
	frame_encode(w, &(struct packet_frame){
			    .type = FRAME_FILE,
			    .bytes = &is_older,
			    .size = sizeof(is_older),
			});
	return 1;
}

unsigned
standby_write(
    const struct node *node, nsec_t now, const struct peer *p, struct writer *w)
{
	uint8_t bytes[STANDBY_BYTES + STANDBY_REASON_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct standby own = standby_own(node, now);
	unsigned count = file_write(node, w);

	assert(p->has_session);
	if (!own.is_on)
		return count;
	standby_encode(&b, &own);
	assert(!b.failed);
	frame_encode(w, &(struct packet_frame){
			    .type = FRAME_STANDBY,
			    .bytes = bytes,
			    .size = b.size,
			});
	return count + 1;
}

/* True if a and b are the same but for their times. */
static bool
is_same(const struct standby *a, const struct standby *b)
{
	return a->is_on == b->is_on &&
	       (!a->is_on || strcmp(a->reason, b->reason) == 0);
}

void
standby_hear(struct node *node, nsec_t now, struct peer *p, uint64_t number,
    const struct standby *told, bool has_older_file)
{
	static const struct standby off = { .is_on = false };
	struct standby was = p->standby.told;

	assert(p->has_session);
	/* Datagrams may overtake each other. */
	if (p->standby.session_name == p->link.session_name &&
	    number < p->standby.number)
		return;
	p->standby.told = told != NULL ? *told : off;
	p->standby.has_older_file = has_older_file;
	p->standby.at = now;
	p->standby.number = number;
	p->standby.session_name = p->link.session_name;
	if (!is_same(&was, &p->standby.told))
		standby_note(node, now, p->setup.id, p->standby.told.is_on);
}

void
standby_check(const struct node *node)
{
	const struct node_standby *s = &node->standby;

	for (unsigned cause = 0; cause < STANDBY_CAUSES; cause++) {
		const struct standby *told = &s->told[cause];

		assert(!told->is_on || told->left > 0);
		assert(!told->is_on || told->cause == cause);
	}
	assert(!s->told[STANDBY_RESIGNED].is_on ||
	       standby_first(node) == STANDBY_RESIGNED);
	assert(!s->is_alone || !s->told[STANDBY_RESIGNED].is_on);
	assert(s->rounds_due <= ROUNDS);
}

void
standby_check_peer(const struct peer *p)
{
	assert(!p->standby.told.is_on || p->standby.told.left > 0);
	assert(p->standby.session_name <= p->link.session_name);
}
