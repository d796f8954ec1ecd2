/* SPDX-License-Identifier: ISC */
#include "tests/lib/control_world.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "daemon/system/loop/loop.h"

#define TURNS 3 /* of the loop: accept, serve, follow up */

static nsec_t now;

/* Calls stop() right after the process has read the clock. */
static nsec_t
world_wake(void *context)
{
	struct control_world *world = context;
	nsec_t at = now;

	if (world->looks > 0 && --world->looks == 0)
		world->stop(world);
	return at;
}

/* Drops what the node sends. */
static void
perform(struct control_world *world)
{
	static struct action action;

	while (node_act(world->node, now, &action)) {
		if (action.kind == ACTION_NOTICE)
			control_notice(world->control, &action.notice);
		else if (action.kind == ACTION_PERSIST)
			node_persisted(world->node, now, true);
	}
}

static void
world_perform(void *context)
{
	perform(context);
}

/* Gives the other nodes the role `others`. */
static void
make_settings(
    struct control_world *world, enum guarantee guarantee, enum role others)
{
	for (unsigned i = 0; i < WORLD_NODES; i++) {
		struct config_node *node = &world->nodes[i];

		node->id = i + 1;
		node->role = node->id == WORLD_SELF ? ROLE_CANDIDATE : others;
		snprintf(node->name, sizeof(node->name), "web%u", i + 1);
		snprintf(node->address, sizeof(node->address),
		    "192.0.2.1%u:7420", i + 1);
	}
	world->settings = (struct settings){
		.shared.cluster = "web",
		.shared.guarantee = guarantee,
		.shared.timing.lease = WORLD_LEASE,
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = world->nodes,
		.shared.nodes_count = WORLD_NODES,
		.key_file = "web.key",
	};
	strcpy(world->settings.socket, world->query);
}

static void
make_node(struct control_world *world, enum state_health state)
{
	const struct peer_setup peers[] = {
		{ .id = 1, .role = world->nodes[0].role },
		{ .id = 3, .role = world->nodes[2].role },
	};
	struct node_setup setup = {
		.self = WORLD_SELF,
		.role = ROLE_CANDIDATE,
		.peers = peers,
		.peers_count = 2,
		.algorithm = world->settings.shared.algorithm,
		.events_max = EVENTS_MAX,
		.timing.heartbeat = 100 * MSEC,
		.timing.misses = 3,
		.timing.startup = SEC,
		.cluster = world->settings.shared.cluster,
		.versions = PACKET_VERSIONS,
		.guarantee = world->settings.shared.guarantee,
		.timing.lease = world->settings.shared.timing.lease,
		.durable = { .incarnation = 7 },
		.state_health = state,
		.entropy = { 42 },
	};
	void *memory = calloc(1, node_size(&setup));

	assert_non_null(memory);
	world->node = node_init(memory, &setup, now);
}

static void
make_place(struct control_world *world)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(world->place, sizeof(world->place), "%s/electd-XXXXXX",
	    tmp == NULL || strlen(tmp) > 40 ? "/tmp" : tmp);
	assert_non_null(mkdtemp(world->place));
	assert_int_equal(chmod(world->place, 0711), 0);
	snprintf(
	    world->query, sizeof(world->query), "%.63s/web.sock", world->place);
	assert_true(control_admin_path(world->query, world->admin));
}

static int
enter(void **state, enum guarantee guarantee, enum role others,
    enum state_health memory)
{
	static const struct fingerprints fingerprints = { .first = "aa" };
	struct control_world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	log_set_level(LOG_LEVEL_ERROR);
	now = 1000 * SEC;
	world->fds_before = count_fds();
	make_place(world);
	make_settings(world, guarantee, others);
	make_node(world, memory);
	world->loop = loop_new();
	assert_non_null(world->loop);
	world->view = (struct control_view){
		.node = world->node,
		.settings = &world->settings,
		.self = WORLD_SELF,
		.started = now,
		.version = "0.0.1",
		.fingerprints = &fingerprints,
		.wake = world_wake,
		.perform = world_perform,
		.context = world,
	};
	control_world_open(world);
	*state = world;
	return 0;
}

