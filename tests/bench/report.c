/* SPDX-License-Identifier: ISC */
/*
 * report trials.csv idle.csv: the tables of a bench, in Markdown. See trials.h;
 * lines of idle.csv are "system,host,is_leader,seconds,heartbeat_ns,cpu_ns,
 * packets,bytes,pss_kib,wakes" below a title.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/trials.h"

/* The idle figures of one system. */
struct idle {
	char system[TRIALS_NAME_BYTES];
	double seconds, heartbeat;
	double leader_cpu, follower_cpu, follower_worst; /* shares of a core */
	double packets, bytes;                           /* of all hosts */
	double pss_kib, pss_worst, wakes;
	unsigned hosts, followers;
};

static double
ms(nsec_t duration)
{
	return (double)duration / (double)MSEC;
}

static double
percentile(const struct sample *s, unsigned percent)
{
	return ms(sample_percentile(s, percent));
}

static void
print_group(const struct group *g)
{
	printf("| %s | %s | %zu | ", g->system, g->fault, g->all.count);
	if (g->start.count > 0)
		printf("%.2f, %.2f", percentile(&g->start, 50),
		    percentile(&g->start, 99));
	printf(" | %.2f | %.2f | %.2f | %.2f | %.2f | ",
	    percentile(&g->first, 50), percentile(&g->all, 50),
	    percentile(&g->all, 99), percentile(&g->all, 100),
	    percentile(&g->all, 0));
	if (g->gap.count > 0)
		printf("%.2f, %.2f", percentile(&g->gap, 50),
		    percentile(&g->gap, 100));
	printf(" | ");
	if (g->overlaps > 0)
		printf("%u, %.3f", g->overlaps, ms(g->overlap));
	printf(" | %u |\n", g->late);
}

static void
print_trials(const struct trials *t)
{
	puts("Milliseconds from the fault until one of the survivors elects "
	     "(t_start; empty:\nthe next leader was known beforehand), until "
	     "the first (t_first) and all of them\n(t_all) have the next "
	     "leader. Gap: without any leader; overlap: two that took\n"
	     "themselves for it. Late: trials without a leader in time.\n");
	puts("| system | fault | n | t_start median, p99 | t_first median | "
	     "t_all median | p99 | max | min | gap median, max | overlaps, "
	     "max | late |");
	puts("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
	for (size_t i = 0; i < t->count; i++)
		print_group(&t->groups[i]);
}

static void
print_idle(const struct idle *i)
{
	double intervals = i->seconds / i->heartbeat;
	double followers = i->followers > 0 ? i->followers : 1;

	printf("| %s | %.1f | %.0f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f "
	       "|\n",
	    i->system, i->packets / intervals, i->bytes / intervals,
	    100 * i->leader_cpu, 100 * i->follower_cpu / followers,
	    100 * i->follower_worst, i->wakes / i->seconds / i->hosts,
	    i->pss_kib / i->hosts, i->pss_worst);
}

/* Adds a host; false: this is not its line. */
static bool
idle_take(struct idle *i, const char *line)
{
	double seconds, heartbeat, cpu, packets, bytes, pss, wakes;
	unsigned is_leader;

	if (sscanf(line, "%47[^,],%*u,%u,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
		i->system, &is_leader, &seconds, &heartbeat, &cpu, &packets,
		&bytes, &pss, &wakes) != 9)
		return false;
	i->seconds = seconds;
	i->heartbeat = heartbeat / (double)SEC;
	cpu /= seconds * (double)SEC;
	if (is_leader)
		i->leader_cpu = cpu;
	else
		i->follower_cpu += cpu;
	if (!is_leader && cpu > i->follower_worst)
		i->follower_worst = cpu;
	i->followers += !is_leader;
	i->hosts++;
	i->packets += packets;
	i->bytes += bytes;
	i->pss_kib += pss;
	if (pss > i->pss_worst)
		i->pss_worst = pss;
	i->wakes += wakes;
	return true;
}

static bool
idle_read(FILE *file)
{
	struct idle idle = { 0 };
	size_t capacity = 0;
	char *line = NULL;
	bool is_right = true;

	puts(
	    "\nIdle: packets and bytes of the whole cluster in one interval "
	    "between\nheartbeats; CPU in percent of a core; wakes a second and "
	    "host; PSS in KiB a host.\n");
	puts("| system | packets | bytes | CPU leader | CPU follower | max | "
	     "wakes | PSS | max |");
	puts("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
	is_right = getline(&line, &capacity, file) >= 0;
	while (is_right && getline(&line, &capacity, file) >= 0) {
		size_t length = strcspn(line, ",");

		if (idle.hosts > 0 &&
		    (strncmp(idle.system, line, length) != 0 ||
			idle.system[length] != '\0')) {
			print_idle(&idle);
			idle = (struct idle){ 0 };
		}
		is_right = idle_take(&idle, line);
	}
	if (idle.hosts > 0)
		print_idle(&idle);
	free(line);
	return is_right;
}

int
main(int argc, char **argv)
{
	struct trials trials = { 0 };
	FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
	FILE *idle = argc == 3 ? fopen(argv[2], "r") : NULL;
	bool is_right = file != NULL && idle != NULL;

	if (!is_right)
		fputs("usage: report trials.csv idle.csv\n", stderr);
	is_right = is_right && trials_read(&trials, file);
	if (is_right)
		print_trials(&trials);
	is_right = is_right && idle_read(idle);
	trials_done(&trials);
	if (file != NULL)
		fclose(file);
	if (idle != NULL)
		fclose(idle);
	return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
