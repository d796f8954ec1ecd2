/* SPDX-License-Identifier: ISC */
/*
 * The last leaders that this node has seen, and the file CLUSTER-ID.leaders of
 * the state directory (PROTOCOL.md, Leaders file bytes), by which they outlive
 * the process. The file is no promise: a node decides nothing by it.
 */
#ifndef ELECTD_DAEMON_STATE_REIGNS_H
#define ELECTD_DAEMON_STATE_REIGNS_H

#include "common/wire/reason.h"
#include "daemon/config/settings.h"

#define REIGNS_MAX     200 /* 35 KiB: a change a day for half a year */
#define REIGN_BYTES    (3 * 8 + 4 + REASON_BYTES + 2 * NAME_MAX_BYTES + 16)
#define REIGNS_HEAD    (8 + 4 + 4 + NAME_MAX_BYTES)
#define REIGNS_BYTES   (REIGNS_HEAD + REIGNS_MAX * REIGN_BYTES)
#define REIGN_WALL_MAX ((nsec_t)INT64_MAX) /* the year 2262 */

/* One leader in one term, as this node saw it. */
struct reign {
	nsec_t wall;          /* when this node took the leader: since 1970 */
	nsec_t leaderless;    /* how long this node knew of no leader before;
	                       * NSEC_NEVER: not known */
	uint64_t term;        /* 0 to TERM_MAX */
	node_id leader;       /* never NODE_NONE */
	struct reason reason; /* of the change */
	char name[NAME_MAX_BYTES];        /* of the leader; "": not known */
	char reason_name[NAME_MAX_BYTES]; /* of reason.node, likewise */
};

struct reigns {
	unsigned count;
	struct reign list[REIGNS_MAX]; /* the oldest first */
};

/* Adds the newest, and forgets the oldest if there are too many. */
void reigns_add(struct reigns *reigns, const struct reign *reign);

/* Writes the file of this node. Returns the number of its bytes. */
size_t reigns_encode(const struct settings *settings,
    const struct reigns *reigns, uint8_t bytes[REIGNS_BYTES]);

/* Reads a file of any bytes: all records that are sound, and this node's. False
 * if anything else was in it. */
bool reigns_decode(const struct settings *settings, const uint8_t *bytes,
    size_t size, struct reigns *reigns);

/* Keeps these in place of any before. Waits for the disk. Returns 0, or a
 * negative errno: then the file before is kept. */
int reigns_write(const struct settings *settings, const struct reigns *reigns);

/* Reads what is kept, which may be nothing. False if some or all of it could
 * not be read, which has been logged. */
bool reigns_recall(const struct settings *settings, struct reigns *reigns);

#endif
