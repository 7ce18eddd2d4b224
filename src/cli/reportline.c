// reportline.c: one table says what a report consists of; writing and reading both walk it, so that neither forgets a field.
#include "reportline.h"

#include <stdlib.h>
#include <string.h>

#include "jsonin.h"
#include "report.h"
#include "textout.h"

typedef enum { KIND_TEXT, KIND_U64, KIND_U32, KIND_BOOL, KIND_BYTES, KIND_U64S } FieldKind;

typedef struct {
    const char *name;
    FieldKind   kind;
    size_t      offset, size;
    bool (*is_legal)(uint64_t value); // for numbers that are not free
} Field;

static bool is_verdict(uint64_t value)
{
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        if ((uint64_t)report_verdicts[i] == value) {
            return true;
        }
    }
    return false;
}

static bool is_end_reason(uint64_t value)
{
    return value == 0 || (value <= UINT32_MAX && tp_end_reason_name((uint32_t)value) != NULL);
}

static bool is_gap_cause(uint64_t value)
{
    return value == 0 || (value <= UINT32_MAX && tp_gap_cause_name((uint32_t)value) != NULL);
}

static bool is_known(uint64_t value)
{
    return value <= TP_YES;
}

static bool is_log_status(uint64_t value)
{
    return value <= TP_LOG_NO_MEMORY;
}

static bool is_root_size(uint64_t value)
{
    return value <= 16;
}

#define FIELD(type, member, kind, legal) { #member, kind, offsetof(type, member), sizeof(((type *)NULL)->member), legal }
#define REPORT(member, kind) FIELD(tp_report, member, kind, NULL)
// The enums have the size of an int wherever this compiles.
#define CHOICE(member, legal) FIELD(tp_report, member, KIND_U32, legal)
static const Field report_fields[] = {
    CHOICE(verdict, is_verdict), REPORT(message, KIND_TEXT),
    REPORT(world, KIND_TEXT), REPORT(revision, KIND_U32), REPORT(players, KIND_U32), REPORT(tick_rate_hz, KIND_U32), REPORT(seed, KIND_U64),
    REPORT(sequence, KIND_U32), REPORT(first_tick, KIND_U64),
    REPORT(recorded, KIND_U64), REPORT(checked, KIND_U64), REPORT(stepped, KIND_U64), REPORT(with_root, KIND_U64), REPORT(next_tick, KIND_U64),
    REPORT(matched_ticks, KIND_U64), REPORT(offset, KIND_U64), REPORT(has_end, KIND_BOOL), CHOICE(end_reason, is_end_reason),
    REPORT(has_fault, KIND_BOOL), REPORT(fault_tick, KIND_U64), REPORT(gaps, KIND_U64), REPORT(missing_ticks, KIND_U64), REPORT(resumes, KIND_U64),
    CHOICE(gap_cause, is_gap_cause), REPORT(is_signed, KIND_BOOL), REPORT(is_end_signed, KIND_BOOL), REPORT(is_trusted, KIND_BOOL),
    REPORT(public_key, KIND_BYTES), REPORT(chain, KIND_BYTES), REPORT(final_root, KIND_BYTES), CHOICE(log_status, is_log_status),
    REPORT(bad_tick, KIND_U64), REPORT(suspect_tick, KIND_U64), CHOICE(inputs_equal, is_known), CHOICE(events_equal, is_known),
    FIELD(tp_report, root_size, KIND_U32, is_root_size), REPORT(expected_root, KIND_BYTES), REPORT(actual_root, KIND_BYTES),
    REPORT(section, KIND_TEXT), REPORT(section_tick, KIND_U64), REPORT(field, KIND_TEXT), REPORT(field_expected, KIND_TEXT),
    REPORT(field_actual, KIND_TEXT), REPORT(field_tick, KIND_U64), REPORT(differing_fields, KIND_U64),
};
#define PROOF(member, kind) FIELD(tp_proof, member, kind, NULL)
static const Field proof_fields[] = {
    PROOF(tried, KIND_U64), PROOF(caught, KIND_U64), PROOF(tried_kind, KIND_U64S), PROOF(caught_kind, KIND_U64S), PROOF(seed, KIND_U64),
    PROOF(survivor, KIND_TEXT),
};
enum { REPORT_FIELDS = sizeof(report_fields) / sizeof(report_fields[0]), PROOF_FIELDS = sizeof(proof_fields) / sizeof(proof_fields[0]) };
_Static_assert(sizeof(tp_verdict) == 4 && sizeof(tp_end_reason) == 4 && sizeof(tp_known) == 4, "CHOICE reads enums as 32 bits");

