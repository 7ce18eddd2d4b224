// web_limits.c: who may come, how often, and how long it may take.
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "web_internal.h"

enum { CREDIT_OF_REQUEST = 1000, BURST_SECONDS = 2 };

uint64_t web_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint32_t usual(uint32_t value, uint32_t standard)
{
    return value > 0 ? value : standard;
}

void web_limits_fill(WebLimits *limits)
{
    *limits = (WebLimits){
        .connections = usual(limits->connections, 256),
        .connections_per_address = usual(limits->connections_per_address, 64),
        .requests_per_second = usual(limits->requests_per_second, 100),
        .header_bytes_max = usual(limits->header_bytes_max, WEB_HEADERS_MAX),
        .body_bytes_max = usual(limits->body_bytes_max, WEB_BODY_MAX),
        .request_ms = usual(limits->request_ms, 10000),
        .idle_ms = usual(limits->idle_ms, 15000),
    };
}

WebConnection *web_limits_place(Web *web, const Address *address, bool *is_address)
{
    WebConnection *free_one = NULL;
    uint32_t       here = 0;
    for (uint32_t i = 0; i < web->options.limits.connections; i++) {
        WebConnection *connection = &web->connections[i];
        if (!connection->is_used) {
            free_one = free_one != NULL ? free_one : connection;
        } else if (memcmp(&connection->address, address, sizeof(*address)) == 0) {
            here += 1;
        }
    }
    *is_address = here >= web->options.limits.connections_per_address;
    return *is_address ? NULL : free_one;
}

// The table has a size of its own, whoever comes: the hash is keyed, so that nobody can choose whose count he shares.
bool web_limits_take(Web *web, const Address *address, uint64_t now_ms)
{
    uint64_t hash = 0;
    uint64_t rate = web->options.limits.requests_per_second;
    _Static_assert(sizeof(hash) == crypto_shorthash_BYTES && sizeof(web->bucket_key) == crypto_shorthash_KEYBYTES, "the hash's sizes");
    crypto_shorthash((uint8_t *)&hash, address->bytes, sizeof(address->bytes), web->bucket_key);
    WebBucket *bucket = &web->buckets[hash % WEB_BUCKETS];
    uint64_t   passed_ms = now_ms - bucket->counted_ms;
    int64_t    most = (int64_t)(rate * BURST_SECONDS * CREDIT_OF_REQUEST);
    bool       is_full = bucket->counted_ms == 0 || passed_ms >= BURST_SECONDS * 1000;
    bucket->credit = is_full ? most : bucket->credit + (int64_t)(passed_ms * rate);
    bucket->credit = bucket->credit < most ? bucket->credit : most;
    bucket->counted_ms = now_ms;
    if (bucket->credit < CREDIT_OF_REQUEST) {
        return false;
    }
    bucket->credit -= CREDIT_OF_REQUEST;
    return true;
}

// MHD sees the end of the connection in its next turn, and frees it.
void web_limits_look(Web *web, uint64_t now_ms)
{
    for (uint32_t i = 0; i < web->options.limits.connections; i++) {
        WebConnection *connection = &web->connections[i];
        if (connection->is_used && !connection->is_cut && now_ms >= connection->deadline_ms) {
            connection->is_cut = true;
            shutdown(connection->socket, SHUT_RDWR);
            if (connection->exchange != NULL || connection->is_fresh) {
                web_add_count(web, WEB_COUNT_TOO_SLOW);
            }
        }
    }
}
