/* SPDX-License-Identifier: ISC */
/* `members` and `config` of electctl: the arguments, and what is printed. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/electctl/electctl.h"
#include "daemon/electctl/print/print.h"
#include "tests/lib/capture.h"

#define WORDS_MAX 8

/* The request of this command line, which has spaces between its words; "" if
 * it is wrong, and that is told. Valid until the next call. */
static const char *
request(const char *line)
{
	static char copy[128], text[256];
	char *words[WORDS_MAX], *rest;
	struct options options = { .words = words + 1 };
	const struct command *command;
	char *made;

	snprintf(copy, sizeof(copy), "%s", line);
	words[0] = strtok_r(copy, " ", &rest);
	while ((words[1 + options.words_count] = strtok_r(NULL, " ", &rest)) !=
	       NULL)
		options.words_count++;
	options.verb = words[0];
	command = command_take(&options);
	assert_non_null(command);
	made = arguments_take(command, &options)
		   ? request_line(command, &options)
		   : strdup("");
	json_decref(options.arguments);
	assert_non_null(made);
	snprintf(text, sizeof(text), "%s", made);
	free(made);
	return text;
}

TEST(words_become_the_keys_of_a_request)
{
	static const struct {
		const char *line;
		const char *request;
	} rows[] = {
		{ "members", "{\"verb\":\"members\"}" },
		{ "members add 4 web4 h:1",
		    "{\"verb\":\"members-add\",\"id\":4,\"name\":\"web4\",\"address\":\"h:1\"}" },
		{ "members add 4 web4 h:1 priority=-2 role=voter",
		    "{\"verb\":\"members-add\",\"id\":4,\"name\":\"web4\",\"address\":\"h:1\",\"priority\":-2,\"role\":\"voter\"}" },
		{ "members add 4 role=x h:1",
		    "{\"verb\":\"members-add\",\"id\":4,\"name\":\"role=x\",\"address\":\"h:1\"}" },
		{ "members remove 4",
		    "{\"verb\":\"members-remove\",\"node\":\"4\"}" },
		{ "members replace web4 h:2",
		    "{\"verb\":\"members-replace\",\"node\":\"web4\",\"address\":\"h:2\"}" },
		{ "explain 7", "{\"verb\":\"explain\",\"term\":7}" },
		{ "explain", "{\"verb\":\"explain\"}" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(request(rows[i].line), rows[i].request);
}

TEST(wrong_words_are_told)
{
	static const struct {
		const char *line;
		const char *why;
	} rows[] = {
		{ "members dance", "unknown verb \"members dance\"" },
		{ "members add", "takes ID NAME ADDRESS [role=ROLE]" },
		{ "members add 4 web4", "takes ID NAME ADDRESS" },
		{ "members add x web4 h:1", "takes an ID, a number" },
		{ "members add 4 web4 h:1 voter",
		    "takes no \"voter\", but: ID" },
		{ "members add 4 web4 h:1 priority=x", "takes priority=N" },
		{ "members add 4 web4 h:1 priority=", "takes priority=N" },
		{ "members remove", "takes NODE" },
		{ "members remove 4 5", "takes no \"5\", but: NODE" },
		{ "members replace 4", "takes NODE ADDRESS" },
		{ "status 1", "status: takes no argument" },
		{ "resign web2", "did you mean --to web2?" },
		{ "explain 0", "takes a term, a number from 1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said, *made;

		capture();
		made = request(rows[i].line);
		said = captured();
		assert_string_equal(made, "");
		if (strstr(said, rows[i].why) == NULL)
			fail_msg("no '%s' in: %s", rows[i].why, said);
	}
}

static const char *
printed(void (*print)(json_t *), const char *answer)
{
	json_t *json = json_loads(answer, 0, NULL);

	assert_non_null(json);
	capture_stdout();
	print(json);
	json_decref(json);
	return captured();
}

TEST(members_are_a_table)
{
	assert_string_equal(
	    printed(print_members,
		"{\"generation\":5,\"file_generation\":5,\"members\":["
		"{\"id\":1,\"name\":\"web1\",\"address\":\"h1:1\",\"configured_role\":\"voter\",\"priority\":-7},"
		"{\"id\":22,\"name\":\"a\",\"address\":\"host:1\",\"configured_role\":\"candidate\",\"priority\":0}]}"),
	    "generation 5\n"
	    "ID  NODE  ADDRESS  ROLE       PRIO\n"
	    "1   web1  h1:1     voter      -7\n"
	    "22  a     host:1   candidate  0\n");
	assert_string_equal(
	    printed(print_members,
		"{\"generation\":5,\"file_generation\":4,\"members\":[]}"),
	    "generation 5 (older file: 4)\nID  NODE  ADDRESS  ROLE  PRIO\n");
}

TEST(a_change_says_what_is_to_be_done_next)
{
	assert_string_equal(
	    printed(print_changed,
		"{\"change\":\"added\",\"id\":4,\"name\":\"web4\",\"generation\":5,\"file_generation\":4}"),
	    "added web4 (4), generation 5; install a file with generation 5 on all hosts: `electctl config` prints it\n");
	assert_string_equal(
	    printed(print_changed,
		"{\"change\":\"removed\",\"id\":4,\"name\":\"we\\u001bb4\",\"generation\":5,\"file_generation\":5}"),
	    "removed we?b4 (4), generation 5\n");
	assert_string_equal(
	    printed(print_changed,
		"{\"change\":\"added\",\"id\":4,\"name\":\"web4\",\"generation\":5,\"file_generation\":5,\"spare\":0}"),
	    "added web4 (4), generation 5; the cluster survives no further failure\n");
	assert_string_equal(
	    printed(print_changed,
		"{\"change\":\"added\",\"id\":4,\"name\":\"web4\",\"generation\":5,\"file_generation\":5,\"spare\":1}"),
	    "added web4 (4), generation 5\n");
}

TEST(lines_of_settings_are_printed_whole_and_plain)
{
	char answer[1024], wanted[1024], ids[600];

	memset(ids, '1', sizeof(ids) - 1);
	ids[sizeof(ids) - 1] = '\0';
	snprintf(answer, sizeof(answer),
	    "{\"generation\":1,\"lines\":[\"order = [%s];\",\"a\\u001bb\"]}",
	    ids);
	snprintf(wanted, sizeof(wanted), "order = [%s];\na?b\n", ids);
	assert_string_equal(printed(print_config, answer), wanted);
}
