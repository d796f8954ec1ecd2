/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/confine.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "daemon/system/rights/capabilities.h"
#include "daemon/system/rights/confine.h"

bool
electvip_may_act(void)
{
	return capabilities_has(CAP_NET_ADMIN);
}

#if defined(CONFINE_MACHINE) && !defined(ELECTVIP_UNCONFINED)

static void
limit_resources(void)
{
	static const int resources[] = { RLIMIT_CORE, RLIMIT_NPROC };
	struct rlimit none = { 0 };

	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		(void)setrlimit((__rlimit_resource_t)resources[i], &none);
}

/* The system calls of the loop: it waits, reads clocks, uses the sockets of
 * electd, the kernel and the LAN, prints, and ends. A new socket is of AF_UNIX,
 * for electd. */
static bool
confine_loop(void)
{
	struct sock_filter rules[] = {
		CONFINE_BEGIN,
#ifdef SYS_poll
		CONFINE_CALL(poll),
#endif
		CONFINE_CALL(ppoll),
		CONFINE_CALL(rt_sigtimedwait),
		CONFINE_CALL(clock_gettime),
		CONFINE_CALL(recvfrom),
		CONFINE_CALL(recvmsg),
		CONFINE_CALL(sendto),
		CONFINE_CALL(read),
		CONFINE_CALL(write),
		CONFINE_CALL(timerfd_settime),
		CONFINE_CALL(timer_settime),
		CONFINE_CALL_IF_EQUAL(socket, 0, AF_UNIX),
		CONFINE_CALL(connect),
		CONFINE_CALL(epoll_ctl),
		CONFINE_CALL(close),
		CONFINE_CALL(bind),
		CONFINE_CALL(setsockopt),
		CONFINE_CALL(timerfd_create),
		CONFINE_CALL(brk),
		CONFINE_CALL(mmap),
		CONFINE_CALL(munmap),
		CONFINE_CALL(mremap),
		CONFINE_CALL(madvise),
		CONFINE_CALL(futex),
		CONFINE_CALL(restart_syscall),
		CONFINE_CALL(exit_group),
		CONFINE_END,
	};

	limit_resources();
	return confine_calls(rules, sizeof(rules) / sizeof(rules[0]));
}

#else /* the filter is not written for this machine's system calls */

static bool
confine_loop(void)
{
	return confine_rights();
}

#endif

bool
electvip_confine(void)
{
	return capabilities_keep(1U << CAP_NET_ADMIN) && confine_loop();
}
