// realm_internal.h: what the engine's files share and nobody else may call.
#pragma once

#include "realm_engine.h"
#include "realm_plant.h"

#include "tickproof/rng.h"

enum { REALM_LOOKS = 32 }; ///< owners that one unit may look at without having to flood any

// realm_access.c

/// Tells the host about a write to come and gives the memory back writable.
void *realm_write(RealmEngine *engine, const void *memory, size_t size);
/// Sets `reason` and returns the answer.
RealmAnswer realm_refuse(RealmEngine *engine, RealmAnswer answer, const char *reason);

// realm_block.c: landblocks, and who touches them

/// Head of the list of the block index that a landblock is in.
uint32_t realm_block_head(uint16_t prefix);
/// Finds the block or makes it; 0 when the pool is full.
uint32_t realm_block_need(RealmEngine *engine, uint16_t prefix);
/// Frees the block when nothing is known of it any more.
void     realm_block_drop(RealmEngine *engine, uint32_t block);
/// Makes an owner's members those of its bounds. The caller has made sure of room: members and blocks for all of them.
void     realm_member_update(RealmEngine *engine, uint32_t owner);
void     realm_member_leave(RealmEngine *engine, uint32_t owner);
bool     realm_owner_touches(const RealmEngine *engine, uint32_t owner, uint32_t block);
/// Room for a body wherever it goes: for the landblocks that `owner` (0: a new one) does not touch yet.
bool     realm_member_has_room(const RealmEngine *engine, uint32_t owner, const RealmBody *body);

// realm_row.c: rows in buckets and in sets

/// Replaces all rows of a set, its cell and its home by a flood: all old rows go, then all new ones come. The caller has made sure of room.
void realm_row_replace(RealmEngine *engine, uint32_t set, const RealmFlood *flood);
void realm_row_empty(RealmEngine *engine, uint32_t set);
/// Takes one row out of its bucket and its set.
void realm_row_remove(RealmEngine *engine, uint32_t row);
/// Room for `count` rows, those of `set` (0: none) counted as free.
bool realm_row_has_room(const RealmEngine *engine, uint32_t set, uint32_t count);

// realm_set.c: an owner's sets

/// The set a draft (0: the active world) has of an owner, queued or not; 0 for none.
uint32_t realm_set_find(const RealmEngine *engine, uint32_t owner, uint32_t draft);
/// A new empty set of the owner; for a draft it goes to the end of its queue. 0 when the pool is full.
uint32_t realm_set_new(RealmEngine *engine, uint32_t owner, uint32_t draft);
/// Frees a set with its rows, out of every list.
void     realm_set_drop(RealmEngine *engine, uint32_t set);
/// Floods a set of a draft in the draft's view: from the queue to the sets. False: no room for its rows, nothing changed.
bool     realm_set_refresh(RealmEngine *engine, uint32_t set);
/// Floods a set's owner in a view and gives the set those rows; a suspended owner has none. False: no room for them, nothing changed.
bool     realm_set_flood(RealmEngine *engine, uint32_t set, RealmView view);
/// A committed draft's set becomes the owner's active one.
void     realm_set_promote(RealmEngine *engine, uint32_t set);

// realm_owner.c

/// Sets that sealed drafts have of the owner flood again. A draft without room for that is cancelled: the active world goes first.
void realm_owner_write_through(RealmEngine *engine, uint32_t owner);
/// Floods the active set of an owner again, and write-through: after the world around it changed, not the owner. False: no room.
bool realm_owner_reflood(RealmEngine *engine, uint32_t owner);
/// Frees an owner with everything it has.
void realm_owner_remove(RealmEngine *engine, uint32_t owner);
/// A static for a draft's leaf: owner, active set (empty), members. 0: no room, nothing changed.
uint32_t realm_owner_new_static(RealmEngine *engine, uint32_t leaf, const RealmStaticContent *content);

// realm_journal.c

/// One entry for all drafts, coalesced.
void     realm_journal_note(RealmEngine *engine, uint32_t owner);
/// The owner of the next entry of a draft's window, 0 for an obsolete one; false when the window is done. Moves the cursor.
bool     realm_journal_next(RealmEngine *engine, uint32_t draft, uint32_t *owner);
bool     realm_journal_is_done(const RealmEngine *engine, const RealmDraft *draft);
/// At most one slot of the obsolete beginning retires.
void     realm_journal_compact(RealmEngine *engine);
/// After a draft closed: empties the journal with the last one.
void     realm_journal_close(RealmEngine *engine);

// realm_admission.c, realm_draft.c

/// Begins a call on an open draft: no unit so far. 0, refused, when it is not open.
uint32_t realm_draft_for_call(RealmEngine *engine, RealmDraftHandle draft);
bool     realm_phase_is_open(const RealmDraft *draft);   ///< not committed, not cancelled
bool     realm_phase_is_sealed(const RealmDraft *draft); ///< open, and changes write through
/// Cancels the live admission of a block, if it has one, for this reason.
void     realm_admission_cancel(RealmEngine *engine, uint32_t block, RealmReason reason);
/// Takes the admission off the books without a word: after a commit, or before CANCELLED is said.
void     realm_admission_close(RealmEngine *engine, uint32_t block);
/// Takes a draft out of the line of open ones.
void     realm_draft_close(RealmEngine *engine, uint32_t draft);
/// Makes an owner known to an open draft: queued unless it has a set there. False: no set left; the draft is cancelled (LIMIT).
bool     realm_draft_queue(RealmEngine *engine, uint32_t draft, uint32_t owner);
/// The draft cannot go on for want of room.
void     realm_draft_fail(RealmEngine *engine, uint32_t draft);
/// Landblock of neighbour `k` below REALM_NEIGHBOURS; false past the world's edge.
bool     realm_draft_neighbour(const RealmEngine *engine, const RealmDraft *draft, uint32_t k, uint16_t *prefix);
/// What a draft notes of a neighbour: generation * 2 + demoted; 0 without one. `k` below REALM_NEIGHBOURS.
uint64_t realm_draft_neighbour_now(const RealmEngine *engine, const RealmDraft *draft, uint32_t k);

/// The line of a ticket check: the block of a live ticket, 0 for a stale one.
uint32_t realm_ticket_block(const RealmEngine *engine, const RealmTicket *ticket);
/// Number of the active generation, 0 without one.
uint64_t realm_active_generation(const RealmEngine *engine, uint32_t block);
/// One unit was done, for a draft or (0) for nobody.
void     realm_draft_count_unit(RealmEngine *engine, uint32_t draft);
/// Nothing is pending: what the seal answers DONE for and what the commit checks again.
bool     realm_draft_is_ready(const RealmEngine *engine, uint32_t draft);

// realm_retire.c

void realm_retire_add_draft(RealmEngine *engine, uint32_t draft);
void realm_retire_add_leaf(RealmEngine *engine, uint32_t leaf, RealmRetire from);

void realm_report_block(RealmEngine *engine, RealmEvent event, uint16_t prefix, uint64_t generation, uint32_t owners, RealmReason reason);
