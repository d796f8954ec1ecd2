/* SPDX-License-Identifier: ISC */
/* `key` as text: the keys of this node, those of its peers, and a verdict. */
#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/print/table.h"

#define NAMES_SHOWN 3 /* of a list; more would fill the line */

static bool
is_known(const json_t *peer)
{
	return json_is_string(field(peer, "sends"));
}

static bool
is_cut_off(const json_t *peer)
{
	return json_is_false(field(peer, "can_link"));
}

static bool
sends_second(const json_t *peer)
{
	return is_word(peer, "sends", "second");
}

static bool
sends_other(const json_t *peer)
{
	return is_word(peer, "sends", "other");
}

static bool
is_missing(const json_t *peer)
{
	return !is_known(peer) && flag(peer, "neighbour");
}

static bool
is_apart(const json_t *peer)
{
	return !is_known(peer) && !is_missing(peer);
}

static bool
refuses_second(const json_t *peer)
{
	return is_known(peer) && !is_word(peer, "accepts", "second") &&
	       !sends_second(peer);
}

/* Sets a cell of the peer's row to one of its keys, by the word for it. */
static void
set_key(json_t *peer, const char *cell, const json_t *answer, const char *key)
{
	static const struct phrase words[] = {
		{ "none", "-" },
		{ "other", "another key" },
		{ NULL, NULL },
	};
	struct line line = { .size = 0 };

	if (is_word(peer, key, "first"))
		line_fill(&line, answer, "{keys.0.file}");
	else if (is_word(peer, key, "second"))
		line_fill(&line, answer, "{keys.1.file}");
	else if (!json_is_string(field(peer, key)))
		line_add(&line, "not known");
	else if (!line_fill_phrase(&line, peer, key, words))
		line_fill(&line, field(peer, key), "{}");
	json_object_set_new(peer, cell, json_string(line.text));
}

/* Prints the peers; of one that is not known, why not. */
static void
print_peers_keys(const json_t *answer)
{
	static const struct column columns[] = {
		{ "NODE", "{name}", NULL, false },
		{ "SENDS",
		    "[{first_key}|{neighbour?not known (down):not a neighbour}]",
		    NULL, true },
		{ "ACCEPTS BESIDES", "[{other_key}]", NULL, false },
	};
	const json_t *peers = field(answer, "peers");
	json_t *peer;
	size_t i;

	json_array_foreach(peers, i, peer)
	{
		if (!is_known(peer))
			continue;
		set_key(peer, "first_key", answer, "sends");
		set_key(peer, "other_key", answer, "accepts");
	}
	if (json_array_size(peers) > 0)
		print_table(answer, peers, columns,
		    sizeof(columns) / sizeof(columns[0]));
}

/* The groups of peers with something in common, to which at least one belongs:
 * how many do, and the first names. A new reference. */
static json_t *
find_groups(const json_t *answer)
{
	static const struct {
		const char *name;
		bool (*belongs)(const json_t *peer);
	} rows[] = {
		{ "known", is_known },
		{ "cut_off", is_cut_off },
		{ "second", sends_second },
		{ "other", sends_other },
		{ "missing", is_missing },
		{ "apart", is_apart },
		{ "refusing", refuses_second },
	};
	json_t *groups = json_object();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct line names = { .size = 0 };
		size_t count = line_fill_list(&names, field(answer, "peers"),
		    rows[i].belongs, NAMES_SHOWN, ", ", "{name}");

		if (count > 0)
			json_object_set_new(groups, rows[i].name,
			    json_pack("{s:s,s:I,s:b}", "names", names.text,
				"count", (json_int_t)count, "one", count == 1));
	}
	json_object_set(groups, "keys", json_object_get(answer, "keys"));
	return groups;
}

static void
add_verdict(struct line *line, const json_t *g)
{
	bool has_second = json_array_size(field(g, "keys")) > 1;
	bool is_whole = field(g, "missing") == NULL;
	bool agrees = field(g, "cut_off") == NULL &&
		      field(g, "second") == NULL && field(g, "other") == NULL;

	line_fill(line, g,
	    "[{cut_off.names} and this node do not accept each other's key: they part when either restarts; give both the same keys|{second.names} send{second.one?s:} with {keys.1.file}: do not drop it|{other.names} send{other.one?s:} with a key that this node does not accept]");
	if (agrees && is_whole)
		line_fill(line, g, "[{known.one?:all }]");
	if (agrees)
		line_fill(line, g,
		    "[{known.count} peer{known.count s} send{known.one?s:} with {keys.0.file}|no peer has told its keys]");
	if (agrees && is_whole && has_second && field(g, "known") != NULL)
		line_fill(line, g,
		    "[: {keys.1.file} may be dropped; but do not send with it, as {refusing.names} {refusing.one?does:do} not accept it| and accept{known.one?s:} {keys.1.file}: if this is the new key, send with it; if it is the old one, drop it]");
	line_fill(line, g,
	    "[; {missing.names} {missing.one?is:are} down and not known]");
	if (!is_whole && agrees && has_second)
		line_fill(
		    line, g, ": neither drop {keys.1.file} nor send with it");
	if (field(g, "apart") != NULL)
		line_add(line, "; ask on the other hosts, too");
}

void
print_key(json_t *answer)
{
	struct line line = { .size = 0 };
	json_t *groups = find_groups(answer), *key;
	size_t i;

	json_array_foreach(field(answer, "keys"), i, key)
	{
		print_text(key, "{sends?sends    :accepts  }{file}");
		print_text(key, "  sha256 {sha256}");
	}
	print_peers_keys(answer);
	line_add(&line, "verdict  ");
	add_verdict(&line, groups);
	line_print(&line);
	json_decref(groups);
}
