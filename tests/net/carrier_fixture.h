// carrier_fixture.h: a loop with a listener on loopback, whose connections are carriers ("ends") that write down what happens to them, and
// plain blocking sockets to talk to them byte by byte. Nothing sleeps: loops are turned until something has happened.
#pragma once

#include <criterion/criterion.h>

#include "carrier.h"

enum { ENDS_MAX = 4, END_OUT_MAX = 65536 };

typedef struct CarrierEndpoint CarrierEndpoint;

struct CarrierEndpoint {
    Carrier    carrier;
    void     (*heard)(CarrierEndpoint *self, const uint8_t *bytes, size_t size); ///< may be NULL
    uint32_t   messages, ended, connected;
    uint64_t   digest; ///< FNV-1a of all messages with their sizes
    CarrierEnd end;
    int        status;
    uint32_t   act_at; ///< for `heard`
    void      *other;
};

typedef struct CarrierRig {
    uv_loop_t          loop;
    uv_tcp_t           listener;
    struct sockaddr_in address;
    CarrierEndpoint    ends[ENDS_MAX]; ///< accepted ones, in order; a test opens others itself from the back
    uint32_t           end_count;
    void             (*heard)(CarrierEndpoint *self, const uint8_t *bytes, size_t size); ///< of ends that are accepted
    size_t             out_max;
} CarrierRig;

extern const CarrierEvents carrier_rig_events; ///< `to` is a CarrierEndpoint

void carrier_rig_open(CarrierRig *rig);
/// Closes every carrier that is open, and checks that each has ended once.
void carrier_rig_close(CarrierRig *rig);
/// Another carrier of the rig, for connect or adopt.
CarrierEndpoint *carrier_rig_end(CarrierRig *rig);

/// A blocking socket, connected and accepted.
int  carrier_rig_socket(CarrierRig *rig);
void carrier_rig_write(int socket, const void *bytes, size_t size);
/// Reads exactly so many.
void carrier_rig_read(int socket, void *bytes, size_t size);
/// Nothing more comes: the other side has closed.
bool carrier_rig_is_at_end(int socket);
/// Closes so that the other side is reset.
void carrier_rig_reset(int socket);

uint64_t carrier_digest(uint64_t digest, const uint8_t *bytes, size_t size);

/// Turns the loop until the condition holds. Criterion's timeout ends a test that waits for ever.
#define RUN_UNTIL(rig, condition)                  \
    while (!(condition)) {                         \
        uv_run(&(rig)->loop, UV_RUN_ONCE);         \
    }
