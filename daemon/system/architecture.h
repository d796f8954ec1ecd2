/* SPDX-License-Identifier: ISC */
/* ARCHITECTURE: what seccomp calls this machine, for filters of system calls;
 * not defined where none is written. These machines are little-endian. */
#ifndef ELECTD_DAEMON_SYSTEM_ARCHITECTURE_H
#define ELECTD_DAEMON_SYSTEM_ARCHITECTURE_H

#include <linux/audit.h>

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__) &&                             \
    __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#endif
