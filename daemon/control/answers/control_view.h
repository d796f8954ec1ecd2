/* SPDX-License-Identifier: ISC */
/* What the control protocol knows of the daemon, and asks of it: answers are
 * made from it. */
#ifndef ELECTD_DAEMON_CONTROL_ANSWERS_CONTROL_VIEW_H
#define ELECTD_DAEMON_CONTROL_ANSWERS_CONTROL_VIEW_H

#include <sys/types.h>

#include "common/config/config_change.h"
#include "common/host/rollout.h"
#include "common/node/node.h"
#include "daemon/config/settings.h"
#include "daemon/history/assembly.h"
#include "daemon/net/address.h"
#include "daemon/state/reigns.h"
#include "daemon/system/rights/key.h"

struct control_counters {
	uint64_t clients; /* that were accepted */
	uint64_t refused; /* clients without a place */
	uint64_t cut_off; /* for not reading, or not completing a line */
	uint64_t requests;
	uint64_t errors;   /* requests that got an error */
	uint64_t progress; /* how often any client took something */
	uint64_t unread;   /* clients cut off for not reading, not yet logged */
	uid_t unread_uid;  /* the user of the last of these */
};

/* The SHA-256 of each key that the node uses; see key_fingerprint(). */
struct fingerprints {
	char first[FINGERPRINT_MAX];  /* of what it seals with and accepts */
	char second[FINGERPRINT_MAX]; /* of what it accepts besides; "": none */
};

struct reload {
	uint64_t number; /* reloads count from 1; 0: there was none */
	enum proposal_end end;
	/* Lines: errors, or the settings that have changed or would have to.
	 * NULL without memory. */
	char *lines;
	bool is_older; /* the file is older than the settings in effect; of it
	                * only what is this host's own counts */
};

/* A change of the nodes that an operator asked for: the last one. All zero:
 * there was none. */
struct membership {
	struct reload change; /* its number and its end */
	enum member_change_kind kind;
	struct config_node node;  /* as it is to be, or was */
	struct config_id becomes; /* the numbers of what is to be in effect */
};

/* What the checker, `electctl checks`, says of the services of this host. */
struct health_report {
	uint64_t session; /* of its connection; never 0 */
	uint64_t list;    /* the number of the list of checks that it runs */
	bool is_known;    /* each of them has ended once, or one is at fault */
	bool is_well;     /* none is at fault */
	char reason[STANDBY_REASON_MAX + 1]; /* if one is */
};

/* What the node makes of that. */
struct health_view {
	uint64_t list;     /* the number of the list in the settings */
	nsec_t valid;      /* the time for which a report counts */
	const char *fault; /* why this node must not lead; NULL if it may */
};

/* QUORUM: later settings that are to come into effect, and wait. */
struct proposed {
	uint32_t config_version;
	uint32_t revision;     /* of a list of nodes; else 0 */
	enum change_step step; /* what node_step() says of them here, now */
};

/* The last leaders, and how their file is. */
struct past_leaders {
	struct reigns reigns;
	bool is_kept;      /* the disk has all of them */
	bool is_failing;   /* the last write has failed */
	bool is_damaged;   /* at the start some or all could not be read */
	uint64_t failures; /* writes that have failed since the start */
};

/* A snapshot of the cluster. */
struct assembled {
	uint64_t number; /* of the last that has ended; 0: none has */
	const struct assembly *assembly; /* that one; valid until the next
	                                      * ends */
	nsec_t took;                     /* how long it took */
};

/* A piece of the events of another node. */
struct fetched {
	struct snapshot_head head; /* of the node, in the snapshot that led
	                            * there */
	struct pulled pulled;
};

/* What takes longer than an answer may. */
enum operation_kind {
	OPERATION_RELOAD,   /* reads the configuration again */
	OPERATION_MEMBERS,  /* changes the nodes */
	OPERATION_STANDBY,  /* keeps a standby, or ends it */
	OPERATION_SNAPSHOT, /* takes a snapshot of the cluster */
	OPERATION_FETCH,    /* fetches events of another node */
};

