/* SPDX-License-Identifier: ISC */
#include "daemon/electd/look/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/state/kept_file.h"
#include "daemon/system/log.h"

/* The bytes for the entries of each half, beside the checkpoint: among five
 * nodes with heartbeats of 100 ms a leader fills it in two minutes, a
 * follower in eight. A node that grows may take up to half of it. */
#define ENTRIES_BYTES ((size_t)1 << 20)

struct recorder {
	struct tape tape;
	void *memory; /* of the tape; mapped; NULL: nothing is recorded */
	size_t memory_size;
	struct tape_head head;
	struct settings place; /* cluster, id and state_dir */
	struct worker *worker;
	struct job job;  /* writes a file */
	uint8_t *saving; /* what it writes; NULL: it was not given */
	size_t saving_size;
	int error; /* of the job */
	int lent;  /* the file that was handed out last; -1: none */
	char abort_path[PATH_MAX];
};

/* The handler of SIGABRT, which a process has one of, gets no context. */
static struct recorder *aborting;

static void
save(void *context)
{
	struct recorder *r = context;

	r->error =
	    kept_file_write(&r->place, "tape", r->saving, r->saving_size);
}

static void
saved(void *context)
{
	struct recorder *r = context;

	free(r->saving);
	r->saving = NULL;
	if (r->error == 0)
		log_notice("SIGUSR1: wrote %s/%s-%" PRIu32 ".tape",
		    r->place.state_dir, r->place.shared.cluster, r->place.id);
	else
		log_warnx("SIGUSR1: cannot write %s/%s-%" PRIu32 ".tape: %s",
		    r->place.state_dir, r->place.shared.cluster, r->place.id,
		    strerror(-r->error));
}

struct recorder *
recorder_new(const struct settings *settings, struct worker *worker)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->lent = -1;
	r->worker = worker;
	r->job = (struct job){ .work = save, .end = saved, .context = r };
	kept_file_place(&r->place, settings);
	snprintf(r->abort_path, sizeof(r->abort_path),
	    "%s/%s-%" PRIu32 ".abort.tape", settings->state_dir,
	    settings->shared.cluster, settings->id);
	return r;
}

void
recorder_free(struct recorder *r)
{
	if (r == NULL)
		return;
	if (aborting == r) {
		signal(SIGABRT, SIG_DFL);
		aborting = NULL;
	}
	free(r->saving);
	if (r->lent >= 0)
		close(r->lent);
	if (r->memory != NULL)
		munmap(r->memory, r->memory_size);
	free(r);
}

static void
write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(fd, bytes, size);

		if (put <= 0 && errno != EINTR)
			return;
		if (put > 0) {
			bytes += put;
			size -= (size_t)put;
		}
	}
}

/* Calls what a handler may call, and computes. The input that failed is on the
 * tape, so the same assertion fails in electsim. */
static void
on_abort(int signal_number)
{
	struct recorder *r = aborting;
	size_t size;
	void *bytes;
	int fd;

	signal(signal_number, SIG_DFL);
	aborting = NULL;
	if (r != NULL) {
		tape_flush(&r->tape);
		size = tape_file_size(&r->tape, &r->head);
		bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		(void)unlink(r->abort_path);
		fd = open(r->abort_path,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (bytes != MAP_FAILED && fd >= 0) {
			tape_file_write(&r->tape, &r->head, bytes);
			write_all(fd, bytes, size);
		}
	}
	raise(signal_number);
}

/* The pages of a tape come into memory as it fills. */
static void *
map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void
recorder_begin(struct recorder *r, struct node *node, size_t size, nsec_t now)
{
	size_t before = r->memory_size;
	void *old = r->memory;

	if (old != NULL && r->tape.half_bytes >= size + ENTRIES_BYTES / 2)
		return;
	r->memory_size = 2 * (size + ENTRIES_BYTES);
	r->memory = map(r->memory_size);
	if (r->memory != NULL)
		tape_init(&r->tape, r->memory, r->memory_size);
	node_begin_tape(node, now, r->memory != NULL ? &r->tape : NULL);
	if (old != NULL)
		munmap(old, before);
	if (r->memory == NULL) {
		log_warnx("no memory for a tape: this node is not recorded");
		return;
	}
	aborting = r;
	signal(SIGABRT, on_abort);
}

void
recorder_name(struct recorder *r, const struct tape_head *head)
{
	r->head = *head;
}

/* How many bytes a file of the tape has now; 0: nothing is recorded. */
static size_t
file_size(struct recorder *r)
{
	if (r->memory == NULL)
		return 0;
	tape_flush(&r->tape);
	return tape_file_size(&r->tape, &r->head);
}

static int
fill(struct recorder *r, int fd, size_t size)
{
	void *bytes;

	if (ftruncate(fd, (off_t)size) != 0)
		return -errno;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	tape_file_write(&r->tape, &r->head, bytes);
	munmap(bytes, size);
	return 0;
}

/* Empties the file that was handed out last: whoever holds many has the memory
 * of one. */
static void
take_back(struct recorder *r)
{
	if (r->lent < 0)
		return;
	(void)!ftruncate(r->lent, 0);
	close(r->lent);
	r->lent = -1;
}

/* Gives an end of the file that can only be read. A client that could write
 * would hold up the next take_back(). */
static int
open_to_read(int fd)
{
	char path[sizeof("/proc/self/fd/") + 10];

	if (fchmod(fd, 0400) != 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int
recorder_dump(struct recorder *r, size_t *size)
{
	int fd, end;

	take_back(r);
	*size = file_size(r);
	if (*size == 0)
		return -ENODATA;
	fd = memfd_create("electd.tape", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	end = fill(r, fd, *size);
	if (end == 0)
		end = open_to_read(fd);
	if (end >= 0)
		r->lent = fd;
	else
		close(fd);
	return end;
}

void
recorder_save(struct recorder *r)
{
	size_t size = file_size(r);

	if (r->saving != NULL || size == 0) {
		log_notice("SIGUSR1: %s",
		    size == 0 ? "nothing is recorded"
			      : "the last tape is still being written");
		return;
	}
	r->saving = malloc(size);
	if (r->saving == NULL) {
		log_warnx("SIGUSR1: no memory for a copy of the tape");
		return;
	}
	tape_file_write(&r->tape, &r->head, r->saving);
	r->saving_size = size;
	worker_give(r->worker, &r->job, 0);
}
