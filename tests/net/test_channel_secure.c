// The secured handshake and sealed datagrams: what is changed, forged or said twice is dropped, and counted as what it is.
#include <criterion/criterion.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"
#include "channel_secure.h"

typedef struct Scene {
    ChannelDoor      door;
    ChannelNoisePair server_keys, client_keys;
    ChannelSecure    client, server;
    uint8_t          address[8], hello[CHANNEL_SEALED_MAX], cookie[CHANNEL_DATAGRAM_MAX], init[CHANNEL_SEALED_MAX];
    size_t           cookie_size;
} Scene;

static ChannelKnock knock(Scene *scene, uint64_t now_us, const uint8_t *bytes, size_t size, uint8_t *answer, size_t *answer_size)
{
    uint8_t  open[CHANNEL_DATAGRAM_MAX];
    uint64_t id, cookie;
    size_t   open_size = channel_secure_knock(bytes, size, open);
    return open_size == 0 ? CHANNEL_KNOCK_NOTHING
                          : channel_door_knock(&scene->door, now_us, scene->address, sizeof(scene->address), open, open_size, &id, &cookie, answer, answer_size);
}

static size_t say_open(Scene *scene, uint64_t cookie, uint8_t *out)
{
    uint8_t open[CHANNEL_DATAGRAM_MAX];
    return channel_secure_out(&scene->client, open, channel_wire_open(open, 77, cookie), out);
}

// Up to the INIT.
static void begin(Scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    cr_assert(channel_door_init(&scene->door));
    memcpy(scene->address, "10.1.2.3", 8);
    channel_noise_make(&scene->server_keys);
    channel_noise_make(&scene->client_keys);
    channel_secure_init(&scene->client, &scene->client_keys, scene->server_keys.open);
    cr_assert_eq(say_open(scene, 0, scene->hello), CHANNEL_HELLO_SIZE);
    cr_assert_eq(knock(scene, 1000, scene->hello, CHANNEL_HELLO_SIZE, scene->cookie, &scene->cookie_size), CHANNEL_KNOCK_ANSWER);
    cr_assert_eq(say_open(scene, bytes_get_u64(scene->cookie + 9), scene->init), CHANNEL_INIT_SIZE);
}

static void stand(Scene *scene)
{
    uint8_t            out[CHANNEL_DATAGRAM_MAX];
    ChannelSecureCount count;
    begin(scene);
    cr_assert_eq(knock(scene, 2000, scene->init, CHANNEL_INIT_SIZE, out, &(size_t){ 0 }), CHANNEL_KNOCK_OPEN);
    cr_assert(channel_secure_accept(&scene->server, &scene->server_keys, scene->init));
    cr_assert_eq(channel_secure_in(&scene->client, scene->server.message, CHANNEL_ACCEPT_SIZE, out, &count), 0);
    cr_assert_eq(count, CHANNEL_COUNT_ACCEPTED);
}

static size_t seal_data(ChannelSecure *secure, uint32_t number, uint8_t *out)
{
    uint8_t         bytes[CHANNEL_DATAGRAM_MAX];
    ChannelDatagram datagram = { .kind = CHANNEL_DATA, .id = 5, .number = number };
    return channel_secure_out(secure, bytes, channel_wire_head(bytes, &datagram), out);
}

static ChannelSecureCount hear(ChannelSecure *secure, const uint8_t *bytes, size_t size)
{
    uint8_t            out[CHANNEL_DATAGRAM_MAX];
    ChannelSecureCount count;
    size_t             got = channel_secure_in(secure, bytes, size, out, &count);
    cr_assert_eq(got > 0, count == CHANNEL_COUNT_SEALED);
    return count;
}

Test(channel_secure, both_have_the_same_keys_and_know_each_other)
{
    Scene   scene;
    uint8_t sealed[CHANNEL_SEALED_MAX];
    stand(&scene);
    cr_assert_arr_eq(scene.client.seal.out, scene.server.seal.in, 32);
    cr_assert_arr_eq(scene.client.seal.in, scene.server.seal.out, 32);
    cr_assert(memcmp(scene.client.seal.in, scene.client.seal.out, 32) != 0);
    cr_assert_arr_eq(scene.server.other, scene.client_keys.open, 32);
    cr_assert_eq(hear(&scene.server, sealed, seal_data(&scene.client, 1, sealed)), CHANNEL_COUNT_SEALED);
    cr_assert_eq(hear(&scene.client, sealed, seal_data(&scene.server, 1, sealed)), CHANNEL_COUNT_SEALED);
    cr_assert_eq(hear(&scene.server, sealed, seal_data(&scene.server, 2, sealed)), CHANNEL_COUNT_MALFORMED, "sent back to who sent it");
}

