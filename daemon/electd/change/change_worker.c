/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/change_worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "daemon/electd/change/node_setup.h"
#include "daemon/state/kept_config.h"
#include "daemon/state/kept_file.h"
#include "daemon/system/loop/worker.h"

struct change_worker {
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
	struct change_worker *owner;
	struct document document;
	struct settings place; /* cluster, id and state_dir */
	int error;
};

static struct settings *
read_all(const struct change_worker *w, struct read_files *files, FILE *errors)
{
	struct settings *s = settings_read(w->path, w->id, errors);

	if (s == NULL)
		return NULL;
	if (!s->shared.discovers &&
	    config_find(&s->shared, s->id == NODE_NONE ? w->self : s->id) ==
		NULL) {
		fprintf(errors,
		    "%s: no node has this host's id, %" PRIu32
		    ": reload it on another host, then stop electd here\n",
		    w->path, s->id == NODE_NONE ? w->self : s->id);
		settings_free(s);
		return NULL;
	}
	settings_set_id(s, s->id == NODE_NONE ? w->self : s->id);
	if (node_setup_keys(s, &files->keys, errors))
		return s;
	settings_free(s);
	return NULL;
}

static struct read_files
read_files(const struct change_worker *w)
{
	struct read_files files = { .origin = ORIGIN_FILE };
	size_t size;
	FILE *errors = open_memstream(&files.errors, &size);

	if (errors != NULL) {
		files.settings = read_all(w, &files, errors);
		fclose(errors);
	}
	return files;
}

static void
read_work(void *context)
{
	struct change_worker *w = context;

	w->files = read_files(w);
	w->files.is_forced = w->is_forced;
}

static void
read_end(void *context)
{
	struct change_worker *w = context;

	w->has_result = true;
}

static void
read_free(void *context)
{
	struct change_worker *w = context;

	read_files_done(&w->files);
	free(w);
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

	k->owner->has_kept = true;
	k->owner->kept = k->error;
	keep_free(k);
}

/* Reads what is wanted next, once the result of the one before is taken. */
static void
read_go_on(struct change_worker *w)
{
	if (w->is_under_way || w->begun == w->asked)
		return;
	w->is_under_way = true;
	w->begun = w->asked;
	w->is_forced = w->is_next_forced;
	w->is_next_forced = false;
	worker_give(w->worker, &w->job, 0);
}

struct change_worker *
change_worker_new(const char *path, node_id id, node_id self)
{
	struct change_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->path = path;
	w->id = id;
	w->self = self;
	w->job = (struct job){
		.work = read_work,
		.end = read_end,
		.free = read_free,
		.context = w,
	};
	if (worker_new(&w->worker) == 0)
		return w;
	free(w);
	return NULL;
}

int
change_worker_fd(const struct change_worker *w)
{
	return worker_fd(w->worker);
}

uint64_t
change_worker_read(struct change_worker *w, bool is_forced)
{
	w->asked = w->begun + 1;
	w->is_next_forced |= is_forced;
	read_go_on(w);
	return w->asked;
}

bool
change_worker_keep(struct change_worker *w, const uint8_t *bytes, size_t size,
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
	k->owner = w;
	k->document.bytes = malloc(size);
	k->document.size = size;
	kept_file_place(&k->place, settings);
	if (k->document.bytes == NULL) {
		keep_free(k);
		return false;
	}
	memcpy(k->document.bytes, bytes, size);
	worker_give(w->worker, &k->job, 0);
	return true;
}

bool
change_worker_take_kept(struct change_worker *w, int *error)
{
	bool has_kept;

	worker_tend(w->worker);
	has_kept = w->has_kept;
	*error = w->kept;
	w->has_kept = false;
	return has_kept;
}

bool
change_worker_take_read(
    struct change_worker *w, struct read_files *files, uint64_t *number)
{
	worker_tend(w->worker);
	if (!w->has_result)
		return false;
	*files = w->files;
	*number = w->begun;
	sodium_memzero(&w->files, sizeof(w->files));
	w->is_under_way = w->has_result = false;
	read_go_on(w);
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
change_worker_free(struct change_worker *w)
{
	struct worker *worker;

	if (w == NULL)
		return;
	worker = w->worker;
	worker_drop(worker, &w->job);
	worker_free(worker);
}
