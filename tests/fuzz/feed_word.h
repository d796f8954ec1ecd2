/* SPDX-License-Identifier: ISC */
/*
 * What a script has a member say under the guarantee "quorum", near what an
 * honest one would say, or far from it.
 */
#ifndef ELECTD_TESTS_FUZZ_FEED_WORD_H
#define ELECTD_TESTS_FUZZ_FEED_WORD_H

#include "common/util/bytes.h"
#include "common/wire/rank.h"

/* What an honest member would have to go by. */
struct feed_honest {
	uint64_t term;  /* the node's */
	nsec_t now;     /* on the node's clock */
	uint32_t stamp; /* of the node's last datagram */
};

/* Each reads what it needs. A term is near the one given, or anything. */
struct rank feed_rank(struct reader *r);
uint64_t feed_term(struct reader *r, uint64_t near);

/* Writes a frame: a vote request, a vote response, a release and so on, by
 * `kind`, 0 to 4. */
void feed_word(struct reader *r, unsigned kind, const struct feed_honest *h,
    struct writer *w);

#endif
