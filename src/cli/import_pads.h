// import_pads.h: a recording's pads as lines of JSON, one a frame, as the file has them: ports, physical buttons, no dead zone.
#pragma once

#include <stdio.h>

#include "slp_match.h"

///   {"tick":0,"players":[{"port":0,"x":0,"y":0,"cx":0,"cy":0,"buttons":0},...]}
void import_pads_print(FILE *out, const SlpMatch *match, const SlpFrame *frames);
