/* SPDX-License-Identifier: ISC */
/* Puts other settings into effect while the daemon runs. */
#include <stdlib.h>

#include "daemon/electd/change/node_setup.h"
#include "daemon/electd/change/reload.h"
#include "daemon/electd/electd_inside.h"
#include "daemon/state/store_start.h"

/* lastwill has the addresses and times of one configuration: until
 * helper_end_change() those of the configuration before. */
static void
renew_helper(struct electd *e, const struct node_setup *setup)
{
	e->rules = node_will_rules(setup);
	helper_begin_change(e->helper, e->settings, &e->rules);
}

/* How far a node of these settings may trust its state file. Its start did not
 * judge that of an observer. */
static enum state_health
health_of(const struct electd *e, const struct settings *settings)
{
	const struct config_node *was =
	    config_find(&e->settings->shared, e->self);
	const struct config_node *is = config_find(&settings->shared, e->self);

	return settings->shared.guarantee == GUARANTEE_QUORUM &&
		       was->role == ROLE_OBSERVER && is->role != ROLE_OBSERVER
		   ? store_judge(settings, e->state.store)
		   : STATE_HEALTH_SOUND;
}

/* The checker gets other checks with its next report. */
static void
renew_checks(struct electd *e, const struct settings *before)
{
	nsec_t now = electd_wake(e);

	if (settings_have_same_checks(e->settings, before))
		return;
	health_renew(&e->health, now, e->settings);
	electd_look_at_health(e, now);
}

bool
effect_config(struct electd *e, struct settings *settings)
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
		node_tell_removed(old, now, setup);
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
	setup->state_health = health_of(e, settings);
	settings->file_config_version = e->settings->file_config_version;
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
	renew_helper(e, setup);
	node_setup_free(setup);
	/* The notices are about nodes that the settings before still name. */
	e->reporter.settings = settings;
	electd_perform(e, now);
	if (!e->is_ended)
		helper_end_change(e->helper);
	e->reporter.settings = e->settings;
	renew_checks(e, settings);
	return true;
}

bool
effect_own(struct electd *e, struct settings *settings)
{
	struct settings before = *e->settings;

	settings->shared.config_term = before.shared.config_term;
	settings->file_config_version = before.file_config_version;
	settings_remember(settings, &before);
	if (!udp_change(e->udp, settings))
		return false;
	*e->settings = *settings;
	*settings = before;
	renew_checks(e, settings);
	return true;
}

void
effect_keys(struct electd *e, const struct read_files *files)
{
	nsec_t now = electd_wake(e);

	if (e->is_ended || node_has_keys(e->node, &files->keys))
		return;
	node_change_keys(e->node, now, &files->keys);
	electd_set_fingerprints(e, &files->keys);
	electd_perform(e, now);
}
