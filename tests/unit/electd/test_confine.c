/* SPDX-License-Identifier: ISC */
/* What the kernel still does for electd once it listens, and what it refuses:
 * as if it were too old for that, so that libraries know what to do. */
#include "tests/unit/group.h"

#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electd/start/confine.h"
#include "daemon/system/rights/confine.h"
#include "tests/lib/capture.h"

#define PAGE       4096
#define UNCONFINED 77 /* sanitizers need more, so there is no filter */

/* Confines this process, and succeeds if that logs these words. Ends with
 * UNCONFINED if there is no filter, which must be logged, too. */
static bool
confine_says(const char *words)
{
	const char *log;

	capture();
	confine_loop();
	log = captured();
	if (strstr(log, "info: runs without a filter of system calls") != NULL)
		_exit(UNCONFINED);
	return strstr(log, words) != NULL;
}

/* Does this in a process of its own, and fails unless it succeeds. */
static void
assert_done(bool (*act)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(act() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNCONFINED)
		skip("this program has no filter of system calls");
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool (*once_confined)(void);

static bool
do_confined(void)
{
	return confine_says("") && once_confined();
}

/* Does this in a process that is confined, and fails unless it succeeds. */
static void
assert_confined(bool (*act)(void))
{
	once_confined = act;
	assert_done(do_confined);
}

static bool
is_refused(long result)
{
	return result == -1 && errno == ENOSYS;
}

static void *
end(void *context)
{
	return context;
}

static bool
start_thread_and_program(void)
{
	pthread_t thread;
	pid_t child;
	int status;

	if (pthread_create(&thread, NULL, end, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return false;
	child = fork();
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

static bool
open_sockets(void)
{
	static const int others[] = { AF_PACKET, AF_ALG, AF_VSOCK, AF_BLUETOOTH,
		-1 };
	static const int families[] = { AF_INET, AF_UNIX, AF_NETLINK };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0) < 0)
			return false;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!is_refused(socket(others[i], SOCK_RAW, 0)))
			return false;
	}
	return true;
}

static bool
make_code(void)
{
	const int data = PROT_READ | PROT_WRITE,
		  how = MAP_PRIVATE | MAP_ANONYMOUS;
	void *page = mmap(NULL, PAGE, data, how, -1, 0);

	return page != MAP_FAILED && mprotect(page, PAGE, PROT_READ) == 0 &&
	       mprotect(page, PAGE, data) == 0 &&
	       is_refused(mprotect(page, PAGE, PROT_READ | PROT_EXEC)) &&
	       mmap(NULL, PAGE, data | PROT_EXEC, how, -1, 0) == MAP_FAILED &&
	       errno == ENOSYS;
}

static bool
make_namespaces(void)
{
	static const int kinds[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET,
		CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!is_refused(syscall(SYS_clone, kinds[i], 0, 0, 0, 0)))
			return false;
	}
	return is_refused(unshare(CLONE_NEWUSER)) && is_refused(setns(-1, 0)) &&
	       is_refused(syscall(SYS_clone3, NULL, 0));
}

static bool
reach_others(void)
{
	struct ifreq request = { .ifr_name = "lo" };

	return is_refused(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)) &&
	       is_refused(ioctl(STDIN_FILENO, TIOCSTI, "x")) &&
	       is_refused(ioctl(-1, SIOCSIFFLAGS, &request)) &&
	       is_refused(setgid(getgid())) && is_refused(chroot("/")) &&
	       is_refused(prctl(PR_SET_PTRACER, getppid(), 0, 0, 0));
}

/* Takes a filter of its own, which allows all, and says its id. */
static void *
filter_alone(void *context)
{
	struct sock_filter all[] = { CONFINE_ALLOW };
	const int *pair = context;
	pid_t id = confine_calls(all, 1) ? gettid() : 0;

	(void)!write(pair[1], &id, sizeof(id));
	pause();
	return context;
}

static bool
confine_beside_a_filter(void)
{
	char words[64];
	pthread_t thread;
	int pair[2];
	pid_t id = 0;

	if (pipe(pair) != 0 ||
	    pthread_create(&thread, NULL, filter_alone, pair) != 0 ||
	    read(pair[0], &id, sizeof(id)) != (ssize_t)sizeof(id) || id == 0)
		return false;
	snprintf(words, sizeof(words), ": thread %d has another one", (int)id);
	return confine_says(words);
}

TEST(electd_may_start_threads_and_its_helper)
{
	assert_confined(start_thread_and_program);
}

TEST(electd_may_open_the_sockets_that_it_has_and_no_others)
{
	assert_confined(open_sockets);
}

TEST(intruder_cannot_make_code)
{
	assert_confined(make_code);
}

TEST(intruder_cannot_make_namespaces)
{
	assert_confined(make_namespaces);
}

TEST(intruder_reaches_no_other_process_terminal_or_user)
{
	assert_confined(reach_others);
}

TEST(thread_with_another_filter_is_named)
{
	assert_done(confine_beside_a_filter);
}
