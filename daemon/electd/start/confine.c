/* SPDX-License-Identifier: ISC */
#include "daemon/electd/start/confine.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <linux/sockios.h>

#include "daemon/state/state_dir.h"
#include "daemon/system/log.h"
#include "daemon/system/loop/realtime.h"
#include "daemon/system/rights/capabilities.h"
#include "daemon/system/rights/confine.h"
#include "daemon/system/rights/user.h"

/* Limits take the place of capabilities where root may raise them: they allow
 * this process less. Returns the capabilities that it needs all the same. */
static unsigned
raise_limits(bool is_realtime)
{
	const struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit priority = { REALTIME_PRIORITY, REALTIME_PRIORITY };
	unsigned needed = 0;

	if (setrlimit(RLIMIT_MEMLOCK, &memory) != 0)
		needed |= 1U << CAP_IPC_LOCK;
	if (is_realtime && setrlimit(RLIMIT_RTPRIO, &priority) != 0)
		needed |= 1U << CAP_SYS_NICE;
	return needed;
}

/* Where the user could not be changed, that has been logged. */
static void
report_user(const char *state_dir)
{
	char user[USER_TEXT_MAX];
	struct stat st;

	if (geteuid() != 0)
		log_info("continues as user %s, who owns %s",
		    user_text(geteuid(), user), state_dir);
	else if (stat(state_dir, &st) != 0)
		log_notice(
		    "continues as root, as there is no %s yet; to run as another user, see RIGHTS in electd(8)",
		    state_dir);
	else if (st.st_uid == 0)
		log_notice(
		    "continues as root, who owns %s; to run as another user, such as electd, see RIGHTS in electd(8): chown -R electd: %s",
		    state_dir, state_dir);
}

/* Root may have read what its successor cannot. */
static void
look_at_file(const char *path)
{
	char user[USER_TEXT_MAX], owner[USER_TEXT_MAX];

	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0)
		log_warnx(
		    "%s: %s, the user that electd runs as, cannot read it, so a reload will fail: chown %s %s",
		    path, user_text(geteuid(), user),
		    user_as_owner(geteuid(), owner), path);
}

/* A reload may bind another port below 1024. Root gives its files to others,
 * and may have to open files of others. A missing directory is made later, once
 * it is sure that no other electd runs. */
static void
leave_root(const struct settings *s)
{
	char text[STATE_DIR_TEXT_MAX];
	unsigned kept = 1U << CAP_NET_BIND_SERVICE;
	struct state_dir dir;
	struct stat st;
	int error;

	kept |= raise_limits(s->realtime);
	(void)prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	error = stat(s->state_dir, &st) == 0 ? state_dir_prepare(s, &dir) : 0;
	if (error != 0)
		log_warnx(
		    "cannot continue as the owner of %s, so this stays root: %s",
		    s->state_dir, state_dir_error(s->state_dir, error, text));
	if (geteuid() == 0)
		kept |= 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE;
	report_user(s->state_dir);
	if (!capabilities_keep(kept))
		log_warn("cannot give up the other rights of root");
}

