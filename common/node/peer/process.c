/* SPDX-License-Identifier: ISC */
/*
 * The processes of a peer, one after another (PROTOCOL.md, Incarnations): which
 * of them was confirmed by a session last, and which are known to be over. Also
 * ids that more than one process uses (Duplicates), ours and those of peers.
 */

#include "common/node/peer/process.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"

#define GONE_LASTS      (3 * SEC) /* no beacon of a dead leader lasts longer */
#define DUPLICATE_LASTS (3 * SEC) /* without a new sign: three lazy HELLOs */
#define REFUTE_GAP      (1 * SEC) /* between two raised incarnations */

/* True if the latest process of the peer said goodbye. */
static bool
was_stopped(const struct peer_process *process)
{
	return process->dead_incarnation >= process->incarnation &&
	       process->ended_by == EVIDENCE_BYE;
}

void
process_begin(
    struct peer *p, nsec_t now, uint64_t incarnation, const uint8_t *instance)
{
	struct peer_process *process = &p->process;

	assert(!p->has_session);
	assert(incarnation >= process->incarnation);
	assert(incarnation > process->dead_incarnation);
	if (incarnation != process->incarnation) {
		if (process->incarnation != 0 && !was_stopped(process))
			flaps_add(&process->restarts, now);
		process->duplicate_until = now;
	}
	process->incarnation = incarnation;
	memcpy(process->instance, instance, SALT_BYTES);
}

void
process_bury(struct peer *p, uint64_t incarnation, enum evidence evidence)
{
	assert(incarnation > p->process.dead_incarnation);
	assert(evidence == EVIDENCE_BYE || evidence == EVIDENCE_DIED);
	p->process.dead_incarnation = incarnation;
	p->process.ended_by = evidence;
}

uint64_t
process_incarnation(const struct peer *p)
{
	return p->process.incarnation;
}

uint64_t
process_known(const struct peer *p)
{
	return process_is_gone(p) ? p->process.dead_incarnation
				  : p->process.incarnation;
}

bool
process_is_over(const struct peer *p, uint64_t incarnation)
{
	return incarnation <= p->process.dead_incarnation;
}

bool
process_is_gone(const struct peer *p)
{
	return p->process.dead_incarnation != 0 &&
	       p->process.dead_incarnation >= p->process.incarnation;
}

bool
process_is_same(
    const struct peer *p, uint64_t incarnation, const uint8_t *instance)
{
	return incarnation == p->process.incarnation &&
	       memcmp(instance, p->process.instance, SALT_BYTES) == 0;
}

bool
process_is_present(
    const struct peer *p, uint64_t incarnation, const uint8_t *instance)
{
	return !process_is_over(p, incarnation) &&
	       (incarnation > p->process.incarnation ||
		   process_is_same(p, incarnation, instance));
}

/*
 * What was heard of the peer long ago proves nothing: its state may have been
 * lost since, and then it counts from 1 again. In a ring it may be no neighbour
 * of ours any more, so that we do not tell it to refute.
 */
enum evidence
process_ended_by(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation)
{
	const struct peer *p = peers_find(node, id);

	if (p == NULL || incarnation == 0)
		return EVIDENCE_NONE;
	if (!p->has_session &&
	    nsec_since(now, timestamps_heard(p)) > GONE_LASTS)
		return EVIDENCE_NONE;
	if (process_is_over(p, incarnation)) {
		assert(p->process.ended_by != EVIDENCE_NONE);
		return p->process.ended_by;
	}
	return incarnation < p->process.incarnation ? EVIDENCE_DIED
						    : EVIDENCE_NONE;
}

unsigned
process_restarts(const struct peer *p, nsec_t now)
{
	return flaps_count(&p->process.restarts, now);
}

static void
mismatch_note(struct node *node, nsec_t now, const struct peer *p, bool on)
{
	enum mismatch mismatch = p->process.mismatch;

	if (mismatch == MISMATCH_NONE)
		return;
	node_note(node, now,
	    (struct notice){
		.kind = mismatch == MISMATCH_SETTINGS ? NOTICE_DIFFERS
						      : NOTICE_OTHER_VERSION,
		.peer = p->setup.id,
		.on = on,
	    });
}

