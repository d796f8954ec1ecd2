/* SPDX-License-Identifier: ISC */
/*
 * Editions (PROTOCOL.md, Editions). Each datagram of a session bears the tag of
 * the sender's edition. To a peer with another tag a node says which edition it
 * has. The node with the earlier one asks for the document, piece by piece; the
 * host puts the pieces together, and then either changes the node or refuses.
 *
 *   A -> B  EDITION    A's generation and digest; B likewise
 *   A -> B  ASK        A has the earlier one: the piece at 0, please
 *   B -> A  PIECE      its bytes; A asks for the next at once
 *
 * B keeps nothing of that. A asks again after a heartbeat, and begins anew with
 * another peer if the session ends.
 */

#include "common/node/config/editions.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/peer/peers.h"

#define MIXED_MAX (1 * SEC) /* a large document under heavy loss */
/* Documents begun: one a second, and 11 at once. A faulty member could say ever
 * later editions, and each goes to the disk. */
#define FETCH_COST    SEC
#define FETCH_BURST   (10 * SEC)
#define REFUSED_LASTS (60 * SEC) /* what kept the host from it may pass */

/* True if a proposal would be news to us. */
static bool
is_newer(const struct node *node, const struct edition *proposed)
{
	return proposed->generation > node->setup.edition.generation;
}

void
editions_propose(struct node *node, const struct edition *edition,
    const uint8_t *document, size_t size)
{
	struct node_editions *e = &node->editions;

	assert((document == NULL) == (size == 0));
	assert(size <= DOCUMENT_MAX);
	e->proposal = document;
	e->proposal_size = size;
	if (document == NULL)
		return;
	assert(edition->stamp == 0);
	assert(is_newer(node, edition));
	e->proposed = *edition;
	if (node->lead.is_fresh)
		peers_touch_all(node);
}

void
editions_init(struct node *node)
{
	const struct node_editions before = node->editions;

	node->editions = (struct node_editions){
		.ask_at = NSEC_NEVER,
		.fetches_empty_at = before.fetches_empty_at,
	};
	if (before.proposal != NULL && is_newer(node, &before.proposed))
		editions_propose(node, &before.proposed, before.proposal,
		    before.proposal_size);
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		p->edition.is_asked = p->edition.denies = false;
}

bool
editions_exchange(const struct node *node)
{
	return node->setup.document != NULL;
}

const struct edition *
node_edition(const struct node *node)
{
	return &node->setup.edition;
}

bool
editions_hear(struct peer *p, uint64_t number, uint32_t tag)
{
	bool is_first = !p->edition.is_known;
	bool is_news = is_first || p->edition.tag != tag;

	assert(p->has_session);
	/* Datagrams may overtake each other. */
	if (!is_first && number < p->edition.number)
		return false;
	p->edition.is_known = true;
	p->edition.number = number;
	p->edition.tag = tag;
	if (is_news)
		p->edition.denies = false;
	return is_news;
}

bool
editions_want_answer(const struct node *node, const struct peer *p)
{
	return editions_exchange(node) && p->link.is_up &&
	       !editions_agree(node, p);
}

bool
editions_agree(const struct node *node, const struct peer *p)
{
	return p->edition.is_known &&
	       p->edition.tag == edition_tag(&node->setup.edition);
}

static bool
has_another(const struct node *node)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && !editions_agree(node, p))
			return true;
	}
	return false;
}

void
editions_look(struct node *node, nsec_t now)
{
	struct node_editions *e = &node->editions;

	if (!has_another(node)) {
		e->mixed_until = 0;
		e->is_mixed_for_long = false;
	} else if (e->mixed_until == 0 && !e->is_mixed_for_long) {
		e->mixed_until =
		    nsec_after(now, node_detection(node) + MIXED_MAX);
	}
}

bool
editions_count(const struct node *node, const struct peer *p)
{
	return editions_agree(node, p) ||
	       editions_are_mixed(node, node->input.now);
}

/* Files that differ and that no leader has stamped are not exchanged. */
bool
editions_may_grant(const struct node *node, const struct peer *p)
{
	return node->setup.edition.stamp != 0 ? !p->edition.denies
					      : editions_count(node, p);
}

