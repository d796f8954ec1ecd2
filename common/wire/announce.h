/* SPDX-License-Identifier: ISC */
/*
 * An announcement: what a node of a cluster with discovery says of itself to
 * nodes that may not know it, by multicast or to an address (PROTOCOL.md,
 * Discovery). It is sealed as a handshake is, under the cluster's key.
 */
#ifndef ELECTD_COMMON_WIRE_ANNOUNCE_H
#define ELECTD_COMMON_WIRE_ANNOUNCE_H

#include "common/wire/config_id.h"
#include "common/wire/packet.h"

#define ANNOUNCE_NAME_MAX 64 /* bytes of a name, and its end */
#define ANNOUNCE_ROLES    3  /* of enum role */

/* After the nonce. */
#define ANNOUNCE_SEALED_BYTES                                                  \
	(3 * SALT_BYTES + CONFIG_ID_BYTES + 7 + ANNOUNCE_NAME_MAX - 1)
#define ANNOUNCE_BYTES (HANDSHAKE_SEALED_AT + ANNOUNCE_SEALED_BYTES)

struct announce {
	uint8_t challenge[SALT_BYTES]; /* who echoes it has heard the sender
	                                * some seconds ago at most */
	uint8_t echo[SALT_BYTES];      /* the receiver's; zero: none */
	uint8_t instance[SALT_BYTES];  /* of the sender's process */
	struct config_id config_id;    /* the sender's */
	int32_t priority;
	uint8_t role;    /* below ANNOUNCE_ROLES */
	bool is_quorum;  /* the guarantee */
	bool asks;       /* the sender wants an answer */
	bool is_refused; /* another process has the receiver's id */
	/* 1 to 63 bytes without a zero, unchecked else, and their end. */
	char name[ANNOUNCE_NAME_MAX];
};

void announce_encode(struct writer *w, const struct announce *a);

/* False if the bytes are no announcement: the result is then unspecified. */
bool announce_decode(struct reader *r, struct announce *a);

#endif
