/* SPDX-License-Identifier: ISC */
/*
 * A tape as a file: the bytes as they are, and as what follows the name of this
 * build, with the digest that they must have. All entries of a tape that is
 * good are read, and nothing is played: a checkpoint is not checked in full,
 * and electsim plays it without rights (tests/model/sim/replay/confine.c).
 */
#include "tests/model/fuzz/feed.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/tape/identity.h"
#include "daemon/tape/tape_file.h"

#define BEGIN_BYTES (12 + BUILD_IDENTITY_MAX - 1)

/* What is read is in its range, and inside the reel. */
static void
check_entry(const struct entry *in, const struct reel *reel)
{
	const uint8_t *end = reel->entries + reel->entries_size;

	assert(in->kind < TAPE_KINDS);
	assert(in->size <= PACKET_MAX + 1);
	assert(in->document == NULL ||
	       (in->document >= reel->entries &&
		   in->document + in->document_size <= end));
	if (in->setup == NULL)
		return;
	assert(in->setup->peers_count < NODES_MAX);
	assert(in->setup->ring.right_count <= in->setup->peers_count);
	assert(in->setup->ring.left_count <= in->setup->peers_count);
	assert(in->setup->document == NULL ||
	       in->setup->document + in->setup->document_size <= end);
}

static void
read_reel(const struct reel *reel)
{
	static struct entry_room room;
	struct entry in;
	struct reader r = reader_of(reel->entries, reel->entries_size);
	struct checkpoint checkpoint;

	if (entry_read_checkpoint(&r, &checkpoint)) {
		assert(strlen(checkpoint.algorithm) < RECORD_NAME_MAX);
		assert(checkpoint.document == NULL ||
		       checkpoint.document + checkpoint.document_size <=
			   reel->entries + reel->entries_size);
	} else {
		r = reader_of(reel->entries, reel->entries_size);
	}
	while (r.left > 0 && entry_read(&r, &in, &room)) {
		check_entry(&in, reel);
		assert(strlen(room.algorithm) < RECORD_NAME_MAX);
	}
}

static bool
read_file(const uint8_t *bytes, size_t size)
{
	char error[TAPE_FILE_ERROR_MAX] = "";
	struct tape_file file;

	if (tape_file_read(&file, bytes, size, error) != TAPE_FILE_GOOD) {
		assert(error[0] != '\0');
		return false;
	}
	assert(file.reels_count >= 1);
	assert(file.reels_count <= 2);
	for (unsigned i = 0; i < file.reels_count; i++)
		read_reel(&file.reels[i]);
	return true;
}

void
feed_tape(const uint8_t *bytes, size_t size)
{
	size_t whole = BEGIN_BYTES + size + TAPE_FILE_DIGEST;
	uint8_t *file = malloc(whole);
	struct writer w = writer_of(file, whole);
	struct reel reel = { .entries = bytes, .entries_size = size };
	uint8_t digest[TAPE_FILE_DIGEST];

	assert(file != NULL);
	(void)read_file(bytes, size);
	read_reel(&reel);
	write_bytes(&w, "electape", 8);
	write_u32(&w, TAPE_FILE_VERSION);
	write_bytes(&w, build_identity, BUILD_IDENTITY_MAX - 1);
	write_bytes(&w, bytes, size);
	tape_file_digest(digest, file, w.size);
	write_bytes(&w, digest, sizeof(digest));
	assert(!w.failed);
	(void)read_file(file, whole);
	free(file);
}
