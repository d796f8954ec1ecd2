/* SPDX-License-Identifier: ISC */
/* Lines about datagrams that were dropped: from where, how many, and why. */
#include <inttypes.h>
#include <stdio.h>

#include "daemon/electd/report.h"
#include "daemon/electd/report_words.h"
#include "daemon/system/log.h"

/* What the network, a restart, a session that was replaced or a busy host
 * explains. */
static bool
is_ordinary(enum drop drop)
{
	return drop == DROP_SESSION || drop == DROP_INCARNATION ||
	       drop == DROP_REPLAY || drop == DROP_LATE || drop == DROP_RATE ||
	       drop == DROP_SEAL;
}

/* Of a datagram that claims to be of a node that we do not know, or is not
 * meant for us. */
static void
tell_unknown(const struct settings *s, const struct notice *n, char *text)
{
	if (settings_node(s, n->claimed) == NULL)
		snprintf(text, WORDS_MAX,
		    "its sender is node %" PRIu32
		    ", which is not in nodes of this host's configuration",
		    n->claimed);
	else
		snprintf(text, WORDS_MAX,
		    "%s sent it to another node than %s; compare the "
		    "addresses in the configurations of both",
		    words_name(s, n->claimed), words_name(s, s->id));
}

static void
tell_address(const struct settings *s, const struct notice *n, char *text)
{
	const struct node_settings *node = settings_node(s, n->peer);

	snprintf(text, WORDS_MAX,
	    "%s is to send from %s; compare the addresses in the "
	    "configurations of both",
	    words_name(s, n->peer), node != NULL ? node->address : "elsewhere");
}

static void
tell_why(const struct settings *s, const struct notice *n, char *text)
{
	if (n->drop == DROP_CLUSTER)
		snprintf(text, WORDS_MAX,
		    "it is for another cluster, this is \"%s\"; give each "
		    "cluster a port of its own",
		    s->cluster);
	else if (n->drop == DROP_UNKNOWN)
		tell_unknown(s, n, text);
	else if (n->drop == DROP_ADDRESS)
		tell_address(s, n, text);
	else if (n->drop == DROP_SAME_ID)
		snprintf(text, WORDS_MAX,
		    "its sender claims to be %s (id %" PRIu32
		    "), which is this host; give each host an id of its own",
		    words_name(s, s->id), s->id);
	else if (n->drop == DROP_KEY)
		snprintf(text, WORDS_MAX, "it is under another key than %s",
		    s->key_file);
	else if (n->drop == DROP_FOREIGN)
		snprintf(text, WORDS_MAX,
		    "it is not of electd, or of another version");
	else if (n->drop == DROP_SHORT)
		snprintf(text, WORDS_MAX,
		    "it is too short or too long to be of electd");
	else if (n->drop == DROP_SEAL)
		snprintf(text, WORDS_MAX,
		    "it is damaged, forged or of an earlier session");
	else if (n->drop == DROP_FORMAT)
		snprintf(text, WORDS_MAX,
		    "a member sealed it, but it makes no sense; run the same "
		    "version of electd on all hosts");
	else
		snprintf(text, WORDS_MAX, "%s", drop_name(n->drop));
}

/* "web2 (192.0.2.12:7420)", as far as each is known. */
static void
tell_sender(const struct reporter *r, const struct notice *n, char *text)
{
	bool is_named = n->peer != NODE_NONE, is_placed = r->sender[0] != '\0';
	const char *name = is_named ? words_name(r->settings, n->peer) : "";

	if (!is_named && !is_placed)
		name = "an unknown address";
	snprintf(text, WORDS_MAX, "%s%s%s%s", name,
	    is_named && is_placed ? " (" : "", r->sender,
	    is_named && is_placed ? ")" : "");
}

void
report_dropped(const struct reporter *r, const struct notice *n)
{
	char sender[WORDS_MAX], why[WORDS_MAX], count[WORDS_MAX];

	tell_sender(r, n, sender);
	tell_why(r->settings, n, why);
	if (n->datagrams <= 1)
		snprintf(count, sizeof(count), "a datagram");
	else
		snprintf(count, sizeof(count),
		    "%" PRIu64 " datagrams, the last", n->datagrams);
	if (is_ordinary(n->drop) || (n->drop == DROP_ADDRESS && !r->is_placed))
		log_debug("dropped %s from %s: %s", count, sender, why);
	else
		log_warnx("dropped %s from %s: %s", count, sender, why);
}
