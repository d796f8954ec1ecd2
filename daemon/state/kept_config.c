/* SPDX-License-Identifier: ISC */
#include "daemon/state/kept_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "daemon/state/kept_file.h"

#define KIND      "settings"
#define SUM_BYTES ((size_t)32) /* BLAKE2b of what precedes it */

static void
sum_of(uint8_t sum[SUM_BYTES], const uint8_t *document, size_t size)
{
	crypto_generichash(sum, SUM_BYTES, document, size, NULL, 0);
}

int
kept_config_write(
    const struct settings *settings, const void *document, size_t size)
{
	uint8_t *bytes = malloc(size + SUM_BYTES);
	int status = -ENOMEM;

	assert(size <= DOCUMENT_MAX);
	if (bytes != NULL) {
		memcpy(bytes, document, size);
		sum_of(bytes + size, bytes, size);
		status =
		    kept_file_write(settings, KIND, bytes, size + SUM_BYTES);
	}
	free(bytes);
	return status;
}

/* Takes off the checksum. */
static int
check_sum(const uint8_t *bytes, size_t *size)
{
	uint8_t sum[SUM_BYTES];

	if (*size <= SUM_BYTES)
		return -EBADMSG;
	*size -= SUM_BYTES;
	sum_of(sum, bytes, *size);
	return memcmp(bytes + *size, sum, SUM_BYTES) == 0 ? 0 : -EBADMSG;
}

int
kept_config_read(
    const struct settings *settings, uint8_t **document, size_t *size)
{
	const size_t max = DOCUMENT_MAX + SUM_BYTES;
	uint8_t *bytes = malloc(max);
	int status = -ENOMEM;

	if (bytes != NULL)
		status = kept_file_read(settings, KIND, bytes, max, size);
	if (status == 0)
		status = check_sum(bytes, size);
	if (status == 0)
		*document = bytes;
	else
		free(bytes);
	return status;
}
