/* SPDX-License-Identifier: ISC */
#include "daemon/system/sockets/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/system/log.h"

#define STATUS_MAX_BYTES 256 /* one line of a wide terminal */

/* A process has one manager, as it has one environment. */
static struct {
	int fd;                     /* -1: systemd does not listen */
	struct sockaddr_un address; /* address of systemd's socket */
	socklen_t address_size;     /* bytes of `address` */
	nsec_t interval;            /* interval of the watchdog; 0: none */
} manager = { .fd = -1 };

/* Sets the address from a path, or from an abstract name, which has '@' for its
 * leading zero (unix(7)). */
static bool
address_set(const char *name)
{
	size_t size = strlen(name);

	if ((name[0] != '/' && name[0] != '@') || size < 2 ||
	    size >= sizeof(manager.address.sun_path))
		return false;
	memset(&manager.address, 0, sizeof(manager.address));
	manager.address.sun_family = AF_UNIX;
	memcpy(manager.address.sun_path, name, size);
	manager.address_size =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
	if (name[0] == '@')
		manager.address.sun_path[0] = '\0';
	else
		manager.address_size++; /* the end of a path counts */
	return true;
}

/* Returns 0 if the text is not a decimal number. */
static uint64_t
number_of(const char *text)
{
	char *end;
	uint64_t value;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return *end == '\0' && errno == 0 ? value : 0;
}

/* Half of WATCHDOG_USEC, if it is meant for this process. */
static nsec_t
watchdog_interval(void)
{
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t usec = number_of(getenv("WATCHDOG_USEC"));

	if (pid != NULL && number_of(pid) != (uint64_t)getpid())
		return 0;
	return usec > NSEC_NEVER / USEC ? 0 : usec * USEC / 2;
}

void
notify_open(void)
{
	const char *name = getenv("NOTIFY_SOCKET");

	if (manager.fd >= 0)
		return; /* the environment is empty by now */
	manager.interval = 0;
	if (name == NULL)
		return;
	if (!address_set(name)) {
		log_warnx(
		    "NOTIFY_SOCKET=%s is not a socket's address, so systemd is not notified; a unit with Type=notify will time out",
		    name);
		return;
	}
	manager.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (manager.fd < 0) {
		log_warn(
		    "cannot make a socket, so systemd is not notified; a unit with Type=notify will time out");
		return;
	}
	manager.interval = watchdog_interval();
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
notify_close(void)
{
	if (manager.fd >= 0)
		close(manager.fd);
	manager.fd = -1;
	manager.interval = 0;
}

static void
notify_send(const char *text, int flags)
{
	ssize_t sent;

	if (manager.fd < 0)
		return;
	do
		sent = sendto(manager.fd, text, strlen(text),
		    flags | MSG_NOSIGNAL, (struct sockaddr *)&manager.address,
		    manager.address_size);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		log_debug(
		    "cannot send %s to systemd: %s", text, strerror(errno));
}

void
notify_ready(void)
{
	notify_send("READY=1", 0);
}

void
notify_stopping(void)
{
	notify_send("STOPPING=1", MSG_DONTWAIT);
}

void
notify_extend(nsec_t time)
{
	char text[64];

	snprintf(text, sizeof(text), "EXTEND_TIMEOUT_USEC=%" PRIu64,
	    (uint64_t)(time / USEC));
	notify_send(text, MSG_DONTWAIT);
}

bool
notify_is_heard(void)
{
	return manager.fd >= 0;
}

void
notify_status(const char *format, ...)
{
	char text[STATUS_MAX_BYTES];
	size_t key_size = (size_t)snprintf(text, sizeof(text), "STATUS=");
	va_list args;

	va_start(args, format);
	vsnprintf(text + key_size, sizeof(text) - key_size, format, args);
	va_end(args);
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = '?'; /* a newline would begin another variable */
	notify_send(text, MSG_DONTWAIT);
}

nsec_t
notify_watchdog_interval(void)
{
	return manager.interval;
}

void
notify_watchdog(void)
{
	notify_send("WATCHDOG=1", MSG_DONTWAIT);
}