void
confine_start(const struct settings *settings, const char *path)
{
	(void)confine_rights();
	if (geteuid() == 0) {
		leave_root(settings);
		look_at_file(path);
	}
	/* Last, as a change of the user undoes it. The keys come later. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#if defined(CONFINE_MACHINE) && !defined(ELECTD_UNCONFINED)

#define NAMESPACES                                                             \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS |         \
	    CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS)

/* The flags of clone3() are in memory, where no filter can see them; the C
 * library then calls clone(). That is as usual, so it is not logged. */
static int
confine_clone3(void)
{
	struct sock_filter rules[] = {
		CONFINE_BEGIN,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		CONFINE_REFUSE,
		CONFINE_ALLOW,
	};

	return confine_threads(rules, sizeof(rules) / sizeof(rules[0]), false);
}

/*
 * What electd, the C library with its modules for names, and the start of
 * another lastwill need; that one then has a filter of its own. Files, sockets,
 * threads, a child; but no memory that becomes code once it is written, no
 * namespace, no tracing, no key ring, and no change of user.
 */
static const struct sock_filter allowed[] = {
	CONFINE_BEGIN,
	/* the loop */
	CONFINE_CALL(epoll_pwait),
	CONFINE_CALL(epoll_ctl),
	CONFINE_CALL(clock_gettime),
	CONFINE_CALL(recvmsg),
	CONFINE_CALL(recvmmsg),
	CONFINE_CALL(recvfrom),
	CONFINE_CALL(sendmsg),
	CONFINE_CALL(sendmmsg),
	CONFINE_CALL(sendto),
	CONFINE_CALL(read),
	CONFINE_CALL(write),
	CONFINE_CALL(readv),
	CONFINE_CALL(writev),
	CONFINE_CALL(futex),
	CONFINE_CALL(timerfd_settime),
	CONFINE_CALL(epoll_create1),
	CONFINE_CALL(timerfd_gettime),
	CONFINE_CALL(timerfd_create),
	CONFINE_CALL(timer_create),
	CONFINE_CALL(timer_settime),
	CONFINE_CALL(eventfd2),
	CONFINE_CALL(pipe2),
	CONFINE_CALL(ppoll),
	CONFINE_CALL(pselect6),
	CONFINE_CALL(restart_syscall),
	/* sockets */
	CONFINE_CALL_IF_EQUAL(socket, 0, AF_INET),
	CONFINE_CALL_IF_EQUAL(socket, 0, AF_INET6),
	CONFINE_CALL_IF_EQUAL(socket, 0, AF_UNIX),
	CONFINE_CALL_IF_EQUAL(socket, 0, AF_NETLINK),
	CONFINE_CALL_IF_EQUAL(socketpair, 0, AF_UNIX),
	CONFINE_CALL(bind),
	CONFINE_CALL(connect),
	CONFINE_CALL(listen),
	CONFINE_CALL(accept),
	CONFINE_CALL(accept4),
	CONFINE_CALL(shutdown),
	CONFINE_CALL(getsockname),
	CONFINE_CALL(getpeername),
	CONFINE_CALL(getsockopt),
	CONFINE_CALL(setsockopt),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, SIOCOUTQ),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, FIONREAD),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, SIOCGIFFLAGS),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, SIOCGIFINDEX),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, SIOCGIFNAME),
	CONFINE_CALL_IF_EQUAL(ioctl, 1, TCGETS),
	/* files */
	CONFINE_CALL(openat),
	CONFINE_CALL(close),
	CONFINE_CALL(close_range),
	CONFINE_CALL(pread64),
	CONFINE_CALL(pwrite64),
	CONFINE_CALL(lseek),
	CONFINE_CALL(fstat),
	CONFINE_CALL(newfstatat),
	CONFINE_CALL(statx),
	CONFINE_CALL(fstatfs),
	CONFINE_CALL(statfs),
	CONFINE_CALL(faccessat),
	CONFINE_CALL(faccessat2),
	CONFINE_CALL(readlinkat),
	CONFINE_CALL(getdents64),
	CONFINE_CALL(getcwd),
	CONFINE_CALL(chdir),
	CONFINE_CALL(umask),
	CONFINE_CALL(mkdirat),
	CONFINE_CALL(unlinkat),
	CONFINE_CALL(renameat2),
	CONFINE_CALL(fchmod),
	CONFINE_CALL(fchmodat),
	CONFINE_CALL(fchown),
	CONFINE_CALL(fchownat),
	CONFINE_CALL(ftruncate),
	CONFINE_CALL(fallocate),
	CONFINE_CALL(fsync),
	CONFINE_CALL(fdatasync),
	CONFINE_CALL(flock),
	CONFINE_CALL(fcntl),
	CONFINE_CALL(dup),
	CONFINE_CALL(dup3),
	CONFINE_CALL(memfd_create),
	/* memory */
	CONFINE_CALL(brk),
	CONFINE_CALL_UNLESS_ALL(mmap, 2, PROT_WRITE | PROT_EXEC),
	CONFINE_CALL_UNLESS_ANY(mprotect, 2, PROT_EXEC),
	CONFINE_CALL(mremap),
	CONFINE_CALL(munmap),
	CONFINE_CALL(madvise),
	CONFINE_CALL(mlock),
	CONFINE_CALL(mlock2),
	CONFINE_CALL(munlock),
	CONFINE_CALL(mlockall),
	/* threads, and the helper */
	CONFINE_CALL_UNLESS_ANY(clone, 0, NAMESPACES),
	CONFINE_CALL(clone3), /* see there */
	CONFINE_CALL(execve),
	CONFINE_CALL(exit),
	CONFINE_CALL(exit_group),
	CONFINE_CALL(wait4),
	CONFINE_CALL(kill),
	CONFINE_CALL(tgkill),
	CONFINE_CALL(setsid),
	CONFINE_CALL(set_tid_address),
	CONFINE_CALL(set_robust_list),
	CONFINE_CALL(rseq),
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_SET_NO_NEW_PRIVS),
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_SET_SECCOMP),
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_SET_DUMPABLE),
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_SET_KEEPCAPS), /* to run anew */
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_CAPBSET_DROP),
	CONFINE_CALL_IF_EQUAL(prctl, 0, PR_CAP_AMBIENT),
	CONFINE_CALL(seccomp),
	CONFINE_CALL(capget),
	CONFINE_CALL(capset),
	CONFINE_CALL(prlimit64),
	CONFINE_CALL(getrlimit),
	CONFINE_CALL(setrlimit),
	CONFINE_CALL(rt_sigaction),
	CONFINE_CALL(rt_sigprocmask),
	CONFINE_CALL(rt_sigreturn),
	CONFINE_CALL(rt_sigtimedwait),
	CONFINE_CALL(sigaltstack),
	/* the time, and the scheduler */
	CONFINE_CALL(clock_getres),
	CONFINE_CALL(clock_nanosleep),
	CONFINE_CALL(nanosleep),
	CONFINE_CALL(gettimeofday),
	CONFINE_CALL(sched_yield),
	CONFINE_CALL(sched_getaffinity),
	CONFINE_CALL(sched_getparam),
	CONFINE_CALL(sched_getscheduler),
	CONFINE_CALL(sched_setscheduler),
	CONFINE_CALL(sched_get_priority_max),
	CONFINE_CALL(sched_get_priority_min),
	CONFINE_CALL(sched_getattr),
	CONFINE_CALL(sched_setattr),
	/* who and where it is */
	CONFINE_CALL(getpid),
	CONFINE_CALL(getppid),
	CONFINE_CALL(gettid),
	CONFINE_CALL(getuid),
	CONFINE_CALL(geteuid),
	CONFINE_CALL(getgid),
	CONFINE_CALL(getegid),
	CONFINE_CALL(getgroups),
	CONFINE_CALL(getrusage),
	CONFINE_CALL(getrandom),
	CONFINE_CALL(getcpu),
	CONFINE_CALL(sysinfo),
	CONFINE_CALL(uname),
