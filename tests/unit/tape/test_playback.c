/* SPDX-License-Identifier: ISC */
/*
 * Tapes and their playback: each node of a world does the same again, without
 * its keys; and a node that does otherwise is found at the input where it does.
 * Takes 5 s.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/node/node_parts.h" /* to look for its keys on the tape */
#include "common/node/tape/entry.h"
#include "tests/lib/often.h"
#include "tests/model/sim/swarm/swarm.h"

#define NODES 4

/* A world in which each kind of input comes: node 1 leads at its end. */
static struct world *
busy_world(void)
{
	struct setup_keys keys = {
		.first = "the next key, of 32 odd letters",
		.has_second = true,
	};
	struct world *w = world_with((struct world_setup){
	    .nodes = NODES,
	    .guarantee = GUARANTEE_QUORUM,
	    .has_group = true,
	    .tapes = true,
	});
	struct world_file file;

	memset(keys.second, 0x5a, KEY_BYTES); /* of host/configure.c */
	world_exchange(w);
	w->clients.hold = 500;
	w->network.refuses = 1000;
	world_begin(w);
	world_elect(w, 2);
	world_settle(w);
	world_snapshot(w, 1);
	world_run(w, SEC);
	world_resign(w, NODES, NODE_NONE);
	world_run(w, 5 * SEC);
	world_stand(w, NODES);
	world_standby(w, 3, NSEC_NEVER);
	world_crash(w, 3);
	world_run(w, 2 * SEC);
	world_start(w, 3);
	world_run(w, 5 * SEC);
	world_stand(w, 3);
	world_settle(w);
	world_pull(w, 2);
	world_run(w, SEC);
	world_plug_in(w, 2);
	world_settle(w);
	file = w->files.newest;
	file.priorities[2] = 1;
	world_edit(w, &file);
	for (process_name name = 1; name <= NODES; name++) {
		world_reload(w, name);
		world_run(w, SEC);
	}
	world_settle(w);
	for (process_name name = 1; name <= NODES; name++) {
		struct process *p = &w->processes[name];

		node_change_keys(
		    p->node, clock_local(&p->clock, w->now), &keys);
		process_act(w, name);
	}
	world_run(w, SEC);
	return w;
}

struct look {
	unsigned kinds[TAPE_KINDS]; /* entries that were played, by kind */
	unsigned actions;
};

static void
count_entry(void *context, uint64_t number, const struct entry *in)
{
	struct look *look = context;

	(void)number;
	look->kinds[in->kind]++;
}

static void
count_action(void *context, const struct action *action)
{
	struct look *look = context;

	(void)action;
	look->actions++;
}

/* Plays all tapes of a world. */
static void
look_at(struct world *w, struct look *look)
{
	const struct playback_audience audience = {
		.on_entry = count_entry,
		.on_action = count_action,
		.context = look,
	};
	struct reel reels[2];

	for (process_name name = 1; name <= NODES; name++) {
		struct tape *tape = &w->processes[name].scribe.tape;
		unsigned count;

		tape_flush(tape);
		count = reels_of(tape, reels);
		assert_in_range(count, 1, 2);
		for (unsigned i = 0; i < count; i++) {
			struct playback_result r = playback_run(
			    &reels[i], algorithm_find, UINT64_MAX, &audience);

			assert_int_equal(r.end, PLAYBACK_SAME);
			assert_true(r.number > reels[i].first);
		}
	}
}

WORLD(each_kind_of_input_is_played)
{
	static const enum tape_kind wanted[] = { TAPE_TICK, TAPE_RECEIVE,
		TAPE_REFUSED, TAPE_ELECT, TAPE_RESIGN, TAPE_STANDBY, TAPE_KEYS,
		TAPE_PERSISTED, TAPE_HAND_OUT, TAPE_ANNOUNCE, TAPE_CHANGE,
		TAPE_PROPOSE, TAPE_SNAPSHOT, TAPE_PULL, TAPE_CARRIER, TAPE_FILE,
		TAPE_ACTS };
	struct look look = { .actions = 0 };
	struct world *w = busy_world();

	look_at(w, &look);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (look.kinds[wanted[i]] == 0)
			fail_msg("no tape has the kind %u", wanted[i]);
	}
	assert_true(look.actions > 1000);
}

