// realm_plant.h: planted faults: one small wrong turn per rule of the engine, so that the tests can show that they would notice. In every
// normal build REALM_PLANT is the constant 0 and nothing of it remains; a test build with -DREALM_PLANTED switches one on at a time.
#pragma once

// Row, and what is broken while it is planted. The rule's own test must fail then.
#define REALM_PLANT_LIST(X) \
    X(T01, "terrain published into a draft is also written into the active leaf") \
    X(T02, "a commit reports twice") \
    X(T03, "a superseded ticket can still be cancelled, and takes the newer one along") \
    X(T04, "a change of an owner that the draft has nothing to do with sends it back to capture") \
    X(T05, "a relevant owner that moves sends a sealed draft back to its topology") \
    X(T06, "a state set on an owner without rows is lost") \
    X(T07a, "capture leaves out statics of the neighbours") \
    X(T07b, "withdrawing forgets which owners touched the landblock") \
    X(T08, "an owner that is new after the seal is not queued") \
    X(T09, "an owner that goes leaves a draft's set in the bucket") \
    X(T10, "a cancel before preparation leaves the admission counted") \
    X(T11, "a cancel after staging leaves the draft's statics") \
    X(T12, "a seal call floods two owners of the queue") \
    X(T13, "a commit that brings many owners allocates") \
    X(T14, "a commit without a generation before allocates") \
    X(T15, "a commit that brings indoor cells allocates") \
    X(T16, "a commit that brings statics allocates") \
    X(T17, "a commit with a younger draft open gives the landblock no terrain") \
    X(T18, "statics of a commit with a younger draft open lose their sets") \
    X(T19, "the staging handle still works after the commit") \
    X(T20, "preparation walks all blocks and writes to each") \
    X(T21, "preparation allocates for every resident") \
    X(T22, "materialisation notes two neighbours in one call, now and then") \
    X(T23, "a cancelled draft's leaf becomes active") \
    X(T24, "a change does not settle the set that a commit brought, and the promotion undoes it") \
    X(T25, "a commit nearby does not make a later draft flood again") \
    X(T26, "an arrival after the seal starts the capture again") \
    X(T27, "an owner that moves in after the seal is not routed to the draft") \
    X(T28, "an owner that leaves the target keeps the draft's rows") \
    X(T29, "a handle of an owner resolves to whoever has its slot") \
    X(T30, "a new state reaches the readers without the last row") \
    X(T31, "a commit brings a demoted landblock back in full") \
    X(T32, "a commit puts owners back into the cell they were put into") \
    X(T33, "a rebase that waits gives a demoted neighbour its cells back") \
    X(T34, "a rebase that has begun gives a demoted neighbour its cells back") \
    X(T35, "an id whose static was deleted is not taken from the author any more") \
    X(T36, "deleting an active static before the seal also deletes the staged one of its id") \
    X(T37, "deleting an active static after the seal also deletes the staged one of its id") \
    X(T38, "changes of an owner do not coalesce") \
    X(T39, "a note in the journal allocates") \
    X(T40, "two journal entries are read in one unit") \
    X(T41, "a commit allocates when the journal has been read") \
    X(T42, "a journal entry is reused below where a newer draft began") \
    X(T43, "the whole obsolete beginning of the journal retires at once") \
    X(T44, "a new draft reads the journal from its beginning") \
    X(T45, "a commit does not look for retirement") \
    X(T46, "more than 256 retirements drop the last one") \
    X(T47, "a member is not freed with its owner") \
    X(T48, "a member that a walk stands on does not take the walk off") \
    X(T49, "the offline publisher changes the ids of statics") \
    X(T50, "a reset leaves an owner") \
    X(S06, "a ticket of another realm is taken") \
    X(S07, "a newer ticket names the superseded generation as the previous one") \
    X(S08, "a landblock in the middle of an activation is admitted") \
    X(S12, "a second preparation with one ticket is taken") \
    X(S17, "publishing a static changes an owner of the active world") \
    X(S18, "the terrain may be published twice") \
    X(S19, "suspended owners are captured") \
    X(S22, "a full pool of members is not looked at") \
    X(S33, "the topology is not looked at") \
    X(S36, "a commit before the seal is put off instead of refused") \
    X(S38, "a commit costs a unit") \
    X(S42, "drafts activate in any order") \
    X(S43, "a later draft is ready before the older commit has come to it") \
    X(F04, "a cancel withdraws the active landblock, too") \
    X(F05, "a cancel burns no number") \
    X(F06, "a cancel after the commit is an error") \
    X(F07, "a demotion ends the admission after the active world changed") \
    X(F10, "a demoted landblock still serves its cells") \
    X(F11, "a withdrawal takes the dynamics along") \
    X(F12, "an owner is refused where no landblock is yet")

#ifdef REALM_PLANTED
#include <stdbool.h>
#include <stdint.h>

struct RealmEngine;

typedef enum RealmPlant {
    REALM_PLANT_NONE = 0,
#define REALM_PLANT_ENUM(row, text) REALM_PLANT_##row,
    REALM_PLANT_LIST(REALM_PLANT_ENUM)
#undef REALM_PLANT_ENUM
    REALM_PLANT_COUNT,
} RealmPlant;
/// Which one is on: of the test program, which also has the wrong turns that take more than a line.
extern int realm_planted;
#define REALM_PLANT(row) (realm_planted == REALM_PLANT_##row)

/// Calls the allocator, as no step may.
void realm_plant_allocate(void);
/// Sends open drafts that capture or are past it back to this phase.
void realm_plant_restart(struct RealmEngine *engine, uint32_t phase);
/// Writes to every block that is known.
void realm_plant_touch_blocks(struct RealmEngine *engine);
/// Gives the landblock of a generation its cells back.
void realm_plant_revive(struct RealmEngine *engine, uint64_t noted, uint64_t now, bool is_begun);
/// Gives all of them back.
void realm_plant_revive_all(struct RealmEngine *engine);
/// Puts all owners back into the cell they were put into.
void realm_plant_rewind_cells(struct RealmEngine *engine);
/// Remembers the id of a static that goes; erases staged ones of the same id.
void realm_plant_deleted(struct RealmEngine *engine, uint32_t owner);
bool realm_plant_was_deleted(uint32_t id);
/// Takes the dynamics that touch a landblock.
void realm_plant_take_along(struct RealmEngine *engine, uint32_t block);
/// Forgets who touches it.
void realm_plant_forget(struct RealmEngine *engine, uint32_t block);
/// Puts a draft before all older ones.
void realm_plant_first(struct RealmEngine *engine, uint32_t draft);
#else
#define REALM_PLANT(row) 0
#define realm_plant_allocate() ((void)0)
#define realm_plant_restart(engine, phase) ((void)0)
#define realm_plant_touch_blocks(engine) ((void)0)
#define realm_plant_revive(engine, noted, now, is_begun) ((void)0)
#define realm_plant_revive_all(engine) ((void)0)
#define realm_plant_rewind_cells(engine) ((void)0)
#define realm_plant_deleted(engine, owner) ((void)0)
#define realm_plant_was_deleted(id) 0
#define realm_plant_take_along(engine, block) ((void)0)
#define realm_plant_forget(engine, block) ((void)0)
#define realm_plant_first(engine, draft) ((void)0)
#endif
