/* SPDX-License-Identifier: ISC */
/*
 * The frames that nominees and voters send each other under the guarantee
 * "quorum" (PROTOCOL.md, Vote requests, and PROTOCOL.md, Vote responses). All
 * of them are idempotent and unnumbered: they ride on heartbeats, and the next
 * heartbeat repeats what was lost. The session tells which process sent them.
 */
#ifndef ELECTD_COMMON_WIRE_VOTE_H
#define ELECTD_COMMON_WIRE_VOTE_H

#include "common/util/bytes.h"
#include "common/wire/config_id.h"
#include "common/wire/rank.h"

#define WAIT_MS_MAX 86400000 /* a day: beyond any lease */

/* On the wire (PROTOCOL.md, Frames). */
#define VOTE_REQUEST_BYTES  (25 + CONFIG_ID_BYTES)
#define VOTE_RESPONSE_BYTES (42 + RANK_BYTES)
#define RELEASE_BYTES       8
#define LEASE_LEFT_BYTES    8

/* A nominee requests a voter's grant of a term. */
struct vote_request {
	uint64_t term;   /* 1 to TERM_MAX */
	nsec_t sent;     /* time by the nominee's clock; the response repeats
			  * it */
	bool is_prevote; /* asks only whether the voter would grant the term */
	bool admits;     /* the nominee leads in the term, by voters other than
	                  * the receiver: that may vote again (PROTOCOL.md,
	                  * Admission); never with is_prevote */
	FILLER(6);
	nsec_t lease; /* > 0: the nominee counts no more of a grant */
	struct config_id config_id; /* configuration of the nominee */
};

/* Why a voter denies a vote request. */
enum denial {
	DENIAL_NONE,       /* the request is granted */
	DENIAL_HELD,       /* the lease of another runs, for `wait_ms` yet */
	DENIAL_PROMISED,   /* the term is another's or was given up, or the
	                    * voter has promised a later one, `promised` */
	DENIAL_QUARANTINE, /* the voter has just started: for `wait_ms` yet */
	DENIAL_STATE_FILE, /* the voter cannot trust its durable state */
	DENIAL_CONFIG,     /* the nominee's configuration is earlier than the
			   * voter's, or its lease longer */
	DENIALS,
};

/* A voter's answer, a grant or a denial. */
struct vote_response {
	uint64_t term;   /* the request's */
	nsec_t sent;     /* the request's */
	bool is_prevote; /* the request's */
	FILLER(3);
	enum denial denial;  /* DENIAL_NONE: a grant */
	uint32_t config_tag; /* config_tag() of the voter's */
	FILLER(4);
	uint64_t promised;   /* the highest term promised to anybody; 0: none */
	uint32_t wait_ms;    /* HELD, QUARANTINE: ask again after that */
	struct rank rival;   /* grant: a nominee that is denied because the
	                      * receiver holds the lease; all zero: none */
	uint64_t rival_term; /* the term that the rival requests; 0: no rival */
};

/* "Every term of mine up to this one is given up, and never used again." */
struct release {
	uint64_t term; /* 1 to TERM_MAX */
};

/*
 * For how long the receiver may take the leader that the beacon of the same
 * datagram names for the leader. It counts from when the receiver's datagram of
 * this timestamp came in (body.timestamp), so that the receiver can count from
 * when it sent that datagram.
 */
struct lease_left {
	uint32_t timestamp; /* the receiver's, microseconds; never 0 */
	uint32_t valid_us;  /* microseconds */
};

/* Each writes its frame, whose size is the macro above. */
void vote_request_encode(struct writer *w, const struct vote_request *request);
void vote_response_encode(struct writer *w, const struct vote_response *vote);
void release_encode(struct writer *w, const struct release *release);
void lease_left_encode(struct writer *w, const struct lease_left *left);

/*
 * Each reads its frame and checks the range of every field. False if the bytes
 * are no such frame: the result is then unspecified.
 */
bool vote_request_decode(struct reader *r, struct vote_request *request);
bool vote_response_decode(struct reader *r, struct vote_response *vote);
bool release_decode(struct reader *r, struct release *release);
bool lease_left_decode(struct reader *r, struct lease_left *left);

/* "granted", "held", "promised" and so on: a static string. */
const char *denial_name(enum denial denial);

#endif
