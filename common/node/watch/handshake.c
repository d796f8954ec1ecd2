/* SPDX-License-Identifier: ISC */
/*
 * The handshake that makes sessions, and the verdict on a peer that asks for
 * one (PROTOCOL.md, Handshake, and PROTOCOL.md, Verdicts).
 *
 *   A -> B  HELLO      A's salt, instance, digest of settings
 *   B -> A  HELLO_ACK  B's likewise, A's salt echoed, B's verdict on A
 *   A -> B  SESSION    under the new keys: only now B replaces its old session
 *
 * If A knows a later incarnation of B than the one that answered, it sends no
 * SESSION but:
 *
 *   A -> B  HELLO_ACK  the verdict STALE, B's salt echoed: B refutes
 */

#include "common/node/watch/handshake.h"

#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/peer/session.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/liveness.h"

#define ANSWER_COST  (SEC / 20) /* so we answer 20 handshakes a second ... */
#define ANSWER_BURST (1 * SEC)  /* ... and, with the one more, 21 at once */

size_t
handshake_build_hello(struct node *node, struct peer *p, uint8_t *datagram)
{
	struct handshake h = { .verdict = VERDICT_WELCOME };

	/* A repeated HELLO keeps its salt, so an answer to any copy counts. */
	if (!p->handshake.is_out) {
		keys_fresh(node, p->handshake.salt, SALT_BYTES);
		p->handshake.number = ++node->out.hello_number;
	}
	p->handshake.is_out = true;
	assert(p->handshake.number > 0);
	memcpy(h.salt, p->handshake.salt, SALT_BYTES);
	memcpy(h.instance, keys_instance(node), SALT_BYTES);
	h.config_id = node->setup.config_id;
	h.is_quorum = node_is_quorum(node);
	h.exchanges = configs_exchange(node);
	h.versions = node->setup.versions;
	h.release = node->setup.release;
	keys_seal_handshake(node, p->setup.id, PACKET_HELLO,
	    p->handshake.number, keys_first(node), &h, datagram);
	return HANDSHAKE_BYTES;
}

static bool
incarnation_is_sane(uint64_t incarnation)
{
	return incarnation > 0 && incarnation < INCARNATION_MAX;
}

/* True if we may have a session with a node of these settings: both have the
 * same ones, or the later ones can reach the other node. */
static bool
handshake_agrees(const struct node *node, const struct handshake *h)
{
	if (h->is_quorum != node_is_quorum(node))
		return false;
	return (h->exchanges && configs_exchange(node)) ||
	       config_id_compare(&h->config_id, &node->setup.config_id) == 0;
}

/*
 * The verdict on a HELLO of a process that claims to be this peer. `is_away`:
 * it came from another address than the peer's. A new process there takes the
 * peer's place only when we no longer hear the peer.
 */
static enum verdict
hello_judge(const struct node *node, const struct peer *p, bool is_away,
    uint64_t incarnation, const struct handshake *h)
{
	bool is_heard = p->has_session && p->detector.is_heard;
	bool is_latest = incarnation >= p->handshake.asked_incarnation;

	if (versions_common(&node->setup.versions, &h->versions) == 0)
		return VERDICT_VERSIONS;
	if (is_away && is_heard &&
	    !process_is_same(p, incarnation, h->instance))
		return VERDICT_DUPLICATE;
	if (!handshake_agrees(node, h))
		return VERDICT_DIFFERS;
	if (is_latest && process_is_present(p, incarnation, h->instance))
		return VERDICT_WELCOME;
	return is_heard ? VERDICT_DUPLICATE : VERDICT_STALE;
}

/* The highest incarnation of the peer that we know: one that was confirmed, has
 * died, or has only said HELLO. */
static uint64_t
peer_known(const struct peer *p)
{
	uint64_t known = process_known(p);

	return known > p->handshake.asked_incarnation
		   ? known
		   : p->handshake.asked_incarnation;
}

