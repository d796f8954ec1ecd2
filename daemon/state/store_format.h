/* SPDX-License-Identifier: ISC */
/*
 * The bytes of a state file (PROTOCOL.md, State file bytes): two slots of one
 * page each. A slot is a whole durable state with a sequence number and a
 * checksum. This file is pure; store.c reads and writes.
 *
 * A state is durable once it is written to one slot and synced; then it is
 * written to the other slot too, before or as the next state. So at any instant
 * one slot holds the last state that any message relied on, and a write that a
 * crash tears loses no promise. Except between the two writes both slots hold
 * it, so that one damaged slot loses nothing either: one sound slot is enough.
 * If no slot is sound, or the two cannot result from these writes, the state is
 * lost. A new process may find the last state in the page cache only; store.c
 * writes it to the other slot before it overwrites the one where it was found.
 *
 * A slot's data with its checksum is smaller than the 512 bytes that a disk
 * writes atomically, and the kernel copies a page atomically: if the process is
 * killed, the slot is either old or new.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_FORMAT_H
#define ELECTD_DAEMON_STATE_STORE_FORMAT_H

#include "common/quorum/durable_state.h"

#define SLOTS         2    /* one holds while the other is written */
#define SLOT_BYTES    4096 /* a page, and a block of most file systems */
#define STORE_BYTES   (SLOTS * SLOT_BYTES)
#define CLUSTER_BYTES 64 /* a cluster's name, padded with zeros */

/* The node whose state it is. */
struct store_identity {
	node_id id;
	char cluster[CLUSTER_BYTES]; /* padded with zeros */
};

struct store_slot {
	uint64_t sequence; /* rises by one with each state */
	bool is_complete;  /* an operator made the file: no promise is
			    * missing */
	bool is_doubtful;  /* the file replaced a damaged one, which may have
	                    * held promises */
	struct durable_state durable;
};

/* The result of reading a file. */
struct store_finding {
	const char *problem;    /* why the state is lost; NULL: it is not */
	const char *flaw;       /* what is wrong with one slot; NULL: nothing */
	unsigned newest;        /* the index of the slot that counts */
	struct store_slot slot; /* content of the file; all zero if there is
				 * a problem */
};

/* Writes a slot with its checksum. */
void store_slot_encode(const struct store_identity *identity,
    const struct store_slot *slot, uint8_t bytes[SLOT_BYTES]);

/* Decodes a file of any bytes. */
struct store_finding store_decode(
    const struct store_identity *identity, const uint8_t *bytes, size_t size);

#endif
