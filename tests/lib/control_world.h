/* SPDX-License-Identifier: ISC */
/*
 * A node with two silent peers, its control sockets in a directory of their
 * own, and a clock that a test moves by hand.
 */
#ifndef ELECTD_TESTS_LIB_CONTROL_WORLD_H
#define ELECTD_TESTS_LIB_CONTROL_WORLD_H

#include "daemon/control/control.h"
#include "daemon/control/protocol/control_protocol.h"

#define WORLD_SELF  2
#define WORLD_NODES 3
#define WORLD_LEASE (2 * SEC)
#define REPLY_MAX   65536 /* bytes that client_hear() can give */

#define CLIENT_PLACES     88 /* for root, on the query socket */
#define CLIENT_PLACES_UID 16 /* of these, for a user other than root */

struct control_world {
	char place[64]; /* the directory */
	char query[CONTROL_PATH_MAX];
	char admin[CONTROL_PATH_MAX];
	struct config_node nodes[WORLD_NODES];
	struct settings settings;
	struct control_view view;
	struct control *control;
	struct loop *loop;
	struct node *node;
	int fds_before; /* open descriptors of this process */

	/* After this many more readings of the clock, the world calls stop();
	 * 0: never. */
	unsigned looks;
	void (*stop)(struct control_world *world);
};

/* Set-up and tear-down for cmocka. The tear-down fails if a file or a
 * descriptor is left behind. */
int control_world_enter(void **state);
int control_world_leave(void **state);

/*
 * Set-ups under the guarantee "quorum". The node is the only one of three
 * voters that is up; the node is the only voter; the node is the only voter,
 * and has lost its state file.
 */
int control_world_enter_minority(void **state);
int control_world_enter_sole_voter(void **state);
int control_world_enter_forgetful(void **state);

/* Open the sockets, which must succeed, and close them if they are open. */
void control_world_open(struct control_world *world);
void control_world_close(struct control_world *world);

/* Serves all clients that are ready. Never waits. */
void control_world_turn(struct control_world *world);

/* Moves the clock on, while the node runs without its peers and notifies the
 * clients. */
void control_world_pass(struct control_world *world, nsec_t duration);

/* Moves the clock on as if the process had not run. */
void control_world_sleep(nsec_t duration);

nsec_t control_world_now(void);

/* Fails, and prints the text, unless the text has this part. */
void assert_has(const char *text, const char *part);

/* Count the open descriptors of this process, and the names in a directory. */
int count_fds(void);
int count_files(const char *directory);

/* Connects a client, non-blocking; -1 with errno if that fails. */
int client_connect(const char *path);

/* Sends all bytes, which must fit, and serves the client. */
void client_tell(
    struct control_world *world, int fd, const char *bytes, size_t size);

/* Sends a line on a new connection and gives its answer, valid as long as that
 * of client_hear(). */
const char *ask_text(
    struct control_world *world, const char *path, const char *line);

/* Gives everything that has come in by now, as a string, valid until the next
 * call. */
const char *client_hear(struct control_world *world, int fd);

/* The same, of what is due by the world's clock. The loop's timer uses a real
 * clock, but a new client makes the daemon look, too. */
const char *client_hear_in_time(struct control_world *world, int fd);

/* Sends a line and gives what comes in. */
const char *client_ask(struct control_world *world, int fd, const char *line);

/* Asks who leads. True if an answer came. */
bool client_is_answered(struct control_world *world, int fd);

/* Gives how many places of the query socket this process's user may take. */
int client_places(void);

/* Counts the lines of a text; a line ends with a newline. */
unsigned count_lines(const char *text);

/* True if the daemon has disconnected the client. Discards what has come in. */
bool client_is_cut_off(struct control_world *world, int fd);

#endif
