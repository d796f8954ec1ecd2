/* SPDX-License-Identifier: ISC */
/*
 * The bytes of a state file: two slots of one page, each a whole copy of the
 * record with a checksum. Pure: store.c does the reading and writing.
 *
 * A record is durable once it is written to the one slot and synced, and then
 * it is at once to the other, before the next record. So at any instant one
 * slot holds the last record that anything was said by, and a write that a
 * crash tears never takes a promise with it; but for the moment between the
 * two syncs both hold it, so bits that rot do not either: one sound slot is
 * enough, and nobody has to guess what the damaged one was. If neither is
 * sound, or the two cannot come from this way of writing, the memory is lost.
 * A new process may read what the disk has in one slot alone: before it writes
 * over that slot, it writes the same record to the other.
 *
 * A record with its checksum is smaller than the 512 bytes that disks write
 * in one piece, and a page is what the kernel copies in one piece: a process
 * that is killed leaves a slot as it was, or as it was to be.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_RECORD_H
#define ELECTD_DAEMON_STATE_STORE_RECORD_H

#include "common/quorum/durable_state.h"

#define SLOTS         2
#define SLOT_BYTES    4096 /* a page, and a block of most file systems */
#define STORE_BYTES   (SLOTS * SLOT_BYTES)
#define CLUSTER_BYTES 64 /* a cluster's name, padded with zeros */

/* Whose memory it is. */
struct store_identity {
	node_id id;
	char cluster[CLUSTER_BYTES];
};

struct store_slot {
	uint64_t sequence; /* rises by one with each record */
	bool is_vouched;   /* an operator made it: no promise is forgotten */
	bool is_doubtful;  /* it took the place of a damaged one, which may
	                    * have held promises */
	struct durable_state durable;
};

/* What the bytes of a file come to. */
struct store_finding {
	const char *problem; /* why the memory is lost; NULL: it is not */
	const char *flaw;    /* what is wrong with one slot; NULL: nothing */
	unsigned newest;     /* the slot that counts */
	struct store_slot slot;
};

void store_slot_encode(const struct store_identity *identity,
    const struct store_slot *slot, uint8_t bytes[SLOT_BYTES]);

/* The slot is all zeros if there is a problem. Any bytes at all are allowed. */
struct store_finding store_decode(
    const struct store_identity *identity, const uint8_t *bytes, size_t size);

#endif
