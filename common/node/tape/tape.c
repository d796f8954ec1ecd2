/* SPDX-License-Identifier: ISC */
#include "common/node/tape/tape.h"

#include <string.h>

#include "common/node/node.h"
#include "common/util/arena.h"
#include "common/util/digest.h"

/* Bytes that are enough for nearly every input and all that follows from the
 * input, which is lost if it finds no room. */
#define ROOM_MIN 16384

void
tape_init(struct tape *t, void *memory, size_t size)
{
	size_t unit = alignof(max_align_t);

	*t = (struct tape){ .half_bytes = size / 2 / unit * unit };
	for (unsigned i = 0; i < 2; i++)
		t->halves[i].checkpoint = (uint8_t *)memory + i * t->half_bytes;
}

void
tape_play(struct tape *t, const uint8_t *entries, size_t size)
{
	*t = (struct tape){
		.is_played = true,
		.entries = reader_of(entries, size),
	};
}

bool
tape_records(const struct tape *t)
{
	return t != NULL && !t->is_played;
}

static struct tape_half *
present(struct tape *t)
{
	return &t->halves[t->turn];
}

bool
tape_is_full(const struct tape *t, size_t size)
{
	const struct writer *w = &t->halves[t->turn].entries;

	assert(tape_records(t));
	return w->failed || w->capacity - w->size < ROOM_MIN + size;
}

uint8_t *
tape_turn(struct tape *t, size_t size)
{
	struct tape_half *half;
	size_t checkpoint = arena_aligned(size);

	assert(tape_records(t));
	tape_flush(t);
	if (checkpoint + ROOM_MIN > t->half_bytes) {
		present(t)->entries.failed = true;
		return NULL;
	}
	t->turn = 1 - t->turn;
	half = present(t);
	half->checkpoint_size = size;
	half->first = t->inputs;
	half->entries = writer_of(
	    half->checkpoint + checkpoint, t->half_bytes - checkpoint);
	half->whole = 0;
	t->digest = 0;
	t->acts = (struct tape_acts){ .now = 0 };
	return half->checkpoint;
}

/* All that was written since the last call belongs together. */
static void
tape_end_entries(struct tape *t)
{
	struct tape_half *half = present(t);

	if (!half->entries.failed)
		half->whole = half->entries.size;
}

static void
acts_write(struct writer *w, const struct tape_acts *acts, uint64_t digest)
{
	write_u8(w, TAPE_ACTS);
	write_u64(w, acts->now);
	write_u32(w, acts->count);
	write_u8(w, acts->is_last);
	write_u64(w, digest);
}

/* Fills in the entry that was begun, or writes one for results alone. */
void
tape_flush(struct tape *t)
{
	struct writer *w = &present(t)->entries, begun;

	assert(tape_records(t));
	if (t->acts.is_begun && !w->failed) {
		begun = writer_of(w->start + t->acts.at, w->size - t->acts.at);
		acts_write(&begun, &t->acts, t->digest);
		assert(!begun.failed);
	} else if (t->acts.is_due) {
		acts_write(w, &t->acts, t->digest);
	}
	t->acts = (struct tape_acts){ .now = 0 };
	tape_end_entries(t);
}

struct writer *
tape_entries(struct tape *t)
{
	assert(tape_records(t));
	return &present(t)->entries;
}

struct writer *
tape_input(struct tape *t, enum tape_kind kind, nsec_t now)
{
	struct writer *w = &present(t)->entries;

	assert(tape_records(t));
	tape_flush(t);
	t->inputs++;
	write_u8(w, (uint8_t)kind);
	write_u64(w, now);
	return w;
}

static void
mix(struct tape *t, uint64_t word)
{
	t->digest = digest_word(t->digest, word);
}

void
tape_result(struct tape *t, uint64_t result)
{
	if (t == NULL)
		return;
	mix(t, result);
	t->acts.is_due = true;
}

void
tape_seal(struct tape *t, const uint8_t *bytes, size_t size)
{
	if (t == NULL)
		return;
	t->digest = digest_bytes(t->digest, bytes, size);
	t->acts.is_due = true;
}

static void
mix_config_id(struct tape *t, const struct config_id *e)
{
	mix(t, e->config_term);
	mix(t, e->config_version);
	mix(t, e->revision);
	t->digest = digest_bytes(t->digest, e->digest, sizeof(e->digest));
}

