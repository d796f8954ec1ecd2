/* SPDX-License-Identifier: ISC */
/*
 * The one message of every election algorithm, and its encoding. An
 * algorithm names its kinds and says which fields it uses; the others are
 * zero. Encoded size is MESSAGE_BYTES and four more for each id of its list.
 */
#ifndef ELECTD_COMMON_WIRE_MESSAGE_H
#define ELECTD_COMMON_WIRE_MESSAGE_H

#include "common/util/bytes.h"
#include "common/wire/rank.h"
#include "common/wire/reason.h"

/* Ids that a message carries, so that it fits two blocks of a channel. */
#define LIST_MAX 16

struct message {
	uint64_t term;     /* of the election; set by it, not by algorithms */
	struct rank rank;  /* the best so far, or the winner */
	node_id origin;    /* who began this message's journey */
	uint32_t phase;    /* the round or phase it belongs to */
	uint32_t distance; /* links travelled, this one included */
	struct reason
	    reason;          /* of the election; set by it, not by algorithms */
	uint8_t kind;        /* index into the algorithm's kinds */
	uint8_t link;        /* the sender's, in a ring; set by election */
	uint16_t list_count; /* ids of the list, also those beyond LIST_MAX */
	node_id list[LIST_MAX]; /* beyond it: zero, and not carried */
};

#define MESSAGE_BYTES     38 /* on the wire, without a list */
#define MESSAGE_BYTES_MAX (MESSAGE_BYTES + 4 * LIST_MAX)
#define MESSAGE_KINDS_MAX 8 /* the most an algorithm names */

_Static_assert(offsetof(struct message, list) <= 64,
    "a simulated ring of a million nodes holds several million of them");

/*
 * Appends an id to a message's list. A list that has grown too long holds no
 * ids at all: its count goes on, and the best so far is the message's rank.
 */
void message_list(struct message *m, node_id id);

/* Does the list hold its ids, and this one among them? */
bool message_lists(const struct message *m, node_id id);

void message_encode(struct writer *w, const struct message *m);

/*
 * Decodes one message and checks every field's range. False when the bytes
 * are no message: *m is then unspecified.
 */
bool message_decode(struct reader *r, struct message *m);

#endif
