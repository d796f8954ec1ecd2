/* SPDX-License-Identifier: ISC */
/* The table of algorithms, and what the contract demands of each. */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"

TEST(each_algorithm_is_found_by_its_name)
{
	for (size_t i = 0; algorithms[i] != NULL; i++)
		assert_ptr_equal(
		    algorithm_find(algorithms[i]->name), algorithms[i]);
	assert_ptr_equal(algorithm_find("bully"), &algorithm_bully);
	assert_ptr_equal(algorithm_find("extinction"), &algorithm_extinction);
}

/* One name is the beginning of another: bully, tree. */
TEST(unknown_name_has_no_algorithm)
{
	static const char *const strangers[] = { "", "b", "bull", "bully-",
		"bully_broadcast", "Bully", " bully", "tree-ech", "raft" };

	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
		assert_null(algorithm_find(strangers[i]));
}

/* Names as electd.conf and a command line may have them. */
TEST(each_algorithm_says_what_it_is)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct algorithm *a = algorithms[i];

		assert_int_equal(strspn(a->name, "abcdefghijklmnopqrstuvwxyz-"),
		    strlen(a->name));
		assert_true(strlen(a->summary) > 0);
		assert_null(strchr(a->summary, '\n'));
		assert_non_null(a->kinds[0]);
		for (size_t k = 1; k < MESSAGE_KINDS_MAX; k++)
			assert_true(a->kinds[k] == NULL || a->kinds[k - 1]);
		assert_int_equal(
		    (a->choices & CHOICE_VARIANT) != 0, a->variants[0] != NULL);
		assert_null(a->variants[VARIANTS_MAX - 1]);
	}
}
