// test_directory.c: rooms by name, and lists in pages that a message can carry.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "directory.h"

enum { ROOMS = 300 };

static char        names[ROOMS][SERVER_ROOM_NAME_SIZE];
static RoomListing listings[ROOMS];

static void fill(Directory *directory, int name_width)
{
    cr_assert(directory_init(directory, ROOMS));
    for (uint32_t i = 0; i < ROOMS; i++) {
        // Not in the order of their numbers.
        snprintf(names[i], sizeof(names[i]), "r%0*u", name_width, i * 7919 % 1000);
        snprintf(listings[i].world, sizeof(listings[i].world), "world");
        listings[i].tick_rate_hz = 60;
        listings[i].players = 8;
        listings[i].is_known = i % 3 != 0;
        directory->entries[i] = (DirectoryEntry){ .name = names[i], .is_live = true, .lane = i % 2, .listing = &listings[i] };
    }
    directory_sort(directory);
}

Test(directory, every_name_is_found_and_no_other)
{
    Directory directory;
    fill(&directory, 3);
    for (uint32_t i = 0; i < ROOMS; i++) {
        cr_assert_eq(directory_find(&directory, message_text(names[i])), i);
    }
    static const char *const strangers[] = { "r", "r0", "r0000", "r999x", "s", "q", "r1", "R000" };
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        cr_assert_eq(directory_find(&directory, message_text(strangers[i])), MESSAGE_ROOM_NONE, "%s", strangers[i]);
    }
    cr_assert_eq(directory_find(&directory, (MessageText){ .text = names[5], .size = 2 }), MESSAGE_ROOM_NONE, "the beginning of a name is none");
    directory_finish(&directory);
}

static void check_pages(int name_width)
{
    Directory directory;
    Message   page;
    uint8_t   bytes[MESSAGE_SIZE_MAX];
    uint32_t  seen = 0;
    uint32_t  last = 0;
    fill(&directory, name_width);
    for (uint32_t next = 0; next < ROOMS; next = page.body.rooms.next) {
        directory_page(&directory, next, &page);
        cr_assert_gt(message_encode(&page, bytes), 0, "a page is a message");
        cr_assert_gt(page.body.rooms.next, next, "a page leads on");
        for (uint32_t i = 0; i < page.body.rooms.count; i++) {
            uint32_t room = page.body.rooms.items[i].room;
            cr_assert(seen == 0 || room > last);
            cr_assert_neq(room % 3, 0, "what is not known yet is left out");
            last = room;
            seen += 1;
        }
    }
    cr_assert_eq(seen, 200);
    directory_page(&directory, ROOMS + 5, &page);
    cr_assert_eq(page.body.rooms.count, 0);
    cr_assert_eq(page.body.rooms.next, ROOMS);
    cr_assert_gt(message_encode(&page, bytes), 0);
    directory_finish(&directory);
}

Test(directory, pages_of_short_names)
{
    check_pages(3);
}

Test(directory, pages_of_the_longest_names)
{
    check_pages(62);
}
