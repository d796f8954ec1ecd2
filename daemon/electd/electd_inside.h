/* SPDX-License-Identifier: ISC */
/*
 * What the daemon has, for the files of daemon/electd alone: electd.c, its
 * loop; changes.c, which changes its settings while it runs; effect.c, which
 * puts them into effect; and view.c, which the control sockets ask.
 */
#ifndef ELECTD_DAEMON_ELECTD_ELECTD_INSIDE_H
#define ELECTD_DAEMON_ELECTD_ELECTD_INSIDE_H

#include "daemon/control/control.h"
#include "daemon/electd/change/discovery.h"
#include "daemon/electd/change/host_proposal.h"
#include "daemon/electd/look/recorder.h"
#include "daemon/electd/look/reign_keeper.h"
#include "daemon/electd/look/snapshotter.h"
#include "daemon/electd/standby/health.h"
#include "daemon/electd/standby/standby_writer.h"
#include "daemon/electd/tell/report.h"
#include "daemon/lastwill/helper.h"
#include "daemon/net/udp.h"
#include "daemon/state/store_writer.h"
#include "daemon/system/loop/loop.h"

/* Settings that are to come into effect. */
struct changes {
	const char *path; /* of the configuration */
	struct change_worker *worker;
	struct reload reload;      /* the last that has ended */
	struct membership members; /* the last change of the nodes */
	struct rollout rollout;
	struct settings *next;              /* those of rollout.next */
	node_id giver;                      /* ORIGIN_PEER: of `next` */
	struct host_proposal host_proposal; /* the documents of
						     * rollout.proposal */
	struct settings *file;    /* what it said, if rollout.has_file */
	struct document incoming; /* of a later configuration, while it comes */
	struct nodes nodes;       /* with discovery: to change in the list */
	char own_address[ADDRESS_MAX_BYTES]; /* by the file, or by the route */
	int keep_error; /* of the last write: 0, or a negative errno */
};

/* The state file. */
struct state_file {
	struct store *store;
	struct worker *worker; /* for this file alone */
	struct store_writer *writer;
	struct durable_state pending; /* the last that the node asked for */
	bool is_anew;                 /* `pending` goes into a new file */
	bool is_unwritten;            /* `pending` is not yet being written */
	int error;                    /* of the last write: a negative errno */
};

/* When the loop is to wake up, and whom it tells that it runs. */
struct timers {
	int fd;
	nsec_t at;                /* what `fd` is set to; 0: it has fired */
	nsec_t watchdog_interval; /* of systemd's watchdog; 0: none */
	nsec_t watchdog_at;       /* when systemd's watchdog is due */
	nsec_t beaten_at;         /* when we last told lastwill that we run */
};

/* What the node was told of its host. */
struct told {
	bool lacks_carrier;
	bool has_older_file;
};

struct electd {
	struct settings *settings; /* replaced in place by a change */
	struct changes changes;
	bool is_drawn;     /* our id was drawn, or was once */
	bool is_double;    /* another process has it: draw another */
	uint8_t *document; /* that of the configuration in effect; NULL: it
	                           * has none */
	node_id self;
	struct node *node;
	size_t node_size; /* of its memory at the start */
	struct state_file state;
	struct worker *files_worker; /* of the standby file */
	struct worker *tape_worker;  /* files for which nobody waits */
	struct recorder *recorder;
	struct reign_keeper *reign_keeper;
	struct standby_writer *standby_writer;
	struct standby_kept kept; /* its last result */
	struct health health;     /* of this host's services */
	struct udp *udp;
	bool is_ready;                    /* its socket, in this turn */
	struct fingerprints fingerprints; /* of the keys that the node uses */
	struct reporter reporter;
	struct will_rules rules;
	struct helper *helper; /* NULL: before the loop */
	struct control *control;
	struct snapshotter *snapshotter;
	struct loop *loop;
	struct timers timers;
	struct told told;
	bool is_begun;    /* the loop runs: peers may have heard of us */
	bool is_stopping; /* after the first SIGTERM or SIGINT */
	bool is_ended;    /* the loop ends; the node gets no more input */
	int status;       /* to exit with */
};

/* electd.c */

/* Every input begins with this: see there. Returns the time. */
nsec_t electd_wake(struct electd *e);

/* Performs the node's actions in order. */
void electd_perform(struct electd *e, nsec_t now);

void electd_set_timer(struct electd *e);

/* Tells the node whether a check puts it on standby, if that is news. */
void electd_look_at_health(struct electd *e, nsec_t now);

/* Zeroed, and locked, as keys should not be swapped out; without permission
 * they may be. NULL without memory. */
void *electd_memory(size_t size);

/* Records the node, whose memory has `size` bytes, also after a change. */
void electd_record(struct electd *e, size_t size, nsec_t now);

/* Says whose tape it is, as of now. */
void electd_name_tape(struct electd *e, nsec_t now);

/* The node uses these keys from now on, for those who ask. */
void electd_set_fingerprints(struct electd *e, const struct setup_keys *keys);

/* view.c */

/* Opens the control sockets. False if that fails, which has been logged. */
bool view_open(struct electd *e);

/* effect.c */

/* Puts another configuration into effect, which goes into *settings in
 * place, since all others borrow that: the node is made anew. Then *settings
 * are those before. False if that fails; then nothing has changed. */
bool effect_config(struct electd *e, struct settings *settings);

/* Likewise, of settings that are no other configuration. */
bool effect_own(struct electd *e, struct settings *settings);

/* The node uses the keys that were read with a file. */
void effect_keys(struct electd *e, const struct read_files *files);

/* changes.c */

/* Makes what depends on the first settings. False without memory. */
bool changes_begin(struct electd *e, node_id id, struct settings *file);

/* The node ends. */
void changes_end(struct changes *changes);

/* The worker has read the configuration, or has kept a document. */
void changes_on_read(void *context);

/* Begins to change the nodes: see OPERATION_MEMBERS of struct control_view's
 * begin(). */
uint64_t changes_ask(struct electd *e, const struct member_change *change);

/* Changes the list of nodes, as soon as nothing else is about to come into
 * effect. */
void changes_list(struct electd *e, nsec_t now);

/* Does what is due for settings that are to come into effect. */
void changes_pursue(struct electd *e);

#endif
