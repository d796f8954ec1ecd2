/* SPDX-License-Identifier: ISC */
/*
 * "key" at node 2, whose peers are member 1, with any keys, and node 3, with
 * the keys of node 2.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/stage_view.h"

static struct stage s;
static struct member *const member = &s.members[0];
static struct config_node nodes[3];
static struct settings settings;
static struct fingerprints fingerprints;

static int
enter(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	stage_name(nodes, 3);
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
		.key_file = "web.key",
		.old_key_file = "old.key",
	};
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	return 0;
}

/* Both nodes get these keys; `second` 0: none. */
static void
change_keys(uint8_t first, uint8_t second)
{
	struct setup_keys keys = { .has_second = second != 0 };

	memset(keys.first, first, KEY_BYTES);
	memset(keys.second, second, KEY_BYTES);
	fingerprints = (struct fingerprints){ .first = "aa" };
	if (second != 0)
		strcpy(fingerprints.second, "bb");
	for (unsigned i = 0; i < 2; i++) {
		node_change_keys(s.nodes[i], s.now, &keys);
		stage_perform(&s, i);
	}
}

/* The member says that it has these. */
static void
tell_keys(uint8_t first, uint8_t second)
{
	uint8_t datagram[PACKET_MAX], key[KEY_BYTES];
	struct body body = member_body(member, s.now);

	memset(key, second, sizeof(key));
	memset(member->key, first, sizeof(member->key));
	body.second_key_id = seal_key_id(second != 0 ? key : member->key);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, NULL, 0, datagram));
}

static json_t *
ask(void)
{
	struct control_view view = stage_view(&s, 0, &settings);

	view.fingerprints = &fingerprints;
	return stage_ask(&view, false, "{\"verb\":\"key\"}", NULL);
}

static void
assert_json(const json_t *object, const char *expected)
{
	char *text = json_dumps(object, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, expected);
	free(text);
}

/* The member's part of the answer, and whether both steps may be taken. */
static void
assert_steps(const char *steps, const char *row)
{
	json_t *answer = ask();
	json_t *peers = json_object_get(answer, "peers");
	char expected[200];

	snprintf(expected, sizeof(expected),
	    "{\"id\":1,\"name\":\"web1\",\"up\":true,\"neighbour\":true,%s}",
	    row);
	assert_json(json_array_get(peers, 0), expected);
	json_object_del(answer, "keys");
	json_object_del(answer, "peers");
	assert_json(answer, steps);
	json_decref(answer);
}

#define STEPS(agree, drop, swap)                                               \
	"{\"agree\":" #agree ",\"may_drop\":" #drop ",\"may_swap\":" #swap "}"
#define ROW(sends, accepts, can_link)                                          \
	"\"sends\":\"" #sends "\",\"accepts\":\"" #accepts                     \
	"\",\"can_link\":" #can_link

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(each_key_of_a_peer_has_a_word_and_allows_its_steps)
{
	static const struct {
		uint8_t ours[2];
		uint8_t theirs[2];
		const char *steps;
		const char *row;
	} rows[] = {
		{ { 'o', 'n' }, { 'o', 'n' }, STEPS(true, true, true),
		    ROW(first, second, true) },
		{ { 'o', 'n' }, { 'o', 0 }, STEPS(true, true, false),
		    ROW(first, none, true) },
		{ { 'o', 'n' }, { 'n', 'o' }, STEPS(false, false, true),
		    ROW(second, first, true) },
		{ { 'o', 'n' }, { 'x', 'o' }, STEPS(false, false, false),
		    ROW(other, first, true) },
		{ { 'o', 'n' }, { 'x', 'n' }, STEPS(false, false, true),
		    ROW(other, second, false) },
		{ { 'o', 'n' }, { 'x', 0 }, STEPS(false, false, false),
		    ROW(other, none, false) },
		{ { 'o', 0 }, { 'o', 'n' }, STEPS(true, null, null),
		    ROW(first, other, true) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		change_keys(rows[i].ours[0], rows[i].ours[1]);
		tell_keys(rows[i].theirs[0], rows[i].theirs[1]);
		assert_steps(rows[i].steps, rows[i].row);
	}
}

CASE(own_keys_are_shown_by_file_and_fingerprint)
{
	json_t *answer;

	change_keys('o', 'n');
	answer = ask();
	assert_json(json_object_get(answer, "keys"),
	    "[{\"file\":\"web.key\",\"sha256\":\"aa\",\"sends\":true},"
	    "{\"file\":\"old.key\",\"sha256\":\"bb\",\"sends\":false}]");
	json_decref(answer);
	change_keys('o', 0);
	answer = ask();
	assert_json(json_object_get(answer, "keys"),
	    "[{\"file\":\"web.key\",\"sha256\":\"aa\",\"sends\":true}]");
	json_decref(answer);
}

/* All peers that are up agree, but no step is safe. */
CASE(peer_that_is_down_allows_no_step)
{
	json_t *answer;

	change_keys('o', 'n');
	s.is_beating = false;
	stage_run(&s, 5 * SEC);
	answer = ask();
	assert_json(json_array_get(json_object_get(answer, "peers"), 0),
	    "{\"id\":1,\"name\":\"web1\",\"up\":false,\"neighbour\":true,"
	    "\"sends\":null,\"accepts\":null,\"can_link\":null}");
	assert_json(json_object_get(answer, "agree"), "true");
	assert_json(json_object_get(answer, "may_drop"), "false");
	assert_json(json_object_get(answer, "may_swap"), "false");
	json_decref(answer);
}
