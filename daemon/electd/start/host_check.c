/* SPDX-License-Identifier: ISC */
#include "daemon/electd/start/host_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <net/if.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/control/control_socket.h"
#include "daemon/electd/change/discovery.h"
#include "daemon/electd/change/document.h"
#include "daemon/electd/change/node_setup.h"
#include "daemon/electd/start/identify.h"
#include "daemon/net/address.h"
#include "daemon/net/udp_socket.h"
#include "daemon/state/state_dir.h"
#include "daemon/state/store_start.h"
#include "daemon/system/rights/user.h"

#define HEARTBEAT_SHORT (10 * MSEC) /* a busy host is often late for less */
#define VOTERS_MIN      3           /* the fewest that survive a failure */

#define RUNTIME_DIRECTORY "/run/electd" /* of the default socket */

struct check {
	const char *file;
	struct settings *settings;
	unsigned errors;
	unsigned warnings;
	int status; /* of the first error */
};

__attribute__((format(printf, 3, 4))) static void
check_fail(struct check *c, int status, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: error: ", c->file);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	if (c->errors++ == 0)
		c->status = status;
}

__attribute__((format(printf, 2, 3))) static void
check_warn(struct check *c, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: warning: ", c->file);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	c->warnings++;
}

static void
check_voters(struct check *c)
{
	const struct settings *s = c->settings;
	unsigned voters = 0;

	if (s->shared.guarantee != GUARANTEE_QUORUM)
		return;
	for (size_t i = 0; i < s->shared.nodes_count; i++)
		voters += s->shared.nodes[i].role != ROLE_OBSERVER;
	if (voters < VOTERS_MIN)
		check_warn(c,
		    "guarantee: with %u voter%s there is no leader as soon as one is down; add a voter, which may have role = \"voter\"",
		    voters, voters == 1 ? "" : "s");
	else if (voters % 2 == 0)
		check_warn(c,
		    "guarantee: %u voters survive no more failures than %u; add a voter or remove one",
		    voters, voters - 1);
}

static void
check_timing(struct check *c)
{
	const struct settings *s = c->settings;

	if (s->shared.timing.heartbeat < HEARTBEAT_SHORT)
		check_warn(c,
		    "timing.heartbeat: below 10ms, the others declare a node dead whose host is busy for a moment; use 10ms or more");
	if (s->shared.timing.misses < 2)
		check_warn(c,
		    "timing.misses: with 1, the others declare a node dead for one lost datagram; use 2 or more, 3 is the default");
}

static void
warn_of_missing(struct check *c, const char *name, const char *path)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		check_warn(c, "checks: %s: there is no %s", name, path);
}

/* Warns of what is not there, and of nothing else: another user than the one
 * who runs this may run the checks. */
static void
check_checks(struct check *c)
{
	const struct settings *s = c->settings;

	for (size_t i = 0; i < s->checks_count; i++) {
		const struct settings_check *check = &s->checks[i];
		char path[32];

		if (check->command[0] == '/')
			warn_of_missing(c, check->name, check->command);
		if (check->disk[0] != '\0')
			warn_of_missing(c, check->name, check->disk);
		if (check->pressure[0] != '\0') {
			snprintf(path, sizeof(path), "/proc/pressure/%s",
			    check->pressure);
			warn_of_missing(c, check->name, path);
		}
	}
}

static void
clear_port(struct address *address)
{
	void *socket_address = &address->socket;

	if (address->socket.ss_family == AF_INET6)
		((struct sockaddr_in6 *)socket_address)->sin6_port = 0;
	else
		((struct sockaddr_in *)socket_address)->sin_port = 0;
}

