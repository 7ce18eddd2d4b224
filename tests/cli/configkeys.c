// configkeys.c: prints every key of the server's configuration, for the test that holds the manual page against them: place, name, kind, what
// it may be, what holds without it, separated by tabs.
#include <stdio.h>

#include "serverconfig_keys.h"

static const char *kind_of(const ServerConfigKey *key)
{
    return key->type == TYPE_CHOICE ? "choice" : key->type == TYPE_U32 || key->type == TYPE_U64 ? "number" : key->type == TYPE_NAME ? "name" : "other";
}

static void print_choices(const ServerConfigKey *key)
{
    for (const ServerConfigChoice *choice = key->choices; choice->name != NULL; choice++) {
        printf("%s%s", choice == key->choices ? "" : " ", choice->name);
    }
}

int main(void)
{
    static const char *const places[] = { "server", "record", "limits", "recorded", "live", "http" };
    for (int place = 0; place < 6; place++) {
        for (int i = 0; i < KEY_COUNT; i++) {
            const ServerConfigKey *key = &serverconfig_keys[i];
            char                   range[256];
            char                   usual[256];
            if ((key->places >> place & 1) == 0) {
                continue;
            }
            serverconfig_describe_key(key, range, sizeof(range));
            printf("%s\t%s\t%s\t", places[place], key->name, kind_of(key));
            if (key->type == TYPE_CHOICE) {
                print_choices(key);
            } else {
                fputs(range, stdout);
            }
            serverconfig_describe_usual(key, usual, sizeof(usual));
            printf("\t%s\t%s\n", key->is_required ? "Required" : usual, key->is_of_flag ? "flag" : "");
        }
    }
    return 0;
}