static void
mix_durable(struct tape *t, const struct durable_state *d)
{
	mix(t, d->incarnation);
	mix(t, d->term);
	mix(t, d->promise.term);
	mix(t, d->promise.owner.id);
	mix(t, d->promise.owner.incarnation);
	mix(t, d->promise.is_early);
	mix(t, d->lease);
	mix(t, d->is_revoked);
	mix_config_id(t, &d->config_id);
}

static void
mix_notice(struct tape *t, const struct notice *n)
{
	const uint64_t words[] = { n->kind, n->at, n->term, n->leader,
		n->previous, n->peer, n->reason.kind, n->reason.node,
		n->evidence, n->drop, n->claimed, n->datagrams, n->on,
		n->state_health, n->duration };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		mix(t, words[i]);
	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++)
		mix(t, n->sent[i]);
	t->digest =
	    digest_bytes(t->digest, n->text, strnlen(n->text, sizeof(n->text)));
}

static void
mix_joiner(struct tape *t, const struct joiner *n)
{
	mix(t, n->id);
	mix(t, (uint32_t)n->priority);
	mix(t, n->role);
	mix(t, n->is_next);
	t->digest =
	    digest_bytes(t->digest, n->name, strnlen(n->name, sizeof(n->name)));
}

static void
mix_pulled(struct tape *t, const struct action *a)
{
	mix(t, a->pulled.outcome);
	mix(t, a->pulled.culprit);
	mix(t, a->pulled.first);
	mix(t, a->pulled.next);
	t->digest = digest_bytes(t->digest, a->datagram, a->size);
}

/* Datagrams are told by tape_seal(), before they are sealed. */
static void
mix_action(struct tape *t, const struct action *a)
{
	mix(t, a->kind);
	switch (a->kind) {
	case ACTION_PERSIST:
		mix_durable(t, &a->durable);
		mix(t, a->is_anew);
		break;
	case ACTION_NOTICE:
		mix_notice(t, &a->notice);
		break;
	case ACTION_ADDRESS:
		mix(t, a->peer);
		break;
	case ACTION_WILL:
		mix(t, a->releases);
		mix(t, a->place);
		mix(t, a->peer);
		mix(t, a->size);
		break;
	case ACTION_HELLO:
	case ACTION_SEND:
		mix(t, a->peer);
		mix(t, a->size);
		break;
	case ACTION_REPLY:
	case ACTION_GROUP:
	case ACTION_JOIN:
		mix(t, a->size);
		break;
	case ACTION_DOCUMENT:
		mix_config_id(t, &a->config_id);
		mix(t, a->giver);
		mix(t, a->offset);
		mix(t, a->total);
		t->digest = digest_bytes(t->digest, a->datagram, a->size);
		break;
	case ACTION_JOINER:
		mix_joiner(t, &a->joiner);
		break;
	case ACTION_PULLED:
		mix_pulled(t, a);
		break;
	}
}

/* Begins the entry first, as the answers of keys meanwhile follow it. */
void
tape_begin_act(struct tape *t, nsec_t now)
{
	struct tape_acts *acts;

	if (!tape_records(t))
		return;
	acts = &t->acts;
	if (acts->is_begun && acts->now == now && !acts->is_last)
		return;
	if (acts->is_begun)
		tape_flush(t);
	acts->is_begun = true;
	acts->now = now;
	acts->at = present(t)->entries.size;
	acts_write(&present(t)->entries, acts, 0);
}

void
tape_act(struct tape *t, const struct action *action)
{
	if (t == NULL)
		return;
	t->acts.is_last = action == NULL;
	if (action == NULL)
		return;
	t->acts.count++;
	mix_action(t, action);
}

/* Takes what the recorded node was told. */
static void
bytes_take(struct tape *t, enum tape_kind kind, uint8_t *bytes, size_t size)
{
	struct reader r = t->entries;

	if (read_u8(&r) != kind || r.left < size)
		t->has_strayed = true;
	if (t->has_strayed) {
		memset(bytes, 0, size);
		return;
	}
	if (kind == TAPE_PLAIN) {
		t->plain = r.at;
		t->plain_size = size;
	}
	read_bytes(&r, bytes, size);
	t->entries = r;
}

void
tape_bytes(struct tape *t, enum tape_kind kind, uint8_t *bytes, size_t size)
{
	if (t == NULL)
		return;
	if (t->is_played) {
		bytes_take(t, kind, bytes, size);
		return;
	}
	write_u8(&present(t)->entries, (uint8_t)kind);
	write_bytes(&present(t)->entries, bytes, size);
}
