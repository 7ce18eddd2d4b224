// test_log_rotate.c: a series of files written by one writer: the same as files written one by one, and whatever is left of it after any
// byte can be gone on with.
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"
#include "log_mutate.h"

TestSuite(log_rotate, .timeout = 120);

enum { FILES_MAX = 16 };

// A disk in memory that dies after so many bytes: what was written until then stays.
typedef struct Disk {
    tp_memory_sink files[FILES_MAX];
    uint32_t       count;   // files there are
    uint32_t       current; // the one that is written
    uint32_t       sequence[FILES_MAX];
    uint64_t       room;    // bytes that it still takes
    bool           is_dead;
    uint32_t       refuse_next; // so many next files cannot be made
    uint32_t       syncs;
    bool           has_unsynced_end; // a file was left before its END was synced
    bool           is_synced;
} Disk;

static bool put(Disk *disk, uint32_t file, const uint8_t *bytes, size_t size)
{
    tp_sink sink = tp_sink_of_memory(&disk->files[file]);
    size_t  taken = disk->is_dead ? 0 : size < disk->room ? size : (size_t)disk->room;
    cr_assert(sink.write(sink.self, bytes, taken));
    disk->room -= taken;
    disk->is_dead = disk->is_dead || taken < size;
    errno = taken < size ? ENOSPC : 0;
    return taken == size;
}

static bool disk_write(void *self, const uint8_t *bytes, size_t size)
{
    Disk *disk = self;
    disk->is_synced = false;
    return put(disk, disk->current, bytes, size);
}

static bool disk_sync(void *self)
{
    Disk *disk = self;
    disk->syncs += 1;
    disk->is_synced = true;
    return !disk->is_dead;
}

static bool disk_next(void *self, uint32_t sequence, const uint8_t *bytes, size_t size, bool wants_sync)
{
    Disk *disk = self;
    if (disk->is_dead || disk->refuse_next > 0) {
        disk->refuse_next -= disk->refuse_next > 0 ? 1 : 0;
        errno = EMFILE;
        return false;
    }
    cr_assert_lt(disk->current + 1, FILES_MAX);
    disk->count = disk->current + 2;
    disk->sequence[disk->current + 1] = sequence;
    return put(disk, disk->current + 1, bytes, size);
}

static void disk_turn(void *self)
{
    Disk *disk = self;
    disk->has_unsynced_end = disk->has_unsynced_end || !disk->is_synced;
    disk->current += 1;
}

static Disk disk_of(uint64_t room)
{
    return (Disk){ .count = 1, .room = room };
}

static tp_sink sink_of(Disk *disk)
{
    return (tp_sink){ .self = disk, .write = disk_write, .sync = disk_sync, .next = disk_next, .turn = disk_turn };
}

static void disk_finish(Disk *disk)
{
    for (uint32_t i = 0; i < FILES_MAX; i++) {
        free(disk->files[i].bytes);
    }
}

static void *run_back(void *argument)
{
    while (tp_writer_back(argument)) {
    }
    return NULL;
}

static LogFixture plan(void)
{
    LogFixture fixture = fixture_standard();
    fixture.ticks = 170;
    fixture.note_at = 0;
    fixture.gap_ticks = 0;
    fixture.writer.durability = TP_DURABLE_SEAL;
    fixture.writer.rotate_ticks = 40;
    return fixture;
}

// Runs as far as the disk goes. True when it took everything.
static bool record(const LogFixture *fixture, Disk *disk, tp_error *not_rotated)
{
    tp_sink    sink = sink_of(disk);
    tp_error   error = { "" };
    pthread_t  thread;
    tp_sim    *sim = fixture_sim(fixture);
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture->writer, fixture->is_threaded, &error);
    if (writer == NULL) {
        tp_sim_destroy(sim);
        return false;
    }
    if (fixture->is_threaded) {
        pthread_create(&thread, NULL, run_back, writer);
    }
    bool is_good = true;
    while (is_good && tp_sim_tick(sim) < fixture->ticks) {
        is_good = fixture_step(fixture, sim, writer);
    }
    is_good = tp_writer_finish(writer, sim, TP_END_COMPLETED) && is_good;
    if (fixture->is_threaded) {
        pthread_join(thread, NULL);
    }
    if (not_rotated != NULL) {
        tp_writer_has_not_rotated(writer, not_rotated);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < disk->count; i++) {
        bytes += disk->files[i].size;
    }
    cr_assert(!is_good || tp_writer_bytes(writer) == bytes, "%llu of %llu", (unsigned long long)tp_writer_bytes(writer), (unsigned long long)bytes);
    is_good = is_good && tp_writer_error(writer) == NULL;
    cr_assert(!is_good || tp_writer_durable_tick(writer) == fixture->ticks);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    return is_good;
}

