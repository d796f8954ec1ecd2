/* SPDX-License-Identifier: ISC */
/*
 * plot < trials.csv > cdf.svg: which share of the trials had all survivors
 * agree within which time. A panel for each system, a line for each fault, and
 * one logarithmic axis for all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/trials.h"

#define LEFT       64
#define TOP        40
#define WIDTH      640 /* of a panel */
#define HEIGHT     120
#define PITCH      156 /* from panel to panel */
#define LEGEND     110
#define COLORS_MAX 8

/* Colours of Okabe and Ito, which people with colour blindness can tell apart.
 */
static const char *const colors[COLORS_MAX] = { "#0072b2", "#d55e00", "#009e73",
	"#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999" };

struct plot {
	struct trials trials;
	double low, high; /* range in decades of milliseconds */
	char fault[COLORS_MAX][TRIALS_NAME_BYTES];
	unsigned faults;
	unsigned panels;
};

static unsigned
plot_color(struct plot *p, const char *fault)
{
	unsigned i;

	for (i = 0; i < p->faults; i++)
		if (strcmp(p->fault[i], fault) == 0)
			return i;
	if (p->faults == COLORS_MAX)
		return COLORS_MAX - 1;
	snprintf(p->fault[i], TRIALS_NAME_BYTES, "%s", fault);
	return p->faults++;
}

static double
decade(nsec_t duration)
{
	return log10((double)(duration > 0 ? duration : 1) / (double)MSEC);
}

static double
plot_x(const struct plot *p, double at)
{
	return LEFT + (at - p->low) / (p->high - p->low) * WIDTH;
}

static bool
is_new_system(const struct plot *p, size_t i)
{
	return i == 0 || strcmp(p->trials.groups[i].system,
			     p->trials.groups[i - 1].system) != 0;
}

static void
plot_measure(struct plot *p)
{
	p->low = 0;
	p->high = 1;
	for (size_t i = 0; i < p->trials.count; i++) {
		const struct group *g = &p->trials.groups[i];

		p->panels += is_new_system(p, i);
		(void)plot_color(p, g->fault);
		if (g->all.count == 0)
			continue;
		p->low = fmin(p->low, floor(decade(g->all.values[0])));
		p->high = fmax(
		    p->high, ceil(decade(sample_percentile(&g->all, 100))));
	}
}

static void
plot_grid(const struct plot *p, const char *system, double top)
{
	printf("<text x='%d' y='%.0f' font-weight='bold'>%s</text>\n", LEFT,
	    top - 6, system);
	for (double at = p->low; at <= p->high; at++) {
		double x = plot_x(p, at);

		printf(
		    "<path class='grid' d='M%.1f %.1fv%d'/>\n", x, top, HEIGHT);
		printf("<text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>"
		       "\n",
		    x, top + HEIGHT + 14, pow(10, at));
	}
	for (unsigned share = 0; share <= 100; share += 50) {
		double y = top + HEIGHT - HEIGHT * share / 100.0;

		printf(
		    "<path class='grid' d='M%d %.1fh%d'/>\n", LEFT, y, WIDTH);
		printf("<text x='%d' y='%.1f' text-anchor='end'>%u %%</text>\n",
		    LEFT - 6, y + 4, share);
	}
}

/* Late trials never reach the top. */
static void
plot_line(struct plot *p, const struct group *g, double top)
{
	double n = (double)(g->all.count + g->late), y = 0;

	if (g->all.count == 0)
		return;
	printf("<path class='line' stroke='%s' d='M%.1f %.1f",
	    colors[plot_color(p, g->fault)],
	    plot_x(p, decade(g->all.values[0])), top + HEIGHT);
	for (size_t i = 0; i < g->all.count; i++) {
		y = top + HEIGHT * (1 - (double)(i + 1) / n);
		printf("H%.1fV%.1f", plot_x(p, decade(g->all.values[i])), y);
	}
	puts("'/>");
}

static void
plot_legend(const struct plot *p)
{
	for (unsigned i = 0; i < p->faults; i++) {
		int y = TOP + 10 + 18 * (int)i, x = LEFT + WIDTH + 16;

		printf("<path class='line' stroke='%s' d='M%d %dh20'/>\n",
		    colors[i], x, y);
		printf("<text x='%d' y='%d'>%s</text>\n", x + 26, y + 4,
		    p->fault[i]);
	}
}

static void
plot_print(struct plot *p)
{
	int width = LEFT + WIDTH + LEGEND;
	int height = TOP + PITCH * (int)p->panels + 14;
	double top = TOP - PITCH;

	printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' "
	       "height='%d' viewBox='0 0 %d %d' font-family='sans-serif' "
	       "font-size='12'>\n",
	    width, height, width, height);
	puts("<style>.grid{stroke:#ccc;fill:none}.line{fill:none;"
	     "stroke-width:2}</style>");
	printf("<rect width='%d' height='%d' fill='#fff'/>\n", width, height);
	for (size_t i = 0; i < p->trials.count; i++) {
		if (is_new_system(p, i)) {
			top += PITCH;
			plot_grid(p, p->trials.groups[i].system, top);
		}
		plot_line(p, &p->trials.groups[i], top);
	}
	plot_legend(p);
	printf("<text x='%d' y='%d' text-anchor='middle'>ms from the fault "
	       "until all survivors have the next leader</text>\n",
	    LEFT + WIDTH / 2, height - 8);
	puts("</svg>");
}

int
main(void)
{
	static struct plot plot;

	if (!trials_read(&plot.trials, stdin))
		return EXIT_FAILURE;
	plot_measure(&plot);
	plot_print(&plot);
	trials_done(&plot.trials);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
