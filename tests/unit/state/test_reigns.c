/* SPDX-License-Identifier: ISC */
/* The file of the last leaders, and all that can be wrong with it: what is
 * sound is kept, and nothing else. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/state/reigns.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"

#define KEPT  "here/web-3.leaders"
#define FEW   3 /* leaders of a file that is damaged everywhere */
#define WALL  ((nsec_t)1800000000 * SEC)
#define WHOLE ((size_t)REIGNS_HEAD + FEW * REIGN_BYTES)

static const struct settings settings = {
	.shared.cluster = "web",
	.id = 3,
	.state_dir = "./here",
};

static uint8_t bytes[REIGNS_BYTES];
static struct reigns reigns, got;

static int
enter(void **state)
{
	if (store_home_enter(state) != 0 || sodium_init() < 0)
		return -1;
	log_set_level(LOG_LEVEL_WARN);
	reigns.count = 0;
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	if (unlink(KEPT) != 0)
		rmdir(KEPT);
	return store_home_leave(state);
}

/* That of web2 in this term, after web1 was lost. */
static struct reign
reign_of(uint64_t term)
{
	return (struct reign){
		.wall = WALL + term * SEC,
		.leaderless = term * MSEC,
		.term = term,
		.leader = 2,
		.reason = { REASON_MISSED, 1 },
		.name = "web2",
		.reason_name = "web1",
	};
}

static void
add(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct reign reign = reign_of(i + 1);

		reigns_add(&reigns, &reign);
	}
}

/* The bytes of a file of one leader. */
static size_t
encode_one(const struct settings *of, const struct reign *reign)
{
	reigns.count = 0;
	reigns_add(&reigns, reign);
	return reigns_encode(of, &reigns, bytes);
}

static bool
decodes(size_t size)
{
	return reigns_decode(&settings, bytes, size, &got);
}

static void
assert_same(const struct reign *a, const struct reign *b)
{
	assert_true(a->wall == b->wall);
	assert_true(a->leaderless == b->leaderless);
	assert_int_equal(a->term, b->term);
	assert_int_equal(a->leader, b->leader);
	assert_int_equal(a->reason.kind, b->reason.kind);
	assert_int_equal(a->reason.node, b->reason.node);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->reason_name, b->reason_name);
}

#define CASE(name) TEST(name, enter, leave)

CASE(leaders_outlive_the_process)
{
	struct reign first = {
		.wall = REIGN_WALL_MAX,
		.leaderless = NSEC_NEVER,
		.term = TERM_MAX,
		.leader = NODE_ID_MAX,
		.reason = { REASON_KINDS - 1, NODE_NONE },
	};
	struct reign second = reign_of(7);

	memset(first.name, 'x', NAME_MAX_BYTES - 1);
	assert_true(reigns_recall(&settings, &got));
	assert_int_equal(got.count, 0);
	reigns_add(&reigns, &first);
	assert_int_equal(reigns_write(&settings, &reigns), 0);
	reigns_add(&reigns, &second);
	assert_int_equal(reigns_write(&settings, &reigns), 0);
	assert_true(reigns_recall(&settings, &got));
	assert_int_equal(got.count, 2);
	assert_same(&got.list[0], &first);
	assert_same(&got.list[1], &second);
}

CASE(leader_beyond_200_takes_the_place_of_the_oldest)
{
	add(REIGNS_MAX);
	assert_int_equal(reigns.count, REIGNS_MAX);
	assert_int_equal(reigns.list[0].term, 1);
	add(1);
	assert_int_equal(reigns.count, REIGNS_MAX);
	assert_int_equal(reigns.list[0].term, 2);
	assert_int_equal(reigns.list[REIGNS_MAX - 1].term, 1);
	assert_int_equal(
	    reigns_encode(&settings, &reigns, bytes), REIGNS_BYTES);
	assert_true(decodes(REIGNS_BYTES));
	assert_int_equal(got.count, REIGNS_MAX);
	assert_same(&got.list[0], &reigns.list[0]);
}

