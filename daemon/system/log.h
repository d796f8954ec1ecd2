/* SPDX-License-Identifier: ISC */
/*
 * The daemon's log: one line an event, to stderr. If stderr is systemd's
 * journal (JOURNAL_STREAM), lines begin with a <priority> for journalctl -p
 * instead of the time and level. log_error() and log_warn() append the text of
 * errno; the x forms and all others do not. No function waits or changes errno;
 * only the loop's thread may call them once it runs.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOG_H
#define ELECTD_DAEMON_SYSTEM_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,  /* something does not work; an operator must act */
	LOG_LEVEL_WARN,   /* an operator should look into it */
	LOG_LEVEL_NOTICE, /* a normal change that matters */
	LOG_LEVEL_INFO,   /* the default */
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_TRACE, /* every step of the protocol */
};

#define LOG_FORMAT __attribute__((format(printf, 1, 2)))

/* Lines above this level are not written. */
void log_set_level(enum log_level level);
enum log_level log_level(void);

/* One for each level; the x forms leave out errno. */
void log_error(const char *format, ...) LOG_FORMAT;
void log_errorx(const char *format, ...) LOG_FORMAT;
void log_warn(const char *format, ...) LOG_FORMAT;
void log_warnx(const char *format, ...) LOG_FORMAT;
void log_notice(const char *format, ...) LOG_FORMAT;
void log_info(const char *format, ...) LOG_FORMAT;
void log_debug(const char *format, ...) LOG_FORMAT;
void log_trace(const char *format, ...) LOG_FORMAT;

#endif
