// test_addresses.c: counting connections, all in all and by address.
#include <criterion/criterion.h>
#include <netinet/in.h>

#include "addresses.h"

static Address address_number(uint32_t number)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0A000000u + number) };
    return address_of((struct sockaddr *)&v4);
}

Test(addresses, bounds_hold_and_what_ends_makes_room)
{
    Addresses addresses;
    Address   one = address_number(1);
    Address   two = address_number(2);
    cr_assert(addresses_init(&addresses, 5, 3));
    for (int i = 0; i < 3; i++) {
        cr_assert(addresses_add(&addresses, &one));
    }
    cr_assert_not(addresses_add(&addresses, &one), "a fourth from one address");
    cr_assert(addresses_add(&addresses, &two));
    cr_assert(addresses_add(&addresses, &two));
    cr_assert_not(addresses_add(&addresses, &two), "a sixth in all");
    cr_assert_eq(addresses_count(&addresses), 5);
    addresses_remove(&addresses, &one);
    cr_assert(addresses_add(&addresses, &two));
    cr_assert_not(addresses_add(&addresses, &one));
    for (int i = 0; i < 3; i++) {
        addresses_remove(&addresses, &two);
    }
    addresses_remove(&addresses, &one);
    addresses_remove(&addresses, &one);
    cr_assert_eq(addresses_count(&addresses), 0);
    cr_assert_null(addresses.tree, "nothing of them is left");
    addresses_finish(&addresses);
}

Test(addresses, thousands)
{
    enum { COUNT = 5000 };
    Addresses addresses;
    cr_assert(addresses_init(&addresses, 2 * COUNT, 2));
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        Address address = address_number(i * 7919 % COUNT);
        cr_assert(addresses_add(&addresses, &address));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        Address address = address_number(i);
        cr_assert_not(addresses_add(&addresses, &address));
        addresses_remove(&addresses, &address);
        addresses_remove(&addresses, &address);
    }
    cr_assert_eq(addresses_count(&addresses), 0);
    addresses_finish(&addresses);
}

// Goal: whoever comes by IPv4 to an IPv6 socket counts with those who come by IPv4.
Test(addresses, two_spellings_of_one)
{
    struct sockaddr_in6 mapped = { .sin6_family = AF_INET6 };
    struct sockaddr_in6 other = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    static const uint8_t bytes[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 9 };
    memcpy(&mapped.sin6_addr, bytes, 16);
    Address by_six = address_of((struct sockaddr *)&mapped);
    Address by_four = address_number(9);
    Address loopback = address_of((struct sockaddr *)&other);
    cr_assert_eq(memcmp(by_six.bytes, by_four.bytes, 16), 0);
    cr_assert_neq(memcmp(loopback.bytes, by_four.bytes, 16), 0);
}

// Goal: who has one IPv6 address usually has 2^64 of them, so they count as one.
Test(addresses, a_network_of_six_is_one)
{
    struct sockaddr_in6 one = { .sin6_family = AF_INET6 };
    struct sockaddr_in6 neighbour;
    one.sin6_addr.s6_addr[0] = 0x20;
    one.sin6_addr.s6_addr[15] = 1;
    neighbour = one;
    neighbour.sin6_addr.s6_addr[8] = 0xFF;
    Address first = address_of((struct sockaddr *)&one);
    Address second = address_of((struct sockaddr *)&neighbour);
    cr_assert_eq(memcmp(first.bytes, second.bytes, 16), 0);
    neighbour.sin6_addr.s6_addr[7] = 1;
    second = address_of((struct sockaddr *)&neighbour);
    cr_assert_neq(memcmp(first.bytes, second.bytes, 16), 0);
}
