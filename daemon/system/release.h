/* SPDX-License-Identifier: ISC */
/* Releases of electd as text: "0.2.0". */
#ifndef ELECTD_DAEMON_SYSTEM_RELEASE_H
#define ELECTD_DAEMON_SYSTEM_RELEASE_H

#include <stdint.h>

#define RELEASE_TEXT_MAX 16 /* "65535.255.255" and its end */

/* The number by which nodes tell their release: 16 bits for the major, 8 for
 * the minor, 8 for the patch number. 0: the text is no release. */
uint32_t release_read(const char *text);

/* Returns `text`. */
const char *release_text(uint32_t release, char text[RELEASE_TEXT_MAX]);

#endif