/* Rejections have an offer of their own, so that none replaces a welcome. */
static struct offer *
offer_for(struct peer *p, enum verdict verdict)
{
	return verdict == VERDICT_WELCOME ? &p->handshake.offer
					  : &p->handshake.rejection;
}

/* Prepares the session that a HELLO asks for. A copy of that HELLO later gets
 * the same keys. */
static void
hello_offer(struct node *node, struct peer *p, enum verdict verdict,
    const struct cluster_key *key, const struct packet_head *head,
    const struct handshake *h)
{
	struct offer *offer = offer_for(p, verdict);

	assert(key != NULL);
	if (offer->is_made && offer->verdict == verdict &&
	    session_is_with(&offer->session, head->incarnation) &&
	    memcmp(offer->their_salt, h->salt, SALT_BYTES) == 0)
		return;
	*offer = (struct offer){
		.is_made = true,
		.number = head->number,
		.verdict = verdict,
	};
	keys_fresh(node, offer->our_salt, SALT_BYTES);
	memcpy(offer->their_salt, h->salt, SALT_BYTES);
	memcpy(offer->instance, h->instance, SALT_BYTES);
	session_init(node, &offer->session, key->key, offer->our_salt, head, h);
}

enum hello_order {
	HELLO_EARLIER, /* a copy: no genuine HELLO comes so late */
	HELLO_SAME,    /* the latest that was welcome, or not comparable */
	HELLO_LATER,   /* new */
};

/* How a welcome HELLO compares with the latest welcome one before it. */
static enum hello_order
hello_order(const struct peer *p, const struct packet_head *head,
    const struct handshake *h)
{
	assert(head->incarnation >= p->handshake.asked_incarnation);
	if (head->incarnation > p->handshake.asked_incarnation)
		return HELLO_LATER;
	if (memcmp(h->instance, p->handshake.asked_instance, SALT_BYTES) != 0 ||
	    head->number == p->handshake.asked_number)
		return HELLO_SAME;
	return head->number > p->handshake.asked_number ? HELLO_LATER
							: HELLO_EARLIER;
}

/*
 * Why a HELLO that claims to be the peer's is dropped although its seal is
 * right; DROP_NONE: it is answered. Each kind of answer has its own limit, and
 * no copy of an old HELLO counts against that of new ones: no attacker can use
 * that up and so keep a node out.
 */
static enum drop
hello_judge_drop(struct node *node, nsec_t now, struct peer *p, bool is_away,
    const struct packet_head *head, const struct handshake *h,
    enum verdict verdict)
{
	nsec_t *bucket = &p->handshake.answer_at;

	/* A copy of one that was confirmed, or an older one. */
	if (head->number <= p->handshake.seen &&
	    process_is_same(p, head->incarnation, h->instance))
		return DROP_REPLAY;
	if (verdict != VERDICT_WELCOME) {
		bucket = is_away ? &node->out.reply.away_answer_at
				 : &p->handshake.rejection_at;
	} else {
		enum hello_order order = hello_order(p, head, h);

		if (order == HELLO_EARLIER)
			return DROP_REPLAY;
		if (order == HELLO_LATER)
			bucket = &p->handshake.fresh_at;
	}
	return bucket_take(bucket, now, ANSWER_COST, ANSWER_BURST) ? DROP_NONE
								   : DROP_RATE;
}

/* Notes a HELLO that is welcome, confirmed or not. */
static void
hello_note(struct node *node, struct peer *p, const struct packet_head *head,
    const struct handshake *h)
{
	assert(head->incarnation >= p->handshake.asked_incarnation);
	assert(!process_is_over(p, head->incarnation));
	p->handshake.asked_incarnation = head->incarnation;
	p->handshake.asked_number = head->number;
	memcpy(p->handshake.asked_instance, h->instance, SALT_BYTES);
	/* If both have said HELLO, the exchange of the lower id goes on. */
	if (p->setup.id < node->setup.self)
		p->handshake.is_out = false;
}

