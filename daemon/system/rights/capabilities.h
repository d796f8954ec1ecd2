/* SPDX-License-Identifier: ISC */
/* Capabilities of this thread, as bits: 1U << CAP_NET_ADMIN. */
#ifndef ELECTD_DAEMON_SYSTEM_RIGHTS_CAPABILITIES_H
#define ELECTD_DAEMON_SYSTEM_RIGHTS_CAPABILITIES_H

#include <stdbool.h>

#include <linux/capability.h>

/* True if this thread has the capability. */
bool capabilities_has(unsigned capability);

/* Gives up all capabilities but those in `kept`, of which it need not have any.
 * Gives them up for good if confine_rights() was called. False, with errno, if
 * the kernel refuses. */
bool capabilities_keep(unsigned kept);

#endif
