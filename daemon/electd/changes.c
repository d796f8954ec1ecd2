/* SPDX-License-Identifier: ISC */
/*
 * Changes of the settings while the daemon runs: a reload of this host's file,
 * documents of other nodes, and the steps that this host takes as the leader.
 */
#include "daemon/electd/electd_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <sodium.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"
#include "daemon/electd/change/reload.h"
#include "daemon/state/store_start.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

/* lastwill has the addresses and times of one edition: until
 * helper_end_change() those of the edition before. */
static void
changes_renew_helper(struct electd *e, const struct node_setup *setup)
{
	e->rules = node_will_rules(setup);
	helper_begin_change(e->helper, e->settings, &e->rules);
}

/* How far a node of these settings may trust its state file. Its start did not
 * judge that of an observer. */
static enum state_health
changes_health(const struct electd *e, const struct settings *settings)
{
	const struct config_node *was =
	    config_find(&e->settings->shared, e->self);
	const struct config_node *is = config_find(&settings->shared, e->self);

	return settings->shared.guarantee == GUARANTEE_QUORUM &&
		       was->role == ROLE_OBSERVER && is->role != ROLE_OBSERVER
		   ? store_judge(settings, e->store)
		   : STATE_HEALTH_SOUND;
}

/* The helper gets other checks with its next report. */
static void
changes_renew_checks(struct electd *e, const struct settings *before)
{
	nsec_t now = electd_wake(e);

	if (settings_have_same_checks(e->settings, before))
		return;
	health_renew(&e->health, now, e->settings);
	electd_look_at_health(e, now);
}

/* Puts other settings into effect, which go into *settings in place, since all
 * others borrow that: the node is made anew. Returns false if that fails; then
 * nothing has changed. */
static bool
changes_make(struct electd *e, struct settings *settings)
{
	uint8_t *document;
	struct node_setup *setup =
	    node_setup_whole(settings, e->self, &document);
	struct settings before = *e->settings;
	struct node *old = e->node;
	void *memory;
	size_t size;
	nsec_t now;

	if (setup == NULL)
		return false;
	now = electd_wake(e);
	if (!e->is_ended) {
		node_announce(old, now, setup);
		electd_perform(e, now);
	}
	size = node_change_size(old, setup);
	memory = electd_memory(size);
	if (memory == NULL || e->is_ended || !udp_change(e->udp, settings)) {
		free(memory);
		free(document);
		node_setup_free(setup);
		return false;
	}
	setup->state_health = changes_health(e, settings);
	settings->file_generation = e->settings->file_generation;
	settings_remember(settings, e->settings);
	*e->settings = *settings;
	*settings = before;
	e->node = node_change(memory, old, setup, now);
	electd_record(e, size, now);
	free(old);
	free(e->document);
	e->document = document;
	e->reporter.node = e->node;
	control_change(e->control, e->node);
	changes_renew_helper(e, setup);
	node_setup_free(setup);
	/* The notices are about nodes that the settings before still name. */
	e->reporter.settings = settings;
	electd_perform(e, now);
	if (!e->is_ended)
		helper_end_change(e->helper);
	e->reporter.settings = e->settings;
	changes_renew_checks(e, settings);
	return true;
}

/* Applies what may change without another edition. */
static bool
changes_own(struct electd *e, struct settings *settings)
{
	struct settings before = *e->settings;

	settings->shared.stamp = before.shared.stamp;
	settings->file_generation = before.file_generation;
	settings_remember(settings, &before);
	if (!udp_change(e->udp, settings))
		return false;
	*e->settings = *settings;
	*settings = before;
	changes_renew_checks(e, settings);
	return true;
}

static void
log_change(void *context, enum change change, const char *setting)
{
	(void)context;
	(void)change;
	log_notice("changed: %s", setting);
}

/* What a file says of this host alone waits for no other node. */
static void
changes_take_host(struct electd *e, const struct settings *file)
{
	struct settings *own = settings_with(file, &e->settings->shared);

	if (own != NULL)
		settings_compare(e->settings, own, log_change, NULL);
	if (own == NULL || !changes_own(e, own))
		log_errorx("this host's own settings stay as they were");
	settings_free(own);
}

