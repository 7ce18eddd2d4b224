// test_web_request.c: paths, hosts, origins and etags, as they come from anybody.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "web_request.h"

TestSuite(web_request, .timeout = 30);

static char path[WEB_PATH_MAX + 1], query[WEB_QUERY_MAX + 1];

Test(web_request, paths_that_are_fine)
{
    static const char *const cases[][3] = {
        { "/", "/", "" },
        { "/api/v1/rooms", "/api/v1/rooms", "" },
        { "/api/", "/api/", "" },
        { "/a%20b", "/a b", "" },
        { "/a%2Eb", "/a.b", "" },
        { "/...", "/...", "" },
        { "/.well-known/x", "/.well-known/x", "" },
        { "/a%2541", "/a%41", "" }, // decoded once
        { "/r?x=%2F..&y=[1]", "/r", "x=%2F..&y=[1]" },
        { "/?", "/", "" },
        { "/a:b@c!$&'()*+,;=~", "/a:b@c!$&'()*+,;=~", "" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(web_request_target(cases[i][0], path, query), WEB_TARGET_FINE, "%s", cases[i][0]);
        cr_assert_str_eq(path, cases[i][1]);
        cr_assert_str_eq(query, cases[i][2]);
    }
}

Test(web_request, paths_that_are_not)
{
    static const char *const cases[] = {
        "", "*", "a", "http://here/", "//", "//etc/passwd", "/a//b", "/.", "/..", "/../", "/a/../b", "/a/..", "/a/./b", "/%2e%2e/etc/passwd", "/%2E./x", "/.%2e",
        "/a/%2e%2e", "/..%2fetc", "/%2f", "/a%2Fb", "/a\\b", "/a%5Cb", "/..\\..\\x", "/%00", "/a%00.html", "/%0a", "/%0D%0ASet-Cookie:x", "/%7f", "/%", "/%2", "/%zz", "/%u002e",
        "/%c0%ae%c0%ae/", "/\xC3\xBC", "/%C3%BC", "/a b", "/a\tb", "/a#b", "/a\"b", "/<x>", "/a?b c", "/a?b\x7F", "/a?b#c", "/a?\\",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(web_request_target(cases[i], path, query), WEB_TARGET_BAD, "%s", cases[i]);
    }
}

Test(web_request, long_ones)
{
    static char text[WEB_PATH_MAX + WEB_QUERY_MAX + 8];
    memset(text, 'a', WEB_PATH_MAX);
    text[0] = '/';
    cr_assert_eq(web_request_target(text, path, query), WEB_TARGET_FINE);
    text[WEB_PATH_MAX] = 'a';
    cr_assert_eq(web_request_target(text, path, query), WEB_TARGET_LONG);
    text[1] = '?';
    memset(text + 2, 'b', WEB_QUERY_MAX);
    text[2 + WEB_QUERY_MAX] = '\0';
    cr_assert_eq(web_request_target(text, path, query), WEB_TARGET_FINE);
    cr_assert_eq(strlen(query), WEB_QUERY_MAX);
    text[2 + WEB_QUERY_MAX] = 'b';
    cr_assert_eq(web_request_target(text, path, query), WEB_TARGET_LONG);
}

static struct sockaddr_storage local(const char *address, uint16_t port)
{
    struct sockaddr_storage storage;
    struct sockaddr_in     *four = (struct sockaddr_in *)&storage;
    struct sockaddr_in6    *six = (struct sockaddr_in6 *)&storage;
    memset(&storage, 0, sizeof(storage));
    if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
    } else {
        cr_assert_eq(inet_pton(AF_INET6, address, &six->sin6_addr), 1);
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
    }
    return storage;
}