/* Where a record ends, a file may end. */
CASE(file_that_is_cut_off_has_the_records_before)
{
	add(FEW);
	assert_int_equal(reigns_encode(&settings, &reigns, bytes), WHOLE);
	for (size_t cut = 0; cut <= WHOLE; cut++) {
		size_t rest =
		    cut < REIGNS_HEAD ? 1 : (cut - REIGNS_HEAD) % REIGN_BYTES;

		assert_int_equal(decodes(cut), rest == 0);
		assert_int_equal(got.count,
		    cut < REIGNS_HEAD ? 0 : (cut - REIGNS_HEAD) / REIGN_BYTES);
	}
}

/* A bit of the head costs no record, any other only its own. */
CASE(file_with_any_other_bit_has_all_other_records)
{
	add(FEW);
	assert_int_equal(reigns_encode(&settings, &reigns, bytes), WHOLE);
	assert_true(decodes(WHOLE));
	for (size_t bit = 0; bit < 8 * WHOLE; bit++) {
		size_t byte = bit / 8;
		size_t lost = byte < REIGNS_HEAD
				  ? FEW
				  : (byte - REIGNS_HEAD) / REIGN_BYTES;

		bytes[byte] ^= (uint8_t)(1 << bit % 8);
		assert_false(decodes(WHOLE));
		assert_int_equal(got.count, lost == FEW ? FEW : FEW - 1);
		for (size_t i = 0, j = 0; i < FEW; i++)
			if (i != lost)
				assert_same(&got.list[j++], &reigns.list[i]);
		bytes[byte] ^= (uint8_t)(1 << bit % 8);
	}
}

CASE(record_of_another_node_or_cluster_is_none)
{
	struct settings others[2] = { settings, settings };
	struct reign reign = reign_of(1);

	others[0].id = 4;
	strcpy(others[1].shared.cluster, "db");
	for (unsigned i = 0; i < 2; i++) {
		assert_false(decodes(encode_one(&others[i], &reign)));
		assert_int_equal(got.count, 0);
	}
}

/* The checksum is right, and yet the record makes no sense. */
CASE(record_that_makes_no_sense_is_none)
{
	struct reign wrong[6];

	for (unsigned i = 0; i < 6; i++)
		wrong[i] = reign_of(1);
	wrong[0].wall = REIGN_WALL_MAX + 1;
	wrong[1].term = TERM_MAX + 1;
	wrong[2].leader = NODE_NONE;
	wrong[3].leader = NODE_ID_MAX + 1;
	wrong[4].reason.kind = REASON_KINDS;
	strcpy(wrong[5].name, "web\0332");
	for (unsigned i = 0; i < 6; i++) {
		assert_false(decodes(encode_one(&settings, &wrong[i])));
		assert_int_equal(got.count, 0);
	}
}

/* Reads the file of the state directory, which warns once. */
static void
assert_recalls(unsigned count, const char *why)
{
	const char *said, *line;

	capture();
	assert_false(reigns_recall(&settings, &got));
	said = captured();
	assert_int_equal(got.count, count);
	line = strstr(said, "here/web-3.leaders: ");
	assert_non_null(line);
	assert_non_null(strstr(line, why));
	assert_null(strchr(strchr(said, '\n') + 1, '\n'));
}

CASE(damage_is_told_once)
{
	add(FEW);
	assert_int_equal(reigns_write(&settings, &reigns), 0);
	assert_int_equal(truncate(KEPT, WHOLE - 1), 0);
	assert_recalls(2, "it is damaged: of the last leaders, 2 could be");
	assert_int_equal(truncate(KEPT, 0), 0);
	assert_recalls(0, "it is damaged");
	assert_int_equal(truncate(KEPT, REIGNS_BYTES + 1), 0);
	assert_recalls(0, "File too large");
	assert_int_equal(unlink(KEPT), 0);
	assert_int_equal(mkdir(KEPT, 0700), 0);
	assert_recalls(0, "Is a directory");
}
