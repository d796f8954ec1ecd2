/* SPDX-License-Identifier: ISC */
/*
 * What electctl prints, and its exit status, with a daemon that a process of our
 * own plays. The cases stand in files beside this one, which have such lines:
 *
 *	# A comment.
 *	@NAME = TEXT   "@NAME" in later lines is this text
 *	NAME         of the runs that follow: a sentence
 *	$ WORDS      a run: the words of electctl, as a shell quotes them
 *	> TEXT       what follows answers the next request with this text in it,
 *	             or, if no later answer is for it, each such request
 *	> TEXT < LINE   the same, with its answer
 *	< LINE       an answer; "@+500" in it is the time in 500 ms
 *	.            the daemon waits until somebody writes to the file "next"
 *	~ MS         the daemon waits for so long
 *	+ TEXT       the next line comes with a file that has this text
 *	!            the daemon disconnects
 *	(tab) LINE   a line that is printed, on stdout or stderr; "..." for any
 *	= CODE       the exit status, or -SIGNAL; without it 0
 *
 * An empty line says nothing; two spaces begin the rest of a line. Answers
 * without a request before them are for any. After a request that nothing
 * answers the daemon disconnects; with no "<" behind its ">" it is silent.
 */
#include "tests/unit/group.h"

#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "daemon/electctl/electctl.h"
#include "daemon/system/clock.h"
#include "tests/lib/slurp.h"

#define MACROS_MAX 48
#define WORDS_MAX  16 /* of a command line */
#define STEPS_MAX  48 /* of the daemon, in a run */
#define DIGITS     "0123456789"
#define PRINTED    65536 /* bytes that a run prints at most */

/* What the daemon does, by the character that begins the line. */
struct step {
	char kind;
	const char *text;
};

struct run {
	const char *name;
	const char *words; /* NULL: only the name is known yet */
	struct step steps[STEPS_MAX];
	unsigned steps_count;
	char printed[PRINTED];
	size_t printed_size;
	int code;
};

/* The file. */

static struct macro {
	char name[32];
	char *text;
} macros[MACROS_MAX];
static unsigned macros_count;

/* Adds the line with the macros in it replaced. */
static void
expand(FILE *to, const char *line)
{
	for (; *line != '\0'; line++) {
		size_t size = strspn(line + 1, "abcdefghijklmnopqrstuvwxyz-");
		const struct macro *found = NULL;

		for (unsigned i = 0; i < macros_count && *line == '@'; i++) {
			if (strlen(macros[i].name) == size &&
			    strncmp(macros[i].name, line + 1, size) == 0)
				found = &macros[i];
		}
		if (found == NULL)
			fputc(*line, to);
		else
			fputs(found->text, to);
		line += found != NULL ? size : 0;
	}
}

/* True if the line is a definition, which is taken. */
static bool
define(const char *line)
{
	struct macro *macro = &macros[macros_count];
	size_t size, name = strcspn(line, " ");
	FILE *to;

	if (*line != '@' || strncmp(line + name, " = ", 3) != 0)
		return false;
	assert_true(macros_count < MACROS_MAX && name < sizeof(macro->name));
	to = open_memstream(&macro->text, &size);
	snprintf(macro->name, name, "%s", line + 1);
	expand(to, line + name + 3);
	fclose(to);
	macros_count++;
	return true;
}

/* The text of a file without comments and macros, with whole lines. */
static char *
prepare(char *text)
{
	char *made, *rest;
	size_t size;
	FILE *to = open_memstream(&made, &size);

	(void)define("@version = " ELECTD_VERSION);
	for (char *at = text; (at = strstr(at, "\n  ")) != NULL;)
		memcpy(at, "   ", 3);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#' || define(line))
			continue;
		expand(to, line);
		fputc('\n', to);
	}
	fclose(to);
	while (macros_count > 0)
		free(macros[--macros_count].text);
	return made;
}

/* The daemon. */

