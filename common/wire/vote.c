/* SPDX-License-Identifier: ISC */
#include "common/wire/vote.h"

/* Flags of a request, one at most. */
#define REQUEST_PREVOTE 1
#define REQUEST_ADMITS  2

static bool
term_is_sane(uint64_t term)
{
	return term > 0 && term <= TERM_MAX;
}

/* Reads a byte that must be 0 or 1; false if it is neither. */
static bool
read_flag(struct reader *r, bool *flag)
{
	uint8_t value = read_u8(r);

	*flag = value == 1;
	return value <= 1;
}

void
vote_request_encode(struct writer *w, const struct vote_request *request)
{
	size_t before = w->size;

	assert(!(request->is_prevote && request->admits));
	write_u64(w, request->term);
	write_u64(w, request->sent);
	write_u8(w, (uint8_t)((request->is_prevote ? REQUEST_PREVOTE : 0) |
			      (request->admits ? REQUEST_ADMITS : 0)));
	write_u64(w, request->lease);
	config_id_encode(w, &request->config_id);
	assert(w->failed || w->size - before == VOTE_REQUEST_BYTES);
}

bool
vote_request_decode(struct reader *r, struct vote_request *request)
{
	uint8_t flags;

	*request = (struct vote_request){ .term = read_u64(r) };
	request->sent = read_u64(r);
	flags = read_u8(r);
	if (flags > REQUEST_ADMITS)
		return false;
	request->is_prevote = flags == REQUEST_PREVOTE;
	request->admits = flags == REQUEST_ADMITS;
	request->lease = read_u64(r);
	return config_id_decode(r, &request->config_id) && request->lease > 0 &&
	       term_is_sane(request->term);
}

void
vote_response_encode(struct writer *w, const struct vote_response *vote)
{
	size_t before = w->size;

	write_u64(w, vote->term);
	write_u64(w, vote->sent);
	write_u8(w, vote->is_prevote);
	write_u8(w, (uint8_t)vote->denial);
	write_u32(w, vote->config_tag);
	write_u64(w, vote->promised);
	write_u32(w, vote->wait_ms);
	rank_encode(w, &vote->rival);
	write_u64(w, vote->rival_term);
	assert(w->failed || w->size - before == VOTE_RESPONSE_BYTES);
}

/* Only a grant names a rival, always with the term that the rival requests. */
static bool
rival_decode(struct reader *r, struct vote_response *vote)
{
	const struct rank nobody = { .id = NODE_NONE };

	if (!rank_decode(r, &vote->rival))
		return false;
	vote->rival_term = read_u64(r);
	if (vote->rival_term == 0)
		return !r->failed && rank_equal(&vote->rival, &nobody);
	return vote->denial == DENIAL_NONE && vote->rival.id != NODE_NONE &&
	       term_is_sane(vote->rival_term);
}

bool
vote_response_decode(struct reader *r, struct vote_response *vote)
{
	uint8_t denial;

	*vote = (struct vote_response){ .term = read_u64(r) };
	vote->sent = read_u64(r);
	if (!read_flag(r, &vote->is_prevote))
		return false;
	denial = read_u8(r);
	vote->config_tag = read_u32(r);
	vote->promised = read_u64(r);
	vote->wait_ms = read_u32(r);
	if (r->failed || denial >= DENIALS || vote->promised > TERM_MAX ||
	    vote->wait_ms > WAIT_MS_MAX)
		return false;
	vote->denial = (enum denial)denial;
	return rival_decode(r, vote) && term_is_sane(vote->term);
}

void
release_encode(struct writer *w, const struct release *release)
{
	size_t before = w->size;

	write_u64(w, release->term);
	assert(w->failed || w->size - before == RELEASE_BYTES);
}

bool
release_decode(struct reader *r, struct release *release)
{
	release->term = read_u64(r);
	return !r->failed && term_is_sane(release->term);
}

void
lease_left_encode(struct writer *w, const struct lease_left *left)
{
	size_t before = w->size;

	write_u32(w, left->timestamp);
	write_u32(w, left->valid_us);
	assert(w->failed || w->size - before == LEASE_LEFT_BYTES);
}

bool
lease_left_decode(struct reader *r, struct lease_left *left)
{
	left->timestamp = read_u32(r);
	left->valid_us = read_u32(r);
	return !r->failed && left->timestamp != 0;
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
		[DENIAL_CONFIG] = "config",
	};

	assert(denial < DENIALS);
	return names[denial];
}
