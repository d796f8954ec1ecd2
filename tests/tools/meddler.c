/* SPDX-License-Identifier: ISC */
/*
 * meddler FRONT=NODE [FRONT=NODE]: passes datagrams on between two nodes. Each
 * NODE listens at an address that its peer does not know. The peer sends to
 * FRONT, and the meddler passes that on to NODE, from the front of the peer. It
 * keeps all of it, and can send it again. With one pair it holds FRONT, and only
 * sends.
 *
 * It obeys lines from its standard input, prints for each how many datagrams it
 * sent, and ends by "quit", or with its input:
 *   replay         sends every datagram that it kept once more, in order
 *   damage SEED    does so with one bit of each changed
 *   noise N SEED   sends N datagrams of random bytes, from each front to each
 *                  node
 *   kept           sends none, and prints how many it has kept
 *   quit
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIDES_MAX      2
#define DATAGRAM_MAX   2048  /* more than any of electd's, less than a page */
#define KEPT_MAX       65536 /* half an hour of two nodes */
#define QUEUE_MAX      32768 /* bytes that a receiver may be behind */
#define NOISE_MAX      1600  /* bytes; some are longer than allowed */
#define LINE_MAX_BYTES 128

struct side {
	struct sockaddr_in front;
	struct sockaddr_in node;
	int fd; /* bound to front */
};

struct datagram {
	unsigned to; /* the side of the node that it is for */
	size_t size;
	uint8_t *bytes;
};

static struct side sides[SIDES_MAX];
static unsigned sides_count;
static struct datagram kept[KEPT_MAX];
static size_t kept_count;
static uint64_t random_state;

static void
die(const char *what)
{
	fprintf(stderr, "meddler: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* xorshift64*: the same seed gives the same noise. */
static uint32_t
random_next(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 2685821657736338717u) >> 32);
}

static void
random_seed(unsigned long seed)
{
	random_state = seed * 2 + 1;
	for (int i = 0; i < 8; i++)
		random_next();
}

/* Reads "127.0.0.1:7420", IPv4 only. Alters the text. */
static bool
parse_address(char *text, struct sockaddr_in *address)
{
	char *colon = strrchr(text, ':');

	*address = (struct sockaddr_in){ .sin_family = AF_INET };
	if (colon == NULL)
		return false;
	*colon = '\0';
	address->sin_port = htons((uint16_t)atoi(colon + 1));
	return inet_pton(AF_INET, text, &address->sin_addr) == 1;
}

static void
side_open(struct side *side, char *text)
{
	char *node = strchr(text, '=');

	if (node == NULL)
		die(text);
	*node++ = '\0';
	if (!parse_address(text, &side->front) ||
	    !parse_address(node, &side->node))
		die("address");
	side->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (side->fd < 0 ||
	    bind(side->fd, (const struct sockaddr *)&side->front,
		sizeof(side->front)) != 0)
		die("bind");
}

/*
 * Gives how much the receiver at this address has not yet read, in bytes of its
 * buffer. No datagram may be lost on its way there, since the receiver counts
 * them.
 */
static unsigned long
queued(const struct sockaddr_in *address)
{
	FILE *table = fopen("/proc/net/udp", "re");
	unsigned long found = 0;
	char line[256];

	if (table == NULL)
		die("/proc/net/udp");
	while (fgets(line, sizeof(line), table) != NULL) {
		unsigned ip, port;
		unsigned long bytes;

		if (sscanf(line, "%*d: %x:%x %*x:%*x %*x %*x:%lx", &ip, &port,
			&bytes) == 3 &&
		    ip == address->sin_addr.s_addr &&
		    port == ntohs(address->sin_port))
			found = bytes;
	}
	fclose(table);
	return found;
}

/* Sends from the front of one side, bound or not, to the node of another. */
static void
send_to(int fd, const struct side *to, const uint8_t *bytes, size_t size)
{
	static size_t unchecked;
	struct pollfd nothing = { .fd = -1 };

	if (sendto(fd, bytes, size, 0, (const struct sockaddr *)&to->node,
		sizeof(to->node)) < 0 &&
	    errno != ECONNREFUSED)
		die("sendto");
	unchecked += DATAGRAM_MAX;
	if (unchecked < QUEUE_MAX)
		return;
	unchecked = 0;
	while (queued(&to->node) > QUEUE_MAX)
		poll(&nothing, 1, 1);
}

