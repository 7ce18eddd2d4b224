// minimise_fixture.c: the result as a test in C that needs no log, no program and no second side: rules, inputs, and what the first side came to.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "minimise_work.h"
#include "textout.h"

// Letters that may stand in a C identifier; the rest as '_'.
static void identifier_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash == NULL ? path : slash + 1;
    size_t      used = 0;
    if (!isalpha((unsigned char)stem[0])) {
        name[used++] = 't';
    }
    for (; *stem != '\0' && *stem != '.' && used + 1 < size; stem++) {
        name[used++] = (isalnum((unsigned char)*stem) ? *stem : '_');
    }
    name[used] = '\0';
}

// Text for a comment or a string: nothing that could end either, on one line.
static void put_plain(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        bool          is_odd = letter < 0x20 || letter >= 0x7f || letter == '"' || letter == '\\' || letter == '%';
        fputc(letter == '"' ? '\'' : is_odd ? '?' : letter, out);
    }
}

static void put_bytes(FILE *out, const uint8_t *bytes, size_t size)
{
    fputs("{ ", out);
    for (size_t i = 0; i < size; i++) {
        fprintf(out, "0x%02x%s", bytes[i], i + 1 < size ? ", " : "");
    }
    fputs(size == 0 ? "0 }" : " }", out);
}

static bool is_built_in(const MinimiseWork *work)
{
    return worlds_find(work->world->name) == work->world;
}

static void put_head(FILE *out, const MinimiseWork *work, const char *name)
{
    const MinimiseDifference *difference = &work->difference;
    fprintf(out, "// %s.c: a run of world '%s' of %" PRIu64 " ticks with %" PRIu64 " input records, made smaller by 'tickproof minimise'.\n// ", name, work->world->name,
            work->report.after.ticks, work->report.after.records);
    if (difference->has_tick) {
        fprintf(out, "Tick %" PRIu64 ": ", difference->tick);
    }
    put_plain(out, difference->text);
    fprintf(out, "\n// It passes where the world %s. To build it, beside the world's own source (or -l its library):\n",
            work->is_synctest ? "comes to the same bits after going back" : "comes to what the first of these came to");
    fprintf(out, "//   cc -std=gnu17 %s.c WORLD.c $(pkg-config --cflags --libs --static tickproof criterion) -o %s && ./%s\n", name, name, name);
    fprintf(out, "#include <criterion/criterion.h>\n#include <stdlib.h>\n#include <string.h>\n#include <tickproof/%s.h>\n\n", work->is_synctest ? "synctest" : "sim");
    if (is_built_in(work)) {
        fprintf(out, "#ifndef TICKPROOF_WORLD\nextern const tp_world %s_world;\n#define TICKPROOF_WORLD (&%s_world)\n#endif\n\n", work->world->name, work->world->name);
    } else {
        fputs("#ifndef TICKPROOF_WORLD\nconst tp_world *tickproof_world(void);\n#define TICKPROOF_WORLD tickproof_world()\n#endif\n\n", out);
    }
}

static void put_rules(FILE *out, const MinimiseWork *work)
{
    const tp_ident *ident = work->ident;
    uint8_t         id[16];
    tp_hash128_to_bytes(ident->rules.id, id);
    fprintf(out, "enum { PLAYERS = %u, INPUT_SIZE = %u, PRESENCE_SIZE = %u, RATE_HZ = %u, TICKS = %" PRIu64 " };\n", ident->players, ident->input_size,
            (ident->players + 7) / 8, ident->tick_rate_hz, work->inputs.ticks);
    fprintf(out, "static const uint64_t seed = UINT64_C(0x%" PRIx64 ");\n", ident->seed);
    fputs("static const int64_t config[] = {", out);
    for (uint32_t i = 0; i < ident->config_count; i++) {
        fprintf(out, "\n    %" PRId64 ", // ", ident->config_values[i]);
        put_plain(out, ident->config_names[i]);
    }
    fputs(ident->config_count == 0 ? " 0 };\n" : "\n};\n", out);
    fputs("static const uint8_t rules[16] = ", out);
    put_bytes(out, id, sizeof(id));
    fputs(";\nstatic const uint8_t neutral[INPUT_SIZE + 1] = ", out);
    put_bytes(out, work->inputs.neutral, ident->input_size);
    fputs(";\n\n", out);
}

static void put_records(FILE *out, const MinimiseWork *work)
{
    tp_input_record record;
    fputs("// Every other input is neutral. The last row of each table is its end.\n", out);
    fputs("static const struct { uint64_t first, ticks; uint32_t slot; uint8_t input[INPUT_SIZE + 1]; } inputs[] = {\n", out);
    for (uint32_t slot = 0; slot < work->inputs.players; slot++) {
        for (uint64_t tick = 0; tp_inputs_next_record(&work->inputs, slot, &tick, &record);) {
            fprintf(out, "    { %" PRIu64 ", %" PRIu64 ", %u, ", record.first, record.ticks, slot);
            put_bytes(out, record.input, work->inputs.input_size);
            fputs(" }, // ", out);
            tp_record_json(work->world->input, record.input, textout_sink, out);
            fputc('\n', out);
        }
    }
    fputs("    { 0, 0, 0, { 0 } },\n};\n", out);
}

