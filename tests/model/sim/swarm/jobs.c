/* SPDX-License-Identifier: ISC */
/*
 * Many seeds, in several processes. Each child runs a block of seeds and writes
 * its results to a pipe. A child that ends in the middle (by an assertion of
 * the core, or because a run takes for ever) has found a violation, and another
 * child goes on behind that seed. The results of blocks are taken in the order
 * of their seeds, whichever ends first: so the output does not depend on how
 * many run at once.
 */
#include "tests/model/sim/swarm/swarm.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK     8    /* seeds */
#define SECONDS   200  /* of CPU for one seed; more counts as for ever */
#define WORDS_MAX 4096 /* of a child's stderr */

/* A block that runs, or is done and waits for those before it. */
struct block {
	uint64_t first;
	unsigned count;
	unsigned done; /* results that have come */
	struct swarm_result results[BLOCK];
	size_t partial; /* bytes of the next one */
	pid_t pid;      /* 0: none runs */
	int from;       /* a pipe with its results, */
	FILE *words;    /* and its stderr */
};

struct crew {
	const struct swarm_jobs *jobs;
	struct block *blocks; /* a ring, in the order of seeds */
	unsigned capacity;
	unsigned head;
	unsigned used;
	unsigned running;
	uint64_t next; /* the next seed to be run */
};

static void
limit_time(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) != 0)
		return;
	limit.rlim_cur = SECONDS;
	setrlimit(RLIMIT_CPU, &limit);
}

