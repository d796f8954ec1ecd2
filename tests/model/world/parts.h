/* SPDX-License-Identifier: ISC */
/* The parts of a world, and of a process of it. The comment above each names
 * the file that has its rules. */
#ifndef ELECTD_TESTS_MODEL_WORLD_PARTS_H
#define ELECTD_TESTS_MODEL_WORLD_PARTS_H

#include "common/host/nodes.h"
#include "common/host/rollout.h"
#include "common/node/node.h"
#include "common/util/random.h"
#include "daemon/electctl/run/run_policy.h"
#include "daemon/lastwill/will.h"
#include "tests/model/world/clock.h"
#include "tests/model/world/queue.h"

#define WORLD_ALGORITHMS_MAX 16  /* those of the registry, and one more */
#define WORLD_NODES_MAX      20  /* ids 1 to 20 */
#define WORLD_SOCKET_MAX     256 /* datagrams in a paused process's socket */
#define WORLD_QUESTIONS_MAX  64  /* clients that wait for an answer */
#define WORLD_TAKEN_MAX      512 /* datagrams that it took, for snapshots */
#define WORLD_LIVES          4   /* earlier durable states, to roll back to */

#define WORLD_KEY 0x5a /* each byte of the key of all */

#define RUN_WORDS_MAX 16 /* of electd that a supervisor has not read */

struct assembly;
struct document;

/* Parts of a process. */

/* The disk of its host, with the durable state (host/disk.c). */
struct disk {
	struct durable_state durable; /* the next start raises its
					* incarnation */
	bool is_lost; /* QUORUM: the disk has no state, until a leader admits
	               * the node */
	bool is_anew; /* `written` takes the place of what there was */
	struct durable_state older[WORLD_LIVES]; /* of the last starts,
							* latest first */
	struct durable_state written; /* what is on its way to the disk */
	bool is_syncing;
	bool is_synced;      /* a write ended while the process was paused */
	bool fails;          /* all writes fail, until the process ends */
	bool has_failed;     /* a write has failed in this life */
	bool is_full;        /* it takes no file; a state it does */
	nsec_t sync_longest; /* the longest that a sync takes; 0: 50 us */
	nsec_t sync_always;  /* exactly what a sync takes, unless 0 */
	nsec_t second_at;    /* the second copy of the last state begins */
	nsec_t second_ends;  /* and is on the disk, which is busy till then */
};

/*
 * The file of the shared settings that an operator writes, and that hosts get
 * one after another (process/configs.c). It is the document of its
 * configuration, so it has no padding.
 */
struct world_file {
	uint64_t config_term; /* that its configuration has */
	uint32_t config_version;
	uint32_t members;    /* bit set of the ids */
	uint32_t candidates; /* bit set: these may lead if they are members */
	uint32_t voters;     /* bit set: QUORUM: these vote if they are */
	int32_t priorities[WORLD_NODES_MAX + 1];
	nsec_t heartbeat;
	nsec_t lease;
	uint32_t misses;
	uint16_t algorithm; /* see world_algorithm() */
	uint8_t variant;    /* of it */
	uint8_t topology;   /* `full` and `ring` may follow each other */
	/* Discovery: the true document, which has the nodes. NULL: what stands
	 * before it is the document. */
	struct document *document;
};

#define WORLD_FILE_BYTES offsetof(struct world_file, document)

/* The configurations of its host (process/configs.c). */
struct configs {
	struct config_id config_id;
	struct world_file file;      /* in effect */
	struct world_file kept;      /* on the disk: the next start uses it */
	struct world_file keeping;   /* on its way to the disk, or to be so
				      * again */
	struct world_file host_file; /* that its host has now */
	struct world_file own;       /* QUORUM, rollout.has_file: what the host
				      * wants */
	struct world_file wanted;    /* QUORUM: that the leader is to have */
	uint8_t *taken; /* of a later configuration, while it is fetched */
	size_t taken_size;
	bool is_whole; /* all of it has come */
	bool is_read;  /* `host_file` was read, to be judged */
	struct rollout rollout;
	bool is_kept;         /* the disk has `keeping` */
	nsec_t failed_at;     /* the disk did not take `keeping`; 0: it did */
	bool is_over;         /* likewise, or it failed, during a pause */
	bool refuses_later;   /* its host cannot use a file of other nodes, or
	                      * has no memory for it */
	bool has_older_file;  /* it was told that its host's file is older */
	nsec_t fatal_until;   /* a change of its settings by then is fatal: */
	unsigned fatal_after; /* the actions after which it ends, */
	nsec_t fatal_for;     /* or stops for this time; 0: it ends */
};

