/* SPDX-License-Identifier: ISC */
/* Keeps what a process writes to stderr or stdout, for a test to look at. */
#ifndef ELECTD_TESTS_LIB_CAPTURE_H
#define ELECTD_TESTS_LIB_CAPTURE_H

/* Sends stderr to a file of ours. capture_as_journal() also sets the variable
 * by which systemd tells that lines go to the journal. */
void capture(void);
void capture_as_journal(void);

/* Sends both stdout and stderr there. */
void capture_stdout(void);

/* Restores both, and gives all that was written since then. Valid until the
 * next call. */
const char *captured(void);

#endif