void
handshake_reply(struct node *node, const uint8_t *bytes, size_t size)
{
	assert(size > 0);
	assert(size <= sizeof(node->out.reply.bytes));
	memcpy(node->out.reply.bytes, bytes, size);
	node->out.reply.size = size;
	node->out.reply.is_due = true;
}

bool
handshake_take_reply(struct node *node, struct action *action)
{
	if (!node->out.reply.is_due)
		return false;
	node->out.reply.is_due = false;
	action->kind = ACTION_REPLY;
	action->size = node->out.reply.size;
	memcpy(action->datagram, node->out.reply.bytes, node->out.reply.size);
	return true;
}

void
handshake_drop_reply(struct node *node)
{
	node->out.reply.is_due = false;
}

/* Answers a handshake of the node `to` under the key that it came under. From
 * `our_salt` both sides derive the session; `known` is for STALE. */
static void
handshake_answer(struct node *node, node_id to, const struct cluster_key *key,
    const struct handshake *h, enum verdict verdict, const uint8_t *our_salt,
    uint64_t known)
{
	struct handshake ack = {
		.verdict = verdict,
		.known = known,
		.config_id = node->setup.config_id,
		.is_quorum = node_is_quorum(node),
		.exchanges = configs_exchange(node),
		.versions = node->setup.versions,
		.release = node->setup.release,
	};
	uint8_t datagram[HANDSHAKE_BYTES];

	memcpy(ack.salt, our_salt, SALT_BYTES);
	memcpy(ack.echo, h->salt, SALT_BYTES);
	memcpy(ack.instance, keys_instance(node), SALT_BYTES);
	keys_seal_handshake(node, to, PACKET_HELLO_ACK, 0, key, &ack, datagram);
	handshake_reply(node, datagram, sizeof(datagram));
}

/* The seal proves only that a process with the key wrote this HELLO at some
 * time. */
void
handshake_take_hello(struct node *node, nsec_t now, struct peer *p,
    bool is_away, const struct packet_head *head, const uint8_t *bytes,
    size_t size)
{
	enum verdict verdict;
	enum drop drop;
	struct handshake h;
	const struct cluster_key *key;

	assert(head->type == PACKET_HELLO);
	drop = keys_open_handshake(node, bytes, size, head->key_id, &key, &h);
	if (drop == DROP_SEAL && !is_away) {
		drop_unopened(node, now, p, drop);
		return;
	}
	if (drop == DROP_NONE && !incarnation_is_sane(head->incarnation))
		drop = DROP_FORMAT;
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return;
	}
	verdict = hello_judge(node, p, is_away, head->incarnation, &h);
	drop = hello_judge_drop(node, now, p, is_away, head, &h, verdict);
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return;
	}
	if (is_away && verdict == VERDICT_DUPLICATE)
		drop_datagram(node, now, p, DROP_ADDRESS);
	liveness_question(p);
	if (verdict == VERDICT_WELCOME)
		hello_note(node, p, head, &h);
	hello_offer(node, p, verdict, key, head, &h);
	handshake_answer(node, p->setup.id, key, &h, verdict,
	    offer_for(p, verdict)->our_salt, peer_known(p));
}

void
handshake_take_outsider(struct node *node, nsec_t now,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	const struct cluster_key *key;
	uint8_t salt[SALT_BYTES];
	struct handshake h;
	bool ok = keys_open_handshake(
		      node, bytes, size, head->key_id, &key, &h) == DROP_NONE;

	assert(head->type == PACKET_HELLO);
	/* With discovery a node may know us before we know it. */
	if (!ok || !node->setup.discovery.is_on)
		drop_datagram(node, now, NULL, DROP_UNKNOWN);
	if (!ok || !configs_exchange(node) || !h.exchanges ||
	    !bucket_take(&node->out.reply.outsider_answer_at, now, ANSWER_COST,
		ANSWER_BURST))
		return;
	outside_on_caller(node, now, head->source);
	keys_fresh(node, salt, sizeof(salt));
	handshake_answer(node, head->source, key, &h, VERDICT_OUTSIDE, salt, 0);
}

