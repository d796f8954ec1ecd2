/* SPDX-License-Identifier: ISC */
/* Bytes as digits, for tests that pin what goes over the wire. */
#ifndef ELECTD_TESTS_LIB_HEX_H
#define ELECTD_TESTS_LIB_HEX_H

#include <stddef.h>
#include <stdint.h>

#define HEX_MAX 2401 /* digits of the longest datagram, and the NUL */

/* Gives the bytes in hexadecimal, valid until the next call. */
const char *hex_of(const uint8_t *bytes, size_t size);

#endif
