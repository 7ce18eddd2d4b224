// test_ws.c: frames of a WebSocket: what RFC 6455 shows, what is cut anywhere, and everything that ends one with its code.
#include <criterion/criterion.h>
#include <sodium.h>
#include <string.h>

#include "ws.h"
#include "ws_handshake.h"

TestSuite(ws, .timeout = 60);

// A masked frame by hand, not by the code under test; gives its size. `first`: fin, reserved bits and opcode.
static size_t put(uint8_t *out, uint8_t first, const void *bytes, size_t size)
{
    static const uint8_t mask[4] = { 0x37, 0xFA, 0x21, 0x3D };
    size_t               at = 2;
    out[0] = first;
    if (size < 126) {
        out[1] = (uint8_t)(0x80 | size);
    } else {
        out[1] = 0x80 | 126;
        out[2] = (uint8_t)(size >> 8);
        out[3] = (uint8_t)size;
        at = 4;
    }
    memcpy(out + at, mask, 4);
    for (size_t i = 0; i < size; i++) {
        out[at + 4 + i] = ((const uint8_t *)bytes)[i] ^ mask[i % 4];
    }
    return at + 4 + size;
}

// What the whole stream comes to, fed in pieces of `piece`: the messages one after another, and the last status.
static WsStatus run(const uint8_t *stream, size_t size, size_t piece, uint8_t *got, size_t *got_size, uint32_t *pings, uint16_t *code)
{
    Ws      *ws = ws_create(false);
    WsStatus status = WS_PART;
    *got_size = 0;
    *pings = 0;
    for (size_t at = 0; at < size && status == WS_PART; at += piece) {
        uint8_t copy[4096]; // exactly as long as it lives
        size_t  count = size - at < piece ? size - at : piece;
        memcpy(copy, stream + at, count);
        ws_feed(ws, copy, count);
        const uint8_t *bytes = NULL;
        size_t         bytes_size = 0;
        while ((status = ws_next(ws, &bytes, &bytes_size)) == WS_MESSAGE || status == WS_PING) {
            *pings += status == WS_PING ? 1 : 0;
            memcpy(got + *got_size, bytes, bytes_size);
            *got_size += bytes_size;
        }
    }
    *code = ws_code(ws);
    cr_assert_eq(ws_wrong(ws) != NULL, status == WS_WRONG);
    ws_destroy(ws);
    return status;
}

// However it is cut, it is the same.
static WsStatus run_all(const uint8_t *stream, size_t size, uint8_t *got, size_t *got_size, uint32_t *pings, uint16_t *code)
{
    WsStatus whole = run(stream, size, 4096, got, got_size, pings, code);
    static const size_t pieces[] = { 1, 2, 3, 5, 7, 64, 1000 };
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        uint8_t  other[8192];
        size_t   other_size = 0;
        uint32_t other_pings = 0;
        uint16_t other_code = 0;
        cr_assert_eq(run(stream, size, pieces[i], other, &other_size, &other_pings, &other_code), whole, "in pieces of %zu", pieces[i]);
        cr_assert_eq(other_size, *got_size);
        cr_assert_eq(memcmp(other, got, other_size), 0);
        cr_assert_eq(other_pings, *pings);
        cr_assert_eq(other_code, *code, "in pieces of %zu: %u", pieces[i], other_code);
    }
    return whole;
}

static uint8_t  got[8192];
static size_t   got_size;
static uint32_t pings;
static uint16_t code;

// RFC 6455, section 5.7: the examples that a client may send, as binary messages.
Test(ws, the_frames_of_the_standard)
{
    uint8_t       stream[4096];
    const uint8_t masked[] = { 0x82, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58 };
    cr_assert_eq(run_all(masked, sizeof(masked), got, &got_size, &pings, &code), WS_PART);
    cr_assert_eq(got_size, 5);
    cr_assert_eq(memcmp(got, "Hello", 5), 0);
    // Fragmented, with a ping and an unasked pong between.
    size_t size = put(stream, 0x02, "Hel", 3);
    size += put(stream + size, 0x89, "Hello", 5);
    size += put(stream + size, 0x8A, "", 0);
    size += put(stream + size, 0x80, "lo", 2);
    cr_assert_eq(run_all(stream, size, got, &got_size, &pings, &code), WS_PART);
    cr_assert_eq(pings, 1);
    cr_assert_eq(got_size, 10);
    cr_assert_eq(memcmp(got, "HelloHello", 10), 0);
}

