/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/reload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"
#include "daemon/electd/tell/report_words.h"
#include "daemon/system/log.h"

#define LINES_MAX 64 /* of an answer and the log: any number of dozens does */

/* Settings that differ, of which some are written. */
struct comparison {
	unsigned needs;    /* bits, as in struct proposal, so far */
	bool is_later;     /* the file has a later config version, and a
			    * document: it may change what all hosts share */
	enum change least; /* write only those that need this, or more */
	unsigned count;    /* of those that are written */
	FILE *to;
};

static void
on_judge(void *context, enum change change, const char *setting)
{
	struct comparison *c = context;

	(void)setting;
	c->needs |= 1u << change;
}

static void
write_line(struct comparison *c, const char *line)
{
	if (++c->count <= LINES_MAX)
		fprintf(c->to, "%s\n", line);
}

static void
on_write(void *context, enum change change, const char *setting)
{
	struct comparison *c = context;

	if (c->is_later && change == CHANGE_CLUSTER)
		change = CHANGE_NOW;
	if (change >= c->least)
		write_line(c, setting);
}

/* Writes that the keys have changed, and which peers lack `key`, with which
 * this host sends now: after the next restart they take nothing from it. */
static void
write_keys(struct comparison *c, const struct settings *running,
    const struct node *node, const uint8_t *key)
{
	const char *before = "; the first key is unknown to ";

	if (++c->count > LINES_MAX)
		return;
	fputs("the keys in the key files", c->to);
	for (unsigned i = 0; i + 1 < running->shared.nodes_count; i++) {
		node_id id = node_peer_status(node, i).id;

		if (!node_peer_lacks_key(node, i, key))
			continue;
		fprintf(c->to, "%s%s", before,
		    config_find(&running->shared, id)->name);
		before = ", ";
	}
	fputc('\n', c->to);
}

/* Writes what is in effect now, or what keeps it from that, one a line. `key`
 * is the one to send with, if the keys are others; else NULL. NULL without
 * memory. */
static char *
changes_text(const struct settings *running, const struct settings *wanted,
    bool is_later, enum proposal_end end, const struct node *node,
    const uint8_t *key)
{
	struct comparison c = {
		.least = end == PROPOSAL_DONE || end == PROPOSAL_PROPOSED
			     ? CHANGE_NOW
			     : CHANGE_RESTART,
		.is_later = is_later,
	};
	char *text = NULL;
	size_t size;

	c.to = open_memstream(&text, &size);
	if (c.to == NULL)
		return NULL;
	settings_compare(running, wanted, on_write, &c);
	if (key != NULL && (end == PROPOSAL_DONE || end == PROPOSAL_PROPOSED))
		write_keys(&c, running, node, key);
	if (c.count > LINES_MAX)
		fprintf(c.to, "and %u more\n", c.count - LINES_MAX);
	fclose(c.to);
	return text;
}

/* Copies the first lines. NULL without memory. */
static char *
first_lines(const char *text)
{
	const char *end = text;

	for (unsigned i = 0; i < LINES_MAX && *end != '\0'; i++) {
		end += strcspn(end, "\n");
		end += *end == '\n';
	}
	return strndup(text, (size_t)(end - text));
}

static char *
jump_text(const struct settings *running, const struct settings *wanted)
{
	char *text = NULL;

	if (asprintf(&text,
		"config_version: %" PRIu32
		" is more than %d above the one in effect, %" PRIu32
		", and it can never go down again; give the next one\n",
		wanted->shared.config_version, CONFIG_VERSION_STEP_MAX,
		running->shared.config_version) < 0)
		return NULL;
	return text;
}

/* The settings add this voter, which this node does not hear. */
static char *
unheard_text(const struct settings *wanted, node_id id)
{
	const struct config_node *node = config_find(&wanted->shared, id);
	char *text = NULL;

	if (asprintf(&text, "this node does not hear %s (%" PRIu32 ")\n",
		node->name, id) < 0)
		return NULL;
	return text;
}

