/* SPDX-License-Identifier: ISC */
/* What is written to stderr, for tests of the log. */
#ifndef ELECTD_TESTS_CAPTURE_H
#define ELECTD_TESTS_CAPTURE_H

/* From now on stderr is a file of ours; as systemd has it, its lines go to the
 * journal. */
void capture(void);
void capture_as_journal(void);

/* All that was written since then; stderr is as it was. Valid until the next
 * call. */
const char *captured(void);

#endif
