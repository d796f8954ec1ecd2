/* SPDX-License-Identifier: ISC */
/*
 * Cluster keys: 32 random bytes, in base64, in a file that only its owner may
 * read.
 */
#ifndef ELECTD_DAEMON_SYSTEM_RIGHTS_KEY_H
#define ELECTD_DAEMON_SYSTEM_RIGHTS_KEY_H

#include <stdio.h>

#include "common/util/types.h"

/*
 * Reads the key in `path`. Refuses a symbolic link, a file that is not regular
 * or has more than one link, one that group or others may access, one that
 * belongs neither to root nor to us, and one that holds no key. Then writes one
 * line with the reason to `errors` and returns false.
 */
bool key_read(const char *path, uint8_t key[KEY_BYTES], FILE *errors);

#define KEY_TEXT_MAX 48 /* base64 of KEY_BYTES and its end */

#define FINGERPRINT_MAX 65 /* a SHA-256 in hexadecimal, and its end */

/* Writes what sha256sum prints of a file in which electctl keygen has put this
 * key. */
void key_fingerprint(const uint8_t key[KEY_BYTES], char text[FINGERPRINT_MAX]);

/* Writes a new random key as the text of a key file, without a newline. */
void key_generate(char text[KEY_TEXT_MAX]);

#endif
