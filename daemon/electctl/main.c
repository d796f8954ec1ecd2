/* SPDX-License-Identifier: ISC */
/* The program electctl. */
#include <fcntl.h>
#include <unistd.h>

#include "daemon/electctl/electctl.h"

/* Opens standard streams that are closed, so that no socket becomes one. */
static bool
open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return fd >= 0;
}

int
main(int argc, char **argv)
{
	return open_standard_streams() ? electctl_run(argc, argv)
				       : CODE_UNKNOWN;
}
