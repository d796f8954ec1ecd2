/* SPDX-License-Identifier: ISC */
/*
 * Changes of the settings while the daemon runs: what the host decides
 * (common/host/proposal.h and rollout.h) is done here, as chains of calls:
 *
 * The host whose file was changed
 *   verb_reload() -> on_begin() of view.c -> change_worker_read()
 *   -> changes_on_read() -> take_wanted() -> reload_judge() -> proposal_judge()
 *   -> take_host(): what is this host's own is in effect at once
 *   -> propose() -> rollout_propose()
 *   component: -> changes_pursue() -> rollout_next() -> a write
 *   quorum: -> node_propose(); configs_write() tells the leader
 * A change of a node by an operator begins at changes_ask() -> take_wanted();
 * nodes that were met, are gone or moved begin at changes_list() -> propose().
 *
 * The leader, under quorum
 *   configs_take_advert() asks for the document; each piece: document_take()
 *   -> changes_pursue(), once it is whole -> take_incoming()
 *   -> rollout_offer(): PROPOSAL -> propose() -> rollout_propose()
 *   -> changes_pursue() -> rollout_next() -> node_step(): READY -> a write
 *
 * Each other host
 *   as the leader, but -> rollout_offer(): KEEP -> a write
 *
 * A write, at each of them
 *   begin_write() -> change_worker_keep() -> changes_on_read() -> end_write()
 *   -> rollout_kept(): APPLY -> put() -> effect_config() -> node_change()
 *
 * The answer to the operator
 *   tell_ends() -> control_operation_ended() -> on_has_ended() of view.c
 *   -> reload_is_done()
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/reload.h"
#include "daemon/electd/electd_inside.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

static void
log_change(void *context, enum change change, const char *setting)
{
	(void)context;
	(void)change;
	log_notice("changed: %s", setting);
}

/* How what an operator asked for ends. */
static struct reload *
asked(struct changes *c, enum rollout_origin origin)
{
	return origin == ORIGIN_FILE ? &c->reload : &c->members.change;
}

/* Logs how that was judged, or has ended, and answers those who wait for it. */
static void
tell(struct electd *e, enum rollout_origin origin)
{
	struct changes *c = &e->changes;

	if (proposal_waits(&c->rollout, origin))
		return;
	if (origin == ORIGIN_FILE)
		reload_report(&c->reload, c->path);
	else
		reload_report_members(&c->members.change);
	control_operation_ended(e->control);
}

/* What an operator asked for may have ended. */
static void
tell_ends(struct electd *e)
{
	struct changes *c = &e->changes;

	for (enum rollout_origin o = 0; o < ORIGINS_ASKED; o++) {
		struct reload *r = asked(c, o);

		if (r->end == c->rollout.ends[o])
			continue;
		r->end = c->rollout.ends[o];
		if (r->end == PROPOSAL_FAILED)
			reload_fail(r);
		if (c->rollout.is_quorum)
			control_operation_ended(e->control);
		else
			tell(e, o);
	}
}

/* Another node's document cannot be put into effect. */
static void
refuse(struct electd *e, node_id giver, const struct config_id *config_id,
    bool is_removed, const char *why)
{
	nsec_t now = electd_wake(e);

	if (e->is_ended)
		return;
	report_refusal(e->settings, giver, config_id, is_removed, why);
	node_refuse(e->node, now, config_id);
	electd_perform(e, now);
}

/* Puts the settings into effect that the disk has now. What they have of this
 * host's own is as old as their reading. */
static void
put(struct electd *e)
{
	struct changes *c = &e->changes;
	struct settings *next = c->next;
	enum rollout_origin origin = c->rollout.origin;
	struct config_id refused;
	node_id giver = origin == ORIGIN_PEER ? c->giver : e->self;

	c->next = NULL;
	if (!document_adopt(next, e->settings) || !effect_config(e, next)) {
		refused = rollout_refused(&c->rollout, e->node);
		if (origin >= ORIGINS_ASKED)
			refuse(e, giver, &refused, false, RELOAD_FAILURE);
	} else if (origin == ORIGIN_NODES) {
		report_met(next, e->settings);
	} else if (origin >= ORIGINS_ASKED) {
		reload_report_config(next, e->settings, giver);
	}
	settings_free(next);
}

