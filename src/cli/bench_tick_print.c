// bench_tick_print.c: a tick's costs in a table for people, or as one object of JSON; budgets where the project has one.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_tick.h"
#include "textout.h"

// What one part adds to the run before it; noise may make it a little less than nothing.
static double added(const BenchTickResult *result, BenchTickRun run)
{
    return result->ns[run] - result->ns[run - 1];
}

static double base_ns(const BenchTickResult *result)
{
    return result->ns[result->has_bare ? BENCH_TICK_BARE : BENCH_TICK_STEP];
}

static double host_ns(const BenchTickResult *result)
{
    return result->ns[BENCH_TICK_SNAPSHOT] - base_ns(result);
}

static double rollback_ns(const BenchTickResult *result)
{
    return result->ns[BENCH_TICK_ROLLBACK];
}

static double times_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void line(const BenchTickResult *result, const char *name, double ns, const char *what)
{
    printf("  %-28s %12.1f %10.3f   %s\n", name, ns, times_of(ns, base_ns(result)), what);
}

static bool is_realm(const BenchTickResult *result)
{
    return strcmp(result->world->name, "realm") == 0;
}

static void verdict(const char *what, double value, double most, const char *unit)
{
    printf("  budget: %s %.3f%s, at most %g: %s\n", what, value, unit, most, value <= most ? "kept" : "MISSED");
}

static void print_budgets(const BenchTickResult *result)
{
    double base = base_ns(result), host = host_ns(result);
    if (result->block_size <= 1024) {
        verdict("what the host adds", host, 250, " ns");
    }
    if (is_realm(result) && result->players >= 8) {
        verdict("a hosted tick by the bare step", times_of(base + host, base), 1.05, "");
    } else if (base >= 1000) {
        verdict("a hosted tick by the bare step", times_of(base + host, base), 1.25, "");
    }
    if (is_realm(result) && result->players >= 64) {
        verdict("(save + restore + root) / step", times_of(rollback_ns(result), base), 0.10, "");
    }
}

static void print_text(const BenchTickResult *result)
{
    printf("%s, %u player%s: state of %zu bytes, %" PRIu64 " ticks, %.2f events each; medians of %u rounds; last root ", result->world->name, result->players,
           result->players == 1 ? "" : "s", result->block_size, result->ticks, times_of((double)result->events, (double)result->ticks), result->rounds);
    uint8_t root[16];
    tp_hash128_to_bytes(result->root, root);
    textout_hex(stdout, root, 8);
    printf("\n  %-28s %12s %10s\n", "", "ns a tick", "by step");
    if (result->has_bare) {
        line(result, "bare step", result->ns[BENCH_TICK_BARE], "the world's own function");
        line(result, "rows and events", added(result, BENCH_TICK_STEP), "inputs checked and decoded, the guard, events kept");
    } else {
        line(result, "step", result->ns[BENCH_TICK_STEP], "with its row, guard and events: an opaque world has no bare one");
    }
    line(result, "root", added(result, BENCH_TICK_ROOT), "");
    line(result, "record", added(result, BENCH_TICK_RECORD), "on the tick thread");
    line(result, "snapshot", added(result, BENCH_TICK_SNAPSHOT), "");
    line(result, "hosted tick", result->ns[BENCH_TICK_SNAPSHOT], "all of these");
    line(result, "behind it", result->behind_ns, "on the recorder's thread: chain and checksums, written nowhere");
    line(result, "save + restore + root", rollback_ns(result), "what a rollback costs beside its steps");
    line(result, "limit: memcpy", result->memcpy_ns, "of as many bytes as the state has");
    line(result, "limit: XXH3", result->hash_ns, tp_checksum_path());
    printf("  %.0f ticks/s hosted, %.0f bare; a log of %.1f bytes a tick\n", times_of(1e9, result->ns[BENCH_TICK_SNAPSHOT]), times_of(1e9, base_ns(result)),
           result->log_bytes);
    print_budgets(result);
}

static void number(const char *key, double value)
{
    textout_key(stdout, false, key);
    printf("%.3f", value);
}

static void print_json(const BenchTickResult *result)
{
    uint8_t root[16];
    putchar('{');
    textout_json_member(stdout, true, "world", result->world->name);
    textout_u64_member(stdout, false, "players", result->players);
    textout_u64_member(stdout, false, "ticks", result->ticks);
    textout_u64_member(stdout, false, "rounds", result->rounds);
    textout_u64_member(stdout, false, "events", result->events);
    textout_u64_member(stdout, false, "state_bytes", result->block_size);
    textout_u64_member(stdout, false, "canonical_bytes", result->canonical_size);
    textout_bool_member(stdout, false, "has_bare_step", result->has_bare);
    if (result->has_bare) {
        number("bare_step_ns", result->ns[BENCH_TICK_BARE]);
        number("rows_and_events_ns", added(result, BENCH_TICK_STEP));
    }
    number("step_ns", result->ns[BENCH_TICK_STEP]);
    number("root_ns", added(result, BENCH_TICK_ROOT));
    number("record_ns", added(result, BENCH_TICK_RECORD));
    number("snapshot_ns", added(result, BENCH_TICK_SNAPSHOT));
    number("hosted_tick_ns", result->ns[BENCH_TICK_SNAPSHOT]);
    number("behind_ns", result->behind_ns);
    number("save_restore_root_ns", rollback_ns(result));
    number("memcpy_ns", result->memcpy_ns);
    number("xxh3_ns", result->hash_ns);
    number("log_bytes_per_tick", result->log_bytes);
    tp_hash128_to_bytes(result->root, root);
    textout_hex_member(stdout, false, "root", root, sizeof(root));
    fputs("}\n", stdout);
}

void bench_tick_print(const BenchTickResult *result, bool is_json)
{
    if (is_json) {
        print_json(result);
    } else {
        print_text(result);
    }
    fflush(stdout);
}