Test(ws, the_handshake_of_the_standard)
{
    char accept[WS_ACCEPT_SIZE], key[WS_KEY_SIZE];
    ws_accept("dGhlIHNhbXBsZSBub25jZQ==", accept);
    cr_assert_str_eq(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    cr_assert(ws_key_is_valid("dGhlIHNhbXBsZSBub25jZQ=="));
    static const char *const bad[] = { "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZUE=",
                                       "dGhlIHNhbXBsZSBub25j-Q==", "dGhlIHNhbXBs ZSBub25jZQ=" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_not(ws_key_is_valid(bad[i]), "%s", bad[i]);
    }
    ws_key_make(key);
    cr_assert(ws_key_is_valid(key));
    cr_assert(ws_list_has("keep-alive, Upgrade", "upgrade", false));
    cr_assert(ws_list_has("a,tickproof.2 ,b", "tickproof.2", true));
    cr_assert_not(ws_list_has("a,Tickproof.2", "tickproof.2", true));
    cr_assert_not(ws_list_has("upgrades", "upgrade", false));
    cr_assert_not(ws_list_has(",, ", "upgrade", false));
}

static WsAnswer answer(const char *text, size_t *head, unsigned *status)
{
    return ws_answer((const uint8_t *)text, strlen(text), "dGhlIHNhbXBsZSBub25jZQ==", head, status);
}

#define HEAD "HTTP/1.1 101 Switching Protocols\r\n"
#define GOOD "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define PROTOCOL "Sec-WebSocket-Protocol: tickproof.2\r\n"

Test(ws, answers_of_servers)
{
    size_t   head = 0;
    unsigned status = 0;
    cr_assert_eq(answer(HEAD GOOD PROTOCOL "\r\nxyz", &head, &status), WS_ANSWER_FINE);
    cr_assert_eq(head, strlen(HEAD GOOD PROTOCOL "\r\n"));
    const char *whole = HEAD GOOD PROTOCOL "\r\n";
    for (size_t size = 0; size < strlen(whole); size++) {
        cr_assert_eq(ws_answer((const uint8_t *)whole, size, "dGhlIHNhbXBsZSBub25jZQ==", &head, &status), WS_ANSWER_PART);
    }
    cr_assert_eq(answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", &head, &status), WS_ANSWER_REFUSED);
    cr_assert_eq(status, 403);
    static const char *const wrong[] = {
        "\r\n\r\n", "HTTP/1.0 101 x\r\n" GOOD PROTOCOL "\r\n", "HTTP/1.1 1011\r\n" GOOD PROTOCOL "\r\n", "HTTP/1.1 1x1 a\r\n\r\n", HEAD "\r\n", HEAD GOOD "\r\n",
        HEAD PROTOCOL "\r\n", HEAD GOOD GOOD PROTOCOL "\r\n", HEAD GOOD PROTOCOL "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        HEAD "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO=\r\n" PROTOCOL "\r\n",
        HEAD GOOD "Sec-WebSocket-Protocol: tickproof.1\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_assert_eq(answer(wrong[i], &head, &status), WS_ANSWER_WRONG, "%zu: %s", i, wrong[i]);
    }
}

Test(ws, messages_of_every_size)
{
    static uint8_t stream[MESSAGE_SIZE_MAX + WS_HEAD_MAX], bytes[MESSAGE_SIZE_MAX];
    randombytes_buf(bytes, sizeof(bytes));
    for (size_t size = 1; size <= MESSAGE_SIZE_MAX; size += size < 140 ? 1 : 53) {
        size_t   count = put(stream, 0x82, bytes, size);
        WsStatus status = run(stream, count, size % 2 == 0 ? 4096 : 3, got, &got_size, &pings, &code);
        cr_assert_eq(status, WS_PART);
        cr_assert_eq(got_size, size);
        cr_assert_eq(memcmp(got, bytes, size), 0);
    }
}

static void expect_wrong(const uint8_t *stream, size_t size, uint16_t expected, const char *what)
{
    cr_assert_eq(run_all(stream, size, got, &got_size, &pings, &code), WS_WRONG, "%s", what);
    cr_assert_eq(code, expected, "%s: %u", what, code);
    cr_assert_eq(got_size, 0, "%s", what);
}

Test(ws, what_is_wrong_says_its_code)
{
    static uint8_t stream[65536], zeroes[2000];
    const uint8_t  plain[] = { 0x82, 0x01, 'a' };
    const uint8_t  long_16[] = { 0x82, 0x80 | 126, 0, 5, 1, 2, 3, 4, 0, 0, 0, 0, 0 };
    const uint8_t  long_64[] = { 0x82, 0x80 | 127, 0, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 4, 0 };
    const uint8_t  negative[] = { 0x82, 0x80 | 127, 0x80, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 4, 0 };
    const uint8_t  giant[] = { 0x82, 0x80 | 127, 0, 0, 1, 0, 0, 0, 4, 0, 1, 2, 3, 4, 0 };
    const uint8_t  ping_126[] = { 0x89, 0x80 | 126, 0, 126, 1, 2, 3, 4, 0 };
    expect_wrong(plain, sizeof(plain), WS_CLOSE_PROTOCOL, "not masked");
    expect_wrong(long_16, sizeof(long_16), WS_CLOSE_PROTOCOL, "a length of two bytes that has room in one");
    expect_wrong(long_64, sizeof(long_64), WS_CLOSE_PROTOCOL, "a length of eight bytes that has room in two");
    expect_wrong(negative, sizeof(negative), WS_CLOSE_PROTOCOL, "the length's highest bit");
    expect_wrong(giant, sizeof(giant), WS_CLOSE_TOO_LARGE, "a giant frame");
    expect_wrong(ping_126, sizeof(ping_126), WS_CLOSE_PROTOCOL, "a ping of 126 bytes");
    expect_wrong(stream, put(stream, 0x81, "text", 4), WS_CLOSE_UNSUPPORTED, "text");
    expect_wrong(stream, put(stream, 0x82, zeroes, MESSAGE_SIZE_MAX + 1), WS_CLOSE_TOO_LARGE, "1,201 bytes");
    expect_wrong(stream, put(stream, 0x82, "", 0), WS_CLOSE_POLICY, "an empty message");
    expect_wrong(stream, put(stream, 0x80, "a", 1), WS_CLOSE_PROTOCOL, "goes on and never began");
    expect_wrong(stream, put(stream, 0x09, "a", 1), WS_CLOSE_PROTOCOL, "a fragmented ping");
    for (uint8_t bit = 0x10; bit <= 0x40; bit = (uint8_t)(bit << 1)) {
        expect_wrong(stream, put(stream, 0x82 | bit, "a", 1), WS_CLOSE_PROTOCOL, "a reserved bit");
    }
    for (uint8_t opcode = 0; opcode < 16; opcode++) {
        if ((opcode >= 3 && opcode <= 7) || opcode >= 11) {
            expect_wrong(stream, put(stream, 0x80 | opcode, "a", 1), WS_CLOSE_PROTOCOL, "an opcode that there is not");
        }
    }
    size_t size = put(stream, 0x02, "a", 1);
    expect_wrong(stream, size + put(stream + size, 0x82, "a", 1), WS_CLOSE_PROTOCOL, "one inside another");
    size = put(stream, 0x02, zeroes, 1000);
    expect_wrong(stream, size + put(stream + size, 0x80, zeroes, 201), WS_CLOSE_TOO_LARGE, "1,201 bytes in two");
}

Test(ws, floods_are_bounded)
{
    static uint8_t stream[65536];
    size_t         size = put(stream, 0x02, "", 0);
    for (int i = 1; i < WS_FRAGMENTS_MAX; i++) {
        size += put(stream + size, i == WS_FRAGMENTS_MAX - 1 ? 0x80 : 0x00, "a", 1);
    }
    cr_assert_eq(run_all(stream, size, got, &got_size, &pings, &code), WS_PART, "so many are fine");
    cr_assert_eq(got_size, WS_FRAGMENTS_MAX - 1);
    size = put(stream, 0x02, "", 0);
    for (int i = 1; i <= WS_FRAGMENTS_MAX; i++) {
        size += put(stream + size, 0x00, "", 0);
    }
    expect_wrong(stream, size, WS_CLOSE_POLICY, "a fragment more");
    // A message gives them back.
    size = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < WS_CONTROLS_MAX; i++) {
            size += put(stream + size, 0x8A, "pong", 4);
        }
        size += put(stream + size, 0x82, "m", 1);
    }
    cr_assert_eq(run_all(stream, size, got, &got_size, &pings, &code), WS_PART);
    cr_assert_eq(got_size, 3);
    size = 0;
    for (int i = 0; i <= WS_CONTROLS_MAX; i++) {
        size += put(stream + size, 0x8A, "pong", 4);
    }
    expect_wrong(stream, size, WS_CLOSE_POLICY, "a pong more");
}