/* Logs that a write has failed, and that a later one has not. */
static void
report_kept(struct electd *e, int error)
{
	struct changes *c = &e->changes;
	const struct config_id is = c->rollout.origin == ORIGIN_DISK
					? config_identify(&e->settings->shared)
					: c->rollout.next;

	if (error != 0 && error != c->keep_error)
		report_not_kept(e->settings, &is, error);
	else if (error == 0 && c->keep_error != 0)
		report_kept_again(e->settings, &is);
	c->keep_error = error;
}

/* A write has ended: error is 0, or a negative errno. */
static void
end_write(struct electd *e, int error)
{
	struct changes *c = &e->changes;

	report_kept(e, error);
	switch (
	    rollout_kept(&c->rollout, e->node, electd_wake(e), error == 0)) {
	case ROLLOUT_APPLY:
		put(e);
		break;
	case ROLLOUT_DROP:
		settings_free(c->next);
		c->next = NULL;
		break;
	case ROLLOUT_RETAIN:
	case ROLLOUT_KEPT:
		break;
	}
	control_operation_ended(e->control);
	tell_ends(e);
}

/* Begins to write settings. */
static void
begin_write(struct electd *e, enum rollout_origin origin,
    const struct settings *settings)
{
	struct changes *c = &e->changes;
	const struct config_id config_id = config_identify(&settings->shared);
	size_t size = 0;
	uint8_t *document = settings_document(settings, &size);
	bool is_begun = document != NULL && change_worker_keep(c->worker,
						document, size, e->settings);

	free(document);
	rollout_keep(&c->rollout, origin, &config_id);
	if (!is_begun)
		end_write(e, -ENOMEM);
}

/* Begins to write settings that are to come into effect, which are taken. */
static void
keep(struct electd *e, enum rollout_origin origin, struct settings *settings)
{
	settings_free(e->changes.next);
	e->changes.next = settings;
	begin_write(e, origin, settings);
}

/* Proposes settings, which are taken. */
static void
propose(struct electd *e, enum rollout_origin origin, struct settings *settings)
{
	struct changes *c = &e->changes;

	if (!host_proposal_set(&c->host_proposal, &c->rollout, e->node, e->self,
		origin, settings))
		rollout_give_up(&c->rollout, origin);
}

/* Puts into effect what a file says of this host alone, which waits for
 * nobody. */
static void
take_host(struct electd *e, struct read_files *files, bool is_later_config)
{
	struct settings *own =
	    is_later_config
		? settings_with(files->settings, &e->settings->shared)
		: settings_clone(files->settings);

	if (own != NULL && is_later_config)
		settings_compare(e->settings, own, log_change, NULL);
	if (own != NULL && effect_own(e, own))
		effect_keys(e, files);
	else if (is_later_config)
		log_errorx("this host's own settings stay as they were");
	else
		e->changes.rollout.ends[ORIGIN_FILE] = PROPOSAL_FAILED;
	settings_free(own);
}

/* A file was read that is not refused. */
static void
take_file(struct electd *e, struct read_files *files)
{
	struct changes *c = &e->changes;
	enum proposal_end end = c->reload.end;

	e->settings->file_config_version = files->settings->file_config_version;
	if (end != PROPOSAL_NOTHING)
		take_host(e, files, end == PROPOSAL_PROPOSED);
	if (!c->rollout.has_file)
		return;
	settings_free(c->file);
	c->file = settings_clone(files->settings);
	if (c->file == NULL)
		rollout_give_up(&c->rollout, ORIGIN_FILE);
}

/* With discovery a file takes the nodes that are known. */
static void
know(const struct settings *running, struct read_files *files)
{
	if (files->settings == NULL)
		return;
	free(files->errors);
	files->errors = NULL;
	if (discovery_follow(running, files->settings, &files->errors))
		return;
	settings_free(files->settings);
	files->settings = NULL;
}

