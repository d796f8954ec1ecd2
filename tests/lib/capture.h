/* SPDX-License-Identifier: ISC */
/* What is written to stderr, for tests of the log, and to stdout. */
#ifndef ELECTD_TESTS_LIB_CAPTURE_H
#define ELECTD_TESTS_LIB_CAPTURE_H

/* From now on stderr is a file of ours; as systemd has it, its lines go to the
 * journal. */
void capture(void);
void capture_as_journal(void);

/* Likewise both stdout and stderr. */
void capture_stdout(void);

/* All that was written since then; both are as they were. Valid until the next
 * call. */
const char *captured(void);

#endif
