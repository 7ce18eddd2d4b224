// Recordings of every version, made here: what is read, each rule, each refusal with its offset.
#include "slp_match.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "slpbuild.h"

enum { FRAMES_MAX = 4096 };

static SlpBuild   build;
static SlpFrame   frames[FRAMES_MAX];
static SlpMatch   match;
static SlpRefusal refusal;

// The bytes in memory of exactly their size, so that a sanitizer sees a read behind them.
static bool read_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    memcpy(copy, bytes, size);
    cr_assert_leq(slp_match_frames_max(size), FRAMES_MAX);
    refusal = (SlpRefusal){ 0 };
    bool is_read = slp_match_read(copy, size, frames, FRAMES_MAX, &match, &refusal);
    free(copy);
    return is_read;
}

static bool read_build(void)
{
    return read_bytes(build.bytes, build.size);
}

static void expect_refused(size_t offset, const char *text)
{
    cr_assert_not(read_build(), "it was read; '%s' was expected", text);
    cr_assert_not_null(strstr(refusal.error.text, text), "'%s' instead of '%s'", refusal.error.text, text);
    cr_assert_eq(refusal.offset, offset, "%s: offset %zu, not %zu", text, refusal.offset, offset);
}

static void end_game(void)
{
    slpbuild_game_end(&build);
    slpbuild_finish(&build);
}

Test(slp_match, every_version_is_read)
{
    static const int versions[] = { 1, 2, 100, 102, 103, 104, 105, 200, 202, 300, 303, 307, 309, 311, 312, 314 };
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        slpbuild_begin(&build, versions[i], 5);
        slpbuild_frames(&build, -123, -90, 5);
        end_game();
        cr_assert(read_build(), "version %d: %s", versions[i], refusal.error.text);
        cr_assert_eq(match.version[0] * 100 + match.version[1], versions[i]);
        cr_assert(match.frame_count == 34 && match.player_count == 2 && match.has_game_end && !match.is_cut);
        cr_assert(match.stage == 31 && match.timer_s == 480 && match.seed == 77);
        cr_assert(match.players[0].character == 10 && match.players[2].character == 12 && match.players[2].stocks == 4);
        cr_assert_eq(match.players[1].type, SLP_PLAYER_NONE);
        for (int frame = -123; frame <= -90; frame++) {
            const SlpFrame *read = &frames[frame + 123];
            int             hundredths = frame % 100;
            cr_assert_eq(read->present, 5);
            cr_assert_eq(read->pads[2].x, (hundredths * 127 + (hundredths < 0 ? -50 : 50)) / 100, "frame %d", frame);
        }
    }
}

Test(slp_match, names_are_those_the_version_has)
{
    slpbuild_begin(&build, 1, 3);
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    cr_assert(read_build());
    cr_assert_str_eq(match.players[1].tag, "");
    cr_assert_str_eq(match.players[1].name, "Ada0", "the metadata has a name where the game has none");
    cr_assert_str_eq(match.players[1].code, "ADA#0");
    cr_assert_str_eq(match.match_id, "");
    cr_assert_str_eq(match.start_at, "2020-02-02T20:20:20Z");
    cr_assert_str_eq(match.played_on, "network");

    slpbuild_begin(&build, 314, 3);
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    cr_assert(read_build());
    cr_assert_str_eq(match.players[1].tag, "Ad1!ガ");
    cr_assert_str_eq(match.players[1].name, "Player1");
    cr_assert_str_eq(match.players[1].code, "AB#12");
    cr_assert_str_eq(match.match_id, "mode.test-1");
}

// Goal: of a frame that comes again the last counts, and what was behind it comes again, too.
Test(slp_match, the_last_writing_of_a_frame_counts)
{
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -118, 3);
    for (int32_t frame = -120; frame <= -117; frame++) {
        slpbuild_frame(&build, frame, 3, (SlpBuildPad){ .x = -1 }, 0);
    }
    slpbuild_frames(&build, -116, -115, 3);
    end_game();
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(match.frame_count, 9);
    cr_assert_eq(match.rewritten_count, 3);
    for (int32_t frame = -120; frame <= -117; frame++) {
        cr_assert_eq(frames[frame + 123].pads[0].x, -127);
    }
    cr_assert_neq(frames[2].pads[0].x, -127);
    cr_assert_neq(frames[7].pads[0].x, -127);
}

