/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/verb_loop.h"

#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/system/clock.h"

bool
verb_loop_init(
    struct verb_loop *l, const struct options *options, const sigset_t *taken)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGQUIT, SIGHUP };

	*l = (struct verb_loop){ .options = options };
	sigemptyset(&l->taken);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&l->taken, ends[i]);
	if (taken != NULL)
		l->taken = *taken;
	sigaddset(&l->taken, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &l->taken, &l->mask);
	l->signals = signalfd(-1, &l->taken, SFD_CLOEXEC | SFD_NONBLOCK);
	l->alarm = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return l->signals >= 0 && l->alarm >= 0;
}

void
verb_loop_end(struct verb_loop *l, int status)
{
	if (!l->is_over)
		l->status = status;
	l->is_over = true;
}

void
verb_loop_wait(const struct verb_loop *l, struct pollfd *pollers, size_t count,
    nsec_t due_at)
{
	struct itimerspec when = { .it_value.tv_sec = 0 };

	pollers[0] = (struct pollfd){ .fd = l->signals, .events = POLLIN };
	pollers[1] = (struct pollfd){ .fd = l->alarm, .events = POLLIN };
	if (due_at != NSEC_NEVER)
		when.it_value = clock_timespec(due_at);
	(void)timerfd_settime(l->alarm, TFD_TIMER_ABSTIME, &when, NULL);
	(void)poll(pollers, count, -1);
}

int
verb_loop_signal(const struct verb_loop *l)
{
	static const struct timespec at_once;
	int number = sigtimedwait(&l->taken, NULL, &at_once);

	return number > 0 ? number : 0;
}

bool
verb_loop_may_say(const struct verb_loop *l)
{
	struct pollfd output = { .fd = STDERR_FILENO, .events = POLLOUT };

	return !is_given(l->options, OPTION_QUIET) && poll(&output, 1, 0) > 0;
}

void
cut_reason(const char *text, char reason[STANDBY_REASON_MAX + 1])
{
	size_t size = strlen(text);

	if (size > STANDBY_REASON_MAX) {
		size = STANDBY_REASON_MAX;
		while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
			size--;
	}
	memcpy(reason, text, size);
	reason[size] = '\0';
}
