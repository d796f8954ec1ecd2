/* SPDX-License-Identifier: ISC */
#include "daemon/tape/tape_file.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "daemon/tape/identity.h"

static const char magic[8] = { 'e', 'l', 'e', 'c', 't', 'a', 'p', 'e' };

/* Bytes of a file before and after its names and halves, and of a half but for
 * its checkpoint and entries. */
#define REST_BYTES (sizeof(magic) + 4 + BUILD_IDENTITY_MAX - 1 + 4 + 8 + 8 + 3)
#define HALF_BYTES (8 + 4 + 4)

void
tape_file_digest(
    uint8_t digest[TAPE_FILE_DIGEST], const uint8_t *bytes, size_t size)
{
	int rc =
	    crypto_generichash(digest, TAPE_FILE_DIGEST, bytes, size, NULL, 0);

	assert(rc == 0);
}

static size_t
name_size(const char *name)
{
	return strnlen(name, TAPE_NAME_MAX - 1);
}

size_t
tape_file_size(const struct tape *tape, const struct tape_head *head)
{
	size_t size = REST_BYTES + TAPE_FILE_DIGEST + name_size(head->name) +
		      name_size(head->cluster);
	struct reel reels[2];
	unsigned count = reels_of(tape, reels);

	for (unsigned i = 0; i < count; i++)
		size += HALF_BYTES + reels[i].checkpoint_size +
			reels[i].entries_size;
	return size;
}

static void
write_name(struct writer *w, const char *name)
{
	write_u8(w, (uint8_t)name_size(name));
	write_bytes(w, name, name_size(name));
}

static void
write_reel(struct writer *w, const struct reel *reel)
{
	write_u64(w, reel->first);
	write_u32(w, (uint32_t)reel->checkpoint_size);
	write_bytes(w, reel->checkpoint, reel->checkpoint_size);
	write_u32(w, (uint32_t)reel->entries_size);
	write_bytes(w, reel->entries, reel->entries_size);
}

void
tape_file_write(
    const struct tape *tape, const struct tape_head *head, uint8_t *bytes)
{
	struct writer w = writer_of(bytes, tape_file_size(tape, head));
	uint8_t digest[TAPE_FILE_DIGEST];
	struct reel reels[2];
	unsigned count = reels_of(tape, reels);

	write_bytes(&w, magic, sizeof(magic));
	write_u32(&w, TAPE_FILE_VERSION);
	write_bytes(&w, build_identity, BUILD_IDENTITY_MAX - 1);
	write_u32(&w, head->id);
	write_u64(&w, head->incarnation);
	write_u64(&w, (uint64_t)head->epoch_ns);
	write_name(&w, head->name);
	write_name(&w, head->cluster);
	write_u8(&w, (uint8_t)count);
	for (unsigned i = 0; i < count; i++)
		write_reel(&w, &reels[i]);
	tape_file_digest(digest, bytes, w.size);
	write_bytes(&w, digest, sizeof(digest));
	assert(!w.failed);
	assert(w.size == w.capacity);
}

/* A value is out of its range: nothing more is read. */
static void
fail(struct reader *r)
{
	r->failed = true;
	r->left = 0;
}

/* A text for a terminal: no byte that the terminal would act on. */
static void
hide_strange(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '.';
	}
}

static void
read_name(struct reader *r, char name[TAPE_NAME_MAX])
{
	size_t size = read_u8(r);

	name[0] = '\0';
	if (size >= TAPE_NAME_MAX) {
		fail(r);
		return;
	}
	read_bytes(r, name, size);
	name[size] = '\0';
	hide_strange(name, size);
}

static void
read_reel(struct reader *r, struct reel *reel)
{
	reel->first = read_u64(r);
	reel->checkpoint_size = read_u32(r);
	reel->checkpoint = read_run(r, reel->checkpoint_size);
	reel->entries_size = read_u32(r);
	reel->entries = read_run(r, reel->entries_size);
}

static bool
read_rest(struct reader *r, struct tape_file *file)
{
	struct tape_head *head = &file->head;

	head->id = read_u32(r);
	head->incarnation = read_u64(r);
	head->epoch_ns = (int64_t)read_u64(r);
	read_name(r, head->name);
	read_name(r, head->cluster);
	file->reels_count = read_u8(r);
	if (file->reels_count < 1 || file->reels_count > 2)
		return false;
	for (unsigned i = 0; i < file->reels_count; i++)
		read_reel(r, &file->reels[i]);
	return reader_at_end(r) && head->id != NODE_NONE &&
	       head->id <= NODE_ID_MAX;
}

/* True if the last bytes are the digest of those before. */
static bool
is_whole(const uint8_t *bytes, size_t size)
{
	uint8_t digest[TAPE_FILE_DIGEST];

	if (size < sizeof(digest))
		return false;
	tape_file_digest(digest, bytes, size - sizeof(digest));
	return memcmp(digest, bytes + size - sizeof(digest), sizeof(digest)) ==
	       0;
}

static enum tape_file_kind
refuse(char error[TAPE_FILE_ERROR_MAX], const char *why)
{
	snprintf(error, TAPE_FILE_ERROR_MAX, "%s", why);
	return TAPE_FILE_NONE;
}

enum tape_file_kind
tape_file_read(struct tape_file *file, const uint8_t *bytes, size_t size,
    char error[TAPE_FILE_ERROR_MAX])
{
	struct reader r = reader_of(bytes, size);
	char build[BUILD_IDENTITY_MAX] = "", begin[sizeof(magic)];
	uint32_t version;

	*file = (struct tape_file){ .reels_count = 0 };
	read_bytes(&r, begin, sizeof(begin));
	version = read_u32(&r);
	if (r.failed || memcmp(begin, magic, sizeof(magic)) != 0)
		return refuse(error, "is no tape");
	if (version != TAPE_FILE_VERSION) {
		snprintf(error, TAPE_FILE_ERROR_MAX,
		    "is a tape in the form %u, and this program knows form %d",
		    (unsigned)version, TAPE_FILE_VERSION);
		return TAPE_FILE_NONE;
	}
	if (!is_whole(bytes, size))
		return refuse(error, "is damaged, or not all of a tape");
	read_bytes(&r, build, BUILD_IDENTITY_MAX - 1);
	hide_strange(build, BUILD_IDENTITY_MAX - 1);
	if (memcmp(build, build_identity, BUILD_IDENTITY_MAX - 1) != 0) {
		snprintf(error, TAPE_FILE_ERROR_MAX,
		    "is of another build, %.12s, and this program is of build %.12s: only electsim of that build can replay it",
		    build, build_identity);
		return TAPE_FILE_FOREIGN;
	}
	r.left -= TAPE_FILE_DIGEST;
	return read_rest(&r, file) ? TAPE_FILE_GOOD
				   : refuse(error, "makes no sense as a tape");
}
