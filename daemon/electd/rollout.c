/* SPDX-License-Identifier: ISC */
#include "daemon/electd/rollout.h"

#include <stdlib.h>

#include "daemon/config/settings_document.h"
#include "daemon/electd/node_setup.h"

static void
wish_clear(struct rollout *r)
{
	document_done(&r->wish);
	settings_free(r->wished);
	node_setup_free(r->setup);
	r->wished = NULL;
	r->setup = NULL;
}

/* The text of settings, as a document; bytes NULL without memory. */
static struct document
text_of(const struct settings *settings)
{
	struct document d = { .edition = settings_edition(settings) };

	d.bytes = settings_document(settings, &d.size);
	d.whole = d.size;
	return d;
}

/* True if this generation is later than all that this host knows of. */
static bool
is_news(
    const struct rollout *r, const struct node *node, const struct edition *e)
{
	return e->generation > node_edition(node)->generation &&
	       (r->wish.bytes == NULL ||
		   e->generation > r->wish.edition.generation);
}

bool
rollout_wish(struct rollout *r, struct node *node, node_id self,
    struct settings *settings, bool is_own)
{
	struct document wish;
	struct node_setup *setup;
	bool has_memory;

	settings->stamp = 0;
	wish = text_of(settings);
	setup = node_setup_new(settings, self);
	has_memory = wish.bytes != NULL && setup != NULL;
	if (!has_memory || !is_news(r, node, &wish.edition)) {
		document_done(&wish);
		settings_free(settings);
		node_setup_free(setup);
		return has_memory;
	}
	node_propose(
	    node, &wish.edition, (const uint8_t *)wish.bytes, wish.size);
	wish_clear(r);
	r->wish = wish;
	r->wished = settings;
	r->setup = setup;
	r->is_own = is_own;
	return true;
}

void
rollout_forget(struct rollout *r, struct node *node)
{
	node_propose(node, NULL, NULL, 0);
	wish_clear(r);
}

void
rollout_withdraw(struct rollout *r, struct node *node, uint32_t generation)
{
	if (r->wish.bytes != NULL && r->is_own &&
	    generation <= r->wish.edition.generation)
		rollout_forget(r, node);
}

/* The same settings, with another stamp. NULL without memory. */
static struct settings *
stamped(const struct settings *settings, uint64_t stamp)
{
	struct settings *copy = document_copy(settings);

	if (copy != NULL)
		copy->stamp = stamp;
	return copy;
}

/* True if no other node is known to have gone on to later settings. */
static bool
is_up_to_date(struct node *node, nsec_t now)
{
	const struct node_status status = node_status(node, now);

	return status.state == STATE_LEADER ||
	       (status.state == STATE_FOLLOWER && !status.is_mixed);
}

/* The step that the wish wants. */
static enum rollout_next
pursue_wish(struct rollout *r, struct node *node, nsec_t now,
    const struct settings *running, struct settings **next,
    enum change_step *step)
{
	uint64_t stamp;

	*step = node_step(node, now, r->setup, &stamp);
	switch (*step) {
	case STEP_READY:
		*next = stamped(r->wished, stamp);
		break;
	case STEP_STAMP:
		*next = stamped(running, stamp);
		break;
	case STEP_UNSETTLED:
	case STEP_UNHEARD:
	case STEP_NOT_OURS:
		break;
	case STEP_RESIGN:
		return ROLLOUT_RESIGN;
	case STEP_TOO_FAR:
	case STEP_PROMOTES:
		return is_up_to_date(node, now) ? ROLLOUT_REFUSE : ROLLOUT_WAIT;
	}
	return *next != NULL ? ROLLOUT_STEP : ROLLOUT_WAIT;
}

enum rollout_next
rollout_pursue(struct rollout *r, struct node *node, nsec_t now,
    const struct settings *running, struct settings **next,
    enum change_step *step)
{
	enum rollout_next todo = ROLLOUT_WAIT;

	*next = NULL;
	if (r->next.settings != NULL)
		return ROLLOUT_WAIT;
	if (r->wish.bytes != NULL &&
	    r->wish.edition.generation <= node_edition(node)->generation)
		rollout_forget(r, node);
	if (node_wants_stamp(node, now)) {
		*next = stamped(running, node_status(node, now).term);
		return *next != NULL ? ROLLOUT_STEP : ROLLOUT_WAIT;
	}
	if (r->wish.bytes != NULL)
		todo = pursue_wish(r, node, now, running, next, step);
	if (todo == ROLLOUT_RESIGN) {
		todo = r->has_resigned ? ROLLOUT_WAIT : ROLLOUT_RESIGN;
	} else if (r->wish.bytes == NULL && r->has_resigned) {
		todo = ROLLOUT_STAND;
		r->has_resigned = false;
	}
	return todo;
}

bool
rollout_is_wished(const struct rollout *r, struct node *node, nsec_t now,
    uint32_t *generation, enum change_step *step)
{
	uint64_t stamp;

	if (r->wish.bytes == NULL ||
	    r->wish.edition.generation <= node_edition(node)->generation)
		return false;
	*generation = r->wish.edition.generation;
	*step = node_step(node, now, r->setup, &stamp);
	return true;
}

void
rollout_done(struct rollout *r)
{
	read_files_done(&r->next);
	wish_clear(r);
}
