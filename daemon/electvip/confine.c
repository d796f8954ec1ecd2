/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/confine.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "daemon/system/confine.h"

static struct __user_cap_header_struct header = {
	.version = _LINUX_CAPABILITY_VERSION_3,
};

bool
electvip_may_act(void)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & 1U << CAP_NET_ADMIN) != 0;
}

/* A user that may not shrink its bounds has no way to use them either: no
 * program is run, and confine_rights() forbids to gain rights by it. */
static bool
give_up_capabilities(void)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { {
	    .effective = 1U << CAP_NET_ADMIN,
	    .permitted = 1U << CAP_NET_ADMIN,
	} };

	for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &header, data) == 0;
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

/* The loop waits, tells the time, talks to electd, the kernel and the LAN, says
 * what happens, and ends. A socket is of AF_UNIX, for electd. */
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
	return give_up_capabilities() && confine_loop();
}
