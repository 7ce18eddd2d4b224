// kite.cpp: a world in C++ with objects, a std::vector and exceptions behind its step: opaque, since none of it is flat. A jump out of the step
// would skip destructors, so it faults by returning.
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include <tickproof/layout.h>

namespace {

struct KiteBytes {
    alignas(8) std::uint64_t height; // bits of a double
    alignas(8) std::uint64_t line;
};
struct SkyBytes {
    alignas(8) std::uint64_t ticks;
    alignas(8) std::uint64_t wind;
};

#define ROW(S, name, unit) { #name, unit, TP_TYPE_U64, 1, offsetof(S, name), 8, TP_ANY }
const tp_field       sky_rows[] = { ROW(SkyBytes, ticks, "ticks"), ROW(SkyBytes, wind, "bits") };
const tp_field       kite_rows[] = { ROW(KiteBytes, height, "float bits"), ROW(KiteBytes, line, "float bits") };
const tp_field       pull_rows[] = { { "pull", "stick", TP_TYPE_I8, 1, 0, 1, TP_RANGE(-100, 100) } };
const tp_field       torn_rows[] = { { "slot", "slot", TP_TYPE_U32, 1, 0, 4, TP_ANY } };
const tp_section     sections[] = { TP_SECTION("sky", SkyBytes, sky_rows, nullptr, 1, TP_SIM),
                                    TP_SECTION("kites", KiteBytes, kite_rows, TP_COUNT_PLAYERS, 0, TP_SIM) };
const tp_record_type input = { "input", pull_rows, 1, 1, 0, "how hard to pull" };
const tp_record_type events[] = { { "torn", torn_rows, 1, 4, 0, "a line tore" } };
const tp_record_type sky_type = { "sky", sky_rows, 2, sizeof(SkyBytes), 0, "" };
const tp_record_type kite_type = { "kite", kite_rows, 2, sizeof(KiteBytes), 0, "" };

std::uint64_t bits_of(double value)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

double value_of(std::uint64_t bits)
{
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

class Kite {
public:
    void fly(double wind, int pull)
    {
        double force = wind * 0.01 + pull * 0.002;
        line_ += force - line_ * 0.05;
        height_ += line_ - 0.02;
        if (height_ < 0.0) {
            height_ = 0.0;
        }
        if (line_ > 5.0) {
            throw std::overflow_error("torn");
        }
    }
    void      mend() { line_ = 0.0; }
    KiteBytes save() const { return { bits_of(height_), bits_of(line_) }; }
    bool      load(const KiteBytes &bytes)
    {
        height_ = value_of(bytes.height);
        line_ = value_of(bytes.line);
        return height_ >= 0.0 && height_ < 1e9 && line_ > -1e9 && line_ < 1e9;
    }

private:
    double height_ = 0.0, line_ = 0.0;
};

struct Sky {
    std::uint64_t                      ticks = 0, wind = 0;
    std::vector<std::unique_ptr<Kite>> kites;

    explicit Sky(std::uint32_t players)
    {
        for (std::uint32_t i = 0; i < players; i++) {
            kites.push_back(std::make_unique<Kite>());
        }
    }
};

std::size_t size_max(const tp_setup *setup)
{
    return sizeof(SkyBytes) + setup->players * sizeof(KiteBytes);
}

void *create(const tp_setup *setup)
{
    try {
        return new Sky(setup->players);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void destroy(void *instance)
{
    delete static_cast<Sky *>(instance);
}

bool save(const void *instance, void *bytes, std::size_t capacity, std::size_t *size)
{
    const Sky *sky = static_cast<const Sky *>(instance);
    SkyBytes   head = { sky->ticks, sky->wind };
    auto      *at = static_cast<std::uint8_t *>(bytes);
    *size = sizeof(SkyBytes) + sky->kites.size() * sizeof(KiteBytes);
    if (*size > capacity) {
        return false;
    }
    tp_record_encode(&sky_type, &head, at);
    at += sizeof(head);
    for (const auto &kite : sky->kites) {
        KiteBytes one = kite->save();
        tp_record_encode(&kite_type, &one, at);
        at += sizeof(one);
    }
    return true;
}

bool load(void *instance, const void *bytes, std::size_t size)
{
    Sky        *sky = static_cast<Sky *>(instance);
    const auto *at = static_cast<const std::uint8_t *>(bytes);
    SkyBytes    head;
    if (size != sizeof(SkyBytes) + sky->kites.size() * sizeof(KiteBytes) || !tp_record_decode(&sky_type, at, &head, nullptr)) {
        return false;
    }
    Sky next(static_cast<std::uint32_t>(sky->kites.size())); // the old one stays as it was when this one is refused
    next.ticks = head.ticks;
    next.wind = head.wind;
    at += sizeof(head);
    for (auto &kite : next.kites) {
        KiteBytes one;
        if (!tp_record_decode(&kite_type, at, &one, nullptr) || !kite->load(one)) {
            return false;
        }
        at += sizeof(one);
    }
    *sky = std::move(next);
    return true;
}

void init(void *instance, tp_context *context)
{
    static_cast<Sky *>(instance)->wind = context->setup->seed;
}

tp_step_result step(void *instance, const tp_tick *tick, tp_context *context)
{
    Sky        *sky = static_cast<Sky *>(instance);
    const auto *pulls = static_cast<const std::int8_t *>(tick->inputs);
    sky->wind = sky->wind * 6364136223846793005u + 1442695040888963407u;
    sky->ticks += 1;
    for (std::uint32_t slot = 0; slot < tick->players; slot++) {
        try {
            sky->kites[slot]->fly(static_cast<double>(sky->wind >> 58), pulls[slot]);
        } catch (const std::overflow_error &) {
            sky->kites[slot]->mend();
            if (!tp_emit(context, 0, &slot)) {
                return TP_STEP_FAULT;
            }
        }
    }
    return TP_STEP_OK;
}

const tp_opaque opaque = { size_max, create, destroy, save, load, nullptr };

tp_world make_world()
{
    tp_world world = {};
    world.struct_size = sizeof(tp_world);
    world.abi = TP_WORLD_ABI;
    world.name = "kites";
    world.revision = 1;
    world.text = "kites in a changing wind, in C++";
    world.tick_rate_hz = 60;
    world.players_min = 1;
    world.players_max = 8;
    world.players_standard = 2;
    world.sections = sections;
    world.section_count = TP_COUNT_OF(sections);
    world.input = &input;
    world.events = events;
    world.event_count = 1;
    world.events_max = 8;
    world.opaque = &opaque;
    world.init = init;
    world.step = step;
    return world;
}

const tp_world world = make_world();

} // namespace

extern "C" const tp_world *tickproof_world()
{
    return &world;
}
