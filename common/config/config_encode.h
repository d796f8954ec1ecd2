/* SPDX-License-Identifier: ISC */
/*
 * A configuration as bytes: the document that nodes exchange and hosts keep
 * (PROTOCOL.md, Documents), and the digest of what they must agree on.
 */
#ifndef ELECTD_COMMON_CONFIG_CONFIG_ENCODE_H
#define ELECTD_COMMON_CONFIG_CONFIG_ENCODE_H

#include "common/config/config.h"

/* The most bytes that the document of a configuration has. */
size_t config_encoded_most(const struct config *config);

/* Writes the document, of a configuration that has one. */
void config_encode(struct writer *w, const struct config *config);

/* The room for which config_place() is to be asked before config_decode(), and
 * its links are those that config_complete() needs, too. False: these bytes are
 * no document. */
bool config_decode_counts(
    const void *bytes, size_t size, size_t *nodes, size_t *links);

/*
 * Reads a document into *config, whose arrays have that room. `known` are the
 * algorithms, NULL at the end. False if the bytes are no document, or a value
 * is out of the range of its row; *config is then unspecified, but for where
 * its arrays are. What the values mean together is config_check()'s.
 */
bool config_decode(struct config *config, const void *bytes, size_t size,
    const struct algorithm *const *known);

/*
 * Computes a digest of what must be the same on every host: all but the names
 * and addresses of nodes. Where nodes are discovered under component, it covers
 * their addresses, too: two nodes may each write down, at once and in one
 * config version, where the others are, and one of these lists has to give way.
 * Where hosts know their neighbours only, it leaves out nodes and links.
 */
void config_digest(const struct config *config, uint8_t digest[SALT_BYTES]);

/* The configuration that this configuration is. */
struct config_id config_identify(const struct config *config);

/* The same without the digest, which takes time. */
struct config_id config_numbers(const struct config *config);

/* True if both are one configuration, but for the config term. */
bool config_is_copy(const struct config *a, const struct config *b);

#endif
