/* SPDX-License-Identifier: ISC */
/*
 * How later settings come into effect at one host (PROTOCOL.md, Editions, and
 * PROTOCOL.md, Changes of voters). First the disk has their document, then the
 * node is made anew with them. Under quorum the leader takes each step, and a
 * host that wishes one proposes it. The caller has the documents and the disk.
 */
#ifndef ELECTD_COMMON_HOST_ROLLOUT_H
#define ELECTD_COMMON_HOST_ROLLOUT_H

#include "common/node/node.h"

/* What failed to reach the disk is tried again after this time: soon after
 * there is space, and seldom enough to cost nothing. */
#define ROLLOUT_PAUSE (2 * SEC)

/* When settings that are on the disk come into effect. */
enum rollout_kind {
	ROLLOUT_LATER,   /* if they are later than those in effect */
	ROLLOUT_STEP,    /* likewise, while this node leads in the term of their
	                  * stamp */
	ROLLOUT_ANY,     /* in any case: nodes have come or gone */
	ROLLOUT_CURRENT, /* they are in effect, but the disk has others */
};

/* All zero but for is_quorum: nothing is to come into effect. */
struct rollout {
	bool is_quorum;
	enum rollout_kind kind; /* of the last write */
	struct edition next;    /* has_next: it comes into effect once the disk
	                         * has its document */
	bool has_next;
	bool is_writing; /* a write is under way; rollout_kept() ends it */
	bool is_astray;  /* the disk has another edition than that in effect */
	bool has_failed; /* the last write failed: the next is at again_at */
	nsec_t again_at;
	struct edition wish; /* QUORUM, has_wish: what this host proposes */
	bool has_wish;
	bool is_own;       /* the wish comes from this host's file */
	bool has_file;     /* QUORUM: the cluster does not have the file yet */
	bool has_resigned; /* this node resigned for the wish, so that another
	                    * leader takes the step */
};

/* The host begins to write the document of this edition. It takes the place of
 * one that was to be tried again. */
void rollout_keep(struct rollout *rollout, enum rollout_kind kind,
    const struct edition *edition);

/* What the host does at the end of a write. */
enum rollout_end {
	ROLLOUT_APPLY,  /* put the settings into effect; if that fails, call
	                 * rollout_refused() */
	ROLLOUT_DROP,   /* forget the settings: they come too late */
	ROLLOUT_RETAIN, /* the write failed: hold the settings until
	                 * ROLLOUT_AGAIN */
	ROLLOUT_KEPT,   /* nothing: the write was ROLLOUT_CURRENT; if it
	                 * failed, ROLLOUT_RESTORE comes again */
};

/* The write has ended; `is_kept`: the document is on the disk. Under component
 * one that is not comes into effect all the same. */
enum rollout_end rollout_kept(
    struct rollout *rollout, struct node *node, nsec_t now, bool is_kept);

/* The settings of ROLLOUT_APPLY cannot be put into effect: the disk gets back
 * those that are. */
void rollout_refused(struct rollout *rollout);

/* True if a write is under way or is to be tried again: then only a later
 * document of another node may be kept. */
bool rollout_is_busy(const struct rollout *rollout);

/* True if the last write failed and is to be tried again. */
bool rollout_has_failed(const struct rollout *rollout);

/* What to do with a whole document of another node. */
enum rollout_offer {
	OFFER_IGNORE, /* nothing: it is no later than what is here */
	OFFER_KEEP,   /* keep it, ROLLOUT_LATER; or node_refuse() if it cannot
	               * be used */
	OFFER_WISH,   /* QUORUM: it is a proposal: rollout_wish(), if
	               * rollout_wants() it */
};

enum rollout_offer rollout_offer(const struct rollout *rollout,
    const struct node *node, const struct edition *edition);

/* QUORUM: true if an edition is later than the wish and than that in effect. */
bool rollout_wants(const struct rollout *rollout, const struct node *node,
    const struct edition *edition);

/* QUORUM: proposes an edition that is wanted, in place of the wish before. The
 * document is borrowed, as by node_propose(). */
void rollout_wish(struct rollout *rollout, struct node *node,
    const struct edition *edition, const uint8_t *document, size_t size,
    bool is_own);

/* True if there is a wish that is not in effect. */
bool rollout_is_wishing(const struct rollout *rollout, const struct node *node);

/* This host's file has this generation now: ends a wish by the file before,
 * unless that had a lower generation. */
void rollout_withdraw(
    struct rollout *rollout, struct node *node, uint32_t generation);

/*
 * QUORUM: true if the host is to wish its file now, whose generation this is;
 * `running` is the generation in effect. Clears has_file once the cluster has
 * the file. A file that is in effect here, but that no leader has stamped, may
 * have to be wished yet: an earlier edition of the cluster may take its place.
 */
bool rollout_wishes_file(struct rollout *rollout, const struct node *node,
    uint32_t generation, uint32_t running);

/* What the host is to do next, or what the node was told. */
enum rollout_todo {
	ROLLOUT_WAIT,    /* nothing, for now */
	ROLLOUT_AGAIN,   /* write what was retained, of the same kind */
	ROLLOUT_RESTORE, /* write what is in effect: ROLLOUT_CURRENT */
	ROLLOUT_STAMP, /* write what is in effect, with *stamp: ROLLOUT_STEP */
	ROLLOUT_WISH,  /* write the wish, with *stamp: ROLLOUT_STEP */
	ROLLOUT_RESIGNED, /* the node was told to hand over, for the wish */
	ROLLOUT_STOOD,    /* the node was told that it may lead again */
	ROLLOUT_REFUSED,  /* the wish was dropped: *step says why */
};

/*
 * Gives the next thing to do. `wished` is the setup of this node by the wish,
 * as for node_step(); NULL if there is no wish. Sets *stamp, and *step where
 * the wish is judged.
 */
enum rollout_todo rollout_next(struct rollout *rollout, struct node *node,
    nsec_t now, const struct node_setup *wished, uint64_t *stamp,
    enum change_step *step);

/* When a failed write is to be tried again, by rollout_next(); NSEC_NEVER:
 * none is. */
nsec_t rollout_deadline(const struct rollout *rollout);

#endif
