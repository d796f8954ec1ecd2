/* SPDX-License-Identifier: ISC */
/* What the files that check a configuration share. */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_PRIVATE_H
#define ELECTD_COMMON_CONFIG_CONFIG_PRIVATE_H

#include "common/config/config_check.h"

/* A check under way. */
struct checker {
	const struct config *config;
	node_id self;
	const struct algorithm *const *known;
	struct config_work *work;
	config_fault_taker *take;
	void *context;
	bool is_right; /* no fault so far */
};

/* A fault without its text, of a setting as a whole, or of an entry of a list;
 * see struct config_fault. */
struct config_fault fault_at(const char *at, const char *advice);
struct config_fault fault_in(
    const char *at, size_t entry, size_t other, const char *advice);

/* Takes a fault; its text is as printf() makes it. */
__attribute__((format(printf, 3, 4))) void fault_add(struct checker *checker,
    struct config_fault fault, const char *format, ...);

/* Checks the order of a ring, and the links and the degree of trees and
 * graphs. */
void check_links(struct checker *checker);

/* Checks the diameter that is given, once the links are complete. */
void check_diameter(struct checker *checker);

#endif
