/* SPDX-License-Identifier: ISC */
#include "daemon/net/lookup.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings.h"
#include "daemon/system/clock.h"
#include "daemon/system/thread.h"

#define STACK_BYTES ((size_t)256 << 10) /* NSS modules may need much */
#define DOUBLINGS   6                   /* then the pause is about a minute */
#define NEVER_TRIED 1                   /* no error of getaddrinfo(3) is > 0 */

struct name {
	char *text;             /* NULL: the peer has no name */
	bool is_linked;         /* the link is up: not resolved again */
	bool is_new;            /* another name than before, not resolved yet */
	bool is_news;           /* error or address changed and is not taken */
	int error;              /* of the last try */
	struct address address; /* the last that was found */
	unsigned tries; /* doublings of the pause, since it was linked */
	nsec_t at;      /* when to try next */
};

/* The lock guards all that changes. No thread blocks while it holds it. */
struct lookup {
	int family;             /* of the addresses; never changes */
	nsec_t pause;           /* before the second try; never changes */
	unsigned count;         /* of `names`; never changes */
	bool has_thread;        /* the thread runs and will free all */
	pthread_mutex_t lock;   /* guards what follows */
	pthread_cond_t changed; /* the thread has to look again */
	atomic_bool has_news;   /* some name is news; read without the lock */
	bool is_over;           /* the thread has to end */
	unsigned next;          /* round-robin: the name to consider first */
	struct name names[];
};

struct lookup *
lookup_new(unsigned count, int family, nsec_t pause)
{
	struct lookup *l = calloc(1, sizeof(*l) + count * sizeof(struct name));
	pthread_condattr_t attributes;

	if (l == NULL)
		return NULL;
	l->count = count;
	l->family = family;
	l->pause = pause;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return l;
}

bool
lookup_set(struct lookup *l, unsigned i, const char *text)
{
	assert(i < l->count);
	l->names[i].error = NEVER_TRIED;
	l->names[i].text = strdup(text);
	return l->names[i].text != NULL;
}

void
lookup_keep(struct lookup *l, unsigned i, bool is_linked, bool is_new,
    const struct address *present)
{
	struct name *name = &l->names[i];

	assert(i < l->count);
	assert(!l->has_thread);
	assert(name->text != NULL);
	name->is_linked = is_linked;
	name->is_new = is_new;
	name->address = *present;
}

/* Returns a name that is due, or NULL; then *at is when the next one is. */
static struct name *
lookup_next(struct lookup *l, nsec_t *at)
{
	nsec_t now = clock_now();

	*at = NSEC_NEVER;
	for (unsigned i = 0; i < l->count; i++) {
		struct name *name = &l->names[(l->next + i) % l->count];

		if (name->text == NULL || (name->is_linked && !name->is_new))
			continue;
		if (name->at <= now) {
			l->next = (l->next + i + 1) % l->count;
			return name;
		}
		*at = nsec_earlier(*at, name->at);
	}
	return NULL;
}

static void
lookup_wait(struct lookup *l, nsec_t at)
{
	struct timespec ts;

	if (at == NSEC_NEVER) {
		pthread_cond_wait(&l->changed, &l->lock);
		return;
	}
	ts = clock_timespec(clock_monotonic(at));
	pthread_cond_timedwait(&l->changed, &l->lock, &ts);
}

static void
name_note(struct lookup *l, struct name *name, int error,
    const struct address *address)
{
	bool is_same = error == name->error;

	if (error == 0 && is_same)
		is_same = address_order(address, &name->address) == 0;
	if (error == 0) {
		name->address = *address;
		name->is_new = false;
	}
	name->error = error;
	name->at = nsec_after(clock_now(), l->pause << name->tries);
	if (name->tries < DOUBLINGS)
		name->tries++;
	if (is_same)
		return;
	name->is_news = true;
	atomic_store(&l->has_news, true);
}

static void
lookup_destroy(struct lookup *l)
{
	for (unsigned i = 0; i < l->count; i++)
		free(l->names[i].text);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static void *
lookup_run(void *context)
{
	struct lookup *l = context;

	pthread_mutex_lock(&l->lock);
	while (!l->is_over) {
		nsec_t at;
		struct name *name = lookup_next(l, &at);
		char text[ADDRESS_MAX_BYTES];
		struct address address;
		int error;

		if (name == NULL) {
			lookup_wait(l, at);
			continue;
		}
		address = name->address;
		snprintf(text, sizeof(text), "%s", name->text);
		pthread_mutex_unlock(&l->lock);
		error = address_lookup(text, l->family, &address);
		pthread_mutex_lock(&l->lock);
		/* The peer may have come up meanwhile. */
		if (name->is_new || !name->is_linked)
			name_note(l, name, error, &address);
	}
	pthread_mutex_unlock(&l->lock);
	lookup_destroy(l);
	return NULL;
}

int
lookup_start(struct lookup *l)
{
	pthread_t thread;
	bool is_wanted = false;
	int error;

	for (unsigned i = 0; i < l->count; i++)
		is_wanted |= l->names[i].text != NULL;
	if (!is_wanted)
		return 0;
	error = thread_start(&thread, STACK_BYTES, lookup_run, l);
	if (error != 0)
		return error;
	l->has_thread = true;
	pthread_detach(thread);
	return 0;
}

void
lookup_set_linked(struct lookup *l, unsigned i, bool is_linked)
{
	struct name *name = &l->names[i];

	assert(i < l->count);
	pthread_mutex_lock(&l->lock);
	name->is_linked = is_linked;
	name->tries = 0;
	name->at = nsec_after(clock_now(), l->pause);
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

bool
lookup_take(struct lookup *l, struct lookup_result *result)
{
	bool is_taken = false;

	if (!atomic_load(&l->has_news))
		return false;
	pthread_mutex_lock(&l->lock);
	for (unsigned i = 0; i < l->count && !is_taken; i++) {
		struct name *name = &l->names[i];

		if (!name->is_news)
			continue;
		name->is_news = false;
		*result =
		    (struct lookup_result){ i, name->error, name->address };
		is_taken = true;
	}
	if (!is_taken)
		atomic_store(&l->has_news, false);
	pthread_mutex_unlock(&l->lock);
	return is_taken;
}

/* The thread may be blocked for long, so it frees all itself when it
 * returns. */
void
lookup_free(struct lookup *l)
{
	if (l == NULL)
		return;
	if (!l->has_thread) {
		lookup_destroy(l);
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->is_over = true;
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
}
