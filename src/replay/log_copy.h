// log_copy.h: the part of a log that stays as it is, from a source to a sink.
#pragma once

#include "tickproof/replay.h"

/// Copies the first `size` bytes. IO, with the reason, when either end fails or the source has fewer by now.
tp_log_status log_copy(const tp_source *source, uint64_t size, const tp_sink *sink, tp_error *error);
/// Writes to the sink. IO, with the reason, when it does not take all.
tp_log_status log_copy_put(const tp_sink *sink, const uint8_t *bytes, size_t size, tp_error *error);
/// Whether the bytes are those of a sealed file, as its header says; where that is wrong, too. What is copied here is raw logs only.
bool log_copy_is_sealed(const tp_source *source);
