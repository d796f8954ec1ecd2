/* SPDX-License-Identifier: ISC */
/* What a helper knows of its process, and what it sends. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/lastwill/will.h"

#define PEERS 3
#define ROOM  5
#define HANG  (60 * SEC)

/* Bytes after the memory: a writer that went astray would first write to these,
 * and to all of them at most. */
#define BEYOND 4096
#define SPARE  (1 << 20)

static const struct will_plan plan = { .peers_count = PEERS, .hang = HANG };
static struct will_view writer, reader;

static int
enter(void **state)
{
	uint8_t *memory = calloc(1, will_size(ROOM) + SPARE);

	(void)state;
	assert_non_null(memory);
	memset(memory + will_size(ROOM), 0x5a, SPARE);
	will_init(&writer, memory, ROOM, AF_INET, &plan);
	reader = writer;
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	free(writer.memory);
	return 0;
}

/* Sets a whole will of one repeated byte, which is also its port. */
static void
set(unsigned peer, enum will_kind kind, uint8_t byte)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = byte };
	uint8_t bytes[PACKET_WILL_BYTES];

	memset(bytes, byte, sizeof(bytes));
	will_set(&writer, peer, kind, (const struct sockaddr *)&to, bytes,
	    sizeof(bytes));
}

/* Fails unless exactly these wills go out, in this order. */
static void
assert_sent(enum will_choice choice, const char *wanted)
{
	struct will_letter letter = will_letters(&reader, choice);
	const struct sockaddr_in *to;

	for (; will_next(&reader, &letter); wanted++) {
		to = (const struct sockaddr_in *)(const void *)letter.to;
		assert_int_equal(to->sin_port, *wanted);
		assert_int_equal(letter.size, PACKET_WILL_BYTES);
		for (size_t i = 0; i < letter.size; i++)
			assert_int_equal(letter.bytes[i], *wanted);
	}
	assert_int_equal(*wanted, '\0');
}

#define CASE(name) TEST(name, enter, leave)

CASE(helper_reads_the_wills_that_were_set)
{
	assert_sent(WILL_CHOOSE_BEST, "");
	set(2, WILL_PLAIN, 'b');
	set(0, WILL_PLAIN, 'a');
	set(2, WILL_RELEASING, 'c');
	assert_sent(WILL_CHOOSE_PLAIN, "ab");
	assert_sent(WILL_CHOOSE_RELEASING, "c");
	assert_sent(WILL_CHOOSE_BEST, "ac");
}

CASE(latest_will_counts)
{
	char wanted[] = "?";

	for (char i = 'a'; i <= 'z'; i++) {
		set(1, WILL_PLAIN, (uint8_t)i);
		wanted[0] = i;
		assert_sent(WILL_CHOOSE_PLAIN, wanted);
	}
	will_set(&writer, 1, WILL_PLAIN, NULL, NULL, 0);
	assert_sent(WILL_CHOOSE_PLAIN, "");
}

/* The next will begins in the place of the last but one. */
CASE(death_in_the_middle_leaves_the_will_of_before)
{
	uint8_t old[PACKET_WILL_BYTES], *at;

	set(1, WILL_PLAIN, 'a');
	set(1, WILL_PLAIN, 'b');
	memset(old, 'a', sizeof(old));
	at = memmem(writer.memory, will_size(ROOM), old, sizeof(old));
	assert_non_null(at);
	memset(at, 'c', sizeof(old) / 2);
	assert_sent(WILL_CHOOSE_PLAIN, "b");
}

/* After each step of it the process may die. */
CASE(death_in_a_change_leaves_all_of_before)
{
	const struct will_plan next = {
		.peers_count = 2, .hang = SEC, .has_successor = true
	};

	set(0, WILL_PLAIN, 'a');
	set(1, WILL_RELEASING, 'b');
	set(2, WILL_PLAIN, 'c');
	for (unsigned i = 0; i < 2; i++) {
		will_begin_change(&writer, &next);
		assert_sent(WILL_CHOOSE_BEST, "abc");
		set(0, WILL_PLAIN, 'd');
		set(1, WILL_RELEASING, 'e');
		assert_sent(WILL_CHOOSE_BEST, "abc");
		assert_int_equal(will_hang(&reader), HANG);
		assert_false(will_has_successor(&reader));
	}
	will_end_change(&writer);
	assert_sent(WILL_CHOOSE_BEST, "de");
	assert_int_equal(will_hang(&reader), SEC);
	assert_true(will_has_successor(&reader));
}

