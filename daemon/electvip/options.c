/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/options.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_CLUSTER = 256,
	OPTION_EVEN_IF_TWO,
	OPTION_INSIST,
};

static const struct option longs[] = {
	{ "cluster", required_argument, NULL, OPTION_CLUSTER },
	{ "socket", required_argument, NULL, 's' },
	{ "interface", required_argument, NULL, 'i' },
	{ "even-if-two", no_argument, NULL, OPTION_EVEN_IF_TWO },
	{ "insist", no_argument, NULL, OPTION_INSIST },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static const char usage[] =
    "usage: electvip [--cluster NAME] [--even-if-two] [--insist] -i INTERFACE\n"
    "                ADDRESS...\n"
    "\n"
    "Holds the addresses, of IPv4 or IPv6, on the interface while this host leads.\n"
    "\n"
    "  -i, --interface INTERFACE  an Ethernet interface, such as eth0\n"
    "      --cluster NAME         follow the daemon at /run/electd/NAME.sock; needed\n"
    "                             if several clusters have a daemon on this host\n"
    "  -s, --socket SOCKET        follow the daemon at SOCKET; default:\n"
    "                             $ELECTD_SOCKET, else the only one in /run/electd\n"
    "      --even-if-two          also if two hosts may lead, and have the addresses,\n"
    "                             at once: guarantee = \"component\"\n"
    "      --insist               take an address that stays in use for 3 s or so all\n"
    "                             the same (guarantee = \"quorum\")\n"
    "  -h, --help                 print this\n"
    "  -V, --version              print the version\n"
    "\n"
    "electvip(8) says more.\n";

const char *
ip_text(const struct ip *ip, char text[IP_TEXT_MAX])
{
	const char *done = inet_ntop(
	    ip->is_v6 ? AF_INET6 : AF_INET, ip->bytes, text, IP_TEXT_MAX);

	assert(done != NULL);
	return done;
}

static bool
is_of_one_host(const struct ip *ip)
{
	static const struct ip loopback = { .is_v6 = true, .bytes[15] = 1 };
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!ip->is_v6)
		return ip->bytes[0] != 0 && ip->bytes[0] != 127 &&
		       ip->bytes[0] < 224;
	return ip->bytes[0] != 0xff && !ip_is_same(ip, &loopback) &&
	       !ip_is_same(ip, &(struct ip){ .is_v6 = true }) &&
	       memcmp(ip->bytes, mapped, sizeof(mapped)) != 0;
}

static bool
take_address(struct vip_options *options, const char *word)
{
	struct ip ip = { .is_v6 = strchr(word, ':') != NULL };

	if (strchr(word, '/') != NULL) {
		complain(
		    "%s: give the address alone: the addresses that the host always has say what network is there",
		    word);
		return false;
	}
	if (inet_pton(ip.is_v6 ? AF_INET6 : AF_INET, word, ip.bytes) != 1 ||
	    !is_of_one_host(&ip)) {
		complain("%s: not the address of one host%s", word,
		    options->interface == NULL ? " (-i names the interface)"
					       : "");
		return false;
	}
	for (unsigned i = 0; i < options->ips_count; i++) {
		if (ip_is_same(&options->ips[i], &ip)) {
			complain("%s: given twice", word);
			return false;
		}
	}
	if (options->ips_count == IPS_MAX) {
		complain("more than %d addresses", IPS_MAX);
		return false;
	}
	options->ips[options->ips_count++] = ip;
	return true;
}

/* False if the program ends here; `word` is the argument that had the
 * option. */
static bool
take_option(struct vip_options *options, int option, const char *word,
    enum control_code *code)
{
	switch (option) {
	case OPTION_CLUSTER:
		options->place.cluster = optarg;
		return true;
	case 's':
		options->place.socket = optarg;
		return true;
	case 'i':
		options->interface = optarg;
		return true;
	case OPTION_EVEN_IF_TWO:
		options->is_even_if_two = true;
		return true;
	case OPTION_INSIST:
		options->insists = true;
		return true;
	default:
		*code = end_by_option("electvip", usage, option, word);
		return false;
	}
}

/* True unless the user has named the socket that needs privileges. */
static bool
is_query_socket(const struct whereabouts *place)
{
	if (place->socket == NULL || !control_is_admin(place->socket))
		return true;
	complain(
	    "%s: this socket is for administrators: give the other one, without \".admin\"",
	    place->socket);
	return false;
}

static bool
are_complete(struct vip_options *options)
{
	if (options->interface == NULL || options->ips_count == 0) {
		complain("wants -i INTERFACE and an address; --help says more");
		return false;
	}
	if (strlen(options->interface) >= IFNAMSIZ) {
		complain("%s: too long for the name of an interface",
		    options->interface);
		return false;
	}
	return find_default(&options->place) &&
	       is_query_socket(&options->place);
}

bool
vip_options_parse(
    struct vip_options *options, int argc, char **argv, enum control_code *code)
{
	int option;

	*options = (struct vip_options){ .interface = NULL };
	*code = CODE_USAGE;
	opterr = 0; /* getopt() would begin each message with our path */
	while ((option = getopt_long(argc, argv, ":s:i:hV", longs, NULL)) != -1)
		if (!take_option(options, option, argv[optind - 1], code))
			return false;
	for (int i = optind; i < argc; i++)
		if (!take_address(options, argv[i]))
			return false;
	return are_complete(options);
}
