/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "daemon/electd/change/node_setup.h"
#include "daemon/state/kept_config.h"
#include "daemon/system/loop/worker.h"

struct reading {
	struct worker *worker;
	const char *path;
	node_id id;
	node_id self;

	/* The job owns what follows, and frees all if it is dropped. */
	struct job job;
	bool is_forced;          /* files.is_forced */
	struct read_files files; /* the result */

	bool is_under_way;   /* the job was given, and is not taken */
	bool has_result;     /* it has ended */
	uint64_t asked;      /* readings up to this number are wanted */
	uint64_t begun;      /* the last that was begun */
	bool is_next_forced; /* is_forced of the next one */
	bool has_kept;       /* a document: */
	int kept;            /* 0, or a negative errno */
};

/* A document that is kept. */
struct keep_job {
	struct job job;
	struct reading *reading;
	struct document document;
	struct settings place; /* cluster, id and state_dir */
	int error;
};

static struct settings *
read_all(const struct reading *r, struct read_files *files, FILE *errors)
{
	struct settings *s = settings_read(r->path, r->id, errors);

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
	settings_set_id(s, s->id == NODE_NONE ? r->self : s->id);
	if (node_setup_keys(s, &files->keys, errors))
		return s;
	settings_free(s);
	return NULL;
}

static struct read_files
read_files(const struct reading *r)
{
	struct read_files files = { .origin = ORIGIN_FILE };
	size_t size;
	FILE *errors = open_memstream(&files.errors, &size);

	if (errors != NULL) {
		files.settings = read_all(r, &files, errors);
		fclose(errors);
	}
	return files;
}

static void
reading_work(void *context)
{
	struct reading *r = context;

	r->files = read_files(r);
	r->files.is_forced = r->is_forced;
}

static void
reading_end(void *context)
{
	struct reading *r = context;

	r->has_result = true;
}

static void
reading_destroy(void *context)
{
	struct reading *r = context;

	read_files_done(&r->files);
	free(r);
}

static void
keep_work(void *context)
{
	struct keep_job *k = context;

	k->error =
	    kept_config_write(&k->place, k->document.bytes, k->document.size);
}

static void
keep_free(void *context)
{
	struct keep_job *k = context;

	document_done(&k->document);
	free(k);
}

static void
keep_end(void *context)
{
	struct keep_job *k = context;

	k->reading->has_kept = true;
	k->reading->kept = k->error;
	keep_free(k);
}

/* Reads what is wanted next, once the result of the one before is taken. */
static void
reading_go_on(struct reading *r)
{
	if (r->is_under_way || r->begun == r->asked)
		return;
	r->is_under_way = true;
	r->begun = r->asked;
	r->is_forced = r->is_next_forced;
	r->is_next_forced = false;
	worker_give(r->worker, &r->job, 0);
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
	r->job = (struct job){
		.work = reading_work,
		.end = reading_end,
		.free = reading_destroy,
		.context = r,
	};
	if (worker_new(&r->worker) == 0)
		return r;
	free(r);
	return NULL;
}

int
reading_fd(const struct reading *r)
{
	return worker_fd(r->worker);
}

uint64_t
reading_begin(struct reading *r, bool is_forced)
{
	r->asked = r->begun + 1;
	r->is_next_forced |= is_forced;
	reading_go_on(r);
	return r->asked;
}

bool
reading_keep(struct reading *r, const uint8_t *bytes, size_t size,
    const struct settings *settings)
{
	struct keep_job *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return false;
	k->job = (struct job){
		.work = keep_work,
		.end = keep_end,
		.free = keep_free,
		.context = k,
	};
	k->reading = r;
	k->document.bytes = malloc(size);
	k->document.size = size;
	k->place.id = settings->id;
	snprintf(k->place.shared.cluster, sizeof(k->place.shared.cluster), "%s",
	    settings->shared.cluster);
	memcpy(k->place.state_dir, settings->state_dir,
	    sizeof(k->place.state_dir));
	if (k->document.bytes == NULL) {
		keep_free(k);
		return false;
	}
	memcpy(k->document.bytes, bytes, size);
	worker_give(r->worker, &k->job, 0);
	return true;
}

bool
reading_take_kept(struct reading *r, int *error)
{
	bool has_kept;

	worker_tend(r->worker);
	has_kept = r->has_kept;
	*error = r->kept;
	r->has_kept = false;
	return has_kept;
}

bool
reading_take(struct reading *r, struct read_files *files, uint64_t *number)
{
	worker_tend(r->worker);
	if (!r->has_result)
		return false;
	*files = r->files;
	*number = r->begun;
	sodium_memzero(&r->files, sizeof(r->files));
	r->is_under_way = r->has_result = false;
	reading_go_on(r);
	return true;
}

void
read_files_done(struct read_files *files)
{
	settings_free(files->settings);
	free(files->errors);
	sodium_memzero(files, sizeof(*files));
}

void
reading_free(struct reading *r)
{
	struct worker *worker;

	if (r == NULL)
		return;
	worker = r->worker;
	worker_drop(worker, &r->job);
	worker_free(worker);
}