static void
send_line(int fd, const char *text, int file)
{
	char line[16384];
	const char *at = strstr(text, "@+");
	char *end;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_level = SOL_SOCKET,
			  .cmsg_type = SCM_RIGHTS,
			  .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec vector = { .iov_base = line };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

	if (at == NULL) {
		snprintf(line, sizeof(line), "%s\n", text);
	} else {
		nsec_t then = clock_now() + strtoull(at + 2, &end, 10) * MSEC;

		snprintf(line, sizeof(line), "%.*s%" PRIu64 "%s\n",
		    (int)(at - text), text, then, end);
	}
	vector.iov_len = strlen(line);
	memcpy(CMSG_DATA(&control.header), &file, sizeof(int));
	if (file >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	(void)sendmsg(fd, &message, MSG_NOSIGNAL);
}

static void
await_next(void)
{
	FILE *next = fopen("next", "r");
	char line[16];

	while (fgets(line, sizeof(line), next) != NULL)
		continue; /* until whoever writes has closed it */
	fclose(next);
}

/* Does what stands behind this request. */
static void
answer(int fd, const struct run *run, unsigned at)
{
	int file = -1;

	for (; at < run->steps_count && run->steps[at].kind != '>'; at++) {
		const struct step *step = &run->steps[at];

		if (step->kind == '.') {
			await_next();
		} else if (step->kind == '~') {
			(void)poll(NULL, 0, atoi(step->text));
		} else if (step->kind == '!') {
			_exit(0);
		} else if (step->kind == '+') {
			file = memfd_create("file", MFD_CLOEXEC);
			(void)!write(file, step->text, strlen(step->text));
			lseek(file, 0, SEEK_SET);
		} else {
			send_line(fd, step->text, file);
			file = -1;
		}
	}
}

/* Where the answer to this request begins; 0: there is none. It uses up the
 * request unless it is the last of its kind. */
static unsigned
find_answer(const struct run *run, const char *line, bool *is_used)
{
	unsigned found = 0;

	for (unsigned i = 0; i < run->steps_count; i++) {
		if (run->steps[i].kind != '>' ||
		    strstr(line, run->steps[i].text) == NULL)
			continue;
		found = i + 1;
		if (!is_used[i])
			break;
	}
	if (found > 0)
		is_used[found - 1] = true;
	return found;
}

/* Serves one client. What other clients have used up is used. */
static void
serve(int fd, const struct run *run, bool *is_used)
{
	FILE *stream = fdopen(fd, "r+");
	char line[1024];
	unsigned at;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (fgets(line, sizeof(line), stream) != NULL &&
	       (at = find_answer(run, line, is_used)) > 0)
		answer(fd, run, at);
	_exit(0);
}

static int
listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_int_equal(
	    bind(listener, (const struct sockaddr *)&address, sizeof(address)),
	    0);
	assert_int_equal(listen(listener, 5), 0);
	return listener;
}

/* Begins a daemon with this socket. Gives its process. */
static pid_t
begin_daemon(const char *path, const struct run *run, bool *is_used)
{
	int listener = listen_at(path);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0) {
		close(listener);
		return pid;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fork() == 0)
			serve(fd, run, is_used);
		close(fd);
	}
}

static void
end_daemon(pid_t pid, const char *path)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unlink(path);
}

/* electctl. */

/* Runs electctl with its output in `to`. Gives its exit status, or the signal
 * that ended it, below 0. */