// Goal: no answer is larger than what it answers, and none but the handshake's first two steps answers at all.
Test(channel_secure, answers_are_smaller_than_questions)
{
    Scene scene;
    begin(&scene);
    cr_assert_lt(scene.cookie_size, CHANNEL_HELLO_SIZE);
    cr_assert_lt(CHANNEL_ACCEPT_SIZE, CHANNEL_INIT_SIZE);
    uint8_t answer[CHANNEL_DATAGRAM_MAX];
    size_t  size = 0;
    for (size_t cut = 0; cut < CHANNEL_HELLO_SIZE; cut++) {
        cr_assert_eq(knock(&scene, 1000, scene.hello, cut, answer, &size), CHANNEL_KNOCK_NOTHING, "a HELLO of %zu bytes", cut);
    }
}

Test(channel_secure, cookie_is_bound_to_address_and_time)
{
    Scene   scene;
    uint8_t answer[CHANNEL_DATAGRAM_MAX];
    size_t  size = 0;
    begin(&scene);
    scene.address[7] = '4';
    cr_assert_eq(knock(&scene, 2000, scene.init, CHANNEL_INIT_SIZE, answer, &size), CHANNEL_KNOCK_NOTHING, "another address");
    scene.address[7] = '3';
    cr_assert_eq(knock(&scene, 2 * CHANNEL_DOOR_US, scene.init, CHANNEL_INIT_SIZE, answer, &size), CHANNEL_KNOCK_NOTHING, "too late");
    cr_assert_eq(knock(&scene, 2000, scene.init, CHANNEL_INIT_SIZE, answer, &size), CHANNEL_KNOCK_OPEN);
    channel_door_note_old(&scene.door, bytes_get_u64(scene.init + 15));
    cr_assert_eq(knock(&scene, 2000, scene.init, CHANNEL_INIT_SIZE, answer, &size), CHANNEL_KNOCK_NOTHING, "its connection has ended");
}

