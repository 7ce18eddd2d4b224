// phase.c: see phase.h.
#include "phase.h"

#include <assert.h>

#include "server_limits.h"

static const int64_t SECOND_NS = 1000000000;

int64_t phase_start_ns(int64_t now_ns, uint32_t rate_hz, uint32_t place, uint32_t count)
{
    assert(rate_hz > 0);
    assert(place < count);
    assert(now_ns >= SECOND_NS);
    int64_t phase_ns = SECOND_NS / rate_hz * place / count / SERVER_PHASE_NS * SERVER_PHASE_NS;
    int64_t base_ns = now_ns - now_ns % SECOND_NS - SECOND_NS + phase_ns; // less than two seconds ago
    int64_t periods = (now_ns - base_ns) * rate_hz / SECOND_NS;
    return base_ns + periods * SECOND_NS / rate_hz;
}
