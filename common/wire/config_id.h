/* SPDX-License-Identifier: ISC */
/*
 * Configurations of the settings that all nodes of a cluster share
 * (PROTOCOL.md, Configurations), and the frames in which a node tells its
 * configuration and hands its document to a node that has an earlier one. To
 * the core a document is a string of bytes; its caller knows what they say.
 */
#ifndef ELECTD_COMMON_WIRE_CONFIG_ID_H
#define ELECTD_COMMON_WIRE_CONFIG_ID_H

#include "common/util/bytes.h"

#define DOCUMENT_MAX ((size_t)2 << 20) /* bytes; 1024 nodes take 32 KiB */
/* A configuration of config version g that no leader has stamped has terms
 * above g times this: no cluster uses that number of terms, and the last one is
 * below 2^53 (JSON). */
#define CONFIG_VERSION_TERMS ((uint64_t)1000000000)

#define CONFIG_ID_BYTES (16 + SALT_BYTES) /* on the wire */
#define PIECE_MAX       1024              /* bytes of a document */

/* Names one state of the shared settings. */
struct config_id {
	uint64_t config_term;    /* quorum: the term of the leader that put
				    * it into effect; 0: that of a file,
				    * which no leader has stamped yet.
				    * Component: 0 */
	uint32_t config_version; /* the operator raises it with each change */
	uint32_t revision; /* discovery raises it with each list of nodes; 0:
			    * the operator's file */
	uint8_t digest[SALT_BYTES]; /* of the settings and the numbers above */
};

/* Frame CONFIG: what the sender has. */
struct config_advert {
	struct config_id config_id;
	uint32_t size; /* of its document, at most DOCUMENT_MAX; 0: the
			* configuration does not name the receiver */
};

/* Frame ASK: the sender wants the piece of the receiver's document that begins
 * at `offset`. */
struct config_ask {
	uint32_t tag;    /* of the configuration */
	uint32_t offset; /* below DOCUMENT_MAX */
};

/* Frame PIECE: a piece of the sender's document. */
struct config_piece {
	uint32_t tag;         /* of the configuration */
	uint32_t offset;      /* in the document; below DOCUMENT_MAX */
	size_t size;          /* 1 to PIECE_MAX; all bytes that are left */
	const uint8_t *bytes; /* borrowed from the datagram */
};

#define CONFIG_ADVERT_BYTES (CONFIG_ID_BYTES + 4)
#define CONFIG_ASK_BYTES    8
#define PIECE_BYTES         8 /* before the piece itself */

/*
 * Below 0, 0 or above 0, as `a` is earlier than, the same as, or later than
 * `b`. The config term decides, then the config version, then the revision; of
 * two configurations that have all in common, which is an operator's mistake or
 * two lists made at once, the digest does, so that all nodes agree.
 */
int config_id_compare(const struct config_id *a, const struct config_id *b);

bool config_id_equal(const struct config_id *a, const struct config_id *b);

/* True if `a` has a later config version than `b`, or the same and a later
 * revision: as a proposal it is news to a node that has `b`. */
bool config_id_is_newer(const struct config_id *a, const struct config_id *b);

/* True if `next` may be proposed where `now` is in effect: it is newer, and
 * follows from no earlier list of nodes. */
bool config_id_may_replace(
    const struct config_id *next, const struct config_id *now);

/*
 * True if a voter that used `was` may use `next`, or vote for one that does. Of
 * two that no leader has stamped neither follows the other: nobody has checked
 * the step between them (PROTOCOL.md, Changes of voters). One that a leader has
 * stamped follows a file of no higher config version: an earlier one may have
 * been ruled out before the file was made. Where a file took the place of a
 * configuration by which the voter had voted, `was` has the config term of that
 * one, and no lower config term follows.
 */
bool config_id_follows(
    const struct config_id *next, const struct config_id *was);

/* The configuration by which a voter that voted by `was` votes once `next`
 * is in effect: `next`, but a file, of config term 0, gets the config term
 * of `was`, whose place it takes. */
struct config_id config_id_in_place(
    const struct config_id *next, const struct config_id *was);

/* The terms of a configuration that no leader has stamped are above this
 * one. */
uint64_t config_id_floor(const struct config_id *config_id);

/* A short name: two configurations that meet have different ones. */
uint32_t config_tag(const struct config_id *config_id);

/* Each writes its part; the writer is the datagram's. */
void config_id_encode(struct writer *w, const struct config_id *config_id);
void config_advert_encode(struct writer *w, const struct config_advert *told);
void config_ask_encode(struct writer *w, const struct config_ask *ask);
void config_piece_encode(struct writer *w, const struct config_piece *piece);

/* True if the numbers are in their ranges. */
bool config_id_is_sane(const struct config_id *config_id);

/* Each reads its part and checks the range of every field. False if the bytes
 * are no such part: the result is then unspecified. */
bool config_id_decode(struct reader *r, struct config_id *config_id);
bool config_advert_decode(struct reader *r, struct config_advert *told);
bool config_ask_decode(struct reader *r, struct config_ask *ask);
bool config_piece_decode(struct reader *r, struct config_piece *piece);

#endif
