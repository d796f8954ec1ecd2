/* SPDX-License-Identifier: ISC */
/* The checks of the health of this host's services. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/util/text.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* What the names of systemd's units end with. */
static const char *const unit_types[] = { ".service", ".socket", ".target",
	".mount", ".automount", ".path", ".timer", ".device", ".swap", ".slice",
	".scope", NULL };

struct checks_build {
	const struct draft_checks *draft;
	struct settings_errors *errors;
};

/* Writes the full name of a setting of check `i`; NULL: of the check. */
static const char *
check_setting(size_t i, const char *setting, char buffer[ENTRY_MAX_BYTES])
{
	snprintf(buffer, ENTRY_MAX_BYTES, "checks[%zu]%s%s", i,
	    setting == NULL ? "" : ".", setting == NULL ? "" : setting);
	return buffer;
}

static void
check_name(const struct checks_build *b, size_t i)
{
	const struct given *name = &b->draft->checks[i].name;
	char buffer[ENTRY_MAX_BYTES];

	if (!name->valid)
		return;
	if (strlen(name->text) >= CHECK_NAME_BYTES)
		settings_errors_add(b->errors, name->line,
		    check_setting(i, "name", buffer),
		    "\"%s\" is too long; the name of a check has at most %d characters",
		    name->text, CHECK_NAME_BYTES - 1);
	for (size_t j = 0; j < i; j++) {
		const struct given *other = &b->draft->checks[j].name;

		if (!other->valid || strcmp(other->text, name->text) != 0)
			continue;
		settings_errors_add(b->errors, name->line,
		    check_setting(i, "name", buffer),
		    "\"%s\" is already used in line %d; give each check its own",
		    name->text, other->line);
		return;
	}
}

/* What is wrong with the first word of a command, or NULL. */
static const char *
program_fault(const char *word)
{
	if (*word == '\0')
		return "is empty; begin with the program";
	if (*word != '/' && strchr(word, '/') != NULL)
		return "is a relative path; begin it with \"/\", or give a name that is looked for in PATH";
	return NULL;
}

static void
check_word(const struct checks_build *b, size_t i, size_t j)
{
	const struct given *word = &b->draft->checks[i].command.list[j];
	const char *fault = j == 0 ? program_fault(word->text) : NULL;
	char setting[64]; /* fits any two indices */
	char value[QUOTED_MAX];

	if (!text_is_printable(word->text, strlen(word->text)))
		fault =
		    "has control characters, or is not UTF-8; put it into a script";
	if (fault == NULL)
		return;
	snprintf(setting, sizeof(setting), "checks[%zu].command[%zu]", i, j);
	settings_errors_add(b->errors, word->line, setting, "%s %s",
	    quoted(word->text, value), fault);
}

static void
check_command(const struct checks_build *b, size_t i)
{
	const struct draft_texts *command = &b->draft->checks[i].command;
	char buffer[ENTRY_MAX_BYTES];
	size_t size = 0;

	if (command->list == NULL)
		return;
	for (size_t j = 0; j < command->count; j++) {
		if (!command->list[j].valid)
			continue;
		check_word(b, i, j);
		size += strlen(command->list[j].text) + 1;
	}
	if (command->count == 0)
		settings_errors_add(b->errors, command->line,
		    check_setting(i, "command", buffer),
		    "is empty; give the program and its arguments, as in [\"/usr/bin/test\", \"-e\", \"/run/web.pid\"]");
	if (size > CHECK_COMMAND_MAX)
		settings_errors_add(b->errors, command->line,
		    check_setting(i, "command", buffer),
		    "is too long; its words have at most %d bytes, with a byte between two; put it into a script",
		    CHECK_COMMAND_MAX - 1);
}

/* Returns what is wrong with the name of a unit, or NULL. */
static const char *
unit_fault(const char *name)
{
	size_t size = strlen(name);

	if (size >= UNIT_MAX_BYTES)
		return "is too long; a unit's name has at most 255 characters";
	if (size == 0 || *name == '-' || *name == '.' ||
	    strspn(name, LETTERS "0123456789:_.\\@-") != size)
		return "is not the name of a unit; write it as in \"nginx.service\"";
	for (size_t i = 0; unit_types[i] != NULL; i++) {
		size_t type = strlen(unit_types[i]);

		if (size > type &&
		    strcmp(name + size - type, unit_types[i]) == 0)
			return NULL;
	}
	return "has no type; write it as in \"nginx.service\"";
}

/* Adds an error unless there is either a command or a unit. */
static void
check_kind(const struct checks_build *b, size_t i)
{
	const struct draft_check *check = &b->draft->checks[i];
	const char *fault = NULL;
	char buffer[ENTRY_MAX_BYTES];
	char value[QUOTED_MAX];

	if (check->unit.line == 0 && check->command.line == 0 &&
	    check->name.line > 0)
		settings_errors_add(b->errors, check->line,
		    check_setting(i, NULL, buffer),
		    "has nothing to do; give it a command or a unit");
	if (check->unit.line > 0 && check->command.line > 0)
		settings_errors_add(b->errors, check->unit.line,
		    check_setting(i, "unit", buffer),
		    "cannot be given together with \"command\" (line %d); keep one of the two",
		    check->command.line);
	if (check->unit.valid)
		fault = unit_fault(check->unit.text);
	if (fault != NULL)
		settings_errors_add(b->errors, check->unit.line,
		    check_setting(i, "unit", buffer), "%s %s",
		    quoted(check->unit.text, value), fault);
}

/* Makes a check, which is valid, in memory that is zero. */
static void
check_make(const struct draft_check *from, struct settings_check *check)
{
	char *to = check->command;

	memcpy(check->name, from->name.text, strlen(from->name.text));
	if (from->unit.valid)
		memcpy(check->unit, from->unit.text, strlen(from->unit.text));
	for (size_t i = 0; i < from->command.count; i++) {
		size_t size = strlen(from->command.list[i].text) + 1;

		memcpy(to, from->command.list[i].text, size);
		to += size;
	}
	check->words_count = from->command.count;
	check->interval = (nsec_t)from->interval.number;
	check->timeout = from->timeout.valid ? (nsec_t)from->timeout.number
					     : check->interval;
	check->rise = (unsigned)from->rise.number;
	check->fall = (unsigned)from->fall.number;
}

void
settings_build_checks(struct settings *settings, const struct draft *draft,
    struct settings_errors *errors)
{
	const struct checks_build b = { &draft->checks, errors };
	size_t count = draft->checks.count;

	for (size_t i = 0; i < count; i++) {
		check_name(&b, i);
		check_kind(&b, i);
		check_command(&b, i);
	}
	if (settings_errors_any(errors) || count == 0)
		return;
	settings->checks = calloc(count, sizeof(settings->checks[0]));
	if (settings->checks == NULL) {
		errors->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		check_make(&draft->checks.checks[i], &settings->checks[i]);
	settings->checks_count = count;
}

bool
settings_have_same_checks(
    const struct settings *settings, const struct settings *other)
{
	size_t count = settings->checks_count;

	return count == other->checks_count &&
	       (count == 0 || memcmp(settings->checks, other->checks,
				  count * sizeof(settings->checks[0])) == 0);
}