static void
write_all(int to, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;
	ssize_t written;

	while (size > 0) {
		written = write(to, from, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			_exit(EXIT_FAILURE);
		from += written;
		size -= (size_t)written;
	}
}

static void
work(const struct swarm_setup *setup, const struct block *b, int to)
{
	static struct swarm_plan plan;
	struct swarm_result result;

	limit_time();
	for (unsigned i = b->done; i < b->count; i++) {
		swarm_plan(&plan, setup, b->first + i);
		swarm_run(&plan, &result, NULL);
		write_all(to, &result, sizeof(result));
	}
	_exit(EXIT_SUCCESS);
}

/* Begins a block, or goes on behind the seed that ended its last child. */
static bool
block_begin(struct crew *crew, struct block *b)
{
	int ends[2];

	b->partial = 0;
	b->words = tmpfile();
	if (b->words == NULL)
		return false;
	if (pipe(ends) != 0) {
		fclose(b->words);
		return false;
	}
	fflush(stdout);
	fflush(stderr);
	b->pid = fork();
	if (b->pid == 0) {
		close(ends[0]);
		dup2(fileno(b->words), STDERR_FILENO);
		work(crew->jobs->setup, b, ends[1]);
	}
	close(ends[1]);
	b->from = ends[0];
	if (b->pid < 0) {
		close(b->from);
		fclose(b->words);
		b->pid = 0;
		return false;
	}
	crew->running++;
	return true;
}

/* Gives the last line that a child wrote, which says why it died. */
static void
last_words(FILE *words, char *text, size_t size)
{
	char all[WORDS_MAX], *end, *line;
	size_t length;

	rewind(words);
	length = fread(all, 1, sizeof(all) - 1, words);
	all[length] = '\0';
	end = all + length;
	while (end > all && end[-1] == '\n')
		*--end = '\0';
	line = strrchr(all, '\n');
	snprintf(
	    text, size, "%.*s", (int)size - 1, line != NULL ? line + 1 : all);
}

/* A seed has killed a child. */
static void
note_death(struct crew *crew, struct block *b, int status)
{
	static struct swarm_plan plan;
	struct swarm_result *r = &b->results[b->done++];
	bool by_signal = WIFSIGNALED(status);
	char words[SWARM_WHY_MAX - 32];

	swarm_plan(&plan, crew->jobs->setup, b->first + b->done - 1);
	*r = (struct swarm_result){ .is_broken = true };
	swarm_describe(&plan, r);
	last_words(b->words, words, sizeof(words));
	if (by_signal && WTERMSIG(status) == SIGXCPU)
		snprintf(r->why, sizeof(r->why),
		    "it took more than %d s of CPU", SECONDS);
	else
		snprintf(r->why, sizeof(r->why), "%s%s%s",
		    by_signal ? strsignal(WTERMSIG(status)) : "it ended",
		    words[0] != '\0' ? ": " : "", words);
}

static bool
block_end(struct crew *crew, struct block *b)
{
	int status;

	close(b->from);
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	b->pid = 0;
	crew->running--;
	if (b->done < b->count)
		note_death(crew, b, status);
	fclose(b->words);
	return b->done == b->count || block_begin(crew, b);
}

/* Reads what has come; false at the end. */
static bool
block_read(struct block *b)
{
	struct swarm_result *r = &b->results[b->done];
	ssize_t size;

	if (b->done == b->count)
		return false;
	size =
	    read(b->from, (uint8_t *)r + b->partial, sizeof(*r) - b->partial);
	if (size < 0)
		return errno == EINTR;
	b->partial += (size_t)size;
	if (b->partial == sizeof(*r)) {
		b->partial = 0;
		b->done++;
	}
	return size > 0;
}

static bool
crew_read(struct crew *crew)
{
	struct pollfd *polled = calloc(crew->capacity, sizeof(*polled));
	bool ok = polled != NULL;

	for (unsigned i = 0; ok && i < crew->capacity; i++) {
		polled[i].fd =
		    crew->blocks[i].pid != 0 ? crew->blocks[i].from : -1;
		polled[i].events = POLLIN;
	}
	if (ok && poll(polled, crew->capacity, -1) < 0)
		ok = errno == EINTR;
	for (unsigned i = 0; ok && i < crew->capacity; i++) {
		if (polled[i].fd >= 0 && polled[i].revents != 0 &&
		    !block_read(&crew->blocks[i]))
			ok = block_end(crew, &crew->blocks[i]);
	}
	free(polled);
	return ok;
}

/* Starts blocks while there are seeds and free children. */
static bool
crew_fill(struct crew *crew)
{
	const struct swarm_jobs *jobs = crew->jobs;
	uint64_t left = jobs->first + jobs->count - crew->next;

	while (left > 0 && crew->running < jobs->jobs &&
	       crew->used < crew->capacity) {
		struct block *b =
		    &crew->blocks[(crew->head + crew->used) % crew->capacity];

		b->first = crew->next;
		b->count = left < BLOCK ? (unsigned)left : BLOCK;
		b->done = 0;
		if (!block_begin(crew, b))
			return false;
		crew->next += b->count;
		crew->used++;
		left -= b->count;
	}
	return true;
}

/* Passes on what is done, in order; false: the caller wants no more. */
static bool
crew_give(struct crew *crew)
{
	while (crew->used > 0) {
		struct block *b = &crew->blocks[crew->head];

		if (b->pid != 0 || b->done < b->count)
			return true;
		for (unsigned i = 0; i < b->count; i++) {
			if (!crew->jobs->take(
				crew->jobs->context, &b->results[i]))
				return false;
		}
		crew->head = (crew->head + 1) % crew->capacity;
		crew->used--;
	}
	return true;
}

static void
crew_done(struct crew *crew)
{
	for (unsigned i = 0; i < crew->capacity; i++) {
		struct block *b = &crew->blocks[i];

		if (b->pid == 0)
			continue;
		kill(b->pid, SIGKILL);
		while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		close(b->from);
		fclose(b->words);
	}
	free(crew->blocks);
}

bool
swarm_jobs(const struct swarm_jobs *jobs)
{
	struct crew crew = {
		.jobs = jobs, .capacity = 4 * jobs->jobs, .next = jobs->first
	};
	bool ok;

	crew.blocks = calloc(crew.capacity, sizeof(*crew.blocks));
	ok = crew.blocks != NULL;
	while (ok) {
		ok = crew_fill(&crew);
		if (!ok || crew.used == 0)
			break;
		ok = crew_read(&crew);
		if (ok && !crew_give(&crew))
			break;
	}
	crew_done(&crew);
	return ok;
}
