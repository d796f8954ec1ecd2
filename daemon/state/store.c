/* SPDX-License-Identifier: ISC */
#include "daemon/state/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/log.h"

#define FILE_NAME_MAX 96 /* CLUSTER_BYTES, ten digits and ".state.new" */

/*
 * The lock is on a file of its own, which is never removed: a lock on the
 * state file would go with the file that a rename replaces, and a lock file
 * removed at the end could be locked by two, each with another inode of that
 * name. Under the lock the name of the new file is ours alone.
 */
struct store {
	int directory;
	int lock;
	int file;    /* -1: none, or none of ours */
	int failure; /* 0, or why nothing is written (any more) */
	bool is_missing;
	bool is_half;    /* the other slot is not as `last` yet */
	bool is_certain; /* the newest is on the disk */
	struct store_finding found;
	struct store_identity identity;
	struct store_slot last;   /* what was written last, or found ... */
	unsigned newest;          /* ... and the slot it is in for certain */
	char name[FILE_NAME_MAX]; /* CLUSTER-ID.state */
	char new_name[FILE_NAME_MAX]; /* CLUSTER-ID.state.new */
};

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
write_at(int file, off_t at, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = pwrite(file, bytes, size, at);
		if (put == 0)
			return -EIO;
		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			bytes += put;
			at += put;
			size -= (size_t)put;
		}
	}
	return 0;
}

/* NULL and the file's bytes looked into, or why they were not. */
static const char *
file_judge(struct store *store, int file)
{
	uint8_t bytes[STORE_BYTES + 1]; /* one more shows a longer file */
	struct stat st;
	ssize_t size;

	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return "no regular file";
	size = read_all(file, bytes, sizeof(bytes));
	if (size < 0)
		return "cannot be read";
	store->found = store_decode(&store->identity, bytes, (size_t)size);
	return store->found.problem;
}

