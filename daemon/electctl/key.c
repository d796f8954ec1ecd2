/* SPDX-License-Identifier: ISC */
/* `key` as text: the keys of this node, those of its peers, and a verdict. */
#include "daemon/electctl/electctl.h"

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

static void
print_keys(const json_t *answer)
{
	char text[PLAIN_TEXT_MAX];
	size_t count = json_array_size(field(answer, "keys"));

	for (size_t i = 0; i < count; i++) {
		const json_t *key = json_array_get(field(answer, "keys"), i);

		printf("%s%s\n",
		    json_is_true(field(key, "sends")) ? "sends    "
						      : "accepts  ",
		    file_text(answer, i, text));
		printf("  sha256 %s\n", plain_text(field(key, "sha256"), text));
	}
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

/* Why nothing is known of the peer's keys. */
static const char *
absence_text(const json_t *peer)
{
	return json_is_true(field(peer, "neighbour")) ? "not known (down)"
						      : "not a neighbour";
}

static bool
is_known(const json_t *peer)
{
	return json_is_string(field(peer, "sends"));
}

struct widths {
	int name;
	int sends;
};

static void
widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

static struct widths
widths_of(const json_t *answer)
{
	struct widths widths = { sizeof("NODE") - 1, sizeof("SENDS") - 1 };
	char text[PLAIN_TEXT_MAX];
	size_t i;
	json_t *peer;

	json_array_foreach(field(answer, "peers"), i, peer)
	{
		widen(&widths.name, plain_text(field(peer, "name"), text));
		if (is_known(peer))
			widen(&widths.sends,
			    key_text(answer, field(peer, "sends"), text));
	}
	return widths;
}

static void
print_peer(
    const json_t *answer, const json_t *peer, const struct widths *widths)
{
	char text[PLAIN_TEXT_MAX];

	printf("%-*s  ", widths->name, plain_text(field(peer, "name"), text));
	if (!is_known(peer)) {
		puts(absence_text(peer));
		return;
	}
	printf("%-*s  ", widths->sends,
	    key_text(answer, field(peer, "sends"), text));
	puts(key_text(answer, field(peer, "accepts"), text));
}

static void
print_table(const json_t *answer)
{
	struct widths widths = widths_of(answer);
	size_t i;
	json_t *peer;

	if (json_array_size(field(answer, "peers")) == 0)
		return;
	printf("%-*s  %-*s  %s\n", widths.name, "NODE", widths.sends, "SENDS",
	    "ACCEPTS BESIDES");
	json_array_foreach(field(answer, "peers"), i, peer)
	    print_peer(answer, peer, &widths);
}

/* The peers with something in common: how many, and the first names. */
struct group {
	size_t count;
	char names[NAMES_SHOWN * (PLAIN_TEXT_MAX + 2) + 32];
};

static struct group
group_of(const json_t *answer, bool (*belongs)(const json_t *peer))
{
	struct group g = { .count = 0 };
	char text[PLAIN_TEXT_MAX];
	size_t i, size = 0;
	json_t *peer;

	json_array_foreach(field(answer, "peers"), i, peer)
	{
		if (!belongs(peer) || g.count++ >= NAMES_SHOWN)
			continue;
		size += (size_t)snprintf(g.names + size, sizeof(g.names) - size,
		    "%s%s", g.count > 1 ? ", " : "",
		    plain_text(field(peer, "name"), text));
	}
	if (g.count > NAMES_SHOWN)
		snprintf(g.names + size, sizeof(g.names) - size,
		    " and %zu more", g.count - NAMES_SHOWN);
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
		    cut_off.names);
	else if (second.count > 0)
		line_add(line, "%s send%s with %s: do not drop it",
		    second.names, second.count == 1 ? "s" : "", second_file);
	else if (other.count > 0)
		line_add(line,
		    "%s send%s with a key that this node does not accept",
		    other.names, other.count == 1 ? "s" : "");
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
		    second, refusing.names,
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
		line_add(line, "; %s %s down and not known", missing.names,
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

	print_keys(answer);
	print_table(answer);
	line_add(&line, "verdict  ");
	add_verdict(&line, answer);
	line_print(&line);
}
