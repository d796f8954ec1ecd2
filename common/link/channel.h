/* SPDX-License-Identifier: ISC */
/*
 * The FIFO channel to one peer within one session, both directions: each end
 * gets a prefix of what the other sent, in order, each message once
 * (PROTOCOL.md, Channel). The channel numbers, keeps, repeats and orders
 * messages. Its caller builds the datagrams that carry them, ends the session
 * where a call says so, and decides when to give up a silent peer.
 *
 * Every datagram carries channel_ack_number() and channel_sack_bits(), and as
 * many frames of channel_output() as fit. The caller sends one when
 * channel_due() or channel_owes_ack() says so, or for its own reasons. Only
 * frames are acknowledged, so an acknowledgement never leads to another one.
 *
 * All channels of a node keep the bodies of their messages in one pool of
 * blocks; the caller always passes the same pool.
 */
#ifndef ELECTD_COMMON_LINK_CHANNEL_H
#define ELECTD_COMMON_LINK_CHANNEL_H

#include "common/link/blocks.h"
#include "common/link/rtt.h"

#define CHANNEL_BODY_MAX 1100 /* bytes of a message: fits one datagram */
#define CHANNEL_WINDOW   32   /* frames in flight: the bits of a SACK */
/* Frames not acknowledged, in flight or not, and bytes of their bodies: eight
 * windows are far more than an election sends on one link. A peer that lets
 * that many wait has lost the session. */
#define CHANNEL_HELD_MAX   256
#define CHANNEL_HELD_BYTES 65536

/* A frame of the window of what we send. */
struct flight {
	nsec_t sent;       /* the last time, if was_sent */
	block_index chain; /* body of the frame; BLOCK_NONE: acknowledged, or no
			    * frame */
	bool was_sent;     /* at least once */
	uint8_t retries;   /* how often it timed out, to RTT_RETRIES_MAX */
	FILLER(4);
};

/*
 * Sending: frames up to `acked` are acknowledged; acked + 1 to `admitted` are
 * the window, frame `seq` at index seq % CHANNEL_WINDOW, and the first of
 * them is not acknowledged; the rest wait in a list of chains.
 * Receiving: frames up to `delivered` went to the caller; the window above it
 * holds those that have come in, at the same index.
 */
struct channel {
	struct flight flights[CHANNEL_WINDOW];
	block_index arrivals[CHANNEL_WINDOW]; /* BLOCK_NONE: not here yet */
	struct rtt rtt;                       /* the caller measures it */
	uint64_t resent;           /* frames sent again, in all sessions */
	uint32_t acked;            /* sent: acknowledged up to this number */
	uint32_t admitted;         /* sent: in the window up to this number */
	uint32_t delivered;        /* received: delivered up to this number */
	uint32_t held_bytes;       /* bytes of the bodies of held frames */
	uint16_t held_count;       /* frames to send, not acknowledged */
	uint16_t waiting_count;    /* frames of the list that are not in the
				    * window */
	uint16_t blocks_count;     /* that the channel takes up, both ways */
	block_index waiting_first; /* BLOCK_NONE: none waits */
	block_index waiting_last;  /* BLOCK_NONE: none waits */
	bool owes_ack;             /* a frame came in; we have sent nothing
	                            * since */
};

_Static_assert(sizeof(struct channel) <= 1024, "a node has up to a thousand");

/* The outcome for a frame that came in. */
enum arrival {
	ARRIVAL_FRESH,     /* kept until channel_deliver() */
	ARRIVAL_DUPLICATE, /* known already */
	ARRIVAL_REFUSED,   /* outside the window, or of impossible size */
	ARRIVAL_OVERFLOW,  /* the pool is full: the frame counts as lost */
};

/* A frame to put in a datagram. */
struct frame {
	uint32_t seq; /* from 1 */
	size_t size;  /* 1 to CHANNEL_BODY_MAX */
	uint8_t bytes[CHANNEL_BODY_MAX];
};

/* Begins a session on a channel that is zeroed or closed. */
void channel_open(struct channel *ch);

/* Ends the session and releases what it holds; a second call does nothing. */
void channel_close(struct channel *ch, struct blocks *pool);

/*
 * Sends a message of 1 to CHANNEL_BODY_MAX bytes: it is due at once, or when
 * the window reaches it. False, and nothing changed, if the channel or the pool
 * is full: the caller makes room in the pool, or ends the session.
 */
bool channel_send(
    struct channel *ch, struct blocks *pool, const void *bytes, size_t size);

/* True if the channel can take a message of `size` bytes, if the pool can. */
bool channel_has_room(const struct channel *ch, size_t size);

/*
 * Takes what a datagram of the peer's acknowledges: frames up to `ack`, and
 * ack + 1 + i for each bit i of `sack`. Any values are allowed; false, and
 * nothing changed, if they acknowledge a frame that was never sent.
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
 * Copies to *frame the first frame that belongs in a datagram sent now, and
 * whose body has at most `room` bytes; the frame counts as sent. False if there
 * is none. Frames that are due belong there, and frames whose acknowledgement
 * is late.
 */
bool channel_output(struct channel *ch, const struct blocks *pool, nsec_t now,
    size_t room, struct frame *frame);

/* The numbers of the last messages: that channel_send() took, and that
 * channel_deliver() gave; 0: none. */
uint32_t channel_last_sent(const struct channel *ch);
uint32_t channel_last_delivered(const struct channel *ch);

/* True if the peer has taken the message with this number. */
bool channel_is_acknowledged(const struct channel *ch, uint32_t seq);

/*
 * The number of the newest message, if it was not sent yet and may be now; else
 * 0. And: that frame is sent, with others, in a datagram of the caller's own.
 */
uint32_t channel_newest(const struct channel *ch);
void channel_sent(struct channel *ch, nsec_t now, uint32_t seq);

/*
 * When a frame needs a datagram: 0 if at once, NSEC_NEVER if all frames are
 * acknowledged.
 */
nsec_t channel_deadline(const struct channel *ch);

/* True if a frame needs a datagram now. */
bool channel_due(const struct channel *ch, nsec_t now);

/* The `ack` of every datagram: all frames up to it were delivered. */
uint32_t channel_ack_number(const struct channel *ch);

/* The `sack` of every datagram: bit i is set if frame ack + 1 + i is here. */
uint32_t channel_sack_bits(const struct channel *ch);

/*
 * True if a frame has come in since the last datagram went out. The caller then
 * sends one in this very step.
 */
bool channel_owes_ack(const struct channel *ch);

/* Notes that a datagram, and so an acknowledgement, went out. */
void channel_acked(struct channel *ch);

/* Asserts every invariant; called after each step by tests. */
void channel_check(const struct channel *ch, const struct blocks *pool);

#endif
