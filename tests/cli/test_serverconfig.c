// test_serverconfig.c: what a configuration comes to, and what happens when there is no memory for it. Linked with --wrap, so that every
// allocation of the parser passes through here. Wrong configurations have a case of their own, serverconfig.sh.
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "serverconfig.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void  __real_free(void *memory);
int   __real_vasprintf(char **text, const char *format, va_list arguments);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void  __wrap_free(void *memory);
int   __wrap_vasprintf(char **text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
int   cli_fail(int code, const char *format, ...);
int   cli_usage(const char *command, const char *format, ...);

static uint64_t calls;
static uint64_t fail_at; // this call fails, counted from 1; 0: none
static int64_t  held;    // allocations that were not given back

static bool fails(void)
{
    calls++;
    bool is_refused = fail_at != 0 && calls == fail_at;
    held += is_refused ? 0 : 1;
    return is_refused;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    bool is_refused = fails();
    held -= !is_refused && old != NULL ? 1 : 0;
    return is_refused ? NULL : __real_realloc(old, size);
}

void __wrap_free(void *memory)
{
    held -= memory != NULL ? 1 : 0;
    __real_free(memory);
}

int __wrap_vasprintf(char **text, const char *format, va_list arguments)
{
    return fails() ? -1 : __real_vasprintf(text, format, arguments);
}

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, "runner") == 0 ? &runner_world : NULL;
}

static const char whole[] =
    "{\"listen\": [\"127.0.0.1:1\", \"[::1]:0\"], \"threads\": 3, \"udp\": \"127.0.0.1:0\", \"admin_key_file\": \"key\", \"sign_key\": \"sign\",\n"
    "\"log\": \"json\", \"worlds\": [\"x.so\"],\n"
    "\"record\": {\"directory\": \"own\", \"durability\": \"seal\"}, \"limits\": {\"watchers\": 5, \"join_bytes_per_tick\": 9999},\n"
    "\"rooms\": [\n"
    "{\"source\": \"recorded\", \"log\": \"a.tpr\", \"pace\": \"as-fast-as-possible\", \"record\": false},\n"
    "{\"source\": \"recorded\", \"log\": \"/b.tpr\", \"record\": {\"directory\": \"other\", \"durability\": \"none\"}},\n"
    "{\"source\": \"live\", \"name\": \"arena\", \"world\": \"runner\", \"seed\": 18446744073709551610, \"count\": 3,\n"
    "\"config\": {\"lead_ms\": 900, \"entities\": 7}, \"on_desync\": \"halt\", \"report_ticks\": 0,\n"
    "\"rejoin_seconds\": 5, \"desync_dir\": \"bad\", \"rotate_ticks\": 18446744073709551615, \"resume\": false}]}";

static bool read_whole(ServerConfig *config, ServerConfigError *error)
{
    return serverconfig_read(config, "rooms.json", "conf/", whole, strlen(whole), error) && serverconfig_bind(config, find_world, NULL, error);
}

Test(serverconfig, everything_arrives)
{
    ServerConfig      config = { 0 };
    ServerConfigError error = { "" };
    char              name[SERVER_ROOM_NAME_SIZE];
    cr_assert(read_whole(&config, &error), "%s", error.text);
    cr_assert_eq(config.listen_count, 2);
    cr_assert_str_eq(config.listen[1], "[::1]:0");
    cr_assert_eq(config.threads, 3);
    cr_assert_eq(config.log, 1);
    cr_assert_eq(config.limits.watchers, 5);
    cr_assert_eq(config.limits.join_bytes_per_tick, 9999);
    cr_assert_str_eq(config.udp, "127.0.0.1:0");
    cr_assert_str_eq(config.admin_key_file, "conf/key");
    cr_assert_str_eq(config.sign_key, "conf/sign");
    cr_assert_eq(config.limits.connections, 0, "what was not given is left to the server");
    cr_assert_str_eq(config.worlds[0], "conf/x.so");
    cr_assert_eq(serverconfig_room_total(&config), 5);
    cr_assert_eq(serverconfig_live_count(&config), 3);
    const ServerConfigRoom *rooms = config.rooms;
    cr_assert_str_eq(rooms[0].log, "conf/a.tpr");
    cr_assert_null(rooms[0].record_dir);
    cr_assert_str_eq(rooms[1].log, "/b.tpr");
    cr_assert_str_eq(rooms[1].record_dir, "conf/other");
    cr_assert_eq(rooms[1].durability, TP_DURABLE_NONE);
    cr_assert_str_eq(rooms[2].record_dir, "conf/own");
    cr_assert_eq(rooms[2].durability, TP_DURABLE_SEAL);
    cr_assert_eq(rooms[2].seed, UINT64_C(18446744073709551610), "through no floating point");
    cr_assert_eq(rooms[2].world, &runner_world);
    cr_assert_eq(rooms[2].values[0], 7);
    cr_assert_eq(rooms[2].values[3], 900);
    cr_assert_eq(rooms[2].values[1], runner_world.config[1].standard);
    cr_assert_eq(rooms[2].on_desync, SERVER_DESYNC_HALT);
    cr_assert_eq(rooms[2].report_ticks, 0, "none is asked for, which is not the same as nothing said");
    cr_assert_eq(rooms[2].rejoin_seconds, 5);
    cr_assert_str_eq(rooms[2].desync_dir, "conf/bad");
    cr_assert_eq(rooms[2].rotate_ticks, UINT64_MAX);
    cr_assert_eq(rooms[2].is_resumed, 0);
    serverconfig_room_name(&rooms[2], 2, name);
    cr_assert_str_eq(name, "arena-3");
    serverconfig_finish(&config);
}

