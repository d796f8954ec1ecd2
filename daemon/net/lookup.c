/* SPDX-License-Identifier: ISC */
#include "daemon/net/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings.h"
#include "daemon/system/clock.h"
#include "daemon/system/loop/worker.h"

#define DOUBLINGS   6 /* tries, after which the pause is about a minute */
#define NEVER_TRIED 1 /* no error of getaddrinfo(3) is > 0 */

struct name {
	struct job job;
	struct lookup *lookup;
	char text[ADDRESS_MAX_BYTES];
	int family; /* family of the address */

	/* The job sets what follows. */
	int found_error;
	struct address found;

	bool is_given;          /* the job was given, and has not ended */
	bool is_linked;         /* the link is up: not resolved again */
	bool is_new;            /* another name than before, not resolved yet */
	bool is_news;           /* error or address changed and is not taken */
	int error;              /* result of the last try */
	struct address address; /* the last that was found */
	unsigned tries; /* doublings of the pause, since it was linked */
};

struct lookup {
	int family;            /* family of the addresses */
	nsec_t pause;          /* before the second try */
	unsigned count;        /* number of `names` */
	struct worker *worker; /* NULL: not started, or there are no names */
	bool has_news;         /* some name is news */
	struct name *names[];  /* NULL: the peer has no name */
};

struct lookup *
lookup_new(unsigned count, int family, nsec_t pause)
{
	struct lookup *l = calloc(1, sizeof(*l) + count * sizeof(l->names[0]));

	if (l == NULL)
		return NULL;
	l->count = count;
	l->family = family;
	l->pause = pause;
	return l;
}

static void
name_resolve(void *context)
{
	struct name *name = context;

	name->found_error =
	    address_lookup(name->text, name->family, &name->found);
}

/* Resolves the name, unless its peer is linked. */
static void
name_give(struct name *name, nsec_t at)
{
	if (name->is_given || (name->is_linked && !name->is_new))
		return;
	name->is_given = true;
	name->found = name->address;
	worker_give(name->lookup->worker, &name->job, at);
}

/* Takes the result of the job. */
static void
name_note(struct name *name)
{
	bool is_same = name->found_error == name->error;

	if (name->found_error == 0 && is_same)
		is_same = address_order(&name->found, &name->address) == 0;
	if (name->found_error == 0) {
		name->address = name->found;
		name->is_new = false;
	}
	name->error = name->found_error;
	if (is_same)
		return;
	name->is_news = true;
	name->lookup->has_news = true;
}

static void
name_end(void *context)
{
	struct name *name = context;
	nsec_t pause = name->lookup->pause << name->tries;

	name->is_given = false;
	/* The peer may have come up meanwhile. */
	if (name->is_linked && !name->is_new)
		return;
	name_note(name);
	if (name->tries < DOUBLINGS)
		name->tries++;
	name_give(name, nsec_after(clock_now(), pause));
}

bool
lookup_set(struct lookup *l, unsigned i, const char *text)
{
	struct name *name = calloc(1, sizeof(*name));

	assert(i < l->count);
	assert(strlen(text) < sizeof(name->text));
	if (name == NULL)
		return false;
	name->job = (struct job){
		.work = name_resolve,
		.end = name_end,
		.free = free,
		.context = name,
	};
	name->lookup = l;
	name->family = l->family;
	name->error = NEVER_TRIED;
	snprintf(name->text, sizeof(name->text), "%s", text);
	l->names[i] = name;
	return true;
}

void
lookup_keep(struct lookup *l, unsigned i, bool is_linked, bool is_new,
    const struct address *present)
{
	struct name *name = l->names[i];

	assert(i < l->count);
	assert(l->worker == NULL);
	assert(name != NULL);
	name->is_linked = is_linked;
	name->is_new = is_new;
	name->address = *present;
}

int
lookup_start(struct lookup *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		int error = 0;

		if (l->names[i] == NULL)
			continue;
		if (l->worker == NULL)
			error = worker_new(&l->worker);
		if (error != 0)
			return error;
		name_give(l->names[i], 0);
	}
	return 0;
}

void
lookup_set_linked(struct lookup *l, unsigned i, bool is_linked)
{
	struct name *name = l->names[i];

	assert(i < l->count);
	if (name == NULL)
		return;
	name->is_linked = is_linked;
	name->tries = 0;
	if (worker_recall(l->worker, &name->job))
		name->is_given = false;
	name_give(name, nsec_after(clock_now(), l->pause));
}

bool
lookup_take(struct lookup *l, struct lookup_result *result)
{
	if (l->worker != NULL)
		worker_tend(l->worker);
	for (unsigned i = 0; l->has_news && i < l->count; i++) {
		struct name *name = l->names[i];

		if (name == NULL || !name->is_news)
			continue;
		name->is_news = false;
		*result =
		    (struct lookup_result){ i, name->error, name->address };
		return true;
	}
	l->has_news = false;
	return false;
}

void
lookup_free(struct lookup *l)
{
	if (l == NULL)
		return;
	for (unsigned i = 0; i < l->count; i++) {
		if (l->worker == NULL)
			free(l->names[i]);
		else if (l->names[i] != NULL)
			worker_drop(l->worker, &l->names[i]->job);
	}
	worker_free(l->worker);
	free(l);
}
