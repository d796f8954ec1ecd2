/* SPDX-License-Identifier: ISC */
/*
 * The events of a node: what its elections sent, took and decided, each
 * numbered from 1 on (PROTOCOL.md, Events). The node keeps the last of them for
 * whoever asks; no decision depends on them. A message is known by its sender,
 * the name of the session and its number in the channel, at both ends alike; so
 * "happened before" follows from the events of all nodes, without clocks.
 */
#ifndef ELECTD_COMMON_NODE_EVENT_H
#define ELECTD_COMMON_NODE_EVENT_H

#include "common/wire/message.h"
#include "common/wire/reason.h"

/* The events that a node keeps, 36 KiB: thirty elections of bully among five
 * nodes, or one of the worst elections of bully among 170. */
#define EVENTS_MAX 512

#define SESSION_NAME_MAX ((UINT64_C(1) << 48) - 1) /* exact in a double */

enum event_kind {
	EVENT_STARTS,    /* the node begins an election by itself */
	EVENT_SENT,      /* the node sent a message to `peer` */
	EVENT_TAKEN,     /* the node took a message that `peer` sent */
	EVENT_TIMER,     /* the algorithm's timer ran out */
	EVENT_DECIDED,   /* the algorithm named `leader` */
	EVENT_LEADER,    /* the node now follows `leader`, perhaps itself */
	EVENT_NO_LEADER, /* the node lost `leader`, or an election named none */
	EVENT_KINDS,
};

/* A field that is for other kinds of events is 0. */
struct event {
	uint64_t number;      /* of the node's events */
	nsec_t at;            /* the time of the input */
	uint64_t term;        /* of the election, or of the leader */
	uint64_t session;     /* SENT, TAKEN: its name, to SESSION_NAME_MAX */
	node_id peer;         /* SENT, TAKEN: the other end */
	uint32_t sequence;    /* SENT, TAKEN: of the message in its channel */
	node_id rank;         /* SENT, TAKEN: of the message, its rank's id */
	node_id origin;       /* SENT, TAKEN: of the message */
	uint32_t phase;       /* SENT, TAKEN: of the message */
	node_id leader;       /* DECIDED to NO_LEADER; NODE_NONE for none */
	struct reason reason; /* STARTS, DECIDED to NO_LEADER */
	uint8_t kind;         /* enum event_kind */
	uint8_t message; /* SENT, TAKEN: index into the algorithm's kinds */
	uint8_t link; /* SENT, TAKEN: in a ring, enum ring_link of the sender */
	FILLER(5);
};

/* The last events; a new one takes the place of the oldest. */
struct event_log {
	struct event *ring; /* capacity of them; the caller's memory */
	unsigned capacity;  /* 0: none are kept, or counted */
	uint64_t count;     /* of all events so far */
	uint64_t forgotten; /* those up to this number are not kept */
};

/* Adds one, and numbers it. */
void event_log_add(struct event_log *log, const struct event *e);

/* Forgets all events; those to come go on with the numbers. */
void event_log_forget(struct event_log *log);

/* The number of the oldest event that is kept; the next one if none is. */
uint64_t event_log_first(const struct event_log *log);

/* The event of this number; NULL: it is not kept, or not there yet. */
const struct event *event_log_find(
    const struct event_log *log, uint64_t number);

#define EVENT_BYTES 64 /* on the wire */

/* Writes an event. */
void event_encode(struct writer *w, const struct event *e);

/* Reads an event; false if it is out of range: *e is then unspecified. */
bool event_decode(struct reader *r, struct event *e);

/* "sent", "taken" and so on: stable words of the control protocol. */
const char *event_kind_name(enum event_kind kind);

#endif
