/* SPDX-License-Identifier: ISC */
/*
 * An introduction: what a node of a cluster with discovery says of itself to
 * nodes that may not know it, by multicast or to an address (PROTOCOL.md,
 * Discovery). It is sealed as a handshake is, under the cluster's key.
 */
#ifndef ELECTD_COMMON_WIRE_INTRODUCTION_H
#define ELECTD_COMMON_WIRE_INTRODUCTION_H

#include "common/wire/edition.h"
#include "common/wire/packet.h"

#define INTRODUCTION_NAME_MAX 64 /* bytes of a name, and its end */
#define INTRODUCTION_ROLES    3  /* of enum role */

/* After the nonce. */
#define INTRODUCTION_SEALED_BYTES                                              \
	(3 * SALT_BYTES + EDITION_BYTES + 7 + INTRODUCTION_NAME_MAX - 1)
#define INTRODUCTION_BYTES (HANDSHAKE_SEALED_AT + INTRODUCTION_SEALED_BYTES)

struct introduction {
	uint8_t challenge[SALT_BYTES]; /* who echoes it has heard the sender
	                                * some seconds ago at most */
	uint8_t echo[SALT_BYTES];      /* the receiver's; zero: none */
	uint8_t instance[SALT_BYTES];  /* of the sender's process */
	struct edition edition;        /* the sender's */
	int32_t priority;
	uint8_t role;    /* below INTRODUCTION_ROLES */
	bool is_quorum;  /* the guarantee */
	bool asks;       /* the sender wants an answer */
	bool is_refused; /* another process has the receiver's id */
	/* 1 to 63 bytes without a zero, unchecked else, and their end. */
	char name[INTRODUCTION_NAME_MAX];
};

void introduction_encode(struct writer *w, const struct introduction *i);

/* False if the bytes are no introduction: the result is then unspecified. */
bool introduction_decode(struct reader *r, struct introduction *i);

#endif