static void
changes_keys(struct electd *e, const struct read_files *files)
{
	const uint8_t *old_key = reload_old_key(files);
	nsec_t now = electd_wake(e);

	if (e->is_ended || node_has_keys(e->node, files->key, old_key))
		return;
	node_change_keys(e->node, now, files->key, old_key);
	electd_set_fingerprints(e, files->key, old_key);
	electd_perform(e, now);
}

/* How what this host itself wants ends; NULL: it is of another origin. */
static struct reload *
changes_reload(struct electd *e, enum origin origin)
{
	if (origin == ORIGIN_MEMBERS)
		return &e->members.change;
	return origin == ORIGIN_RELOAD ? &e->reload : NULL;
}

/* Logs how that has ended, and answers those who wait for it. */
static void
changes_report(struct electd *e, enum origin origin)
{
	if (origin == ORIGIN_RELOAD)
		reload_report(&e->reload, e->path);
	else if (origin == ORIGIN_MEMBERS)
		reload_report_members(&e->members.change);
	control_reloaded(e->control);
}

/* Applies what this host itself wants. The keys are read from *files by their
 * own settings, before these are exchanged. False if that fails. */
static bool
changes_apply(struct electd *e, struct read_files *files, enum origin origin)
{
	struct read_files keys = *files;
	struct settings wanted = *files->settings;
	bool is_applied = reload_is_edition(e->settings, files)
			      ? changes_make(e, files->settings)
			      : changes_own(e, files->settings);

	keys.settings = &wanted;
	if (!is_applied)
		reload_fail(changes_reload(e, origin));
	else if (!keys.is_document)
		changes_keys(e, &keys);
	sodium_memzero(&keys, sizeof(keys));
	return is_applied;
}

/* True if the settings give this host's node a vote, and it was discovered:
 * then it has the id of a voter by mistake. */
static bool
changes_promotes(const struct electd *e, const struct settings *settings)
{
	return e->settings->shared.guarantee == GUARANTEE_QUORUM &&
	       settings_are_discovered(e->settings) &&
	       config_find(&settings->shared, e->self)->role != ROLE_OBSERVER;
}

static const char *
changes_refusal(const struct electd *e, const struct read_files *files)
{
	if (files->settings == NULL)
		return files->errors;
	if (changes_promotes(e, files->settings))
		return "this host was discovered, and its id is that of a voter: give it another";
	return RELOAD_FAILURE;
}

/* Another node's document cannot be put into effect. */
static void
changes_refuse(struct electd *e, const struct read_files *files)
{
	nsec_t now = electd_wake(e);

	if (e->is_ended)
		return;
	report_refusal(e->settings, files->giver, &files->edition,
	    files->is_removed, changes_refusal(e, files));
	node_refuse(e->node, now, &files->edition);
	electd_perform(e, now);
}

/* Puts another node's document, or our step, into effect. */
static bool
changes_follow(struct electd *e, struct read_files *files, enum origin origin)
{
	node_id giver = origin == ORIGIN_STEP ? e->self : files->giver;

	if (!changes_make(e, files->settings)) {
		changes_refuse(e, files);
		return false;
	}
	if (origin == ORIGIN_MET)
		report_met(files->settings, e->settings);
	else
		reload_report_edition(files->settings, e->settings, giver);
	return true;
}

/* Puts settings into effect that have been kept. What they have of this host's
 * own is as old as their reading, but for those of a file. False if that
 * fails. */
static bool
changes_put(struct electd *e, struct read_files *files, enum origin origin)
{
	struct reload *reload = changes_reload(e, origin);

	if (origin == ORIGIN_RELOAD)
		return changes_apply(e, files, origin);
	if (document_adopt(files->settings, e->settings))
		return reload != NULL ? changes_apply(e, files, origin)
				      : changes_follow(e, files, origin);
	if (reload != NULL)
		reload_fail(reload);
	else
		changes_refuse(e, files);
	return false;
}

