/* SPDX-License-Identifier: ISC */
/* The arguments of a verb: words, of which some have a name. */
#include "daemon/electctl/electctl.h"

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

/* True if there are verbs of two words of which this is the first. */
static bool
begins_others(const struct command *command)
{
	size_t size = strlen(command->name);
	const struct command *other;

	for (size_t i = 0; (other = command_at(i)) != NULL; i++) {
		if (strncmp(other->name, command->name, size) == 0 &&
		    other->name[size] == ' ')
			return true;
	}
	return false;
}

/* Complains about a word that is for no parameter. */
static void
complain_of_word(const struct command *command, const char *word)
{
	if (command->takes_to)
		complain("%s: takes no argument; did you mean --to %s?",
		    command->name, word);
	else if (begins_others(command))
		complain("unknown verb \"%s %s\"; --help lists them",
		    command->name, word);
	else if (command->parameters[0].key == NULL)
		complain("%s: takes no argument", command->name);
	else
		complain("%s: takes no \"%s\", but:%s", command->name, word,
		    command->arguments);
}

/* Adds a value to the request, if there is one. True if it is wanted. */
static bool
take_value(const struct command *command, const struct parameter *parameter,
    const char *text, json_t *request)
{
	json_t *value = parameter->take(text);

	if (value == NULL) {
		complain("%s: takes %s", command->name, parameter->wanted);
		return false;
	}
	if (request != NULL)
		json_object_set(request, parameter->key, value);
	json_decref(value);
	return true;
}

bool
arguments_take(const struct command *command, const struct options *options,
    json_t *request)
{
	unsigned at = 0;

	for (int i = 0; i < options->words_count; i++) {
		const char *word = options->words[i], *value;
		const struct parameter *parameter =
		    parameter_of(command, at, word, &value);

		if (parameter == NULL) {
			complain_of_word(command, word);
			return false;
		}
		if (!take_value(command, parameter, value, request))
			return false;
		at += !parameter->is_named;
	}
	if (is_last(command, at) || command->parameters[at].is_optional)
		return true;
	complain("%s: takes%s", command->name, command->arguments);
	return false;
}
