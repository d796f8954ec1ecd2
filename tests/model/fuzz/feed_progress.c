/* SPDX-License-Identifier: ISC */
/* A message of a command that says that it makes progress. */
#include "tests/model/fuzz/feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/electctl/run/progress.h"

#define LIMIT (5 * SEC)
#define NOW   (100 * SEC)

void
feed_progress(const uint8_t *bytes, size_t size)
{
	struct progress progress;
	/* Without a byte behind it, which a sanitizer sees being read. */
	char *message = malloc(size + (size == 0)), fault[64];
	nsec_t late_at;

	assert(message != NULL);
	memcpy(message, bytes, size);
	progress_init(&progress, LIMIT);
	progress_begin(&progress, NOW);
	progress_take(&progress, NOW + SEC, message, size);
	late_at = progress_due_at(&progress);
	assert(late_at == NOW + PROGRESS_START || late_at == NOW + SEC ||
	       late_at == NOW + SEC + LIMIT);
	assert(progress.is_ready == (late_at == NOW + SEC + LIMIT));
	assert(progress.has_failed == (late_at == NOW + SEC));
	/* The same once more changes nothing more. */
	progress_take(&progress, NOW + SEC, message, size);
	assert(progress_due_at(&progress) == late_at);
	assert(!progress_fault(
	    &progress, late_at - 1, "job", fault, sizeof(fault)));
	assert(progress_fault(&progress, late_at, "job", fault, sizeof(fault)));
	free(message);
}
