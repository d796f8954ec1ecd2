/* SPDX-License-Identifier: ISC */
/*
 * Configurations (PROTOCOL.md, Configurations). Each datagram of a session
 * bears the tag of the sender's configuration. To a peer with another tag a
 * node says which configuration it has. The node with the earlier one asks for
 * the document, piece by piece; the host puts the pieces together, and then
 * either changes the node or refuses.
 *
 *   A -> B  CONFIG    A's config version and digest; B likewise
 *   A -> B  ASK        A has the earlier one: the piece at 0, please
 *   B -> A  PIECE      its bytes; A asks for the next at once
 *
 * B keeps nothing of that. A asks again after a heartbeat, and begins anew with
 * another peer if the session ends.
 */

#include "common/node/config/configs.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/peer/peers.h"

#define MIXED_MAX (1 * SEC) /* a large document under heavy loss */
/* Documents begun: one a second, and 11 at once. A faulty member could say ever
 * later configurations, and each goes to the disk. */
#define FETCH_COST    SEC
#define FETCH_BURST   (10 * SEC)
#define REFUSED_LASTS (60 * SEC) /* what kept the host from it may pass */

void
configs_propose(struct node *node, const struct config_id *config_id,
    const uint8_t *document, size_t size)
{
	struct node_configs *c = &node->configs;

	assert((document == NULL) == (size == 0));
	assert(size <= DOCUMENT_MAX);
	c->proposal = document;
	c->proposal_size = size;
	if (document == NULL)
		return;
	assert(config_id->config_term == 0);
	assert(config_id_may_replace(config_id, &node->setup.config_id));
	c->proposed = *config_id;
	if (node->lead.is_fresh)
		peers_touch_all(node);
}

void
configs_init(struct node *node)
{
	const struct node_configs before = node->configs;

	node->configs = (struct node_configs){
		.ask_at = NSEC_NEVER,
		.fetches_empty_at = before.fetches_empty_at,
	};
	if (before.proposal != NULL &&
	    config_id_may_replace(&before.proposed, &node->setup.config_id))
		configs_propose(node, &before.proposed, before.proposal,
		    before.proposal_size);
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		p->config.is_asked = p->config.denies = false;
}

bool
configs_exchange(const struct node *node)
{
	return node->setup.document != NULL;
}

const struct config_id *
node_config_id(const struct node *node)
{
	return &node->setup.config_id;
}

bool
configs_hear(struct peer *p, uint64_t number, uint32_t tag)
{
	bool is_first = !p->config.is_known;
	bool is_news = is_first || p->config.tag != tag;

	assert(p->has_session);
	/* Datagrams may overtake each other. */
	if (!is_first && number < p->config.number)
		return false;
	p->config.is_known = true;
	p->config.number = number;
	p->config.tag = tag;
	if (is_news)
		p->config.denies = false;
	return is_news;
}

bool
configs_want_answer(const struct node *node, const struct peer *p)
{
	return configs_exchange(node) && p->link.is_up &&
	       !configs_agree(node, p);
}

bool
configs_agree(const struct node *node, const struct peer *p)
{
	return p->config.is_known &&
	       p->config.tag == config_tag(&node->setup.config_id);
}

static bool
has_another(const struct node *node)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && !configs_agree(node, p))
			return true;
	}
	return false;
}

void
configs_look(struct node *node, nsec_t now)
{
	struct node_configs *c = &node->configs;

	if (!has_another(node)) {
		c->mixed_until = 0;
		c->is_mixed_for_long = false;
	} else if (c->mixed_until == 0 && !c->is_mixed_for_long) {
		c->mixed_until =
		    nsec_after(now, node_detection(node) + MIXED_MAX);
	}
}

bool
configs_count(const struct node *node, const struct peer *p)
{
	return configs_agree(node, p) ||
	       configs_are_mixed(node, node->input.now);
}

/* Files that differ and that no leader has stamped are not exchanged. */
bool
configs_may_grant(const struct node *node, const struct peer *p)
{
	return node->setup.config_id.config_term != 0 ? !p->config.denies
						      : configs_count(node, p);
}

