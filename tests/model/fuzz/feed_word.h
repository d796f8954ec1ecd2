/* SPDX-License-Identifier: ISC */
/*
 * Frames that a script lets a member send under the guarantee "quorum":
 * something near what an honest one would send, or far from it.
 */
#ifndef ELECTD_TESTS_MODEL_FUZZ_FEED_WORD_H
#define ELECTD_TESTS_MODEL_FUZZ_FEED_WORD_H

#include "common/util/bytes.h"
#include "common/wire/config_id.h"
#include "common/wire/message.h"
#include "common/wire/rank.h"

/* The knowledge of an honest member. */
struct feed_honest {
	uint64_t term;      /* of the node */
	nsec_t now;         /* by the node's clock */
	uint32_t timestamp; /* of the node's last datagram */
	nsec_t lease;       /* of the node's settings */
	struct config_id config_id;
};

/* Each reads the bytes that it needs. A term is near the given one, or any. */
struct rank feed_rank(struct reader *r);
uint64_t feed_term(struct reader *r, uint64_t near);

struct reason feed_reason(struct reader *r);

/* Each writes a frame; its term is near the given one, or any. */
void feed_beacon(struct reader *r, uint64_t near, struct writer *w);

/* Writes a frame: a vote request, a vote response, a release and so on, by
 * `kind`, 0 to 4. */
void feed_word(struct reader *r, unsigned kind, const struct feed_honest *h,
    struct writer *w);

#endif
