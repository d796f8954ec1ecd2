/* SPDX-License-Identifier: ISC */
/* The files of the control sockets, and other files in their place. */
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/control/control_socket.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/control_world.h"

#define LEADER "{\"verb\":\"leader\"}\n"
#define NOBODY 65534

static void
assert_answers(struct control_world *world, const char *path)
{
	const char *text = ask_text(world, path, LEADER);

	assert_has(text, "\"term\"");
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(sockets_have_their_modes_and_nothing_else_is_there)
{
	struct control_world *world = *state;
	struct stat file;

	assert_int_equal(stat(world->query, &file), 0);
	assert_int_equal(file.st_mode, S_IFSOCK | 0666);
	assert_int_equal(stat(world->admin, &file), 0);
	assert_int_equal(file.st_mode, S_IFSOCK | 0660);
	assert_int_equal(file.st_gid, getegid());
	assert_int_equal(count_files(world->place), 2);
	control_world_close(world);
	assert_int_equal(count_files(world->place), 0);
}

CASE(a_second_daemon_is_refused_and_the_first_goes_on)
{
	struct control_world *world = *state;
	struct control *second = NULL;

	log_set_level(LOG_LEVEL_ERROR);
	assert_int_equal(
	    control_new(world->loop, &world->view, &second), -EADDRINUSE);
	assert_null(second);
	assert_int_equal(count_files(world->place), 2);
	assert_answers(world, world->query);
}

CASE(a_socket_without_a_daemon_is_replaced)
{
	struct control_world *world = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int stale = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	control_world_close(world);
	memcpy(address.sun_path, world->query, strlen(world->query));
	assert_int_equal(
	    bind(stale, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(stale);
	control_world_open(world);
	assert_answers(world, world->query);
}

CASE(a_file_that_is_not_a_socket_is_never_replaced)
{
	struct control_world *world = *state;
	struct control *control = NULL;
	int file;

	control_world_close(world);
	file = open(world->query, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(
	    control_new(world->loop, &world->view, &control), -EEXIST);
	assert_int_equal(count_files(world->place), 1);
	assert_int_equal(unlink(world->query), 0);
}

/* An administrator removed it, or a program that cleans up directories. */
CASE(socket_that_was_removed_is_made_again)
{
	struct control_world *world = *state;
	int old = client_connect(world->query);

	assert_answers(world, world->query);
	control_tend(world->control, control_world_now());
	assert_int_equal(unlink(world->query), 0);
	assert_int_equal(unlink(world->admin), 0);
	control_tend(world->control, control_world_now() + 9 * SEC);
	assert_int_equal(count_files(world->place), 0);
	control_tend(world->control, control_world_now() + 10 * SEC);
	assert_int_equal(count_files(world->place), 2);
	assert_answers(world, world->query);
	assert_answers(world, world->admin);
	/* The client that was connected before is still served. */
	assert_non_null(strstr(client_ask(world, old, LEADER), "\"term\""));
	close(old);
}

/* Puts a file of another kind in the place of the query socket. */
static void
replace(struct control_world *world)
{
	int file;

	assert_int_equal(unlink(world->query), 0);
	file = open(world->query, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
}

/* The daemon does not remove a foreign file, and makes its socket again once
 * that is gone. */
CASE(a_socket_is_made_again_once_its_name_is_free)
{
	struct control_world *world = *state;
	nsec_t now = control_world_now();

	replace(world);
	for (int i = 0; i < 3; i++)
		control_tend(world->control, now += 10 * SEC);
	assert_int_equal(count_files(world->place), 2);
	assert_answers(world, world->admin);
	assert_int_equal(unlink(world->query), 0);
	control_tend(world->control, now += 10 * SEC);
	assert_answers(world, world->query);
}

CASE(a_loss_right_after_a_renewal_is_logged)
{
	struct control_world *world = *state;
	nsec_t now = control_world_now();
	const char *log;

	log_set_level(LOG_LEVEL_WARN);
	capture();
	assert_int_equal(unlink(world->query), 0);
	control_tend(world->control, now);
	replace(world);
	for (int i = 0; i < 3; i++)
		control_tend(world->control, now += 10 * SEC);
	log = captured();
	assert_has(log, "was removed; made it again");
	log = strstr(log, "cannot be made again");
	assert_non_null(log);
	assert_null(strstr(log + 1, "cannot be made again"));
	assert_int_equal(unlink(world->query), 0);
}

CASE(socket_that_was_replaced_is_left_alone)
{
	struct control_world *world = *state;

	replace(world);
	control_world_close(world);
	assert_int_equal(count_files(world->place), 1);
	assert_int_equal(unlink(world->query), 0);
}

CASE(directory_of_another_user_is_refused)
{
	const struct control_world *world = *state;
	struct listener listener;
	char path[CONTROL_PATH_MAX];
	int error;

	if (geteuid() != 0)
		skip("only root can be another user");
	snprintf(path, sizeof(path), "%s/new.sock", world->place);
	assert_int_equal(seteuid(NOBODY), 0);
	error = listener_open(&listener, path, 0600, getegid());
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(error, -EACCES);
	assert_has(listener_error_text(error), "must belong to the user");
}

CASE(impossible_names_and_groups_are_refused)
{
	struct control_world *world = *state;
	struct control *control = NULL;

	control_world_close(world);
	memset(world->settings.socket, 'x', CONTROL_PATH_MAX - 1);
	assert_int_equal(
	    control_new(world->loop, &world->view, &control), -ENAMETOOLONG);
	strcpy(world->settings.socket, world->query);
	strcpy(world->settings.group, "no such group");
	assert_int_equal(
	    control_new(world->loop, &world->view, &control), -ENOENT);
	world->settings.group[0] = '\0';
	assert_int_equal(count_files(world->place), 0);
}
