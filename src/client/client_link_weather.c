// client_link_weather.c: see client_link_weather.h.
#include "client_link_weather.h"

#include <stdlib.h>
#include <string.h>

static uint64_t now_us(void)
{
    return uv_hrtime() / 1000;
}

static void take(Weather *line, uint64_t until_us, void (*give)(void *to, const uint8_t *bytes, size_t size), void *to)
{
    uint8_t        bytes[WEATHER_SIZE_MAX];
    const uint8_t *taken = NULL;
    size_t         size = 0;
    while (weather_take(line, until_us, &taken, &size)) {
        memcpy(bytes, taken, size); // what it leads to may put more in
        give(to, bytes, size);
    }
}

static void on_timer(uv_timer_t *timer);

static void arm(ClientLinkWeather *weather)
{
    uint64_t there_us = weather_due_us(&weather->there), back_us = weather_due_us(&weather->back);
    uint64_t due_us = there_us < back_us ? there_us : back_us;
    if (due_us == WEATHER_NEVER || uv_is_closing((const uv_handle_t *)&weather->timer)) {
        return;
    }
    uint64_t due_ms = (due_us + 999) / 1000, loop_ms = uv_now(weather->timer.loop);
    uv_timer_start(&weather->timer, on_timer, due_ms > loop_ms ? due_ms - loop_ms : 0, 0);
}

static void on_timer(uv_timer_t *timer)
{
    ClientLinkWeather *weather = timer->data;
    uint64_t           until_us = now_us();
    take(&weather->there, until_us, weather->send, weather->to);
    take(&weather->back, until_us, weather->receive, weather->to);
    arm(weather);
}

ClientLinkWeather *client_link_weather_create(uv_loop_t *loop, const WeatherOptions *options)
{
    ClientLinkWeather *weather = calloc(1, sizeof(*weather));
    WeatherOptions     orderly = *options;
    if (weather == NULL) {
        return NULL;
    }
    orderly.keeps_order = true;
    weather_init(&weather->there, &orderly, 1);
    weather_init(&weather->back, &orderly, 2);
    uv_timer_init(loop, &weather->timer); // cannot fail
    weather->timer.data = weather;
    return weather;
}

static void put(ClientLinkWeather *weather, Weather *line, const uint8_t *bytes, size_t size, void (*give)(void *to, const uint8_t *bytes, size_t size))
{
    uint64_t at_us = now_us();
    if (!weather_put(line, at_us, bytes, size)) {
        take(line, WEATHER_NEVER - 1, give, weather->to);
        weather_put(line, at_us, bytes, size);
    }
    arm(weather);
}

void client_link_weather_send(ClientLinkWeather *weather, const uint8_t *bytes, size_t size)
{
    put(weather, &weather->there, bytes, size, weather->send);
}

void client_link_weather_receive(ClientLinkWeather *weather, const uint8_t *bytes, size_t size)
{
    put(weather, &weather->back, bytes, size, weather->receive);
}

void client_link_weather_flush_out(ClientLinkWeather *weather)
{
    take(&weather->there, WEATHER_NEVER, weather->send, weather->to);
}

void client_link_weather_flush_in(ClientLinkWeather *weather)
{
    take(&weather->back, WEATHER_NEVER, weather->receive, weather->to);
}

static void on_closed(uv_handle_t *handle)
{
    ClientLinkWeather *weather = handle->data;
    weather->closed(weather->to);
}

void client_link_weather_close(ClientLinkWeather *weather)
{
    uv_close((uv_handle_t *)&weather->timer, on_closed);
}

void client_link_weather_destroy(ClientLinkWeather *weather)
{
    if (weather != NULL) {
        weather_finish(&weather->there);
        weather_finish(&weather->back);
        free(weather);
    }
}
