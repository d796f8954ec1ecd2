/* SPDX-License-Identifier: ISC */
/* What a verb takes: options, and words, of which some have a name. */
#include "common/wire/standby.h"
#include "daemon/electctl/electctl.h"

/* True if the values of the options make sense. The daemon checks the rest. */
static bool
values_fit(const struct command *command, const struct options *options)
{
	const char *reason = options->reason != NULL ? options->reason : "";
	const struct option_row *wrong = NULL;
	json_t *request = json_object();

	if (!standby_reason_is_valid(reason, strlen(reason)))
		complain(
		    "%s: --reason has at most %d bytes of UTF-8, and no control characters",
		    command->name, STANDBY_REASON_MAX);
	else if (!options_put(options, request, &wrong))
		complain("%s: --%s is not UTF-8", command->name, wrong->name);
	else
		reason = NULL;
	json_decref(request);
	return reason == NULL;
}

bool
options_fit(const struct command *command, struct options *options)
{
	uint64_t takes = command->takes | OPTIONS_GLOBAL;

	/* The options have all bits of a name, of which a verb takes one. */
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		bool is_taken = !is_given(options, i);

		for (unsigned j = 0; j < OPTIONS_COUNT; j++)
			is_taken |= (takes & OPTION_BIT(j)) != 0 &&
				    strcmp(option_rows[i].name,
					option_rows[j].name) == 0;
		if (!is_taken) {
			complain("%s: takes no --%s", command->name,
			    option_rows[i].name);
			return false;
		}
	}
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if ((command->needs & OPTION_BIT(i)) != 0 &&
		    !is_given(options, i)) {
			complain("%s: takes --%s %s", command->name,
			    option_rows[i].name,
			    option_rows[i].value != NULL
				? option_rows[i].value
				: command->arguments + 1);
			return false;
		}
	}
	if (is_given(options, OPTION_WAIT) &&
	    is_given(options, OPTION_DEADLINE)) {
		complain("%s --wait: takes no --deadline", command->name);
		return false;
	}
	options->given &= takes;
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if (is_given(options, i))
			options->given |= option_rows[i].implies;
	}
	return values_fit(command, options);
}

static bool
is_last(const struct command *command, unsigned i)
{
	return i == PARAMETERS_MAX || command->parameters[i].key == NULL;
}

/* What is behind "KEY=" if the word begins so; else NULL. */
static const char *
value_of(const struct parameter *parameter, const char *word)
{
	size_t size = strlen(parameter->key);

	if (strncmp(word, parameter->key, size) != 0 || word[size] != '=')
		return NULL;
	return word + size + 1;
}

/* The parameter that the word is for, where `at` have been taken already.
 * *value is its value. NULL: none. */
static const struct parameter *
parameter_of(const struct command *command, unsigned at, const char *word,
    const char **value)
{
	*value = word;
	if (!is_last(command, at) && !command->parameters[at].is_named)
		return &command->parameters[at];
	for (; !is_last(command, at); at++) {
		*value = value_of(&command->parameters[at], word);
		if (*value != NULL)
			return &command->parameters[at];
	}
	return NULL;
}

/* Complains about a word that is for no parameter. */
static void
complain_of_word(const struct command *command, const char *word)
{
	if ((command->takes & OPTION_BIT(OPTION_TO)) != 0)
		complain("%s: takes no argument; did you mean --to %s?",
		    command->name, word);
	else if (command_begins_others(command))
		complain("unknown verb \"%s %s\"; --help lists them",
		    command->name, word);
	else if (command->parameters[0].key == NULL)
		complain("%s: takes no argument", command->name);
	else
		complain("%s: takes no \"%s\", but:%s", command->name, word,
		    command->arguments);
}

/* Adds a value to the arguments. True if it is wanted. */
static bool
take_value(const struct command *command, const struct parameter *parameter,
    const char *text, json_t *arguments)
{
	json_t *value = parameter->take(text);

	if (value == NULL) {
		complain("%s: takes %s", command->name, parameter->wanted);
		return false;
	}
	json_object_set_new(arguments, parameter->key, value);
	return true;
}

bool
arguments_take(const struct command *command, struct options *options)
{
	unsigned at = 0;

	options->arguments = json_object();
	if (command->takes_command && options->words_count > 0)
		return true;
	for (int i = 0; i < options->words_count; i++) {
		const char *word = options->words[i], *value;
		const struct parameter *parameter =
		    parameter_of(command, at, word, &value);

		if (parameter == NULL) {
			complain_of_word(command, word);
			return false;
		}
		if (!take_value(command, parameter, value, options->arguments))
			return false;
		at += !parameter->is_named;
	}
	if (!command->takes_command &&
	    (is_last(command, at) || command->parameters[at].is_optional))
		return true;
	complain("%s: takes%s", command->name, command->arguments);
	return false;
}
