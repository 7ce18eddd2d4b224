// bisect_report.h: a hunt's finding for people: what finding_text says, and what is known of the tick and of both machines beside it.
#pragma once

#include "hunt.h"

void bisect_report(FILE *out, const Hunt *hunt, const Side *const sides[2], uint32_t limit);
