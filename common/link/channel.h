/* SPDX-License-Identifier: ISC */
/*
 * The FIFO channel to one peer within one session, both directions: each end
 * gets a prefix of what the other sent, in order, each message once
 * (PROTOCOL.md, Channel). The channel numbers, keeps, repeats and orders
 * messages; its caller builds the datagrams that carry them, ends the session
 * where a call says so, and decides when a silent peer is given up.
 *
 * Every datagram carries channel_ack_number() and channel_sack_bits(), and as
 * many frames as channel_output() has and there is room for. A datagram goes
 * out when channel_due() or channel_owes_ack() says so, or for the caller's
 * own reasons. Only frames are acknowledged, so an acknowledgement never
 * leads to another one.
 *
 * Bodies are kept in a pool of blocks shared by all channels of a node, always
 * the same for one channel.
 */
#ifndef ELECTD_COMMON_LINK_CHANNEL_H
#define ELECTD_COMMON_LINK_CHANNEL_H

#include "common/link/blocks.h"
#include "common/link/rtt.h"

#define CHANNEL_BODY_MAX   1100  /* bytes of a message: fits one datagram */
#define CHANNEL_WINDOW     32    /* frames in flight: the bits of a SACK */
#define CHANNEL_HELD_MAX   256   /* frames not acknowledged, in flight or not */
#define CHANNEL_HELD_BYTES 65536 /* likewise, their bytes */

/* A frame of the window of what is being sent. */
struct flight {
	nsec_t sent;       /* last, if it was_sent */
	block_index chain; /* BLOCK_NONE: acknowledged, or no such frame */
	bool was_sent;
	uint8_t retries; /* times its timeout ran out, to RTT_RETRIES_MAX */
};

/*
 * Sending: frames up to `acked` are acknowledged; acked + 1 to `admitted` are
 * the window, frame `seq` at index seq % CHANNEL_WINDOW, the first of them
 * never acknowledged; the rest waits in a list of chains.
 * Receiving: frames up to `delivered` went to the caller; the window above it
 * holds what has come in, at the same index.
 */
struct channel {
	struct flight flights[CHANNEL_WINDOW];
	block_index arrivals[CHANNEL_WINDOW]; /* BLOCK_NONE: not here yet */
	struct rtt rtt;  /* fed by the caller, who can measure it */
	uint64_t resent; /* frames sent again, in all sessions */
	uint32_t acked;  /* sequence numbers: see above */
	uint32_t admitted;
	uint32_t delivered;
	uint32_t held_bytes;    /* of the held frames */
	uint16_t held_count;    /* frames not acknowledged */
	uint16_t waiting_count; /* of these, frames not in the window */
	uint16_t blocks_count;  /* of the pool, that it takes up both ways */
	block_index waiting_first;
	block_index waiting_last;
	bool owes_ack; /* a frame came in; nothing went out since */
};

_Static_assert(sizeof(struct channel) <= 1024, "a node has up to a thousand");

/* What became of a frame that came in. */
enum arrival {
	ARRIVAL_FRESH,     /* kept until channel_deliver() */
	ARRIVAL_DUPLICATE, /* known already */
	ARRIVAL_REFUSED,   /* outside the window, or of impossible size */
	ARRIVAL_OVERFLOW,  /* the pool has no room: as if it had been lost */
};

/* A frame to put in a datagram. */
struct frame {
	uint32_t seq;
	size_t size; /* 1 to CHANNEL_BODY_MAX */
	uint8_t bytes[CHANNEL_BODY_MAX];
};

/* Begins a session on a channel that is zeroed or closed. */
void channel_open(struct channel *ch);

/* Ends the session and releases what it holds; twice is harmless. */
void channel_close(struct channel *ch, struct blocks *pool);

/*
 * Sends a message of 1 to CHANNEL_BODY_MAX bytes: it is due at once, or when
 * the window gets to it. False when the channel or the pool is full: nothing
 * changed. The caller hands over in the pool, or ends the session.
 */
bool channel_send(
    struct channel *ch, struct blocks *pool, const void *bytes, size_t size);

/* Does the channel itself take so many bytes more, if the pool does? */
bool channel_has_room(const struct channel *ch, size_t size);

/*
 * Takes what a datagram of the peer's acknowledges: frames up to `ack`, and
 * ack + 1 + i for each bit i of `sack`. Any values are allowed; false, and
 * nothing changed, if they claim a frame that was never sent.
 */
bool channel_ack(
    struct channel *ch, struct blocks *pool, uint32_t ack, uint32_t sack);

/* Takes one frame of a datagram. Any values are allowed. */
enum arrival channel_receive(struct channel *ch, struct blocks *pool,
    uint32_t seq, const void *bytes, size_t size);

/*
 * Copies the next message in order to `buffer`, which has room for
 * CHANNEL_BODY_MAX bytes, and gives its size; 0 if it is not here yet.
 */
size_t channel_deliver(
    struct channel *ch, struct blocks *pool, uint8_t *buffer);

/*
 * Takes the first frame that ought to go into a datagram sent now and whose
 * body has at most `room` bytes; it counts as sent. False if there is none.
 * Beside frames that are due, these are frames whose acknowledgement is late.
 */
bool channel_output(struct channel *ch, const struct blocks *pool, nsec_t now,
    size_t room, struct frame *frame);

/*
 * When a datagram must be sent for the sake of a frame: 0 if at once,
 * NSEC_NEVER if no frame is unacknowledged.
 */
nsec_t channel_deadline(const struct channel *ch);
bool channel_due(const struct channel *ch, nsec_t now);

/* What every datagram to the peer says has come in. */
uint32_t channel_ack_number(const struct channel *ch);
uint32_t channel_sack_bits(const struct channel *ch);

/*
 * Has a frame come in since the last datagram went out? Then one goes out in
 * this very step; channel_acked() says that it did.
 */
bool channel_owes_ack(const struct channel *ch);
void channel_acked(struct channel *ch);

/* Asserts every invariant; called after each step by tests. */
void channel_check(const struct channel *ch, const struct blocks *pool);

#endif
