/* SPDX-License-Identifier: ISC */
/*
 * The settings of a configuration, a row each, in the order of electd.conf(5).
 * The bytes that nodes exchange, the digest and the comparison come from these
 * rows: a setting is added in one of them.
 */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_ROWS_H
#define ELECTD_COMMON_CONFIG_CONFIG_ROWS_H

#include "common/config/config.h"

/* What a change of a setting needs to take effect (electd.conf(5), CHANGING A
 * CLUSTER). */
enum change {
	CHANGE_NOW,      /* the daemon applies it while it runs */
	CHANGE_RESTART,  /* a restart of this daemon applies it */
	CHANGE_CLUSTER,  /* all hosts must agree: a file of a later generation
	                 * applies it, or, if the settings have no document, a
	                 * restart of all daemons */
	CHANGE_IDENTITY, /* it would be another cluster: all daemons restart */
};

enum config_kind {
	CONFIG_NAME,    /* NAME_MAX_BYTES: name_fault() */
	CONFIG_ADDRESS, /* ADDRESS_MAX_BYTES: address_fault(), canonical */
	CONFIG_WORD,    /* an enum; below the number of `words` */
	CONFIG_ALGORITHM,
	CONFIG_BYTE,   /* uint8_t */
	CONFIG_TRUTH,  /* bool */
	CONFIG_INT32,  /* int32_t */
	CONFIG_NUMBER, /* uint32_t or unsigned */
	CONFIG_LONG,   /* uint64_t */
	CONFIG_NODES,  /* the rows of config_node_rows, for each node */
	CONFIG_ORDER,
	CONFIG_LINKS,
};

/* Rows of one name follow each other, and are one setting. */
struct config_row {
	const char *name; /* as in electd.conf(5) */
	enum config_kind kind;
	size_t at;                /* in struct config or config_node */
	enum change change;       /* what a change of it needs */
	const char *const *words; /* WORD */
	uint64_t low, high;       /* BYTE, NUMBER, LONG: the range */
	bool needs_same_kind;     /* of topology, to be compared */
	bool is_counted;          /* by electd: it is not compared */
	bool is_digested;         /* of a node: it is part of the digest */
};

/* A row without a name ends each table. */
extern const struct config_row config_rows[];
extern const struct config_row config_node_rows[];

/* The value of a BYTE, TRUTH, WORD, INT32, NUMBER or LONG in `of`, a struct
 * config or config_node; a negative one as a 32-bit number. */
uint64_t config_value(const struct config_row *row, const void *of);

#endif
