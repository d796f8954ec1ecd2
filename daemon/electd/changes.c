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

#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/node_setup.h"
#include "daemon/electd/reload.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

#define TEND_PAUSE (1 * SEC) /* between two looks at the list of nodes */

struct node_setup *
changes_setup(
    struct electd *e, const struct settings *settings, char **document)
{
	struct node_setup *setup = node_setup_new(settings, e->self);

	*document = NULL;
	if (setup == NULL || !settings_have_document(settings))
		return setup;
	*document = settings_document(settings, &setup->document_size);
	setup->document = (const uint8_t *)*document;
	if (*document != NULL)
		return setup;
	log_errorx("out of memory: no memory for the settings");
	node_setup_free(setup);
	return NULL;
}

/* lastwill has the addresses and times of one edition: from here to
 * helper_end_change() those of before. */
static void
changes_renew_helper(struct electd *e, const struct node_setup *setup)
{
	e->rules = node_will_rules(setup);
	helper_begin_change(e->helper, e->settings, &e->rules);
}

/* True if the settings make this node a voter, and its state file was made for
 * an observer: it may have promised something before that. */
static bool
becomes_voter(const struct electd *e, const struct settings *settings)
{
	const struct node_settings *was = settings_node(e->settings, e->self);
	const struct node_settings *is = settings_node(settings, e->self);

	return settings->guarantee == GUARANTEE_QUORUM &&
	       was->role == ROLE_OBSERVER && is->role != ROLE_OBSERVER &&
	       !store_found(e->store)->slot.is_vouched;
}

/* The helper gets other checks with its next report. */
static void
changes_renew_checks(struct electd *e, const struct settings *before)
{
	nsec_t now = electd_wake(e);

	if (settings_have_same_checks(e->settings, before))
		return;
	aside_renew(&e->aside, now, e->settings);
	electd_look_aside(e, now);
}

/* Puts other settings into effect, which go into *settings in place, since all
 * others borrow that: the node is made anew. Returns false if that fails; then
 * nothing has changed. */
static bool
changes_make(struct electd *e, struct settings *settings)
{
	char *document;
	struct node_setup *setup = changes_setup(e, settings, &document);
	struct settings before = *e->settings;
	struct node *old = e->node;
	bool lacks_state;
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
	lacks_state = becomes_voter(e, settings);
	settings->file_generation = e->settings->file_generation;
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
	if (lacks_state) {
		log_errorx(
		    "this node is a voter now, but its state file was made for an observer: it votes once electd has stopped, electd --init-state was run, and electd was started");
		node_persisted(e->node, now, false);
	}
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

	settings->stamp = before.stamp;
	settings->file_generation = before.file_generation;
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
	struct settings *own = document_combine(file, e->settings);

	if (own != NULL)
		settings_compare(e->settings, own, log_change, NULL);
	if (own == NULL || !changes_own(e, own))
		log_errorx("this host's own settings stay as they were");
	settings_free(own);
}

void
changes_set_fingerprints(
    struct electd *e, const uint8_t *key, const uint8_t *old_key)
{
	key_fingerprint(key, e->fingerprints.first);
	e->fingerprints.second[0] = '\0';
	if (old_key != NULL)
		key_fingerprint(old_key, e->fingerprints.second);
}

