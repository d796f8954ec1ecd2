/* SPDX-License-Identifier: ISC */
#include "common/wire/vote.h"

static bool
term_is_sane(uint64_t term)
{
	return term > 0 && term <= TERM_MAX;
}

/* 0 or 1; anything else is no node's. */
static bool
read_flag(struct reader *r, bool *flag)
{
	uint8_t value = read_u8(r);

	*flag = value == 1;
	return value <= 1;
}

void
vote_request_encode(struct writer *w, const struct vote_request *c)
{
	write_u64(w, c->term);
	write_u64(w, c->sent);
	write_u8(w, c->is_prevote);
}

bool
vote_request_decode(struct reader *r, struct vote_request *c)
{
	c->term = read_u64(r);
	c->sent = read_u64(r);
	return read_flag(r, &c->is_prevote) && !r->failed &&
	       term_is_sane(c->term);
}

void
vote_response_encode(struct writer *w, const struct vote_response *v)
{
	write_u64(w, v->term);
	write_u64(w, v->sent);
	write_u8(w, v->is_prevote);
	write_u8(w, (uint8_t)v->denial);
	write_u64(w, v->promised);
	write_u32(w, v->wait_ms);
	rank_encode(w, &v->rival);
	write_u64(w, v->rival_term);
}

/* Only a grant names a rival, and then the term it asks for. */
static bool
rival_decode(struct reader *r, struct vote_response *v)
{
	const struct rank nobody = { .id = NODE_NONE };

	if (!rank_decode(r, &v->rival))
		return false;
	v->rival_term = read_u64(r);
	if (v->rival_term == 0)
		return !r->failed && rank_equal(&v->rival, &nobody);
	return v->denial == DENIAL_NONE && v->rival.id != NODE_NONE &&
	       term_is_sane(v->rival_term);
}

bool
vote_response_decode(struct reader *r, struct vote_response *v)
{
	uint8_t denial;

	v->term = read_u64(r);
	v->sent = read_u64(r);
	if (!read_flag(r, &v->is_prevote))
		return false;
	denial = read_u8(r);
	v->promised = read_u64(r);
	v->wait_ms = read_u32(r);
	if (r->failed || denial >= DENIALS || v->promised > TERM_MAX ||
	    v->wait_ms > WAIT_MS_MAX)
		return false;
	v->denial = (enum denial)denial;
	return rival_decode(r, v) && term_is_sane(v->term);
}

void
release_encode(struct writer *w, const struct release *r)
{
	write_u64(w, r->term);
}

bool
release_decode(struct reader *r, struct release *release)
{
	release->term = read_u64(r);
	return !r->failed && term_is_sane(release->term);
}

void
lease_left_encode(struct writer *w, const struct lease_left *t)
{
	write_u32(w, t->stamp);
	write_u32(w, t->valid_us);
}

bool
lease_left_decode(struct reader *r, struct lease_left *t)
{
	t->stamp = read_u32(r);
	t->valid_us = read_u32(r);
	return !r->failed && t->stamp != 0;
}

const char *
denial_name(enum denial denial)
{
	static const char *const names[] = {
		[DENIAL_NONE] = "granted",
		[DENIAL_HELD] = "held",
		[DENIAL_PROMISED] = "promised",
		[DENIAL_QUARANTINE] = "quarantine",
		[DENIAL_STATE_FILE] = "state-file",
	};

	assert(denial < DENIALS);
	return names[denial];
}
