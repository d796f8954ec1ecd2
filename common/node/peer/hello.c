/* SPDX-License-Identifier: ISC */
/*
 * When we say HELLO to a peer without a session (PROTOCOL.md, Probing): eagerly
 * at first, one a round, and then lazily where the leader seeks the peer, too.
 * timers.c chooses the peers of a round, ring.c those that it needs at once,
 * and handshake.c has what a HELLO says.
 */

#include "common/node/peer/hello.h"

#include "common/node/peer/peers.h"

/* HELLOs at first, one a heartbeat. Where half of the datagrams are lost, all
 * of these are lost once in a thousand times. */
#define HELLO_EAGER 10

void
hello_reset(struct peer *p, nsec_t now)
{
	assert(!p->has_session);
	p->hello.tries = 0;
	p->hello.at = now;
}

bool
hello_is_time(const struct peer *p, nsec_t now)
{
	return !p->has_session && !p->hello.is_due && now >= p->hello.at;
}

bool
hello_is_eager(const struct peer *p)
{
	return p->hello.tries < HELLO_EAGER;
}

void
hello_say(struct node *node, nsec_t now, struct peer *p, bool is_lazy)
{
	assert(hello_is_time(p, now));
	p->hello.is_due = true;
	peers_touch(node, p);
	p->hello.tries++;
	p->hello.at = now;
	if (p->hello.tries > HELLO_EAGER && is_lazy)
		p->hello.at = nsec_after(
		    now, random_between(&node->random,
			     HELLO_LAZY - HELLO_LAZY / 10, HELLO_LAZY));
}

void
hello_seek(struct node *node, nsec_t now, struct peer *p)
{
	if (p->has_session || p->hello.is_due)
		return;
	p->hello.is_due = true;
	peers_touch(node, p);
	p->hello.tries = 1;
	p->hello.at = nsec_after(now, node->setup.timing.heartbeat);
}

bool
hello_is_due(const struct peer *p)
{
	return p->hello.is_due && !p->has_session;
}

void
hello_clear(struct peer *p)
{
	p->hello.is_due = false;
}

void
hello_check(const struct node *node, const struct peer *p)
{
	nsec_t pause = node->setup.timing.heartbeat > HELLO_LAZY
			   ? node->setup.timing.heartbeat
			   : HELLO_LAZY;

	assert(p->hello.at <= nsec_after(node->input.now, pause));
}

/* A HELLO is of no use where nothing listens, and a host sends about one ICMP
 * error a second. The next process of the peer says HELLO by itself. */
void
hello_on_refused(struct peer *p, nsec_t now)
{
	assert(!p->has_session);
	if (p->hello.tries < HELLO_EAGER)
		p->hello.tries = HELLO_EAGER;
	p->hello.at = nsec_after(now, HELLO_LAZY);
}