/* A process that records for long begins one half after the other. */
WORLD(tape_keeps_its_last_two_halves)
{
	struct look look = { .actions = 0 };
	struct world *w = busy_world();
	const struct tape *tape = &w->processes[1].scribe.tape;
	struct reel reels[2];

	world_run(w, 200 * SEC);
	look_at(w, &look);
	assert_int_equal(reels_of(tape, reels), 2);
	assert_true(reels[0].first > 0);
	assert_true(reels[1].first > reels[0].first);
	/* The earlier half was full. */
	assert_true(reels[0].entries_size + reels[0].checkpoint_size >
		    tape->half_bytes * 9 / 10);
}

/* True if the halves of a tape have these bytes. */
static bool
has_bytes(const struct tape *tape, const uint8_t *bytes, size_t size)
{
	struct reel reels[2];
	unsigned count = reels_of(tape, reels);

	for (unsigned i = 0; i < count; i++) {
		if (memmem(reels[i].checkpoint, reels[i].checkpoint_size, bytes,
			size) != NULL ||
		    memmem(reels[i].entries, reels[i].entries_size, bytes,
			size) != NULL)
			return true;
	}
	return false;
}

/* Fails if a tape of the world has the key; zeros are none. */
static void
assert_hidden(struct world *w, const uint8_t key[KEY_BYTES], unsigned *keys)
{
	static const uint8_t none[KEY_BYTES];

	if (memcmp(key, none, KEY_BYTES) == 0)
		return;
	++*keys;
	for (process_name name = 1; name <= NODES; name++)
		assert_false(
		    has_bytes(&w->processes[name].scribe.tape, key, KEY_BYTES));
}

static void
assert_session_hidden(struct world *w, const struct session *s, unsigned *keys)
{
	assert_hidden(w, s->send_key, keys);
	assert_hidden(w, s->opener.key, keys);
}

/* Each node begins the later half of its tape. */
static void
begin_later_halves(struct world *w)
{
	for (process_name name = 1; name <= NODES; name++) {
		struct process *p = &w->processes[name];

		node_begin_tape(
		    p->node, clock_local(&p->clock, w->now), &p->scribe.tape);
		tape_flush(&p->scribe.tape);
	}
}

/* The world above, in which keys of all kinds are in use. The others answer the
 * HELLOs of 3, which does not hear them, and reject those of a copy of 4: the
 * keys that they offer are not confirmed. */
static struct world *
world_with_keys(void)
{
	struct world *w = busy_world();

	world_crash(w, 3);
	for (node_id id = 1; id <= NODES; id++)
		w->network.wires[id][3].cut = true;
	world_start(w, 3);
	world_run(w, 500 * MSEC);
	world_copy(w, 4, 1);
	world_run(w, MSEC);
	begin_later_halves(w);
	return w;
}

WORLD(no_key_is_on_a_tape)
{
	struct world *w = world_with_keys();
	unsigned keys = 0, offers = 0, rejections = 0;

	for (process_name name = 1; name <= NODES; name++) {
		const struct node *node = w->processes[name].node;

		assert_hidden(w, node->keys.first.key, &keys);
		assert_hidden(w, node->keys.first.handshake, &keys);
		assert_hidden(w, node->setup.entropy, &keys);
		assert_hidden(w, node->group.key, &keys);
		for (unsigned i = 0; i < node->peers_count; i++) {
			const struct peer *p = &node->peers[i];

			offers += p->handshake.offer.is_made;
			rejections += p->handshake.rejection.is_made;
			assert_session_hidden(w, &p->session, &keys);
			assert_session_hidden(
			    w, &p->handshake.offer.session, &keys);
			assert_session_hidden(
			    w, &p->handshake.rejection.session, &keys);
			assert_hidden(w, p->will.last_opener.key, &keys);
			assert_hidden(w, p->group.key, &keys);
		}
	}
	assert_int_equal(offers, NODES - 1);
	assert_true(rejections > 0);
	/* Each node has four keys, and each pair two session keys and a group
	 * key, but for node 3. */
	assert_true(keys >= NODES * 4 + (NODES - 1) * (NODES - 2) * 3);
}