Test(serverconfig, what_live_rooms_do_usually)
{
    ServerConfig      config = { 0 };
    ServerConfigError error = { "" };
    cr_assert(serverconfig_add_live(&config, "arena=runner", &error) && serverconfig_bind(&config, find_world, NULL, &error), "%s", error.text);
    cr_assert_eq(config.rooms[0].on_desync, SERVER_DESYNC_RESYNC);
    cr_assert_eq(config.rooms[0].report_ticks, SERVER_REPORT_TICKS);
    cr_assert_eq(config.rooms[0].rejoin_seconds, SERVER_REJOIN_SECONDS);
    cr_assert_null(config.rooms[0].desync_dir);
    cr_assert_eq(config.rooms[0].is_resumed, 1);
    cr_assert_eq(config.udp[0], '\0');
    serverconfig_finish(&config);
}

Test(serverconfig, what_is_said_about_http)
{
    static const char text[] = "{\"http\": {\"listen\": \"127.0.0.1:7\", \"hosts\": [\"play.example.org\", \"[::1]:8\"], \"origins\": [\"https://play.example.org\"],"
                               "\"connections\": 9, \"connections_per_address\": 8, \"requests_per_second\": 7, \"header_bytes\": 2000, \"body_bytes\": 3000,"
                               "\"request_ms\": 400, \"idle_ms\": 5000}}";
    ServerConfig      config = { 0 };
    ServerConfig      flags = { 0 };
    ServerConfigError error = { "" };
    cr_assert(serverconfig_read(&config, "x", "", text, strlen(text), &error), "%s", error.text);
    cr_assert(serverconfig_set_http(&flags, "[::1]:9", &error), "%s", error.text);
    cr_assert(serverconfig_override(&config, &flags, &error), "%s", error.text);
    cr_assert_str_eq(config.http.listen, "[::1]:9", "the flag wins, and what the file says beside it stays");
    cr_assert_eq(config.http.host_count, 2);
    cr_assert_str_eq(config.http.hosts[1], "[::1]:8");
    cr_assert_eq(config.http.origin_count, 1);
    cr_assert_str_eq(config.http.origins[0], "https://play.example.org");
    const uint32_t numbers[] = { config.http.connections, config.http.connections_per_address, config.http.requests_per_second, config.http.header_bytes,
                                 config.http.body_bytes, config.http.request_ms, config.http.idle_ms };
    const uint32_t expected[] = { 9, 8, 7, 2000, 3000, 400, 5000 };
    cr_assert_eq(memcmp(numbers, expected, sizeof(expected)), 0);
    serverconfig_finish(&config);
    serverconfig_finish(&flags);
    cr_assert_not(serverconfig_is_web_name("http://a", false));
    cr_assert(serverconfig_is_web_name("a-b.c:1", false) && serverconfig_is_web_name("http://[::1]:80", true));
    static const char *const bad[] = { "", "a:", "a:b", "a:123456", "a/b", "a b", "[::1", "[]", "[::1]x", "*" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_not(serverconfig_is_web_name(bad[i], false), "%s", bad[i]);
        char origin[32];
        snprintf(origin, sizeof(origin), "http://%s", bad[i]);
        cr_assert_not(serverconfig_is_web_name(origin, true), "%s", bad[i]);
        cr_assert_not(serverconfig_is_web_name(bad[i], true), "%s", bad[i]);
    }
}

