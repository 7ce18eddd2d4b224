// server_internal.h: the server's own memory, shared by the files that it is spread over.
#pragma once

#include "lobby.h"
#include "room_live.h"
#include "worker.h"

struct Server {
    ServerOptions options;
    uv_loop_t     loop;
    uv_async_t    wake;      ///< somebody has events, is done, or wants a stop
    uv_timer_t    status;
    uv_timer_t    overdue;
    uv_timer_t    clients;   ///< puts together what became of connections
    ServerNetLimits limits;
    Lobby         lobby;
    uint32_t      http_port;
    char          http_address[ADDRESS_TEXT_SIZE];
    Directory     directory;
    Addresses     addresses;
    ChannelNoisePair identity; ///< of datagrams, when options.udp_key is given
    uint64_t      udp_before[CHANNEL_COUNTS]; ///< of workers that are over
    Gate         *gate;      ///< NULL: join tokens mean nothing
    uint64_t      ends[PEER_ENDS]; ///< reported so far
    uint64_t      accept_failures; ///< likewise
    Room        **rooms;     ///< in the order of adding
    char        **record_dirs;
    uint32_t      room_count, room_capacity;
    Room        **shares;    ///< the same rooms by worker
    Worker       *workers;
    uint32_t      worker_count;
    int64_t       start_ns;
    bool          is_stopping, is_overdue;
    atomic_bool   stop_wanted;
};
