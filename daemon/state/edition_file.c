/* SPDX-License-Identifier: ISC */
#include "daemon/state/edition_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_OWN 96 /* the cluster's name, ten digits and the rest */

struct names {
	char kept[NAME_MAX_OWN]; /* CLUSTER-ID.settings */
	char made[NAME_MAX_OWN]; /* the same while it is made */
};

static struct names
names_of(const struct settings *settings)
{
	struct names n;

	snprintf(n.kept, sizeof(n.kept), "%s-%" PRIu32 ".settings",
	    settings->cluster, settings->id);
	snprintf(n.made, sizeof(n.made), "%s-%" PRIu32 ".settings.new",
	    settings->cluster, settings->id);
	return n;
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
    int directory, const struct names *names, const char *document, size_t size)
{
	int file, status;

	if (unlinkat(directory, names->made, 0) != 0 && errno != ENOENT)
		return -errno;
	file = openat(directory, names->made,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	status = fill(file, document, size);
	close(file);
	if (status == 0 &&
	    renameat(directory, names->made, directory, names->kept) != 0)
		status = -errno;
	if (status == 0)
		return fsync(directory) == 0 ? 0 : -errno;
	unlinkat(directory, names->made, 0);
	return status;
}

int
edition_file_write(
    const struct settings *settings, const char *document, size_t size)
{
	const struct names names = names_of(settings);
	int directory =
	    open(settings->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status;

	assert(size > 0);
	assert(size <= DOCUMENT_MAX);
	if (directory < 0)
		return -errno;
	status = replace(directory, &names, document, size);
	close(directory);
	return status;
}

/* Reads at most DOCUMENT_MAX bytes. */
static int
take(int file, char *bytes, size_t *size)
{
	*size = 0;
	for (;;) {
		ssize_t got =
		    read(file, bytes + *size, DOCUMENT_MAX + 1 - *size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		*size += (size_t)got;
		if (*size > DOCUMENT_MAX)
			return -EFBIG;
	}
}

static int
open_kept(const struct settings *settings)
{
	const struct names names = names_of(settings);
	int directory =
	    open(settings->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int file;

	if (directory < 0)
		return -errno;
	file = openat(directory, names.kept,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		file = -errno;
	close(directory);
	return file;
}

int
edition_file_read(
    const struct settings *settings, char **document, size_t *size)
{
	int file = open_kept(settings), status = -ENOMEM;
	struct stat s;
	char *bytes;

	if (file < 0)
		return file;
	bytes = malloc(DOCUMENT_MAX + 1);
	if (bytes != NULL)
		status =
		    fstat(file, &s) == 0 ? take(file, bytes, size) : -errno;
	if (status == 0 && !S_ISREG(s.st_mode))
		status = -EINVAL;
	close(file);
	if (status == 0)
		*document = bytes;
	else
		free(bytes);
	return status;
}
