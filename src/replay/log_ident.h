// log_ident.h: IDENT's payload: building it from a sim's rules and a writer's provenance, and taking foreign bytes apart.
#pragma once

#include "log_format.h"

/// Writes the encoding of `items`. Returns its size, or 0 with the reason when a key or value is out of bounds, a key comes
/// twice, or it does not fit.
size_t log_ident_encode_provenance(const tp_provenance *items, uint32_t count, uint8_t *bytes, size_t capacity,
                                   tp_error *error);
/// NULL, or a static text of what is wrong; `*count` gets the number of items.
const char *log_ident_check_provenance(const uint8_t *bytes, size_t size, uint32_t *count);

/// Builds an IDENT payload; `capacity` at least TP_LOG_IDENT_MAX. 0 with the reason when it does not fit.
size_t log_ident_build(const tp_rules *rules, const tp_writer_options *options, uint64_t first_tick, uint8_t *bytes,
                       size_t capacity, tp_error *error);
/// Fills `ident` from a payload. NULL, or a static text of what is wrong; `ident` is then worth nothing. Only the parts that
/// the counts speak of are written: the struct is large, and clearing it would cost more than reading a small log.
const char *log_ident_parse(const uint8_t *payload, size_t size, tp_ident *ident);
