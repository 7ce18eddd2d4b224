// numerics.h: what floating point does here, as one short text. Two machines, builds or C libraries whose texts differ do not do the same with
// floats; a world of integers does not care. It is for people: it stands in a log's provenance and in a sidecar, and is in no root.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TP_NUMERICS_SIZE = 200 };

/// "ops 5d8f06a1 libm 0c41d7e2 libmf 77ab9012 contract no excess 0 subnormal kept round near long-double 64 long 8 char signed": sums over a fixed
/// set of operations, then what a few of them show by themselves. Of this thread and this moment: rounding and flushing are what they are set to.
/// Contraction and excess are those of the program's own compilation, libm's sums those of the C library (and of the processor, since one
/// library has several forms of a function). A driver, an engine or a library that was linked with -ffast-math may have set flushing before: then
/// every world of the thread runs with it, none of them is at fault, and this text shows it.
void tp_numerics(char text[TP_NUMERICS_SIZE]);

/// The first word that differs between two texts, as "libm is 0c41d7e2 there and 9be01d55 here"; empty when none does.
void tp_numerics_difference(const char *there, const char *here, char text[TP_NUMERICS_SIZE]);

#ifdef __cplusplus
}
#endif
