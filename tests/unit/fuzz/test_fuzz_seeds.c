/* SPDX-License-Identifier: ISC */
/*
 * The fuzzers without libFuzzer: each gets its corpus, and a fixed number of
 * mutations of it. They fail by assertion, or in the sanitized builds.
 */
#include "tests/model/fuzz/feed.h"
#include "tests/unit/group.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util/random.h"

#define SEEDS_MAX 128
#define SEED_MAX  16384 /* bytes; longer seeds are cut */

struct seed {
	size_t size;
	uint8_t bytes[SEED_MAX];
};

static struct seed seeds[SEEDS_MAX];
static unsigned seeds_count;

static void
read_seed(const char *directory, const char *name)
{
	struct seed *seed = &seeds[seeds_count++];
	char path[512];
	FILE *file;

	assert_true(seeds_count <= SEEDS_MAX);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	seed->size = fread(seed->bytes, 1, SEED_MAX, file);
	fclose(file);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds every file of a directory; the case fails if one cannot be read. */
static void
read_seeds(const char *directory, const char *ending)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, by_name);

	assert_true(count > 2);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		size_t length = strlen(name), tail = strlen(ending);

		if (name[0] != '.' && length >= tail &&
		    strcmp(name + length - tail, ending) == 0)
			read_seed(directory, name);
		free(entries[i]);
	}
	free(entries);
}

/* Adds or removes bytes in the middle. */
static void
mutate_size(struct seed *seed, struct random *random)
{
	size_t at = (size_t)random_below(random, seed->size + 1);
	size_t run = (size_t)random_between(random, 1, 16);
	uint8_t *tail = seed->bytes + at;

	if (random_next(random) & 1) {
		if (run > seed->size - at)
			run = seed->size - at;
		memmove(tail, tail + run, seed->size - at - run);
		seed->size -= run;
	} else if (seed->size + run <= SEED_MAX) {
		memmove(tail + run, tail, seed->size - at);
		for (size_t i = 0; i < run; i++)
			tail[i] = (uint8_t)random_next(random);
		seed->size += run;
	}
}

/* Copies a run of another seed over this one. */
static void
mutate_splice(struct seed *seed, struct random *random)
{
	const struct seed *other = &seeds[random_below(random, seeds_count)];
	size_t run = (size_t)random_between(random, 1, 64);
	size_t from, to;

	if (run > other->size)
		run = other->size;
	if (run > seed->size)
		run = seed->size;
	from = (size_t)random_below(random, other->size - run + 1);
	to = (size_t)random_below(random, seed->size - run + 1);
	memmove(seed->bytes + to, other->bytes + from, run);
}

static void
mutate(struct seed *seed, struct random *random)
{
	unsigned times = (unsigned)random_between(random, 1, 8);

	while (times-- > 0) {
		uint64_t how = random_below(random, 4);
		uint64_t bits = random_next(random);

		if (how == 0)
			mutate_size(seed, random);
		else if (how == 1)
			mutate_splice(seed, random);
		else if (seed->size > 0)
			seed->bytes[(bits >> 8) % seed->size] ^=
			    (uint8_t)(how == 2 ? UINT64_C(1) << bits % 8
					       : bits);
	}
}

static void
feed_all(void (*feed)(const uint8_t *, size_t), unsigned mutations)
{
	static struct seed seed;
	struct random random;

	random_init(&random, 1);
	for (unsigned i = 0; i < seeds_count; i++)
		feed(seeds[i].bytes, seeds[i].size);
	for (unsigned i = 0; i < mutations; i++) {
		seed = seeds[random_below(&random, seeds_count)];
		mutate(&seed, &random);
		feed(seed.bytes, seed.size);
	}
	seeds_count = 0;
}

TEST(decoders_survive_any_bytes)
{
	read_seeds("tests/model/fuzz/corpus/packet", "");
	feed_all(feed_packet, 200000);
}

TEST(live_nodes_survive_any_member)
{
	read_seeds("tests/model/fuzz/corpus/node", "");
	feed_all(feed_node, 400);
}

TEST(instances_survive_any_message)
{
	read_seeds("tests/model/fuzz/corpus/algorithms", "");
	feed_all(feed_algorithms, 5000);
}

TEST(settings_survive_any_text)
{
	read_seeds("tests/unit/settings", ".conf");
	read_seeds("conf", ".conf");
	read_seeds("tests/model/fuzz/corpus/settings", "");
	feed_all(feed_settings, 3000);
}

TEST(control_socket_survives_any_line)
{
	read_seeds("tests/model/fuzz/corpus/control", "");
	feed_all(feed_control, 3000);
}

TEST(state_files_survive_any_damage)
{
	read_seeds("tests/model/fuzz/corpus/store", "");
	feed_all(feed_store, 20000);
}

TEST(histories_survive_any_text)
{
	read_seeds("tests/model/fuzz/corpus/history", "");
	read_seeds("tests/model/sim/histories", "");
	feed_all(feed_history, 3000);
}

TEST(tapes_survive_any_damage)
{
	read_seeds("tests/model/fuzz/corpus/tape", "");
	feed_all(feed_tape, 20000);
}

TEST(electvip_survives_any_frame_and_moment)
{
	read_seeds("tests/model/fuzz/corpus/electvip", "");
	feed_all(feed_electvip, 100000);
}

TEST(progress_survives_any_message)
{
	read_seeds("tests/model/fuzz/corpus/progress", "");
	feed_all(feed_progress, 100000);
}

TEST(clients_survive_any_line)
{
	read_seeds("tests/model/fuzz/corpus/libelectd", "");
	feed_all(feed_libelectd, 20000);
}

TEST(electweb_survives_any_request)
{
	read_seeds("tests/model/fuzz/corpus/web", "");
	feed_all(feed_web, 3000);
}
