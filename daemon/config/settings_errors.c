/* SPDX-License-Identifier: ISC */
/* The list of what is wrong with a configuration. */
#include "daemon/config/settings_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Takes ownership of `text`, which is NULL if there was no memory for it. */
static void
errors_keep(struct settings_errors *errors, int line, char *text)
{
	if (errors->count == errors->capacity) {
		size_t capacity = errors->capacity * 2 + 16;
		struct settings_error *list =
		    reallocarray(errors->list, capacity, sizeof(*list));

		if (list != NULL) {
			errors->list = list;
			errors->capacity = capacity;
		}
	}
	if (text == NULL || errors->count == errors->capacity) {
		errors->out_of_memory = true;
		free(text);
		return;
	}
	errors->list[errors->count] = (struct settings_error){
		.line = line, .number = errors->count, .text = text
	};
	errors->count++;
}

void
settings_errors_vadd(struct settings_errors *errors, int line,
    const char *setting, const char *format, va_list arguments)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL) {
		errors->out_of_memory = true;
		return;
	}
	if (setting != NULL)
		fprintf(to, "%s: ", setting);
	vfprintf(to, format, arguments);
	if (fclose(to) != 0) {
		free(text);
		text = NULL;
	}
	errors_keep(errors, line, text);
}

void
settings_errors_add(struct settings_errors *errors, int line,
    const char *setting, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	settings_errors_vadd(errors, line, setting, format, arguments);
	va_end(arguments);
}

bool
settings_errors_any(const struct settings_errors *errors)
{
	return errors->count > 0 || errors->out_of_memory;
}

static int
error_compare(const void *a, const void *b)
{
	const struct settings_error *x = a;
	const struct settings_error *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void
settings_errors_print(
    struct settings_errors *errors, const char *path, FILE *to)
{
	if (errors->count > 0)
		qsort(errors->list, errors->count, sizeof(errors->list[0]),
		    error_compare);
	for (size_t i = 0; i < errors->count; i++) {
		const struct settings_error *error = &errors->list[i];

		if (error->line > 0)
			fprintf(
			    to, "%s:%d: %s\n", path, error->line, error->text);
		else
			fprintf(to, "%s: %s\n", path, error->text);
	}
	if (errors->out_of_memory)
		fprintf(to, "%s: out of memory\n", path);
	else if (errors->count > 0)
		fprintf(to, "%s: %zu error%s\n", path, errors->count,
		    errors->count == 1 ? "" : "s");
}

void
settings_errors_done(struct settings_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++)
		free(errors->list[i].text);
	free(errors->list);
	*errors = (struct settings_errors){ 0 };
}