/* An operator's order for standby, as the host keeps it. */
struct order {
	struct standby standby; /* as of `at` */
	nsec_t at;
};

/* The helper of a process, which speaks when that is dead or hangs, by the
 * rules of the true one. It knows what the process has told it, and no more
 * (host/will.c). */
struct helper {
	struct will_view will; /* its memory is the process's own */
	bool is_changing;  /* the process has begun to tell it other settings */
	uint64_t declared; /* dead, with all earlier incarnations */
	/* The last will that was sealed to this id has this number. */
	uint64_t numbers[WORLD_NODES_MAX + 1];
};

/* Where a datagram comes from, or goes to. */
struct place {
	unsigned host; /* 0: none, an attacker */
	address_number address;
};

/* Where the datagram of an input came from, and so where an answer may go. */
struct source {
	bool may_reply; /* it was a datagram that may be answered */
	struct place place;
	size_t room; /* bytes that an answer may still have */
};

/* The step that a process is in: all that one input leads to
 * (process/step.c). */
struct step {
	nsec_t local;     /* what its clock showed when the input came */
	unsigned actions; /* performed so far */
	bool is_open;     /* the process was stopped in it */
	bool is_late;     /* the process goes on with it after a stop */
	struct source source;
};

/* What will end or stop the process in the middle of a step
 * (process/step.c). */
struct fate {
	bool dies; /* after `actions_left` more actions */
	unsigned actions_left;
	nsec_t stalls_for;     /* the time that it will stop in a step; 0: no */
	unsigned stalls_after; /* the actions after which it stops, */
	bool stalls_answers;   /* or they are answers to clients */
};

/* The clients of a process that ask who leads (process/questions.c). */
struct questions {
	bool is_serving; /* it was stopped while it answered them */
	/* One for each client that waits: what clients knew when it asked. */
	uint64_t said[WORLD_QUESTIONS_MAX];
	size_t count;
};

/* The snapshot that the process begins (process/snapshot.c). */
struct snapshot_taken {
	struct assembly *last; /* while it runs; NULL: none */
	nsec_t until;
	/* Where the last datagrams came from that its node took, each by its
	 * number among all that it has taken. */
	struct origin from[WORLD_TAKEN_MAX];
};

/* How its datagrams leave its host (network/wires.c). */
struct outlet {
	nsec_t each;     /* the time that a datagram takes to leave */
	nsec_t until;    /* the host is busy with earlier ones until then */
	unsigned room;   /* datagrams that may wait, beside those of 5 ms */
	nsec_t burst_at; /* when the burst began */
	unsigned burst;  /* the datagrams that it has sent since */
};

/* The datagrams that came during a pause (process/inputs.c). */
struct socket_queue {
	struct pending *waiting[WORLD_SOCKET_MAX];
	size_t count;
};

/* The state of a node after its last step. */
struct seen {
	enum node_state state;
	node_id leader;
	uint64_t term;
	bool is_bypassed;
	enum state_health state_health;
	bool is_undamped;
};

/* What the process has done and said, for checks and tests (check/check.c). */
struct observed {
	unsigned ticks_in_place; /* deadlines in a row at the same time */
	uint64_t ticks;          /* deadlines, in all its lives */
	uint64_t actions;        /* actions performed, in all its lives */
	uint64_t term;           /* last seen, in this incarnation */
	nsec_t heard;            /* when the last delivered datagram was sent */
	struct notice leader;    /* the last LEADER or NO_LEADER */
	struct notice elected;   /* the last ELECTED */
	unsigned notices[NOTICE_TRACE + 1]; /* by kind, in all its lives */
	struct seen seen;
	uint64_t events;   /* of this life, that were seen */
	bool has_followed; /* it has had a leader in this life */
};

/* One leadership: a process that leads in a term. */
struct accession {
	uint64_t term;
	uint64_t token;
	struct owner owner;
};

