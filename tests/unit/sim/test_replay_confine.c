/* SPDX-License-Identifier: ISC */
/* What a program may do that plays a tape: write to what it has open, take
 * memory, and end. Anything else kills it. */
#include "tests/unit/group.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/model/sim/replay/replay.h"

static int ends[2]; /* of a pipe */

static void
write_and_take_memory(void)
{
	char *memory = malloc(16 << 20);

	if (memory == NULL)
		_exit(2);
	memset(memory, 1, 16 << 20);
	free(memory);
	if (write(ends[1], "x", 1) != 1)
		_exit(3);
}

static void
open_file(void)
{
	(void)open("/dev/null", O_RDONLY);
}

static void
open_socket(void)
{
	(void)socket(AF_INET, SOCK_DGRAM, 0);
}

static void
start_process(void)
{
	(void)fork();
}

static void
signal_another(void)
{
	(void)kill(getppid(), 0);
}

static void
map_code(void)
{
	(void)mmap(NULL, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* How a process ends that is confined and then does this. */
static int
end_of(void (*act)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (!replay_confine())
			_exit(1);
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

TEST(program_may_write_and_take_memory)
{
	char byte;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(end_of(write_and_take_memory), 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
}

TEST(program_that_wants_more_is_killed)
{
	void (*const acts[])(void) = { open_file, open_socket, start_process,
		signal_another, map_code };

	if (!replay_is_confined())
		skip("this program has no filter of system calls");
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		int status = end_of(acts[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGSYS);
	}
}