bool
configs_are_mixed(const struct node *node, nsec_t now)
{
	return now < node->configs.mixed_until;
}

nsec_t
configs_mixed_until(const struct node *node)
{
	return node->configs.mixed_until;
}

/* Ends the fetching, if any. */
static void
fetch_end(struct node *node)
{
	node->configs.from = NULL;
	node->configs.ask_at = NSEC_NEVER;
}

/* Asks for the next piece now, and after a heartbeat again. */
static void
fetch_ask(struct node *node, nsec_t now)
{
	struct node_configs *c = &node->configs;

	assert(c->from != NULL);
	assert(c->offset < c->wanted.size);
	c->ask_at = nsec_after(now, node->setup.timing.heartbeat);
	peers_schedule(node, c->from);
}

/* True if the fetching has made no progress for so long that another
 * configuration may take its place: the peer may never give what it said. */
static bool
fetch_is_hung(const struct node *node, nsec_t now)
{
	const struct node_configs *c = &node->configs;

	return c->from != NULL &&
	       nsec_since(now, c->moved_at) > node_detection(node) + MIXED_MAX;
}

struct config_id
configs_voted(const struct node *node)
{
	return config_id_in_place(
	    &node->setup.config_id, &node->setup.durable.config_id);
}

/* A voter never goes back. One that does not vote has forgotten by what it
 * did, and is admitted by what it finds (PROTOCOL.md, Admission). */
static bool
may_follow(const struct node *node, const struct config_id *config_id)
{
	const struct config_id was = configs_voted(node);

	return !role_votes(node->setup.role) ||
	       node->setup.state_health != STATE_HEALTH_SOUND ||
	       config_id_follows(config_id, &was);
}

/*
 * True if this configuration is later than ours, and its config term a credible
 * term. Under quorum nobody takes one that no leader has stamped: to the leader
 * it is a proposal.
 */
static bool
is_useful(const struct node *node, const struct config_id *config_id)
{
	const struct node_configs *c = &node->configs;
	const struct config_id *own = &node->setup.config_id;

	if (!election_credits(&node->election, config_id->config_term))
		return false;
	if (!node_is_quorum(node))
		return config_id_compare(config_id, own) > 0;
	if (config_id->config_term != 0)
		return config_id_compare(config_id, own) > 0 &&
		       may_follow(node, config_id);
	return node_leads(node) && config_id_may_replace(config_id, own) &&
	       (c->proposal == NULL ||
		   config_id_is_newer(config_id, &c->proposed));
}

/* True if this configuration is to be fetched: it is later than ours and
 * than the one that we fetch or have fetched, and the host has not refused
 * it lately. */
static bool
fetch_wants(
    const struct node *node, nsec_t now, const struct config_id *config_id)
{
	const struct node_configs *c = &node->configs;

	if (!is_useful(node, config_id))
		return false;
	if (now < c->refused_until &&
	    config_id_compare(config_id, &c->refused) == 0)
		return false;
	return c->wanted.size == 0 ||
	       config_id_compare(config_id, &c->wanted.config_id) > 0 ||
	       fetch_is_hung(node, now);
}

/* True if this is the configuration that we fetch, and the peer that gives
 * it does not answer: perhaps it has ended our session, and we do not know
 * it. */
static bool
fetch_may_switch(const struct node *node, const struct config_advert *advert)
{
	const struct node_configs *c = &node->configs;

	return c->from != NULL && c->is_stuck &&
	       advert->size == c->wanted.size &&
	       config_id_compare(&advert->config_id, &c->wanted.config_id) == 0;
}

/* Tells the host once that another configuration has our config term and
 * numbers: two files of one config version, or two lists of one revision, of
 * which one wins. */
static void
clash_look(struct node *node, nsec_t now, const struct peer *p,
    const struct config_id *config_id)
{
	const struct config_id *own = &node->setup.config_id;

	if (node->configs.has_clashed ||
	    config_id->config_term != own->config_term ||
	    config_id->config_version != own->config_version ||
	    config_id->revision != own->revision ||
	    config_id_equal(config_id, own))
		return;
	node->configs.has_clashed = true;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_CLASH, .peer = p->setup.id });
}