/* Fills in what is wrong with the files, or with their config version. */
static void
say_wrong(struct reload *reload, const struct settings *running,
    const struct read_files *files)
{
	const char *errors =
	    files->errors != NULL ? files->errors : "out of memory\n";

	reload->lines = files->settings != NULL
			    ? jump_text(running, files->settings)
			    : first_lines(errors);
}

/* Replaces what hosts share in settings that are older by that of `running`.
 * True if it did. */
static bool
outrank(const struct settings *running, struct settings *wanted)
{
	return config_has_document(&running->shared) &&
	       config_has_document(&wanted->shared) &&
	       wanted->shared.config_version < running->shared.config_version &&
	       document_outrank(wanted, running);
}

/* True if a file was read, with other keys than the node has. */
static bool
has_new_keys(const struct node *node, const struct read_files *files)
{
	return files->origin == ORIGIN_FILE &&
	       !node_has_keys(node, &files->keys);
}

/* What is known of settings that were read. */
static struct proposal
proposal_of(const struct settings *running, const struct node *node,
    const struct read_files *files)
{
	const struct settings *wanted = files->settings;
	struct comparison c = { .needs = 0 };

	if (has_new_keys(node, files))
		c.needs |= 1u << CHANGE_NOW;
	settings_compare(running, wanted, on_judge, &c);
	return (struct proposal){
		.origin = files->origin,
		.has_document = config_has_document(&running->shared) &&
				config_has_document(&wanted->shared),
		.running = config_numbers(&running->shared),
		.wanted = config_numbers(&wanted->shared),
		.changes = c.needs,
		.is_forced = files->is_forced,
	};
}

void
reload_judge(struct reload *reload, struct rollout *rollout,
    const struct settings *running, struct node *node, nsec_t now,
    const struct read_files *files)
{
	struct proposal p = {
		.origin = files->origin,
		.is_wrong = true,
	};
	struct node_setup *setup = NULL;

	reload_done(reload);
	reload->is_older =
	    files->settings != NULL && outrank(running, files->settings);
	if (files->settings != NULL) {
		p = proposal_of(running, node, files);
		p.setup = setup = node_setup_new(files->settings, running->id);
	}
	reload->end = proposal_judge(rollout, node, now, &p);
	if (reload->end == PROPOSAL_WRONG)
		say_wrong(reload, running, files);
	else if (reload->end == PROPOSAL_UNHEARD)
		reload->lines = unheard_text(
		    files->settings, node_awaits(node, now, setup));
	else
		reload->lines = changes_text(running, files->settings,
		    proposal_is_later(&p), reload->end, node,
		    has_new_keys(node, files) ? files->keys.first : NULL);
	node_setup_free(setup);
}

void
reload_fail(struct reload *reload)
{
	reload_done(reload);
	reload->end = PROPOSAL_FAILED;
	reload->lines = strdup(RELOAD_FAILURE "\n");
}

/* Logs each line. */
static void
report_lines(
    const char *lines, void (*log)(const char *format, ...), const char *what)
{
	while (lines != NULL && *lines != '\0') {
		int size = (int)strcspn(lines, "\n");

		log("%s%.*s", what, size, lines);
		lines += size + (lines[size] == '\n');
	}
}