// Goal: whichever bit of the handshake is flipped, there are no keys; and the genuine message afterwards is taken all the same.
Test(channel_secure, no_bit_of_the_handshake_may_flip)
{
    Scene              scene;
    uint8_t            out[CHANNEL_DATAGRAM_MAX];
    size_t             size = 0;
    ChannelSecureCount count;
    begin(&scene);
    for (size_t bit = 0; bit < 8 * CHANNEL_INIT_SIZE; bit++) {
        scene.init[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bool is_open = knock(&scene, 2000, scene.init, CHANNEL_INIT_SIZE, out, &size) == CHANNEL_KNOCK_OPEN;
        cr_assert_not(is_open && channel_secure_accept(&scene.server, &scene.server_keys, scene.init), "bit %zu of INIT", bit);
        cr_assert_not(channel_secure_accept(&scene.server, &scene.server_keys, scene.init) && bit >= 8, "bit %zu of INIT, had its cookie been good", bit);
        scene.init[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_assert(channel_secure_accept(&scene.server, &scene.server_keys, scene.init));
    uint8_t accept[CHANNEL_ACCEPT_SIZE];
    for (size_t bit = 0; bit < 8 * CHANNEL_ACCEPT_SIZE; bit++) {
        memcpy(accept, scene.server.message, sizeof(accept));
        accept[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_eq(channel_secure_in(&scene.client, accept, sizeof(accept), out, &count), 0);
        cr_assert_not(scene.client.has_keys, "bit %zu of ACCEPT", bit);
    }
    channel_secure_in(&scene.client, scene.server.message, CHANNEL_ACCEPT_SIZE, out, &count);
    cr_assert_eq(count, CHANNEL_COUNT_ACCEPTED);
    cr_assert(scene.client.has_keys);
}

Test(channel_secure, another_servers_key_does_not_do)
{
    Scene            scene;
    ChannelNoisePair other;
    begin(&scene);
    channel_noise_make(&other);
    cr_assert_not(channel_secure_accept(&scene.server, &other, scene.init));
}

// Goal: keys that make every secret zero are refused.
Test(channel_secure, low_order_keys_are_refused)
{
    Scene scene;
    begin(&scene);
    memset(scene.init + 23, 0, 32);
    cr_assert_not(channel_secure_accept(&scene.server, &scene.server_keys, scene.init));
    memset(scene.client.other, 0, 32);
    cr_assert_eq(say_open(&scene, 99, scene.init), 0);
}

Test(channel_secure, init_is_said_again_as_it_was_and_anew_for_another_cookie)
{
    Scene   scene;
    uint8_t again[CHANNEL_SEALED_MAX];
    begin(&scene);
    cr_assert_eq(say_open(&scene, bytes_get_u64(scene.cookie + 9), again), CHANNEL_INIT_SIZE);
    cr_assert_arr_eq(again, scene.init, CHANNEL_INIT_SIZE);
    cr_assert(channel_secure_accept(&scene.server, &scene.server_keys, scene.init));
    cr_assert(channel_secure_is_again(&scene.server, again));
    say_open(&scene, 1234, again);
    cr_assert(memcmp(again + 23, scene.init + 23, 32) != 0, "a key for one handshake was used for two");
    cr_assert_not(channel_secure_is_again(&scene.server, again));
}

// Goal: no bit of a sealed datagram may change, its head included, and nothing of the window moves by what is forged.
Test(channel_secure, no_bit_of_a_datagram_may_flip)
{
    Scene   scene;
    uint8_t sealed[CHANNEL_SEALED_MAX];
    stand(&scene);
    size_t size = seal_data(&scene.client, 1, sealed);
    ChannelSeal before = scene.server.seal;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ChannelSecureCount count = hear(&scene.server, sealed, size);
        cr_assert(count == CHANNEL_COUNT_FORGED || count == CHANNEL_COUNT_MALFORMED || (bit < 8 && count == CHANNEL_COUNT_PLAIN), "bit %zu", bit);
        sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_neq(hear(&scene.server, sealed, cut), CHANNEL_COUNT_SEALED);
    }
    cr_assert_eq(memcmp(&before, &scene.server.seal, sizeof(before)), 0);
    cr_assert_eq(hear(&scene.server, sealed, size), CHANNEL_COUNT_SEALED);
    cr_assert_eq(hear(&scene.server, sealed, size), CHANNEL_COUNT_REPLAYED);
}

// Goal: against a plain list of what came: in any order each once, and none that is a window behind.
Test(channel_secure, each_number_is_taken_once)
{
    enum { COUNT = 4 * CHANNEL_SEAL_WINDOW };
    static uint8_t sealed[COUNT][64];
    static bool    has_come[COUNT];
    Scene          scene;
    uint64_t       dice = 11, highest = 0;
    size_t         size = 0;
    stand(&scene);
    for (uint32_t i = 0; i < COUNT; i++) {
        size = seal_data(&scene.client, i + 1, sealed[i]);
        cr_assert_leq(size, sizeof(sealed[i]));
    }
    for (uint32_t turn = 0; turn < 40000; turn++) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t front = (uint64_t)turn * COUNT / 40000, back = dice >> 40;
        uint64_t number = back % 8 == 0 ? back / 8 % COUNT % (front + 1) : (front + back % 300 > 150 ? front + back % 300 - 150 : 0);
        number = number < COUNT ? number : COUNT - 1;
        bool is_new = !has_come[number] && (number >= highest || highest - number <= CHANNEL_SEAL_WINDOW);
        cr_assert_eq(hear(&scene.server, sealed[number], size), is_new ? CHANNEL_COUNT_SEALED : CHANNEL_COUNT_REPLAYED, "turn %u: number %u", turn, (unsigned)number);
        has_come[number] = has_come[number] || is_new;
        highest = is_new && number >= highest ? number + 1 : highest;
    }
}

Test(channel_secure, no_key_seals_more_than_it_may)
{
    Scene   scene;
    uint8_t sealed[CHANNEL_SEALED_MAX];
    stand(&scene);
    scene.client.seal.number = CHANNEL_SEAL_NUMBERS - 1;
    size_t size = seal_data(&scene.client, 1, sealed);
    cr_assert_gt(size, 0);
    cr_assert_eq(hear(&scene.server, sealed, size), CHANNEL_COUNT_SEALED, "a jump over the whole window");
    cr_assert_eq(seal_data(&scene.client, 2, sealed), 0);
}

Test(channel_secure, nothing_plain_is_taken)
{
    Scene   scene;
    uint8_t plain[CHANNEL_DATAGRAM_MAX];
    stand(&scene);
    cr_assert_eq(hear(&scene.client, plain, channel_wire_reset(plain, scene.client.server_id, 1)), CHANNEL_COUNT_PLAIN, "a forged RESET ends nothing");
    ChannelDatagram datagram = { .kind = CHANNEL_DATA, .id = scene.client.server_id, .number = 9 };
    cr_assert_eq(hear(&scene.server, plain, channel_wire_head(plain, &datagram)), CHANNEL_COUNT_PLAIN);
    for (uint32_t i = 0; i < CHANNEL_COUNTS; i++) {
        cr_assert_not_null(channel_secure_count_name(i));
    }
}