/* Takes a HELLO_ACK that does not welcome us. */
static enum handshake_outcome
handshake_take_rejection(struct node *node, nsec_t now, struct peer *p,
    enum verdict verdict, const struct handshake *h)
{
	assert(verdict != VERDICT_WELCOME);
	assert(verdict < VERDICTS);
	switch (verdict) {
	case VERDICT_WELCOME:
	case VERDICTS:
		break;
	case VERDICT_STALE:
		return HANDSHAKE_REFUTES;
	case VERDICT_DUPLICATE:
		process_on_own_duplicate(node, now);
		return HANDSHAKE_PROVES;
	case VERDICT_DIFFERS:
		process_set_mismatch(node, now, p, MISMATCH_SETTINGS);
		return HANDSHAKE_PROVES;
	case VERDICT_VERSIONS:
		process_set_mismatch(node, now, p, MISMATCH_VERSIONS);
		break;
	case VERDICT_OUTSIDE:
		outside_on_word(node, now, p, &h->config_id);
		break;
	}
	return HANDSHAKE_ENDS;
}

/* Takes an answer that echoes the salt of our HELLO, so is no replay. */
static enum handshake_outcome
hello_ack_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const struct cluster_key *key,
    const struct handshake *h, struct handshake_result *result)
{
	bool is_sane = incarnation_is_sane(head->incarnation);
	enum verdict verdict = h->verdict;

	assert(key != NULL);
	assert(p->handshake.is_out);
	/* Without a version we cannot even prove that we are alive. */
	if (versions_common(&node->setup.versions, &h->versions) == 0)
		verdict = VERDICT_VERSIONS;
	session_init(
	    node, &result->session, key->key, p->handshake.salt, head, h);
	memcpy(result->instance, h->instance, SALT_BYTES);
	p->handshake.is_out = false; /* one HELLO makes one session */
	drop_forgive_key(node, now, p);
	if (verdict != VERDICT_WELCOME)
		return handshake_take_rejection(node, now, p, verdict, h);
	if (is_sane && process_is_present(p, head->incarnation, h->instance))
		return HANDSHAKE_BEGINS;
	/* The process that answered is over, or we know a later one of that
	 * node. The answer STALE makes it refute: it may have no reason to say
	 * HELLO itself, and so would not hear of it in another way. */
	drop_datagram(node, now, p, DROP_INCARNATION);
	if (is_sane)
		handshake_answer(node, p->setup.id, key, h, VERDICT_STALE,
		    p->handshake.salt, peer_known(p));
	return HANDSHAKE_ENDS;
}

void
handshake_take_ack(struct node *node, nsec_t now, struct peer *p, bool is_away,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    struct handshake_result *result)
{
	struct handshake h;
	const struct cluster_key *key;
	enum drop drop;

	*result = (struct handshake_result){ .outcome = HANDSHAKE_ENDS };
	/* This answer is late: another one to our HELLO, or the peer's own
	 * HELLO, came before. */
	if (!p->handshake.is_out && !p->handshake.offer.is_made) {
		node->counters.dropped[DROP_SESSION]++;
		return;
	}
	drop = keys_open_handshake(node, bytes, size, head->key_id, &key, &h);
	result->known = drop == DROP_NONE ? h.known : 0;
	if (drop == DROP_SEAL && !is_away)
		drop_unopened(node, now, p, drop);
	else if (drop != DROP_NONE)
		drop_datagram(node, now, p, drop);
	else if (p->handshake.is_out &&
		 memcmp(h.echo, p->handshake.salt, SALT_BYTES) == 0)
		result->outcome =
		    hello_ack_take(node, now, p, head, key, &h, result);
	else if (p->handshake.offer.is_made && h.verdict == VERDICT_STALE &&
		 memcmp(h.echo, p->handshake.offer.our_salt, SALT_BYTES) == 0)
		result->outcome = HANDSHAKE_REFUTES;
	else if (p->handshake.is_out)
		drop_datagram(node, now, p, DROP_REPLAY);
	else
		node->counters.dropped[DROP_SESSION]++;
}

