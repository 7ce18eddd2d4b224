// import_pads.h: a recording's pads as lines of JSON, one a frame: ports from 0, both sticks in 127ths, before the dead zone, and physical
// buttons as the file's bits. Triggers are not in them.
#pragma once

#include <stdio.h>

#include "slp_match.h"

///   {"tick":0,"players":[{"port":0,"x":0,"y":0,"cx":0,"cy":0,"buttons":0},...]}
void import_pads_print(FILE *out, const SlpMatch *match, const SlpFrame *frames);
