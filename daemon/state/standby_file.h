/* SPDX-License-Identifier: ISC */
/*
 * The file CLUSTER-ID.standby in the state directory, which exists while an
 * operator has this node on standby (PROTOCOL.md, Standby): after a restart the
 * node is on standby from the beginning. The standby is no part of the state
 * file, as it is no promise.
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
 * The standby that was kept, as of `wall`. What is left of its time follows
 * from the wall clock; if that was set back to before the standby began, all of
 * the time is left. A standby that cannot be read lasts until an operator ends
 * it, as somebody wanted one; the error is logged. A standby that
 * is over is removed.
 */
struct standby standby_file_recall(
    const struct settings *settings, nsec_t wall);

#endif