CASE(wills_of_other_settings_do_not_come_back)
{
	const struct will_plan most = { .peers_count = ROOM, .hang = HANG };

	set(0, WILL_PLAIN, 'a');
	set(2, WILL_PLAIN, 'b');
	for (unsigned i = 0; i < 2; i++) {
		will_begin_change(&writer, &most);
		will_end_change(&writer);
		assert_sent(WILL_CHOOSE_BEST, "");
	}
	set(ROOM - 1, WILL_PLAIN, 'c');
	assert_sent(WILL_CHOOSE_BEST, "c");
}

static void
change(void)
{
	will_begin_change(&writer, &plan);
	will_end_change(&writer);
}

static void
assert_last_words(enum will_choice first, nsec_t release_at, nsec_t now)
{
	const struct will_last_words words = will_last_words(&reader, now);

	assert_int_equal(words.first, first);
	assert_int_equal(words.release_at, release_at);
}

CASE(term_is_released_after_the_last_deadline)
{
	assert_last_words(WILL_CHOOSE_BEST, NSEC_NEVER, 5 * SEC);
	will_set_handed_out(&writer, 7 * SEC);
	assert_last_words(WILL_CHOOSE_PLAIN, 7 * SEC + 1, 5 * SEC);
	assert_last_words(WILL_CHOOSE_PLAIN, 7 * SEC + 1, 7 * SEC - 1);
	assert_last_words(WILL_CHOOSE_BEST, NSEC_NEVER, 7 * SEC);
	will_set_handed_out(&writer, 6 * SEC); /* clients gave theirs back */
	assert_last_words(WILL_CHOOSE_PLAIN, 6 * SEC + 1, 5 * SEC);
}

CASE(deadline_that_is_nonsense_releases_nothing)
{
	const nsec_t most = 86400 * SEC;

	will_set_handed_out(&writer, most + 1);
	assert_last_words(WILL_CHOOSE_PLAIN, most + 2, 1);
	assert_last_words(WILL_CHOOSE_PLAIN, NSEC_NEVER, 0);
	will_set_handed_out(&writer, UINT64_MAX);
	assert_last_words(WILL_CHOOSE_PLAIN, NSEC_NEVER, 5 * SEC);
}

CASE(deadline_outlives_a_change)
{
	will_set_handed_out(&writer, 7 * SEC);
	for (unsigned i = 0; i < 3; i++) {
		change();
		assert_last_words(WILL_CHOOSE_PLAIN, 7 * SEC + 1, 5 * SEC);
	}
}

CASE(process_that_does_not_beat_is_declared_dead_once)
{
	assert_false(will_declare_dead(&reader, 100 * HANG));
	assert_false(will_beat(&writer, SEC));
	assert_int_equal(will_last_beat(&reader), SEC);
	assert_false(will_declare_dead(&reader, SEC + HANG - 1));
	assert_false(will_is_declared(&reader));
	assert_true(will_declare_dead(&reader, SEC + HANG));
	assert_true(will_is_declared(&reader));
	assert_int_equal(will_last_beat(&reader), 0);
	assert_false(will_declare_dead(&reader, 2 * HANG));
	assert_true(will_beat(&writer, 2 * HANG));
	assert_false(will_is_declared(&reader));
	assert_false(will_beat(&writer, 2 * HANG));
	assert_true(will_declare_dead(&reader, 3 * HANG));
	will_end(&writer);
	assert_false(will_is_declared(&reader));
	assert_false(will_declare_dead(&reader, 9 * HANG));
}

