// client_link_weather.h: the weather of a link over TCP: messages in both directions come later, in order. (Over datagrams the carrier has it.)
#pragma once

#include <uv.h>

#include "weather.h"

typedef struct ClientLinkWeather {
    Weather    there, back;
    uv_timer_t timer;
    void     (*send)(void *to, const uint8_t *bytes, size_t size);    ///< it has got through to the connection
    void     (*receive)(void *to, const uint8_t *bytes, size_t size); ///< ... or to the client
    void     (*closed)(void *to);
    void      *to;
} ClientLinkWeather;

/// NULL when out of memory. `options` is copied.
ClientLinkWeather *client_link_weather_create(uv_loop_t *loop, const WeatherOptions *options);
/// When too many are under way, the oldest come early.
void client_link_weather_send(ClientLinkWeather *weather, const uint8_t *bytes, size_t size);
void client_link_weather_receive(ClientLinkWeather *weather, const uint8_t *bytes, size_t size);
/// All that is under way comes now: the connection ends.
void client_link_weather_flush_out(ClientLinkWeather *weather);
void client_link_weather_flush_in(ClientLinkWeather *weather);
/// `closed` follows from inside the loop; then destroy is due.
void client_link_weather_close(ClientLinkWeather *weather);
void client_link_weather_destroy(ClientLinkWeather *weather);