Test(slp_match, the_same_frame_at_once_again)
{
    slpbuild_begin(&build, 1, 3);
    slpbuild_frame(&build, -123, 3, (SlpBuildPad){ .x = 1 }, 0);
    slpbuild_frame(&build, -123, 3, (SlpBuildPad){ .x = -1 }, 0);
    end_game();
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(match.frame_count, 1);
    cr_assert_eq(frames[0].pads[1].x, -127);
}

// Goal: what a rollback forgets may have been half of a frame; what stays may not, neither before it nor behind.
Test(slp_match, a_half_frame_that_is_forgotten_is_no_damage)
{
    cr_assert(slpbuild_case(&build, "half"));
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(match.frame_count == 8 && match.rewritten_count == 3, "%zu frames, %zu rewritten", (size_t)match.frame_count, (size_t)match.rewritten_count);
    for (size_t i = 0; i < 8; i++) {
        cr_assert(frames[i].present == 3 && (frames[i].pads[0].y == -127) == (i >= 4), "frame %zu", i);
    }
    // The same frame again, whole at last.
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -118, 3);
    slpbuild_pre(&build, -117, 0, false, (SlpBuildPad){ 0 });
    slpbuild_frames(&build, -117, -116, 3);
    end_game();
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(match.frame_count, 8);
    // Half again when it comes again, and the game goes on.
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -118, 3);
    slpbuild_pre(&build, -117, 0, false, (SlpBuildPad){ 0 });
    slpbuild_frames(&build, -118, -118, 3);
    size_t at = build.size;
    slpbuild_pre(&build, -117, 1, false, (SlpBuildPad){ 0 });
    slpbuild_frames(&build, -116, -115, 3);
    end_game();
    expect_refused(at, "frame -117 has nothing of the player at port 1");
}

Test(slp_match, a_recording_without_a_final_frame)
{
    cr_assert(slpbuild_case(&build, "unfinal"));
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(match.frame_count == 0 && match.unfinal_count == 5 && !match.is_cut);
}

Test(slp_match, rollback_of_final_frames_is_refused)
{
    slpbuild_begin(&build, 307, 3);
    slpbuild_frames(&build, -123, -118, 3);
    size_t again = build.size + 9; // behind the frame start
    slpbuild_frame(&build, -119, 3, (SlpBuildPad){ 0 }, -119);
    end_game();
    expect_refused(again, "frame -119 comes again, but frame -118 was final");
}

// Goal: without the end of the game the frames that could still be rolled back do not count.
Test(slp_match, frames_that_are_not_final_are_left_out)
{
    slpbuild_begin(&build, 314, 3);
    slpbuild_frames(&build, -123, -118, 3);
    slpbuild_frame(&build, -117, 3, (SlpBuildPad){ 0 }, -118);
    slpbuild_frame(&build, -116, 3, (SlpBuildPad){ 0 }, -118);
    SlpBuild *open = malloc(sizeof(*open));
    *open = build;
    slpbuild_finish(&build);
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(match.frame_count == 6 && match.unfinal_count == 2 && !match.is_cut && !match.has_game_end);

    build = *open;
    slpbuild_game_end(&build);
    slpbuild_finish(&build);
    cr_assert(read_build());
    cr_assert(match.frame_count == 8 && match.unfinal_count == 0);
    free(open);
}

Test(slp_match, followers_do_not_count)
{
    cr_assert(slpbuild_case(&build, "followers"));
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(match.frame_count, 14);
    cr_assert_eq(frames[5].pads[0].x, 64);
    cr_assert_eq(frames[5].pads[2].x, -64);
    cr_assert_eq(frames[5].pads[2].buttons, 0x0500);
}

Test(slp_match, who_is_eliminated_is_absent)
{
    cr_assert(slpbuild_case(&build, "eliminated"));
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(frames[12].present, 7);
    cr_assert_eq(frames[13].present, 5);
    cr_assert_eq(frames[23].present, 5);
}

static void come_back(bool is_teams)
{
    slpbuild_begin(&build, 300, 7);
    build.bytes[build.start_at + 0xD] = is_teams;
    slpbuild_frames(&build, -123, -120, 7);
    slpbuild_frames(&build, -119, -117, 5);
}

Test(slp_match, only_in_teams_somebody_comes_back)
{
    come_back(true);
    slpbuild_frames(&build, -116, -115, 7);
    end_game();
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(frames[7].present, 7);
    come_back(false);
    size_t at = build.size + 9;
    slpbuild_frames(&build, -116, -115, 7);
    end_game();
    expect_refused(at, "frame -116 has the player at port 2 again");
}

