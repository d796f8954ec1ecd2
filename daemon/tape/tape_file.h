/* SPDX-License-Identifier: ISC */
/*
 * A tape as a file. Its integers are big-endian:
 *
 *   8   "electape"
 *   4   the version of this form
 *   64  the build (identity.h), in hexadecimal digits
 *   4   the node's id
 *   8   its incarnation
 *   8   zero of its clock, in nanoseconds since 1970, UTC
 *       its name and that of the cluster, each a byte with the size before it
 *   1   how many halves follow, 1 or 2, the earlier one first; of each
 *         8   how many inputs came before it
 *         4   bytes of the checkpoint, and the checkpoint
 *         4   bytes of the entries, and the entries (PROTOCOL.md, Tape)
 *   32  BLAKE2b-256 of all bytes before
 *
 * The digest finds damage; it is no proof of who wrote the file.
 */
#ifndef ELECTD_DAEMON_TAPE_TAPE_FILE_H
#define ELECTD_DAEMON_TAPE_TAPE_FILE_H

#include "daemon/tape/playback.h"

#define TAPE_FILE_VERSION 1
#define TAPE_FILE_MAX     ((size_t)64 << 20) /* a thousand nodes take 24 MiB */
#define TAPE_FILE_DIGEST  32
#define TAPE_NAME_MAX     64 /* bytes of a name, and its end */

/* The node of a tape. */
struct tape_head {
	node_id id;
	uint64_t incarnation;
	int64_t epoch_ns;
	char name[TAPE_NAME_MAX];
	char cluster[TAPE_NAME_MAX];
};

/* The size of the file of a tape, after tape_flush(). */
size_t tape_file_size(const struct tape *tape, const struct tape_head *head);

/* Writes tape_file_size() bytes. Allocates nothing and waits for nothing. */
void tape_file_write(
    const struct tape *tape, const struct tape_head *head, uint8_t *bytes);

struct tape_file {
	struct tape_head head;
	struct reel reels[2]; /* borrowed from the bytes */
	unsigned reels_count;
};

enum tape_file_kind {
	TAPE_FILE_GOOD,
	TAPE_FILE_NONE,    /* no tape, of another version, or damaged */
	TAPE_FILE_FOREIGN, /* a tape of another build */
};

#define TAPE_FILE_ERROR_MAX 200 /* bytes of a sentence, and its end */

/* Reads a file, any bytes. Sets `error` to the reason unless the file is
 * good. */
enum tape_file_kind tape_file_read(struct tape_file *file, const uint8_t *bytes,
    size_t size, char error[TAPE_FILE_ERROR_MAX]);

/* The digest of these bytes. */
void tape_file_digest(
    uint8_t digest[TAPE_FILE_DIGEST], const uint8_t *bytes, size_t size);

#endif
