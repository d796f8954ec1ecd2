/* SPDX-License-Identifier: ISC */
#include "daemon/tape/playback.h"

#include <stdlib.h>
#include <string.h>

struct player {
	struct tape tape;
	struct node *node;
	void *memory; /* memory of the node; allocated */
	const struct algorithm *(*find)(const char *name);
	const struct playback_audience *audience;
	struct playback_result result;
	struct entry in;
	struct entry_room room; /* room of `in` */
	struct action action;
	uint8_t datagram[PACKET_MAX + 1];
};

unsigned
reels_of(const struct tape *tape, struct reel reels[2])
{
	unsigned count = 0;

	for (unsigned i = 1; i <= 2; i++) {
		const struct tape_half *half =
		    &tape->halves[(tape->turn + i) % 2];

		if (half->checkpoint_size == 0)
			continue;
		reels[count++] = (struct reel){
			.checkpoint = half->checkpoint,
			.checkpoint_size = half->checkpoint_size,
			.entries = half->entries.start,
			.entries_size = half->whole,
			.first = half->first,
		};
	}
	return count;
}

static void
end(struct player *p, enum playback_end how, const char *why)
{
	if (p->result.end != PLAYBACK_SAME)
		return;
	p->result.end = how;
	p->result.why = why;
}

static const struct algorithm *
algorithm_of(struct player *p, const char *name)
{
	const struct algorithm *algorithm = p->find(name);

	if (algorithm == NULL)
		end(p, PLAYBACK_BROKEN, "there is no such algorithm");
	return algorithm;
}

static void
restore(struct player *p, const struct reel *reel)
{
	const struct algorithm *algorithm;
	struct checkpoint checkpoint;

	tape_play(&p->tape, reel->entries, reel->entries_size);
	if (!entry_read_checkpoint(&p->tape.entries, &checkpoint)) {
		end(p, PLAYBACK_BROKEN, "it does not begin with a checkpoint");
		return;
	}
	p->result.now = checkpoint.now;
	algorithm = algorithm_of(p, checkpoint.algorithm);
	if (algorithm == NULL)
		return;
	p->memory = malloc(reel->checkpoint_size);
	if (p->memory == NULL) {
		end(p, PLAYBACK_MEMORY, "no memory");
		return;
	}
	memcpy(p->memory, reel->checkpoint, reel->checkpoint_size);
	p->node = node_restore(
	    p->memory, reel->checkpoint_size, &checkpoint, algorithm, &p->tape);
	if (p->node == NULL) {
		end(p, PLAYBACK_BROKEN, "its checkpoint is of no node");
		return;
	}
	node_check(p->node);
	if (p->audience->on_node != NULL)
		p->audience->on_node(p->audience->context, p->node, algorithm,
		    checkpoint.topology);
}

static void
change(struct player *p)
{
	struct node_setup *setup = &p->room.setup;
	const struct entry *in = &p->in;
	void *memory;

	setup->algorithm = algorithm_of(p, p->room.algorithm);
	if (setup->algorithm == NULL)
		return;
	if (in->kind == TAPE_ANNOUNCE) {
		node_tell_removed(p->node, in->now, setup);
		return;
	}
	memory = calloc(1, node_change_size(p->node, setup));
	if (memory == NULL) {
		end(p, PLAYBACK_MEMORY, "no memory");
		return;
	}
	p->node = node_change(memory, p->node, setup, in->now);
	free(p->memory);
	p->memory = memory;
	if (p->audience->on_node != NULL)
		p->audience->on_node(p->audience->context, p->node,
		    setup->algorithm, setup->topology);
}

static void
receive(struct player *p)
{
	const struct entry *in = &p->in;

	memset(p->datagram, 0, sizeof(p->datagram));
	memcpy(p->datagram, in->bytes,
	    in->size < PACKET_CLEAR_BYTES ? in->size : PACKET_CLEAR_BYTES);
	node_receive(
	    p->node, in->now, in->age, in->peer, p->datagram, in->size);
}

/* A key of zeros: what keys do is on the tape. */
static void
change_keys(struct player *p)
{
	const struct setup_keys none = { .has_second = p->in.is_set };

	node_change_keys(p->node, p->in.now, &none);
}

/* Pulls as many actions as were pulled then. */
static void
act(struct player *p)
{
	const struct entry *in = &p->in;

	for (uint32_t i = 0; i < in->count; i++) {
		if (!node_act(p->node, in->now, &p->action)) {
			end(p, PLAYBACK_DIFFERS, "an action is missing");
			return;
		}
		if (p->audience->on_action != NULL)
			p->audience->on_action(
			    p->audience->context, &p->action);
	}
	if (in->is_set && node_act(p->node, in->now, &p->action)) {
		if (p->audience->on_action != NULL)
			p->audience->on_action(
			    p->audience->context, &p->action);
		end(p, PLAYBACK_DIFFERS, "there is one action too many");
	}
	if (p->tape.digest != in->digest)
		end(p, PLAYBACK_DIFFERS, "the actions differ");
}

