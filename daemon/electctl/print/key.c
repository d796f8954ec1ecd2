/* SPDX-License-Identifier: ISC */
/* `key` as text: the keys of this node, those of its peers, and a verdict. */
#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/print/table.h"

#define NAMES_SHOWN 3 /* of a list; more would fill the line */

static bool
has_second(const json_t *answer)
{
	return json_array_size(field(answer, "keys")) > 1;
}

/* The file of this node's first key (0), or of its second (1). */
static const char *
file_text(const json_t *answer, size_t i, char text[PLAIN_TEXT_MAX])
{
	const json_t *key = json_array_get(field(answer, "keys"), i);

	return plain_text(field(key, "file"), text);
}

/* A key of a peer, by the word for it. */
static const char *
key_text(const json_t *answer, const json_t *word, char text[PLAIN_TEXT_MAX])
{
	static const struct {
		const char *word;
		const char *text;
	} words[] = {
		{ "none", "-" },
		{ "other", "another key" },
	};
	const char *name = json_string_value(word);

	if (name == NULL)
		return "not known";
	if (strcmp(name, "first") == 0)
		return file_text(answer, 0, text);
	if (strcmp(name, "second") == 0)
		return file_text(answer, 1, text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].word, name) == 0)
			return words[i].text;
	}
	return plain_text(word, text);
}

static bool
is_known(const json_t *peer)
{
	return json_is_string(field(peer, "sends"));
}

/* Prints the peers; of one that is not known, why not. */
static void
print_peers_keys(const json_t *answer)
{
	static const struct column columns[] = {
		{ "NODE", "{name}", NULL, false },
		{ "SENDS", "{sends_text}", NULL, true },
		{ "ACCEPTS BESIDES", "[{accepts_text}]", NULL, false },
	};
	const json_t *peers = field(answer, "peers");
	json_t *peer;
	size_t i;

	json_array_foreach(peers, i, peer)
	{
		char text[PLAIN_TEXT_MAX];
		const char *sends = "not a neighbour";

		if (is_known(peer))
			sends = key_text(answer, field(peer, "sends"), text);
		else if (flag(peer, "neighbour"))
			sends = "not known (down)";
		json_object_set_new(peer, "sends_text", json_string(sends));
		if (is_known(peer))
			json_object_set_new(peer, "accepts_text",
			    json_string(key_text(
				answer, field(peer, "accepts"), text)));
	}
	if (json_array_size(peers) > 0)
		print_table(answer, peers, columns,
		    sizeof(columns) / sizeof(columns[0]));
}

/* The peers with something in common: how many, and the first names. */
struct group {
	size_t count;
	struct line names;
};

static struct group
group_of(const json_t *answer, bool (*belongs)(const json_t *peer))
{
	struct group g = { .count = 0 };

	g.count = line_fill_list(&g.names, field(answer, "peers"), belongs,
	    NAMES_SHOWN, ", ", "{name}");
	return g;
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
	return !is_known(peer) && json_is_true(field(peer, "neighbour"));
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

/* True if a peer does not send with our first key; adds the verdict. */
static bool
add_disagreement(struct line *line, const json_t *answer)
{
	struct group cut_off = group_of(answer, is_cut_off),
		     second = group_of(answer, sends_second),
		     other = group_of(answer, sends_other);
	char first_file[PLAIN_TEXT_MAX], second_file[PLAIN_TEXT_MAX];

	file_text(answer, 0, first_file);
	file_text(answer, 1, second_file);
	if (cut_off.count > 0)
		line_add(line,
		    "%s and this node do not accept each other's key: they part when either restarts; give both the same keys",
		    cut_off.names.text);
	else if (second.count > 0)
		line_add(line, "%s send%s with %s: do not drop it",
		    second.names.text, second.count == 1 ? "s" : "",
		    second_file);
	else if (other.count > 0)
		line_add(line,
		    "%s send%s with a key that this node does not accept",
		    other.names.text, other.count == 1 ? "s" : "");
	else
		return false;
	return true;
}

/* The peers that we know of send with our first key. */
static void
add_agreement(struct line *line, const json_t *answer, bool is_whole)
{
	struct group refusing = group_of(answer, refuses_second);
	size_t count = group_of(answer, is_known).count;
	const char *s = count == 1 ? "s" : "";
	char first[PLAIN_TEXT_MAX], second[PLAIN_TEXT_MAX];

	file_text(answer, 0, first);
	file_text(answer, 1, second);
	if (count == 0) {
		line_add(line, "no peer has told its keys");
		return;
	}
	line_add(line, "%s%zu peer%s send%s with %s",
	    is_whole && count > 1 ? "all " : "", count,
	    plural((json_int_t)count), s, first);
	if (!has_second(answer) || !is_whole)
		return;
	if (refusing.count == 0)
		line_add(line,
		    " and accept%s %s: if this is the new key, send with it; if it is the old one, drop it",
		    s, second);
	else
		line_add(line,
		    ": %s may be dropped; but do not send with it, as %s %s not accept it",
		    second, refusing.names.text,
		    refusing.count == 1 ? "does" : "do");
}

static void
add_verdict(struct line *line, const json_t *answer)
{
	struct group missing = group_of(answer, is_missing);
	char second[PLAIN_TEXT_MAX];
	bool agrees = !add_disagreement(line, answer);

	if (agrees)
		add_agreement(line, answer, missing.count == 0);
	if (missing.count > 0)
		line_add(line, "; %s %s down and not known", missing.names.text,
		    missing.count == 1 ? "is" : "are");
	if (missing.count > 0 && agrees && has_second(answer))
		line_add(line, ": neither drop %s nor send with it",
		    file_text(answer, 1, second));
	if (group_of(answer, is_apart).count > 0)
		line_add(line, "; ask on the other hosts, too");
}

void
print_key(json_t *answer)
{
	struct line line = { .size = 0 };
	json_t *key;
	size_t i;

	json_array_foreach(field(answer, "keys"), i, key)
	{
		print_text(key, "{sends?sends    :accepts  }{file}");
		print_text(key, "  sha256 {sha256}");
	}
	print_peers_keys(answer);
	line_add(&line, "verdict  ");
	add_verdict(&line, answer);
	line_print(&line);
}
