// log_ident.c: rules and provenance.
#include "log_ident.h"

#include <string.h>

#include "bytes.h"

enum { TICK_RATE_MAX = 100000, CONTENT_MAX = 64 };

bool tp_provenance_next(const uint8_t *bytes, size_t size, size_t *offset, tp_provenance *item)
{
    if (*offset == 0) {
        *offset = 2;
    }
    if (*offset >= size) {
        return false;
    }
    BytesReader reader = bytes_reader(bytes + *offset, size - *offset);
    item->key_size = bytes_read_u8(&reader);
    item->key = (const char *)bytes_read_span(&reader, item->key_size);
    item->value_size = bytes_read_u16(&reader);
    item->value = (const char *)bytes_read_span(&reader, item->value_size);
    *offset += reader.offset;
    return !reader.failed;
}

size_t log_ident_encode_provenance(const tp_provenance *items, uint32_t count, uint8_t *bytes, size_t capacity,
                                   tp_error *error)
{
    if (count > TP_LOG_PROVENANCE_MAX) {
        tp_error_set(error, "provenance has %u items, %d is the most", (unsigned)count, TP_LOG_PROVENANCE_MAX);
        return 0;
    }
    BytesWriter writer = bytes_writer(bytes, capacity);
    bytes_write_u16(&writer, (uint16_t)count);
    for (uint32_t i = 0; i < count; i++) {
        const tp_provenance *item = &items[i];
        if (item->key_size < 1 || item->key_size > UINT8_MAX) {
            tp_error_set(error, "provenance item %u: a key has 1 to 255 bytes", (unsigned)i);
            return 0;
        }
        if (item->value_size > UINT16_MAX) {
            tp_error_set(error, "provenance item %u: a value has at most 65,535 bytes", (unsigned)i);
            return 0;
        }
        bytes_write_u8(&writer, (uint8_t)item->key_size);
        bytes_write_span(&writer, item->key, item->key_size);
        bytes_write_u16(&writer, (uint16_t)item->value_size);
        bytes_write_span(&writer, item->value, item->value_size);
    }
    if (writer.failed) {
        tp_error_set(error, "provenance takes more than %zu bytes", capacity);
        return 0;
    }
    uint32_t checked = 0;
    const char *wrong = log_ident_check_provenance(bytes, writer.size, &checked);
    if (wrong != NULL) {
        tp_error_set(error, "%s", wrong);
        return 0;
    }
    return writer.size;
}

const char *log_ident_check_provenance(const uint8_t *bytes, size_t size, uint32_t *count)
{
    const uint8_t *keys[TP_LOG_PROVENANCE_MAX];
    uint8_t sizes[TP_LOG_PROVENANCE_MAX];
    BytesReader reader = bytes_reader(bytes, size);
    uint32_t items = bytes_read_u16(&reader);
    if (items > TP_LOG_PROVENANCE_MAX) {
        return "provenance has more than 256 items";
    }
    for (uint32_t i = 0; i < items && !reader.failed; i++) {
        sizes[i] = bytes_read_u8(&reader);
        keys[i] = bytes_read_span(&reader, sizes[i]);
        size_t value_size = bytes_read_u16(&reader);
        const uint8_t *value = bytes_read_span(&reader, value_size);
        if (reader.failed) {
            break;
        }
        if (!log_format_is_utf8(value, value_size)) {
            return "a value of the provenance is not UTF-8";
        }
        if (sizes[i] == 0) {
            return "a key of the provenance is empty";
        }
        for (uint32_t k = 0; k < i; k++) {
            if (sizes[k] == sizes[i] && memcmp(keys[k], keys[i], sizes[i]) == 0) {
                return "a key of the provenance comes twice";
            }
        }
    }
    if (!bytes_reader_is_done(&reader)) {
        return "provenance does not fill its size exactly";
    }
    *count = items;
    return NULL;
}

size_t log_ident_build(const tp_rules *rules, const tp_writer_options *options, uint64_t first_tick, uint8_t *bytes,
                       size_t capacity, tp_error *error)
{
    size_t fixed = LOG_IDENT_FIXED + (size_t)rules->size;
    if (fixed > capacity) {
        tp_error_set(error, "the rules do not fit an IDENT record");
        return 0;
    }
    size_t provenance = log_ident_encode_provenance(options->provenance, options->provenance_count, bytes + fixed,
                                                    capacity - fixed, error);
    if (provenance == 0) {
        return 0;
    }
    bytes_put_u32(bytes, rules->size);
    bytes_put_u32(bytes + 4, (uint32_t)provenance);
    bytes_put_u32(bytes + 8, options->sequence);
    bytes_put_u32(bytes + 12, 0);
    bytes_put_u64(bytes + 16, first_tick);
    memcpy(bytes + 24, options->predecessor, TP_LOG_CHAIN_SIZE);
    memcpy(bytes + LOG_IDENT_FIXED, rules->bytes, rules->size);
    return fixed + provenance;
}

static bool is_name_letter(uint8_t letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
           letter == '.';
}

// A name is 1 to 63 of few letters, so it can go into messages and file names as it is.
static bool read_name(BytesReader *reader, char name[TP_NAME_SIZE_MAX + 1])
{
    size_t size = bytes_read_u8(reader);
    const uint8_t *letters = bytes_read_span(reader, size);
    if (letters == NULL || size < 1 || size > TP_NAME_SIZE_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (!is_name_letter(letters[i])) {
            return false;
        }
    }
    memcpy(name, letters, size);
    name[size] = '\0';
    return true;
}

