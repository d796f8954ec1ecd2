/* SPDX-License-Identifier: ISC */
/*
 * A host that changes its settings while it runs. Its node is node 2 of a
 * stage; the member is there, and node 3 is not. The settings, what the host
 * decides, what reads and writes files and what clients are answered are the
 * daemon's. The test has the daemon's loop, electd.c, and control.c, which
 * serves clients: its electd_perform() and control_operation_ended() call
 * host_perform() and host_notify().
 */
#ifndef ELECTD_TESTS_LIB_STAGE_HOST_H
#define ELECTD_TESTS_LIB_STAGE_HOST_H

#include "daemon/control/verbs/verbs.h"
#include "daemon/electd/electd_inside.h"
#include "tests/lib/stage_quorum.h"

#define AT(id, address)                                                        \
	"{ id = " #id "; name = \"web" #id "\"; address = \"" address "\"; }"
#define AT1        AT(1, "192.0.2.1:7420")
#define AT2        AT(2, "192.0.2.2:7420")
#define AT3        AT(3, "192.0.2.3:7420")
#define LIST(list) "nodes = ( " list " ); "
#define NODES      LIST(AT1 ", " AT2 ", " AT3)
#define JOINS      "discovery = true; join = ( \"192.0.2.1:7420\" ); "

/* A cluster, as a file says it. Node 2, or its listen, is 192.0.2.2:7420 or has
 * a name; where the file lists no node, 1 and 3 were discovered. */
struct cluster {
	const char *guarantee;
	const char *rest; /* the nodes, and more */
};

/* What the disk does with the next settings. */
enum disk {
	TAKES,
	FAILS,  /* at first: host_break_disk() */
	LEAVES, /* it takes them, but an operator has stopped the node */
	ENDS,   /* it takes them, but this process has ended */
	DISKS,
};

struct stage_host {
	struct stage s;
	struct electd e;
	struct control_view view;
	struct pending_request pending; /* of a client */
	bool is_notified; /* an operation has ended since it looked */
	char *told;       /* what it was told; NULL: nothing */
	enum disk disk;
	bool is_acting; /* the daemon is at it, not the test */
	/* What has happened since the test cleared it, a letter each. K: the
	 * disk has taken settings, F: it fails; E: others are in effect; T: the
	 * client was told how it has ended. */
	char said[32];
	struct config_id in_effect;
	uint8_t *on_disk;
	size_t on_disk_size;
	bool is_unkept;
};

extern struct stage_host host;

/* Starts the host in the present directory, with config version 3. `file`,
 * which is taken, is what its file says that the cluster does not have yet, or
 * NULL. */
void host_begin(const struct cluster *cluster, struct settings *file);

/* The same, until a leader has stamped the settings; then nothing is said. */
void host_begin_stamped(const struct cluster *cluster);

/* Ends the host, and removes its files. */
void host_end(void);

/* A turn of the loop, after some time, and further ones until the worker has
 * done all. */
void host_turn(nsec_t duration);

/* Time passes, in which the member has what is in effect at the node. */
void host_pass(unsigned pauses);

/* What the test's electd_perform() and control_operation_ended() do. */
void host_perform(struct electd *e);
void host_notify(void);

/* Asks over the admin socket. */
void host_ask(const char *line);

/* From now on nothing can be kept, until host_mend_disk(). */
void host_break_disk(void);
void host_mend_disk(void);

/* Writes the file that the host reads, of this cluster and config version. */
void host_write(const struct cluster *cluster, uint32_t config_version);

/* Writes the key file, of a key that begins with these three bytes. */
void host_write_key(const char *begin);

/* The settings of such a file, as node 2 has them. */
struct settings *host_parse(
    const struct cluster *cluster, uint32_t config_version);

/* Assert that this has happened since the test cleared `said`, that the client
 * was told this, and that the disk has what is in effect. */
void assert_said(const char *expected);
void assert_told(const char *part);
void assert_kept(void);

#endif
