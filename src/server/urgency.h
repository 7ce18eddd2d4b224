// urgency.h: which of the server's threads the system prefers when there are fewer cores than threads with work. Ticks come first, then
// what speaks to newcomers, then recorders and long jobs. Nothing here needs a privilege, and where the system has no such thing all
// threads are equals.
#pragma once

/// For a thread that ticks: it asks for short turns on a core, and so for the next turn soon after it wakes.
void urgency_of_ticks(void);
/// For a thread that may wait: it gives way to all that do not. Calling it again is harmless.
void urgency_give_way(int nice);