Test(slp_match, frames_without_somebody_who_must_be_there)
{
    slpbuild_begin(&build, 200, 3);
    size_t at = build.size;
    slpbuild_frames(&build, -123, -123, 2);
    slpbuild_frames(&build, -122, -120, 3);
    end_game();
    expect_refused(at, "frame -123 has nothing of the player at port 1");
    slpbuild_begin(&build, 200, 7);
    at = build.size;
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    expect_refused(at, "frame -123 has nothing of the player at port 3");
    slpbuild_begin(&build, 200, 7);
    slpbuild_frames(&build, -123, -120, 7);
    at = build.size;
    slpbuild_frames(&build, -119, -118, 1);
    end_game();
    expect_refused(at, "frame -119 has nothing of the player at port 2");
}

Test(slp_match, gaps_are_refused)
{
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -120, 3);
    size_t at = build.size;
    slpbuild_frames(&build, -118, -117, 3);
    end_game();
    expect_refused(at, "frame -118 comes where frame -119 is next");
    slpbuild_begin(&build, 200, 3);
    at = build.size;
    slpbuild_frames(&build, -122, -117, 3);
    end_game();
    expect_refused(at, "frame -122 comes where frame -123 is next");
    slpbuild_begin(&build, 200, 3);
    at = build.size;
    slpbuild_frames(&build, -124, -117, 3);
    end_game();
    expect_refused(at, "frame -124 comes where frame -123 is next");
    // After a rollback the frames behind it have to come again.
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -118, 3);
    slpbuild_frames(&build, -121, -121, 3);
    at = build.size;
    slpbuild_frames(&build, -117, -116, 3);
    end_game();
    expect_refused(at, "frame -117 comes where frame -120 is next");
}

Test(slp_match, counts_of_players)
{
    slpbuild_begin(&build, 200, 15);
    slpbuild_frames(&build, -123, -120, 15);
    end_game();
    cr_assert(read_build());
    cr_assert_eq(match.player_count, 4);
    slpbuild_begin(&build, 200, 4);
    slpbuild_frames(&build, -123, -120, 4);
    end_game();
    expect_refused(build.start_at + 0x65, "the game has 1 players");
    slpbuild_begin(&build, 200, 3);
    build.bytes[build.start_at + 0x66 + 0x24] = 9;
    end_game();
    expect_refused(build.start_at + 0x66 + 0x24, "the player at port 2 is of type 9");
    slpbuild_begin(&build, 1, 3);
    size_t at = build.size + 2 * 59;
    slpbuild_frames(&build, -123, -120, 11);
    end_game();
    expect_refused(at + 5, "a player at port 4");
    slpbuild_begin(&build, 1, 3);
    slpbuild_frames(&build, -123, -120, 3 | 0x40);
    end_game();
    expect_refused(at + 5, "a player at port 7");
}

Test(slp_match, not_a_number_is_refused_where_it_stands)
{
    static const uint32_t offsets[] = { 0x19, 0x1D, 0x21, 0x25, 0x29 };
    for (size_t i = 0; i < 5; i++) {
        slpbuild_begin(&build, 1, 3);
        size_t at = build.size;
        slpbuild_frames(&build, -123, -120, 3);
        slpbuild_set_u32(&build, at + offsets[i], 0xFFC00001);
        end_game();
        expect_refused(at + offsets[i], "is not a number (0xFFC00001)");
    }
    // Where nobody looks it may be anything: an early version has noise in the physical triggers.
    slpbuild_begin(&build, 1, 3);
    size_t at = build.size;
    slpbuild_frames(&build, -123, -120, 3);
    slpbuild_set_u32(&build, at + 0x33, 0xFFC00001);
    end_game();
    cr_assert(read_build());
}

