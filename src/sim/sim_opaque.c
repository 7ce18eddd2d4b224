// sim_opaque.c: every call into an opaque world beside its step, each inside a guard. What a world says about sizes is checked.
#include "sim_internal.h"

bool sim_opaque_guarded(OpaqueCall *call, void (*body)(void *call))
{
    call->is_good = false;
    // Whatever a library does to floating point while it saves or loads is its own affair, and stays it.
    uint64_t floats = sim_floats_now();
    bool     is_done = tp_guard_run(body, call, NULL);
    if (sim_floats_now() != floats) {
        sim_floats_restore(floats);
    }
    return is_done && call->is_good;
}

static void save_body(void *argument)
{
    OpaqueCall *call = argument;
    call->is_good = call->sim->world->opaque->save(call->sim->state, call->bytes, call->capacity, &call->size);
}

static void load_body(void *argument)
{
    OpaqueCall *call = argument;
    call->is_good = call->sim->world->opaque->load(call->sim->state, call->foreign, call->size);
}

static void hash_body(void *argument)
{
    OpaqueCall *call = argument;
    call->hash = call->sim->world->opaque->hash(call->sim->state, call->sim->rules.algorithm);
    call->is_good = true;
}

bool sim_opaque_save(tp_sim *sim, void *bytes, size_t capacity, size_t *size)
{
    OpaqueCall call = { .sim = sim, .bytes = bytes, .capacity = capacity };
    if (!sim_opaque_guarded(&call, save_body) || call.size > capacity) {
        return false;
    }
    *size = call.size;
    return true;
}

bool sim_opaque_load(tp_sim *sim, const void *bytes, size_t size)
{
    OpaqueCall call = { .sim = sim, .foreign = bytes, .size = size };
    return sim_opaque_guarded(&call, load_body);
}

bool sim_opaque_hash(tp_sim *sim, uint64_t *hash)
{
    OpaqueCall call = { .sim = sim };
    bool       is_good = sim_opaque_guarded(&call, hash_body);
    *hash = call.hash;
    return is_good;
}
