/* SPDX-License-Identifier: ISC */
/* `record` on the control sockets: the tape goes with the answer as a file, to
 * those who may steer, and no descriptor stays open. */
#include "tests/unit/group.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/control_world.h"

#define RECORD "{\"verb\":\"record\"}\n"

static int given; /* what record() gives, if it is no file */
static unsigned asked;

static int
on_record(void *context, size_t *size)
{
	int fd;

	(void)context;
	asked++;
	if (given != 0)
		return given;
	fd = memfd_create("tape", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "tape", 4), 4);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	*size = 4;
	return fd;
}

static int
enter(void **state)
{
	struct control_world *world;
	int status = control_world_enter(state);

	if (status != 0)
		return status;
	world = *state;
	world->view.record = on_record;
	control_world_close(world);
	control_world_open(world);
	given = 0;
	asked = 0;
	return 0;
}

/* Receives an answer, and the descriptor with it; -1: none. */
static int
hear_file(int fd, char *text, size_t size)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec vector = { text, size - 1 };
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(fd, &message, 0);
	int file = -1;

	assert_true(got > 0);
	text[got] = '\0';
	if (CMSG_FIRSTHDR(&message) != NULL)
		memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(file));
	return file;
}

TEST(tape_goes_with_the_answer, enter, control_world_leave)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin), before, file;
	char text[256], bytes[8];

	assert_true(fd >= 0);
	control_world_turn(world);
	before = count_fds();
	client_tell(world, fd, RECORD, strlen(RECORD));
	file = hear_file(fd, text, sizeof(text));
	assert_string_equal(text, "{\"ok\":true,\"bytes\":4}\n");
	assert_true(file >= 0);
	assert_int_equal(read(file, bytes, sizeof(bytes)), 4);
	assert_memory_equal(bytes, "tape", 4);
	close(file);
	assert_int_equal(count_fds(), before);
	/* The next answer has none. */
	client_tell(world, fd, "{\"verb\":\"version\"}\n", 19);
	assert_int_equal(hear_file(fd, text, sizeof(text)), -1);
	close(fd);
}

/* A client that has gone before the answer: its file is closed with it. */
TEST(file_of_a_client_that_is_gone_is_closed, enter, control_world_leave)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin), before;

	control_world_turn(world);
	before = count_fds();
	assert_int_equal(write(fd, RECORD, strlen(RECORD)), strlen(RECORD));
	close(fd);
	control_world_turn(world);
	assert_int_equal(asked, 1);
	assert_int_equal(count_fds(), before - 2);
}

TEST(query_socket_gives_no_tape, enter, control_world_leave)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->query, RECORD),
	    "{\"error\":\"record is for the admin socket\",\"code\":4}\n");
	assert_int_equal(asked, 0);
}

TEST(node_that_is_not_recorded_says_so, enter, control_world_leave)
{
	struct control_world *world = *state;

	given = -ENODATA;
	assert_has(ask_text(world, world->admin, RECORD),
	    "by its settings, or memory was short");
	given = -EMFILE;
	assert_has(ask_text(world, world->admin, RECORD),
	    "{\"error\":\"the tape cannot be copied: Too many open files\",\"code\":6}");
}