/* An operation that a client asks for, by its kind. */
struct operation {
	enum operation_kind kind;
	bool is_forced;              /* RELOAD: a voter may come that is not
	                              * heard */
	struct member_change change; /* MEMBERS */
	struct standby standby;      /* STANDBY */
	node_id node;                /* FETCH: whose events, */
	uint64_t from;               /* from this number on */
};

/* How an operation has ended, by its kind. What this points to is valid until
 * another operation begins or ends. */
struct outcome {
	const struct reload *reload;      /* RELOAD */
	const struct membership *members; /* MEMBERS: was judged, or has given
	                                   * way to a later change */
	int error;                        /* STANDBY: 0, or a negative errno: it
	                                   * could not be kept */
	struct assembled assembled;       /* SNAPSHOT */
	const struct fetched *fetched;    /* FETCH; NULL: too many later ones
	                                   * came before it was read */
};

/* What answers are made from. The caller keeps it until control_free(). The
 * functions of the daemon are in daemon/electd/view.c. */
struct control_view {
	struct node *node;
	const struct settings *settings;
	node_id self;
	nsec_t started; /* when the daemon started */
	const char *version;
	const struct control_counters *counters; /* set by control_new() */
	nsec_t *given; /* the latest deadline of a client that cannot give it
	                * back; set by control_new(). May be NULL */
	const struct fingerprints *fingerprints; /* of settings->key_file and
	                                          * old_key_file */
	const struct past_leaders *leaders;      /* NULL: none are known */

	/*
	 * Gives the time, on the node's clock. Before that it tells the node if
	 * the helper took this process for dead meanwhile. The control sockets
	 * have no other way to the time: each answer calls this itself, after
	 * its request has arrived, and passes the result to no other answer. It
	 * may cause notices. Not to be called within perform() or
	 * control_notice().
	 */
	nsec_t (*wake)(void *context);

	/* Called before a client gets a deadline, and after one has given it
	 * back: node_handed_out(). May be NULL. */
	void (*hand_out)(void *context);

	/* Where the peer was found, "host:port" in `text` of ADDRESS_TEXT_MAX
	 * bytes, if that is not the address of the settings; else NULL.
	 * *is_resolved: its name is, or is none. NULL: all peers are where the
	 * settings say. */
	const char *(*find)(
	    void *context, node_id id, char *text, bool *is_resolved);

	/* The interfaces that lead to the peers, if none has a carrier; else
	 * NULL. NULL: one always has. */
	const char *(*lacks_carrier)(void *context);

	/* Gives a descriptor of a file with the node's tape, and its size; or a
	 * negative errno. */
	int (*record)(void *context, size_t *size);

	/* Performs the node's actions after it was steered. */
	void (*perform)(void *context);

	/*
	 * Begins an operation and gives its number, which counts its kind. 0:
	 * it does not begin. MEMBERS: another is under way; STANDBY: there is
	 * none to end; FETCH: no snapshot has shown the way, or too many are
	 * under way; else memory is short.
	 */
	uint64_t (*begin)(void *context, const struct operation *operation);

	/* True once the operation of this number has ended, or a later one of
	 * its kind. Then the caller calls control_operation_ended(). */
	bool (*has_ended)(void *context, enum operation_kind kind,
	    uint64_t number, struct outcome *outcome);

	/* Takes what the checker says, if `report` is not NULL, and gives the
	 * health of the services. False: another checker is connected. NULL:
	 * there are no checks. */
	bool (*health)(void *context, const struct health_report *report,
	    struct health_view *health);

	/* The connection of this number has ended. NULL: nobody minds. */
	void (*part)(void *context, uint64_t session);

	/* True if a later file, of this host or of another that has told this
	 * one, waits to come into effect. NULL: none ever does. */
	bool (*proposed)(void *context, struct proposed *proposal);

	/* A negative errno while this host cannot keep settings on its disk; 0:
	 * all is kept. NULL: always. */
	int (*unkept)(void *context);

	/* The first argument of these functions. */
	void *context;
};

#endif
