/* SPDX-License-Identifier: ISC */
/*
 * Cluster keys: 32 random bytes, base64, in a file that only its owner may
 * read.
 */
#ifndef ELECTD_DAEMON_SYSTEM_KEY_H
#define ELECTD_DAEMON_SYSTEM_KEY_H

#include <stdio.h>

#include "common/util/types.h"

/*
 * Reads the key in `path` (opened with O_NOFOLLOW; refused if it is no
 * regular file, has more than one link, is open to group or others, belongs
 * to neither root nor us, or holds no key). False with one line to `errors`.
 */
bool key_read(const char *path, uint8_t key[KEY_BYTES], FILE *errors);

#define KEY_TEXT_MAX 48 /* base64 of KEY_BYTES and its end */

/* A new random key as the text of a key file, without a newline. */
void key_generate(char text[KEY_TEXT_MAX]);

#endif
