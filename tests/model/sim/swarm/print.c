/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/swarm/swarm.h"

#include <inttypes.h>

static void
print_host(FILE *to, unsigned id, const struct swarm_host *host)
{
	static const char *const roles[] = { "candidate", "voter", "observer" };

	if (host->role == ROLE_CANDIDATE && host->priority == 0 &&
	    host->rate == 0 && host->sync == 0 && !host->is_next)
		return;
	fprintf(to, "host %u: %s, priority %" PRId32 ", clock %+d permille", id,
	    roles[host->role], host->priority, host->rate);
	if (host->is_next)
		fprintf(to, ", runs the next release");
	if (host->sync != 0)
		fprintf(to, ", in the end syncs of %" PRIu64 " us",
		    host->sync / USEC);
	fputc('\n', to);
}

static void
print_fault(FILE *to, const struct swarm_fault *f, const char *when)
{
	char text[WORLD_FAULT_TEXT];

	if (when != NULL)
		fprintf(to, "%12s", when);
	else
		fprintf(to, "%5" PRIu64 ".%06" PRIu64, f->at / SEC,
		    f->at % SEC / USEC);
	fprintf(to, " %s\n", world_fault_text(&f->fault, text));
}

/* Sorts by time. */
static const struct swarm_fault *
next_of(const struct swarm_plan *p, const struct swarm_fault *last)
{
	const struct swarm_fault *next = NULL;

	for (size_t i = 0; i < p->faults_count; i++) {
		const struct swarm_fault *f = &p->faults[i];

		if (last != NULL &&
		    (f->at < last->at || (f->at == last->at && f <= last)))
			continue;
		if (next == NULL || f->at < next->at)
			next = f;
	}
	return next;
}

void
swarm_print_plan(FILE *to, const struct swarm_plan *p)
{
	const struct fault first = { .kind = FAULT_WEATHER,
		.weather = p->weather };
	const struct swarm_fault weather = { .fault = first };

	for (unsigned id = 1; id <= p->setup.nodes; id++)
		print_host(to, id, &p->hosts[id]);
	print_fault(to, &weather, NULL);
	for (const struct swarm_fault *f = next_of(p, NULL); f != NULL;
	     f = next_of(p, f)) {
		if (f->at <= p->end)
			print_fault(to, f, NULL);
	}
	fprintf(to, "%5" PRIu64 ".%06" PRIu64 " all is mended\n", p->end / SEC,
	    p->end % SEC / USEC);
	for (size_t i = 0; i < p->last_count; i++)
		print_fault(to, &p->last[i], "then");
}
