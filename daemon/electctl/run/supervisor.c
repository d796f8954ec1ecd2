/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/supervisor.h"

#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/system/clock.h"

bool
supervisor_init(
    struct supervisor *s, const struct options *options, const sigset_t *taken)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGQUIT, SIGHUP };

	*s = (struct supervisor){ .options = options };
	sigemptyset(&s->taken);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&s->taken, ends[i]);
	if (taken != NULL)
		s->taken = *taken;
	sigaddset(&s->taken, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &s->taken, &s->mask);
	s->signals = signalfd(-1, &s->taken, SFD_CLOEXEC | SFD_NONBLOCK);
	s->alarm = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return s->signals >= 0 && s->alarm >= 0;
}

void
supervisor_end(struct supervisor *s, int status)
{
	if (!s->is_over)
		s->status = status;
	s->is_over = true;
}

void
supervisor_wait(const struct supervisor *s, struct pollfd *pollers,
    size_t count, nsec_t due_at)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	pollers[0] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	pollers[1] = (struct pollfd){ .fd = s->alarm, .events = POLLIN };
	if (due_at != NSEC_NEVER)
		when.it_value = clock_timespec(due_at);
	(void)timerfd_settime(s->alarm, TFD_TIMER_ABSTIME, &when, NULL);
	(void)poll(pollers, count, -1);
}

int
supervisor_signal(const struct supervisor *s)
{
	static const struct timespec at_once;
	int number = sigtimedwait(&s->taken, NULL, &at_once);

	return number > 0 ? number : 0;
}

bool
supervisor_may_say(const struct supervisor *s)
{
	struct pollfd output = { .fd = STDERR_FILENO, .events = POLLOUT };

	return !is_given(s->options, OPTION_QUIET) && poll(&output, 1, 0) > 0;
}