/* Inputs without arguments. False for any other. */
static bool
hand_in_plain(struct player *p)
{
	nsec_t now = p->in.now;

	switch ((int)p->in.kind) {
	case TAPE_TICK:
		node_tick(p->node, now);
		return true;
	case TAPE_ELECT:
		(void)node_elect(p->node, now);
		return true;
	case TAPE_STOP:
		node_stop(p->node, now);
		return true;
	case TAPE_HAND_OUT:
		(void)node_hand_out(p->node, now);
		return true;
	case TAPE_DECLARE_DEAD:
		node_declare_dead(p->node, now);
		return true;
	case TAPE_SNAPSHOT:
		(void)node_snapshot(p->node, now);
		return true;
	default:
		return false;
	}
}

/* entry_read() gives no other kinds. */
static void
hand_in(struct player *p)
{
	const struct entry *in = &p->in;

	if (hand_in_plain(p))
		return;
	switch ((int)in->kind) {
	case TAPE_RECEIVE:
		receive(p);
		break;
	case TAPE_REFUSED:
		node_refused(p->node, in->now, in->peer);
		break;
	case TAPE_TAKE_BACK:
		node_take_back(p->node, in->now, in->until);
		break;
	case TAPE_RESIGN:
		(void)node_resign(p->node, in->now, in->to, in->reason);
		break;
	case TAPE_STANDBY:
		node_set_standby(p->node, in->now, in->standby);
		break;
	case TAPE_KEYS:
		change_keys(p);
		break;
	case TAPE_PERSISTED:
		node_persisted(p->node, in->now, in->is_set);
		break;
	case TAPE_CARRIER:
		node_set_carrier(p->node, in->now, in->is_set);
		break;
	case TAPE_FILE:
		node_set_file(p->node, in->now, in->is_set);
		break;
	case TAPE_ANNOUNCE:
	case TAPE_CHANGE:
		change(p);
		break;
	case TAPE_PROPOSE:
		node_propose(
		    p->node, in->config_id, in->document, in->document_size);
		break;
	case TAPE_PULL:
		(void)node_pull(p->node, in->now, in->pull);
		break;
	case TAPE_REFUSE:
		node_refuse(p->node, in->now, in->config_id);
		break;
	case TAPE_ACTS:
		act(p);
		break;
	default:
		assert(false);
	}
}

/* Plays the next entry. */
static void
step(struct player *p)
{
	bool is_short;

	if (!entry_read(&p->tape.entries, &p->in, &p->room)) {
		end(p, PLAYBACK_BROKEN, "no record begins here");
		return;
	}
	p->result.number += p->in.kind != TAPE_ACTS;
	p->result.now = p->in.now;
	if (p->audience->on_entry != NULL)
		p->audience->on_entry(
		    p->audience->context, p->result.number, &p->in);
	p->tape.plain = NULL;
	hand_in(p);
	/* The tape may have been recorded while the program ended. */
	is_short = p->tape.has_strayed && p->tape.entries.left == 0;
	if (p->tape.has_strayed && !is_short)
		end(p, PLAYBACK_DIFFERS, "it uses keys in another way");
	if (p->audience->on_end != NULL)
		p->audience->on_end(p->audience->context, p->node, &p->in,
		    p->tape.plain, p->tape.plain_size);
}

/* True if the next entry is of the inputs that are wanted. */
static bool
goes_on(const struct player *p, uint64_t until)
{
	const struct reader *r = &p->tape.entries;

	if (p->result.end != PLAYBACK_SAME || r->left == 0 ||
	    p->tape.has_strayed)
		return false;
	return p->result.number < until || r->at[0] == TAPE_ACTS;
}

struct playback_result
playback_run(const struct reel *reel,
    const struct algorithm *(*find)(const char *name), uint64_t until,
    const struct playback_audience *audience)
{
	static const struct playback_audience nobody = { .context = NULL };
	struct playback_result result;
	struct player *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return (struct playback_result){ .end = PLAYBACK_MEMORY,
			.why = "no memory" };
	p->find = find;
	p->audience = audience != NULL ? audience : &nobody;
	p->result.number = reel->first;
	restore(p, reel);
	while (goes_on(p, until))
		step(p);
	result = p->result;
	free(p->memory);
	free(p);
	return result;
}
