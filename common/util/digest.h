/* SPDX-License-Identifier: ISC */
/*
 * A running digest of 64 bits, to compare what two programs have done. It is
 * fast, and no seal: whoever wants to can make two texts of one digest.
 */
#ifndef ELECTD_COMMON_UTIL_DIGEST_H
#define ELECTD_COMMON_UTIL_DIGEST_H

#include <string.h>

#include "common/util/types.h"

/* The digest of all that `digest` is of, followed by `word`. */
static inline uint64_t
digest_word(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 32;
}

/* The same of `size` bytes. */
static inline uint64_t
digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	digest = digest_word(digest, size);
	while (size > 0) {
		size_t run = size < sizeof(uint64_t) ? size : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, at, run);
		digest = digest_word(digest, word);
		at += run;
		size -= run;
	}
	return digest;
}

#endif
