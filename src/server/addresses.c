// addresses.c: a tree from the C library under a lock.
#include "addresses.h"

#include <assert.h>
#include <netinet/in.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Address  address;
    uint32_t count;
} Entry;

Address address_of(const struct sockaddr *socket_address)
{
    Address address = { { 0 } };
    if (socket_address->sa_family == AF_INET6) {
        static const uint8_t mapped[12] = { [10] = 0xFF, [11] = 0xFF };
        memcpy(address.bytes, &((const struct sockaddr_in6 *)(const void *)socket_address)->sin6_addr, 16);
        if (memcmp(address.bytes, mapped, sizeof(mapped)) != 0) {
            memset(address.bytes + 8, 0, 8);
        }
    } else if (socket_address->sa_family == AF_INET) {
        address.bytes[10] = address.bytes[11] = 0xFF;
        memcpy(address.bytes + 12, &((const struct sockaddr_in *)(const void *)socket_address)->sin_addr, 4);
    }
    return address;
}

uint32_t address_text(const struct sockaddr_storage *storage, char text[ADDRESS_TEXT_SIZE])
{
    char     name[ADDRESS_TEXT_SIZE - 16] = "";
    bool     is_six = storage->ss_family == AF_INET6;
    uint16_t port = ntohs(is_six ? ((const struct sockaddr_in6 *)storage)->sin6_port : ((const struct sockaddr_in *)storage)->sin_port);
    uv_ip_name((const struct sockaddr *)storage, name, sizeof(name));
    snprintf(text, ADDRESS_TEXT_SIZE, is_six ? "[%s]:%u" : "%s:%u", name, (unsigned)port);
    return port;
}

static int compare(const void *left, const void *right)
{
    return memcmp(((const Entry *)left)->address.bytes, ((const Entry *)right)->address.bytes, sizeof(Address));
}

bool addresses_init(Addresses *addresses, uint32_t count_max, uint32_t per_address_max)
{
    *addresses = (Addresses){ .count_max = count_max, .per_address_max = per_address_max };
    addresses->is_open = uv_mutex_init(&addresses->mutex) == 0;
    return addresses->is_open;
}

void addresses_finish(Addresses *addresses)
{
    if (addresses->is_open) {
        assert(addresses->count == 0);
        uv_mutex_destroy(&addresses->mutex);
        addresses->is_open = false;
    }
}

static Entry *find_or_make(Addresses *addresses, const Address *address)
{
    Entry   wanted = { .address = *address };
    Entry **found = tfind(&wanted, &addresses->tree, compare);
    if (found != NULL) {
        return *found;
    }
    Entry *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    made->address = *address;
    if (tsearch(made, &addresses->tree, compare) == NULL) {
        free(made);
        return NULL;
    }
    return made;
}

bool addresses_add(Addresses *addresses, const Address *address)
{
    uv_mutex_lock(&addresses->mutex);
    Entry *entry = addresses->count < addresses->count_max ? find_or_make(addresses, address) : NULL;
    // An entry that was made a moment ago has room: the bound is at least 1.
    bool is_fine = entry != NULL && entry->count < addresses->per_address_max;
    if (is_fine) {
        entry->count += 1;
        addresses->count += 1;
    }
    uv_mutex_unlock(&addresses->mutex);
    return is_fine;
}

void addresses_remove(Addresses *addresses, const Address *address)
{
    Entry wanted = { .address = *address };
    uv_mutex_lock(&addresses->mutex);
    Entry **found = tfind(&wanted, &addresses->tree, compare);
    assert(found != NULL && addresses->count > 0);
    Entry *entry = *found;
    addresses->count -= 1;
    entry->count -= 1;
    if (entry->count == 0) {
        tdelete(entry, &addresses->tree, compare);
        free(entry);
    }
    uv_mutex_unlock(&addresses->mutex);
}

void addresses_note(Addresses *addresses, const char *text)
{
    uv_mutex_lock(&addresses->mutex);
    snprintf(addresses->last_ended, sizeof(addresses->last_ended), "%s", text);
    uv_mutex_unlock(&addresses->mutex);
}

void addresses_last(Addresses *addresses, char *text, size_t size)
{
    uv_mutex_lock(&addresses->mutex);
    snprintf(text, size, "%s", addresses->last_ended);
    uv_mutex_unlock(&addresses->mutex);
}

uint32_t addresses_count(Addresses *addresses)
{
    uv_mutex_lock(&addresses->mutex);
    uint32_t count = addresses->count;
    uv_mutex_unlock(&addresses->mutex);
    return count;
}

bool address_parse(const char *text, struct sockaddr_storage *out)
{
    char        host[ADDRESS_TEXT_SIZE];
    const char *colon = strrchr(text, ':');
    bool        is_six = text[0] == '[';
    const char *start = is_six ? text + 1 : text;
    if (colon == NULL || colon == start || (is_six && colon[-1] != ']')) {
        return false;
    }
    size_t size = (size_t)(colon - start) - (is_six ? 1 : 0);
    char  *end = NULL;
    long   port = strtol(colon + 1, &end, 10);
    if (size >= sizeof(host) || colon[1] < '0' || colon[1] > '9' || *end != '\0' || port > 65535) {
        return false;
    }
    memcpy(host, start, size);
    host[size] = '\0';
    return is_six ? uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)out) == 0 : uv_ip4_addr(host, (int)port, (struct sockaddr_in *)out) == 0;
}