int
control_world_enter(void **state)
{
	return enter(
	    state, GUARANTEE_COMPONENT, ROLE_CANDIDATE, STATE_HEALTH_SOUND);
}

int
control_world_enter_minority(void **state)
{
	return enter(
	    state, GUARANTEE_QUORUM, ROLE_CANDIDATE, STATE_HEALTH_SOUND);
}

int
control_world_enter_sole_voter(void **state)
{
	return enter(
	    state, GUARANTEE_QUORUM, ROLE_OBSERVER, STATE_HEALTH_SOUND);
}

int
control_world_enter_forgetful(void **state)
{
	return enter(state, GUARANTEE_QUORUM, ROLE_OBSERVER, STATE_HEALTH_LOST);
}

int
control_world_leave(void **state)
{
	struct control_world *world = *state;
	int files, fds;

	control_world_close(world);
	loop_free(world->loop);
	node_done(world->node);
	free(world->node);
	files = count_files(world->place);
	fds = count_fds() - world->fds_before;
	if (files != 0 || fds != 0)
		print_error(
		    "left behind: %d files, %d descriptors\n", files, fds);
	files |= rmdir(world->place);
	free(world);
	return files == 0 && fds == 0 ? 0 : -1;
}

void
control_world_open(struct control_world *world)
{
	assert_int_equal(
	    control_new(world->loop, &world->view, &world->control), 0);
}

void
control_world_close(struct control_world *world)
{
	control_free(world->control);
	world->control = NULL;
}

void
control_world_turn(struct control_world *world)
{
	for (int i = 0; i < TURNS; i++)
		event_base_loop(world->loop->base, EVLOOP_NONBLOCK);
}

void
control_world_pass(struct control_world *world, nsec_t duration)
{
	nsec_t until = now + duration;

	while (node_deadline(world->node) <= until) {
		if (node_deadline(world->node) > now)
			now = node_deadline(world->node);
		node_tick(world->node, now);
		perform(world);
	}
	now = until;
}

void
control_world_sleep(nsec_t duration)
{
	now += duration;
}

nsec_t
control_world_now(void)
{
	return now;
}

int
count_files(const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 &&
			 strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count;
}

int
count_fds(void)
{
	return count_files("/proc/self/fd") - 1;
}

int
client_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) ==
	    0)
		return fd;
	close(fd);
	return -1;
}

void
client_tell(struct control_world *world, int fd, const char *bytes, size_t size)
{
	assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
	control_world_turn(world);
}

const char *
client_hear(struct control_world *world, int fd)
{
	static char text[REPLY_MAX];
	size_t size = 0;
	ssize_t got;

	control_world_turn(world);
	while (size < sizeof(text) - 1 &&
	       (got = recv(fd, text + size, sizeof(text) - 1 - size, 0)) > 0)
		size += (size_t)got;
	text[size] = '\0';
	return text;
}

const char *
client_hear_in_time(struct control_world *world, int fd)
{
	close(client_connect(world->query));
	return client_hear(world, fd);
}

const char *
client_ask(struct control_world *world, int fd, const char *line)
{
	client_tell(world, fd, line, strlen(line));
	return client_hear(world, fd);
}

bool
client_is_answered(struct control_world *world, int fd)
{
	const char *answer = client_ask(world, fd, "{\"verb\":\"leader\"}\n");

	return strstr(answer, "\"term\"") != NULL;
}

int
client_places(void)
{
	return geteuid() == 0 ? CLIENT_PLACES : CLIENT_PLACES_UID;
}

unsigned
count_lines(const char *text)
{
	unsigned count = 0;

	for (; *text != '\0'; text++)
		count += *text == '\n';
	return count;
}

const char *
ask_text(struct control_world *world, const char *path, const char *line)
{
	int fd = client_connect(path);
	const char *answer;

	assert_true(fd >= 0);
	answer = client_ask(world, fd, line);
	close(fd);
	return answer;
}

void
assert_has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no '%s' in: %s", part, text);
}

bool
client_is_cut_off(struct control_world *world, int fd)
{
	char byte;
	ssize_t got;

	control_world_turn(world);
	while ((got = recv(fd, &byte, 1, 0)) > 0)
		continue;
	return got == 0 || errno == ECONNRESET;
}
