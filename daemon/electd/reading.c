/* SPDX-License-Identifier: ISC */
#include "daemon/electd/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/electd/node_setup.h"
#include "daemon/state/edition_file.h"
#include "daemon/system/log.h"
#include "daemon/system/thread.h"

#define STACK_BYTES ((size_t)256 << 10) /* libconfig's parser is recursive */

/* The lock guards what follows it, and is never held while reading. */
struct reading {
	const char *path;
	node_id id;
	node_id self;
	int done; /* an eventfd: there is something to take */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t asked;    /* readings up to this number are wanted */
	uint64_t begun;    /* the last that was begun */
	bool is_forced;    /* read_files.is_forced of the next reading */
	bool is_under_way; /* the thread reads */
	bool has_result;   /* `files` are those of the last one */
	bool is_over;      /* the thread has to end */
	struct read_files files;
	struct document keep;  /* to be kept; bytes NULL: none */
	struct settings place; /* cluster, id and state_dir, to keep it */
	bool has_kept;         /* the thread has written it: */
	int kept;              /* 0, or a negative errno */
};

static void
reading_destroy(struct reading *r)
{
	read_files_done(&r->files);
	document_done(&r->keep);
	free(r->place.state_dir);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	close(r->done);
	free(r);
}

static struct settings *
read_all(const struct reading *r, struct read_files *files, FILE *errors)
{
	struct settings *s = settings_read(r->path, r->id, errors);
	bool is_right;

	if (s == NULL)
		return NULL;
	if (!s->shared.discovers &&
	    config_find(&s->shared, s->id == NODE_NONE ? r->self : s->id) ==
		NULL) {
		fprintf(errors,
		    "%s: no node has this host's id, %" PRIu32
		    ": reload it on another host, then stop electd here\n",
		    r->path, s->id == NODE_NONE ? r->self : s->id);
		settings_free(s);
		return NULL;
	}
	is_right = settings_set_id(s, s->id == NODE_NONE ? r->self : s->id);
	if (!is_right)
		fputs("out of memory\n", errors);
	is_right &= node_setup_keys(s, files->key, files->old_key, errors);
	if (is_right)
		return s;
	settings_free(s);
	return NULL;
}

static struct read_files
read_files(const struct reading *r)
{
	struct read_files files = { .settings = NULL };
	size_t size;
	FILE *errors = open_memstream(&files.errors, &size);

	if (errors != NULL) {
		files.settings = read_all(r, &files, errors);
		fclose(errors);
	}
	return files;
}

/* Keeps what is to be kept, without the lock. */
static void
reading_write(struct reading *r)
{
	struct document keep = r->keep;
	struct settings place = r->place;
	int error;

	r->keep.bytes = NULL;
	r->place.state_dir = NULL;
	pthread_mutex_unlock(&r->lock);
	error = edition_file_write(&place, keep.bytes, keep.size);
	document_done(&keep);
	free(place.state_dir);
	pthread_mutex_lock(&r->lock);
	r->has_kept = true;
	r->kept = error;
	eventfd_write(r->done, 1);
}

/* Waits until a reading is wanted and the result of the one before is taken.
 * Keeps what is to be kept before that. Returns false if the thread has to end.
 * With the lock. */
static bool
reading_await(struct reading *r)
{
	while (!r->is_over || r->keep.bytes != NULL) {
		if (r->keep.bytes != NULL)
			reading_write(r);
		else if (!r->has_result && r->begun != r->asked)
			return true;
		else
			pthread_cond_wait(&r->changed, &r->lock);
	}
	return false;
}

/* Reads, without the lock. */
static struct read_files
reading_work(struct reading *r)
{
	bool is_forced = r->is_forced;
	struct read_files files;

	r->is_under_way = true;
	r->begun = r->asked;
	r->is_forced = false;
	pthread_mutex_unlock(&r->lock);
	files = read_files(r);
	files.is_forced = is_forced;
	pthread_mutex_lock(&r->lock);
	r->is_under_way = false;
	return files;
}

static void *
reading_run(void *context)
{
	struct reading *r = context;
	bool is_abandoned = false;

	pthread_mutex_lock(&r->lock);
	while (reading_await(r)) {
		struct read_files files = reading_work(r);

		is_abandoned = r->is_over;
		if (r->is_over) {
			read_files_done(&files);
			break;
		}
		r->has_result = true;
		r->files = files;
		sodium_memzero(&files, sizeof(files));
		eventfd_write(r->done, 1);
	}
	pthread_mutex_unlock(&r->lock);
	if (is_abandoned)
		reading_destroy(r);
	return NULL;
}

struct reading *
reading_new(const char *path, node_id id, node_id self)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->path = path;
	r->id = id;
	r->self = self;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->done = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (r->done < 0)
		log_error("cannot make an eventfd: electd cannot start");
	else if (thread_start(&r->thread, STACK_BYTES, reading_run, r) == 0)
		return r;
	reading_destroy(r);
	return NULL;
}

int
reading_fd(const struct reading *r)
{
	return r->done;
}

uint64_t
reading_begin(struct reading *r, bool is_forced)
{
	uint64_t number;

	pthread_mutex_lock(&r->lock);
	r->asked = r->begun + 1;
	r->is_forced |= is_forced;
	number = r->asked;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return number;
}

bool
reading_keep(struct reading *r, const uint8_t *bytes, size_t size,
    const struct settings *settings)
{
	struct document keep = { .bytes = malloc(size), .size = size };
	struct settings place = { .id = settings->id };

	snprintf(place.shared.cluster, sizeof(place.shared.cluster), "%s",
	    settings->shared.cluster);
	place.state_dir = strdup(settings->state_dir);
	if (keep.bytes == NULL || place.state_dir == NULL) {
		document_done(&keep);
		free(place.state_dir);
		return false;
	}
	memcpy(keep.bytes, bytes, size);
	pthread_mutex_lock(&r->lock);
	assert(r->keep.bytes == NULL);
	r->keep = keep;
	r->place = place;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return true;
}

bool
reading_take_kept(struct reading *r, int *error)
{
	bool has_kept;

	pthread_mutex_lock(&r->lock);
	has_kept = r->has_kept;
	*error = r->kept;
	r->has_kept = false;
	pthread_mutex_unlock(&r->lock);
	return has_kept;
}

bool
reading_take(struct reading *r, struct read_files *files, uint64_t *number)
{
	eventfd_t count;
	bool has_result;

	(void)eventfd_read(r->done, &count);
	pthread_mutex_lock(&r->lock);
	has_result = r->has_result;
	if (has_result) {
		*files = r->files;
		*number = r->begun;
		sodium_memzero(&r->files, sizeof(r->files));
		r->has_result = false;
		pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return has_result;
}

void
read_files_done(struct read_files *files)
{
	settings_free(files->settings);
	free(files->errors);
	settings_free(files->others);
	sodium_memzero(files, sizeof(*files));
}

void
reading_free(struct reading *r)
{
	pthread_t thread;
	bool is_under_way;

	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	thread = r->thread;
	is_under_way = r->is_under_way;
	r->is_over = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (is_under_way) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	reading_destroy(r);
}