static const char *parse_rules(const uint8_t *bytes, uint32_t size, tp_ident *ident)
{
    BytesReader reader = bytes_reader(bytes, size);
    ident->abi = bytes_read_u32(&reader);
    ident->revision = bytes_read_u32(&reader);
    const uint8_t *fingerprint = bytes_read_span(&reader, 16);
    ident->seed = bytes_read_u64(&reader);
    ident->players = bytes_read_u32(&reader);
    ident->tick_rate_hz = bytes_read_u32(&reader);
    ident->input_size = bytes_read_u16(&reader);
    uint8_t algorithm = bytes_read_u8(&reader);
    uint8_t kind = bytes_read_u8(&reader);
    if (reader.failed) {
        return "the rules are too short";
    }
    ident->fingerprint = tp_hash128_from_bytes(fingerprint);
    if (ident->players > TP_PLAYERS_MAX) {
        return "the rules have more than 128 slots";
    }
    if (ident->tick_rate_hz < 1 || ident->tick_rate_hz > TICK_RATE_MAX) {
        return "the rules' tick rate is not between 1 and 100,000";
    }
    if (ident->input_size > TP_INPUT_SIZE_MAX) {
        return "the rules' input is longer than 64 bytes";
    }
    if (algorithm == TP_HASH_XXH3) {
        ident->algorithm = TP_HASH_XXH3;
    } else if (algorithm == TP_HASH_FNV1A128) {
        ident->algorithm = TP_HASH_FNV1A128;
    } else {
        return "the rules name an unknown hash algorithm";
    }
    if (kind > 1) {
        return "the rules name an unknown kind of state";
    }
    ident->is_opaque = kind == 1;
    if (!read_name(&reader, ident->world)) {
        return "the rules' world name is not 1 to 63 letters of a-z 0-9 _ - .";
    }
    ident->config_count = bytes_read_u16(&reader);
    if (ident->config_count > TP_CONFIG_ITEMS_MAX) {
        return "the rules have more than 64 config items";
    }
    for (uint32_t i = 0; i < ident->config_count; i++) {
        if (!read_name(&reader, ident->config_names[i])) {
            return "the name of a config item is not 1 to 63 letters of a-z 0-9 _ - .";
        }
        ident->config_values[i] = bytes_read_i64(&reader);
    }
    ident->content_count = bytes_read_u16(&reader);
    if (ident->content_count > CONTENT_MAX) {
        return "the rules have more than 64 content items";
    }
    for (uint32_t i = 0; i < ident->content_count; i++) {
        if (!read_name(&reader, ident->content_names[i])) {
            return "the name of a content item is not 1 to 63 letters of a-z 0-9 _ - .";
        }
        const uint8_t *hash = bytes_read_span(&reader, 16);
        if (hash != NULL) {
            memcpy(ident->content_hashes[i], hash, 16);
        }
    }
    return bytes_reader_is_done(&reader) ? NULL : "the rules do not fill their size exactly";
}

// Keeps the canonical bytes beside what was parsed of them.
static const char *take_rules(const uint8_t *bytes, uint32_t size, tp_ident *ident)
{
    const char *wrong = parse_rules(bytes, size, ident);
    if (wrong != NULL) {
        return wrong;
    }
    ident->rules.algorithm = ident->algorithm;
    ident->rules.size = size;
    memcpy(ident->rules.bytes, bytes, size);
    ident->rules.id = tp_hash128_of(ident->algorithm, bytes, size);
    return NULL;
}

bool tp_ident_of_rules(const uint8_t *bytes, size_t size, tp_ident *ident, tp_error *error)
{
    if (size > sizeof(ident->rules.bytes)) {
        return tp_error_set(error, "the rules are larger than any legal ones");
    }
    const char *wrong = take_rules(bytes, (uint32_t)size, ident);
    if (wrong != NULL) {
        return tp_error_set(error, "%s", wrong);
    }
    ident->sequence = 0;
    ident->first_tick = 0;
    memset(ident->predecessor, 0, sizeof(ident->predecessor));
    ident->provenance_count = ident->provenance_size = 0;
    return true;
}

const char *log_ident_parse(const uint8_t *payload, size_t size, tp_ident *ident)
{
    if (size < LOG_IDENT_FIXED) {
        return "it is too short";
    }
    uint32_t rules_size = bytes_get_u32(payload);
    uint32_t provenance_size = bytes_get_u32(payload + 4);
    size_t left = size - LOG_IDENT_FIXED;
    if (rules_size > left || provenance_size != left - rules_size) {
        return "rules and provenance do not fill it exactly";
    }
    if (rules_size > sizeof(ident->rules.bytes) || provenance_size > sizeof(ident->provenance)) {
        return "rules or provenance are larger than any legal ones";
    }
    ident->sequence = bytes_get_u32(payload + 8);
    ident->first_tick = bytes_get_u64(payload + 16);
    memcpy(ident->predecessor, payload + 24, TP_LOG_CHAIN_SIZE);
    if (bytes_get_u32(payload + 12) != 0) {
        return "bytes 12 to 15 are not zero";
    }
    if ((ident->sequence == 0) != (ident->first_tick == 0)) {
        return "the first tick must be 0 exactly when the sequence number is 0";
    }
    if ((ident->sequence == 0) != log_format_is_zero(ident->predecessor, TP_LOG_CHAIN_SIZE)) {
        return "the predecessor's chain value must be zero exactly when the sequence number is 0";
    }
    const uint8_t *rules = payload + LOG_IDENT_FIXED;
    const char *wrong = take_rules(rules, rules_size, ident);
    if (wrong != NULL) {
        return wrong;
    }
    wrong = log_ident_check_provenance(rules + rules_size, provenance_size, &ident->provenance_count);
    if (wrong != NULL) {
        return wrong;
    }
    ident->provenance_size = provenance_size;
    memcpy(ident->provenance, rules + rules_size, provenance_size);
    return NULL;
}