/* O_NONBLOCK: a FIFO in the file's place must not stop us. */
static int
file_open(const struct store *store, int mode)
{
	return openat(store->directory, store->name,
	    mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* On a file system that may only be read, the record is known all the same. */
static int
store_read(struct store *store)
{
	int file = file_open(store, O_RDWR);

	if (file < 0 && errno == EROFS) {
		store->failure = -EROFS;
		file = file_open(store, O_RDONLY);
	}
	if (file < 0 && errno == ENOENT) {
		store->is_missing = true;
		store->found.problem = "there is none";
		return 0;
	}
	if (file < 0 && (errno == ELOOP || errno == ENXIO || errno == EISDIR)) {
		store->found.problem = "no regular file";
		return 0;
	}
	if (file < 0)
		return -errno;
	store->found.problem = file_judge(store, file);
	if (store->found.problem != NULL) {
		close(file);
		return 0;
	}
	store->file = file;
	store->last = store->found.slot;
	store->newest = store->found.newest;
	return 0;
}

void
store_parent_sync(int directory)
{
	int parent =
	    openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent < 0 || fsync(parent) != 0)
		log_warn("fsync of the directory above the state directory: a "
			 "power loss now may take the new directory away");
	if (parent >= 0)
		close(parent);
}

/* Makes it (not its parents) if it is missing, and then it is no link. */
static int
directory_open(const char *path)
{
	int made = mkdir(path, 0700) == 0 ? 0 : -errno;
	int directory = open(path,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC | (made == 0 ? O_NOFOLLOW : 0));

	if (directory < 0)
		return errno == ENOENT && made != 0 ? made : -errno;
	if (made == 0)
		store_parent_sync(directory);
	return directory;
}

static int
lock_take(int directory, const char *name)
{
	int lock, status;

	lock = openat(
	    directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 && errno == EROFS)
		lock =
		    openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
	store->directory = store->lock = store->file = -1;
	store->identity.id = id;
	memcpy(store->identity.cluster, cluster, strlen(cluster));
	snprintf(store->name, FILE_NAME_MAX, "%s-%u.state", cluster, id);
	snprintf(
	    store->new_name, FILE_NAME_MAX, "%s-%u.state.new", cluster, id);
	return store;
}

/* Opens and reads what store_new() began. */
static int
store_start(struct store *store, const char *directory)
{
	char lock_name[FILE_NAME_MAX];

	store->directory = directory_open(directory);
	if (store->directory < 0)
		return store->directory;
	snprintf(lock_name, sizeof(lock_name), "%s-%u.lock",
	    store->identity.cluster, store->identity.id);
	store->lock = lock_take(store->directory, lock_name);
	if (store->lock < 0)
		return store->lock;
	return store_read(store);
}

int
store_open(const char *directory, const char *cluster, node_id id,
    struct store **store)
{
	struct store *opened = store_new(cluster, id);
	int status;

	if (opened == NULL)
		return -errno;
	status = store_start(opened, directory);
	if (status < 0) {
		store_close(opened);
		return status;
	}
	*store = opened;
	return 0;
}

int
store_look(const char *directory, const char *cluster, node_id id,
    struct store **store)
{
	struct store *opened = store_new(cluster, id);
	int status;

	if (opened == NULL)
		return -errno;
	opened->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	status = opened->directory < 0 ? -errno : store_read(opened);
	if (status < 0) {
		store_close(opened);
		return status;
	}
	*store = opened;
	return 0;
}

const struct store_finding *
store_found(const struct store *store)
{
	return &store->found;
}

bool
store_is_missing(const struct store *store)
{
	return store->is_missing;
}

const char *
store_name(const struct store *store)
{
	return store->name;
}

/* All bytes are written and synced: from then on they have their place. */
static int
file_fill(const struct store *store, int file, const struct store_slot *slot)
{
	uint8_t bytes[STORE_BYTES];
	int status;

	for (unsigned i = 0; i < SLOTS; i++)
		store_slot_encode(
		    &store->identity, slot, bytes + i * SLOT_BYTES);
	status = write_at(file, 0, bytes, sizeof(bytes));
	if (status == 0 && fsync(file) != 0)
		status = -errno;
	return status;
}

/* The new file, complete and on the disk, under its own name: or -errno. */
static int
file_make(const struct store *store, const struct store_slot *slot)
{
	int file, status;

	if (unlinkat(store->directory, store->new_name, 0) != 0 &&
	    errno != ENOENT)
		return -errno;
	file = openat(store->directory, store->new_name,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	status = file_fill(store, file, slot);
	if (status == 0 && renameat(store->directory, store->new_name,
			       store->directory, store->name) != 0)
		status = -errno;
	if (status == 0)
		return file;
	close(file);
	unlinkat(store->directory, store->new_name, 0);
	return status;
}

int
store_create(
    struct store *store, const struct durable_state *record, bool is_vouched)
{
	struct store_slot slot = {
		.sequence = 1,
		.is_vouched = is_vouched,
		.is_doubtful =
		    store->found.problem != NULL && !store->is_missing,
		.durable = *record,
	};
	int file = file_make(store, &slot);

	if (file < 0)
		return file;
	if (store->file >= 0)
		close(store->file);
	store->file = file;
	store->last = slot;
	store->newest = 0;
	store->is_certain = true;
	store->failure = fsync(store->directory) == 0 ? 0 : -errno;
	return store->failure;
}

/* Does the file still bear its name? Else what is in it will not be found. */
static int
file_is_there(const struct store *store)
{
	struct stat ours, named;

	if (fstat(store->file, &ours) != 0 ||
	    fstatat(store->directory, store->name, &named,
		AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (ours.st_ino != named.st_ino || ours.st_dev != named.st_dev)
		return -ESTALE;
	return 0;
}

/* To the disk. */
static int
slot_write(struct store *store, unsigned number, const struct store_slot *slot)
{
	uint8_t bytes[SLOT_BYTES];
	int status;

	store_slot_encode(&store->identity, slot, bytes);
	status = write_at(
	    store->file, (off_t)number * SLOT_BYTES, bytes, sizeof(bytes));
	if (status == 0 && fdatasync(store->file) != 0)
		status = -errno;
	return status;
}

/*
 * What was found may be in the kernel's memory alone, if its writer was killed
 * before it had synced, or could not sync. So this writes it to the other slot
 * before anything is written over it. It does not write it in place: that slot
 * may be the only copy of a promise that was answered for, and a disk that
 * loses power may garble what it is writing.
 */
static int
store_ascertain(struct store *store)
{
	int status = fdatasync(store->file) == 0 ? 0 : -errno;

	if (status == 0)
		status = slot_write(store, 1 - store->newest, &store->last);
	if (status == 0)
		store->newest = 1 - store->newest;
	store->is_certain = status == 0;
	return status;
}

int
store_write_first(struct store *store, const struct durable_state *record)
{
	struct store_slot slot = {
		.sequence = store->last.sequence + 1,
		.is_vouched = store->last.is_vouched,
		.is_doubtful = store->last.is_doubtful,
		.durable = *record,
	};

	if (store->file < 0)
		return -ENOENT;
	if (store->failure != 0)
		return store->failure;
	if (!store->is_certain)
		store->failure = store_ascertain(store);
	if (store->failure == 0)
		store->failure = slot_write(store, 1 - store->newest, &slot);
	if (store->failure == 0)
		store->failure = file_is_there(store);
	if (store->failure != 0)
		return store->failure;
	store->last = slot;
	store->newest = 1 - store->newest;
	store->is_half = true;
	return 0;
}

int
store_write_second(struct store *store)
{
	if (!store->is_half)
		return store->failure;
	store->is_half = false;
	store->failure = slot_write(store, 1 - store->newest, &store->last);
	return store->failure;
}

int
store_write(struct store *store, const struct durable_state *record)
{
	int status = store_write_first(store, record);

	return status == 0 ? store_write_second(store) : status;
}

/* A removed directory has no link left to it; what is open stays open. */
const char *
store_error_text(const struct store *store, int error)
{
	struct stat st;

	if (error == -ENOENT && fstat(store->directory, &st) == 0 &&
	    st.st_nlink == 0)
		return "its directory was removed";
	if (error == -ENOENT)
		return "it was removed";
	if (error == -ESTALE)
		return "another file has taken its place";
	return strerror(-error);
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	if (store->file >= 0)
		close(store->file);
	if (store->lock >= 0)
		close(store->lock);
	if (store->directory >= 0)
		close(store->directory);
	free(store);
}