Test(slp_match, order_of_events)
{
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -120, 3);
    slpbuild_game_end(&build);
    size_t at = build.size;
    slpbuild_frames(&build, -119, -119, 3);
    slpbuild_finish(&build);
    expect_refused(at, "event 0x37 comes after the end of the game");
    // Some recorders write the end twice.
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -120, 3);
    slpbuild_game_end(&build);
    end_game();
    cr_assert(read_build());

    slpbuild_begin(&build, 314, 3);
    slpbuild_frames(&build, -123, -120, 3);
    at = build.size;
    slpbuild_bookend(&build, -119, -120);
    end_game();
    expect_refused(at, "frame -119 is ended, but was not begun");

    slpbuild_begin(&build, 314, 3);
    slpbuild_frame_start(&build, -123);
    at = build.size;
    slpbuild_pre(&build, -122, 0, false, (SlpBuildPad){ 0 });
    end_game();
    expect_refused(at, "frame -122 has a player where frame -123 was begun");

    slpbuild_begin(&build, 1, 3);
    uint8_t start[321];
    memcpy(start, build.bytes + build.start_at, sizeof(start));
    at = build.size;
    slpbuild_put(&build, start, sizeof(start));
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    expect_refused(at, "the game starts a second time");
}

Test(slp_match, sizes_of_events_are_the_files_own)
{
    // Larger ones, as later versions will have them, and an event that nobody knows.
    slpbuild_begin(&build, 1, 3);
    uint8_t list[] = { 0x35, 16, 0x36, 1, 64, 0x37, 0, 58, 0x38, 0, 33, 0x39, 0, 1, 0x77, 0, 3 };
    uint8_t start[321];
    memcpy(start, build.bytes + build.start_at, sizeof(start));
    build.size = build.sizes_at;
    slpbuild_put(&build, list, sizeof(list));
    slpbuild_put(&build, start, sizeof(start));
    slpbuild_frames(&build, -123, -122, 3);
    slpbuild_put(&build, "\x77wow", 4);
    slpbuild_frames(&build, -121, -120, 3);
    end_game();
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert_eq(match.frame_count, 4);
}

Test(slp_match, sizes_that_are_wrong)
{
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at + 1] = 12;
    end_game();
    expect_refused(build.sizes_at + 1, "no whole number of entries");
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at + 7] = 49; // pre-frame
    end_game();
    expect_refused(build.sizes_at, "gives event 0x37 49 bytes; every version has at least 50");
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at + 5] = 0x70;
    end_game();
    expect_refused(build.sizes_at, "has no event 0x37");
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at + 8] = 0x37;
    end_game();
    expect_refused(build.sizes_at + 8, "event 0x37 is in the list of event sizes twice");
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at] = 0x36;
    end_game();
    expect_refused(build.sizes_at, "the first event is 0x36");
    slpbuild_begin(&build, 1, 3);
    slpbuild_frames(&build, -123, -120, 3);
    size_t at = build.size;
    slpbuild_put(&build, "\x40", 1);
    end_game();
    expect_refused(at, "event 0x40 is not in the list of event sizes");
    // A size that is one too large runs every later event out of step.
    slpbuild_begin(&build, 1, 3);
    build.bytes[build.sizes_at + 7] += 1;
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    cr_assert_not(read_build());
}

Test(slp_match, lengths_of_the_raw_element)
{
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    size_t end = build.event_at + 3;
    slpbuild_set_u32(&build, 11, (uint32_t)(end - 15 - 1)); // ends inside of the last event
    expect_refused(build.event_at, "goes past the end of the raw element");
    slpbuild_set_u32(&build, 11, (uint32_t)(end - 15 + 1)); // and one byte into the metadata
    expect_refused(end, "event 0x55 is not in the list");
    slpbuild_set_u32(&build, 11, 0x80000000u);
    expect_refused(10, "a length is negative");
    slpbuild_set_u32(&build, 11, 0x7FFFFFFF); // more than there is: the recording was cut, and then metadata are no event
    expect_refused(end, "event 0x55 is not in the list");
}

// Goal: nobody wrote the length. The events end with the file, or where the envelope goes on.
Test(slp_match, a_recording_that_was_not_finished)
{
    slpbuild_begin(&build, 314, 3);
    slpbuild_frames(&build, -123, -114, 3);
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(match.is_cut && match.cut_offset == build.size && match.frame_count == 10);
    slpbuild_pre(&build, -113, 0, false, (SlpBuildPad){ 0 });
    build.size -= 5;
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(match.is_cut && match.frame_count == 10);

    slpbuild_begin(&build, 314, 3);
    slpbuild_frames(&build, -123, -114, 3);
    slpbuild_game_end(&build);
    cr_assert(read_build());
    cr_assert(!match.is_cut && match.frame_count == 10);
    size_t end = build.size;
    slpbuild_finish_open(&build);
    // Cut in what goes on behind the events, also within the two bytes that tell it from an event.
    for (size_t size = end; size < build.size; size++) {
        cr_assert(read_bytes(build.bytes, size), "cut at %zu: %s", size, refusal.error.text);
        cr_assert_eq(match.frame_count, 10);
    }
    cr_assert(read_build(), "%s", refusal.error.text);
    cr_assert(!match.is_cut && match.frame_count == 10);
    cr_assert_str_eq(match.played_on, "network");
}

