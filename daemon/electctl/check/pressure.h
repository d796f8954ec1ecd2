/* SPDX-License-Identifier: ISC */
/*
 * The check `pressure`: how much of the last ten seconds the work of this host
 * has lost because it waited for a resource (PSI, the pressure stall
 * information of the kernel).
 */
#ifndef ELECTD_DAEMON_ELECTCTL_CHECK_PRESSURE_H
#define ELECTD_DAEMON_ELECTCTL_CHECK_PRESSURE_H

#include <stdbool.h>

/*
 * Finds avg10 in the text of a file of /proc/pressure: in its line "full", when
 * all work waited, or of the resource "cpu" in "some", when some did, as the
 * kernel knows no other there. Gives hundredths of a per cent, 0 to 10000.
 * False if the text is none. Pure.
 */
bool pressure_find(const char *text, const char *resource, unsigned *avg10);

/* Prints a line and gives 1 if more than `limit` per cent were lost, or the
 * kernel does not tell; else gives 0, as an exit status. `resource` is "cpu",
 * "io" or "memory". */
int pressure_check(const char *resource, unsigned limit);

#endif
