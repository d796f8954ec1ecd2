/* SPDX-License-Identifier: ISC */
/*
 * The tape of a node (PROTOCOL.md, Tape): each of its inputs, what its keys
 * said of them, and a digest of the actions that followed. With it the same
 * code does the same again, without a key.
 *
 * A tape has two halves, used in turn. Each begins with a checkpoint of the
 * node's memory, so each can be played by itself; while one is written the
 * other one is whole. All memory is the caller's, and nothing here fails: what
 * has no room is left out, and the next input begins the other half.
 */
#ifndef ELECTD_COMMON_NODE_TAPE_TAPE_H
#define ELECTD_COMMON_NODE_TAPE_TAPE_H

#include "common/util/bytes.h"

struct action;

/* What an entry holds; the numbers are in files. */
enum tape_kind {
	TAPE_CHECKPOINT = 1, /* what belongs to the checkpoint */
	/* Inputs: the functions of node.h, with all that they were given. */
	TAPE_TICK,
	TAPE_RECEIVE,
	TAPE_REFUSED,
	TAPE_ELECT,
	TAPE_RESIGN,
	TAPE_STANDBY,
	TAPE_KEYS,
	TAPE_PERSISTED,
	TAPE_STOP,
	TAPE_HAND_OUT,
	TAPE_DECLARE_DEAD,
	TAPE_ANNOUNCE,
	TAPE_CHANGE,
	TAPE_PROPOSE,
	TAPE_REFUSE,
	TAPE_SNAPSHOT,
	TAPE_PULL,
	TAPE_TAKE_BACK,
	TAPE_CARRIER,
	TAPE_FILE,
	/* What a key said, within an input (vault.h). */
	TAPE_OPENED,
	TAPE_PLAIN,
	TAPE_DRAWN,
	TAPE_KEY_ID,
	TAPE_SAME,
	/* What node_act() was asked for since, and a digest of all since the
	 * checkpoint that left the node. */
	TAPE_ACTS,
	TAPE_KINDS,
};

struct tape_half {
	uint8_t *checkpoint;    /* of the node; the entries follow it */
	size_t checkpoint_size; /* 0: nothing was recorded here */
	uint64_t first;         /* the number of its first input */
	struct writer entries;
	size_t whole; /* bytes of the entries that are complete */
};

/* Calls of node_act() at one time. */
struct tape_acts {
	nsec_t now;
	uint32_t count; /* that gave an action */
	bool is_last;   /* one more gave none */
	bool is_begun;  /* there is an entry, to be filled in, */
	size_t at;      /* here */
	bool is_due;    /* what left the node is to be written in any case */
};

struct tape {
	bool is_played;    /* it is read, not written */
	uint64_t digest;   /* of what left the node since the checkpoint */
	uint64_t inputs;   /* that began, in all */
	size_t half_bytes; /* room of each half */
	struct tape_half halves[2];
	unsigned turn; /* the half that is written */
	struct tape_acts acts;
	struct reader entries; /* played: what is left */
	bool has_strayed;      /* played: the node asked for what is not next */
	const uint8_t *plain;  /* played: what the last datagram held; NULL */
	size_t plain_size;
};

/* Makes an empty tape of `memory`, aligned for any type, `size` bytes that
 * stay the caller's. It records once node_begin_tape() has been called. */
void tape_init(struct tape *t, void *memory, size_t size);

/* Makes a tape that is played: these entries come after a checkpoint,
 * borrowed. */
void tape_play(struct tape *t, const uint8_t *entries, size_t size);

/* True if the tape is written, and not NULL. */
bool tape_records(const struct tape *t);

/* The next functions are for a tape that is written. True if an input of so
 * many bytes should begin the other half, as this one has no room for it. */
bool tape_is_full(const struct tape *t, size_t size);

/* Begins the other half: `size` bytes are for the checkpoint. NULL: it has
 * no room for them, and nothing is recorded. */
uint8_t *tape_turn(struct tape *t, size_t size);

/* Where entries of the present half go. */
struct writer *tape_entries(struct tape *t);

/* Begins an input; its arguments are to be written to the result. */
struct writer *tape_input(struct tape *t, enum tape_kind kind, nsec_t now);

/* Writes down all that has happened. Call it before the halves are read. */
void tape_flush(struct tape *t);

/* The next functions are for a tape that is written or played, and do nothing
 * for NULL. An input has given its caller this. */
void tape_result(struct tape *t, uint64_t result);

/* node_act() is called, and then it gives this action or NULL. */
void tape_begin_act(struct tape *t, nsec_t now);
void tape_act(struct tape *t, const struct action *action);

/* Bytes leave the node, sealed. */
void tape_seal(struct tape *t, const uint8_t *bytes, size_t size);

/* What a key said: written, or taken from the tape. */
void tape_bytes(
    struct tape *t, enum tape_kind kind, uint8_t *bytes, size_t size);

#endif
