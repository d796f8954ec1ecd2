/* SPDX-License-Identifier: ISC */
/* The command line of electvip. */
#ifndef ELECTD_DAEMON_ELECTVIP_OPTIONS_H
#define ELECTD_DAEMON_ELECTVIP_OPTIONS_H

#include "daemon/client/client.h"
#include "daemon/electvip/frame.h"

#define IPS_MAX 32 /* each costs some messages a second while it is held */

struct vip_options {
	struct whereabouts place;
	const char *interface;
	bool is_even_if_two;
	bool insists;
	struct ip ips[IPS_MAX];
	unsigned ips_count;
};

/* Reads the command line. False if the program ends here, with *code: it has
 * printed what was asked for, or complained. */
bool vip_options_parse(struct vip_options *options, int argc, char **argv,
    enum control_code *code);

#define IP_TEXT_MAX 46 /* INET6_ADDRSTRLEN */

/* The address as text. Returns `text`. */
const char *ip_text(const struct ip *ip, char text[IP_TEXT_MAX]);

#endif