struct offer *
handshake_open_offer(const struct node *node, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain)
{
	struct offer *offers[] = { &p->handshake.offer,
		&p->handshake.rejection };

	for (size_t i = 0; i < 2; i++) {
		if (offers[i]->is_made &&
		    session_open(node, &offers[i]->session, head, bytes, size,
			plain) == DROP_NONE)
			return offers[i];
	}
	return NULL;
}

const struct opener *
handshake_opener(const struct peer *p, uint64_t incarnation)
{
	const struct offer *offer = &p->handshake.offer;

	if (!offer->is_made)
		return NULL;
	return session_opener(&offer->session, incarnation);
}

/* The datagram proves that the process which said HELLO is alive. */
void
handshake_confirm(struct node *node, nsec_t now, struct peer *p,
    struct offer *offer, struct handshake_result *result)
{
	assert(offer->is_made);
	assert(
	    offer == &p->handshake.offer || offer == &p->handshake.rejection);
	assert(offer->verdict < VERDICTS);
	*result = (struct handshake_result){ .outcome = HANDSHAKE_ENDS };
	drop_forgive_key(node, now, p);
	switch (offer->verdict) {
	case VERDICT_WELCOME:
		*result = (struct handshake_result){
			.outcome = HANDSHAKE_BEGINS,
			.session = offer->session,
			.number = offer->number,
		};
		memcpy(result->instance, offer->instance, SALT_BYTES);
		break;
	case VERDICT_DUPLICATE:
		process_on_duplicate(node, now, p);
		peers_schedule(node, p);
		break;
	case VERDICT_DIFFERS:
		process_set_mismatch(node, now, p, MISMATCH_SETTINGS);
		break;
	case VERDICT_STALE: /* the peer refutes, and says HELLO again */
	case VERDICT_OUTSIDE:
	case VERDICT_VERSIONS: /* this offer opens nothing */
	case VERDICTS:
		break;
	}
	seal_wipe(offer, sizeof(*offer));
}

void
handshake_begin(
    struct peer *p, const struct handshake_result *made, bool is_new_process)
{
	assert(p->has_session);
	/* If two processes still run, the other says HELLO again. */
	if (is_new_process)
		p->handshake.seen = 0;
	if (made->number > 0)
		p->handshake.seen = made->number;
	p->handshake.is_out = false;
	handshake_forget_offers(p);
}

void
handshake_bury(struct peer *p, uint64_t incarnation)
{
	struct offer *offer = &p->handshake.offer;

	assert(process_is_over(p, incarnation));
	if (offer->is_made && session_is_up_to(&offer->session, incarnation))
		seal_wipe(offer, sizeof(*offer));
}

void
handshake_reset(struct peer *p, nsec_t now)
{
	assert(!p->has_session);
	p->handshake.is_out = false;
	hello_reset(p, now);
}

void
handshake_start_anew(struct peer *p)
{
	p->handshake.is_out = false;
	handshake_forget_offers(p);
}

void
handshake_forget_offers(struct peer *p)
{
	seal_wipe(&p->handshake.offer, sizeof(p->handshake.offer));
	seal_wipe(&p->handshake.rejection, sizeof(p->handshake.rejection));
}

void
handshake_check(const struct peer *p)
{
	const struct peer_handshake *h = &p->handshake;

	assert(!h->offer.is_made || h->offer.verdict == VERDICT_WELCOME);
	assert(!h->offer.is_made ||
	       session_is_with(&h->offer.session, h->asked_incarnation));
	assert(
	    !h->rejection.is_made || h->rejection.verdict != VERDICT_WELCOME);
	assert(!h->is_out || h->number > 0);
}