static int
run_electctl(const char *text, int to)
{
	static wordexp_t words; /* still there when a sanitizer looks */
	char program[] = "electctl", *argv[WORDS_MAX + 2] = { program };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		assert_int_equal(wordexp(text, &words, 0), 0);
		assert_true(words.we_wordc <= WORDS_MAX);
		memcpy(
		    argv + 1, words.we_wordv, words.we_wordc * sizeof(argv[0]));
		dup2(to, STDOUT_FILENO);
		dup2(to, STDERR_FILENO);
		optind = 0;
		exit(electctl_run((int)words.we_wordc + 1, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* What was printed, as in a file of cases: each line behind a tab, "pid N" for
 * the ids of processes, and no empty lines. */
static const char *
read_output(int from)
{
	static char text[PRINTED], printed[PRINTED];
	ssize_t size = pread(from, text, sizeof(text) - 1, 0);
	size_t at = 0;

	assert_true(size >= 0);
	text[size] = '\0';
	for (const char *c = text; *c != '\0' && at < PRINTED - 3; c++) {
		bool begins = c == text || c[-1] == '\n';

		if (begins && *c == '\n')
			continue;
		if (begins)
			printed[at++] = '\t';
		printed[at++] = *c;
		if (at > 5 && strncmp(printed + at - 4, "pid ", 4) == 0 &&
		    strspn(c + 1, DIGITS) > 0) {
			printed[at++] = 'N';
			c += strspn(c + 1, DIGITS);
		}
	}
	if (at > 0 && printed[at - 1] != '\n')
		printed[at++] = '\n';
	printed[at] = '\0';
	return printed;
}

/* True if it is what is wanted, in which one line may stand for several. */
static bool
is_wanted(const char *printed, const char *wanted)
{
	static const char any[] = "\t...\n";
	const char *at = strstr(wanted, any), *rest;
	size_t size = strlen(printed), first;

	if (at == NULL)
		return strcmp(printed, wanted) == 0;
	first = (size_t)(at - wanted);
	rest = at + strlen(any);
	return size >= first + strlen(rest) &&
	       strncmp(printed, wanted, first) == 0 &&
	       strcmp(printed + size - strlen(rest), rest) == 0;
}

/* Does the run. False, with what it has printed, if that is not as wanted. */
static bool
run_is_right(const struct run *run)
{
	bool *is_used = mmap(NULL, STEPS_MAX * sizeof(bool),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int output = memfd_create("output", MFD_CLOEXEC);
	pid_t query, admin;
	const char *printed;
	bool is_right;
	int code;

	assert_true(is_used != MAP_FAILED && output >= 0);
	fflush(NULL);
	query = begin_daemon("web.sock", run, is_used);
	admin = begin_daemon("web.admin.sock", run, is_used);
	code = run_electctl(run->words, output);
	end_daemon(query, "web.sock");
	end_daemon(admin, "web.admin.sock");
	printed = read_output(output);
	is_right = code == run->code && is_wanted(printed, run->printed);
	if (!is_right)
		fprintf(stderr, "%s\n$ %s\n%s= %d\n", run->name, run->words,
		    printed, code);
	close(output);
	munmap(is_used, STEPS_MAX * sizeof(bool));
	return is_right;
}

static void
add_step(struct run *run, char kind, const char *text)
{
	if (run->steps_count == 0 && kind != '>')
		add_step(run, '>', "");
	assert_true(run->steps_count < STEPS_MAX);
	run->steps[run->steps_count++] = (struct step){ kind, text };
}

/* Takes a line of a run. */
static void
take_line(struct run *run, char *line)
{
	char *answer = *line == '>' ? strstr(line, " < ") : NULL;

	if (*line == '\t') {
		run->printed_size +=
		    (size_t)snprintf(run->printed + run->printed_size,
			PRINTED - run->printed_size, "%s\n", line);
		return;
	}
	if (*line == '=') {
		run->code = atoi(line + 1);
		return;
	}
	if (answer != NULL)
		*answer = '\0';
	add_step(run, *line, line + 1 + (line[1] == ' '));
	if (answer != NULL)
		add_step(run, '<', answer + 3);
}

/* Does all runs of a file, in a directory that is empty at first. */
static void
play(const char *path)
{
	static struct run run;
	char place[] = "/tmp/electd-cases-XXXXXX", here[4096];
	char *text = slurp(path), *made = prepare(text), *rest;
	unsigned failed = 0;
	int end;

	assert_non_null(getcwd(here, sizeof(here)));
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	assert_int_equal(mkfifo("next", 0600), 0);
	setenv("ELECTD_SOCKET", "web.sock", 1);
	run = (struct run){ .words = NULL };
	for (char *line = strtok_r(made, "\n", &rest);;
	     line = strtok_r(NULL, "\n", &rest)) {
		bool begins = line == NULL || *line == '$' ||
			      strchr("\t=<>.!+~", *line) == NULL;

		if (begins && run.words != NULL)
			failed += !run_is_right(&run);
		if (line == NULL)
			break;
		if (begins && *line == '$')
			run =
			    (struct run){ .name = run.name, .words = line + 2 };
		else if (begins)
			run = (struct run){ .name = line };
		else
			take_line(&run, line);
	}
	unsetenv("ELECTD_SOCKET");
	end = system("rm ./*");
	assert_int_equal(chdir(here), 0);
	assert_int_equal(rmdir(place) + end, 0);
	free(text);
	free(made);
	if (failed > 0)
		fail_msg("%s: %u runs are not as wanted", path, failed);
}

#define CASES(name)                                                            \
	TEST(name)                                                             \
	{                                                                      \
		play("tests/unit/electctl/" #name ".cases");                   \
	}

CASES(usage)
CASES(completing)
CASES(answers)
CASES(status)
CASES(events)
CASES(waiting)
CASES(running)
CASES(following)
CASES(checking)
CASES(histories)