/* The leadership of a process (check/lead.c). */
struct lead_state {
	struct accession reign; /* its last leadership */
	bool leads;             /* it led when the world last looked */
	bool left;              /* since then it told that another one leads,
				 * or none */
	bool is_counted;        /* all its component has taken it as leader */
	nsec_t excused_until;   /* by its clock: it was frozen, and may not
				 * know yet that its lead is over */
	nsec_t longest;         /* the latest end that its lease ever had */
};

/* The deadlines that it handed out to clients (host/deadlines.c). */
struct deadlines {
	nsec_t handed; /* the latest deadline that it handed out, */
	uint64_t life; /* in this life; */
	nsec_t given;  /* of these, that nobody will give back */
	nsec_t bound;  /* it must lead until then; 0: its lead was lost since
			* for an outside reason */
};

/* Parts of a world. */

/* A datagram that was recorded, for an attacker to send again. */
struct recording {
	node_id from;
	node_id to;
	size_t size;
	uint8_t bytes[PACKET_MAX];
};

/* The network (network/wires.c; network/cuts.c; network/address.c). */
struct network {
	struct wire wires[WORLD_NODES_MAX + 1][WORLD_NODES_MAX + 1];
	/* By id: where its host is, and where the settings say that it is; 0:
	 * the address of an attacker. */
	address_number addresses[WORLD_NODES_MAX + 1];
	address_number named[WORLD_NODES_MAX + 1];
	address_number addresses_used; /* the last one that a host got */
	unsigned pulled;               /* by id: the cable is */
	bool copy_shares; /* one datagram reaches both of a doubled id */
	bool timestamps;  /* sockets keep the times of arrival */
	bool rejects;     /* a firewall refuses too, at a one-way cut */
	unsigned refuses; /* permille of what a host without process refuses */
	unsigned group_loss; /* permille of group datagrams that get lost, as
			      * others do not */
	nsec_t late; /* how long the datagram in the making is delayed */
	struct origin origin;   /* of that datagram */
	bool is_by_group;       /* it goes to the multicast group */
	struct recording *tape; /* NULL: nothing is recorded */
	size_t tape_count;
};

/* The topology (shape.c). */
struct neighbours {
	unsigned linked[WORLD_NODES_MAX + 1]; /* by id: the ids that may be
					       * its neighbours, as a bit set */
	node_id order[WORLD_NODES_MAX];       /* RING: from each to its right */
};

/* A configuration with its nodes (host/documents.c). */
struct document {
	struct config config;
	size_t size;
	uint8_t *bytes;
	bool is_used; /* while those are freed that are not */
};

/* Discovery (process/discovery.c). Sets of hosts are bit sets of numbers. */
struct discovery {
	bool is_on;
	unsigned voters;  /* QUORUM: the file lists the nodes of these */
	unsigned joiners; /* they know where host 1 is, and hear no group */
	struct document **documents; /* all that may be in use */
	size_t count;
	size_t capacity;
};

/* What discovery has told a process (process/discovery.c). */
struct told {
	enum role role;   /* that its host gives its node, */
	int32_t priority; /* with this priority */
	struct nodes nodes;
	unsigned met;                  /* nodes that it was told of */
	struct place found[NODES_MAX]; /* by peer: where it is */
};

/* What operators and hosts do with files (drive/edit.c). */
struct files {
	bool is_on; /* documents are exchanged: each host has a file */
	struct world_file newest; /* which no host may have */
	bool are_lost; /* hosts keep no file of theirs: a broken host */
};

/* The clients of nodes, beside those of `electctl run`
 * (process/questions.c). */
struct clients {
	unsigned hold; /* permille of a leader's steps with a new deadline */
	unsigned give_back; /* permille of deadlines that clients give back
			     * when the leader hands over */
	nsec_t asks_each;   /* mean time between clients' questions; 0: none */
	uint64_t said; /* the latest term in which a client was told "yes" */
	struct random random;
};

enum run_word_kind {
	WORD_DEADLINE,
	WORD_NO_LEAD, /* the node does not lead, or electd has gone */
	WORD_HANDOVER,
	WORD_NO_HANDOVER,
};

/* A line that electd writes to a supervisor. */
struct run_word {
	enum run_word_kind kind;
	nsec_t until; /* the deadline, and from when electd gave it to its
		       * end */
	nsec_t span;
};