/* Judges what this host itself wants, and begins with it. */
static void
take_wanted(struct electd *e, struct read_files *files)
{
	struct changes *c = &e->changes;
	enum rollout_origin origin = files->origin;
	struct reload *reload = asked(c, origin);

	if (origin == ORIGIN_FILE)
		know(e->settings, files);
	reload_judge(
	    reload, &c->rollout, e->settings, e->node, electd_wake(e), files);
	if (origin == ORIGIN_FILE && reload->end <= PROPOSAL_PROPOSED)
		take_file(e, files);
	if (c->rollout.ends[origin] == PROPOSAL_PROPOSED) {
		propose(e, origin, files->settings);
		files->settings = NULL;
	}
	reload->end = c->rollout.ends[origin];
	if (reload->end == PROPOSAL_FAILED)
		reload_fail(reload);
	tell(e, origin);
}

/* The settings of the file that the host holds, as they follow from those in
 * effect: nodes that were discovered came first, or earlier settings of the
 * cluster took the place of the file. NULL, after logging why. */
static struct settings *
follow_file(struct electd *e)
{
	struct settings *file = settings_clone(e->changes.file);
	char *errors = NULL;
	const char *why;

	if (file != NULL && discovery_follow(e->settings, file, &errors))
		return file;
	why = errors != NULL ? errors : "out of memory";
	log_warnx("cannot propose the settings of %s: %.*s", e->changes.path,
	    (int)strcspn(why, "\n"), why);
	free(errors);
	settings_free(file);
	return NULL;
}

/* Under quorum: proposes what the file wants until the cluster has it. */
static void
propose_file(struct electd *e)
{
	struct changes *c = &e->changes;
	struct settings *settings;

	if (!c->rollout.has_file || !rollout_look_at_file(&c->rollout, e->node,
					c->file->shared.config_version,
					e->settings->shared.config_version))
		return;
	settings = follow_file(e);
	if (settings != NULL)
		propose(e, ORIGIN_FILE, settings);
	else
		rollout_give_up(&c->rollout, ORIGIN_FILE);
}

/* Does what follows from another node's document, whose settings are taken;
 * `why` says what keeps them from being in effect here. */
static void
take_offer(struct electd *e, const struct document *d, enum offered offered,
    bool is_removed, struct settings *settings, const char *why)
{
	struct changes *c = &e->changes;

	switch (rollout_offer(
	    &c->rollout, e->node, electd_wake(e), &d->config_id, offered)) {
	case OFFER_IGNORE:
		break;
	case OFFER_KEEP:
		c->giver = d->giver;
		keep(e, ORIGIN_PEER, settings);
		return;
	case OFFER_PROPOSAL:
		propose(e, ORIGIN_PEER, settings);
		return;
	case OFFER_REFUSE:
		refuse(e, d->giver, &d->config_id, is_removed, why);
		break;
	}
	settings_free(settings);
}

/* Takes a document that is whole, unless another is being written. */
static void
take_incoming(struct electd *e)
{
	struct document d = e->changes.incoming;
	enum offered offered = OFFERED_RIGHT;
	struct settings *read = NULL;
	char *errors = NULL;
	enum document_fit fit;

	if (d.bytes == NULL || d.size < d.whole ||
	    e->changes.rollout.is_writing)
		return;
	e->changes.incoming = (struct document){ .bytes = NULL };
	fit = document_read(&d, e->settings, &read, &errors);
	if (fit == DOCUMENT_WRONG)
		offered = OFFERED_WRONG;
	else if (fit == DOCUMENT_REMOVED ||
		 nodes_usurp(&e->settings->shared, &read->shared, e->self))
		offered = OFFERED_WITHOUT_US;
	take_offer(e, &d, offered, fit == DOCUMENT_REMOVED, read,
	    fit != DOCUMENT_FITS
		? errors
		: "this host was discovered, and its id is that of a voter: give it another");
	free(errors);
	document_done(&d);
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
	struct changes *c = &e->changes;
	const struct config *running = &e->settings->shared;
	const struct config_node own =
	    discovery_own(e->settings, c->own_address);
	struct settings *list;

	if (!running->discovers || e->is_ended || e->is_stopping ||
	    !rollout_is_idle(&c->rollout, e->node) ||
	    !nodes_look(&c->nodes, e->node, now, running, &own))
		return;
	if (c->nodes.has_gone)
		report_gone(e, now);
	list = discovery_list(e->settings, &c->nodes, e->node, now, &own);
	if (list == NULL)
		return;
	if (c->rollout.is_quorum)
		report_met(e->settings, list);
	propose(e, ORIGIN_NODES, list);
}

