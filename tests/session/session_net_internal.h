// session_net_internal.h: what session_net.c, session_net_client.c and session_net_check.c share.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_net.h"

enum { NET_PACKETS_MAX = 4096, NET_PACKET_SIZE = 2000, NET_TICKS_MAX = 4096, NET_PACKET_ROWS = 12 };

/// One event by what makes it the same as another.
typedef struct {
    uint64_t tick, hash;
    uint32_t type;
} NetEvent;

typedef struct {
    NetEvent *events;
    size_t    count, capacity;
} NetEvents;

typedef struct {
    uint64_t due; // in parts of ticks
    uint32_t client, size;
    bool     is_to_server;
    uint8_t  bytes[NET_PACKET_SIZE];
} NetPacket;

typedef struct {
    uint8_t    bytes[1024];
    size_t     size;
    tp_hash128 root;
} NetRow;

typedef struct NetRun NetRun;

typedef struct NetClient {
    NetRun     *run;
    uint32_t    number;
    uint64_t    joins; // tick
    uint8_t     slots[NET_SLOTS_MAX];
    uint32_t    slot_count, window;
    bool        is_open, is_sent_roots;
    uint32_t    phase; // part of a tick
    tp_sim     *sim, *oracle, *ahead; // oracle: steps the confirmed rows straight. ahead: for the guesses
    tp_session *session;
    tp_pcg32    random;
    uint8_t     hold[NET_SLOTS_MAX][TP_INPUT_SIZE_MAX]; // native inputs
    uint8_t    *own;  // inputs that were given, per handle and tick: what was sent once may never change
    bool       *is_own;
    uint64_t    partition_from, partition_to; // parts
    int32_t     skip;                         // advances to leave out; below 0: to do twice
    uint64_t    first;                        // tick that the session was made or last reset at
    uint64_t    guess_faults;
    uint64_t    late_before; // own inputs that were late before the last calm ticks
    // The authority's side of it.
    uint64_t acked;
    int32_t  lead; // the least since the last word on it
    uint64_t heard_end[NET_SLOTS_MAX]; // inputs of ticks below have come, or will not count
    // Events.
    size_t    next_event; // of the authority's, that must be confirmed next
    NetEvents predicted;  // told, and not resolved yet
    NetEvents retracted;  // of the tick at hand
    uint64_t  last_confirmed, last_retracted;
    uint64_t  told_predicted, told_resolved;
} NetClient;

struct NetRun {
    NetOptions   options;
    NetOutcome   outcome;
    tp_pcg32     random;
    uint32_t     players, clients, input_size;
    uint32_t     latency, jitter, loss, duplicates; // parts, parts, percent, percent
    bool         is_calm;
    uint64_t     now; // parts
    tp_sim      *sim;
    NetRow      *rows;
    uint8_t     *inputs; // by slot and tick
    bool        *has_input;
    bool         present[NET_SLOTS_MAX];
    uint8_t      last[NET_SLOTS_MAX * TP_INPUT_SIZE_MAX];
    NetEvents    events;
    NetClient    client[NET_CLIENTS_MAX];
    NetPacket   *packets;
    uint32_t     packet_count;
};

/// The first failure stays.
void net_fail(NetRun *run, const NetClient *client, const char *format, ...) __attribute__((format(printf, 3, 4)));
void net_send(NetRun *run, uint32_t client, bool is_to_server, const uint8_t *bytes, size_t size);
void net_events_add(NetEvents *events, NetEvent event);
NetEvent net_event_of(const tp_event *event);

void net_client_open(NetClient *client);
void net_client_close(NetClient *client);
void net_client_tick(NetClient *client);
void net_client_receive(NetClient *client, const uint8_t *bytes, size_t size);
void net_client_reset(NetClient *client);
/// Takes in what is there, without playing on.
void net_client_drain(NetClient *client);

void net_check_event(void *client, const tp_session_event *event);
/// After a call that brought the confirmed tick from `before` to where it is.
void net_check_call(NetClient *client, uint64_t before, uint64_t present_before, tp_session_status status, const tp_session_result *result,
                    const tp_error *error);
void net_check_unconfirmed(NetClient *client, uint32_t handle, uint64_t first, const uint8_t *bytes, uint32_t count);
void net_check_taken(NetClient *client, const tp_session_result *result);
void net_check_end(NetClient *client);