static void
changes_keys(struct electd *e, const struct read_files *files)
{
	const uint8_t *old_key = reload_old_key(files);
	nsec_t now = electd_wake(e);

	if (e->is_ended || node_has_keys(e->node, files->key, old_key))
		return;
	node_change_keys(e->node, now, files->key, old_key);
	changes_set_fingerprints(e, files->key, old_key);
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
 * own settings, before these are exchanged. */
static void
changes_apply(struct electd *e, struct read_files *files, enum origin origin)
{
	struct read_files keys = *files;
	struct settings wanted = *files->settings;

	keys.settings = &wanted;
	if (!(reload_is_edition(e->settings, files)
		    ? changes_make(e, files->settings)
		    : changes_own(e, files->settings)))
		reload_fail(changes_reload(e, origin));
	else if (!keys.is_document)
		changes_keys(e, &keys);
	sodium_memzero(&keys, sizeof(keys));
}

/* True if the settings give this host's node a vote, and it was discovered:
 * then it has the id of a voter by mistake. */
static bool
changes_promotes(const struct electd *e, const struct settings *settings)
{
	return e->settings->guarantee == GUARANTEE_QUORUM &&
	       settings_are_discovered(e->settings) &&
	       settings_node(settings, e->self)->role != ROLE_OBSERVER;
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

/* True if a step that we wanted to take as the leader is ours no more. */
static bool
changes_is_late(struct electd *e, const struct settings *next)
{
	const struct node_status status = node_status(e->node, clock_now());

	return status.state != STATE_LEADER || status.term != next->stamp;
}

/* Puts settings into effect that have been kept. What they have of this host's
 * own is as old as their reading, but for those of a file. */
static void
changes_put(struct electd *e, struct read_files *files, enum origin origin)
{
	const struct edition edition = settings_edition(files->settings);
	node_id giver = origin == ORIGIN_STEP ? e->self : files->giver;
	struct reload *reload = changes_reload(e, origin);

	if ((origin == ORIGIN_STEP && changes_is_late(e, files->settings)) ||
	    (origin != ORIGIN_MET &&
		edition_compare(&edition, node_edition(e->node)) <= 0)) {
		if (reload != NULL)
			reload->end = RELOAD_NOTHING;
	} else if (origin == ORIGIN_RELOAD) {
		changes_apply(e, files, origin);
	} else if (!document_adopt(files->settings, e->settings)) {
		if (reload != NULL)
			reload_fail(reload);
		else
			changes_refuse(e, files);
	} else if (reload != NULL) {
		changes_apply(e, files, origin);
	} else if (changes_make(e, files->settings)) {
		if (origin == ORIGIN_MET)
			report_met(files->settings, e->settings);
		else
			reload_report_edition(
			    files->settings, e->settings, giver);
	} else {
		changes_refuse(e, files);
	}
}

/* What is to come into effect has been kept, or, with an error, has not. Under
 * component it comes into effect all the same. */
static void
changes_kept(struct electd *e, int error)
{
	struct read_files files = e->rollout.next;
	enum origin origin = e->rollout.origin;
	struct reload *reload = changes_reload(e, origin);

	e->rollout.next = (struct read_files){ .settings = NULL };
	if (error != 0)
		report_not_kept(e->settings, error);
	if (e->is_stopping && reload != NULL)
		reload->end = RELOAD_RESTART; /* the next start uses it */
	else if (!e->is_stopping &&
		 (error == 0 || e->settings->guarantee != GUARANTEE_QUORUM))
		changes_put(e, &files, origin);
	changes_report(e, origin);
	read_files_done(&files);
}

/* Keeps the settings, which are taken; they come into effect after that. */
static void
changes_keep(struct electd *e, struct read_files *files, enum origin origin)
{
	size_t size = 0;
	char *document = settings_document(files->settings, &size);
	bool is_begun;

	assert(e->rollout.next.settings == NULL);
	e->rollout.next = *files;
	e->rollout.origin = origin;
	*files = (struct read_files){ .settings = NULL };
	is_begun = document != NULL &&
		   reading_keep(e->reading, document, size, e->settings);
	free(document);
	if (!is_begun)
		changes_kept(e, -ENOMEM);
}

/* Another node's document was read. A later one may be in effect by now. */
static void
changes_take_document(struct electd *e, struct read_files *files)
{
	bool is_proposal = e->settings->guarantee == GUARANTEE_QUORUM &&
			   files->edition.stamp == 0;
	struct settings **proposed =
	    files->is_removed ? &files->others : &files->settings;

	if (e->is_stopping)
		return;
	if (is_proposal && *proposed != NULL) {
		rollout_wish(&e->rollout, e->node, e->self, *proposed, false);
		*proposed = NULL;
	} else if (files->settings == NULL ||
		   changes_promotes(e, files->settings)) {
		changes_refuse(e, files);
	} else if (edition_compare(&files->edition, node_edition(e->node)) >
		   0) {
		changes_keep(e, files, ORIGIN_PEER);
	}
}

/* What this host itself wants was read, and is not refused. */
static void
changes_note_file(struct electd *e, const struct read_files *files)
{
	if (!files->is_document)
		e->settings->file_generation = files->settings->file_generation;
}

/* Under quorum: proposes what this host itself wants. The keys are its own. */
static void
changes_propose(struct electd *e, struct read_files *files, enum origin origin)
{
	struct reload *reload = changes_reload(e, origin);
	nsec_t now = electd_wake(e);
	struct node_setup *setup;
	enum change_step step = STEP_NOT_OURS;
	uint64_t stamp;

	if (e->is_ended)
		return;
	setup = node_setup_new(files->settings, e->self);
	if (setup != NULL)
		step = node_step(e->node, now, setup, &stamp);
	node_setup_free(setup);
	if (step == STEP_TOO_FAR)
		reload->end = RELOAD_TOO_FAR;
	else if (step == STEP_PROMOTES)
		reload->end = RELOAD_PROMOTES;
	if (reload->end != RELOAD_PROPOSED)
		return;
	changes_note_file(e, files);
	if (!files->is_document) {
		changes_keys(e, files);
		changes_take_host(e, files->settings);
	}
	if (origin == ORIGIN_RELOAD)
		e->file = document_copy(files->settings);
	if (!rollout_wish(&e->rollout, e->node, e->self, files->settings, true))
		reload->end = RELOAD_FAILED;
	files->settings = NULL;
}

/* Forgets what the file wanted. */
static void
changes_drop_file(struct electd *e)
{
	settings_free(e->file);
	e->file = NULL;
}

/* True if the file wants what the cluster has, or less. */
static bool
changes_have_file(const struct electd *e)
{
	return e->file->discovery.is_on && e->settings->discovery.is_on
		   ? e->file->base_generation <= e->settings->base_generation
		   : e->file->generation <= e->settings->generation;
}

/* Under quorum: wishes what the file wants until that is in effect, also after
 * nodes that were discovered came first. */
static void
changes_wish_file(struct electd *e)
{
	struct settings *wish;
	char *errors = NULL;

	if (e->file == NULL || e->rollout.wish.bytes != NULL)
		return;
	if (changes_have_file(e)) {
		changes_drop_file(e);
		return;
	}
	wish = document_copy(e->file);
	if (wish == NULL ||
	    (wish->discovery.is_on &&
		!discovery_follow(e->settings, wish, &errors))) {
		log_warnx("cannot propose the settings of %s: %s", e->path,
		    errors != NULL ? errors : "out of memory");
		settings_free(wish);
		changes_drop_file(e);
	} else {
		rollout_wish(&e->rollout, e->node, e->self, wish, true);
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

	if (file == NULL || files->is_document || !file->discovery.is_on)
		return false;
	is_older = file->base_generation < e->settings->base_generation;
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
		changes_drop_file(e);
	is_older = changes_know(e, files);
	reload_judge(reload, e->settings, e->node, files);
	reload->is_older |= is_older;
	/* A node that ends changes no more; its next start does. */
	if (e->is_stopping &&
	    (reload->end == RELOAD_DONE || reload->end == RELOAD_PROPOSED))
		reload->end = RELOAD_RESTART;
	if (files->settings != NULL)
		rollout_withdraw(
		    &e->rollout, e->node, files->settings->generation);
	if (reload->end == RELOAD_DONE || reload->end == RELOAD_NOTHING)
		changes_note_file(e, files);
	if (reload->end == RELOAD_DONE &&
	    reload_is_edition(e->settings, files)) {
		changes_keep(e, files, origin);
		return;
	}
	if (reload->end == RELOAD_DONE)
		changes_apply(e, files, origin);
	else if (reload->end == RELOAD_PROPOSED)
		changes_propose(e, files, origin);
	changes_report(e, origin);
}

/* Judges the change of the nodes that an operator asked for, as soon as nothing
 * else is about to come into effect. */
static void
changes_take_members(struct electd *e)
{
	struct read_files files = { .is_document = true };
	struct membership *members = &e->members;
	const struct node_settings *node;

	if (e->members_text == NULL || e->rollout.next.settings != NULL)
		return;
	files.settings = document_join(e->settings, e->members_text,
	    e->members_size, "the changed settings", &files.errors);
	free(e->members_text);
	e->members_text = NULL;
	node = settings_node(
	    members->kind == MEMBER_REMOVE || files.settings == NULL
		? e->settings
		: files.settings,
	    members->node.id);
	if (node != NULL)
		members->node = *node;
	members->is_judged = true;
	if (e->settings->generation >= members->generation) {
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
	uint32_t running = e->settings->generation;

	return e->members_text != NULL ||
	       (r->next.settings != NULL &&
		   r->next.settings->generation > running) ||
	       (r->wish.bytes != NULL && r->wish.edition.generation > running);
}

void
changes_meet(struct electd *e, const struct newcomer *newcomer)
{
	struct acquaintance *a;
	char text[ADDRESS_TEXT_MAX];

	for (unsigned i = 0; i < e->met_count; i++) {
		if (e->met[i].node.id == newcomer->id)
			return; /* this one may be a copy */
	}
	if (e->met_count == MET_MAX)
		return;
	a = &e->met[e->met_count++];
	a->node = *newcomer;
	snprintf(
	    a->address, sizeof(a->address), "%s", udp_sender(e->udp, text));
}

/* Nodes have come or gone: this host puts that into effect, or under quorum
 * proposes it. */
static void
changes_of_nodes(struct electd *e, struct read_files *files)
{
	if (e->settings->guarantee != GUARANTEE_QUORUM) {
		changes_keep(e, files, ORIGIN_MET);
		return;
	}
	report_met(e->settings, files->settings);
	rollout_wish(&e->rollout, e->node, e->self, files->settings, false);
}

void
changes_admit(struct electd *e)
{
	struct read_files files = { .is_document = true };

	if (e->met_count == 0 || e->is_ended || e->is_stopping ||
	    e->rollout.next.settings != NULL || changes_are_under_way(e))
		return;
	files.settings = discovery_admit(e->settings, e->met, e->met_count);
	e->met_count = 0;
	if (files.settings != NULL)
		changes_of_nodes(e, &files);
}

void
changes_tend_nodes(struct electd *e, nsec_t now)
{
	struct read_files files = { .is_document = true };
	const char *gone = NULL;
	node_id id;

	if (!e->settings->discovery.is_on || now < e->tend_at || e->is_ended ||
	    e->is_stopping || e->rollout.next.settings != NULL ||
	    changes_are_under_way(e))
		return;
	e->tend_at = nsec_after(now, TEND_PAUSE);
	id = node_forgets(e->node, now);
	if (id != NODE_NONE) {
		gone = settings_node(e->settings, id)->name;
		files.settings = discovery_without(e->settings, id);
	} else if (node_status(e->node, now).leader != NODE_NONE &&
		   !node_status(e->node, now).is_mixed) {
		files.settings =
		    discovery_renew_self(e->settings, e->own_address);
	}
	if (files.settings == NULL)
		return;
	if (gone != NULL)
		log_notice(
		    "forgetting %s (id %" PRIu32 "), which is gone", gone, id);
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
	before.base_generation +=
	    before.discovery.is_on && before.guarantee == GUARANTEE_QUORUM;
	e->members_text =
	    settings_change_member(&before, change, &e->members_size);
	if (e->members_text == NULL)
		return 0;
	members->change.number++;
	members->is_judged = false;
	members->kind = change->kind;
	members->node.id = (node_id)change->id;
	members->generation = e->settings->generation + 1;
	changes_take_members(e);
	return members->change.number;
}

/* No leader would grant what this host wants. */
static void
changes_refuse_wish(struct electd *e, enum change_step step)
{
	const struct edition edition = e->rollout.wish.edition;

	log_warnx("cannot put the settings of generation %" PRIu32
		  " into effect: %s; nothing has changed",
	    edition.generation,
	    step == STEP_TOO_FAR
		? "more than one voter comes, goes or changes compared with the settings in effect"
		: "an observer cannot become a voter");
	if (e->rollout.is_own)
		changes_drop_file(e);
	rollout_forget(&e->rollout, e->node);
	node_refuse(e->node, clock_now(), &edition);
	if (e->members.change.end == RELOAD_PROPOSED &&
	    e->members.generation == edition.generation) {
		e->members.change.end =
		    step == STEP_TOO_FAR ? RELOAD_TOO_FAR : RELOAD_PROMOTES;
		control_reloaded(e->control);
	}
}

/* We lead, and may not by the settings that are wished. As long as this node
 * cannot resign it leads on, and tries again. */
static void
changes_resign(struct electd *e)
{
	const struct rollout *r = &e->rollout;
	bool is_named = settings_node(r->wished, e->self) != NULL;

	e->rollout.has_resigned =
	    node_resign(e->node, electd_wake(e), NODE_NONE) == RESIGN_BEGUN;
	if (r->has_resigned && is_named)
		log_notice("handing over: the settings of generation %" PRIu32
			   ", which are proposed, do not let this node lead",
		    r->wish.edition.generation);
	else if (r->has_resigned)
		log_notice("handing over: the settings of generation %" PRIu32
			   ", which are proposed, do not name this node",
		    r->wish.edition.generation);
}

void
changes_pursue(struct electd *e)
{
	struct read_files files = { .edition.stamp = 0 };
	enum change_step step = STEP_READY;
	nsec_t now;

	if (e->is_ended || e->is_stopping ||
	    e->settings->guarantee != GUARANTEE_QUORUM)
		return;
	changes_wish_file(e);
	now = clock_now();
	switch (rollout_pursue(
	    &e->rollout, e->node, now, e->settings, &files.settings, &step)) {
	case ROLLOUT_WAIT:
		return;
	case ROLLOUT_STEP:
		changes_keep(e, &files, ORIGIN_STEP);
		return;
	case ROLLOUT_RESIGN:
		changes_resign(e);
		break;
	case ROLLOUT_STAND:
		node_stand(e->node, electd_wake(e));
		break;
	case ROLLOUT_REFUSE:
		changes_refuse_wish(e, step);
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
	while (e->rollout.next.settings == NULL &&
	       reading_take(e->reading, &files, &e->reload.number)) {
		if (files.is_document)
			changes_take_document(e, &files);
		else
			changes_take_own(e, &files, ORIGIN_RELOAD);
		read_files_done(&files);
	}
	changes_take_members(e);
	changes_admit(e);
	changes_pursue(e);
	electd_set_timer(e);
}