// Whether JSON gives it back as it is.
static bool is_plain(const char *text)
{
    size_t size = strlen(text);
    char  *made = NULL;
    size_t made_size = 0;
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) {
            return false;
        }
    }
    FILE *memory = open_memstream(&made, &made_size);
    if (memory == NULL) {
        return false;
    }
    textout_json(memory, text, size);
    bool is_good = fclose(memory) == 0 && strstr(made, "\\ufffd") == NULL;
    free(made);
    return is_good;
}

void reportline_put_text(FILE *out, bool is_first, const char *key, const char *text)
{
    char longer[64];
    if (is_plain(text)) {
        textout_json_member(out, is_first, key, text);
        return;
    }
    snprintf(longer, sizeof(longer), "%s.hex", key);
    textout_hex_member(out, is_first, longer, (const uint8_t *)text, strlen(text));
}

char *reportline_take_text(const cJSON *object, const char *key, size_t size_max)
{
    char         longer[64];
    const cJSON *plain = cJSON_GetObjectItemCaseSensitive(object, key);
    if (plain != NULL) {
        return jsonin_is_text(plain) && strlen(plain->valuestring) <= size_max ? strdup(plain->valuestring) : NULL;
    }
    snprintf(longer, sizeof(longer), "%s.hex", key);
    const cJSON *digits = cJSON_GetObjectItemCaseSensitive(object, longer);
    size_t       size = 0;
    char        *text = malloc(size_max + 1);
    if (text == NULL || digits == NULL || !jsonin_hex(digits, (uint8_t *)text, size_max, &size) || memchr(text, 0, size) != NULL) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

static void put_numbers(FILE *out, const uint64_t *numbers, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%llu", i == 0 ? "" : ",", (unsigned long long)numbers[i]);
    }
    fputc(']', out);
}

static void put_field(FILE *out, bool is_first, const Field *field, const void *from)
{
    const uint8_t *at = (const uint8_t *)from + field->offset;
    uint32_t       number = 0;
    switch (field->kind) {
    case KIND_TEXT: reportline_put_text(out, is_first, field->name, (const char *)at); return;
    case KIND_U64: textout_u64_member(out, is_first, field->name, *(const uint64_t *)(const void *)at); return;
    case KIND_U32:
        memcpy(&number, at, sizeof(number));
        textout_u64_member(out, is_first, field->name, number);
        return;
    case KIND_BOOL: textout_bool_member(out, is_first, field->name, *(const bool *)at); return;
    case KIND_BYTES: textout_hex_member(out, is_first, field->name, at, field->size); return;
    case KIND_U64S:
        textout_key(out, is_first, field->name);
        put_numbers(out, (const uint64_t *)(const void *)at, field->size / sizeof(uint64_t));
        return;
    }
}

static void put_object(FILE *out, const char *key, const Field *fields, size_t count, const void *from)
{
    fprintf(out, ",\"%s\":{", key);
    for (size_t i = 0; i < count; i++) {
        put_field(out, i == 0, &fields[i], from);
    }
    fputc('}', out);
}

void reportline_put(FILE *out, const BatchFile *file)
{
    put_object(out, "report", report_fields, REPORT_FIELDS, &file->report);
    if (file->has_proof) {
        put_object(out, "proof", proof_fields, PROOF_FIELDS, &file->proof);
    }
}

static bool take_numbers(const cJSON *item, uint64_t *numbers, size_t count)
{
    if (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != count) {
        return false;
    }
    const cJSON *number = item->child;
    for (size_t i = 0; i < count; i++, number = number->next) {
        if (!jsonin_u64(number, &numbers[i])) {
            return false;
        }
    }
    return true;
}

static bool take_plain(const Field *field, const cJSON *item, uint8_t *at)
{
    uint64_t number = 0;
    uint32_t narrow = 0;
    size_t   size = 0;
    switch (field->kind) {
    case KIND_U64: return jsonin_u64(item, (uint64_t *)(void *)at);
    case KIND_U32:
        if (!jsonin_u64(item, &number) || number > UINT32_MAX || (field->is_legal != NULL && !field->is_legal(number))) {
            return false;
        }
        narrow = (uint32_t)number;
        memcpy(at, &narrow, sizeof(narrow));
        return true;
    case KIND_BOOL:
        *(bool *)at = cJSON_IsTrue(item) != 0;
        return cJSON_IsBool(item) != 0;
    case KIND_BYTES: return jsonin_hex(item, at, field->size, &size) && size == field->size;
    case KIND_U64S: return take_numbers(item, (uint64_t *)(void *)at, field->size / sizeof(uint64_t));
    case KIND_TEXT: break;
    }
    return false;
}

