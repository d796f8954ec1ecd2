/* SPDX-License-Identifier: ISC */
/* Text that a terminal may print. */
#ifndef ELECTD_COMMON_UTIL_TEXT_H
#define ELECTD_COMMON_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* True if these bytes are UTF-8 without control characters. */
bool text_is_printable(const char *bytes, size_t size);

#endif
