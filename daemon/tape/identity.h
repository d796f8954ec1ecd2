/* SPDX-License-Identifier: ISC */
/* The build of the core: programs of one build have one name, 64 hexadecimal
 * digits. identity.sh makes it. */
#ifndef ELECTD_DAEMON_TAPE_IDENTITY_H
#define ELECTD_DAEMON_TAPE_IDENTITY_H

#define BUILD_IDENTITY_MAX 65 /* bytes, and the end */

extern const char build_identity[BUILD_IDENTITY_MAX];

#endif