/* Tries the address. Sets errno on failure. */
static bool
can_bind(const struct address *address)
{
	int fd =
	    socket(address->socket.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error;
	bool can;

	if (fd < 0)
		return false;
	can = bind(fd, (const struct sockaddr *)&address->socket,
		  address->size) == 0;
	error = errno;
	close(fd);
	errno = error;
	return can;
}

/* Returns the family of our own address; AF_UNSPEC: it does not resolve. */
static int
check_own_address(struct check *c)
{
	const struct settings *s = c->settings;
	const char *text = s->listen[0] != '\0'
			       ? s->listen
			       : config_find(&s->shared, s->id)->address;
	struct address address = { .size = 0 };
	char why[UDP_ERROR_MAX];
	int error = address_lookup(text, AF_UNSPEC, &address);

	if (error != 0) {
		check_fail(c, EXIT_FAILURE, "cannot resolve %s: %s", text,
		    gai_strerror(error));
		return AF_UNSPEC;
	}
	/* A running electd has our port. */
	if (store_look_lock(s->state_dir, s->shared.cluster, s->id) != 0)
		clear_port(&address);
	if (!can_bind(&address))
		check_fail(c, EXIT_FAILURE, "cannot listen on %s: %s", text,
		    udp_socket_error(&address, errno, why));
	return address.socket.ss_family;
}

/* As electd does, which goes on without those that it cannot use. */
static void
check_join(struct check *c, int family)
{
	const struct settings_discovery *d = &c->settings->discovery;

	for (size_t i = 0; c->settings->shared.discovers && i < d->join_count;
	     i++) {
		struct address address = { .size = 0 };
		bool is_name = !address_read(d->join[i], &address);
		int error =
		    is_name ? address_lookup(d->join[i], family, &address) : 0;

		if (error != 0)
			check_warn(c, "join: cannot resolve %s: %s", d->join[i],
			    gai_strerror(error));
		else if (family != AF_UNSPEC &&
			 address.socket.ss_family != family)
			check_warn(c,
			    "join: %s is not of the family of this node's address, and is not used",
			    d->join[i]);
	}
}

/* A start fails without it. */
static void
check_multicast(struct check *c)
{
	const struct settings_discovery *d = &c->settings->discovery;

	if (d->group[0] != '\0' && d->interface[0] != '\0' &&
	    if_nametoindex(d->interface) == 0)
		check_fail(c, EXIT_FAILURE,
		    "multicast.interface: there is no %s", d->interface);
}

static void
check_addresses(struct check *c)
{
	const struct settings *s = c->settings;
	int family = check_own_address(c);

	check_join(c, family);
	check_multicast(c);
	for (size_t i = 0; i < s->shared.nodes_count; i++) {
		const struct config_node *n = &s->shared.nodes[i];
		struct address address = { .size = 0 };
		int error;

		if (n->id == s->id)
			continue;
		if (address_read(n->address, &address)) {
			if (family != AF_UNSPEC &&
			    address.socket.ss_family != family)
				check_fail(c, EXIT_FAILURE,
				    "%s: %s is not of the same address family as this node's address; use IPv4 for all nodes or IPv6 for all",
				    n->name, n->address);
			continue;
		}
		error = address_lookup(n->address, family, &address);
		if (error != 0)
			check_warn(c, "%s: cannot resolve %s: %s", n->name,
			    n->address, gai_strerror(error));
	}
}

/* If run as root, continues as the owner of the key: electd will run as that
 * user. */
static void
become_key_owner(const char *path)
{
	struct stat st;

	if (geteuid() != 0 || stat(path, &st) != 0 || st.st_uid == 0)
		return;
	if (setegid(st.st_gid) != 0 || seteuid(st.st_uid) != 0)
		return;
}

static void
check_keys(struct check *c)
{
	struct setup_keys keys;
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return;
	become_key_owner(c->settings->key_file);
	node_setup_keys(c->settings, &keys, to);
	sodium_memzero(&keys, sizeof(keys));
	fclose(to);
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			check_fail(c, EXIT_CONFIGURATION, "%s", line);
	free(text);
}

static void
check_users(struct check *c)
{
	const struct settings *s = c->settings;
	gid_t group;
	uid_t user;

	if (s->group[0] != '\0' && !group_named(s->group, &group))
		check_fail(c, EXIT_FAILURE,
		    "control.group: there is no group \"%s\"; create it or name another",
		    s->group);
	for (size_t i = 0; i < s->deadlines_count; i++) {
		if (!user_named(s->deadlines[i], &user) &&
		    !group_named(s->deadlines[i], &group))
			check_fail(c, EXIT_FAILURE,
			    "control.deadlines: there is no user or group \"%s\"; create it or leave it out",
			    s->deadlines[i]);
	}
}

static bool
votes(const struct settings *s, node_id id)
{
	const struct config_node *node = config_find(&s->shared, id);

	return node != NULL && node->role != ROLE_OBSERVER;
}

/* The leader puts no file into effect that changes more than one voter, or by
 * which an observer would vote. */
static void
check_step(
    struct check *c, const struct settings *s, const struct settings *kept)
{
	unsigned differ = 0, promoted = 0;

	for (size_t i = 0; i < kept->shared.nodes_count; i++) {
		node_id id = kept->shared.nodes[i].id;

		differ += votes(kept, id) != votes(s, id);
		promoted += !votes(kept, id) && votes(s, id);
	}
	for (size_t i = 0; i < s->shared.nodes_count; i++)
		differ +=
		    votes(s, s->shared.nodes[i].id) &&
		    config_find(&kept->shared, s->shared.nodes[i].id) == NULL;
	if (differ > 1)
		check_warn(c,
		    "nodes: a reload refuses this while config version %" PRIu32
		    " is in effect, which this host has: more than one voter comes, goes or changes",
		    kept->shared.config_version);
	else if (promoted > 0)
		check_warn(c,
		    "nodes: a reload refuses this while config version %" PRIu32
		    " is in effect, which this host has kept: an observer cannot become a voter; remove it first, then add it",
		    kept->shared.config_version);
}

/* Compares the settings of the file with those that were in effect last. */
static void
check_config_id(
    struct check *c, const struct settings *s, const struct settings *kept)
{
	if (s->shared.config_version < kept->shared.config_version)
		check_warn(c,
		    "config_version: this file is older (config version %" PRIu32
		    ") than the settings of the cluster (config version %" PRIu32
		    "), which stay in effect; install the newer file",
		    s->shared.config_version, kept->shared.config_version);
	else if (s->shared.config_version == kept->shared.config_version &&
		 !config_is_copy(&s->shared, &kept->shared))
		check_fail(c, EXIT_CONFIGURATION,
		    "config_version: the settings of the cluster are others of the same config version, %" PRIu32
		    "; raise config_version with each change",
		    s->shared.config_version);
	else if (s->shared.config_version > kept->shared.config_version &&
		 s->shared.guarantee == GUARANTEE_QUORUM)
		check_step(c, s, kept);
}

/* With discovery the file takes the nodes that are known. */
static void
check_known(struct check *c, const struct settings *kept)
{
	struct settings *followed = settings_clone(c->settings);
	char *errors = NULL;

	if (followed != NULL && discovery_follow(kept, followed, &errors))
		check_config_id(c, followed, kept);
	settings_free(followed);
	free(errors);
}

/* A voter without a sound state file votes once a leader has admitted it. `s`:
 * the settings that will be in effect. */
static void
check_vote(struct check *c, const struct settings *s)
{
	char why[STATE_TEXT_MAX];

	if (s->shared.guarantee == GUARANTEE_QUORUM && votes(s, s->id) &&
	    store_lacks_vote(s, why))
		check_warn(c,
		    "%s/%s-%" PRIu32 ".state: this node does not vote yet: %s",
		    s->state_dir, s->shared.cluster, s->id, why);
}

static void
check_state_file(struct check *c)
{
	const struct settings *s = c->settings;
	struct settings *kept = NULL;

	if (s->id == NODE_NONE)
		return;
	if (config_has_document(&s->shared))
		kept = document_kept(s, c->file);
	if (kept != NULL)
		check_known(c, kept);
	check_vote(c, kept != NULL ? kept : s);
	settings_free(kept);
}

static void
fail_state(struct check *c, int error)
{
	const char *path = c->settings->state_dir;
	char text[STATE_DIR_TEXT_MAX];

	check_fail(c, EXIT_FAILURE, "state_dir: %s: %s", path,
	    state_dir_error(path, error, text));
}

/* Returns 0 if we may create files in the directory, or a negative errno. */
static int
directory_error(const char *path)
{
	char inside[STATE_DIR_TEXT_MAX];

	snprintf(inside, sizeof(inside), "%s/.", path);
	return faccessat(AT_FDCWD, inside, W_OK | X_OK, AT_EACCESS) == 0
		   ? 0
		   : -errno;
}

/* directory_error() of the directory that contains the file. */
static int
parent_error(const char *path)
{
	char copy[STATE_DIR_TEXT_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	return directory_error(dirname(copy));
}

static void
check_missing_state(struct check *c, int error)
{
	const char *path = c->settings->state_dir;
	struct stat st;

	if (error == -ENOENT)
		error = lstat(path, &st) == 0 ? -EEXIST : parent_error(path);
	if (error != 0) {
		fail_state(c, error);
		return;
	}
	check_warn(c, "state_dir: %s: %s; electd creates it at start", path,
	    strerror(ENOENT));
	if (c->settings->id != NODE_NONE)
		check_vote(c, c->settings);
}

/* Checks as the owner of the state directory, as whom electd will run. */
static void
check_state(struct check *c)
{
	const struct settings *s = c->settings;
	struct state_dir dir;
	char text[STATE_DIR_TEXT_MAX];
	struct stat st;
	int error;

	if (stat(s->state_dir, &st) != 0) {
		check_missing_state(c, -errno);
		return;
	}
	error = S_ISDIR(st.st_mode) ? state_dir_prepare(s, &dir) : -ENOTDIR;
	if (error == 0 && faccessat(AT_FDCWD, s->state_dir, R_OK | W_OK | X_OK,
			      AT_EACCESS) != 0)
		error = -errno;
	if (error != 0)
		fail_state(c, error);
	else
		check_state_file(c);
	if (state_dir_is_open_to_others(s->state_dir, text))
		check_warn(c, "state_dir: %s", text);
}

/* The unit's RuntimeDirectory= makes the default socket's directory. */
static bool
is_made_by_systemd(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t size = strlen(RUNTIME_DIRECTORY);

	return slash == path + size &&
	       strncmp(path, RUNTIME_DIRECTORY, size) == 0;
}

/* A directory may give its group to what is made in it. */
static bool
gives_group(const char *path, gid_t group)
{
	char copy[STATE_DIR_TEXT_MAX];
	struct stat st;

	snprintf(copy, sizeof(copy), "%s", path);
	return stat(dirname(copy), &st) == 0 && (st.st_mode & S_ISGID) != 0 &&
	       st.st_gid == group;
}

/* As control_new() does. */
static void
check_group(struct check *c)
{
	const char *name = c->settings->group;
	char user[USER_TEXT_MAX];
	gid_t group;

	if (name[0] == '\0' || !group_named(name, &group) ||
	    user_may_give(group) || gives_group(c->settings->socket, group))
		return;
	user_text(geteuid(), user);
	check_fail(c, EXIT_FAILURE,
	    "control.group: %s, the user that electd runs as, must be a member of %s: usermod -aG %s %s",
	    user, name, name, user);
}

static void
check_socket(struct check *c)
{
	const char *path = c->settings->socket;
	int error = parent_error(path);
	struct stat st;

	if (error == 0 && lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		error = -EEXIST;
	if (error == -ENOENT && is_made_by_systemd(path))
		check_warn(c,
		    "control.socket: %s: its directory does not exist; systemd creates it when it starts the service; to start electd by hand, create it first",
		    path);
	else if (error != 0)
		check_fail(c, EXIT_FAILURE, "control.socket: %s: %s", path,
		    listener_error_text(error));
}

static void
check_host(struct check *c)
{
	char text[IDENTIFY_TEXT_MAX];
	int status = identify_look(c->settings, text);

	if (status == EXIT_SUCCESS)
		check_addresses(c);
	else
		check_fail(c, status, "%s", text);
	check_users(c);
	check_state(c);
	check_group(c); /* as the owner of the state directory */
	check_keys(c);
	check_checks(c);
	if (status == EXIT_SUCCESS)
		check_socket(c); /* as the owner of the keys */
}

/* Prints "2 errors" and `end`, or nothing if there are none. */
static void
print_count(unsigned count, const char *what, const char *end)
{
	if (count > 0)
		printf("%u %s%s%s", count, what, count == 1 ? "" : "s", end);
}

int
host_check(const char *file, struct settings *s, bool file_only)
{
	struct check c = { .file = file, .settings = s };

	check_voters(&c);
	check_timing(&c);
	if (!file_only)
		check_host(&c);
	printf("%s: ", file);
	print_count(c.errors, "error", c.warnings > 0 ? ", " : "");
	if (c.errors == 0)
		fputs(c.warnings > 0 ? "ok, " : "ok", stdout);
	print_count(c.warnings, "warning", "");
	printf(": cluster %s, ", s->shared.cluster);
	if (!s->shared.discovers || s->shared.guarantee == GUARANTEE_QUORUM)
		print_count((unsigned)s->shared.nodes_count, "node",
		    s->shared.discovers ? " and others by discovery" : "");
	else
		fputs("nodes by discovery", stdout);
	printf(", algorithm %s, guarantee %s\n", s->shared.algorithm->name,
	    guarantee_words[s->shared.guarantee]);
	return c.status;
}