/* Logs why nothing has changed. */
static void
report_refusal(const struct reload *reload, const char *path)
{
	switch (reload->end) {
	case PROPOSAL_NOTHING:
	case PROPOSAL_DONE:
	case PROPOSAL_PROPOSED:
		break;
	case PROPOSAL_WRONG:
		report_lines(reload->lines, log_errorx, "reload: ");
		log_errorx("reload: %s is wrong; nothing has changed", path);
		break;
	case PROPOSAL_RESTART:
		report_lines(
		    reload->lines, log_warnx, "reload: needs a restart: ");
		log_warnx(
		    "reload: nothing has changed; restart electd to apply %s",
		    path);
		break;
	case PROPOSAL_CLUSTER:
		report_lines(reload->lines, log_warnx, "reload: must agree: ");
		log_warnx(
		    "reload: nothing has changed; raise config_version in %s, or see CHANGING A CLUSTER in electd-operating(7)",
		    path);
		break;
	case PROPOSAL_TOO_FAR:
		log_warnx(
		    "reload: nothing has changed; more than one voter comes, goes or changes compared with the settings in effect: change one at a time, and wait until each change is in effect");
		break;
	case PROPOSAL_PROMOTES:
		log_warnx(
		    "reload: nothing has changed; an observer cannot become a voter: remove it first, then add it");
		break;
	case PROPOSAL_UNHEARD:
		report_lines(reload->lines, log_warnx, "reload: ");
		log_warnx(
		    "reload: nothing has changed; this node does not hear the new voter: start electd there first, or run `electctl reload --force`");
		break;
	case PROPOSAL_ALIEN:
		report_lines(
		    reload->lines, log_warnx, "reload: cannot change: ");
		log_warnx(
		    "reload: nothing has changed; stop the daemons of all hosts to apply %s",
		    path);
		break;
	case PROPOSAL_FAILED:
		log_errorx(
		    "reload: an address cannot be applied; nothing has changed");
		break;
	}
}

void
reload_report(const struct reload *reload, const char *path)
{
	if (reload->is_older)
		log_warnx(
		    "reload: %s is older than the settings of the cluster, which stay in effect; install the newer file",
		    path);
	else if (reload->end == PROPOSAL_NOTHING)
		log_info("reload: %s and its keys are already in effect", path);
	if (reload->end == PROPOSAL_DONE)
		report_lines(reload->lines, log_notice, "reload: changed: ");
	else if (reload->end == PROPOSAL_PROPOSED)
		report_lines(reload->lines, log_notice, "reload: proposed: ");
	else
		report_refusal(reload, path);
}

void
reload_report_members(const struct reload *reload)
{
	if (reload->end == PROPOSAL_DONE)
		report_lines(reload->lines, log_notice, "members: changed: ");
	else if (reload->end == PROPOSAL_PROPOSED)
		report_lines(reload->lines, log_notice, "members: proposed: ");
	else
		log_warnx("members: refused; nothing has changed");
}

static void
on_log(void *context, enum change change, const char *setting)
{
	(void)context;
	if (change == CHANGE_RESTART)
		log_warnx("needs a restart: %s", setting);
	else
		log_notice("changed: %s", setting);
}

static void
on_count(void *context, enum change change, const char *setting)
{
	unsigned *count = context;

	(void)change;
	(void)setting;
	(*count)++;
}

/* Says where the settings come from. */
static void
report_origin(
    const struct settings *before, const struct settings *after, node_id giver)
{
	const char *name = words_name(before, giver);
	const struct config_id was = config_identify(&before->shared);
	const struct config_id is = config_identify(&after->shared);
	bool is_newer = config_id_is_newer(&is, &was);
	char text[WORDS_MAX];

	words_config(&is, text);
	if (giver == before->id)
		log_notice(
		    "as the leader, this host has put the settings of %s into effect",
		    text);
	else if (is_newer && settings_file_is_older(after))
		log_notice(
		    "%s gave the settings of %s, which are in effect now; install the newer file on this host, too",
		    name, text);
	else
		log_notice("%s gave %ssettings of %s, which are in effect now",
		    name, is_newer ? "the " : "other ", text);
}

void
reload_report_config(
    const struct settings *before, const struct settings *after, node_id giver)
{
	unsigned count = 0;

	settings_compare(before, after, on_count, &count);
	if (count > 0 ||
	    after->shared.config_term == before->shared.config_term)
		report_origin(before, after, giver);
	settings_compare(before, after, on_log, NULL);
}

void
reload_done(struct reload *reload)
{
	free(reload->lines);
	reload->lines = NULL;
}