static void put_absences(FILE *out, const tp_inputs *inputs)
{
    fputs("static const struct { uint64_t first, ticks; uint32_t slot; } absences[] = {\n", out);
    for (uint32_t slot = 0; slot < inputs->players; slot++) {
        for (uint64_t tick = 0; tick < inputs->ticks;) {
            uint64_t first = tick;
            while (tick < inputs->ticks && (inputs->presence[tick * inputs->presence_size + slot / 8] >> (slot % 8) & 1) == 0) {
                tick++;
            }
            if (tick > first) {
                fprintf(out, "    { %" PRIu64 ", %" PRIu64 ", %u },\n", first, tick - first, slot);
            }
            tick += tick == first;
        }
    }
    fputs("    { 0, 0, 0 },\n};\n", out);
}

static void put_commands(FILE *out, const MinimiseWork *work)
{
    const tp_inputs *inputs = &work->inputs;
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        fprintf(out, "static const uint8_t command_%u[] = ", i);
        put_bytes(out, inputs->data + inputs->commands[i].data, inputs->commands[i].size);
        fputs(";\n", out);
    }
    fputs("static const struct { uint64_t tick; tp_command command; } commands[] = {\n", out);
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        const tp_input_command *command = &inputs->commands[i];
        fprintf(out, "    { %" PRIu64 ", { .source = 0x%x, .type = %u, .size = %u, .data = command_%u } }, // ", command->tick, command->source, command->type,
                command->size, i);
        put_plain(out, work->world->commands[command->type].name);
        fputc('\n', out);
    }
    fputs("    { TICKS, { 0 } },\n};\n\n", out);
}

static const char row_code[] =
    "static uint8_t    presence[PRESENCE_SIZE + 1], cells[PLAYERS * INPUT_SIZE + 1];\n"
    "static tp_command row_commands[TP_COMMANDS_MAX];\n"
    "\n"
    "static tp_row row_of(uint64_t tick)\n"
    "{\n"
    "    tp_row row = { .presence = presence, .inputs = cells, .commands = row_commands };\n"
    "    for (uint32_t slot = 0; slot < PLAYERS; slot++) {\n"
    "        presence[slot / 8] = (uint8_t)(presence[slot / 8] | 1u << (slot % 8));\n"
    "        memcpy(cells + slot * INPUT_SIZE, neutral, INPUT_SIZE);\n"
    "    }\n"
    "    for (size_t i = 0; inputs[i].ticks > 0; i++) {\n"
    "        if (tick - inputs[i].first < inputs[i].ticks) {\n"
    "            memcpy(cells + inputs[i].slot * INPUT_SIZE, inputs[i].input, INPUT_SIZE);\n"
    "        }\n"
    "    }\n"
    "    for (size_t i = 0; absences[i].ticks > 0; i++) {\n"
    "        if (tick - absences[i].first < absences[i].ticks) {\n"
    "            presence[absences[i].slot / 8] = (uint8_t)(presence[absences[i].slot / 8] & ~(1u << (absences[i].slot % 8)));\n"
    "            memset(cells + absences[i].slot * INPUT_SIZE, 0, INPUT_SIZE);\n"
    "        }\n"
    "    }\n"
    "    for (size_t i = 0; commands[i].tick < TICKS; i++) {\n"
    "        if (commands[i].tick == tick) {\n"
    "            row_commands[row.command_count++] = commands[i].command;\n"
    "        }\n"
    "    }\n"
    "    return row;\n"
    "}\n"
    "\n"
    "static tp_sim *make_sim(void)\n"
    "{\n"
    "    tp_error       error = { \"\" };\n"
    "    tp_setup       setup = { .seed = seed, .players = PLAYERS, .tick_rate_hz = RATE_HZ, .config = config };\n"
    "    tp_sim_options options = { .algorithm = ALGORITHM };\n"
    "    uint8_t        id[16];\n"
    "    tp_sim        *sim = tp_sim_create(TICKPROOF_WORLD, &setup, &options, &error);\n"
    "    cr_assert_not_null(sim, \"making the world: %s\", error.text);\n"
    "    tp_hash128_to_bytes(tp_sim_rules(sim)->id, id);\n"
    "    cr_assert_arr_eq(id, rules, sizeof(rules), \"the world's revision, tables, config or content are others now: this run is not of that world\");\n"
    "    return sim;\n"
    "}\n"
    "\n";

static const char step_code[] =
    "    for (uint64_t tick = 0; tick < TICKS; tick++) {\n"
    "        tp_error      error = { \"\" };\n"
    "        tp_row        row = row_of(tick);\n"
    "        tp_sim_status status = tp_sim_step(sim, &row, &error);\n"
    "        cr_assert_eq(status, tick + 1 == TICKS ? LAST_STATUS : TP_SIM_OK, \"tick %llu: the step is status %d: %s\", (unsigned long long)tick, (int)status, error.text);\n"
    "    }\n";

