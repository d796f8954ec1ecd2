/* SPDX-License-Identifier: ISC */
#include "daemon/control/protocol/trouble.h"

#include <string.h>

static const struct {
	const char *word;
	const char *meaning;
} troubles[] = {
	{ "never-heard", "never heard" },
	{ "not-linked", "not linked yet" },
	{ "no-vote", "does not vote" },
	{ "differs", "its settings differ" },
	{ "other-version",
	    "it runs a version of electd that this one does not speak" },
	{ "behind", "it has other settings" },
	{ "outside", "not in the settings of the other nodes" },
	{ "other-key", "it seems to use another key" },
	{ "unknown-key", "it sends with a key that this node does not have" },
	{ "duplicate", "its id is in use twice" },
	{ "lost", "no valid state file" },
	{ "revoked", "its state file is an old copy" },
	{ "failed", "its state file cannot be written" },
	{ "no-carrier", "no carrier" },
	{ "no-unicast", "only multicast comes from it, unicast is blocked" },
	{ "bypassed", "not part of the ring" },
	{ "damped", "cut off or restarted too often lately" },
	{ "older-file", "its file is older than the settings in effect" },
	{ "newer-file", "its file is not in effect yet" },
	{ "disk-full", "its disk is full, so it cannot keep the settings" },
	{ "not-kept", "it cannot write the settings to its disk" },
	{ "changed", "it has lost the settings by which it voted" },
	{ "few-nodes", "fewer nodes are heard than expected" },
	{ "one-candidate", "no other node could lead" },
	{ "no-spare", "the cluster survives no further failure" },
};

const char *
peer_trouble(const struct peer_status *peer)
{
	if (peer->differs)
		return "differs";
	if (peer->other_version)
		return "other-version";
	if (peer->duplicate)
		return "duplicate";
	if (peer->up && peer->is_behind)
		return "behind";
	if (peer->up && peer->is_voter && !peer->votes)
		return "no-vote";
	/* Sessions go on. After the next restart of either there is none. */
	if (peer->up && peer->first_key == KEY_OTHER)
		return "unknown-key";
	if (peer->up && peer->no_unicast)
		return "no-unicast";
	if (peer->up)
		return peer->damped ? "damped" : NULL;
	if (!peer->sought && !peer->is_voter)
		return NULL;
	if (peer->evidence != EVIDENCE_NONE)
		return evidence_name(peer->evidence);
	/* Anyone can forge another key, so what we know comes first. */
	if (peer->other_key)
		return "other-key";
	return peer->incarnation == 0 ? "never-heard" : "not-linked";
}

const char *
trouble_meaning(const char *trouble)
{
	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++) {
		if (strcmp(troubles[i].word, trouble) == 0)
			return troubles[i].meaning;
	}
	return NULL;
}