// Goal: a file cut anywhere gives the whole frames before the cut, and says that it was cut.
Test(slp_match, cut_at_every_byte)
{
    static const int versions[] = { 1, 200, 314 };
    for (size_t i = 0; i < 3; i++) {
        slpbuild_begin(&build, versions[i], 3);
        size_t ends[8];
        for (int k = 0; k < 8; k++) {
            slpbuild_frames(&build, -123 + k, -123 + k, 3);
            ends[k] = build.size;
        }
        end_game();
        size_t game_end = build.event_at + (versions[i] >= 200 ? 3 : 2);
        for (size_t size = 0; size < build.size; size++) {
            cr_assert(read_bytes(build.bytes, size), "version %d cut at %zu: %s", versions[i], size, refusal.error.text);
            cr_assert(match.is_cut && match.cut_offset == size, "version %d cut at %zu", versions[i], size);
            uint64_t least = 0;
            while (least < 8 && ends[least] <= size) {
                least++;
            }
            // Versions without a bookend have a frame's pads before its end.
            cr_assert(match.frame_count == least || (versions[i] < 300 && match.frame_count == least + 1), "version %d cut at %zu: %d frames", versions[i],
                      size, (int)match.frame_count);
            cr_assert_eq(match.has_game_end, size >= game_end);
        }
    }
}

Test(slp_match, what_is_no_recording)
{
    build.size = 0;
    slpbuild_put(&build, "PK\x03\x04 something else", 19);
    expect_refused(0, "this is no .slp file");
    build.size = 0;
    slpbuild_put(&build, "{U\x03raw[$U#S", 11);
    expect_refused(10, "a length has to stand here");
}

Test(slp_match, behind_the_raw_element)
{
    slpbuild_begin(&build, 200, 3);
    slpbuild_frames(&build, -123, -120, 3);
    end_game();
    size_t end = build.event_at + 3;
    slpbuild_put(&build, "x", 1);
    expect_refused(build.size - 1, "something follows the end of the envelope");
    build.size -= 1;
    build.bytes[end + 5] ^= 1;
    expect_refused(end, "only a metadata element");
    build.bytes[end + 5] ^= 1;
    build.bytes[end + 10] = 'S';
    expect_refused(end + 10, "an object has to stand here");
    build.bytes[end + 10] = '{';
    cr_assert(read_build());
    // Without metadata.
    build.size = end;
    slpbuild_put(&build, "}", 1);
    cr_assert(read_build());
    build.bytes[end] = 'Q';
    expect_refused(end, "a metadata element or the end of the envelope");
}

Test(slp_match, a_game_without_frames)
{
    slpbuild_begin(&build, 200, 3);
    end_game();
    cr_assert(read_build());
    cr_assert_eq(match.frame_count, 0);
    build.size = 0;
    slpbuild_put(&build, "{U\x03raw[$U#l\0\0\0\x0b\x35\x0a\x36\1\x40\x37\0\x3a\x39\0\1}", 27);
    expect_refused(26, "no start of a game");
}

// Goal: a damaged byte anywhere is read or refused, and what is read keeps its promises.
Test(slp_match, damaged_anywhere)
{
    slpbuild_begin(&build, 314, 5);
    slpbuild_frames(&build, -123, -121, 5);
    end_game();
    int refused = 0;
    for (size_t at = 0; at < build.size; at++) {
        static const uint8_t changes[] = { 0x01, 0x80, 0xFF };
        for (size_t i = 0; i < sizeof(changes); i++) {
            build.bytes[at] ^= changes[i];
            if (!read_build()) {
                refused++;
                cr_assert_leq(refusal.offset, build.size);
                cr_assert_neq(refusal.error.text[0], '\0');
            } else {
                cr_assert_leq(match.frame_count, slp_match_frames_max(build.size));
            }
            build.bytes[at] ^= changes[i];
        }
    }
    cr_assert_gt(refused, 100);
}
