/* SPDX-License-Identifier: ISC */
/*
 * Editions of the settings that all nodes of a cluster share (PROTOCOL.md,
 * Editions), and the frames in which a node tells its edition and hands its
 * document to a node that has an earlier one. To the core a document is so many
 * bytes; its caller knows what they say.
 */
#ifndef ELECTD_COMMON_WIRE_EDITION_H
#define ELECTD_COMMON_WIRE_EDITION_H

#include "common/util/bytes.h"

#define DOCUMENT_MAX ((size_t)2 << 20) /* bytes; 1024 nodes take 32 KiB */
/* An edition that no leader has stamped has terms above so many for each
 * generation: no cluster uses so many, and the last is below 2^53 (JSON). */
#define GENERATION_TERMS ((uint64_t)1000000000)

#define EDITION_BYTES (12 + SALT_BYTES) /* on the wire */
#define PIECE_MAX     1024              /* bytes of a document */

/* One state of the shared settings. */
struct edition {
	uint64_t stamp;      /* quorum: the term of the leader that put it into
	                 * effect; 0: that of a file, which no leader has
	                 * stamped yet. Component: 0 */
	uint32_t generation; /* the operator raises it with each change */
	uint8_t digest[SALT_BYTES]; /* of the settings and the numbers above */
};

/* Frame EDITION: what the sender has. */
struct edition_told {
	struct edition edition;
	uint32_t size; /* of its document, at most DOCUMENT_MAX; 0: the edition
	                * does not name the receiver */
};

/* Frame ASK: the sender wants the piece of the receiver's document that begins
 * at `offset`. */
struct edition_ask {
	uint32_t tag;    /* of the edition */
	uint32_t offset; /* below DOCUMENT_MAX */
};

/* Frame PIECE: a piece of the sender's document. */
struct edition_piece {
	uint32_t tag;         /* of the edition */
	uint32_t offset;      /* in the document; below DOCUMENT_MAX */
	size_t size;          /* 1 to PIECE_MAX; all bytes that are left */
	const uint8_t *bytes; /* borrowed from the datagram */
};

#define EDITION_TOLD_BYTES (EDITION_BYTES + 4)
#define EDITION_ASK_BYTES  8
#define PIECE_BYTES        8 /* before the piece itself */

/*
 * Below 0, 0 or above 0, as `a` is earlier than, the same as, or later than
 * `b`. The stamp decides, then the generation; of two editions that have both
 * in common, which is an operator's mistake, the digest does, so that all nodes
 * agree.
 */
int edition_compare(const struct edition *a, const struct edition *b);

bool edition_equal(const struct edition *a, const struct edition *b);

/*
 * True if a voter that used `was` may use `next`, or vote for one that does. Of
 * two that no leader has stamped neither follows the other: nobody has checked
 * the step between them (PROTOCOL.md, Changes of voters). One that a leader has
 * stamped follows a file of no higher generation: an earlier one may have been
 * ruled out before the file was made. Where a file took the place of an edition
 * by which the voter had voted, `was` has the stamp of that one, and no lower
 * stamp follows.
 */
bool edition_follows(const struct edition *next, const struct edition *was);

/* The edition by which a voter that voted by `was` votes once `next` is in
 * effect: `next`, but a file, of stamp 0, gets the stamp of `was`, whose place
 * it takes. */
struct edition edition_in_place(
    const struct edition *next, const struct edition *was);

/* The terms of an edition that no leader has stamped are above this one. */
uint64_t edition_floor(const struct edition *edition);

/* A short name: two editions that meet have different ones. */
uint32_t edition_tag(const struct edition *edition);

/* Each writes its part; the writer is the datagram's. */
void edition_encode(struct writer *w, const struct edition *edition);
void edition_told_encode(struct writer *w, const struct edition_told *told);
void edition_ask_encode(struct writer *w, const struct edition_ask *ask);
void edition_piece_encode(struct writer *w, const struct edition_piece *piece);

/* Each reads its part and checks the range of every field. False if the bytes
 * are no such part: the result is then unspecified. */
bool edition_decode(struct reader *r, struct edition *edition);
bool edition_told_decode(struct reader *r, struct edition_told *told);
bool edition_ask_decode(struct reader *r, struct edition_ask *ask);
bool edition_piece_decode(struct reader *r, struct edition_piece *piece);

#endif
