/* SPDX-License-Identifier: ISC */
#include "daemon/system/rights/capabilities.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct __user_cap_header_struct header = {
	.version = _LINUX_CAPABILITY_VERSION_3,
};

bool
capabilities_has(unsigned capability)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & 1U << capability) != 0;
}

/* A user that may not shrink its bounds has no way to use them either, as
 * confine_rights() forbids to gain rights by a program. */
bool
capabilities_keep(unsigned kept)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	kept &= data[0].permitted;
	for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i] = (struct __user_cap_data_struct){ 0 };
	data[0].effective = data[0].permitted = kept;
	return syscall(SYS_capset, &header, data) == 0;
}