/* Logs that a write has failed, and that a later one has not. */
static void
changes_report_kept(struct electd *e, int error)
{
	uint32_t generation = e->rollout.kind == ROLLOUT_CURRENT
				  ? e->settings->shared.generation
				  : e->rollout.next.generation;

	if (error != 0 && error != e->keep_error)
		report_not_kept(e->settings, generation, error);
	else if (error == 0 && e->keep_error != 0)
		report_kept_again(e->settings, generation);
	e->keep_error = error;
}

/* A write has ended: error is 0, or a negative errno. */
static void
changes_kept(struct electd *e, int error)
{
	struct reload *reload = changes_reload(e, e->origin);
	struct read_files files = e->next;
	enum rollout_end end;

	changes_report_kept(e, error);
	end = rollout_kept(&e->rollout, e->node, electd_wake(e), error == 0);
	if (end == ROLLOUT_RETAIN || end == ROLLOUT_KEPT)
		return;
	e->next = (struct read_files){ .settings = NULL };
	if (e->is_stopping && reload != NULL)
		reload->end = RELOAD_RESTART; /* the next start uses it */
	else if (end == ROLLOUT_DROP && reload != NULL)
		reload->end = RELOAD_NOTHING;
	else if (end == ROLLOUT_APPLY && !e->is_stopping &&
		 !changes_put(e, &files, e->origin))
		rollout_refused(&e->rollout);
	changes_report(e, e->origin);
	read_files_done(&files);
}

/* Begins to write settings. */
static void
changes_write(
    struct electd *e, enum rollout_kind kind, const struct settings *settings)
{
	const struct edition edition = config_edition(&settings->shared);
	size_t size = 0;
	uint8_t *document = settings_document(settings, &size);
	bool is_begun = document != NULL &&
			reading_keep(e->reading, document, size, e->settings);

	free(document);
	rollout_keep(&e->rollout, kind, &edition);
	if (!is_begun)
		changes_kept(e, -ENOMEM);
}

/* Keeps the settings, which are taken; they come into effect after that. */
static void
changes_keep(struct electd *e, struct read_files *files, enum origin origin)
{
	enum rollout_kind kind = ROLLOUT_LATER;

	if (origin == ORIGIN_STEP)
		kind = ROLLOUT_STEP;
	else if (origin == ORIGIN_MET)
		kind = ROLLOUT_ANY;
	read_files_done(&e->next);
	e->next = *files;
	e->origin = origin;
	*files = (struct read_files){ .settings = NULL };
	changes_write(e, kind, e->next.settings);
}

/* Takes another node's document. A later one may be in effect by now. */
static void
changes_take_document(struct electd *e, struct read_files *files)
{
	enum rollout_offer offer =
	    rollout_offer(&e->rollout, e->node, &files->edition);
	struct settings **proposed =
	    files->is_removed ? &files->others : &files->settings;

	if (e->is_stopping || offer == OFFER_IGNORE)
		return;
	if (offer == OFFER_WISH && *proposed != NULL) {
		(void)wish_set(
		    &e->wish, &e->rollout, e->node, e->self, *proposed, false);
		*proposed = NULL;
	} else if (files->settings == NULL ||
		   changes_promotes(e, files->settings)) {
		changes_refuse(e, files);
	} else {
		changes_keep(e, files, ORIGIN_PEER);
	}
}

/* Takes a document that is whole, unless another is being written. */
static void
changes_take_incoming(struct electd *e)
{
	struct document *d = &e->incoming;
	struct read_files files = {
		.is_document = true,
		.edition = d->edition,
		.giver = d->giver,
	};
	struct settings *read = NULL;

	if (d->bytes == NULL || d->size < d->whole || e->rollout.is_writing)
		return;
	files.is_removed = document_read(d, e->settings, &read,
			       &files.errors) == JOINED_REMOVED;
	if (files.is_removed)
		files.others = read;
	else
		files.settings = read;
	document_done(d);
	changes_take_document(e, &files);
	read_files_done(&files);
}

