/* SPDX-License-Identifier: ISC */
/*
 * The settings of a configuration, a row each. The bytes that nodes exchange,
 * the digest, the comparison, and the file that a host reads and prints come
 * from these rows: a setting is added in one of them. Their order is that of
 * the bytes. daemon/config/settings_rows.h has those that are a host's own.
 */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_ROWS_H
#define ELECTD_COMMON_CONFIG_CONFIG_ROWS_H

#include "common/config/config.h"

/* What a change of a setting needs to take effect (electd-operating(7),
 * CHANGING A CLUSTER). */
enum change {
	CHANGE_NOW,      /* the daemon applies it while it runs */
	CHANGE_RESTART,  /* a restart of this daemon applies it */
	CHANGE_CLUSTER,  /* all hosts must agree: a file of a later config
			  * version applies it, or, if the settings have no
			  * document, a restart of all daemons */
	CHANGE_IDENTITY, /* that is another cluster: all daemons restart */
};

enum config_kind {
	CONFIG_TEXT,    /* `size` bytes with its end; "": none */
	CONFIG_ADDRESS, /* likewise: address_fault(), canonical */
	CONFIG_WORD,    /* an enum: one of `words` */
	CONFIG_PREEMPT, /* likewise, and the next row is its delay */
	CONFIG_ALGORITHM,
	CONFIG_BYTE,     /* uint8_t, or bool of two: one of `words`, or of the
	                  * algorithm's variants */
	CONFIG_TRUTH,    /* bool */
	CONFIG_INT32,    /* int32_t */
	CONFIG_NUMBER,   /* uint32_t or unsigned */
	CONFIG_LONG,     /* uint64_t */
	CONFIG_DURATION, /* nsec_t */
	CONFIG_GROUP,    /* no value: a file groups rows "NAME.member" */
	/* Lists: `rows` has what an entry is. */
	CONFIG_SECTIONS, /* each a group of these rows */
	CONFIG_PAIRS,    /* of ids */
	CONFIG_VALUES,   /* like the one row */
	CONFIG_COMMAND,  /* of words; daemon/config/ reads and prints it */
};

/* Rows of one name follow each other, and are one setting. */
struct config_row {
	/* As in electd.conf(5): "timing.lease"; "*.join": in the group that an
	 * algorithm has. */
	const char *name;
	enum config_kind kind;
	size_t at;                /* in its struct */
	enum change change;       /* what a change of it needs */
	int64_t low, high;        /* BYTE, INT32, NUMBER, LONG, DURATION */
	const char *const *words; /* WORD, PREEMPT, BYTE */
	/* TEXT: says what is wrong with one, or NULL. */
	const char *(*fault)(const char *text);
	size_t size; /* bytes of a text, or of an entry of a list */

	/* Of a list. */
	const struct config_row *rows; /* what an entry has */
	size_t count_at;               /* where its number is, in the struct */
	size_t most;                   /* entries; 0: any number */
	bool is_apart;                 /* the struct has a pointer to it */

	/* In a file. */
	const char *initial;  /* the default as a file has it; NULL: none, 0 */
	const char *required; /* the advice where a file lacks it */
	unsigned choice;      /* algorithms with this enum choice have it; 0:
	                       * all have */
	bool is_negated;      /* TRUTH: a file has the opposite */
	bool is_optional;     /* 0 stands for none, and is not printed; a file
	                       * may have the text "" */
	bool is_hidden;       /* no file has it */

	/* What it means for the cluster. */
	bool is_counted;      /* by electd: it is not compared */
	bool needs_same_kind; /* of topology, to be compared */
	bool is_undigested;   /* hosts may differ in it */
};

/* A row without a name ends each table. */
extern const struct config_row config_rows[];
extern const struct config_row config_node_rows[];

/* The number of rows in config_rows. */
extern const size_t config_rows_count;

/* The bytes of a number, a word or a truth in its struct; 0: it is a text, an
 * algorithm, a group or a list. */
size_t config_bytes(const struct config_row *row);

/* Entry `i` of a list in its struct, const or not, as strchr() does. */
void *config_entry(const struct config_row *row, const void *of, size_t i);

/* The number of entries of a list; 0: it is none. */
size_t config_count(const struct config_row *row, const void *of);
void config_set_count(const struct config_row *row, void *of, size_t count);

/* The value of a row that is a number, a word or a truth in `of`, a struct
 * config or config_node; and its change. */
int64_t config_value(const struct config_row *row, const void *of);
void config_set(const struct config_row *row, void *of, int64_t value);

/* True if such a value is in the row's range. */
bool config_in_range(const struct config_row *row, int64_t value);

#endif
