/* SPDX-License-Identifier: ISC */
/*
 * The one message of every election algorithm, and its encoding. An
 * algorithm names its kinds and says which fields it uses; the others are
 * zero. Encoded size is fixed: MESSAGE_BYTES.
 */
#ifndef ELECTD_COMMON_MESSAGE_H
#define ELECTD_COMMON_MESSAGE_H

#include "common/bytes.h"
#include "common/cause.h"
#include "common/rank.h"

struct message {
	uint64_t term;      /* of the election; set by it, not by algorithms */
	struct rank rank;   /* the best so far, or the winner */
	node_id origin;     /* who began this message's journey */
	uint32_t phase;     /* the round or phase it belongs to */
	uint32_t distance;  /* links left to travel */
	struct cause cause; /* of the election; set by it, not by algorithms */
	uint8_t kind;       /* index into the algorithm's kinds */
};

#define MESSAGE_BYTES     35 /* on the wire; see message_encode() */
#define MESSAGE_KINDS_MAX 8  /* the most an algorithm names */

_Static_assert(sizeof(struct message) <= 64,
    "a simulated ring of a million nodes holds several million of them");

void message_encode(struct writer *w, const struct message *m);

/*
 * Decodes one message and checks every field's range. False when the bytes
 * are no message: *m is then unspecified.
 */
bool message_decode(struct reader *r, struct message *m);

/* A rank as it stands in messages and pulses: nine bytes. */
void rank_encode(struct writer *w, const struct rank *rank);
bool rank_decode(struct reader *r, struct rank *rank);

/* A cause likewise: five bytes. */
void cause_encode(struct writer *w, struct cause cause);
bool cause_decode(struct reader *r, struct cause *cause);

#endif
