// web_pages.h: the files that a server hands out, linked in.
#pragma once

#include "web.h"

extern const WebFile web_pages[];
extern const size_t  web_page_count;
