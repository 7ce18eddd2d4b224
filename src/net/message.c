// message.c: names of types and reasons, and texts.
#include "message.h"

#include <string.h>

const char *message_reason_name(uint32_t reason)
{
    static const char *const names[] = {
        NULL,      "asked",   "no-room",   "full",   "not-live", "other-lane", "too-large", "in-it",        "ended", "faulted",  "stopping",
        "version", "malformed", "silent", "flood",   "slow",     "crowded",    "incompatible", "token", "kicked", "desync",   "rejoined",
        "behind",  "token-needed", "token-forged", "token-early", "token-expired", "token-used", "token-wrong-server", "token-wrong-client", "token-wrong-room",
    };
    _Static_assert(sizeof(names) / sizeof(names[0]) == MESSAGE_REASON_COUNT, "a reason was added: name it here and in README.md");
    return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : NULL;
}

const char *message_type_name(uint32_t type)
{
    static const char *const clients[] = {
        NULL, "HELLO", "LIST", "JOIN", "LEAVE", "INPUT", "PING", "READY", "REPORT", "OWN_STATE", "CHAT", "ADMIN", "TOKEN",
    };
    static const char *const servers[] = {
        "WELCOME", "ROOMS", "JOINED", "REFUSED", "PIECE",  "CONFIRMED", "LEFT", "PONG",
        "BYE",     "STATE", "WANTED", "TIMING",  "SAID",   "ADMINED",   "PACE",
    };
    _Static_assert(sizeof(clients) / sizeof(clients[0]) == MESSAGE_TOKEN + 1, "a client's type was added: name it");
    _Static_assert(sizeof(servers) / sizeof(servers[0]) == MESSAGE_PACE - MESSAGE_WELCOME + 1, "a server's type was added: name it");
    if (type <= MESSAGE_TOKEN) {
        return clients[type];
    }
    return type >= MESSAGE_WELCOME && type <= MESSAGE_PACE ? servers[type - MESSAGE_WELCOME] : NULL;
}

MessageText message_text(const char *text)
{
    size_t size = strnlen(text, MESSAGE_TEXT_MAX + 1);
    if (size > MESSAGE_TEXT_MAX) {
        // Back from the middle of a character; a text that is no UTF-8 is just cut.
        size = MESSAGE_TEXT_MAX;
        for (int back = 0; back < 3 && ((uint8_t)text[size] & 0xC0) == 0x80; back++) {
            size -= 1;
        }
    }
    return (MessageText){ .text = text, .size = (uint8_t)size };
}
