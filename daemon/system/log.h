/* SPDX-License-Identifier: ISC */
/*
 * The daemon's log: stderr, one line an event that an operator can act on.
 * Under systemd (JOURNAL_STREAM set) lines bear a <priority> prefix instead of
 * a time, by which journalctl -p selects them. The x forms say that errno is
 * not interesting.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOG_H
#define ELECTD_DAEMON_SYSTEM_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,   /* somebody has to see to it */
	LOG_LEVEL_NOTICE, /* it has changed, as things do */
	LOG_LEVEL_INFO,   /* the default */
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_TRACE, /* every step of the protocol */
};

#define LOG_FORMAT __attribute__((format(printf, 1, 2)))

void log_set_level(enum log_level level);
enum log_level log_level(void);

/* Logs, and leaves errno as it was. */
void log_error(const char *format, ...) LOG_FORMAT;
void log_errorx(const char *format, ...) LOG_FORMAT;
void log_warn(const char *format, ...) LOG_FORMAT;
void log_warnx(const char *format, ...) LOG_FORMAT;
void log_notice(const char *format, ...) LOG_FORMAT;
void log_info(const char *format, ...) LOG_FORMAT;
void log_debug(const char *format, ...) LOG_FORMAT;
void log_trace(const char *format, ...) LOG_FORMAT;

#endif
