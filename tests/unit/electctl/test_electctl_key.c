/* SPDX-License-Identifier: ISC */
/* `key` for people: the words for keys, and the verdict. */

#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/electctl/print/print.h"
#include "tests/lib/capture.h"

/* Peers as "NAME SENDS ACCEPTS", "NAME down" or "NAME apart". */
static json_t *
make_peer(const char *text)
{
	char name[16], sends[16], accepts[16] = "";
	bool is_known =
	    sscanf(text, "%15s %15s %15s", name, sends, accepts) == 3;
	json_t *peer = json_pack("{s:s,s:b,s:o,s:o,s:o}", "name", name,
	    "neighbour", strcmp(sends, "apart") != 0, "sends",
	    is_known ? json_string(sends) : json_null(), "accepts",
	    is_known ? json_string(accepts) : json_null(), "can_link",
	    is_known ? json_boolean(strcmp(sends, "other") != 0 ||
				    strcmp(accepts, "first") == 0)
		     : json_null());

	assert_non_null(peer);
	return peer;
}

/* What is printed for a node with so many keys and these peers. */
static const char *
printed(int keys, const char *const peers[])
{
	json_t *answer = json_pack("{s:[{s:s,s:s,s:b}],s:[]}", "keys", "file",
	    "A", "sha256", "aa", "sends", 1, "peers");

	if (keys > 1)
		json_array_append_new(json_object_get(answer, "keys"),
		    json_pack("{s:s,s:s,s:b}", "file", "B", "sha256", "bb",
			"sends", 0));
	for (size_t i = 0; peers[i] != NULL; i++)
		json_array_append_new(
		    json_object_get(answer, "peers"), make_peer(peers[i]));
	capture_stdout();
	print_key(answer);
	json_decref(answer);
	return captured();
}

TEST(keys_and_peers_are_shown_like_this)
{
	static const char *const peers[] = { "web1 first second",
		"web2 second none", "web3 other first", "web4 second first",
		"web5 down", "web6 apart", NULL };

	assert_string_equal(printed(2, peers),
	    "sends    A\n"
	    "  sha256 aa\n"
	    "accepts  B\n"
	    "  sha256 bb\n"
	    "NODE  SENDS        ACCEPTS BESIDES\n"
	    "web1  A            B\n"
	    "web2  B            -\n"
	    "web3  another key  A\n"
	    "web4  B            A\n"
	    "web5  not known (down)\n"
	    "web6  not a neighbour\n"
	    "verdict  web2, web4 send with B: do not drop it; web5 is down and not known;\n"
	    "         ask on the other hosts, too\n");
}

/* The verdict alone, with its lines joined. */
static void
assert_verdict(int keys, const char *const peers[], const char *expected)
{
	const char *text = strstr(printed(keys, peers), "verdict  ");
	char joined[512];
	size_t size = 0;

	assert_non_null(text);
	for (text += 9; *text != '\0' && size < sizeof(joined) - 1; text++) {
		if (*text == '\n')
			text += strspn(text + 1, " ");
		joined[size++] = *text == '\n' ? ' ' : *text;
	}
	joined[size > 0 ? size - 1 : 0] = '\0';
	assert_string_equal(joined, expected);
}

TEST(verdict_says_whether_the_next_step_is_safe)
{
	static const struct {
		int keys;
		const char *peers[7];
		const char *verdict;
	} rows[] = {
		{ 1, { "web1 first none", "web2 first other" },
		    "all 2 peers send with A" },
		{ 1, { "web1 first none" }, "1 peer sends with A" },
		{ 1, { "web1 first none", "web2 down" },
		    "1 peer sends with A; web2 is down and not known" },
		{ 1, { "web1 down", "web2 down" },
		    "no peer has told its keys; web1, web2 are down and not known" },
		{ 1, { "web1 other none", "web2 first none" },
		    "web1 and this node do not accept each other's key: they part when either restarts; give both the same keys" },
		{ 1, { "web1 other first" },
		    "web1 sends with a key that this node does not accept" },
		{ 2, { "web1 first second", "web2 first second" },
		    "all 2 peers send with A and accept B: if this is the new key, send with it; if it is the old one, drop it" },
		{ 2, { "web1 first second", "web2 first none" },
		    "all 2 peers send with A: B may be dropped; but do not send with it, as web2 does not accept it" },
		{ 2, { "web1 second first", "web2 first second" },
		    "web1 sends with B: do not drop it" },
		{ 2, { "web1 first second", "web2 down" },
		    "1 peer sends with A; web2 is down and not known: neither drop B nor send with it" },
		{ 2,
		    { "a second none", "b second none", "c second none",
			"d second none", "e second none" },
		    "a, b, c and 2 more send with B: do not drop it" },
		{ 1, { "web1 first none", "web2 apart" },
		    "1 peer sends with A; ask on the other hosts, too" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_verdict(rows[i].keys, rows[i].peers, rows[i].verdict);
}
