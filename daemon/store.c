/* SPDX-License-Identifier: ISC */
#include "daemon/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bytes.h"
#include "daemon/log.h"

#define MAGIC          "electd\r\n" /* a copy in text mode would break it */
#define MAGIC_BYTES    8
#define VERSION        1
#define CLUSTER_BYTES  64 /* the name, padded with zeros */
#define CHECKSUM_BYTES 32 /* BLAKE2b of all before it */
#define BODY_BYTES     (MAGIC_BYTES + 4 + 4 + 8 + CLUSTER_BYTES)
#define RECORD_BYTES   (BODY_BYTES + CHECKSUM_BYTES)
#define FILE_NAME_MAX  96 /* CLUSTER_BYTES, ten digits and ".state.new" */

/*
 * The lock is on a file of its own, which is never removed: a lock on the
 * state file would go with the file that the rename replaces, and a lock file
 * removed at the end could be locked by two, each with another inode of that
 * name. Under the lock the name of the new file is ours alone.
 */
struct store {
	int directory;
	int lock;
	node_id id;
	char cluster[CLUSTER_BYTES];
	char name[FILE_NAME_MAX];     /* CLUSTER-ID.state */
	char new_name[FILE_NAME_MAX]; /* CLUSTER-ID.state.new */
};

static void
record_encode(const struct store *store, uint64_t incarnation,
    uint8_t record[RECORD_BYTES])
{
	struct writer w = writer_of(record, RECORD_BYTES);
	uint8_t checksum[CHECKSUM_BYTES];

	write_bytes(&w, MAGIC, MAGIC_BYTES);
	write_u32(&w, VERSION);
	write_u32(&w, store->id);
	write_u64(&w, incarnation);
	write_bytes(&w, store->cluster, CLUSTER_BYTES);
	crypto_generichash(
	    checksum, sizeof(checksum), record, BODY_BYTES, NULL, 0);
	write_bytes(&w, checksum, sizeof(checksum));
	assert(!w.failed);
	assert(w.size == RECORD_BYTES);
}

/* NULL and *incarnation, or what is wrong with these bytes. */
static const char *
record_decode(const struct store *store, const uint8_t *bytes, size_t size,
    uint64_t *incarnation)
{
	struct reader r = reader_of(bytes, size);
	uint8_t magic[MAGIC_BYTES], sum[CHECKSUM_BYTES], right[CHECKSUM_BYTES];
	char cluster[CLUSTER_BYTES];
	uint32_t version, id;
	uint64_t value;

	read_bytes(&r, magic, sizeof(magic));
	version = read_u32(&r);
	id = read_u32(&r);
	value = read_u64(&r);
	read_bytes(&r, cluster, sizeof(cluster));
	read_bytes(&r, sum, sizeof(sum));
	if (!reader_at_end(&r))
		return "wrong size";
	if (memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return "no state of electd";
	crypto_generichash(right, sizeof(right), bytes, BODY_BYTES, NULL, 0);
	if (memcmp(sum, right, sizeof(sum)) != 0)
		return "wrong checksum";
	if (version != VERSION)
		return "unknown version";
	if (id != store->id ||
	    memcmp(cluster, store->cluster, sizeof(cluster)) != 0)
		return "of another node or cluster";
	if (value >= INCARNATION_MAX)
		return "an absurd incarnation";
	*incarnation = value;
	return NULL;
}

/* Reads until the end or `capacity`: the size, or a negative errno. */
static ssize_t
read_all(int file, uint8_t *bytes, size_t capacity)
{
	size_t size = 0;

	while (size < capacity) {
		ssize_t got = read(file, bytes + size, capacity - size);
		if (got == 0)
			break;
		if (got > 0)
			size += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
	return (ssize_t)size;
}

static int
write_all(int file, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(file, bytes, size);
		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			bytes += put;
			size -= (size_t)put;
		}
	}
	return 0;
}

static void
store_warn(const struct store *store, const char *problem)
{
	log_warnx("state %s: %s, ignoring it", store->name, problem);
}

