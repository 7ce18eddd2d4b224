// verdict.c: names and the order of seriousness.
#include "tickproof/verify.h"

#include <stddef.h>

static const tp_verdict serious_first[] = {
    TP_INTERNAL, TP_UNAUTHENTIC, TP_DIVERGED, TP_CORRUPT, TP_INCOMPATIBLE,
    TP_UNVERIFIABLE, TP_TRUNCATED, TP_INCOMPLETE, TP_USAGE, TP_VERIFIED,
};

const char *tp_verdict_name(tp_verdict verdict)
{
    switch (verdict) {
    case TP_VERIFIED: return "verified";
    case TP_DIVERGED: return "diverged";
    case TP_USAGE: return "usage";
    case TP_CORRUPT: return "corrupt";
    case TP_TRUNCATED: return "truncated";
    case TP_INCOMPLETE: return "incomplete";
    case TP_INCOMPATIBLE: return "incompatible";
    case TP_UNVERIFIABLE: return "unverifiable";
    case TP_UNAUTHENTIC: return "unauthentic";
    case TP_INTERNAL: return "internal";
    }
    return "internal";
}

tp_verdict tp_verdict_worst(tp_verdict a, tp_verdict b)
{
    for (size_t i = 0; i < sizeof(serious_first) / sizeof(serious_first[0]); i++) {
        if (serious_first[i] == a || serious_first[i] == b) {
            return serious_first[i];
        }
    }
    return TP_INTERNAL; // a number outside the list can only be our own fault
}
