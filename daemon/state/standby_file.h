/* SPDX-License-Identifier: ISC */
/*
 * That an operator has set this node aside, kept as CLUSTER-ID.standby in the
 * state directory (PROTOCOL.md, Standby): after a restart the node is aside
 * from the beginning. There is no such file otherwise. It is no part of the
 * state file, as it holds no promise.
 */
#ifndef ELECTD_DAEMON_STATE_STANDBY_FILE_H
#define ELECTD_DAEMON_STATE_STANDBY_FILE_H

#include "common/wire/standby.h"
#include "daemon/config/settings.h"

/* Bytes of the file, at most: the head, the standby, and the checksum. */
#define STANDBY_FILE_MAX                                                       \
	(8 + 4 + 4 + NAME_MAX_BYTES + 8 + STANDBY_BYTES + STANDBY_REASON_MAX + \
	    32)

/* The bytes of a standby as of `wall`, a time of clock_wall(). Returns their
 * number. */
size_t standby_file_encode(const struct settings *settings,
    const struct standby *standby, nsec_t wall,
    uint8_t bytes[STANDBY_FILE_MAX]);

/* Reads these bytes. False if they are not those of this node, or damaged:
 * *standby and *wall are then unspecified. */
bool standby_file_decode(const struct settings *settings, const uint8_t *bytes,
    size_t size, struct standby *standby, nsec_t *wall);

/* Keeps a standby as of `wall`, or removes the file if it is off. Waits for the
 * disk. Returns 0 or a negative errno. */
int standby_file_write(const struct settings *settings,
    const struct standby *standby, nsec_t wall);

/*
 * The standby that was kept, as of `wall`. The wall clock says how much of it
 * is left: if that was set back to before it began, all is. One that cannot be
 * read lasts until an operator ends it, as somebody has set the node aside; its
 * error is logged. One that is over is removed.
 */
struct standby standby_file_recall(
    const struct settings *settings, nsec_t wall);

#endif
