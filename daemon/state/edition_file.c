/* SPDX-License-Identifier: ISC */
#include "daemon/state/edition_file.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/state/kept_file.h"

#define KIND "settings"

int
edition_file_write(
    const struct settings *settings, const char *document, size_t size)
{
	assert(size <= DOCUMENT_MAX);
	return kept_file_write(settings, KIND, document, size);
}

int
edition_file_read(
    const struct settings *settings, char **document, size_t *size)
{
	char *bytes = malloc(DOCUMENT_MAX);
	int status = -ENOMEM;

	if (bytes != NULL)
		status =
		    kept_file_read(settings, KIND, bytes, DOCUMENT_MAX, size);
	if (status == 0)
		*document = bytes;
	else
		free(bytes);
	return status;
}
