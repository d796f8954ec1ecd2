/* SPDX-License-Identifier: ISC */
/* What the host does around its node: its start and end, settings that come
 * into effect or do not, its disk, and the status line for systemd. */
#include <errno.h>
#include <inttypes.h>

#include "common/config/config_encode.h"
#include "daemon/electd/tell/report.h"
#include "daemon/electd/tell/report_words.h"
#include "daemon/system/log.h"
#include "daemon/system/sockets/notify.h"

#define REACH_TEXT_MAX 64 /* "1023 of 1024 nodes reachable" and its end */

void
report_start(const struct settings *settings)
{
	log_notice("electd %s: node %s of cluster %s, algorithm %s%s",
	    ELECTD_VERSION, words_name(settings, settings->id),
	    settings->shared.cluster, settings->shared.algorithm->name,
	    settings->realtime ? ", realtime" : "");
}

/* In other topologies than a full mesh this counts the links to neighbours. */
static const char *
reach_text(const struct settings *settings, const struct node_status *status,
    char text[REACH_TEXT_MAX])
{
	unsigned links = status->reachable - 1;

	if (settings->shared.topology == TOPOLOGY_FULL)
		snprintf(text, REACH_TEXT_MAX, "%u of %zu node%s reachable",
		    status->reachable, settings->shared.nodes_count,
		    settings->shared.nodes_count == 1 ? "" : "s");
	else
		snprintf(text, REACH_TEXT_MAX, "%u link%s up", links,
		    links == 1 ? "" : "s");
	return text;
}

bool
report_wants_status(const struct notice *n)
{
	return notify_is_heard() && n->kind != NOTICE_TRACE &&
	       n->kind != NOTICE_DROPPED;
}

void
report_status(const struct settings *settings, const struct node_status *status)
{
	char reach[REACH_TEXT_MAX];

	reach_text(settings, status, reach);
	if (status->leader == NODE_NONE)
		notify_status("no leader (%s); %s",
		    node_state_name(status->state), reach);
	else
		notify_status("%s leads in term %" PRIu64 "; %s",
		    words_name(settings, status->leader), status->term, reach);
}

void
report_handing_over(nsec_t ahead)
{
	if (ahead == 0)
		log_notice(
		    "stopping: handing over; send the signal again to stop at once");
	else
		log_notice(
		    "stopping: a client may rely on this leader for another %" PRIu64
		    " ms; handing over after that; send the signal again to stop at once",
		    ahead / MSEC);
}

void
report_met(const struct settings *before, const struct settings *after)
{
	for (size_t i = 0; i < after->shared.nodes_count; i++) {
		const struct config_node *node = &after->shared.nodes[i];

		if (config_find(&before->shared, node->id) == NULL)
			log_notice("discovery: found %s (id %" PRIu32 ") at %s",
			    node->name, node->id, node->address);
	}
	if (after->shared.revision > before->shared.revision &&
	    after->shared.guarantee == GUARANTEE_COMPONENT)
		log_notice("this host has put revision %" PRIu32
			   " of the list of nodes into effect",
		    after->shared.revision);
}

void
report_refusal(const struct settings *settings, node_id giver,
    const struct config_id *config_id, bool is_removed, const char *errors)
{
	const struct config_node *own =
	    config_find(&settings->shared, settings->id);
	const struct config_id is = config_identify(&settings->shared);
	char given[WORDS_MAX], running[WORDS_MAX];

	words_config(config_id, given);
	if (is_removed && own->is_discovered)
		log_info(
		    "the settings of %s do not name this node: it announces itself",
		    given);
	else if (is_removed)
		log_warnx(
		    "the settings of %s name no node with id %" PRIu32
		    ": %s was removed from the cluster; stop electd here, or add the node again",
		    given, own->id, own->name);
	else
		log_warnx(
		    "%s gave the settings of %s, which cannot be used here; this node goes on with %s; install the newer file and restart electd: %s",
		    words_name(settings, giver), given,
		    words_config(&is, running),
		    errors != NULL && errors[0] != '\0' ? errors
							: "out of memory");
}

void
report_not_kept(const struct settings *settings,
    const struct config_id *config_id, int error)
{
	char text[WORDS_MAX];

	log_warnx(
	    "cannot keep the settings of %s in %s: %s; %s; this host tries again by itself, so repair the disk",
	    words_config(config_id, text), settings->state_dir,
	    strerror(-error),
	    settings->shared.guarantee == GUARANTEE_QUORUM
		? "they cannot come into effect here before"
		: "they are in effect, but a restart begins with the file of this host");
}

void
report_refused_proposal(
    const struct config_id *config_id, enum change_step step)
{
	char text[WORDS_MAX];

	log_warnx(
	    "cannot put the settings of %s into effect: %s; nothing has changed",
	    words_config(config_id, text),
	    step == STEP_TOO_FAR
		? "more than one voter comes, goes or changes compared with the settings in effect"
		: "an observer cannot become a voter");
}

void
report_handover_for_proposal(const struct config_id *config_id, bool is_named)
{
	char text[WORDS_MAX];

	log_notice(
	    "handing over: the settings of %s, which are proposed, do not %s",
	    words_config(config_id, text),
	    is_named ? "let this node lead" : "name this node");
}

void
report_kept_again(
    const struct settings *settings, const struct config_id *config_id)
{
	char text[WORDS_MAX];

	log_notice("%s has the settings of %s now: the disk works again",
	    settings->state_dir, words_config(config_id, text));
}

void
report_standby_unkept(const struct settings *settings, int error)
{
	log_errorx("cannot write the standby to %s: %s; nothing has changed",
	    settings->state_dir, strerror(-error));
}

void
report_unborn(
    const struct settings *settings, const struct store *store, int error)
{
	log_errorx(
	    "cannot write this node's incarnation to %s/%s: %s; electd ends, because its next start could not show the others that it is a new process; repair the disk, then start electd again",
	    settings->state_dir, store_name(store),
	    store_error_text(store, error));
}

void
report_disk(
    const struct settings *settings, const struct store *store, int error)
{
	const char *text = store_error_text(store, error);
	const char *directory = settings->state_dir, *name = store_name(store);

	if (settings->shared.guarantee == GUARANTEE_COMPONENT)
		log_errorx(
		    "cannot write the term to %s/%s: %s; after a restart this node may use the same term again; repair the disk, then restart electd",
		    directory, name, text);
	else
		log_errorx(
		    "cannot write votes to %s/%s: %s; this node no longer votes: %s",
		    directory, name, text,
		    error == -ENOENT || error == -ESTALE
			? "the state file is gone; see electd(8), STATE"
			: "repair the disk, then restart electd");
}