bool
editions_are_mixed(const struct node *node, nsec_t now)
{
	return now < node->editions.mixed_until;
}

nsec_t
editions_mixed_until(const struct node *node)
{
	return node->editions.mixed_until;
}

/* Ends the fetching, if any. */
static void
fetch_end(struct node *node)
{
	node->editions.from = NULL;
	node->editions.ask_at = NSEC_NEVER;
}

/* Asks for the next piece now, and after a heartbeat again. */
static void
fetch_ask(struct node *node, nsec_t now)
{
	struct node_editions *e = &node->editions;

	assert(e->from != NULL);
	assert(e->offset < e->wanted.size);
	e->ask_at = nsec_after(now, node->setup.timing.heartbeat);
	peers_schedule(node, e->from);
}

/* True if the fetching has made no progress for so long that another edition
 * may take its place: the peer may never give what it said. */
static bool
fetch_is_hung(const struct node *node, nsec_t now)
{
	const struct node_editions *e = &node->editions;

	return e->from != NULL &&
	       nsec_since(now, e->moved_at) > node_detection(node) + MIXED_MAX;
}

struct edition
editions_voted(const struct node *node)
{
	return edition_in_place(
	    &node->setup.edition, &node->setup.durable.edition);
}

/* A voter never goes back. One that does not vote has forgotten by what it
 * did, and is admitted by what it finds (PROTOCOL.md, Admission). */
static bool
may_follow(const struct node *node, const struct edition *edition)
{
	const struct edition was = editions_voted(node);

	return !role_votes(node->setup.role) ||
	       node->setup.state_health != STATE_HEALTH_SOUND ||
	       edition_follows(edition, &was);
}

/*
 * True if this edition is later than ours, and its stamp a credible term. Under
 * quorum nobody takes one that no leader has stamped: to the leader it is a
 * proposal.
 */
static bool
is_useful(const struct node *node, const struct edition *edition)
{
	const struct node_editions *e = &node->editions;
	const struct edition *own = &node->setup.edition;

	if (!election_credits(&node->election, edition->stamp))
		return false;
	if (!node_is_quorum(node))
		return edition_compare(edition, own) > 0;
	if (edition->stamp != 0)
		return edition_compare(edition, own) > 0 &&
		       may_follow(node, edition);
	return node_leads(node) && is_newer(node, edition) &&
	       (e->proposal == NULL ||
		   edition->generation > e->proposed.generation);
}

/* True if this edition is to be fetched: it is later than ours and than the one
 * that we fetch or have fetched, and the host has not refused it lately. */
static bool
fetch_wants(const struct node *node, nsec_t now, const struct edition *edition)
{
	const struct node_editions *e = &node->editions;

	if (!is_useful(node, edition))
		return false;
	if (now < e->refused_until &&
	    edition_compare(edition, &e->refused) == 0)
		return false;
	return e->wanted.size == 0 ||
	       edition_compare(edition, &e->wanted.edition) > 0 ||
	       fetch_is_hung(node, now);
}

/* True if this is the edition that we fetch, and the peer that gives it does
 * not answer: perhaps it has ended our session, and we do not know it. */
static bool
fetch_may_switch(const struct node *node, const struct edition_told *told)
{
	const struct node_editions *e = &node->editions;

	return e->from != NULL && e->is_stuck && told->size == e->wanted.size &&
	       edition_compare(&told->edition, &e->wanted.edition) == 0;
}

/* Tells the host once that another edition has our generation and stamp: two
 * files of one generation, of which one wins. */
static void
clash_look(struct node *node, nsec_t now, const struct peer *p,
    const struct edition *edition)
{
	const struct edition *own = &node->setup.edition;

	if (node->editions.has_clashed || edition->stamp != own->stamp ||
	    edition->generation != own->generation ||
	    edition_equal(edition, own))
		return;
	node->editions.has_clashed = true;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_CLASH, .peer = p->setup.id });
}

