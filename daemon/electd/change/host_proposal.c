/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/host_proposal.h"

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"

/* Makes what a node needs to propose settings, which are taken. False without
 * memory. */
static bool
host_proposal_make(struct host_proposal *host_proposal,
    struct settings *settings, node_id self)
{
	struct document *d = &host_proposal->document;

	settings->shared.config_term = 0;
	*host_proposal = (struct host_proposal){ .settings = settings };
	d->config_id = config_identify(&settings->shared);
	d->bytes = settings_document(settings, &d->size);
	host_proposal->setup = node_setup_new(settings, self);
	return d->bytes != NULL && host_proposal->setup != NULL;
}

bool
host_proposal_set(struct host_proposal *host_proposal, struct rollout *rollout,
    struct node *node, node_id self, enum rollout_origin origin,
    struct settings *settings)
{
	struct host_proposal next;
	bool is_made = host_proposal_make(&next, settings, self);
	const struct document *d = &next.document;

	if (is_made && rollout_wants(rollout, node, origin, &d->config_id)) {
		rollout_propose(
		    rollout, node, origin, &d->config_id, d->bytes, d->size);
		host_proposal_done(host_proposal);
		*host_proposal = next;
	} else {
		host_proposal_done(&next);
	}
	return is_made;
}

void
host_proposal_done(struct host_proposal *host_proposal)
{
	document_done(&host_proposal->document);
	settings_free(host_proposal->settings);
	node_setup_free(host_proposal->setup);
	*host_proposal = (struct host_proposal){ .settings = NULL };
}
