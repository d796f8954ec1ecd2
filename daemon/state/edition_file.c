/* SPDX-License-Identifier: ISC */
#include "daemon/state/edition_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "daemon/state/kept_file.h"

#define KIND           "settings"
#define SUM            "# sum " /* a comment to who reads the document */
#define SUM_BYTES      (sizeof(SUM) - 1)
#define CHECKSUM_BYTES 32 /* BLAKE2b of what precedes the line */
#define LINE_BYTES     (SUM_BYTES + 2 * CHECKSUM_BYTES + 1)

/* Writes the last line, and a NUL. */
static void
sum_line(char line[LINE_BYTES + 1], const char *document, size_t size)
{
	uint8_t sum[CHECKSUM_BYTES];
	char *hex = line + SUM_BYTES;

	memcpy(line, SUM, SUM_BYTES);
	crypto_generichash(
	    sum, sizeof(sum), (const uint8_t *)document, size, NULL, 0);
	sodium_bin2hex(hex, 2 * CHECKSUM_BYTES + 1, sum, sizeof(sum));
	memcpy(line + LINE_BYTES - 1, "\n", 2);
}

int
edition_file_write(
    const struct settings *settings, const char *document, size_t size)
{
	char line[LINE_BYTES + 1], *bytes = malloc(size + LINE_BYTES);
	int status = -ENOMEM;

	assert(size <= DOCUMENT_MAX);
	if (bytes != NULL) {
		sum_line(line, document, size);
		memcpy(bytes, document, size);
		memcpy(bytes + size, line, LINE_BYTES);
		status =
		    kept_file_write(settings, KIND, bytes, size + LINE_BYTES);
	}
	free(bytes);
	return status;
}

/* Takes off the last line. */
static int
check_sum(const char *bytes, size_t *size)
{
	char line[LINE_BYTES + 1];
	size_t before;

	if (*size <= LINE_BYTES)
		return -EBADMSG;
	before = *size - LINE_BYTES;
	*size = before;
	sum_line(line, bytes, before);
	return memcmp(bytes + before, line, LINE_BYTES) == 0 ? 0 : -EBADMSG;
}

int
edition_file_read(
    const struct settings *settings, char **document, size_t *size)
{
	const size_t max = DOCUMENT_MAX + LINE_BYTES;
	char *bytes = malloc(max);
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
