// channel_rig.h: a client's channel, a server's door and channel, and the weather between them, in one process with a clock that is moved by hand.
// Every message says its number and has a size and bytes that follow from it, so whoever gets it knows whether it is right. What goes wrong is a
// text, not an assertion: the tests also plant faults that must be found.
#pragma once

#include "channel.h"
#include "channel_door.h"
#include "weather.h"

enum { CHANNEL_RIG_TEXT = 160, CHANNEL_RIG_TIMES = 4096 };

typedef enum ChannelRigPlant {
    CHANNEL_RIG_HONEST       = 0,
    CHANNEL_RIG_FALSE_ACK    = 1, ///< the server's datagrams acknowledge one message more than has come, when one is missing
    CHANNEL_RIG_NO_RESENDING = 2, ///< datagrams of the client lose the messages that were in earlier ones
    CHANNEL_RIG_BIT          = 3, ///< a bit of a message changes under way
} ChannelRigPlant;

/// One direction's messages: `count` of them, from `size_min` to `size_max` bytes, one every `every_us` (0: all as soon as they find room).
typedef struct ChannelRigTraffic {
    uint32_t count, size_min, size_max;
    uint64_t every_us;
} ChannelRigTraffic;

typedef struct ChannelRigSide {
    ChannelRigTraffic traffic;
    uint32_t          sent, got;
    uint64_t          next_us;
    uint64_t          first_us, last_us;           ///< of what came
    uint64_t          when_us[CHANNEL_RIG_TIMES];  ///< sent, by number
    uint32_t          delay_us[CHANNEL_RIG_TIMES]; ///< how long the other side's messages took
} ChannelRigSide;

typedef struct ChannelRig {
    Channel         client, server;
    ChannelDoor     door;
    Weather         there, back; ///< to the server; to the client
    ChannelRigSide  client_side, server_side;
    bool            has_server, is_server_over;
    uint64_t        first_id; ///< of the client, before it asks anew
    ChannelOptions  options;
    ChannelRigPlant plant;
    uint32_t        fresh; ///< of CHANNEL_RIG_NO_RESENDING: messages below it were under way before
    uint64_t        now_us;
    uint32_t        start; ///< number of the client's first message, and of the datagram before its first
    uint8_t         address[8];
    uint64_t        bytes_there, bytes_back;
    char            failure[CHANNEL_RIG_TEXT];
} ChannelRig;

/// Both directions have this weather. Memory is freed by close.
void channel_rig_open(ChannelRig *rig, const WeatherOptions *weather, const ChannelOptions *options);
void channel_rig_close(ChannelRig *rig);
/// Numbers begin here, so that they go round under way.
void channel_rig_start_at(ChannelRig *rig, uint32_t start);
/// One moment: what is due is sent, what has come is received; then the clock goes on to the next event, not beyond `until_us`.
void channel_rig_step(ChannelRig *rig, uint64_t until_us);
/// Until all messages have come and are acknowledged, or the time is over, or something is wrong. True: they have.
bool channel_rig_run(ChannelRig *rig, uint64_t until_us);
/// Takes what either side has ready.
void channel_rig_pump(ChannelRig *rig);
/// The bytes of message `number` of a direction; gives its size.
uint32_t channel_rig_message(const ChannelRigTraffic *traffic, uint32_t number, uint8_t *bytes);