void
editions_take_told(struct node *node, nsec_t now, struct peer *p,
    const struct edition_told *told)
{
	struct node_editions *e = &node->editions;

	assert(p->has_session);
	assert(told->size > 0);
	if (!editions_exchange(node))
		return;
	clash_look(node, now, p, &told->edition);
	if (p->edition.tag == edition_tag(&told->edition))
		p->edition.denies =
		    !edition_follows(&node->setup.edition, &told->edition) &&
		    !is_useful(node, &told->edition);
	if (fetch_may_switch(node, told)) {
		e->from = p;
		e->is_stuck = false;
		fetch_ask(node, now);
		return;
	}
	if (!fetch_wants(node, now, &told->edition) ||
	    !bucket_take(&e->fetches_empty_at, now, FETCH_COST, FETCH_BURST))
		return;
	node_trace(node, now, "a later edition: ask for its document");
	e->wanted = *told;
	e->from = p;
	e->offset = 0;
	e->is_stuck = false;
	e->moved_at = now;
	e->piece_size = 0;
	fetch_ask(node, now);
}

/* Our document with this tag, the one in effect or the one that we propose, and
 * its size; NULL if neither has the tag. */
static const uint8_t *
document_of(const struct node *node, uint32_t tag, size_t *size)
{
	const struct node_editions *e = &node->editions;

	*size = node->setup.document_size;
	if (tag == edition_tag(&node->setup.edition))
		return node->setup.document;
	*size = e->proposal_size;
	return tag == edition_tag(&e->proposed) ? e->proposal : NULL;
}

void
editions_take_ask(
    struct node *node, struct peer *p, const struct edition_ask *ask)
{
	size_t size;

	assert(p->has_session);
	if (document_of(node, ask->tag, &size) == NULL || ask->offset >= size)
		return;
	p->edition.is_asked = true;
	p->edition.asked = *ask;
	peers_schedule(node, p);
}

void
editions_take_piece(struct node *node, nsec_t now, struct peer *p,
    const struct edition_piece *piece)
{
	struct node_editions *e = &node->editions;

	if (e->from != p || e->offset != piece->offset ||
	    piece->tag != edition_tag(&e->wanted.edition) ||
	    piece->size > e->wanted.size - e->offset || e->piece_size > 0)
		return;
	memcpy(e->piece, piece->bytes, piece->size);
	e->is_stuck = false;
	e->moved_at = now;
	e->piece_size = piece->size;
	e->piece_giver = p->setup.id;
	e->offset += (uint32_t)piece->size;
	if (e->offset < e->wanted.size)
		fetch_ask(node, now);
	else
		fetch_end(node);
}

void
editions_part(struct node *node, struct peer *p, const struct edition *edition)
{
	node->editions.next = *edition;
	p->edition.is_parting = p->has_session;
	peers_schedule(node, p);
}

/* Appends a frame of `size` bytes. */
static void
frame_append(
    struct writer *f, enum frame_type type, const uint8_t *bytes, size_t size)
{
	frame_encode(f, &(struct packet_frame){
			    .type = (uint8_t)type,
			    .bytes = bytes,
			    .size = size,
			});
	assert(!f->failed);
}

/* The piece that the peer asked for, as much of it as the datagram has room
 * for. False if that is nothing. */
static bool
piece_write(struct node *node, struct peer *p, struct writer *f)
{
	uint8_t bytes[PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));
	size_t room = f->capacity - f->size;
	const struct edition_ask *asked = &p->edition.asked;
	struct edition_piece piece = {
		.tag = asked->tag,
		.offset = asked->offset,
	};

	piece.bytes = document_of(node, asked->tag, &piece.size);
	/* We may propose something else by now. */
	p->edition.is_asked = piece.bytes != NULL && piece.offset < piece.size;
	if (!p->edition.is_asked || room <= FRAME_BYTES + PIECE_BYTES)
		return false;
	piece.bytes += piece.offset;
	piece.size -= piece.offset;
	room -= FRAME_BYTES + PIECE_BYTES;
	if (piece.size > room)
		piece.size = room;
	if (piece.size > PIECE_MAX)
		piece.size = PIECE_MAX;
	edition_piece_encode(&w, &piece);
	assert(!w.failed);
	frame_append(f, FRAME_PIECE, bytes, w.size);
	return true;
}

