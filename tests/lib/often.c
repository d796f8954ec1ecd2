/* SPDX-License-Identifier: ISC */
/* How often a case repeats what it tries. */
#include "tests/lib/often.h"

#include <stdlib.h>

unsigned
often(unsigned times)
{
	return getenv("LONG") != NULL ? times : (times + 3) / 4;
}
