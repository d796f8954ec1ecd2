/* SPDX-License-Identifier: ISC */
#include "daemon/state/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_OWN 96 /* the cluster's name, ten digits and the rest */

struct names {
	char kept[NAME_MAX_OWN]; /* CLUSTER-ID.KIND */
	char made[NAME_MAX_OWN]; /* the same while it is made */
};

static struct names
names_of(const struct settings *settings, const char *kind)
{
	struct names n;

	assert(strlen(kind) <= KEPT_KIND_MAX);
	snprintf(n.kept, sizeof(n.kept), "%s-%" PRIu32 ".%s",
	    settings->shared.cluster, settings->id, kind);
	snprintf(n.made, sizeof(n.made), "%s-%" PRIu32 ".%s.new",
	    settings->shared.cluster, settings->id, kind);
	return n;
}

void
kept_file_place(struct settings *place, const struct settings *settings)
{
	place->id = settings->id;
	snprintf(place->shared.cluster, sizeof(place->shared.cluster), "%s",
	    settings->shared.cluster);
	memcpy(place->state_dir, settings->state_dir, sizeof(place->state_dir));
}

/* Writes all and waits for the disk. */
static int
fill(int file, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(file, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		size -= (size_t)put;
	}
	return fsync(file) == 0 ? 0 : -errno;
}

/* The new file is complete and on the disk before it gets its name. */
static int
replace(
    int directory, const struct names *names, const char *bytes, size_t size)
{
	int file, status;

	if (unlinkat(directory, names->made, 0) != 0 && errno != ENOENT)
		return -errno;
	file = openat(directory, names->made,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	status = fill(file, bytes, size);
	close(file);
	if (status == 0 &&
	    renameat(directory, names->made, directory, names->kept) != 0)
		status = -errno;
	if (status == 0)
		return fsync(directory) == 0 ? 0 : -errno;
	unlinkat(directory, names->made, 0);
	return status;
}

static int
open_directory(const struct settings *settings)
{
	int directory =
	    open(settings->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return directory < 0 ? -errno : directory;
}

int
kept_file_write(const struct settings *settings, const char *kind,
    const void *bytes, size_t size)
{
	const struct names names = names_of(settings, kind);
	int directory = open_directory(settings);
	int status;

	assert(size > 0);
	if (directory < 0)
		return directory;
	status = replace(directory, &names, bytes, size);
	close(directory);
	return status;
}

int
kept_file_remove(const struct settings *settings, const char *kind)
{
	const struct names names = names_of(settings, kind);
	int directory = open_directory(settings);
	int status = 0;

	if (directory < 0)
		return directory;
	if (unlinkat(directory, names.kept, 0) != 0 && errno != ENOENT)
		status = -errno;
	else if (fsync(directory) != 0)
		status = -errno;
	close(directory);
	return status;
}

/* Reads all of the file, at most `max` bytes. */
static int
take(int file, char *bytes, size_t max, size_t *size)
{
	char more;

	*size = 0;
	for (;;) {
		bool is_full = *size == max;
		ssize_t got = read(file, is_full ? &more : bytes + *size,
		    is_full ? 1 : max - *size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		if (is_full)
			return -EFBIG;
		*size += (size_t)got;
	}
}

static int
open_kept(const struct settings *settings, const char *kind)
{
	const struct names names = names_of(settings, kind);
	int directory = open_directory(settings);
	int file;

	if (directory < 0)
		return directory;
	file = openat(directory, names.kept,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		file = -errno;
	close(directory);
	return file;
}

int
kept_file_read(const struct settings *settings, const char *kind, void *bytes,
    size_t max, size_t *size)
{
	int file = open_kept(settings, kind), status;
	struct stat s;

	if (file < 0)
		return file;
	status = fstat(file, &s) == 0 ? take(file, bytes, max, size) : -errno;
	if (status == 0 && !S_ISREG(s.st_mode))
		status = -EINVAL;
	close(file);
	return status;
}