/* What this host itself wants was read, and is not refused. */
static void
changes_note_file(struct electd *e, const struct read_files *files)
{
	if (!files->is_document)
		e->settings->file_generation = files->settings->file_generation;
}

/* Holds what the file says, which the cluster may not have yet. */
static void
changes_hold_file(struct electd *e, const struct settings *settings)
{
	settings_free(e->file);
	e->file = settings_clone(settings);
	e->rollout.has_file = e->file != NULL;
}

/* Under quorum: proposes what this host itself wants. The keys are its own. */
static void
changes_propose(struct electd *e, struct read_files *files, enum origin origin)
{
	struct reload *reload = changes_reload(e, origin);
	nsec_t now = electd_wake(e);
	struct node_setup *setup;
	enum change_step step = STEP_NOT_OURS;
	node_id unheard = NODE_NONE;
	uint64_t stamp;

	if (e->is_ended)
		return;
	setup = node_setup_new(files->settings, e->self);
	if (setup != NULL) {
		step = node_step(e->node, now, setup, &stamp);
		unheard = node_awaits(e->node, now, setup);
	}
	node_setup_free(setup);
	if (step == STEP_TOO_FAR)
		reload->end = RELOAD_TOO_FAR;
	else if (step == STEP_PROMOTES)
		reload->end = RELOAD_PROMOTES;
	else if (unheard != NODE_NONE && !files->is_forced)
		reload_refuse_unheard(reload, files->settings, unheard);
	if (reload->end != RELOAD_PROPOSED)
		return;
	changes_note_file(e, files);
	if (!files->is_document) {
		changes_keys(e, files);
		changes_take_host(e, files->settings);
	}
	if (origin == ORIGIN_RELOAD)
		changes_hold_file(e, files->settings);
	if (!wish_set(
		&e->wish, &e->rollout, e->node, e->self, files->settings, true))
		reload->end = RELOAD_FAILED;
	files->settings = NULL;
}

/* A change that the last reload proposed is in effect, or never will be. */
static void
changes_end_proposal(struct electd *e, enum reload_end end)
{
	if (e->reload.end != RELOAD_PROPOSED)
		return;
	e->reload.end = end;
	control_reloaded(e->control);
}

/* Under quorum: wishes what the file wants until the cluster has it, also after
 * nodes that were discovered came first, or the cluster's earlier settings took
 * the place of the file. */
static void
changes_wish_file(struct electd *e)
{
	bool is_discovery, is_due;
	struct settings *wish;
	char *errors = NULL;

	if (!e->rollout.has_file)
		return;
	is_discovery =
	    e->file->shared.discovers && e->settings->shared.discovers;
	is_due = rollout_wishes_file(&e->rollout, e->node,
	    is_discovery ? e->file->shared.base_generation
			 : e->file->shared.generation,
	    is_discovery ? e->settings->shared.base_generation
			 : e->settings->shared.generation);
	if (!e->rollout.has_file)
		changes_end_proposal(e, RELOAD_DONE);
	if (!is_due)
		return;
	wish = settings_clone(e->file);
	if (wish == NULL ||
	    (wish->shared.discovers &&
		!discovery_follow(e->settings, wish, &errors))) {
		log_warnx("cannot propose the settings of %s: %s", e->path,
		    errors != NULL ? errors : "out of memory");
		settings_free(wish);
		e->rollout.has_file = false;
		changes_end_proposal(e, RELOAD_FAILED);
	} else {
		(void)wish_set(
		    &e->wish, &e->rollout, e->node, e->self, wish, true);
	}
	free(errors);
}

/* With discovery a file takes the nodes that are known. True if it is older
 * than that by which the cluster is set. */
static bool
changes_know(struct electd *e, struct read_files *files)
{
	struct settings *file = files->settings;
	bool is_older;

	if (file == NULL || files->is_document || !file->shared.discovers)
		return false;
	is_older =
	    file->shared.base_generation < e->settings->shared.base_generation;
	free(files->errors);
	files->errors = NULL;
	if (discovery_follow(e->settings, file, &files->errors))
		return is_older;
	settings_free(file);
	files->settings = NULL;
	return false;
}

