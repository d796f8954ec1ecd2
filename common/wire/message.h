/* SPDX-License-Identifier: ISC */
/*
 * The message that all election algorithms send, and its encoding. An algorithm
 * names its kinds and says which fields it uses; the others are zero. On the
 * wire a message takes MESSAGE_BYTES, and four more for each id of its list.
 */
#ifndef ELECTD_COMMON_WIRE_MESSAGE_H
#define ELECTD_COMMON_WIRE_MESSAGE_H

#include "common/util/bytes.h"
#include "common/wire/rank.h"
#include "common/wire/reason.h"

#define LIST_MAX 16 /* ids of a message, which fits two blocks of a channel */

struct message {
	uint64_t term;        /* term of the election; set by election.c */
	struct rank rank;     /* the best so far, or the winner */
	node_id origin;       /* the node that began this message's journey */
	uint32_t phase;       /* the round or phase it belongs to */
	uint32_t distance;    /* links travelled, this one included */
	struct reason reason; /* reason of the election; set by election.c */
	uint8_t kind;         /* index into the algorithm's kinds */
	uint8_t link;         /* ring: enum ring_link of the sender;
	                         * election.c sets it */
	uint16_t list_count;  /* ids of the list, also those beyond LIST_MAX */
	node_id list[LIST_MAX]; /* zeros if list_count is above LIST_MAX */
	FILLER(4);
};

#define MESSAGE_BYTES     38 /* bytes on the wire, without a list */
#define MESSAGE_BYTES_MAX (MESSAGE_BYTES + 4 * LIST_MAX)
#define TAGGED_BYTES      (4 + MESSAGE_BYTES) /* in a frame, after a tag */
#define TAGGED_BYTES_MAX  (4 + MESSAGE_BYTES_MAX)
#define MESSAGE_KINDS_MAX 8 /* the most an algorithm names */

_Static_assert(offsetof(struct message, list) <= 64,
    "a simulated ring of a million nodes holds several million of them");

/*
 * Appends an id to the message's list. A list of more than LIST_MAX ids holds
 * none: only its count goes on, and `rank` has the best so far.
 */
void message_list(struct message *m, node_id id);

/* True if the list holds this id; a list that holds no ids has none. */
bool message_lists(const struct message *m, node_id id);

/* Writes a message. */
void message_encode(struct writer *w, const struct message *m);

/*
 * Reads a message and checks the range of every field. False if the bytes are
 * no message: *m is then unspecified.
 */
bool message_decode(struct reader *r, struct message *m);

#endif