void
configs_take_advert(struct node *node, nsec_t now, struct peer *p,
    const struct config_advert *advert)
{
	struct node_configs *c = &node->configs;

	assert(p->has_session);
	assert(advert->size > 0);
	if (!configs_exchange(node))
		return;
	clash_look(node, now, p, &advert->config_id);
	if (p->config.tag == config_tag(&advert->config_id))
		p->config.denies = !config_id_follows(&node->setup.config_id,
				       &advert->config_id) &&
				   !is_useful(node, &advert->config_id);
	if (fetch_may_switch(node, advert)) {
		c->from = p;
		c->is_stuck = false;
		fetch_ask(node, now);
		return;
	}
	if (!fetch_wants(node, now, &advert->config_id) ||
	    !bucket_take(&c->fetches_empty_at, now, FETCH_COST, FETCH_BURST))
		return;
	node_trace(node, now, "a later configuration: ask for its document");
	c->wanted = *advert;
	c->from = p;
	c->offset = 0;
	c->is_stuck = false;
	c->moved_at = now;
	c->piece_size = 0;
	fetch_ask(node, now);
}

/* Our document with this tag, the one in effect or the one that we propose, and
 * its size; NULL if neither has the tag. */
static const uint8_t *
document_of(const struct node *node, uint32_t tag, size_t *size)
{
	const struct node_configs *c = &node->configs;

	*size = node->setup.document_size;
	if (tag == config_tag(&node->setup.config_id))
		return node->setup.document;
	*size = c->proposal_size;
	return tag == config_tag(&c->proposed) ? c->proposal : NULL;
}

void
configs_take_ask(
    struct node *node, struct peer *p, const struct config_ask *ask)
{
	size_t size;

	assert(p->has_session);
	if (document_of(node, ask->tag, &size) == NULL || ask->offset >= size)
		return;
	p->config.is_asked = true;
	p->config.asked = *ask;
	peers_schedule(node, p);
}

void
configs_take_piece(struct node *node, nsec_t now, struct peer *p,
    const struct config_piece *piece)
{
	struct node_configs *c = &node->configs;

	if (c->from != p || c->offset != piece->offset ||
	    piece->tag != config_tag(&c->wanted.config_id) ||
	    piece->size > c->wanted.size - c->offset || c->piece_size > 0)
		return;
	memcpy(c->piece, piece->bytes, piece->size);
	c->is_stuck = false;
	c->moved_at = now;
	c->piece_size = piece->size;
	c->piece_giver = p->setup.id;
	c->offset += (uint32_t)piece->size;
	if (c->offset < c->wanted.size)
		fetch_ask(node, now);
	else
		fetch_end(node);
}

void
configs_tell_removed(
    struct node *node, struct peer *p, const struct config_id *config_id)
{
	node->configs.next = *config_id;
	p->config.is_removed = p->has_session;
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
	const struct config_ask *asked = &p->config.asked;
	struct config_piece piece = {
		.tag = asked->tag,
		.offset = asked->offset,
	};

	piece.bytes = document_of(node, asked->tag, &piece.size);
	/* We may propose something else by now. */
	p->config.is_asked = piece.bytes != NULL && piece.offset < piece.size;
	if (!p->config.is_asked || room <= FRAME_BYTES + PIECE_BYTES)
		return false;
	piece.bytes += piece.offset;
	piece.size -= piece.offset;
	room -= FRAME_BYTES + PIECE_BYTES;
	if (piece.size > room)
		piece.size = room;
	if (piece.size > PIECE_MAX)
		piece.size = PIECE_MAX;
	config_piece_encode(&w, &piece);
	assert(!w.failed);
	frame_append(f, FRAME_PIECE, bytes, w.size);
	return true;
}

