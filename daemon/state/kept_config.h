/* SPDX-License-Identifier: ISC */
/*
 * The document that a node learned from another and that is later than its
 * host's file (PROTOCOL.md, Configurations), kept as CLUSTER-ID.settings in the
 * state directory: after a restart the node begins with it. It ends with a
 * checksum, without which one bit of a bad disk could become the settings of
 * the cluster.
 */
#ifndef ELECTD_DAEMON_STATE_KEPT_CONFIG_H
#define ELECTD_DAEMON_STATE_KEPT_CONFIG_H

#include "daemon/config/settings.h"

/* Keeps a document of 1 to DOCUMENT_MAX bytes in place of any before. Waits for
 * the disk. Returns 0, or a negative errno: then the one before is kept. */
int kept_config_write(
    const struct settings *settings, const void *document, size_t size);

/*
 * Reads the document that is kept. Returns 0 and *document, which the caller
 * frees, with *size bytes; or a negative errno: -ENOENT if there is none,
 * -EFBIG if it is too large, -EBADMSG if it is damaged, or has no checksum.
 */
int kept_config_read(
    const struct settings *settings, uint8_t **document, size_t *size);

#endif
