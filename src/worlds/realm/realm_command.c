// realm_command.c: what an administrator may do. A command that is not from the host, has the wrong size or a value out of its range changes
// nothing and is counted; it never takes effect in part.
#include "realm_step.h"

#include <string.h>

#include "realm_place.h"

static bool read_place(const tp_command *command, uint16_t *prefix)
{
    RealmPlaceCommand place;
    if (command->size != sizeof(place)) {
        return false;
    }
    memcpy(&place, command->data, sizeof(place));
    *prefix = realm_prefix_at(place.x, place.y);
    return realm_prefix_is_inside(*prefix);
}

static bool apply_fail(RealmStep *step, const tp_command *command)
{
    RealmFailCommand fail;
    if (command->size != sizeof(fail)) {
        return false;
    }
    memcpy(&fail, command->data, sizeof(fail));
    return realm_stream_command_fail(&step->engine, step->stream, fail.stage);
}

static bool apply(RealmStep *step, const tp_command *command)
{
    uint16_t prefix;
    if (command->source != TP_SOURCE_HOST || (command->data == NULL && command->size != 0)) {
        return false;
    }
    switch ((RealmCommand)command->type) {
    case REALM_COMMAND_CONTENT:
        return read_place(command, &prefix) && realm_stream_command_content(&step->engine, step->stream, prefix);
    case REALM_COMMAND_RELOAD:
        return read_place(command, &prefix) && realm_stream_command_reload(&step->engine, step->stream, prefix);
    case REALM_COMMAND_FAIL:
        return apply_fail(step, command);
    case REALM_COMMAND_HALT:
        if (command->size == 0) {
            TP_FAULT(TP_FAULT_WORLD, "halted by the administrator");
        }
        return false;
    case REALM_COMMAND_COUNT:
        return false;
    }
    return false;
}

void realm_command_apply(RealmStep *step)
{
    for (uint32_t i = 0; i < step->tick->command_count; i++) {
        bool is_applied = apply(step, &step->tick->commands[i]);
        if (!is_applied) {
            realm_count_up(&realm_game_edit(step)->commands_ignored);
        }
    }
}