static const struct side *
opposite(unsigned to)
{
	return &sides[sides_count - 1 - to];
}

/* Keeps a datagram that came to a side's front, and passes it on. */
static void
hand_on(unsigned to)
{
	uint8_t bytes[DATAGRAM_MAX];
	ssize_t size = recv(sides[to].fd, bytes, sizeof(bytes), 0);
	struct datagram *d = &kept[kept_count];

	if (size < 0 && errno == ECONNREFUSED)
		return;
	if (size < 0)
		die("recv");
	if (sides_count < 2)
		return;
	if (kept_count < KEPT_MAX) {
		*d = (struct datagram){ .to = to, .size = (size_t)size };
		d->bytes = malloc(d->size + 1);
		if (d->bytes == NULL)
			die("malloc");
		memcpy(d->bytes, bytes, d->size);
		kept_count++;
	}
	send_to(opposite(to)->fd, &sides[to], bytes, (size_t)size);
}

static size_t
send_kept(bool damaged)
{
	size_t count = kept_count;

	for (size_t i = 0; i < count; i++) {
		struct datagram *d = &kept[i];
		uint8_t bytes[DATAGRAM_MAX];

		memcpy(bytes, d->bytes, d->size);
		if (damaged && d->size > 0)
			bytes[random_next() % d->size] ^=
			    (uint8_t)(1 << random_next() % 8);
		send_to(opposite(d->to)->fd, &sides[d->to], bytes, d->size);
	}
	return count;
}

static size_t
send_noise(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned to = (unsigned)(i % sides_count);
		uint8_t bytes[DATAGRAM_MAX];
		size_t size = random_next() % NOISE_MAX;

		for (size_t j = 0; j < size; j++)
			bytes[j] = (uint8_t)random_next();
		send_to(opposite(to)->fd, &sides[to], bytes, size);
	}
	return count;
}

/* Does as a line says; false if it makes no sense. */
static bool
obey(const char *line, size_t *sent)
{
	unsigned long count, seed;

	if (strcmp(line, "kept") == 0)
		*sent = kept_count;
	else if (strcmp(line, "replay") == 0)
		*sent = send_kept(false);
	else if (sscanf(line, "damage %lu", &seed) == 1) {
		random_seed(seed);
		*sent = send_kept(true);
	} else if (sscanf(line, "noise %lu %lu", &count, &seed) == 2) {
		random_seed(seed);
		*sent = send_noise(count);
	} else
		return false;
	return true;
}

/* Reads one line of standard input, byte by byte: the rest is for later. */
static void
serve_input(void)
{
	char line[LINE_MAX_BYTES];
	size_t size = 0, sent;
	char byte;

	while (size < sizeof(line) - 1) {
		if (read(STDIN_FILENO, &byte, 1) != 1)
			exit(0);
		if (byte == '\n')
			break;
		line[size++] = byte;
	}
	line[size] = '\0';
	if (strcmp(line, "quit") == 0)
		exit(0);
	if (!obey(line, &sent)) {
		errno = EINVAL;
		die(line);
	}
	printf("%zu\n", sent);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct pollfd polls[SIDES_MAX + 1];

	if (argc < 2 || argc > SIDES_MAX + 1) {
		fputs("usage: meddler FRONT=NODE [FRONT=NODE]\n", stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		side_open(&sides[sides_count++], argv[i]);
	for (unsigned i = 0; i < sides_count; i++)
		polls[i] =
		    (struct pollfd){ .fd = sides[i].fd, .events = POLLIN };
	polls[sides_count] =
	    (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	for (;;) {
		if (poll(polls, sides_count + 1, -1) < 0)
			die("poll");
		for (unsigned i = 0; i < sides_count; i++)
			if (polls[i].revents != 0)
				hand_on(i);
		if (polls[sides_count].revents != 0)
			serve_input();
	}
}
