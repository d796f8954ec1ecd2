/* SPDX-License-Identifier: ISC */
#include "tests/lib/names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESSES 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static const char *known;
static const char *addresses[ADDRESSES];
static bool is_held;
static unsigned asked;

void
names_set(const char *name, const char *first, const char *second)
{
	pthread_mutex_lock(&lock);
	known = name;
	addresses[0] = first;
	addresses[1] = second;
	pthread_mutex_unlock(&lock);
}

void
names_hold(bool hold)
{
	pthread_mutex_lock(&lock);
	is_held = hold;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
}

unsigned
names_asked(void)
{
	unsigned count;

	pthread_mutex_lock(&lock);
	count = asked;
	pthread_mutex_unlock(&lock);
	return count;
}

/* Puts one address before the others; false: this is no address. */
static bool
add(const char *host, const char *port, struct addrinfo **list)
{
	struct found {
		struct addrinfo info;
		union {
			struct sockaddr any;
			struct sockaddr_in in;
			struct sockaddr_in6 in6;
		} socket;
	} *f = calloc(1, sizeof(*f));
	bool is_6 = strchr(host, ':') != NULL;
	int family = is_6 ? AF_INET6 : AF_INET;
	void *address = is_6 ? (void *)&f->socket.in6.sin6_addr
			     : (void *)&f->socket.in.sin_addr;

	f->socket.any.sa_family = (sa_family_t)family;
	f->socket.in.sin_port = htons((in_port_t)atoi(port)); /* also of in6 */
	if (inet_pton(family, host, address) != 1) {
		free(f);
		return false;
	}
	f->info.ai_family = family;
	f->info.ai_addr = &f->socket.any;
	f->info.ai_addrlen =
	    is_6 ? sizeof(f->socket.in6) : sizeof(f->socket.in);
	f->info.ai_next = *list;
	*list = &f->info;
	return true;
}

int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
    struct addrinfo **list)
{
	*list = NULL;
	if (add(host, port, list))
		return 0;
	if (hints->ai_flags & AI_NUMERICHOST)
		return EAI_NONAME;
	pthread_mutex_lock(&lock);
	asked++;
	while (is_held)
		pthread_cond_wait(&released, &lock);
	for (int i = ADDRESSES; i-- > 0;)
		if (known != NULL && strcmp(host, known) == 0 &&
		    addresses[i] != NULL)
			add(addresses[i], port, list);
	pthread_mutex_unlock(&lock);
	return *list != NULL ? 0 : EAI_NONAME;
}

void
freeaddrinfo(struct addrinfo *list)
{
	while (list != NULL) {
		struct addrinfo *next = list->ai_next;

		free(list);
		list = next;
	}
}
