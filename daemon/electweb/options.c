/* SPDX-License-Identifier: ISC */
#include "daemon/electweb/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTENER_OF_SYSTEMD 3 /* sd_listen_fds(3) */
#define BACKLOG             1024

enum {
	OPTION_CLUSTER = 256,
	OPTION_LISTEN,
};

static const struct option longs[] = {
	{ "cluster", required_argument, NULL, OPTION_CLUSTER },
	{ "socket", required_argument, NULL, 's' },
	{ "listen", required_argument, NULL, OPTION_LISTEN },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static const char usage[] =
    "usage: electweb [--cluster NAME] [--listen ADDRESS:PORT]\n"
    "\n"
    "Tells by HTTP whether this host leads, to load balancers and to Prometheus.\n"
    "\n"
    "      --cluster NAME   ask the daemon at /run/electd/NAME.sock; needed if\n"
    "                       several clusters have a daemon on this host\n"
    "  -s, --socket SOCKET  ask the daemon at SOCKET; default: $ELECTD_SOCKET, else\n"
    "                       the only one in /run/electd\n"
    "      --listen ADDRESS:PORT\n"
    "                       default: 127.0.0.1:" WEB_PORT
    ", or the socket that systemd\n"
    "                       passes\n"
    "  -h, --help           print this\n"
    "  -V, --version        print the version\n"
    "\n"
    "electweb(8) says more.\n";

/* The socket that systemd listens on for us; -1: there is none. */
static int
passed_listener(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

	if (pid == NULL || count == NULL ||
	    strtol(pid, NULL, 10) != (long)getpid() || strcmp(count, "1") != 0)
		return -1;
	(void)fcntl(LISTENER_OF_SYSTEMD, F_SETFD, FD_CLOEXEC);
	(void)fcntl(LISTENER_OF_SYSTEMD, F_SETFL, O_NONBLOCK);
	return LISTENER_OF_SYSTEMD;
}

/* Reads "127.0.0.1:8008" or "[::1]:8008": to be freed, or NULL. */
static struct addrinfo *
read_address(const char *text)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	const char *colon = strrchr(text, ':');
	bool has_brackets =
	    colon != NULL && colon > text && text[0] == '[' && colon[-1] == ']';
	struct addrinfo *found;
	char host[64];

	if (colon == NULL || (size_t)(colon - text) >= sizeof(host))
		return NULL;
	snprintf(host, sizeof(host), "%.*s",
	    (int)(colon - text) - 2 * has_brackets, text + has_brackets);
	return getaddrinfo(host, colon + 1, &hints, &found) == 0 ? found : NULL;
}

/* -1 with errno if it fails. */
static int
listen_on(const struct addrinfo *address)
{
	int yes = 1, fd = socket(address->ai_family,
			 SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
	    bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Listens at the address. Complains and gives -1 if that fails. */
static int
listen_at(const char *text)
{
	struct addrinfo *address = read_address(text);
	int fd = address != NULL ? listen_on(address) : -1;

	if (address == NULL)
		complain("%s: not an address as 127.0.0.1:" WEB_PORT, text);
	else if (fd < 0)
		complain("%s: %s", text, strerror(errno));
	if (address != NULL)
		freeaddrinfo(address);
	return fd;
}

/* The daemon that the user has named, or the one that is found later. */
static enum control_code
take_place(struct web_options *options, struct whereabouts *place)
{
	enum control_code code;

	if (!find_default(place))
		return CODE_USAGE;
	if (place->socket == NULL && place->cluster == NULL)
		return CODE_YES;
	code = find_socket(place, options->path);
	if (code == CODE_YES && options->path[0] != '\0')
		options->socket = options->path;
	return code;
}

/* What the words say. */
struct words {
	struct whereabouts place;
	const char *listen;
};

/* False if the program ends here; `word` is the argument that had the
 * option. */
static bool
take_option(
    struct words *words, int option, const char *word, enum control_code *code)
{
	switch (option) {
	case OPTION_CLUSTER:
		words->place.cluster = optarg;
		return true;
	case 's':
		words->place.socket = optarg;
		return true;
	case OPTION_LISTEN:
		words->listen = optarg;
		return true;
	default:
		*code = end_by_option("electweb", usage, option, word);
		return false;
	}
}

bool
web_options_parse(
    struct web_options *options, int argc, char **argv, enum control_code *code)
{
	struct words words = { .listen = NULL };
	int option;

	*options = (struct web_options){ .listener = -1 };
	*code = CODE_USAGE;
	opterr = 0; /* getopt() would begin each message with our path */
	while ((option = getopt_long(argc, argv, ":s:hV", longs, NULL)) != -1)
		if (!take_option(&words, option, argv[optind - 1], code))
			return false;
	if (optind < argc) {
		complain(
		    "%s: takes no arguments; --help says more", argv[optind]);
		return false;
	}
	*code = take_place(options, &words.place);
	if (*code != CODE_YES)
		return false;
	*code = CODE_UNKNOWN;
	if (words.listen == NULL)
		options->listener = passed_listener();
	if (options->listener < 0)
		options->listener =
		    listen_at(words.listen != NULL ? words.listen
						   : "127.0.0.1:" WEB_PORT);
	return options->listener >= 0;
}