/* Times are the world's, but those of the policy, of deadlines and of the
 * timer. */
struct host_run {
	struct run_policy policy;
	bool is_there;     /* the supervisor has not been killed */
	nsec_t back_at;    /* if it has: electctl starts another one */
	bool is_stopped;   /* SIGSTOP */
	bool is_suspended; /* its host is */
	bool is_connected; /* to electd */
	nsec_t sent;       /* the last deadline that electd has told; 0: none */
	bool is_told_no;   /* electd told last that the node does not lead */
	nsec_t stops_for;  /* it stops when it starts its command; 0: no */
	nsec_t release_at; /* electd reads that it gives its deadline back */
	nsec_t look_at;    /* electd looks whether a deadline is due */
	nsec_t turn_at;    /* it acts; NSEC_NEVER: nothing is to be done */
	nsec_t timer;      /* of the kernel: kills the supervisor */
	nsec_t starts_at;  /* the command does; NSEC_NEVER: none */
	nsec_t ends_at;    /* the command does; NSEC_NEVER: not known yet */
	bool is_running;   /* the command */
	unsigned words_count;
	struct run_word words[RUN_WORDS_MAX];
};

/* `electctl run` (host/run.c). */
struct runs {
	bool is_on;       /* each host has it */
	nsec_t stop_time; /* as --stop-time; 0: not given */
	struct host_run hosts[WORLD_NODES_MAX + 1]; /* by id */
	struct random random;
};

/* What has changed, so that what depends on it is looked at again
 * (check/check.c). */
struct changes {
	uint64_t count;    /* of leaders followed, and faults */
	uint64_t counted;  /* at the last count of leaderships */
	uint64_t settled;  /* when the world was last not settled */
	nsec_t fault_at;   /* when the last fault happened */
	nsec_t settled_at; /* when world_settle() last succeeded */
};

/* The leaders (check/lead.c). */
struct leaders {
	unsigned leading;         /* bit set of the processes that may lead */
	unsigned uncounted;       /* of these, not yet taken by all */
	struct accession *reigns; /* QUORUM: all so far */
	size_t count;
	size_t capacity;
};

/* The taps on the messages of algorithms (host/tap.c). */
struct taps {
	struct algorithm wrapped[WORLD_ALGORITHMS_MAX]; /* by their numbers in
							 * files */
	struct tap *between[WORLD_NODES_MAX + 1][WORLD_NODES_MAX + 1];
};

/* The trace (trace.c). */
struct world_trace {
	char *text; /* beyond a limit its older half goes */
	size_t size;
	size_t capacity;
	nsec_t zero; /* times in it count from here */
};

struct world_counters {
	uint64_t sent;
	uint64_t delivered;
	uint64_t lost; /* by chance or by a cut */
	uint64_t doubled;
	uint64_t corrupted;
	uint64_t unheard;    /* no process ran at that address */
	uint64_t overflow;   /* the socket of a paused process was full */
	uint64_t strangers;  /* replies to addresses of no node */
	uint64_t accessions; /* how often a node began to lead */
	uint64_t elections;  /* leaders that a whole component took */
	uint64_t syncs;      /* durable states that began to be written */
	uint64_t deadlines;  /* that leaders handed out */
	uint64_t releases;   /* of deadlines that clients gave back */
	uint64_t matched; /* events of a sender and a taker, of one message */
	uint64_t tapped;  /* messages whose order the world checked */
	uint64_t rolled_back; /* durable states that became old ones */
	uint64_t admitted;    /* states that were made anew by a leader */
	uint64_t full;        /* datagrams that a full send buffer refused */
	uint64_t answers;     /* to clients that asked who leads */
	uint64_t snapshots;   /* that were begun, */
	uint64_t complete;    /* those of them that became complete, */
	uint64_t markers;     /* markers that were sent for these, */
	uint64_t compared;    /* messages that were compared with events */
	uint64_t stalls;      /* steps that were stopped in the middle */
	uint64_t replayed;    /* inputs of tapes that were played */
	uint64_t commands;    /* of `electctl run` that began; */
	uint64_t told;        /* those that were told to end, */
	uint64_t killed;      /* those that their supervisors killed; */
	uint64_t timers;      /* supervisors that their kernels killed */
};

#endif
