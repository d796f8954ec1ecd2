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
 * The lock is on a file of its own, which is never removed. A lock on the state
 * file would go with the inode that a rename replaces; if the lock file were
 * removed at the end, two processes could lock two inodes of that name. Only
 * the holder of the lock uses the name of the new file.
 */
struct store {
	int directory;              /* descriptor of the state directory */
	int lock;                   /* descriptor of the lock file */
	int file;                   /* the state file; -1: none that counts */
	int failure;                /* the errno of each further write, or 0 */
	bool is_missing;            /* there was no state file */
	bool is_half;               /* `last` is in one slot only */
	bool is_certain;            /* `last` is known to be on the disk */
	struct store_finding found; /* when the file was opened */
	struct store_identity identity;
	struct store_slot last;       /* the last that was written or found */
	unsigned newest;              /* the slot that has `last` */
	char name[FILE_NAME_MAX];     /* CLUSTER-ID.state */
	char new_name[FILE_NAME_MAX]; /* CLUSTER-ID.state.new */
};

/* Reads until the end or `capacity`. Returns the size or a negative errno. */
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

/* Reads and decodes the file. Returns NULL, or why its state is lost. */
static const char *
file_judge(struct store *store, int file)
{
	uint8_t bytes[STORE_BYTES + 1]; /* one more shows a longer file */
	struct stat st;
	ssize_t size;

	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return "not a regular file";
	size = read_all(file, bytes, sizeof(bytes));
	if (size < 0)
		return "cannot be read";
	store->found = store_decode(&store->identity, bytes, (size_t)size);
	return store->found.problem;
}

/* O_NONBLOCK: a FIFO in the file's place must not block us. */
static int
file_open(const struct store *store, int mode)
{
	return openat(store->directory, store->name,
	    mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Reads the state from a read-only file system too, but cannot write there. */
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
		store->found.problem = "missing";
		return 0;
	}
	if (file < 0 && (errno == ELOOP || errno == ENXIO || errno == EISDIR)) {
		store->found.problem = "not a regular file";
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
		log_warn(
		    "cannot fsync the parent of the state directory: after a power loss the new directory may be gone");
	if (parent >= 0)
		close(parent);
}

/* Makes the directory, but not its parents, if it is missing. Follows a
 * symbolic link only if the directory was there. */
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
		lock = openat(directory, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock < 0)
		return -errno;
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		return lock;
	status = -errno;
	close(lock);
	return status;
}

/* Refuses a cluster name that cannot be part of a file name (EINVAL). */
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

static void
lock_name(const struct store *store, char name[FILE_NAME_MAX])
{
	snprintf(name, FILE_NAME_MAX, "%s-%u.lock", store->identity.cluster,
	    store->identity.id);
}

/* Opens the directory, locks, and reads the file. */
static int
store_start(struct store *store, const char *directory)
{
	char name[FILE_NAME_MAX];

	store->directory = directory_open(directory);
	if (store->directory < 0)
		return store->directory;
	lock_name(store, name);
	store->lock = lock_take(store->directory, name);
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

int
store_look_lock(const char *directory, const char *cluster, node_id id)
{
	struct store *looked = store_new(cluster, id);
	char name[FILE_NAME_MAX];
	int status = 0;

	if (looked == NULL)
		return -errno;
	lock_name(looked, name);
	looked->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (looked->directory >= 0)
		looked->lock = openat(looked->directory, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/* A shared lock is in the way of a daemon's for a moment only. */
	if (looked->lock < 0 ? errno != ENOENT
			     : flock(looked->lock, LOCK_SH | LOCK_NB) != 0)
		status = -errno;
	store_close(looked);
	return status;
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

/* Writes and syncs both slots, so that the file's blocks are allocated. */
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

/* Makes the file, complete and synced, and renames it to its name. Returns a
 * descriptor or a negative errno. */
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
    struct store *store, const struct durable_state *state, bool is_complete)
{
	struct store_slot slot = {
		.sequence = 1,
		.is_complete = is_complete,
		.is_doubtful = !is_complete && store->found.problem != NULL &&
			       !store->is_missing,
		.durable = *state,
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

/* Returns 0 if the open file still has its name, or a negative errno: the next
 * start would not find what is written now. */
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

/* Writes and syncs one slot. */
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
 * The state that was found may exist only in the page cache, if its writer was
 * killed before it synced, or could not sync. This syncs it and writes it to
 * the other slot before it is overwritten. It is not written in place, because
 * that slot may be the only copy of a promise that peers rely on, and a disk
 * that loses power may garble what it is writing.
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
store_write_first(struct store *store, const struct durable_state *state)
{
	struct store_slot slot = {
		.sequence = store->last.sequence + 1,
		.is_complete = store->last.is_complete,
		.is_doubtful = store->last.is_doubtful,
		.durable = *state,
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
store_write(struct store *store, const struct durable_state *state)
{
	int status = store_write_first(store, state);

	return status == 0 ? store_write_second(store) : status;
}

/* A removed directory stays open, but has no links. */
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