Test(web_request, hosts)
{
    static const char *const known[] = { "play.example.org", "other.example:8443", "[2001:db8::1]" };
    static const struct {
        const char *host, *address;
        uint16_t    port;
        bool        is_fine, is_name;
    } cases[] = {
        { "127.0.0.1:7780", "127.0.0.1", 7780, true, false },
        { "localhost:7780", "127.0.0.1", 7780, true, false },
        { "LocalHost:7780", "127.0.0.1", 7780, true, false },
        { "localhost:7780", "::1", 7780, true, false },
        { "[::1]:7780", "::1", 7780, true, false },
        { "[0:0::1]:7780", "::1", 7780, true, false },
        { "127.0.0.1", "127.0.0.1", 80, true, false },
        { "127.0.0.1", "127.0.0.1", 7780, false, false },
        { "127.0.0.1:7781", "127.0.0.1", 7780, false, false },
        { "127.0.0.2:7780", "127.0.0.1", 7780, false, false },
        { "localhost:7780", "10.0.0.1", 7780, false, false },
        { "10.0.0.1:7780", "10.0.0.1", 7780, true, false },
        { "evil.example:7780", "127.0.0.1", 7780, false, false },
        { "localhost.evil.example:7780", "127.0.0.1", 7780, false, false },
        { "play.example.org", "10.0.0.1", 7780, true, true },
        { "PLAY.example.org:443", "10.0.0.1", 7780, true, true },
        { "other.example:8443", "10.0.0.1", 7780, true, true },
        { "other.example:8444", "10.0.0.1", 7780, false, false },
        { "other.example", "10.0.0.1", 7780, false, false },
        { "[2001:db8::1]:1", "10.0.0.1", 7780, true, true },
        { "", "127.0.0.1", 7780, false, false },
        { "127.0.0.1:7780:1", "127.0.0.1", 7780, false, false },
        { "127.0.0.1:", "127.0.0.1", 7780, false, false },
        { "127.0.0.1:07780", "127.0.0.1", 7780, true, false },
        { "127.0.0.1:77800", "127.0.0.1", 7780, false, false },
        { "127.0.0.1:0", "127.0.0.1", 7780, false, false },
        { "user@127.0.0.1:7780", "127.0.0.1", 7780, false, false },
        { "127.1:7780", "127.0.0.1", 7780, false, false },
        { "0x7f000001:7780", "127.0.0.1", 7780, false, false },
        { "[::1:7780", "::1", 7780, false, false },
        { "[::1]x:7780", "::1", 7780, false, false },
        { "::1", "::1", 80, false, false },
        { "localhost:7780 ", "127.0.0.1", 7780, false, false },
    };
    WebNames names = { known, 3 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sockaddr_storage address = local(cases[i].address, cases[i].port);
        bool                    is_name = false;
        cr_assert_eq(web_request_host(cases[i].host, &address, &names, &is_name), cases[i].is_fine, "%s", cases[i].host);
        cr_assert_eq(is_name, cases[i].is_name, "%s", cases[i].host);
    }
}

Test(web_request, origins)
{
    static const char *const known[] = { "https://play.example.org", "http://friend.example:8080" };
    WebNames                 names = { known, 2 };
    cr_assert(web_request_origin("http://127.0.0.1:7780", "127.0.0.1:7780", false, &names));
    cr_assert(web_request_origin("HTTP://LOCALHOST:7780", "localhost:7780", false, &names));
    cr_assert(web_request_origin("https://play.example.org", "127.0.0.1:7780", false, &names));
    cr_assert(web_request_origin("https://own.example", "own.example", true, &names));
    static const char *const foreign[] = { "", "null", "http://localhost:7780", "http://127.0.0.1", "http://127.0.0.1:77800", "https://127.0.0.1:7780", "http://127.0.0.1:7780/",
                                           "http://127.0.0.1:7780.evil.example", "http://evil.example", "ftp://127.0.0.1:7780", "127.0.0.1:7780", "http://friend.example" };
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        cr_assert_not(web_request_origin(foreign[i], "127.0.0.1:7780", false, &names), "%s", foreign[i]);
    }
}

Test(web_request, etags)
{
    cr_assert(web_request_has_etag("\"a\"", "\"a\""));
    cr_assert(web_request_has_etag("\"b\", W/\"a\" ", "\"a\""));
    cr_assert(web_request_has_etag("*", "\"a\""));
    cr_assert_not(web_request_has_etag("\"ab\"", "\"a\""));
    cr_assert_not(web_request_has_etag("a", "\"a\""));
    cr_assert_not(web_request_has_etag("", "\"a\""));
    cr_assert_not(web_request_has_etag("*", ""));
    cr_assert_not(web_request_has_etag(" , ,W/,", "\"a\""));
}