/* What this host itself wants was read: a reload, or a change of the nodes. */
static void
changes_take_own(struct electd *e, struct read_files *files, enum origin origin)
{
	struct reload *reload = changes_reload(e, origin);
	bool is_older;

	if (!files->is_document && files->settings != NULL)
		e->rollout.has_file = false;
	is_older = changes_know(e, files);
	reload_judge(reload, e->settings, e->node, files);
	reload->is_older |= is_older;
	/* A node that ends changes no more; its next start does. */
	if (e->is_stopping &&
	    (reload->end == RELOAD_DONE || reload->end == RELOAD_PROPOSED))
		reload->end = RELOAD_RESTART;
	if (files->settings != NULL)
		rollout_withdraw(
		    &e->rollout, e->node, files->settings->shared.generation);
	if (reload->end == RELOAD_NOTHING &&
	    config_is_unstamped(&e->settings->shared))
		changes_hold_file(e, e->settings);
	if (reload->end == RELOAD_DONE || reload->end == RELOAD_NOTHING)
		changes_note_file(e, files);
	if (reload->end == RELOAD_DONE &&
	    reload_is_edition(e->settings, files)) {
		changes_keep(e, files, origin);
		return;
	}
	if (reload->end == RELOAD_DONE)
		(void)changes_apply(e, files, origin);
	else if (reload->end == RELOAD_PROPOSED)
		changes_propose(e, files, origin);
	changes_report(e, origin);
}

/* Judges the change of the nodes that an operator asked for, as soon as nothing
 * else is about to come into effect. */
static void
changes_take_members(struct electd *e)
{
	struct membership *members = &e->members;
	struct read_files files = {
		.is_document = true,
		.is_forced = members->is_forced,
	};
	const struct config_node *node;

	if (e->members_errors == NULL || rollout_is_busy(&e->rollout))
		return;
	files.settings = e->members_settings;
	files.errors = e->members_errors;
	e->members_settings = NULL;
	e->members_errors = NULL;
	node =
	    config_find(members->kind == MEMBER_REMOVE || files.settings == NULL
			    ? &e->settings->shared
			    : &files.settings->shared,
		members->node.id);
	if (node != NULL)
		members->node = *node;
	members->is_judged = true;
	if (e->settings->shared.generation >= members->generation) {
		members->change.end = RELOAD_NOTHING; /* others came first */
		changes_report(e, ORIGIN_MEMBERS);
	} else {
		changes_take_own(e, &files, ORIGIN_MEMBERS);
	}
	read_files_done(&files);
}

/* True if a change is on its way, by whichever way it came. */
static bool
changes_are_under_way(const struct electd *e)
{
	const struct rollout *r = &e->rollout;
	uint32_t running = e->settings->shared.generation;

	return e->members_errors != NULL ||
	       (rollout_is_busy(r) && r->next.generation > running) ||
	       (r->has_wish && r->wish.generation > running);
}

/* Nodes have come or gone: this host puts that into effect, or under quorum
 * proposes it. */
static void
changes_of_nodes(struct electd *e, struct read_files *files)
{
	if (e->settings->shared.guarantee != GUARANTEE_QUORUM) {
		changes_keep(e, files, ORIGIN_MET);
		return;
	}
	report_met(e->settings, files->settings);
	(void)wish_set(
	    &e->wish, &e->rollout, e->node, e->self, files->settings, false);
}

static void
report_gone(const struct electd *e, nsec_t now)
{
	node_id id = NODE_NONE;

	while ((id = node_forgets(e->node, now, id)) != NODE_NONE)
		log_notice("forgetting %s (id %" PRIu32 "), which is gone",
		    config_find(&e->settings->shared, id)->name, id);
}