uint64_t
changes_ask(struct electd *e, const struct member_change *change)
{
	struct changes *c = &e->changes;
	struct membership *members = &c->members;
	struct read_files files = {
		.origin = ORIGIN_MEMBERS,
		.is_forced = change->is_forced,
	};
	const struct config_node *node;

	if (rollout_is_under_way(&c->rollout, e->node))
		return 0;
	files.settings =
	    settings_change_member(e->settings, change, &files.errors);
	members->change.number++;
	members->kind = change->kind;
	members->node.id = (node_id)change->id;
	members->becomes = config_numbers(
	    &(files.settings != NULL ? files.settings : e->settings)->shared);
	node =
	    config_find(change->kind == MEMBER_REMOVE || files.settings == NULL
			    ? &e->settings->shared
			    : &files.settings->shared,
		members->node.id);
	if (node != NULL)
		members->node = *node;
	take_wanted(e, &files);
	read_files_done(&files);
	changes_pursue(e);
	return members->change.number;
}

/* The settings that are to be written. NULL without memory. */
static struct settings *
settings_to_write(const struct electd *e, const struct rollout_todo *todo)
{
	struct settings *s = settings_clone(
	    todo->which == ROLLOUT_PROPOSED ? e->changes.host_proposal.settings
					    : e->settings);

	if (s != NULL && todo->config_term != 0)
		s->shared.config_term = todo->config_term;
	return s;
}

static void
write_settings(struct electd *e, const struct rollout_todo *todo)
{
	struct changes *c = &e->changes;
	struct settings *settings;

	if (todo->which == ROLLOUT_NEXT) {
		begin_write(e, todo->origin, c->next);
		return;
	}
	if (todo->origin == ORIGIN_DISK) {
		begin_write(e, todo->origin, e->settings);
		return;
	}
	settings = settings_to_write(e, todo);
	if (settings != NULL)
		keep(e, todo->origin, settings);
	else
		rollout_give_up(&c->rollout, todo->origin);
}

void
changes_pursue(struct electd *e)
{
	struct changes *c = &e->changes;
	struct rollout_todo todo;

	if (e->is_ended || e->is_stopping)
		return;
	take_incoming(e);
	propose_file(e);
	todo = rollout_next(
	    &c->rollout, e->node, clock_now(), c->host_proposal.setup);
	switch (todo.act) {
	case ROLLOUT_WAIT:
		break;
	case ROLLOUT_WRITE:
		write_settings(e, &todo);
		break;
	case ROLLOUT_RESIGNED:
		report_handover_for_proposal(&c->rollout.proposal,
		    config_find(&c->host_proposal.settings->shared, e->self) !=
			NULL);
		electd_perform(e, clock_now());
		break;
	case ROLLOUT_REFUSED:
		report_refused_proposal(&c->rollout.proposal, todo.step);
		electd_perform(e, clock_now());
		break;
	case ROLLOUT_STOOD:
		electd_perform(e, clock_now());
		break;
	}
	tell_ends(e);
}

void
changes_on_read(void *context)
{
	struct electd *e = context;
	struct changes *c = &e->changes;
	struct read_files files;
	int error;

	if (change_worker_take_kept(c->worker, &error))
		end_write(e, error);
	changes_pursue(e);
	while (!c->rollout.is_writing &&
	       change_worker_take_read(c->worker, &files, &c->reload.number)) {
		take_wanted(e, &files);
		read_files_done(&files);
		changes_pursue(e);
	}
	changes_list(e, clock_now());
	changes_pursue(e);
	electd_set_timer(e);
}

bool
changes_begin(struct electd *e, node_id id, struct settings *file)
{
	struct changes *c = &e->changes;

	c->rollout.is_quorum =
	    e->settings->shared.guarantee == GUARANTEE_QUORUM;
	c->rollout.has_file = file != NULL;
	c->file = file;
	snprintf(c->own_address, sizeof(c->own_address), "%s",
	    config_find(&e->settings->shared, e->self)->address);
	c->worker = change_worker_new(c->path, id, e->self);
	return c->worker != NULL;
}

void
changes_end(struct changes *c)
{
	change_worker_free(c->worker);
	reload_done(&c->reload);
	reload_done(&c->members.change);
	settings_free(c->next);
	settings_free(c->file);
	document_done(&c->incoming);
	host_proposal_done(&c->host_proposal);
}
