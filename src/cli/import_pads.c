// import_pads.c: lines of pads.
#include "import_pads.h"

#include <stdbool.h>

static void print_frame(FILE *out, const SlpFrame *frame)
{
    bool is_first = true;
    for (int port = 0; port < SLP_PORTS; port++) {
        const SlpPad *pad = &frame->pads[port];
        if ((frame->present >> port & 1) != 0) {
            fprintf(out, "%s{\"port\":%d,\"x\":%d,\"y\":%d,\"cx\":%d,\"cy\":%d,\"buttons\":%d}", is_first ? "" : ",", port, pad->x, pad->y, pad->c_x, pad->c_y,
                    pad->buttons);
            is_first = false;
        }
    }
}

void import_pads_print(FILE *out, const SlpMatch *match, const SlpFrame *frames)
{
    for (uint64_t tick = 0; tick < match->frame_count; tick++) {
        fprintf(out, "{\"tick\":%llu,\"players\":[", (unsigned long long)tick);
        print_frame(out, &frames[tick]);
        fputs("]}\n", out);
    }
}
