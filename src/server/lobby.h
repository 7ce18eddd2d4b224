// lobby.h: the main thread's side of the network: listening, and connections until they ask for a room.
#pragma once

#include "datagrams.h"
#include "peer.h"

/// A WebSocket from another thread.
typedef struct LobbyArrival {
    struct LobbyArrival *next;
    uv_os_sock_t         socket;
    size_t               size;
    uint8_t              bytes[]; ///< read already
} LobbyArrival;

typedef struct Lobby {
    uv_loop_t *loop;
    uv_tcp_t   listeners[SERVER_LISTENERS_MAX];
    char       addresses[SERVER_LISTENERS_MAX][ADDRESS_TEXT_SIZE];
    uint32_t   ports[SERVER_LISTENERS_MAX];
    uint32_t   count;        ///< that listen
    uint32_t   handle_count; ///< of `listeners` in use: those that failed, too
    PeerHost   peers;
    /// Takes a connection to the lane of its room; false: that lane is over.
    bool (*give)(void *to, uint32_t lane, PeerParcel *parcel);
    void *to;
    uint64_t   accept_failures;
    uv_prepare_t turn;                        ///< a new turn of the loop: takes what the last one has left
    uint32_t   taken_in_turn;
    bool       is_left[SERVER_LISTENERS_MAX]; ///< a connection waits that libuv has accepted and nobody has taken: it asks for no more
    bool       is_listening;
    uv_mutex_t arrivals_mutex;
    LobbyArrival *arrivals;      ///< newest first
    uint32_t   arrival_count;    ///< that wait
    bool       has_arrivals, takes_arrivals; ///< there may be some; they are taken at the moment
    UdpHost    udp;
    atomic_ullong udp_counts[CHANNEL_COUNTS]; ///< of secured datagrams; read by anybody
    const ChannelNoisePair *identity;    ///< NULL: datagrams are not sealed
    struct sockaddr_storage udp_address; ///< as it was told: threads have the next ports
    bool       has_udp, is_udp_open;     ///< was opened, whatever became of it; takes new ones
    char       udp_refusal[128];
} Lobby;

/// Binds at once, accepts nothing before lobby_open. False with the reason.
bool lobby_listen(Lobby *lobby, uv_loop_t *loop, const char *address, tp_error *error);
/// The same for datagrams; once. False with the reason.
bool lobby_listen_udp(Lobby *lobby, uv_loop_t *loop, const char *address, tp_error *error);
/// WebSockets will come. False with the reason.
bool lobby_expect_ws(Lobby *lobby, tp_error *error);
/// One more, from any thread; the socket is the lobby's. False: it was closed, since nobody takes it (any more), or too many wait.
bool lobby_give_ws(Lobby *lobby, uv_os_sock_t socket, const uint8_t *bytes, size_t size);
/// Those that have come are taken.
void lobby_take_ws(Lobby *lobby);
/// `peers` has loop, limits, directory and addresses set. False with the reason.
bool lobby_open(Lobby *lobby, tp_error *error);
/// Nobody new, and who is here hears BYE.
void lobby_bye(Lobby *lobby);
/// Closes everything; the loop must turn until it is empty.
void lobby_close(Lobby *lobby);
/// After that.
void lobby_finish(Lobby *lobby);