void
changes_list(struct electd *e, nsec_t now)
{
	struct read_files files = { .is_document = true };
	const struct config_node own =
	    discovery_own(e->settings, e->own_address);

	changes_take_members(e);
	if (!e->settings->shared.discovers || e->is_ended || e->is_stopping ||
	    rollout_is_busy(&e->rollout) || changes_are_under_way(e) ||
	    !nodes_look(&e->nodes, e->node, now, &e->settings->shared, &own))
		return;
	if (e->nodes.has_gone)
		report_gone(e, now);
	files.settings =
	    discovery_list(e->settings, &e->nodes, e->node, now, &own);
	if (files.settings != NULL)
		changes_of_nodes(e, &files);
}

uint64_t
changes_ask(struct electd *e, const struct member_change *change)
{
	struct membership *members = &e->members;
	struct settings before = *e->settings;

	if (changes_are_under_way(e))
		return 0;
	/* Under quorum a file lists these nodes: this outranks it. */
	before.shared.base_generation +=
	    before.shared.discovers &&
	    before.shared.guarantee == GUARANTEE_QUORUM;
	e->members_settings =
	    settings_change_member(&before, change, &e->members_errors);
	if (e->members_errors == NULL)
		return 0;
	members->change.number++;
	members->is_judged = false;
	members->is_forced = change->is_forced;
	members->kind = change->kind;
	members->node.id = (node_id)change->id;
	members->generation = e->settings->shared.generation + 1;
	changes_take_members(e);
	return members->change.number;
}

/* No leader would grant what this host wants, and so the wish was dropped. */
static void
changes_end_wish(struct electd *e, enum change_step step)
{
	enum reload_end end =
	    step == STEP_TOO_FAR ? RELOAD_TOO_FAR : RELOAD_PROMOTES;
	uint32_t generation = e->rollout.wish.generation;

	report_refused_wish(generation, step);
	if (!e->rollout.has_file)
		changes_end_proposal(e, end);
	if (e->members.change.end == RELOAD_PROPOSED &&
	    e->members.generation == generation) {
		e->members.change.end = end;
		control_reloaded(e->control);
	}
}

/* As the leader, begins to take a step to a copy of these settings. */
static void
changes_step(struct electd *e, const struct settings *settings, uint64_t stamp)
{
	struct read_files files = { .settings = settings_clone(settings) };

	if (files.settings == NULL)
		return;
	files.settings->shared.stamp = stamp;
	changes_keep(e, &files, ORIGIN_STEP);
}

void
changes_pursue(struct electd *e)
{
	enum change_step step = STEP_READY;
	uint64_t stamp;

	if (e->is_ended || e->is_stopping)
		return;
	changes_take_incoming(e);
	changes_wish_file(e);
	switch (rollout_next(
	    &e->rollout, e->node, clock_now(), e->wish.setup, &stamp, &step)) {
	case ROLLOUT_WAIT:
		return;
	case ROLLOUT_AGAIN:
		changes_write(e, e->rollout.kind, e->next.settings);
		return;
	case ROLLOUT_RESTORE:
		changes_write(e, ROLLOUT_CURRENT, e->settings);
		return;
	case ROLLOUT_STAMP:
		changes_step(e, e->settings, stamp);
		return;
	case ROLLOUT_WISH:
		changes_step(e, e->wish.settings, stamp);
		return;
	case ROLLOUT_RESIGNED:
		report_handover_for_wish(e->rollout.wish.generation,
		    config_find(&e->wish.settings->shared, e->self) != NULL);
		break;
	case ROLLOUT_STOOD:
		break;
	case ROLLOUT_REFUSED:
		changes_end_wish(e, step);
		break;
	}
	electd_perform(e, clock_now());
}

void
changes_on_read(void *context)
{
	struct electd *e = context;
	struct read_files files;
	int error;

	if (reading_take_kept(e->reading, &error))
		changes_kept(e, error);
	while (!e->rollout.is_writing &&
	       reading_take(e->reading, &files, &e->reload.number)) {
		changes_take_own(e, &files, ORIGIN_RELOAD);
		read_files_done(&files);
	}
	changes_list(e, clock_now());
	changes_pursue(e);
	electd_set_timer(e);
}
