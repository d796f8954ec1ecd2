/* SPDX-License-Identifier: ISC */
/*
 * The entries of a tape as bytes (tape.h): record.c writes them, and whoever
 * plays a tape reads them.
 */
#ifndef ELECTD_COMMON_NODE_TAPE_ENTRY_H
#define ELECTD_COMMON_NODE_TAPE_ENTRY_H

#include "common/node/node.h"
#include "common/node/tape/tape.h"

#define RECORD_NAME_MAX 32 /* bytes of an algorithm's name, and its end */

/* Bytes of a setup, at most: for each peer, and for the rest but a document. */
#define ENTRY_PEER_BYTES  16
#define ENTRY_SETUP_BYTES 512

/* An entry as it is read: an input, or TAPE_ACTS. What a kind does not have is
 * zero. */
struct recorded {
	enum tape_kind kind;
	nsec_t now;
	nsec_t age;
	nsec_t until; /* TAKE_BACK */
	unsigned peer;
	size_t size; /* RECEIVE: of the datagram, PACKET_MAX + 1: or more */
	uint8_t clear[PACKET_CLEAR_BYTES]; /* RECEIVE: how it begins */
	node_id to;
	struct standby standby;
	bool is_set; /* KEYS: there is an old one; PERSISTED: ok; PROPOSE: there
	              * is a document; ACTS: the last call gave no action */
	uint32_t count;   /* ACTS: of actions */
	uint64_t digest;  /* ACTS */
	struct pull pull; /* PULL */
	struct edition edition;
	const uint8_t *document; /* PROPOSE: borrowed from the tape */
	size_t document_size;
	/* ANNOUNCE, CHANGE: all that counts. Its pointers are to the fields
	 * below, and its document is borrowed from the tape. */
	struct node_setup setup;
	char algorithm[RECORD_NAME_MAX]; /* its name; setup.algorithm is NULL */
	struct peer_setup peers[NODES_MAX];
	unsigned right[NODES_MAX];
	unsigned left[NODES_MAX];
};

/* Reads the next entry of a tape that is played; false if it is none. */
bool entry_read(struct reader *r, struct recorded *in);

/* What an image is of. */
struct image {
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
bool entry_read_image(struct reader *r, struct image *image);

/* Writes it. */
void entry_write_image(
    struct writer *w, const struct image *image, const char *algorithm);

/* Writes what ANNOUNCE and CHANGE have beside their time. */
void entry_write_setup(struct writer *w, const struct node_setup *s);

/* The same of PROPOSE and REFUSE. */
void entry_write_edition(struct writer *w, const struct edition *edition,
    const uint8_t *document, size_t size);

#endif
