/* SPDX-License-Identifier: ISC */
/*
 * The entries of a tape as bytes (tape.h): checkpoint.c writes them, and
 * whoever plays a tape reads them.
 */
#ifndef ELECTD_COMMON_NODE_TAPE_ENTRY_H
#define ELECTD_COMMON_NODE_TAPE_ENTRY_H

#include "common/node/node.h"
#include "common/node/tape/tape.h"

#define RECORD_NAME_MAX 32 /* bytes of an algorithm's name, and its end */

/* An entry: an input with what it is given, or TAPE_ACTS. What a kind does not
 * have is zero; all pointers are borrowed. */
struct entry {
	enum tape_kind kind;
	nsec_t now;
	nsec_t age;   /* RECEIVE */
	nsec_t until; /* TAKE_BACK */
	unsigned peer;
	const uint8_t *bytes; /* RECEIVE: the datagram; of a tape that is
	                       * played PACKET_CLEAR_BYTES, which it begins
	                       * with */
	size_t size; /* of the datagram; if played, PACKET_MAX + 1: or more */
	node_id to;  /* RESIGN */
	const char *reason; /* likewise */
	const struct standby *standby;
	bool is_set;     /* KEYS: there is an old one; PERSISTED: ok; ACTS: the
	                  * last call gave no action */
	uint32_t count;  /* ACTS: of actions */
	uint64_t digest; /* ACTS */
	const struct pull *pull;
	const struct config_id *config_id; /* NULL: there is none */
	const uint8_t *document;
	size_t document_size;
	const struct node_setup *setup; /* ANNOUNCE, CHANGE: what counts */
};

/* Where entry_read() puts what an entry points to. */
struct entry_room {
	struct standby standby;
	struct pull pull;
	struct config_id config_id;
	struct node_setup setup;
	char algorithm[RECORD_NAME_MAX]; /* its name; setup.algorithm is NULL */
	struct peer_setup peers[NODES_MAX];
	unsigned right[NODES_MAX];
	unsigned left[NODES_MAX];
};

/* Reads the next entry of a tape that is played; false if it is none. */
bool entry_read(struct reader *r, struct entry *in, struct entry_room *room);

/* Writes what an input has beside its kind and time; entry_size() bytes or
 * fewer more than what most inputs have. */
void entry_write(struct writer *w, const struct entry *in);
size_t entry_size(const struct entry *in);

/* What a checkpoint is of. */
struct checkpoint {
	nsec_t now;
	uint64_t base; /* where the node was */
	enum topology topology;
	char algorithm[RECORD_NAME_MAX];
	const uint8_t *document; /* in effect; borrowed from the tape */
	size_t document_size;
	const uint8_t *proposal; /* that the host proposes; likewise */
	size_t proposal_size;
};

/* Reads the first entry of a half; false if it is none. */
bool entry_read_checkpoint(struct reader *r, struct checkpoint *checkpoint);

/* Writes it. */
void entry_write_checkpoint(struct writer *w,
    const struct checkpoint *checkpoint, const char *algorithm);

#endif
