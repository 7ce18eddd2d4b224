// client_link.h: tp_clients over TCP, UDP or WebSockets on one libuv loop. A link is one connection and its client; the hub is what the links of a loop
// share: what they send in one turn of the loop leaves at its end, one system call a link, and one pulse keeps quiet ones alive.
//
// All calls on the loop's thread. The process must ignore SIGPIPE (carrier.h).
#pragma once

#include "carrier.h"
#include "channel_noise.h"
#include "message.h"
#include "client_link_weather.h"
#include "tickproof/client.h"

enum {
    CLIENT_LINK_PULSE_MS   = 250,     ///< how often the hub looks at the time of its links
    CLIENT_LINK_QUIET_MS   = 400,     ///< after so long without a message of ours a PING goes out: some servers wait for no more than 1 s
    CLIENT_LINK_SILENCE_MS = 20000,   ///< a server that says nothing for so long, and answers no PING, is gone
    CLIENT_LINK_OUT_MAX    = 1048576, ///< bytes that may wait to be read by the server
    CLIENT_LINK_TEXT_SIZE  = 512,
};

typedef enum ClientLinkEnd {
    CLIENT_LINK_CLOSED      = 0, ///< client_link_close was called
    CLIENT_LINK_UNREACHABLE = 1, ///< no connection, or no WELCOME in time
    CLIENT_LINK_LOST        = 2, ///< it broke, or the server fell silent
    CLIENT_LINK_BYE         = 3, ///< the server ended it, and said why: `reason`
    CLIENT_LINK_MALFORMED   = 4, ///< the server sent what makes no sense
} ClientLinkEnd;

typedef struct ClientHub  ClientHub;
typedef struct ClientLink ClientLink;

typedef struct ClientLinkOptions {
    const char *build; ///< as in tp_client_options; likewise below
    const tp_world *(*find_world)(void *to, const char *name, uint32_t revision);
    void    *find_to;
    uint32_t welcome_ms; ///< from open to WELCOME at most
    bool     is_udp;     ///< the address takes datagrams
    const char *ws_host, *ws_path; ///< the address speaks HTTP, and has a WebSocket there: as a request says them ("here:7780", "/play"). NULL: none
    const uint8_t *server_key;         ///< X25519, of secured datagrams; NULL: they are not secured. Must outlive the link, likewise the next two
    const ChannelNoisePair *own_keys;  ///< NULL: new ones
    const uint8_t *join_token;         ///< shown right after HELLO; NULL: none
    size_t         join_token_size;
    const WeatherOptions *weather; ///< of both directions, on this side: of datagrams, or over TCP of messages, which keep their order. NULL: none. Copied
    /// The client's events. tp_client_destroy is the link's.
    void (*event)(void *to, ClientLink *link, const tp_client_event *event);
    /// Once, last, from inside the loop: the client with all its rooms is still there and gone afterwards. The link may be freed.
    void (*ended)(void *to, ClientLink *link);
    void *to;
} ClientLinkOptions;

/// Owned by the caller; must not move until `ended`.
struct ClientLink {
    Carrier           carrier;
    ClientHub        *hub;
    ClientLinkOptions options;
    tp_client        *client; ///< NULL before the connection stands
    ClientLinkWeather *weather; ///< NULL: none, or the carrier has it
    ClientLink       *previous, *next; // of the hub
    ClientLink       *next_unsent;
    bool              is_unsent, is_welcome, is_closing;
    uint64_t          opened_ms, sent_ms, heard_ms;
    ClientLinkEnd     end;
    uint32_t          reason;                      ///< BYE
    char              text[CLIENT_LINK_TEXT_SIZE]; ///< one line on why it ended; empty for CLOSED
};

struct ClientHub {
    uv_loop_t   *loop;
    uv_prepare_t turn;
    uv_timer_t   pulse;
    ClientLink  *links, *unsent;
};

/// 0 or a libuv error.
int  client_hub_open(ClientHub *hub, uv_loop_t *loop);
/// Once no link is open any more. The loop must run once more before the hub's memory goes.
void client_hub_close(ClientHub *hub);

/// Connects; `ended` follows in any case once true was returned. False with the reason: nothing is open.
bool client_link_open(ClientLink *link, ClientHub *hub, const struct sockaddr *address, const ClientLinkOptions *options, tp_error *error);
/// `ended` follows. Again is fine.
void client_link_close(ClientLink *link);
