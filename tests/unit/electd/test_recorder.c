/* SPDX-License-Identifier: ISC */
/* The flight recorder: what it hands out is the tape of its node, and goes on
 * when the node has grown. */
#include "daemon/electd/look/recorder.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/registry.h"

#define NODE_BYTES (256 << 10) /* more than a node of the world has */

static char place[] = "/tmp/electd-recorder-XXXXXX";
static struct settings settings = {
	.shared.cluster = "c",
	.id = 1,
};

static const struct tape_head head = {
	.id = 1,
	.incarnation = 4,
	.name = "one",
	.cluster = "c",
};

static void
make_place(void)
{
	strcpy(place + sizeof(place) - 7, "XXXXXX");
	assert_non_null(mkdtemp(place));
	strcpy(settings.state_dir, place);
}

/* Fails unless the bytes are a tape that can be played; gives how many inputs
 * it has. */
static uint64_t
assert_plays(const uint8_t *bytes, size_t size)
{
	char error[TAPE_FILE_ERROR_MAX];
	struct tape_file file;
	struct playback_result result;

	assert_int_equal(
	    tape_file_read(&file, bytes, size, error), TAPE_FILE_GOOD);
	assert_int_equal(file.head.incarnation, 4);
	assert_string_equal(file.head.name, "one");
	assert_int_equal(file.reels_count, 1);
	result = playback_run(&file.reels[0], algorithm_find, UINT64_MAX, NULL);
	assert_int_equal(result.end, PLAYBACK_SAME);
	return result.number - file.reels[0].first;
}

static uint64_t
assert_file_plays(int fd, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	uint64_t inputs;

	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, size + 1), size);
	inputs = assert_plays(bytes, size);
	free(bytes);
	close(fd);
	return inputs;
}

static uint64_t
assert_dump_plays(struct recorder *r)
{
	size_t size;
	int fd = recorder_dump(r, &size);

	assert_true(fd >= 0);
	return assert_file_plays(fd, size);
}

static struct world *w; /* of one node, and what records it */
static struct recorder *r;
static struct worker *worker;

static int
begin(void **state)
{
	(void)state;
	w = world_plain(1);
	world_start_all(w);
	make_place();
	assert_int_equal(worker_new(&worker), 0);
	r = recorder_new(&settings, worker);
	assert_non_null(r);
	recorder_name(r, &head);
	recorder_begin(r, w->processes[1].node, NODE_BYTES,
	    clock_local(&w->processes[1].clock, w->now));
	return 0;
}

static int
end(void **state)
{
	(void)state;
	node_begin_tape(w->processes[1].node, 0, NULL);
	worker_free(worker);
	recorder_free(r);
	world_end(w);
	return rmdir(place);
}

TEST(dump_is_the_tape_of_the_node, begin, end)
{
	uint64_t first;

	world_run(w, SEC);
	first = assert_dump_plays(r);
	assert_true(first > 1);
	world_run(w, SEC);
	assert_true(assert_dump_plays(r) > first);
}

TEST(file_that_was_handed_out_is_empty_after_the_next, begin, end)
{
	struct stat file;
	size_t size;
	int fd;

	fd = recorder_dump(r, &size);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(file.st_size, size);
	assert_dump_plays(r);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(file.st_size, 0);
	close(fd);
}

/* A client that could write might hold the file while electd empties it. */
TEST(file_that_was_handed_out_can_only_be_read, begin, end)
{
	struct stat file;
	size_t size;
	int fd;

	fd = recorder_dump(r, &size);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(file.st_mode & 0777, 0400);
	assert_int_equal(file.st_uid, geteuid());
	close(fd);
}

TEST(without_a_second_descriptor_none_is_handed_out, begin, end)
{
	struct rlimit before, few;
	size_t size;
	int next, fd;

	next = dup(0);
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	fd = recorder_dump(r, &size);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(fd, -EMFILE);
	assert_int_equal(dup(0), next);
	close(next);
	assert_dump_plays(r);
}

/* A tape in which the node leaves too little room ends; another one begins. */
TEST(node_that_has_grown_gets_another_tape, begin, end)
{
	world_run(w, SEC);
	recorder_begin(r, w->processes[1].node, NODE_BYTES,
	    clock_local(&w->processes[1].clock, w->now));
	assert_true(assert_dump_plays(r) > 1);
	recorder_begin(r, w->processes[1].node, 4 * NODE_BYTES,
	    clock_local(&w->processes[1].clock, w->now));
	assert_int_equal(assert_dump_plays(r), 0);
}

TEST(recorder_of_no_node_has_no_tape)
{
	struct recorder *idle = recorder_new(&settings, NULL);
	size_t size;

	assert_non_null(idle);
	assert_int_equal(recorder_dump(idle, &size), -ENODATA);
	recorder_free(idle);
}

TEST(tape_is_saved_in_the_state_directory, begin, end)
{
	char path[sizeof(place) + 16];
	struct pollfd poller;
	struct stat st;
	FILE *file;

	world_run(w, SEC);
	recorder_save(r);
	poller = (struct pollfd){ .fd = worker_fd(worker), .events = POLLIN };
	assert_int_equal(poll(&poller, 1, -1), 1);
	worker_tend(worker);
	snprintf(path, sizeof(path), "%s/c-1.tape", place);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(
	    assert_file_plays(dup(fileno(file)), (size_t)st.st_size) > 1);
	fclose(file);
	unlink(path);
}

/* The process aborts within an input, before anything else is written down. */
static void
abort_in_a_child(void)
{
	const struct rlimit none = { 0, 0 };
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		abort();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(tape_of_an_abort_has_the_last_input, begin, end)
{
	char path[sizeof(place) + 20];
	uint64_t inputs;
	struct stat st;
	int fd;

	world_run(w, SEC);
	abort_in_a_child();
	snprintf(path, sizeof(path), "%s/c-1.abort.tape", place);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	inputs = assert_file_plays(fd, (size_t)st.st_size);
	assert_true(inputs > 1);
	assert_int_equal(assert_dump_plays(r), inputs);
	unlink(path);
}
