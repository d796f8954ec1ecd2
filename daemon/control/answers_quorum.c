/* SPDX-License-Identifier: ISC */
/* The part of `status` about the voters: how many vote, and which do not. */
#include "daemon/control/answers.h"

#include "daemon/control/put.h"
#include "daemon/control/trouble.h"

/* The voters that do not vote: this node first, then the peers in order. */
static json_t *
missing(const struct control_view *view, const struct node_status *status)
{
	const struct node_settings *self =
	    settings_node(view->settings, view->self);
	json_t *rows = json_array();

	assert(self != NULL);
	if (self->role != ROLE_OBSERVER && !status->has_vote)
		add_trouble(&rows, view->settings, view->self,
		    own_trouble(view, status));
	for (unsigned i = 0; i < view->peers_count; i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.is_voter && !peer.votes)
			add_trouble(&rows, view->settings, peer.id,
			    peer_trouble(&peer));
	}
	return rows;
}

json_t *
answer_quorum(const struct control_view *view, const struct node_status *status)
{
	json_t *o;

	if (view->settings->guarantee != GUARANTEE_QUORUM)
		return json_null();
	o = json_object();
	put_count(&o, "voters", status->voters);
	put_count(&o, "quorum", status->quorum);
	put_count(&o, "votes", status->votes);
	put_value(&o, "missing", missing(view, status));
	return o;
}
