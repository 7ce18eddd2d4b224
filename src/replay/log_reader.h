// log_reader.h: what recovery needs of a reader beyond replay.h.
#pragma once

#include "log_check.h"

/// The reader's bookkeeping; valid until the reader closes.
const LogCheck *log_reader_check(const tp_reader *reader);
const uint8_t  *log_reader_marker(const tp_reader *reader);