#ifdef __x86_64__ /* older forms of the same, which other machines lack */
	CONFINE_CALL(epoll_wait),
	CONFINE_CALL(epoll_create),
	CONFINE_CALL(poll),
	CONFINE_CALL(select),
	CONFINE_CALL(pipe),
	CONFINE_CALL(open),
	CONFINE_CALL(stat),
	CONFINE_CALL(lstat),
	CONFINE_CALL(access),
	CONFINE_CALL(readlink),
	CONFINE_CALL(mkdir),
	CONFINE_CALL(unlink),
	CONFINE_CALL(rename),
	CONFINE_CALL(chmod),
	CONFINE_CALL(chown),
	CONFINE_CALL(lchown),
	CONFINE_CALL(dup2),
	CONFINE_CALL(time),
	CONFINE_CALL(vfork),
	CONFINE_CALL(arch_prctl),
#endif
#ifdef SYS_epoll_pwait2
	CONFINE_CALL(epoll_pwait2),
#endif
#ifdef SYS_renameat
	CONFINE_CALL(renameat),
#endif
	CONFINE_REFUSE,
};

static void
confine_all_calls(void)
{
	struct sock_filter rules[sizeof(allowed) / sizeof(allowed[0])];
	int error = confine_clone3();

	memcpy(rules, allowed, sizeof(rules)); /* sock_fprog wants no const */
	if (error == 0)
		error = confine_threads(
		    rules, sizeof(rules) / sizeof(rules[0]), true);
	if (error > 0)
		log_warnx(
		    "cannot filter the system calls of electd (seccomp), so it runs without a filter: thread %d has another one",
		    error);
	else if (error < 0)
		log_warnx(
		    "cannot filter the system calls of electd (seccomp), so it runs without a filter: %s",
		    strerror(-error));
}

#else /* the filter is not written for this machine's system calls */

static void
confine_all_calls(void)
{
	log_info(
	    "runs without a filter of system calls (seccomp): this build of electd has none");
}

#endif

void
confine_loop(void)
{
	/* The process has the filter, also if electd runs anew in it. */
	static bool is_confined;

	if (!is_confined)
		confine_all_calls();
	is_confined = true;
}
