/* SPDX-License-Identifier: ISC */
/* Log lines about dropped datagrams: their sender, their number, the reason. */
#include <inttypes.h>
#include <stdio.h>

#include "daemon/config/settings_document.h"
#include "daemon/electd/tell/report.h"
#include "daemon/electd/tell/report_words.h"
#include "daemon/system/log.h"

/* Drops that a network, a restart, a new session or a busy host causes. */
static bool
is_ordinary(enum drop drop)
{
	return drop == DROP_SESSION || drop == DROP_INCARNATION ||
	       drop == DROP_REPLAY || drop == DROP_LATE || drop == DROP_RATE ||
	       drop == DROP_SEAL;
}

/* A node that was removed, or is not yet added: its own log says what to do. */
static bool
is_outsider(const struct settings *s, const struct notice *n)
{
	return n->drop == DROP_UNKNOWN && config_has_document(&s->shared) &&
	       config_find(&s->shared, n->claimed) == NULL;
}

/* The datagram names a sender that is not configured, or another receiver. */
static void
write_unknown(const struct settings *s, const struct notice *n, char *text)
{
	if (is_outsider(s, n))
		snprintf(text, WORDS_MAX,
		    "its sender is node %" PRIu32
		    ", which the settings in effect do not name",
		    n->claimed);
	else if (config_find(&s->shared, n->claimed) == NULL)
		snprintf(text, WORDS_MAX,
		    "its sender is node %" PRIu32
		    ", which is not in this host's configuration; use the same nodes on all hosts",
		    n->claimed);
	else
		snprintf(text, WORDS_MAX,
		    "%s sent it to a node other than %s; compare the addresses in the configurations of both",
		    words_name(s, n->claimed), words_name(s, s->id));
}

static void
write_address(const struct settings *s, const struct notice *n, char *text)
{
	snprintf(text, WORDS_MAX,
	    "another host claims to be %s (id %" PRIu32
	    "), which this node hears, too; give each host its own id",
	    words_name(s, n->peer), n->peer);
}

static void
write_reason(const struct settings *s, const struct notice *n, char *text)
{
	if (n->drop == DROP_CLUSTER)
		snprintf(text, WORDS_MAX,
		    "it is for another cluster, not \"%s\"; compare cluster in both files, and give each cluster a port of its own",
		    s->shared.cluster);
	else if (n->drop == DROP_UNKNOWN)
		write_unknown(s, n, text);
	else if (n->drop == DROP_ADDRESS)
		write_address(s, n, text);
	else if (n->drop == DROP_SAME_ID)
		snprintf(text, WORDS_MAX,
		    "its sender claims to be %s (id %" PRIu32
		    "), which is this host; give each host its own id",
		    words_name(s, s->id), s->id);
	else if (n->drop == DROP_KEY)
		snprintf(text, WORDS_MAX,
		    "its key differs from %.400s; use the same key on all hosts",
		    s->key_file);
	else if (n->drop == DROP_FOREIGN)
		snprintf(text, WORDS_MAX,
		    "it is not from electd, or from another version");
	else if (n->drop == DROP_SHORT)
		snprintf(text, WORDS_MAX,
		    "its size is not that of an electd datagram");
	else if (n->drop == DROP_SEAL)
		snprintf(text, WORDS_MAX,
		    "it is damaged, forged or from an earlier session");
	else if (n->drop == DROP_FORMAT)
		snprintf(text, WORDS_MAX,
		    "its seal is right but its content is malformed; run the same version of electd on all hosts");
	else
		snprintf(text, WORDS_MAX, "%s", drop_name(n->drop));
}

/* "web2 (192.0.2.12:7420)", without what is unknown. */
static void
write_sender(const struct reporter *r, const struct notice *n, char *text)
{
	bool is_named = n->peer != NODE_NONE, has_sender = r->sender[0] != '\0';
	const char *name = is_named ? words_name(r->settings, n->peer) : "";

	if (!is_named && !has_sender)
		name = "an unknown address";
	snprintf(text, WORDS_MAX, "%s%s%s%s", name,
	    is_named && has_sender ? " (" : "", r->sender,
	    is_named && has_sender ? ")" : "");
}

void
report_dropped(const struct reporter *r, const struct notice *n)
{
	char sender[WORDS_MAX], why[WORDS_MAX], count[WORDS_MAX];

	write_sender(r, n, sender);
	write_reason(r->settings, n, why);
	if (n->datagrams <= 1)
		snprintf(count, sizeof(count), "a datagram");
	else
		snprintf(count, sizeof(count),
		    "%" PRIu64 " datagrams, the last", n->datagrams);
	if (is_ordinary(n->drop))
		log_debug("dropped %s from %s: %s", count, sender, why);
	else if (is_outsider(r->settings, n))
		log_notice("dropped %s from %s: %s", count, sender, why);
	else
		log_warnx("dropped %s from %s: %s", count, sender, why);
}