static void expect_close(const void *bytes, size_t size, WsStatus expected, uint16_t expected_code)
{
    uint8_t stream[256];
    size_t  count = put(stream, 0x88, bytes, size);
    count += put(stream + count, 0x82, "late", 4); // nothing comes after it
    cr_assert_eq(run_all(stream, count, got, &got_size, &pings, &code), expected);
    cr_assert_eq(code, expected_code, "%u", code);
    cr_assert_eq(got_size, 0);
}

Test(ws, closing_frames)
{
    expect_close("", 0, WS_CLOSED, 0);
    expect_close("\x03\xE8", 2, WS_CLOSED, 1000);
    expect_close("\x03\xE9going away \xC3\xBC \xF0\x9F\x90\x98", 20, WS_CLOSED, 1001);
    expect_close("\x0F\xA0", 2, WS_CLOSED, 4000);
    expect_close("\x03", 1, WS_WRONG, WS_CLOSE_PROTOCOL);
    for (uint32_t said = 0; said < 65536; said++) {
        bool    is_fine = (said >= 1000 && said <= 1003) || (said >= 1007 && said <= 1014) || (said >= 3000 && said <= 4999);
        uint8_t bytes[2] = { (uint8_t)(said >> 8), (uint8_t)said };
        uint8_t stream[16];
        cr_assert_eq(run(stream, put(stream, 0x88, bytes, 2), 64, got, &got_size, &pings, &code), is_fine ? WS_CLOSED : WS_WRONG, "%u", said);
    }
    static const char *const bad[] = { "\x03\xE8\x80", "\x03\xE8\xC3", "\x03\xE8\xC0\xAF", "\x03\xE8\xED\xA0\x80", "\x03\xE8\xF4\x90\x80\x80", "\x03\xE8\xE0\x80\x80",
                                       "\x03\xE8\xFF" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        expect_close(bad[i], strlen(bad[i]), WS_WRONG, WS_CLOSE_BAD_DATA);
    }
}

