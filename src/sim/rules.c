// rules.c: the canonical bytes of what a run is a function of beside its inputs. The table in replays/README.md is
// the reference.
#include <string.h>

#include "bytes.h"
#include "tickproof/sim.h"

static void write_name(BytesWriter *writer, const char *name)
{
    size_t size = strlen(name);
    bytes_write_u8(writer, (uint8_t)size);
    bytes_write_span(writer, name, size);
}

// Content is hashed as little-endian values: in pieces, each hash taking the one before it in, so that no buffer of the
// content's size is needed on a big-endian machine.
static tp_hash128 content_hash(const tp_content *content, tp_hash_algorithm algorithm)
{
    enum { PIECE = 1024 };
    uint8_t              buffer[16 + PIECE];
    tp_hash128           hash = { 0, 0 };
    const unsigned char *place = content->data;
    size_t               left = content->size;
    do {
        size_t size = left < PIECE ? left : PIECE;
        tp_hash128_to_bytes(hash, buffer);
        for (size_t i = 0; i < size; i += content->value_size) {
            uint8_t *out = buffer + 16 + i;
            if (content->value_size == 1) {
                out[0] = place[i];
            } else if (content->value_size == 2) {
                uint16_t value;
                memcpy(&value, place + i, sizeof(value));
                bytes_put_u16(out, value);
            } else if (content->value_size == 4) {
                uint32_t value;
                memcpy(&value, place + i, sizeof(value));
                bytes_put_u32(out, value);
            } else {
                uint64_t value;
                memcpy(&value, place + i, sizeof(value));
                bytes_put_u64(out, value);
            }
        }
        hash = tp_hash128_of(algorithm, buffer, 16 + size);
        place += size;
        left -= size;
    } while (left > 0);
    return hash;
}

bool tp_rules_init(tp_rules *rules, const tp_layout *layout, tp_hash_algorithm algorithm, tp_error *error)
{
    const tp_world *world = layout->world;
    if (algorithm != TP_HASH_XXH3 && algorithm != TP_HASH_FNV1A128) {
        return tp_error_set(error, "unknown hash algorithm %d", (int)algorithm);
    }
    uint8_t     hash[16];
    BytesWriter writer = bytes_writer(rules->bytes, sizeof(rules->bytes));
    bytes_write_u32(&writer, world->abi);
    bytes_write_u32(&writer, world->revision);
    tp_hash128_to_bytes(tp_layout_fingerprint(layout, algorithm), hash);
    bytes_write_span(&writer, hash, sizeof(hash));
    bytes_write_u64(&writer, layout->setup.seed);
    bytes_write_u32(&writer, layout->setup.players);
    bytes_write_u32(&writer, layout->setup.tick_rate_hz);
    bytes_write_u16(&writer, (uint16_t)layout->input_size);
    bytes_write_u8(&writer, (uint8_t)algorithm);
    bytes_write_u8(&writer, world->opaque != NULL ? 1 : 0);
    write_name(&writer, world->name);
    bytes_write_u16(&writer, (uint16_t)world->config_count);
    for (uint32_t i = 0; i < world->config_count; i++) {
        write_name(&writer, world->config[i].name);
        bytes_write_i64(&writer, layout->config[i]);
    }
    bytes_write_u16(&writer, (uint16_t)world->content_count);
    for (uint32_t i = 0; i < world->content_count; i++) {
        write_name(&writer, world->content[i].name);
        tp_hash128_to_bytes(content_hash(&world->content[i], algorithm), hash);
        bytes_write_span(&writer, hash, sizeof(hash));
    }
    if (writer.failed) {
        return tp_error_set(error, "the rules take more than %zu bytes", sizeof(rules->bytes));
    }
    rules->algorithm = algorithm;
    rules->size = (uint32_t)writer.size;
    rules->id = tp_hash128_of(algorithm, rules->bytes, writer.size);
    return true;
}
