/* SPDX-License-Identifier: ISC */
/* `record`: fetches what the daemon has recorded, and writes it to a file. */
#include <errno.h>
#include <unistd.h>

#include "daemon/electctl/ask/ask.h"
#include "daemon/system/new_file.h"

#define STEP_BYTES 65536

/* Copies exactly `size` bytes. Gives 0 or an errno; EPROTO: the file has
 * fewer. */
static int
copy(int from, int to, json_int_t size)
{
	char bytes[STEP_BYTES];

	while (size > 0) {
		ssize_t got = read(from, bytes, sizeof(bytes)), put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0 || got > size)
			return EPROTO;
		size -= got;
		for (char *at = bytes; got > 0; at += put, got -= put) {
			put = write(to, at, (size_t)got);
			if (put < 0 && errno != EINTR)
				return errno;
			put = put < 0 ? 0 : put;
		}
	}
	return 0;
}

/* Writes the tape to the path, "-" for standard output. */
static enum control_code
write_tape(const char *path, int tape, json_int_t size)
{
	bool is_stdout = strcmp(path, "-") == 0;
	char temporary[NEW_FILE_PATH_MAX];
	int to = is_stdout ? STDOUT_FILENO : new_file_begin(path, temporary);
	int error = to < 0 ? -to : copy(tape, to, size);

	if (to >= 0 && !is_stdout) {
		if (close(to) != 0 && error == 0)
			error = errno;
		error = -new_file_end(path, temporary, -error);
	}
	if (error == 0)
		return CODE_YES;
	complain("%s: %s", path,
	    error == EPROTO ? "the daemon gave no whole tape"
			    : strerror(error));
	return CODE_UNKNOWN;
}

enum control_code
run_record(const struct command *command, const struct options *options)
{
	struct electd *daemon;
	enum control_code code = ask_connect(command, options, &daemon);
	json_t *answer;

	if (code != CODE_YES)
		return code;
	code = ask_for(command, daemon, "{\"verb\":\"record\"}", &answer);
	if (code == CODE_YES && electd_file(daemon) < 0) {
		complain("the daemon gave no tape");
		code = CODE_UNKNOWN;
	}
	if (code == CODE_YES)
		code = write_tape(options->dump, electd_file(daemon),
		    json_integer_value(field(answer, "bytes")));
	json_decref(answer);
	electd_free(daemon);
	return code;
}