static void expect_equal(const Disk *a, const Disk *b)
{
    cr_assert_eq(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        cr_assert_eq(a->files[i].size, b->files[i].size, "file %u has %zu and %zu bytes", i, a->files[i].size, b->files[i].size);
        cr_assert_eq(memcmp(a->files[i].bytes, b->files[i].bytes, a->files[i].size), 0, "file %u", i);
    }
}

// The same run as files that know nothing of each other but the chain.
static void record_one_by_one(const LogFixture *fixture, Disk *disk)
{
    tp_error          error;
    tp_writer_options options = fixture->writer;
    tp_sim           *sim = fixture_sim(fixture);
    uint64_t          rotate = options.rotate_ticks;
    options.rotate_ticks = 0;
    while (tp_sim_tick(sim) < fixture->ticks) {
        tp_sink    sink = tp_sink_of_memory(&disk->files[options.sequence]);
        uint64_t   end = tp_sim_tick(sim) + rotate < fixture->ticks ? tp_sim_tick(sim) + rotate : fixture->ticks;
        tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
        cr_assert(writer != NULL, "%s", error.text);
        while (tp_sim_tick(sim) < end) {
            cr_assert(fixture_step(fixture, sim, writer));
        }
        cr_assert(tp_writer_finish(writer, sim, end == fixture->ticks ? TP_END_COMPLETED : TP_END_ROTATED));
        memcpy(options.predecessor, tp_writer_chain(writer), TP_LOG_CHAIN_SIZE);
        options.sequence += 1;
        tp_writer_destroy(writer);
    }
    disk->count = options.sequence;
    tp_sim_destroy(sim);
}

Test(log_rotate, series_is_that_of_single_files)
{
    for (int variant = 0; variant < 8; variant++) {
        LogFixture fixture = plan();
        fixture.world = (variant & 1) != 0 ? &testworld_opaque : &testworld_flat;
        fixture.writer.no_index = (variant & 2) != 0;
        fixture.writer.sign_key = (variant & 4) != 0 ? fixture_sign_key() : NULL;
        Disk series = disk_of(UINT64_MAX), threaded = disk_of(UINT64_MAX), single = disk_of(UINT64_MAX);
        cr_assert(record(&fixture, &series, NULL));
        record_one_by_one(&fixture, &single);
        cr_assert_eq(series.count, 5);
        expect_equal(&series, &single);
        cr_assert_not(series.has_unsynced_end);
        fixture.is_threaded = true;
        cr_assert(record(&fixture, &threaded, NULL));
        expect_equal(&series, &threaded);
        for (uint32_t i = 0; i < series.count; i++) {
            cr_assert_eq(fixture_read(series.files[i].bytes, series.files[i].size).status, TP_LOG_DONE);
            cr_assert_eq(series.sequence[i], i);
        }
        disk_finish(&series);
        disk_finish(&threaded);
        disk_finish(&single);
    }
}

// Goal: a next file that cannot be made costs nothing: the old one has everything, and says why it was not ended.
Test(log_rotate, next_file_refused_goes_on_in_the_old_one)
{
    for (uint32_t refused = 1; refused <= 4; refused++) {
        for (uint32_t key_ticks = 40; key_ticks <= 50; key_ticks += 10) { // 40: the tick has a KEY already
            LogFixture fixture = plan();
            tp_error   why = { "" };
            Disk       disk = disk_of(UINT64_MAX);
            fixture.writer.key_ticks = key_ticks;
            disk.refuse_next = refused;
            cr_assert(record(&fixture, &disk, &why));
            cr_assert_eq(disk.count, 5 - refused);
            cr_assert_eq(disk.sequence[disk.count - 1], disk.count - 1);
            uint64_t ticks = 0;
            for (uint32_t i = 0; i < disk.count; i++) {
                LogReading reading = fixture_read(disk.files[i].bytes, disk.files[i].size);
                cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
                ticks += reading.ticks;
            }
            cr_assert_eq(ticks, fixture.ticks);
            cr_assert_eq(why.text[0] != '\0', refused == 4, "%s", why.text);
            disk_finish(&disk);
        }
    }
}

