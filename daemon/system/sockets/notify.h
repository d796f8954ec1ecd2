/* SPDX-License-Identifier: ISC */
/*
 * Messages to systemd through its datagram socket, as sd_notify(3) describes
 * them, without its library. All functions do nothing if NOTIFY_SOCKET is not
 * set. Only the loop's thread may call them.
 */
#ifndef ELECTD_DAEMON_SYSTEM_SOCKETS_NOTIFY_H
#define ELECTD_DAEMON_SYSTEM_SOCKETS_NOTIFY_H

#include "common/util/types.h"

/* Opens the socket and removes systemd's variables from the environment, so
 * that no child sends messages in our name. Call this once, first. */
void notify_open(void);

/* Closes the socket. Harmless if it is not open. */
void notify_close(void);

/* True if systemd listens. */
bool notify_is_heard(void);

/* The start is complete. Waits while systemd's queue is full, because without
 * this message the start fails. The other messages never wait. */
void notify_ready(void);

/* The daemon has begun to stop. */
void notify_stopping(void);

/* Asks for `time` more to start or stop, whatever TimeoutStopSec= says. */
void notify_extend(nsec_t time);

/* Sets the status line of `systemctl status`. Cuts it after 255 bytes. */
void notify_status(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The time from one call of notify_watchdog() to the next: half of
 * WatchdogSec=. 0: no calls. */
nsec_t notify_watchdog_interval(void);

/* The daemon runs: restarts systemd's watchdog timer. */
void notify_watchdog(void);

#endif
