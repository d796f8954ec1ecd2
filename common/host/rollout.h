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
	enum rollout_kind kind;
	struct edition next; /* that the disk is to have */
	bool has_next;       /* until it has; or it was given up */
	bool is_writing;     /* the disk is at it: rollout_kept() ends that */
	bool is_astray;      /* the disk has not what is in effect */
	bool has_failed;     /* the last write did: not before again_at */
	nsec_t again_at;
	struct edition wish; /* QUORUM: what this host proposes */
	bool has_wish;
	bool is_own;       /* the wish is that of this host's file */
	bool has_file;     /* the file is news, which the cluster has not yet */
	bool has_resigned; /* another leader has to take the step */
};

/* The host begins to write a document of this edition. A document that was to
 * be tried again gives way to it. */
void rollout_keep(struct rollout *rollout, enum rollout_kind kind,
    const struct edition *edition);

/* What follows from the end of a write. */
enum rollout_end {
	ROLLOUT_APPLY,  /* put the settings into effect; if that fails, call
	                 * rollout_refused() */
	ROLLOUT_DROP,   /* forget them: they come too late */
	ROLLOUT_RETAIN, /* they are not on the disk: hold them, for
	                 * ROLLOUT_AGAIN */
	ROLLOUT_KEPT,   /* the disk has what is in effect; or ROLLOUT_RESTORE
	                 * comes again */
};

/* The write has ended, or failed. Under component what cannot be kept comes
 * into effect all the same. */
enum rollout_end rollout_kept(
    struct rollout *rollout, struct node *node, nsec_t now, bool is_kept);

/* What was kept cannot be put into effect: the disk gets back what is. */
void rollout_refused(struct rollout *rollout);

/* True if nothing else may be kept yet, unless it is a later document of
 * another node. */
bool rollout_is_busy(const struct rollout *rollout);

/* True if the last write failed, and is tried again until it succeeds. */
bool rollout_has_failed(const struct rollout *rollout);

/* What to do with a whole document of another node. */
enum rollout_offer {
	OFFER_IGNORE, /* it is no later than what is here */
	OFFER_KEEP,   /* ROLLOUT_LATER; or node_refuse() if it cannot be used */
	OFFER_WISH,   /* QUORUM: a proposal; rollout_wish() if it is wanted */
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

/* True if the wish is not in effect. */
bool rollout_is_wishing(const struct rollout *rollout, const struct node *node);

/* This host's file has this generation now: ends a wish by another one of this
 * host, unless that was earlier. */
void rollout_withdraw(
    struct rollout *rollout, struct node *node, uint32_t generation);

/*
 * QUORUM: true if the host is to wish its file now, which has this generation;
 * `running` is that in effect. A file that is in effect here alone, since no
 * leader has stamped it, is news yet: an earlier edition of the cluster may
 * take its place.
 */
bool rollout_wishes_file(struct rollout *rollout, const struct node *node,
    uint32_t generation, uint32_t running);

/* What is to be done next. */
enum rollout_todo {
	ROLLOUT_WAIT,    /* nothing, for now */
	ROLLOUT_AGAIN,   /* write what was retained, of the same kind */
	ROLLOUT_RESTORE, /* write what is in effect: ROLLOUT_CURRENT */
	ROLLOUT_STAMP, /* write what is in effect, with *stamp: ROLLOUT_STEP */
	ROLLOUT_WISH,  /* write the wish, with *stamp: ROLLOUT_STEP */
	ROLLOUT_RESIGNED, /* the node hands over, for the wish */
	ROLLOUT_STOOD,    /* the node may lead again */
	ROLLOUT_REFUSED,  /* the wish is dropped: *step says why */
};

/*
 * Gives that, and tells the node. `wished` is the setup of this node by the
 * wish (node_step()); NULL if there is no wish.
 */
enum rollout_todo rollout_next(struct rollout *rollout, struct node *node,
    nsec_t now, const struct node_setup *wished, uint64_t *stamp,
    enum change_step *step);

/* When rollout_next() has something to write again; NSEC_NEVER: by an input of
 * the node alone. */
nsec_t rollout_deadline(const struct rollout *rollout);

#endif
