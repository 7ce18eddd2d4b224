// live_fixture.h: a server with live rooms on a thread of its own, for clients on the test's.
#pragma once

#include <uv.h>

#include "server_fixture.h"
#include "wire.h"

typedef struct {
    Fixture       fixture;
    EventLog      events;
    ServerOptions options;
    Server       *server; ///< made at the first room
    uv_thread_t   thread;
    uint32_t      port;
    ServerRun     run;
} LiveSetting;

void live_fixture_open(LiveSetting *setting, uint32_t threads);
void live_fixture_add(LiveSetting *setting, const ServerLiveOptions *options);
void live_fixture_add_recorded(LiveSetting *setting, const char *name);
void live_fixture_start(LiveSetting *setting); ///< listens on a port of the system's choice and runs
void live_fixture_stop(LiveSetting *setting);  ///< asks for the stop
void live_fixture_join(LiveSetting *setting);  ///< waits for the end
void live_fixture_close(LiveSetting *setting);

/// Ticks of a log at which no slot was taken.
uint64_t live_fixture_count_absent(const char *path);
/// Whether a note of the log is exactly this text.
bool live_fixture_has_note(const char *path, const char *text);
/// Makes the flat world's next step fault.
void live_fixture_arm_fault(tp_sim *sim);

/// A world of nothing but state: config "values" of 8 bytes each (100,000 usually), which no compressor makes smaller. Every tick changes all of it.
extern const tp_world live_fixture_large;

/// The world of what the server sent: one of the three test worlds from the rules, at the state. Aborts unless its root is that of STATE.
tp_sim *live_fixture_make_sim(const WireWorld *world);
/// The client's bytes of a state, as OWN_STATE and its pieces have them: one frame. Freed by the caller.
uint8_t *live_fixture_pack(const uint8_t *state, size_t size, size_t *packed_size);