// Goal: the same words as in a file, and a path as the shell would take it.
Test(serverconfig, live_keys_of_a_flag)
{
    ServerConfig      config = { 0 };
    ServerConfig      flags = { 0 };
    ServerConfigError error = { "" };
    cr_assert(serverconfig_add_live(&flags, "a=runner,on_desync=log,report_ticks=0,rejoin_seconds=0,desync_dir=x/y,resume=false", &error), "%s", error.text);
    cr_assert(serverconfig_set_udp(&flags, "[::1]:7", &error), "%s", error.text);
    cr_assert(!serverconfig_set_udp(&flags, "[::1]:8", &error));
    cr_assert_str_eq(error.text, "--udp: '[::1]:7' and '[::1]:8': give one address");
    cr_assert(serverconfig_override(&config, &flags, &error) && serverconfig_bind(&config, find_world, NULL, &error), "%s", error.text);
    cr_assert_eq(config.rooms[0].on_desync, SERVER_DESYNC_LOG);
    cr_assert_eq(config.rooms[0].report_ticks, 0);
    cr_assert_eq(config.rooms[0].rejoin_seconds, 0);
    cr_assert_str_eq(config.rooms[0].desync_dir, "x/y");
    cr_assert_eq(config.rooms[0].is_resumed, 0);
    cr_assert_str_eq(config.udp, "[::1]:7");
    serverconfig_finish(&config);
    serverconfig_finish(&flags);
}

Test(serverconfig, durability_is_by_what_a_room_waits_for)
{
    static const char text[] = "{\"rooms\": [{\"source\":\"recorded\",\"log\":\"a\"}, {\"source\":\"recorded\",\"log\":\"a\",\"pace\":\"as-fast-as-possible\"},"
                               "{\"source\":\"live\",\"name\":\"a\",\"world\":\"runner\"}]}";
    ServerConfig      config = { 0 };
    ServerConfigError error = { "" };
    cr_assert(serverconfig_read(&config, "x", "", text, strlen(text), &error) && serverconfig_bind(&config, find_world, NULL, &error));
    cr_assert_eq(config.rooms[0].durability, TP_DURABLE_INTERVAL);
    cr_assert_eq(config.rooms[1].durability, TP_DURABLE_NONE);
    cr_assert_eq(config.rooms[2].durability, TP_DURABLE_INTERVAL);
    cr_assert_str_eq(config.listen[0], SERVERCONFIG_LISTEN_STANDARD, "a live room is of no use where nobody can come in");
    serverconfig_finish(&config);
}

// Goal: flags win for the whole server, and a room's own word wins over both.
Test(serverconfig, flags_win)
{
    ServerConfig      config = { 0 };
    ServerConfig      flags = { 0 };
    ServerConfigError error = { "" };
    cr_assert(serverconfig_read(&config, "rooms.json", "", whole, strlen(whole), &error));
    flags.threads = 9;
    flags.lines[KEY_THREADS] = SERVERCONFIG_NO_LINE;
    flags.limits.watchers = 6;
    flags.lines[KEY_WATCHERS] = SERVERCONFIG_NO_LINE;
    flags.record.directory = "flagged";
    cr_assert(serverconfig_add_listen(&flags, "0.0.0.0:5", &error));
    cr_assert(serverconfig_add_live(&flags, "extra=runner,config.lead_ms=800,seed=0x10", &error));
    cr_assert_not(serverconfig_add_live(&flags, "extra=runner,seed=", &error));
    cr_assert(serverconfig_override(&config, &flags, &error) && serverconfig_bind(&config, find_world, NULL, &error), "%s", error.text);
    cr_assert_eq(config.threads, 9);
    cr_assert_eq(config.log, 1, "no flag said otherwise");
    cr_assert_eq(config.limits.watchers, 6);
    cr_assert_eq(config.listen_count, 1);
    cr_assert_eq(config.room_count, 4);
    cr_assert_str_eq(config.rooms[1].record_dir, "other");
    cr_assert_str_eq(config.rooms[2].record_dir, "flagged");
    cr_assert_eq(config.rooms[3].seed, 16);
    cr_assert_eq(config.rooms[3].values[3], 800);
    serverconfig_finish(&config);
    serverconfig_finish(&flags);
}

// Goal: whichever allocation fails, it is said, and nothing is lost.
Test(serverconfig, no_memory)
{
    ServerConfigError error;
    bool              is_read = false;
    for (fail_at = 1; !is_read; fail_at++) {
        ServerConfig config = { 0 };
        calls = 0;
        held = 0;
        error.text[0] = '\0';
        is_read = read_whole(&config, &error);
        cr_assert(is_read || strstr(error.text, "out of memory") != NULL, "allocation %llu: '%s'", (unsigned long long)fail_at, error.text);
        serverconfig_finish(&config);
        cr_assert_eq(held, 0, "allocation %llu: %lld are lost", (unsigned long long)fail_at, (long long)held);
    }
    cr_assert_gt(fail_at, 15);
}

Test(serverconfig, no_memory_for_a_flag)
{
    ServerConfigError error;
    bool              is_added = false;
    for (fail_at = 1; !is_added; fail_at++) {
        ServerConfig config = { 0 };
        calls = 0;
        held = 0;
        is_added = serverconfig_add_live(&config, "a=runner,config.lead_ms=900", &error);
        cr_assert(is_added || config.room_count == 0);
        serverconfig_finish(&config);
        cr_assert_eq(held, 0);
    }
}
