/* SPDX-License-Identifier: ISC */
/* How often a case does again what it has done. */
#include "tests/lib/often.h"

#include <stdlib.h>

unsigned
often(unsigned times)
{
	return getenv("LONG") != NULL ? times : (times + 3) / 4;
}
