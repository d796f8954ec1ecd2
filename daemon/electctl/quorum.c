/* SPDX-License-Identifier: ISC */
/* The lines of `status` about the voters, and what is wrong with a node. */
#include "daemon/electctl/electctl.h"

#include "daemon/control/protocol/trouble.h"

/* What to do if the state file is not sound. */
static const struct {
	const char *word;
	const char *text;
} remedies[] = {
	{ "lost",
	    "it waits for a leader that leads without it; in a cluster that never had a leader, stop electd, and electd --init-cluster makes the file: see STATE in electd(8)" },
	{ "revoked",
	    "its state file is an old copy; it waits for a leader that leads without it" },
	{ "failed",
	    "its state file could not be written; repair what its log names, then restart electd" },
	{ "changed",
	    "it has lost the settings by which it voted, and votes once it has got them from the others, or a leader leads without it" },
};

/* The peer that has the trouble; NULL: it is this node itself. */
static const json_t *
peer_in(const json_t *answer, const json_t *trouble)
{
	const json_t *peers = field(answer, "peers");

	for (size_t i = 0; i < json_array_size(peers); i++) {
		const json_t *peer = json_array_get(peers, i);

		if (json_equal(field(peer, "id"), field(trouble, "id")))
			return peer;
	}
	return NULL;
}

/* Adds what is wrong, and that the peer seems to use another key. */
static void
add_why(struct line *line, const json_t *answer, const json_t *trouble)
{
	const json_t *peer = peer_in(answer, trouble);
	const json_t *ms = field(peer, "since_ms");
	char why[PLAIN_TEXT_MAX], elapsed[ELAPSED_TEXT_MAX];
	const char *meaning =
	    trouble_meaning(plain_text(field(trouble, "why"), why));

	if (meaning != NULL) {
		line_add(line, "%s", meaning);
		if (is_word(trouble, "why", "no-carrier"))
			line_add(line, " on %s",
			    plain_text(
				field(field(answer, "node"), "no_carrier_on"),
				why));
		return;
	}
	line_add(line, "down");
	if (json_is_number(ms))
		line_add(line, " for %s",
		    elapsed_text(json_number_value(ms), elapsed));
	line_add(line, ": %s", why);
	if (json_is_true(field(peer, "other_key")))
		line_add(line, "; %s", trouble_meaning("other-key"));
}

void
line_add_trouble(struct line *line, const json_t *answer, const json_t *trouble)
{
	bool is_of_node = !json_is_null(field(trouble, "name"));
	char name[PLAIN_TEXT_MAX];

	if (is_of_node)
		line_add(
		    line, "%s (", plain_text(field(trouble, "name"), name));
	add_why(line, answer, trouble);
	if (is_of_node)
		line_add(line, ")");
}

/* The verdict names the missing voters. */
void
print_quorum_line(const json_t *answer)
{
	const json_t *quorum = field(answer, "quorum");
	json_int_t votes = json_integer_value(field(quorum, "votes"));
	json_int_t voters = json_integer_value(field(quorum, "voters"));
	json_int_t needed = json_integer_value(field(quorum, "quorum"));

	if (!json_is_object(quorum))
		return;
	printf("quorum   %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
	       " voter%s heard, %" JSON_INTEGER_FORMAT " needed\n",
	    votes, voters, plural(voters), needed);
}

void
print_state_line(const json_t *answer)
{
	const json_t *health = field(field(answer, "node"), "state_file");
	struct line line = { .size = 0 };
	char word[PLAIN_TEXT_MAX];

	plain_text(health, word);
	if (!json_is_object(field(answer, "quorum")))
		return;
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
		if (strcmp(remedies[i].word, word) != 0)
			continue;
		line_add(&line,
		    "state    %s: this node neither votes nor stands for election: %s",
		    word, remedies[i].text);
		line_print(&line);
	}
}