/* A node as it was, and the memory that it had. */
struct copy {
	uint8_t litter; /* what its stack was full of before each input */
	uint64_t base;  /* where it was */
	uint8_t *bytes; /* allocated */
	size_t size;
};

/* Leaves bytes on the stack, where the functions that are called next have
 * their variables. */
static __attribute__((noinline)) void
litter_stack(void *context, uint64_t number, const struct entry *in)
{
	const struct copy *copy = context;
	volatile uint8_t stack[1 << 16]; /* more than an input takes */

	(void)number;
	(void)in;
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = copy->litter;
}

static void
copy_node(void *context, struct node *node, const struct entry *in,
    const uint8_t *plain, size_t plain_size)
{
	struct copy *copy = context;

	(void)in;
	(void)plain;
	(void)plain_size;
	copy->base = (uint64_t)(uintptr_t)node;
	copy->size = node->recording.size;
	copy->bytes = realloc(copy->bytes, copy->size);
	assert_non_null(copy->bytes);
	memcpy(copy->bytes, node, copy->size);
}

/* The node at the end of a half that is played on such a stack. */
static struct copy
copy_played(const struct reel *reel, uint8_t litter)
{
	struct copy copy = { .litter = litter };
	const struct playback_audience audience = {
		.on_entry = litter_stack,
		.on_end = copy_node,
		.context = &copy,
	};

	assert_int_equal(
	    playback_run(reel, algorithm_find, UINT64_MAX, &audience).end,
	    PLAYBACK_SAME);
	return copy;
}

/* True if a pointer is there to what the host has. */
static bool
is_of_host(size_t at)
{
	return at == offsetof(struct node, setup.document) ||
	       at == offsetof(struct node, configs.proposal) ||
	       at == offsetof(struct node, recording.tape);
}

/* Fails if a node has another word there than the copy. What points into the
 * one points to the same place in the other. A checkpoint may have zeros. */
static void
assert_same_word(const uint8_t *bytes, uint64_t base, const struct copy *copy,
    size_t at, bool is_checkpoint)
{
	uint64_t word, other;

	memcpy(&word, bytes + at, sizeof(word));
	memcpy(&other, copy->bytes + at, sizeof(other));
	if (word - base < copy->size) {
		word -= base;
		other -= copy->base;
	}
	if (word != other && !(is_checkpoint && word == 0) && !is_of_host(at))
		fail_msg("something else is at %zu", at);
}

/* Plays the earlier half of a tape: then the node has the memory of the
 * checkpoint that begins the later one, whatever was on the stack. */
static void
assert_same_memory(struct tape *tape)
{
	struct checkpoint checkpoint;
	struct copy a, b;
	struct reel reels[2];
	struct reader r;

	assert_int_equal(reels_of(tape, reels), 2);
	a = copy_played(&reels[0], 0xa5);
	b = copy_played(&reels[0], 0x5a);
	r = reader_of(reels[1].entries, reels[1].entries_size);
	assert_true(entry_read_checkpoint(&r, &checkpoint));
	assert_int_equal(a.size, reels[1].checkpoint_size);
	assert_int_equal(a.size, b.size);
	for (size_t at = 0; at < a.size; at += sizeof(uint64_t)) {
		assert_same_word(
		    reels[1].checkpoint, checkpoint.base, &a, at, true);
		assert_same_word(b.bytes, b.base, &a, at, false);
	}
	free(a.bytes);
	free(b.bytes);
}

/* The checkpoint has no key that is later than the earlier checkpoint, nor
 * anything that follows from one, and the node has none of its pointers from
 * where it was recorded. */
WORLD(checkpoint_is_the_memory_of_a_node_without_keys)
{
	struct world *w = world_with_keys();

	for (process_name name = 1; name <= NODES; name++)
		assert_same_memory(&w->processes[name].scribe.tape);
}

TEST(checkpoint_in_a_ring_or_tree_is_the_memory_of_the_node)
{
	static const struct algorithm *const all[] = { &algorithm_lelann,
		&algorithm_tree };

	for (size_t i = 0; i < 2; i++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = NODES,
		    .algorithm = all[i],
		    .topology = all[i]->topology,
		    .tapes = true,
		});

		world_begin(w);
		begin_later_halves(w);
		for (process_name name = 1; name <= NODES; name++)
			assert_same_memory(&w->processes[name].scribe.tape);
		world_end(w);
	}
}