Test(log_rotate, rotation_at_a_tick_with_a_key_and_by_hand)
{
    LogFixture fixture = plan();
    Disk       disk = disk_of(UINT64_MAX);
    tp_sink    sink = sink_of(&disk);
    tp_error   error;
    tp_sim    *sim = fixture_sim(&fixture);
    fixture.writer.rotate_ticks = 0;
    fixture.writer.key_ticks = 25;
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    cr_assert_not(tp_writer_rotate(writer, sim), "a file without a row");
    for (int i = 0; i < 50; i++) {
        cr_assert(fixture_step(&fixture, sim, writer));
    }
    cr_assert(tp_writer_rotate(writer, sim));
    cr_assert_not(tp_writer_rotate(writer, sim), "there is no row in it");
    cr_assert(fixture_step(&fixture, sim, writer));
    disk.refuse_next = 1;
    for (int i = 0; i < 24; i++) {
        cr_assert(fixture_step(&fixture, sim, writer));
    }
    cr_assert(tp_writer_rotate(writer, sim), "the KEY of tick 75 must not come twice");
    cr_assert(tp_writer_has_not_rotated(writer, &error));
    cr_assert_neq(strstr(error.text, "file 2 of the series"), NULL, "%s", error.text);
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED));
    cr_assert_eq(disk.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        LogReading reading = fixture_read(disk.files[i].bytes, disk.files[i].size);
        cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
        cr_assert_eq(reading.ticks, i == 0 ? 50 : 26);
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    disk_finish(&disk);
}

Test(log_rotate, sink_without_next_is_refused)
{
    LogFixture     fixture = plan();
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error;
    tp_sim        *sim = fixture_sim(&fixture);
    cr_assert_null(tp_writer_create(&sink, sim, &fixture.writer, false, &error));
    cr_assert_neq(strstr(error.text, "no next file"), NULL, "%s", error.text);
    fixture.writer.rotate_ticks = 0;
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert_not(tp_writer_rotate(writer, sim));
    cr_assert(tp_writer_finish(writer, sim, TP_END_STOPPED), "a refusal leaves the log as it was");
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    free(memory.bytes);
}