// Goal: both halves of our own understand each other, and neither takes its own kind for the other.
Test(ws, both_sides)
{
    static uint8_t bytes[MESSAGE_SIZE_MAX], out[MESSAGE_SIZE_MAX + WS_HEAD_MAX];
    randombytes_buf(bytes, sizeof(bytes));
    for (int side = 0; side < 2; side++) {
        Ws *from = ws_create(side == 0), *to = ws_create(side != 0), *same = ws_create(side == 0);
        for (size_t size = 1; size <= MESSAGE_SIZE_MAX; size += 11) {
            const uint8_t *read = NULL;
            size_t         read_size = 0;
            size_t         count = ws_encode(from, WS_OPCODE_BINARY, bytes, size, out);
            cr_assert_eq(count, ws_frame_size(from, size));
            ws_feed(to, out, count);
            cr_assert_eq(ws_next(to, &read, &read_size), WS_MESSAGE);
            cr_assert_eq(read_size, size);
            cr_assert_eq(memcmp(read, bytes, size), 0);
            cr_assert_eq(ws_next(to, &read, &read_size), WS_PART);
        }
        const uint8_t *read = NULL;
        size_t         read_size = 0, count = ws_encode_close(from, WS_CLOSE_GOING_AWAY, out);
        ws_feed(same, out, count);
        cr_assert_eq(ws_next(same, &read, &read_size), WS_WRONG);
        cr_assert_eq(ws_code(same), WS_CLOSE_PROTOCOL);
        ws_feed(to, out, count);
        cr_assert_eq(ws_next(to, &read, &read_size), WS_CLOSED);
        cr_assert_eq(ws_code(to), WS_CLOSE_GOING_AWAY);
        ws_destroy(from);
        ws_destroy(to);
        ws_destroy(same);
    }
}

// Goal: after any message, what is left is exactly what was not read yet: another reader goes on with it.
Test(ws, the_rest_goes_on_elsewhere)
{
    static uint8_t stream[8192], rest[8192];
    size_t         size = 0;
    for (uint8_t i = 1; i <= 12; i++) {
        uint8_t bytes[300];
        memset(bytes, i, sizeof(bytes));
        size += i % 3 == 0 ? put(stream + size, 0x02, bytes, 20) : 0; // in two
        size += put(stream + size, i % 3 == 0 ? 0x80 : 0x82, bytes, i * 20u);
        size += i % 4 == 0 ? put(stream + size, 0x8A, "pong", 4) : 0;
    }
    for (size_t piece = 1; piece <= 4096; piece = piece * 5 + 3) {
        for (uint32_t at = 1; at <= 12; at++) {
            Ws      *ws = ws_create(false);
            uint32_t count = 0;
            size_t   rest_size = 0;
            for (size_t fed = 0; fed < size; fed += piece) {
                const uint8_t *bytes = NULL;
                size_t         bytes_size = 0, here = size - fed < piece ? size - fed : piece;
                ws_feed(ws, stream + fed, here);
                while (ws_next(ws, &bytes, &bytes_size) == WS_MESSAGE) {
                    cr_assert_eq(bytes[0], ++count);
                    if (count == at) {
                        cr_assert(ws_rest(ws, rest, sizeof(rest), &rest_size));
                        cr_assert_eq(ws_rest(ws, rest, rest_size - 1, &rest_size), rest_size == 0, "too small");
                        ws_destroy(ws);
                        ws = ws_create(false);
                        ws_feed(ws, rest, rest_size);
                    }
                }
            }
            cr_assert_eq(count, 12, "in pieces of %zu, handed over after %u", piece, at);
            ws_destroy(ws);
        }
    }
}