/* The half of a tape with the first election, and the number of the input in
 * which the strange algorithm below first does otherwise. */
static uint64_t entry_number, strange_at;

static void
note_number(void *context, uint64_t number, const struct entry *in)
{
	(void)context;
	(void)in;
	entry_number = number;
}

static void
strange_step(void *state, const struct input *in, struct outbox *out)
{
	size_t before = out->count;

	algorithm_bully.step(state, in, out);
	if (out->count == before || in->kind != INPUT_MESSAGE)
		return;
	if (strange_at == 0)
		strange_at = entry_number;
	out->count--;
}

static const struct algorithm *
find_strange(const char *name)
{
	static struct algorithm strange;

	assert_string_equal(name, algorithm_bully.name);
	strange = algorithm_bully;
	strange.step = strange_step;
	return &strange;
}

WORLD(node_that_does_otherwise_is_found_at_its_input)
{
	const struct playback_audience audience = { .on_entry = note_number };
	struct world *w = world_with((struct world_setup){
	    .nodes = NODES,
	    .tapes = true,
	});
	struct tape *tape = &w->processes[2].scribe.tape;
	struct playback_result r;
	struct reel reels[2];

	world_begin(w);
	world_elect(w, 1);
	world_run(w, SEC);
	tape_flush(tape);
	assert_int_equal(reels_of(tape, reels), 1);
	entry_number = strange_at = 0;
	r = playback_run(&reels[0], find_strange, UINT64_MAX, &audience);
	assert_int_equal(r.end, PLAYBACK_DIFFERS);
	assert_true(strange_at > 1);
	assert_int_equal(r.number, strange_at);
	/* Until then it did the same. */
	strange_at = 0;
	r = playback_run(&reels[0], find_strange, r.number - 1, &audience);
	assert_int_equal(r.end, PLAYBACK_SAME);
	assert_int_equal(strange_at, 0);
}

/* Plays the first input alone, with one byte of the entries changed. */
static enum playback_end
play_changed(const struct reel *reel, size_t at)
{
	uint8_t *changed = malloc(reel->entries_size);
	struct reel other = *reel;
	struct playback_result r;

	assert_non_null(changed);
	memcpy(changed, reel->entries, reel->entries_size);
	changed[at] ^= 1;
	other.entries = changed;
	r = playback_run(&other, algorithm_find, UINT64_MAX, NULL);
	free(changed);
	return r.end;
}

WORLD(tape_whose_last_digest_is_another_differs)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 1,
	    .tapes = true,
	});
	struct tape *tape = &w->processes[1].scribe.tape;
	struct reel reels[2];

	world_start_all(w);
	world_run(w, 100 * MSEC);
	tape_flush(tape);
	assert_int_equal(reels_of(tape, reels), 1);
	for (size_t i = 1; i <= sizeof(uint64_t); i++)
		assert_int_equal(
		    play_changed(&reels[0], reels[0].entries_size - i),
		    PLAYBACK_DIFFERS);
	/* The kind of the checkpoint's entry. */
	assert_int_equal(play_changed(&reels[0], 0), PLAYBACK_BROKEN);
}

/* The half of a world of one node, with its checkpoint and its entries to
 * change. */
struct changed {
	uint8_t *checkpoint;
	uint8_t *entries;
	struct reel reel;
};

static struct changed
changed_of(struct world *w)
{
	struct tape *tape = &w->processes[1].scribe.tape;
	struct reel reels[2];
	struct changed c;

	tape_flush(tape);
	assert_int_equal(reels_of(tape, reels), 1);
	c.reel = reels[0];
	c.checkpoint = malloc(c.reel.checkpoint_size);
	c.entries = malloc(c.reel.entries_size);
	assert_non_null(c.checkpoint);
	assert_non_null(c.entries);
	memcpy(c.checkpoint, c.reel.checkpoint, c.reel.checkpoint_size);
	memcpy(c.entries, c.reel.entries, c.reel.entries_size);
	c.reel.checkpoint = c.checkpoint;
	c.reel.entries = c.entries;
	return c;
}