static tp_log_status recover(const tp_memory_sink *file, tp_recovery *recovery)
{
    tp_memory_source memory = { file->bytes, file->size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_error         error;
    return tp_log_recover(&source, recovery, &error);
}

// Which file of what is left goes on: the last one whose predecessor has its END. -1: nothing was begun.
static int file_to_go_on(const Disk *disk, tp_recovery *recovery)
{
    for (uint32_t i = 0; i < disk->count; i++) {
        tp_log_status status = recover(&disk->files[i], recovery);
        if (status != TP_LOG_OK) {
            cr_assert_eq(status, TP_LOG_TRUNCATED);
            cr_assert_eq(i, 0, "file %u has no start, but the one before it has its END", i);
            return -1;
        }
        if (!recovery->is_ended) {
            return (int)i;
        }
        cr_assert(i + 1 < disk->count || recovery->end_reason == TP_END_COMPLETED, "an END without a successor");
        if (i + 1 < disk->count) {
            tp_recovery_finish(recovery);
        }
    }
    return (int)disk->count - 1;
}

// Goal: wherever the disk stops, every file is good up to where it ends, one of them can be gone on with, and the finished series has every
// tick. This is a kill at every byte of three rotations.
Test(log_rotate, every_byte_can_be_the_last)
{
    LogFixture fixture = plan();
    Disk       whole = disk_of(UINT64_MAX);
    uint64_t   total = 0;
    fixture.ticks = 25;
    fixture.writer.rotate_ticks = 8;
    fixture.writer.leaves_ticks = 8;
    cr_assert(record(&fixture, &whole, NULL));
    for (uint32_t i = 0; i < whole.count; i++) {
        total += whole.files[i].size;
    }
    uint32_t resumed = 0;
    for (uint64_t room = 0; room < total; room++) {
        Disk        disk = disk_of(room);
        tp_recovery recovery;
        tp_error    error;
        cr_assert_not(record(&fixture, &disk, NULL));
        for (uint32_t i = 0; i < disk.count; i++) {
            LogReading reading = fixture_read(disk.files[i].bytes, disk.files[i].size);
            cr_assert(reading.status == TP_LOG_TRUNCATED || reading.status == TP_LOG_DONE, "room %llu, file %u: %s", (unsigned long long)room, i,
                      reading.message);
        }
        int at = file_to_go_on(&disk, &recovery);
        if (at >= 0 && !recovery.is_ended) {
            cr_assert_eq(recovery.sequence, (uint32_t)at);
            cr_assert_eq(recovery.first_tick, (uint64_t)at * 8);
            disk.room = UINT64_MAX;
            disk.is_dead = false;
            disk.current = (uint32_t)at;
            disk.files[at].size = recovery.good_size;
            for (uint32_t i = (uint32_t)at + 1; i < disk.count; i++) {
                disk.files[i].size = 0;
            }
            disk.count = disk.current + 1;
            tp_sim *sim = fixture_sim(&fixture);
            while (tp_sim_tick(sim) < recovery.next_tick) {
                fixture_step(&fixture, sim, NULL);
            }
            tp_sink    sink = sink_of(&disk);
            tp_writer *writer = tp_writer_resume(&sink, sim, &fixture.writer, &recovery, false, &error);
            cr_assert(writer != NULL, "%s", error.text);
            while (tp_sim_tick(sim) < fixture.ticks) {
                cr_assert(fixture_step(&fixture, sim, writer));
            }
            cr_assert(tp_writer_finish(writer, sim, TP_END_COMPLETED));
            tp_writer_destroy(writer);
            tp_sim_destroy(sim);
            uint64_t ticks = 0;
            uint8_t  chain[TP_LOG_CHAIN_SIZE] = { 0 };
            for (uint32_t i = 0; i < disk.count; i++) {
                tp_recovery each;
                cr_assert_eq(recover(&disk.files[i], &each), TP_LOG_OK);
                cr_assert(each.is_ended);
                cr_assert_eq(each.sequence, i);
                cr_assert_eq(memcmp(each.predecessor, chain, sizeof(chain)), 0);
                memcpy(chain, each.end_chain, sizeof(chain));
                ticks += each.ticks;
                tp_recovery_finish(&each);
            }
            cr_assert_eq(ticks, fixture.ticks);
            resumed++;
        }
        if (at >= 0) {
            tp_recovery_finish(&recovery);
        }
        disk_finish(&disk);
    }
    cr_assert_gt(resumed, total / 2);
    disk_finish(&whole);
}

// Goal: the checks above can fail: a next file that does not name its predecessor's END is another series.
Test(log_rotate, a_predecessor_that_was_not_patched_shows)
{
    LogFixture  fixture = plan();
    Disk        disk = disk_of(UINT64_MAX);
    tp_recovery first, second;
    cr_assert(record(&fixture, &disk, NULL));
    LogMutate list;
    cr_assert(log_mutate_load(&list, disk.files[1].bytes, disk.files[1].size));
    list.records[0].payload[24] ^= 1;
    size_t   size = 0;
    uint8_t *bytes = log_mutate_save(&list, LOG_MUTATE_ALL, &size);
    tp_memory_sink forged = { bytes, size, size };
    cr_assert_eq(recover(&disk.files[0], &first), TP_LOG_OK);
    cr_assert_eq(recover(&forged, &second), TP_LOG_OK);
    cr_assert_neq(memcmp(first.end_chain, second.predecessor, TP_LOG_CHAIN_SIZE), 0);
    tp_recovery_finish(&first);
    tp_recovery_finish(&second);
    log_mutate_finish(&list);
    free(bytes);
    disk_finish(&disk);
}

static uint32_t watched_notes;

static void watch(void *to, const tp_ident *ident, const tp_log_record *record)
{
    cr_assert_eq(to, &watched_notes);
    cr_assert_eq(ident->players, 3);
    watched_notes += record->type == TP_LOG_NOTE && tp_log_parse_note(record).kind == TP_NOTE_MEMBER ? 1 : 0;
}

Test(log_rotate, recovery_shows_members_notes)
{
    LogFixture     fixture = plan();
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error;
    tp_recovery    recovery;
    tp_sim        *sim = fixture_sim(&fixture);
    fixture.writer.rotate_ticks = 0;
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    cr_assert(tp_writer_note(writer, TP_NOTE_MEMBER, "slot 1 free", 11));
    cr_assert_not(tp_writer_note(writer, TP_NOTE_MEMBER + 1, "slot 1 free", 11));
    cr_assert(fixture_step(&fixture, sim, writer));
    cr_assert(tp_writer_abandon(writer));
    tp_memory_source source_memory = { memory.bytes, memory.size };
    tp_source        source = tp_source_of_memory(&source_memory);
    cr_assert_eq(tp_log_recover_watched(&source, watch, &watched_notes, &recovery, &error), TP_LOG_OK);
    cr_assert_eq(watched_notes, 1);
    tp_recovery_finish(&recovery);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    free(memory.bytes);
}
