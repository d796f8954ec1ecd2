/* SPDX-License-Identifier: ISC */
/*
 * The frames that candidates and voters send each other under the guarantee
 * "quorum" (PROTOCOL.md, Claims, and PROTOCOL.md, Votes). All of it is
 * idempotent and unnumbered: it rides on heartbeats, and what is lost is said
 * again with the next. Which process speaks is known from the session.
 */
#ifndef ELECTD_COMMON_WIRE_VOTE_H
#define ELECTD_COMMON_WIRE_VOTE_H

#include "common/util/bytes.h"
#include "common/wire/message.h"

/* "I want this term", or, in a dry one, "would you grant it?" */
struct vote_request {
	uint64_t term;
	nsec_t
	    sent; /* when, on the claimant's clock: the voter gives it back */
	bool is_prevote;
};

#define WAIT_MS_MAX 86400000 /* a day: beyond any lease */

/* Why a claim is denied. */
enum denial {
	DENIAL_NONE,     /* it is granted */
	DENIAL_HELD,     /* another's lease runs: for `wait` yet */
	DENIAL_PROMISED, /* this term or a later one, `promised`, is another's,
	                    * or was given up */
	DENIAL_QUARANTINE, /* the voter has just started: for `wait` yet */
	DENIAL_STATE_FILE, /* the voter's record cannot be trusted */
	DENIALS,
};

/* A voter's answer: GRANT or DENY. */
struct vote_response {
	uint64_t term; /* the claim's, and ... */
	nsec_t sent;   /* ... its, unchanged */
	bool is_prevote;
	enum denial denial;
	uint64_t promised;   /* the highest term that the voter has promised to
	                      * anybody; 0: none yet */
	uint32_t wait_ms;    /* HELD, QUARANTINE: ask again after that */
	struct rank rival;   /* granted: who asks in vain, as the claimant holds
	                      * the lease; all zero: nobody */
	uint64_t rival_term; /* the term it asks for; 0: there is no rival */
};

/* "Every term of mine up to this one is given up, and never used again." */
struct release {
	uint64_t term;
};

/*
 * How long whoever the same datagram's beacon names may be taken for the
 * leader: counted from when the receiver's datagram of this stamp came in
 * (body.stamp), so that the receiver can count from when it sent that.
 */
struct lease_left {
	uint32_t stamp;
	uint32_t valid_us;
};

#define VOTE_REQUEST_BYTES  17
#define VOTE_RESPONSE_BYTES (38 + RANK_BYTES)
#define RELEASE_BYTES       8
#define LEASE_LEFT_BYTES    8

void vote_request_encode(struct writer *w, const struct vote_request *c);
void vote_response_encode(struct writer *w, const struct vote_response *v);
void release_encode(struct writer *w, const struct release *r);
void lease_left_encode(struct writer *w, const struct lease_left *t);

/* Each gives false for what no node says. */
bool vote_request_decode(struct reader *r, struct vote_request *c);
bool vote_response_decode(struct reader *r, struct vote_response *v);
bool release_decode(struct reader *r, struct release *release);
bool lease_left_decode(struct reader *r, struct lease_left *t);

/* "held", "promised" and so on. */
const char *denial_name(enum denial denial);

#endif
