/* SPDX-License-Identifier: ISC */
/* What `status` says of the voters: how many are heard, and who is missing. */
#include "daemon/electctl.h"

#include "daemon/trouble.h"

/* What to do about a node whose memory is not sound. */
static const struct {
	const char *word;
	const char *text;
} remedies[] = {
	{ "lost", "if it never voted in this cluster, stop it and run "
		  "`electd --init-state`; else see STATE in electd(8)" },
	{ "revoked", "its state file is an old copy; see STATE in electd(8)" },
	{ "failed", "its state file could not be written; mend what its log "
		    "names, then start electd again" },
	{ "changed", "its state file concerns other voters; its log says "
		     "which `generation` the configuration needs" },
};

static const json_t *
field(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

/* How long a peer has been down; negative: that is not known. */
static double
down_ms(const json_t *answer, const json_t *id)
{
	const json_t *peers = field(answer, "peers");

	for (size_t i = 0; i < json_array_size(peers); i++) {
		const json_t *peer = json_array_get(peers, i);

		if (json_equal(field(peer, "id"), id) &&
		    json_is_number(field(peer, "since_ms")))
			return json_number_value(field(peer, "since_ms"));
	}
	return -1.0;
}

static void
print_why(const json_t *answer, const json_t *trouble)
{
	double ms = down_ms(answer, field(trouble, "id"));
	char why[PLAIN_TEXT_MAX], elapsed[ELAPSED_TEXT_MAX];
	const char *meaning =
	    trouble_meaning(plain_text(field(trouble, "why"), why));

	if (meaning != NULL) {
		fputs(meaning, stdout);
		return;
	}
	fputs("down", stdout);
	if (ms >= 0.0)
		printf(" for %s", elapsed_text(ms, elapsed));
	printf(": %s", why);
}

void
print_trouble(const json_t *answer, const json_t *trouble)
{
	char name[PLAIN_TEXT_MAX];

	printf("%s (", plain_text(field(trouble, "name"), name));
	print_why(answer, trouble);
	putchar(')');
}

void
print_quorum_line(const json_t *answer)
{
	const json_t *quorum = field(answer, "quorum");
	const json_t *missing = field(quorum, "missing");
	json_int_t votes = json_integer_value(field(quorum, "votes"));
	json_int_t voters = json_integer_value(field(quorum, "voters"));
	json_int_t needed = json_integer_value(field(quorum, "quorum"));

	if (!json_is_object(quorum))
		return;
	printf("%s%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
	       " voter%s heard, %" JSON_INTEGER_FORMAT " needed",
	    votes < needed ? "no quorum: " : "quorum   ", votes, voters,
	    plural(voters), needed);
	for (size_t i = 0; i < json_array_size(missing); i++) {
		fputs(i == 0 ? "; missing " : ", ", stdout);
		print_trouble(answer, json_array_get(missing, i));
	}
	putchar('\n');
}

void
print_memory_line(const json_t *answer)
{
	const json_t *memory = field(field(answer, "node"), "memory");
	char word[PLAIN_TEXT_MAX];

	plain_text(memory, word);
	if (!json_is_object(field(answer, "quorum")))
		return;
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
		if (strcmp(remedies[i].word, word) == 0)
			printf("memory   %s: this node neither votes nor "
			       "stands: %s\n",
			    word, remedies[i].text);
	}
}
