/* SPDX-License-Identifier: ISC */
/* Messages to systemd, with a socket that plays its part. */
#include "tests/unit/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/system/log.h"
#include "daemon/system/sockets/notify.h"

static int manager = -1;
static char directory[64]; /* the path of a socket has at most 107 bytes */
static char path[96];
static char word[1024];

static void
listen_at(const struct sockaddr_un *address, socklen_t size)
{
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(manager >= 0);
	assert_int_equal(
	    bind(manager, (const struct sockaddr *)address, size), 0);
}

static void
listen_at_path(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	listen_at(&address, sizeof(address));
	setenv("NOTIFY_SOCKET", path, 1);
}

/* Gives the oldest message that is unread, or "" if there is none. */
static const char *
heard(void)
{
	ssize_t size = recv(manager, word, sizeof(word) - 1, MSG_DONTWAIT);

	word[size < 0 ? 0 : size] = '\0';
	return word;
}

static int
enter(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(directory, sizeof(directory), "%s/electd-notify-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/socket", directory);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	log_set_level(LOG_LEVEL_ERROR);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	notify_close();
	if (manager >= 0)
		close(manager);
	manager = -1;
	unlink(path);
	return rmdir(directory);
}

#define CASE(name) TEST(name, enter, leave)

CASE(without_systemd_nothing_happens)
{
	setenv("WATCHDOG_USEC", "5000000", 1);
	notify_open();
	notify_ready();
	notify_status("leader %d", 3);
	notify_watchdog();
	notify_stopping();
	assert_int_equal(notify_watchdog_interval(), 0);
	notify_close();
}

CASE(each_word_is_one_datagram)
{
	listen_at_path();
	notify_open();
	notify_ready();
	notify_status("leader %s, term %d", "web3", 14);
	notify_watchdog();
	notify_stopping();
	assert_string_equal(heard(), "READY=1");
	assert_string_equal(heard(), "STATUS=leader web3, term 14");
	assert_string_equal(heard(), "WATCHDOG=1");
	assert_string_equal(heard(), "STOPPING=1");
	assert_string_equal(heard(), "");
}

CASE(abstract_name_is_understood)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[64];
	size_t size = (size_t)snprintf(
	    name, sizeof(name), "@electd-test-%d", (int)getpid());

	memcpy(address.sun_path + 1, name + 1, size - 1);
	listen_at(&address,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
	setenv("NOTIFY_SOCKET", name, 1);
	notify_open();
	notify_ready();
	assert_string_equal(heard(), "READY=1");
}

CASE(status_cannot_smuggle_another_word)
{
	listen_at_path();
	notify_open();
	notify_status("leader %s", "x\nMAINPID=1");
	assert_string_equal(heard(), "STATUS=leader x?MAINPID=1");
}

CASE(long_status_is_cut)
{
	char name[2000];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	listen_at_path();
	notify_open();
	notify_status("%s", name);
	assert_in_range(strlen(heard()), 100, 255);
}

CASE(children_do_not_inherit_the_socket)
{
	listen_at_path();
	setenv("WATCHDOG_USEC", "5000000", 1);
	notify_open();
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	assert_int_equal(notify_watchdog_interval(), 2500 * MSEC);
}

/* systemd asks for one interval; electd keeps the other. */
static void
interval_is(const char *usec, const char *pid, nsec_t expected)
{
	setenv("NOTIFY_SOCKET", path, 1);
	setenv("WATCHDOG_USEC", usec, 1);
	if (pid != NULL)
		setenv("WATCHDOG_PID", pid, 1);
	notify_open();
	assert_int_equal(notify_watchdog_interval(), expected);
	notify_close();
	assert_int_equal(notify_watchdog_interval(), 0);
}

CASE(watchdog_of_another_process_is_not_ours)
{
	char self[24];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	listen_at_path();
	interval_is("1000000", self, 500 * MSEC);
	interval_is("1000000", "1", 0);
	interval_is("1000000", "", 0);
}

CASE(nonsense_in_the_interval_means_none)
{
	static const char *const bad[] = { "", "-5", " 5", "5s", "0x10",
		"99999999999999999999999", "18446744073709551615" };

	listen_at_path();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		interval_is(bad[i], NULL, 0);
	interval_is("2", NULL, 1 * USEC);
}

CASE(names_that_are_no_sockets_are_ignored)
{
	char name[200] = "/";
	const char *const bad[] = { "", "/", "@", "socket", "vsock:2:5", name };

	memset(name + 1, 'x', sizeof(name) - 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("NOTIFY_SOCKET", bad[i], 1);
		notify_open();
		notify_ready();
		assert_int_equal(notify_watchdog_interval(), 0);
	}
}

CASE(manager_that_has_gone_is_survived)
{
	listen_at_path();
	notify_open();
	close(manager);
	manager = -1;
	notify_ready();
	notify_status("alone");
	notify_watchdog();
}

/* A message that may be lost is lost; electd does not wait for it. */
CASE(manager_that_does_not_read_stops_nobody)
{
	listen_at_path();
	notify_open();
	for (int i = 0; i < 20000; i++)
		notify_watchdog();
	notify_status("still here");
	notify_stopping();
	assert_string_equal(heard(), "WATCHDOG=1");
}

/* The environment is empty once it has been read. */
CASE(opened_again_it_is_the_same)
{
	listen_at_path();
	setenv("WATCHDOG_USEC", "2000000", 1);
	notify_open();
	notify_open();
	notify_ready();
	assert_string_equal(heard(), "READY=1");
	assert_int_equal(notify_watchdog_interval(), SEC);
}