/* The helper declared the node dead while its settings changed. */
CASE(declaration_outlives_a_change)
{
	will_beat(&writer, SEC);
	will_begin_change(&writer, &plan);
	assert_true(will_declare_dead(&reader, SEC + HANG));
	will_end_change(&writer);
	assert_true(will_is_declared(&reader));
	assert_true(will_beat(&writer, 2 * HANG));
	will_begin_change(&writer, &plan);
	will_end_change(&writer);
	assert_true(will_declare_dead(&reader, 3 * HANG));
	change();
	assert_true(will_beat(&writer, 4 * HANG));
}

/* Reads all of it; an access out of bounds would give a signal. */
static void
read_all(void)
{
	struct will_letter letter = will_letters(&reader, WILL_CHOOSE_BEST);
	unsigned sum = 0;

	while (will_next(&reader, &letter)) {
		for (size_t j = 0; j < letter.size; j++)
			sum += letter.bytes[j];
	}
	assert_in_range(sum, 0, ROOM * PACKET_WILL_BYTES * 255);
	assert_in_range(will_hang(&reader), 1, 3600 * SEC);
}

CASE(damaged_memory_leads_no_reader_astray)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	uint8_t *bytes = (uint8_t *)writer.memory;

	set(0, WILL_PLAIN, 'a');
	set(PEERS - 1, WILL_RELEASING, 'b');
	for (size_t i = 0; i < will_size(ROOM); i++) {
		for (size_t j = 0; j < sizeof(masks); j++) {
			bytes[i] ^= masks[j];
			read_all();
			bytes[i] ^= masks[j];
		}
	}
	assert_sent(WILL_CHOOSE_BEST, "ab");
}

CASE(wills_of_nonsense_are_none)
{
	set(0, WILL_PLAIN, 'a');
	memset(writer.memory, 0xff, will_size(ROOM)); /* sizes, families */
	assert_sent(WILL_CHOOSE_BEST, "");
	read_all();
}

/* The helper may write to all of the memory. */
CASE(writer_stays_in_its_place_whatever_the_helper_writes)
{
	static const uint8_t masks[] = { 0x04, 0x01, 0x80, 0xff };
	uint8_t *bytes = (uint8_t *)writer.memory, beyond[BEYOND];

	memcpy(beyond, bytes + will_size(ROOM), BEYOND);
	for (size_t i = 0; i < sizeof(masks); i++) {
		for (size_t j = 0; j < will_size(ROOM); j++) {
			bytes[j] ^= masks[i];
			change(); /* fills one half */
			change(); /* and the other */
			set(0, WILL_PLAIN, 'a');
			set(PEERS - 1, WILL_RELEASING, 'b');
			assert_memory_equal(
			    bytes + will_size(ROOM), beyond, BEYOND);
		}
	}
	change();
	set(0, WILL_PLAIN, 'c');
	set(PEERS - 1, WILL_RELEASING, 'd');
	assert_sent(WILL_CHOOSE_BEST, "cd");
}

/* Gives the byte by which one half counts, or the other. */
static uint8_t *
find_what_counts(void)
{
	static uint8_t before[64 * 1024];
	uint8_t *bytes = (uint8_t *)writer.memory;
	size_t i = 0;

	assert_true(will_size(ROOM) <= sizeof(before));
	will_begin_change(&writer, &plan);
	memcpy(before, bytes, will_size(ROOM));
	will_end_change(&writer);
	while (i < will_size(ROOM) && bytes[i] == before[i])
		i++;
	assert_true(i < will_size(ROOM));
	return &bytes[i];
}

CASE(change_spares_the_half_that_counts_whatever_the_helper_writes)
{
	uint8_t *counts = find_what_counts();

	set(0, WILL_PLAIN, 'a');
	*counts ^= 1;
	will_begin_change(&writer, &plan);
	set(0, WILL_PLAIN, 'b');
	*counts ^= 1;
	assert_sent(WILL_CHOOSE_BEST, "a");
	will_end_change(&writer);
	assert_sent(WILL_CHOOSE_BEST, "b");
}