/* The file is there; 0 for *incarnation if it holds no record of ours. */
static int
store_read_file(const struct store *store, int file, uint64_t *incarnation)
{
	uint8_t bytes[RECORD_BYTES + 1]; /* one more shows a longer file */
	const char *problem;
	struct stat st;
	ssize_t size;

	*incarnation = 0;
	if (fstat(file, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		store_warn(store, "no regular file");
		return 0;
	}
	size = read_all(file, bytes, sizeof(bytes));
	if (size < 0)
		return (int)size;
	problem = record_decode(store, bytes, (size_t)size, incarnation);
	if (problem != NULL)
		store_warn(store, problem);
	return 0;
}

/* O_NONBLOCK: a FIFO in the file's place must not stop us. */
static int
store_read(const struct store *store, uint64_t *incarnation)
{
	int file, status;

	*incarnation = 0;
	file = openat(store->directory, store->name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) {
		log_info("state %s: none yet", store->name);
		return 0;
	}
	if (file < 0 && (errno == ELOOP || errno == ENXIO)) {
		store_warn(store, "no regular file");
		return 0;
	}
	if (file < 0)
		return -errno;
	status = store_read_file(store, file, incarnation);
	close(file);
	return status;
}

/* A directory that was just made is found after a crash only with this. */
static void
parent_sync(int directory)
{
	int parent =
	    openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent < 0 || fsync(parent) != 0)
		log_warn("syncing what holds the state directory, ignoring");
	if (parent >= 0)
		close(parent);
}

/* Opens the directory, and makes it (not its parents) if it is missing. */
static int
directory_open(const char *path)
{
	int made = mkdir(path, 0700) == 0 ? 0 : -errno;
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (directory < 0)
		return errno == ENOENT ? made : -errno;
	if (made == 0)
		parent_sync(directory);
	return directory;
}

static int
lock_take(int directory, const char *name)
{
	int lock = openat(
	    directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int status;

	if (lock < 0)
		return -errno;
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		return lock;
	status = -errno;
	close(lock);
	return status;
}

/* A cluster's name becomes part of a file's: what may not is refused. */
static struct store *
store_new(const char *cluster, node_id id)
{
	struct store *store;

	if (cluster[0] == '\0' || cluster[0] == '.' ||
	    strchr(cluster, '/') != NULL || strlen(cluster) >= CLUSTER_BYTES) {
		errno = EINVAL;
		return NULL;
	}
	store = calloc(1, sizeof(*store));
	if (store == NULL)
		return NULL;
	store->directory = store->lock = -1;
	store->id = id;
	memcpy(store->cluster, cluster, strlen(cluster));
	snprintf(store->name, FILE_NAME_MAX, "%s-%u.state", cluster, id);
	snprintf(
	    store->new_name, FILE_NAME_MAX, "%s-%u.state.new", cluster, id);
	return store;
}

/* Opens and reads what store_new() began. */
static int
store_start(struct store *store, const char *directory, uint64_t *incarnation)
{
	char lock_name[FILE_NAME_MAX];

	store->directory = directory_open(directory);
	if (store->directory < 0)
		return store->directory;
	snprintf(lock_name, sizeof(lock_name), "%s-%u.lock", store->cluster,
	    store->id);
	store->lock = lock_take(store->directory, lock_name);
	if (store->lock < 0)
		return store->lock;
	return store_read(store, incarnation);
}

int
store_open(const char *directory, const char *cluster, node_id id,
    struct store **store, uint64_t *incarnation)
{
	struct store *opened = store_new(cluster, id);
	uint64_t last = 0;
	int status;

	if (opened == NULL)
		return -errno;
	status = store_start(opened, directory, &last);
	if (status < 0) {
		store_close(opened);
		return status;
	}
	*store = opened;
	*incarnation = last;
	return 0;
}

/* The new file, complete and on the disk, under its own name. */
static int
store_write_new(const struct store *store, const uint8_t *record)
{
	int file, status;

	if (unlinkat(store->directory, store->new_name, 0) != 0 &&
	    errno != ENOENT)
		return -errno;
	file = openat(store->directory, store->new_name,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	status = write_all(file, record, RECORD_BYTES);
	if (status == 0 && fdatasync(file) != 0)
		status = -errno;
	if (close(file) != 0 && status == 0)
		status = -errno;
	return status;
}

int
store_write(struct store *store, uint64_t incarnation)
{
	uint8_t record[RECORD_BYTES];
	int status;

	record_encode(store, incarnation, record);
	status = store_write_new(store, record);
	if (status == 0 && renameat(store->directory, store->new_name,
			       store->directory, store->name) != 0)
		status = -errno;
	if (status < 0) {
		unlinkat(store->directory, store->new_name, 0);
		return status;
	}
	return fsync(store->directory) == 0 ? 0 : -errno;
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	if (store->lock >= 0)
		close(store->lock);
	if (store->directory >= 0)
		close(store->directory);
	free(store);
}