static void
assert_broken(const struct reel *reel, const char *why)
{
	struct playback_result r =
	    playback_run(reel, algorithm_find, UINT64_MAX, NULL);

	assert_int_equal(r.end, PLAYBACK_BROKEN);
	assert_string_equal(r.why, why);
}

/* Pointers that do not point into it; too few bytes; too many peers; and the
 * name of an algorithm that does not exist. */
WORLD(checkpoint_of_no_node_is_refused)
{
	const size_t base_at = 1 + 8, name_at = base_at + 8 + 1 + 1;
	const size_t count_at = offsetof(struct node, peers_count);
	struct world *w = world_with((struct world_setup){
	    .nodes = 1,
	    .tapes = true,
	});
	struct changed c;

	world_start_all(w);
	world_run(w, 100 * MSEC);
	c = changed_of(w);
	c.entries[base_at + 3] ^= 1;
	assert_broken(&c.reel, "its checkpoint is of no node");
	c.entries[base_at + 3] ^= 1;
	c.reel.checkpoint_size = 100;
	assert_broken(&c.reel, "its checkpoint is of no node");
	c.reel.checkpoint_size = sizeof(struct node);
	assert_broken(&c.reel, "its checkpoint is of no node");
	c.reel.checkpoint_size = w->processes[1].node->recording.size;
	c.checkpoint[count_at + 1] = 0xff;
	assert_broken(&c.reel, "its checkpoint is of no node");
	c.checkpoint[count_at + 1] = 0;
	c.entries[name_at]++;
	assert_broken(&c.reel, "there is no such algorithm");
	c.entries[name_at]--;
	assert_int_equal(
	    playback_run(&c.reel, algorithm_find, UINT64_MAX, NULL).end,
	    PLAYBACK_SAME);
	free(c.checkpoint);
	free(c.entries);
}

/* A node runs on where its checkpoint does not fit, or is recorded no more. */
WORLD(tape_without_room_records_nothing)
{
	static uint64_t memory[4096 / sizeof(uint64_t)];
	struct world *w = world_plain(2);
	struct reel reels[2];
	struct tape tape;

	world_start_all(w);
	tape_init(&tape, memory, sizeof(memory));
	node_begin_tape(w->processes[1].node,
	    clock_local(&w->processes[1].clock, w->now), &tape);
	world_settle(w);
	tape_flush(&tape);
	assert_int_equal(reels_of(&tape, reels), 0);
	node_begin_tape(w->processes[1].node, 0, NULL);
	world_run(w, SEC);
	assert_leader(w, 2);
}

/* Makes the node of a process anew, with this health of its state. */
static void
change_health(struct world *w, process_name name, enum state_health health)
{
	struct process *p = &w->processes[name];
	struct world_peers peers;
	struct node_setup setup;
	void *memory;
	struct node *node;

	world_configure(w, p, &setup, &peers);
	setup.config_id.config_version++;
	setup.state_health = health;
	memory = calloc(1, node_change_size(p->node, &setup));
	assert_non_null(memory);
	node = node_change(
	    memory, p->node, &setup, clock_local(&p->clock, w->now));
	free(p->node);
	p->node = node;
	process_act(w, name);
}

WORLD(node_that_settings_make_distrust_its_state_does_when_it_is_played)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 1,
	    .guarantee = GUARANTEE_QUORUM,
	    .tapes = true,
	});

	world_start_all(w);
	assert_settles_on(w, 1);
	change_health(w, 1, STATE_HEALTH_LOST);
	world_run(w, SEC);
	assert_int_equal(world_status(w, 1).state_health, STATE_HEALTH_LOST);
	assert_int_equal(world_status(w, 1).state, STATE_NO_QUORUM);
	world_play_tapes(w);
}

/* Reads what is written of a setup with this health; false: it is refused. */
static bool
health_is_read(unsigned health)
{
	static struct entry_room room;
	static uint8_t bytes[512];
	const struct node_setup setup = {
		.self = 1,
		.algorithm = algorithm_find("bully"),
		.state_health = (enum state_health)health,
	};
	struct entry in = { .kind = TAPE_CHANGE, .setup = &setup };
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r;

	write_u8(&w, TAPE_CHANGE);
	write_u64(&w, SEC);
	entry_write(&w, &in);
	assert_false(w.failed);
	r = reader_of(bytes, w.size);
	return entry_read(&r, &in, &room) && in.setup->state_health == health;
}