static bool take_field(const Field *field, const cJSON *object, void *to)
{
    uint8_t *at = (uint8_t *)to + field->offset;
    if (field->kind != KIND_TEXT) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field->name);
        return item != NULL && take_plain(field, item, at);
    }
    char *text = reportline_take_text(object, field->name, field->size - 1);
    if (text != NULL) {
        memcpy(at, text, strlen(text) + 1);
    }
    free(text);
    return text != NULL;
}

// As many members as fields, all different and each there: so there is no other.
static bool take_object(const cJSON *object, const Field *fields, size_t count, void *to, tp_error *error)
{
    if (!cJSON_IsObject(object) || (size_t)cJSON_GetArraySize(object) != count || jsonin_twice(object) != NULL) {
        return tp_error_set(error, "it is not of this version of the program: %zu members are not the %zu that it writes",
                            cJSON_IsObject(object) ? (size_t)cJSON_GetArraySize(object) : (size_t)0, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!take_field(&fields[i], object, to)) {
            return tp_error_set(error, "'%s' is missing, or no verification comes to it", fields[i].name);
        }
    }
    return true;
}

// What no verification says. A log of a series may hold no tick, one that faults at once may hold none that was checked.
static bool contradicts_itself(const tp_report *report)
{
    bool is_whole = report->has_end && report->checked == report->recorded;
    return report->checked > report->recorded || (report->verdict == TP_VERIFIED && !is_whole);
}

bool reportline_take(const cJSON *object, BatchFile *file, tp_error *error)
{
    const cJSON *proof = cJSON_GetObjectItemCaseSensitive(object, "proof");
    memset(&file->report, 0, sizeof(file->report));
    memset(&file->proof, 0, sizeof(file->proof));
    file->has_proof = proof != NULL;
    if (!take_object(cJSON_GetObjectItemCaseSensitive(object, "report"), report_fields, REPORT_FIELDS, &file->report, error)) {
        return false;
    }
    if (proof != NULL && !take_object(proof, proof_fields, PROOF_FIELDS, &file->proof, error)) {
        return false;
    }
    if (contradicts_itself(&file->report) || (proof != NULL && file->report.verdict == TP_VERIFIED && file->proof.caught != file->proof.tried)) {
        return tp_error_set(error, "its verdict and its counts contradict each other");
    }
    return true;
}

cJSON *reportline_parse(const char *line, size_t size, tp_error *error)
{
    int    number = 0;
    cJSON *object = jsonin_parse(line, size, &number, error);
    if (object != NULL && (!cJSON_IsObject(object) || jsonin_twice(object) != NULL)) {
        cJSON_Delete(object);
        tp_error_set(error, "it is no object with different keys");
        return NULL;
    }
    return object;
}

bool reportline_take_u64(const cJSON *object, const char *key, uint64_t max, uint64_t *value)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return item != NULL && jsonin_u64(item, value) && *value <= max;
}

bool reportline_take_hash(const cJSON *object, const char *key, uint8_t hash[REPORTLINE_HASH_SIZE])
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    size_t       size = 0;
    return item != NULL && jsonin_hex(item, hash, REPORTLINE_HASH_SIZE, &size) && size == REPORTLINE_HASH_SIZE;
}

bool reportline_next(ReportLines *lines)
{
    int letter = 0;
    if (lines->is_long || lines->is_torn) {
        return false;
    }
    lines->offset += lines->number == 0 ? 0 : lines->size + 1;
    lines->size = 0;
    while ((letter = getc_unlocked(lines->file)) != EOF && letter != '\n') {
        if (lines->size == REPORTLINE_SIZE_MAX) {
            lines->is_long = true;
            break;
        }
        lines->text[lines->size++] = (char)letter;
    }
    if (letter == EOF && lines->size == 0) {
        return false;
    }
    lines->is_torn = letter == EOF;
    lines->text[lines->size] = '\0';
    lines->number++;
    return true;
}
