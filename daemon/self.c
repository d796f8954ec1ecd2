/* SPDX-License-Identifier: ISC */
#include "daemon/self.h"

#include <stdlib.h>

#include "daemon/electd.h"
#include "daemon/udp.h"

int
self_find(struct settings *settings)
{
	char *socket;

	if (settings->id != NODE_NONE)
		return EXIT_SUCCESS;
	if (!udp_find_self(settings, &settings->id))
		return EXIT_FAILURE;
	if (settings->id == NODE_NONE)
		return EXIT_CONFIGURATION;
	socket = settings_socket(settings, settings->id);
	if (socket == NULL)
		return EXIT_FAILURE;
	free(settings->socket);
	settings->socket = socket;
	return EXIT_SUCCESS;
}
