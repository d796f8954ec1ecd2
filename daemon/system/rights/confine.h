/* SPDX-License-Identifier: ISC */
/*
 * Confines a process to a few system calls (seccomp(2)). A filter is
 * CONFINE_BEGIN, rules, and what becomes of a call that no rule allows:
 * CONFINE_END kills the process, CONFINE_REFUSE does as a kernel that has not
 * got the call. CONFINE_MACHINE is what seccomp calls this machine, and not
 * defined where no filter is written. These machines are little-endian, so an
 * argument's lower half comes first.
 */
#ifndef ELECTD_DAEMON_SYSTEM_RIGHTS_CONFINE_H
#define ELECTD_DAEMON_SYSTEM_RIGHTS_CONFINE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined(__x86_64__) && defined(__LP64__)
#define CONFINE_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__) &&                             \
    __BYTE_ORDER == __LITTLE_ENDIAN
#define CONFINE_MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define CONFINE_MACHINE AUDIT_ARCH_RISCV64
#endif

#define CONFINE_LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))

/* The lower half of argument I, from 0, of the system call. */
#define CONFINE_ARGUMENT(i)                                                    \
	(offsetof(struct seccomp_data, args) +                                 \
	    (i) * sizeof((struct seccomp_data){ 0 }.args[0]))

#define CONFINE_ALLOW  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define CONFINE_END    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define CONFINE_REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)

#define CONFINE_NUMBER CONFINE_LOAD(offsetof(struct seccomp_data, nr))

/* The numbers of system calls mean something on this machine only. */
#define CONFINE_BEGIN                                                          \
	CONFINE_LOAD(offsetof(struct seccomp_data, arch)),                     \
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_MACHINE, 1, 0),        \
	    CONFINE_END, CONFINE_NUMBER

#define CONFINE_CALL(call)                                                     \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (SYS_##call), 0, 1), CONFINE_ALLOW

/* Allow this call if argument I is VALUE, has none of the BITS, or not all of
 * them; else other rules may allow the call. */
#define CONFINE_CALL_IF_EQUAL(call, i, value)                                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (SYS_##call), 0, 4),               \
	    CONFINE_LOAD(CONFINE_ARGUMENT(i)),                                 \
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), CONFINE_ALLOW, \
	    CONFINE_NUMBER
#define CONFINE_CALL_UNLESS_ANY(call, i, bits)                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (SYS_##call), 0, 4),               \
	    CONFINE_LOAD(CONFINE_ARGUMENT(i)),                                 \
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0), CONFINE_ALLOW, \
	    CONFINE_NUMBER
#define CONFINE_CALL_UNLESS_ALL(call, i, bits)                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (SYS_##call), 0, 5),               \
	    CONFINE_LOAD(CONFINE_ARGUMENT(i)),                                 \
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits)),                       \
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (bits), 1, 0), CONFINE_ALLOW,  \
	    CONFINE_NUMBER

/* The calling thread, and those that it starts, can never get rights again;
 * false if the kernel refuses. */
static inline bool
confine_rights(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* The same, and from now on these system calls alone. */
static inline bool
confine_calls(struct sock_filter *rules, unsigned short count)
{
	struct sock_fprog program = { .len = count, .filter = rules };

	return confine_rights() &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/*
 * The same for all threads of the process. The kernel logs what it refuses if
 * `is_logged`, and if it can: not before Linux 4.14. Returns 0, a negative
 * errno, or the id of a thread that has another filter.
 */
static inline int
confine_threads(struct sock_filter *rules, unsigned short count, bool is_logged)
{
	struct sock_fprog program = { .len = count, .filter = rules };
	const unsigned all = SECCOMP_FILTER_FLAG_TSYNC;
	long status = -1;

	if (!confine_rights())
		return -errno;
	if (is_logged)
		status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    all | SECCOMP_FILTER_FLAG_LOG, &program);
	if (!is_logged || (status < 0 && errno == EINVAL))
		status = syscall(
		    SYS_seccomp, SECCOMP_SET_MODE_FILTER, all, &program);
	return status < 0 ? -errno : (int)status;
}

#endif