TEST(setup_with_a_health_that_there_is_not_is_refused)
{
	assert_true(health_is_read(STATE_HEALTH_SOUND));
	assert_true(health_is_read(STATE_HEALTH_CHANGED));
	assert_false(health_is_read(STATE_HEALTH_CHANGED + 1));
}

TEST(refusal_of_no_settings_is_refused)
{
	static struct entry_room room;
	static uint8_t bytes[512];
	const struct config_id config_id = { .config_version = 1 };
	struct entry in = { .kind = TAPE_REFUSE };

	for (unsigned i = 0; i < 2; i++) {
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r;

		in.config_id = i == 0 ? NULL : &config_id;
		write_u8(&w, TAPE_REFUSE);
		write_u64(&w, SEC);
		entry_write(&w, &in);
		assert_false(w.failed);
		r = reader_of(bytes, w.size);
		assert_int_equal(entry_read(&r, &in, &room), i == 1);
	}
}

#define SICK .cause = STANDBY_CHECK, .is_on = true

TEST(standby_that_no_host_says_is_refused)
{
	static struct entry_room room;
	static uint8_t bytes[512];
	static const struct {
		struct standby standby;
		bool is_taken;
	} rows[] = {
		{ { .cause = STANDBY_CAUSES }, false },
		{ { .cause = STANDBY_CHECK }, true },
		{ { .cause = STANDBY_RESIGNED }, true },
		{ { .cause = STANDBY_RESIGNED, .is_on = true, .left = 1 },
		    false },
		{ { SICK, .left = 0 }, false },
		{ { SICK, .left = 1, .reason = "a\nb" }, false },
		{ { SICK, .left = 1, .age = STANDBY_MAX }, true },
		{ { SICK, .left = 1, .age = STANDBY_MAX + 1 }, false },
		{ { SICK, .left = NSEC_NEVER }, true },
		{ { SICK, .left = STANDBY_MAX + 1 }, false },
		{ { SICK, .left = STANDBY_MAX, .reason = "ab" }, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct entry in = { .kind = TAPE_STANDBY,
			.standby = &rows[i].standby };
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r;

		write_u8(&w, TAPE_STANDBY);
		write_u64(&w, SEC);
		entry_write(&w, &in);
		r = reader_of(bytes, w.size);
		assert_int_equal(entry_read(&r, &in, &room), rows[i].is_taken);
	}
	assert_string_equal(room.standby.reason, "ab");
}

TEST(reason_of_a_resignation_is_bounded)
{
	static const struct {
		const char *reason;
		bool is_taken;
	} rows[] = { { "", true }, { "no progress", true }, { "a\nb", false },
		{ "\xff", false } };
	struct entry_room room;
	uint8_t bytes[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct entry in = {
			.kind = TAPE_RESIGN, .to = 7, .reason = rows[i].reason
		};
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r;

		write_u8(&w, TAPE_RESIGN);
		write_u64(&w, SEC);
		entry_write(&w, &in);
		r = reader_of(bytes, w.size);
		assert_int_equal(entry_read(&r, &in, &room), rows[i].is_taken);
		if (!rows[i].is_taken)
			continue;
		assert_int_equal(in.to, 7);
		assert_string_equal(in.reason, rows[i].reason);
	}
}

TEST(every_node_of_a_swarm_does_the_same_again)
{
	static const struct swarm_setup setup = {
		.may_be = { true, true },
		.tapes = true,
	};
	static struct swarm_plan plan;
	uint64_t replayed = 0;

	for (uint64_t seed = 1; seed <= often(160); seed++) {
		struct swarm_result result;

		swarm_plan(&plan, &setup, seed);
		swarm_run(&plan, &result, NULL);
		if (result.is_broken)
			fail_msg("seed %u: %s", (unsigned)seed, result.why);
		assert_true(result.replayed > 0);
		replayed += result.replayed;
	}
	assert_true(replayed > 100000);
}