/* What we tell the peer of an edition. False if that is nothing. */
static bool
tells(const struct node *node, const struct peer *p, struct edition_told *told)
{
	const struct node_editions *e = &node->editions;

	*told = (struct edition_told){ .edition = e->next };
	if (p->edition.is_parting)
		return true;
	*told = (struct edition_told){ node->setup.edition,
		(uint32_t)node->setup.document_size };
	if (!editions_agree(node, p))
		return true;
	*told =
	    (struct edition_told){ e->proposed, (uint32_t)e->proposal_size };
	return e->proposal != NULL && lead_id(&node->lead) == p->setup.id;
}

unsigned
editions_write(struct node *node, struct peer *p, struct writer *f)
{
	const struct node_editions *e = &node->editions;
	uint8_t bytes[EDITION_TOLD_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct edition_told told;
	unsigned count = 0;

	if (!editions_exchange(node))
		return 0;
	if (tells(node, p, &told) &&
	    f->capacity - f->size >= FRAME_BYTES + EDITION_TOLD_BYTES) {
		p->edition.is_parting = false;
		edition_told_encode(&w, &told);
		frame_append(f, FRAME_EDITION, bytes, w.size);
		count++;
	}
	if (e->from == p &&
	    f->capacity - f->size >= FRAME_BYTES + EDITION_ASK_BYTES) {
		w = writer_of(bytes, sizeof(bytes));
		edition_ask_encode(
		    &w, &(struct edition_ask){
			    edition_tag(&e->wanted.edition), e->offset });
		frame_append(f, FRAME_ASK, bytes, w.size);
		count++;
	}
	if (p->edition.is_asked && piece_write(node, p, f)) {
		p->edition.is_asked = false;
		count++;
	}
	return count;
}

bool
editions_act(struct node *node, struct action *action)
{
	struct node_editions *e = &node->editions;

	if (e->piece_size == 0)
		return false;
	assert(e->piece_size <= e->offset);
	action->kind = ACTION_DOCUMENT;
	action->edition = e->wanted.edition;
	action->giver = e->piece_giver;
	action->total = e->wanted.size;
	action->offset = e->offset - (uint32_t)e->piece_size;
	action->size = e->piece_size;
	memcpy(action->datagram, e->piece, e->piece_size);
	e->piece_size = 0;
	return true;
}

bool
editions_tick(struct node *node, nsec_t now)
{
	struct node_editions *e = &node->editions;
	bool is_over = e->mixed_until != 0 && now >= e->mixed_until;

	if (now >= e->ask_at) {
		e->is_stuck = true;
		fetch_ask(node, now);
	}
	if (!is_over)
		return false;
	e->mixed_until = 0;
	e->is_mixed_for_long = true;
	return true;
}

nsec_t
editions_deadline(const struct node *node)
{
	const struct node_editions *e = &node->editions;
	nsec_t at = e->ask_at;

	if (e->mixed_until != 0)
		at = nsec_earlier(at, e->mixed_until);
	return at;
}

void
editions_reset(struct node *node, struct peer *p)
{
	assert(!p->has_session);
	p->edition = (struct peer_edition){ .is_known = false };
	if (node->editions.from != p)
		return;
	fetch_end(node);
	node->editions.wanted.size = 0;
	node->editions.piece_size = 0;
}

void
editions_refuse(struct node *node, nsec_t now, const struct edition *edition)
{
	struct node_editions *e = &node->editions;

	e->refused_until = nsec_after(now, REFUSED_LASTS);
	e->refused = *edition;
	e->wanted.size = 0;
	fetch_end(node);
}

void
editions_check(const struct node *node, const struct peer *p)
{
	const struct node_editions *e = &node->editions;

	assert(p->has_session || !p->edition.is_known);
	assert(p->has_session || !p->edition.is_asked);
	assert(p->has_session || !p->edition.is_parting);
	assert(e->from != p || p->has_session);
	assert((e->from == NULL) == (e->ask_at == NSEC_NEVER));
	assert(e->from == NULL || e->offset < e->wanted.size);
	assert(e->piece_size <= PIECE_MAX);
	assert((e->proposal == NULL) == (e->proposal_size == 0));
	assert(e->proposal == NULL || is_newer(node, &e->proposed));
}
