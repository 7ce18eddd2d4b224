// What a host keeps of a state, at any moment of any number of drafts: a save that goes on as if nothing had been, and every write told.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_check.h"
#include "realm_dice.h"

enum { CALLS = 3000 };

// Goal: bytes that were read back take the same way as the state they were written from, at every call.
Test(realm_saved, a_state_read_back_goes_on_the_same)
{
    static Rig live, loaded;
    rig_open(&live, rig_small());
    rig_open(&loaded, rig_small());
    uint32_t size = live.layout.canonical_size;
    uint8_t *bytes = malloc(size), *other = malloc(size);
    cr_assert(bytes != NULL && other != NULL);
    tp_pcg32 noise = tp_pcg32_make(5, 3);
    for (uint32_t call = 0; call < CALLS; call++) {
        tp_error error = { "" };
        tp_layout_encode(&live.layout, live.block, bytes);
        cr_assert(tp_layout_decode(&loaded.layout, bytes, size, loaded.block, &error), "call %u: %s", call, error.text);
        tp_pcg32 again = noise;
        dice_throw(&live, &noise);
        dice_throw(&loaded, &again);
        tp_layout_encode(&live.layout, live.block, bytes);
        tp_layout_encode(&loaded.layout, loaded.block, other);
        cr_assert(memcmp(bytes, other, size) == 0, "call %u went another way", call);
    }
    cr_assert_gt(live.engine.root->commits, 4);
    free(bytes);
    free(other);
    rig_close(&live);
    rig_close(&loaded);
}

// A page that changed without having been told of.
static size_t untold_page(const Rig *rig, const unsigned char *before)
{
    for (size_t page = 0; page * TP_TOUCH_PAGE < rig->layout.block_size; page++) {
        size_t at = page * TP_TOUCH_PAGE, rest = rig->layout.block_size - at;
        bool   is_told = (rig->touched[page / 8] >> page % 8 & 1) != 0;
        if (!is_told && memcmp(before + at, rig->block + at, rest < TP_TOUCH_PAGE ? rest : TP_TOUCH_PAGE) != 0) {
            return page;
        }
    }
    return SIZE_MAX;
}

Test(realm_saved, every_write_is_told)
{
    Rig rig;
    rig_open(&rig, rig_small());
    unsigned char *before = malloc(rig.layout.block_size);
    cr_assert_not_null(before);
    tp_pcg32 noise = tp_pcg32_make(6, 3);
    uint64_t told = 0;
    for (uint32_t call = 0; call < 2 * CALLS; call++) {
        memcpy(before, rig.block, rig.layout.block_size);
        rig_forget_pages(&rig);
        dice_throw(&rig, &noise);
        size_t page = untold_page(&rig, before);
        cr_assert_eq(page, SIZE_MAX, "call %u changed page %zu and told nobody", call, page);
        told += rig_pages(&rig);
    }
    cr_assert_lt(told / (2 * CALLS), rig.layout.block_size / TP_TOUCH_PAGE / 4, "all of it, to be safe, is no telling");
    memcpy(before, rig.block, rig.layout.block_size);
    rig_forget_pages(&rig);
    realm_engine_reset(&rig.engine);
    cr_assert_eq(untold_page(&rig, before), SIZE_MAX);
    free(before);
    rig_close(&rig);
}

// The checker of told writes itself.
Test(realm_saved, an_untold_write_is_noticed)
{
    Rig rig;
    rig_open(&rig, rig_small());
    unsigned char *before = malloc(rig.layout.block_size);
    cr_assert_not_null(before);
    memcpy(before, rig.block, rig.layout.block_size);
    rig_forget_pages(&rig);
    rig.block[5 * TP_TOUCH_PAGE + 7] ^= 1;
    cr_assert_eq(untold_page(&rig, before), 5);
    free(before);
    rig_close(&rig);
}