static const char field_code[] =
    "    size_t   size = 0;\n"
    "    uint8_t *state = malloc(tp_sim_encoded_max(sim));\n"
    "    cr_assert(state != NULL && tp_sim_encode(sim, state, tp_sim_encoded_max(sim), &size) && size >= FIELD + sizeof(field));\n";

static void put_field(FILE *out, const MinimiseField *field)
{
    fputs(field_code, out);
    fputs("    cr_assert_arr_eq(state + FIELD, field, sizeof(field), \"", out);
    put_plain(out, field->place);
    fputs(" is not ", out);
    put_plain(out, field->values[0]);
    fputs("\");\n    free(state);\n", out);
}

static void put_test(FILE *out, const MinimiseWork *work, const char *name)
{
    const MinimiseDifference *difference = &work->difference;
    bool                      has_field = difference->field.is_known && difference->field.size <= sizeof(difference->field.expected) && !difference->has_fault;
    if (has_field) {
        fprintf(out, "enum { FIELD = %zu }; // ", difference->field.offset);
        put_plain(out, difference->field.place);
        fputs(", in the saved state\nstatic const uint8_t field[] = ", out);
        put_bytes(out, difference->field.expected, difference->field.size);
        fputs(";\n", out);
    }
    fprintf(out, "#define LAST_STATUS %s // of the last step\n", difference->has_fault ? "TP_SIM_FAULTED" : "TP_SIM_OK");
    if (difference->has_root) {
        fputs("static const uint8_t root[] = ", out);
        put_bytes(out, difference->root, sizeof(difference->root));
        fputs(";\n", out);
    }
    fprintf(out, "\nTest(minimised, %s, .timeout = 60)\n{\n    tp_sim *sim = make_sim();\n%s", name, step_code);
    if (has_field) {
        put_field(out, &difference->field);
    }
    if (difference->has_root) {
        fprintf(out, "    uint8_t actual[16];\n    tp_hash128_to_bytes(%s(sim), actual);\n", difference->has_fault ? "tp_sim_fault_root" : "tp_sim_root");
        fputs("    cr_assert_arr_eq(actual, root, sizeof(root), \"the root of the last tick is another one\");\n", out);
    }
    fputs("    tp_sim_destroy(sim);\n}\n", out);
}

static void put_synctest(FILE *out, const MinimiseWork *work, const char *name)
{
    fprintf(out, "Test(minimised, %s, .timeout = 60)\n{\n    tp_sim *sim = make_sim();\n    tp_error error = { \"\" };\n    tp_synctest_options settings;\n", name);
    fprintf(out, "    tp_synctest_options_standard(&settings);\n    settings.strengths = 1u << %s;\n    settings.distance_first = settings.distance_last = %u;\n",
            work->strength == TP_STRENGTH_COPY ? "TP_STRENGTH_COPY" : "TP_STRENGTH_BYTES", work->distance);
    fputs("    tp_synctest_report report;\n    tp_synctest *test = tp_synctest_create(sim, &settings, &error);\n    cr_assert_not_null(test, \"%s\", error.text);\n"
          "    for (uint64_t tick = 0; tick < TICKS; tick++) {\n"
          "        static uint8_t bytes[TP_COMMAND_BYTES_MAX + TP_COMMANDS_MAX * 8 + PLAYERS * (INPUT_SIZE + 1) + 2];\n"
          "        tp_row row = row_of(tick);\n"
          "        size_t size = tp_row_encode(tp_sim_layout(sim), &row, bytes, sizeof(bytes));\n"
          "        cr_assert_neq(tp_sim_step_bytes(sim, bytes, size, &error), TP_SIM_REFUSED, \"%s\", error.text);\n"
          "        (void)tp_synctest_tick(test, bytes, size);\n"
          "    }\n"
          "    tp_synctest_finish(test, &report);\n"
          "    cr_assert_eq(report.verdict, TP_VERIFIED, \"%s\", report.message);\n"
          "    tp_synctest_destroy(test);\n    tp_sim_destroy(sim);\n}\n",
          out);
}

bool minimisefixture_write(const MinimiseWork *work)
{
    char   name[64];
    char  *text = NULL;
    size_t size = 0;
    FILE  *out = open_memstream(&text, &size);
    if (out == NULL) {
        cli_fail(TP_INTERNAL, "out of memory");
        return false;
    }
    identifier_of(work->fixture, name, sizeof(name));
    put_head(out, work, name);
    put_rules(out, work);
    put_records(out, work);
    put_absences(out, &work->inputs);
    put_commands(out, work);
    fprintf(out, "#define ALGORITHM %s\n", work->ident->algorithm == TP_HASH_XXH3 ? "TP_HASH_XXH3" : "TP_HASH_FNV1A128");
    fputs(row_code, out);
    if (work->is_synctest) {
        put_synctest(out, work, name);
    } else {
        put_test(out, work, name);
    }
    bool is_good = fclose(out) == 0 && minimiselog_write(work, work->fixture, (const uint8_t *)text, size);
    free(text);
    return is_good;
}
