// web_pages.c: see web_pages.h.
#include "web_pages.h"

static const uint8_t index_page[] =
    "<!doctype html>\n"
    "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tickproof</title></head>\n"
    "<body><h1>Tickproof</h1><p>This server hosts deterministic worlds. Clients come in over WebSockets at <code>/play</code>, with the subprotocol "
    "<code>tickproof.2</code>.</p></body></html>\n";

const WebFile web_pages[] = {
    { "/", index_page, sizeof(index_page) - 1, "text/html; charset=utf-8", "\"index-1\"" },
};
const size_t web_page_count = sizeof(web_pages) / sizeof(web_pages[0]);
