/* SPDX-License-Identifier: ISC */
/*
 * check DIR: judges the record of a chaos run, which is DIR/run.log and
 * DIR/watch.HOST.START. It prints each violation, then the figures as text,
 * then as one line of JSON. With -r it only lists the leaders: "begin end node
 * start term". It exits with 1 if a promise was broken, with 2 if the record
 * makes no sense.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/bench/chaos/verdict.h"

#define EXIT_NONSENSE 2

static _Noreturn void
check_usage(void)
{
	fputs("usage: check [-r] DIR\n", stderr);
	exit(EXIT_NONSENSE);
}

int
main(int argc, char **argv)
{
	struct history history;
	struct verdict verdict;
	unsigned violations;
	bool is_list = false;
	int option;

	while ((option = getopt(argc, argv, "r")) != -1) {
		if (option != 'r')
			check_usage();
		is_list = true;
	}
	if (argc - optind != 1)
		check_usage();
	history_init(&history);
	if (!history_read(&history, argv[optind]))
		return EXIT_NONSENSE;
	verdict_init(&verdict, &history, is_list ? stderr : stdout);
	if (is_list) {
		figures_print_reigns(&verdict, stdout);
	} else {
		figures_print_text(&verdict, stdout);
		figures_print_json(&verdict, stdout);
	}
	violations = verdict_violations(&verdict);
	verdict_done(&verdict);
	history_done(&history);
	return violations == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
