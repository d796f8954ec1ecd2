/* SPDX-License-Identifier: ISC */
/*
 * The stall meter: how late this node itself runs (PROTOCOL.md, Local health).
 * A node that runs late may itself be why it heard nothing, so its patience
 * with the peers grows with each stall, and shrinks while it runs on time.
 */
#include "common/node/watch/stall.h"

#include "common/node/context.h"

/* Heartbeats without a stall, 1 s at most: three detection times with defaults,
 * so that a calm one alone forgives nothing. */
#define HEALTH_LASTS 10

void
stall_init(struct node *node, nsec_t now)
{
	assert(node->stall.local_health == 0);
	node->stall = (struct node_stall){
		.wanted = now,
		.healthy_at = NSEC_NEVER,
		.spoke_at = now,
	};
}

nsec_t
stall_lag(const struct node *node, nsec_t now)
{
	nsec_t asked = node->stall.wanted > node->input.now ? node->stall.wanted
							    : node->input.now;

	return nsec_since(now, asked);
}

bool
stall_counts(const struct node *node, nsec_t lag)
{
	return lag > node->setup.timing.heartbeat / 2;
}

/* Peers count from our last heartbeat and allow for jitter. We allow for none,
 * so we know before they do that they have given us up. */
bool
stall_was_given_up(const struct node *node, nsec_t now)
{
	return stall_counts(node, stall_lag(node, now)) &&
	       stall_silence(node, now) >= node_detection(node);
}

/* The time without a stall that lowers our local health by 1. Counted in our
 * heartbeats, as a stall is measured by them, too. */
static nsec_t
stall_lasts(const struct node *node)
{
	assert(node->setup.timing.heartbeat > 0);
	return nsec_earlier(SEC, HEALTH_LASTS * node->setup.timing.heartbeat);
}

void
stall_worsen(struct node *node, nsec_t now)
{
	if (node->stall.local_health < HEALTH_MAX)
		node->stall.local_health++;
	node->stall.healthy_at = nsec_after(now, stall_lasts(node));
}

bool
stall_recover(struct node *node, nsec_t now)
{
	if (node->stall.local_health == 0 || now < node->stall.healthy_at)
		return false;
	node->stall.local_health--;
	node->stall.healthy_at = nsec_after(now, stall_lasts(node));
	return true;
}

unsigned
stall_health(const struct node *node)
{
	return node->stall.local_health;
}

void
stall_speak(struct node *node, nsec_t now)
{
	assert(node->stall.spoke_at <= now);
	node->stall.spoke_at = now;
}

nsec_t
stall_silence(const struct node *node, nsec_t now)
{
	assert(node->stall.spoke_at <= now);
	return nsec_since(now, node->stall.spoke_at);
}

void
stall_ask(struct node *node, nsec_t deadline)
{
	node->stall.wanted = deadline;
}

void
stall_check(const struct node *node)
{
	assert(node->stall.local_health <= HEALTH_MAX);
	assert(node->stall.spoke_at <= node->input.now);
	assert(node->stall.local_health == 0 ||
	       node->stall.healthy_at != NSEC_NEVER);
}