/* What we tell the peer of a configuration. False if that is nothing. */
static bool
tells(
    const struct node *node, const struct peer *p, struct config_advert *advert)
{
	const struct node_configs *c = &node->configs;

	*advert = (struct config_advert){ .config_id = c->next };
	if (p->config.is_removed)
		return true;
	*advert = (struct config_advert){ node->setup.config_id,
		(uint32_t)node->setup.document_size };
	if (!configs_agree(node, p))
		return true;
	*advert =
	    (struct config_advert){ c->proposed, (uint32_t)c->proposal_size };
	return c->proposal != NULL && lead_id(&node->lead) == p->setup.id;
}

unsigned
configs_write(struct node *node, struct peer *p, struct writer *f)
{
	const struct node_configs *c = &node->configs;
	uint8_t bytes[CONFIG_ADVERT_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct config_advert advert;
	unsigned count = 0;

	if (!configs_exchange(node))
		return 0;
	if (tells(node, p, &advert) &&
	    f->capacity - f->size >= FRAME_BYTES + CONFIG_ADVERT_BYTES) {
		p->config.is_removed = false;
		config_advert_encode(&w, &advert);
		frame_append(f, FRAME_CONFIG, bytes, w.size);
		count++;
	}
	if (c->from == p &&
	    f->capacity - f->size >= FRAME_BYTES + CONFIG_ASK_BYTES) {
		w = writer_of(bytes, sizeof(bytes));
		config_ask_encode(
		    &w, &(struct config_ask){
			    config_tag(&c->wanted.config_id), c->offset });
		frame_append(f, FRAME_ASK, bytes, w.size);
		count++;
	}
	if (p->config.is_asked && piece_write(node, p, f)) {
		p->config.is_asked = false;
		count++;
	}
	return count;
}

bool
configs_act(struct node *node, struct action *action)
{
	struct node_configs *c = &node->configs;

	if (c->piece_size == 0)
		return false;
	assert(c->piece_size <= c->offset);
	action->kind = ACTION_DOCUMENT;
	action->config_id = c->wanted.config_id;
	action->giver = c->piece_giver;
	action->total = c->wanted.size;
	action->offset = c->offset - (uint32_t)c->piece_size;
	action->size = c->piece_size;
	memcpy(action->datagram, c->piece, c->piece_size);
	c->piece_size = 0;
	return true;
}

bool
configs_tick(struct node *node, nsec_t now)
{
	struct node_configs *c = &node->configs;
	bool is_over = c->mixed_until != 0 && now >= c->mixed_until;

	if (now >= c->ask_at) {
		c->is_stuck = true;
		fetch_ask(node, now);
	}
	if (!is_over)
		return false;
	c->mixed_until = 0;
	c->is_mixed_for_long = true;
	return true;
}

nsec_t
configs_deadline(const struct node *node)
{
	const struct node_configs *c = &node->configs;
	nsec_t at = c->ask_at;

	if (c->mixed_until != 0)
		at = nsec_earlier(at, c->mixed_until);
	return at;
}

void
configs_reset(struct node *node, struct peer *p)
{
	assert(!p->has_session);
	p->config = (struct peer_config){ .is_known = false };
	if (node->configs.from != p)
		return;
	fetch_end(node);
	node->configs.wanted.size = 0;
	node->configs.piece_size = 0;
}

void
configs_refuse(struct node *node, nsec_t now, const struct config_id *config_id)
{
	struct node_configs *c = &node->configs;

	c->refused_until = nsec_after(now, REFUSED_LASTS);
	c->refused = *config_id;
	c->wanted.size = 0;
	fetch_end(node);
}

void
configs_check(const struct node *node, const struct peer *p)
{
	const struct node_configs *c = &node->configs;

	assert(p->has_session || !p->config.is_known);
	assert(p->has_session || !p->config.is_asked);
	assert(p->has_session || !p->config.is_removed);
	assert(c->from != p || p->has_session);
	assert((c->from == NULL) == (c->ask_at == NSEC_NEVER));
	assert(c->from == NULL || c->offset < c->wanted.size);
	assert(c->piece_size <= PIECE_MAX);
	assert((c->proposal == NULL) == (c->proposal_size == 0));
	assert(c->proposal == NULL ||
	       config_id_may_replace(&c->proposed, &node->setup.config_id));
}
