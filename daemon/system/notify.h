/* SPDX-License-Identifier: ISC */
/*
 * Word to systemd by its datagram socket (sd_notify(3)), without its
 * library. Everything does nothing where NOTIFY_SOCKET is not set.
 */
#ifndef ELECTD_DAEMON_SYSTEM_NOTIFY_H
#define ELECTD_DAEMON_SYSTEM_NOTIFY_H

#include "common/util/types.h"

/* Opens the socket; to be called once, before any other. */
void notify_open(void);
void notify_close(void);

/* Is there anybody to be told? */
bool notify_is_heard(void);

void notify_ready(void);
void notify_stopping(void);

/* What is under way may take so long yet, whatever TimeoutStopSec= says. */
void notify_extend(nsec_t time);

/* The status line of `systemctl status`. */
void notify_status(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Half of WatchdogSec=, the time between two beats; 0: none is wanted. */
nsec_t notify_watchdog_interval(void);
void notify_watchdog(void);

#endif
