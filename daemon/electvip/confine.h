/* SPDX-License-Identifier: ISC */
/* The rights of electvip: before it acts it gives up all others for good. */
#ifndef ELECTD_DAEMON_ELECTVIP_CONFINE_H
#define ELECTD_DAEMON_ELECTVIP_CONFINE_H

#include <stdbool.h>

/* True if this process has CAP_NET_ADMIN. */
bool electvip_may_act(void);

/* Keeps CAP_NET_ADMIN alone of all capabilities, and the system calls of the
 * loop alone: no file is opened any more, and no program run. False, with
 * errno, if the kernel refuses. */
bool electvip_confine(void);

#endif
