/* SPDX-License-Identifier: ISC */
/*
 * Makes from a plan that breaks a promise a shorter one that breaks it too. It
 * leaves out faults, many at once, then fewer, then one by one, as long as it
 * can; then it makes the rest plain. The result is not the shortest possible,
 * but each single fault in it is needed.
 */
#include "tests/model/sim/swarm/swarm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS  10   /* of CPU, for one run */
#define RUNS_MAX 2000 /* runs after which the plan is short enough */

static unsigned runs;

/* The child gives its result in a file, as it may die first. */
bool
swarm_run_apart(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace)
{
	const struct rlimit limit = { SECONDS, SECONDS + 1 };
	FILE *file = tmpfile();
	int status;
	pid_t pid;

	if (file == NULL)
		return false;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_CPU, &limit);
		if (trace == NULL && freopen("/dev/null", "w", stderr) == NULL)
			_exit(EXIT_FAILURE);
		swarm_run(p, result, trace);
		fwrite(result, sizeof(*result), 1, file);
		fflush(NULL);
		_exit(EXIT_SUCCESS);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	rewind(file);
	if (fread(result, sizeof(*result), 1, file) != 1) {
		*result = (struct swarm_result){ .is_broken = pid > 0 };
		swarm_describe(p, result);
		snprintf(result->why, sizeof(result->why), "it died");
	}
	fclose(file);
	return pid > 0;
}

/* Gives the kind of a violation, without its numbers: "I2", or a sentence. */
static bool
is_same(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b)
			return false;
		if (*a == '\0' || *a == ':')
			return true;
	}
}

/* Takes the plan if it breaks the same promise. */
static bool
prefer(struct swarm_plan *p, struct swarm_result *result,
    const struct swarm_plan *shorter)
{
	struct swarm_result r;

	runs++;
	if (runs > RUNS_MAX || !swarm_run_apart(shorter, &r, NULL) ||
	    !r.is_broken || !is_same(r.why, result->why))
		return false;
	*p = *shorter;
	*result = r;
	return true;
}

/* Leaves out `count` faults from `at` on. */
static void
leave_out(
    struct swarm_fault *faults, size_t *faults_count, size_t at, size_t count)
{
	*faults_count -= count;
	memmove(faults + at, faults + at + count,
	    (*faults_count - at) * sizeof(*faults));
}

/* Tries all pieces of this size once; false: each is needed. */
static bool
shrink_faults(struct swarm_plan *p, struct swarm_result *result, size_t piece,
    bool of_the_end)
{
	static struct swarm_plan shorter;
	bool is_shorter = false;
	size_t at = 0;

	for (;;) {
		size_t *count;
		struct swarm_fault *faults;

		shorter = *p;
		count =
		    of_the_end ? &shorter.last_count : &shorter.faults_count;
		faults = of_the_end ? shorter.last : shorter.faults;
		if (at >= *count)
			return is_shorter;
		leave_out(faults, count, at,
		    *count - at < piece ? *count - at : piece);
		if (prefer(p, result, &shorter))
			is_shorter = true;
		else
			at += piece;
	}
}

/* Ends the plan at the violation, as later faults do not matter; or sooner, if
 * all must settle first. */
static void
shrink_end(struct swarm_plan *p, struct swarm_result *result)
{
	static struct swarm_plan shorter;
	nsec_t last = 0;

	for (size_t i = 0; i < p->faults_count; i++)
		last = p->faults[i].at > last ? p->faults[i].at : last;
	shorter = *p;
	shorter.end = last + 1;
	if (shorter.end < p->end)
		prefer(p, result, &shorter);
	shorter = *p;
	shorter.end = result->simulated + 1;
	if (shorter.end < p->end)
		prefer(p, result, &shorter);
}

/* Makes the weather fair, the clocks right, and all nodes ordinary. */
static void
shrink_world(struct swarm_plan *p, struct swarm_result *result)
{
	const struct wire fair = { .delay_min = MSEC, .delay_max = MSEC };
	static struct swarm_plan shorter;

	shorter = *p;
	shorter.weather = fair;
	prefer(p, result, &shorter);
	shorter = *p;
	shorter.fair = fair;
	prefer(p, result, &shorter);
	for (unsigned id = 1; id <= p->setup.nodes; id++) {
		shorter = *p;
		shorter.hosts[id] =
		    (struct swarm_host){ .role = ROLE_CANDIDATE };
		if (memcmp(&shorter.hosts[id], &p->hosts[id],
			sizeof(shorter.hosts[id])) != 0)
			prefer(p, result, &shorter);
	}
}

unsigned
swarm_shrink(struct swarm_plan *p, struct swarm_result *result)
{
	runs = 0;
	shrink_end(p, result);
	for (size_t piece = p->faults_count / 2; piece > 1; piece /= 2)
		shrink_faults(p, result, piece, false);
	shrink_world(p, result);
	while (shrink_faults(p, result, 1, false))
		continue;
	shrink_faults(p, result, 1, true);
	shrink_end(p, result);
	return runs;
}