void
process_set_mismatch(
    struct node *node, nsec_t now, struct peer *p, enum mismatch mismatch)
{
	if (p->process.mismatch == mismatch)
		return;
	mismatch_note(node, now, p, false);
	p->process.mismatch = mismatch;
	mismatch_note(node, now, p, true);
}

enum mismatch
process_mismatch(const struct peer *p)
{
	return p->process.mismatch;
}

void
process_on_duplicate(struct node *node, nsec_t now, struct peer *p)
{
	p->process.duplicate_until = nsec_after(now, DUPLICATE_LASTS);
	peer_set_add(&node->process.duplicates, p->index);
}

bool
process_is_duplicate(const struct peer *p, nsec_t now)
{
	return p->process.duplicate_until > now;
}

bool
process_is_told_duplicate(const struct peer *p)
{
	return p->process.duplicate_noted;
}

void
process_on_own_duplicate(struct node *node, nsec_t now)
{
	node->process.duplicate_until = nsec_after(now, DUPLICATE_LASTS);
}

void
process_renew_own(struct node *node, nsec_t now)
{
	node->process.duplicate_until = now;
}

bool
node_is_duplicate(const struct node *node, nsec_t now)
{
	return node->process.duplicate_until > now;
}

/* To refute costs every session, so we limit how often a faulty peer can cause
 * it. */
bool
process_may_refute(struct node *node, nsec_t now)
{
	if (now < node->process.refute_at) {
		process_on_own_duplicate(node, now);
		return false;
	}
	node->process.refute_at = nsec_after(now, REFUTE_GAP);
	return true;
}

static void
process_note(struct node *node, nsec_t now, node_id id, bool is_duplicate)
{
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_DUPLICATE,
		.peer = id,
		.on = is_duplicate,
	    });
}

void
process_change(struct node *node)
{
	node->process.duplicates = (struct peer_set){ .used = 0 };
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer_process *process = &node->peers[i].process;

		if (process->duplicate_noted || process->duplicate_until != 0)
			peer_set_add(&node->process.duplicates, i);
	}
}

void
process_tell(struct node *node, nsec_t now)
{
	struct node_process *own = &node->process;
	bool is_now = node_is_duplicate(node, now);

	if (is_now != own->duplicate_noted) {
		own->duplicate_noted = is_now;
		process_note(node, now, node->setup.self, is_now);
	}
	for (unsigned i = peer_set_next(&own->duplicates, 0); i < NODES_MAX;
	     i = peer_set_next(&own->duplicates, i + 1)) {
		struct peer *p = &node->peers[i];

		assert(i < node->peers_count);
		is_now = process_is_duplicate(p, now);
		if (!is_now)
			peer_set_remove(&own->duplicates, i);
		if (is_now == p->process.duplicate_noted)
			continue;
		p->process.duplicate_noted = is_now;
		process_note(node, now, p->setup.id, is_now);
	}
}

nsec_t
process_deadline(const struct node *node)
{
	const struct node_process *own = &node->process;
	nsec_t at = NSEC_NEVER;

	if (own->duplicate_noted)
		at = own->duplicate_until;
	for (unsigned i = peer_set_next(&own->duplicates, 0); i < NODES_MAX;
	     i = peer_set_next(&own->duplicates, i + 1)) {
		const struct peer_process *process = &node->peers[i].process;

		if (process->duplicate_noted)
			at = nsec_earlier(at, process->duplicate_until);
	}
	return at;
}

void
process_check(const struct node *node, const struct peer *p)
{
	const struct peer_process *process = &p->process;

	assert((process->dead_incarnation != 0) ==
	       (process->ended_by != EVIDENCE_NONE));
	assert(!process->duplicate_noted ||
	       peer_set_has(&node->process.duplicates, p->index));
	if (!p->has_session)
		return;
	assert(session_is_with(&p->session, process->incarnation));
	assert(!process_is_gone(p));
}
