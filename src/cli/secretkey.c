// secretkey.c: see secretkey.h.
#include "secretkey.h"

#include <string.h>

#include "keyfile.h"

_Static_assert((int)SECRETKEY_HEX_SIZE <= (int)KEYFILE_KEY_MAX, "a secret key must fit the line that keyfile_read takes");

static int digit_of(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Exactly the digits that keygen writes: what differs was not written by it.
static bool parse(const char *line, uint8_t key[TP_SECRET_KEY_SIZE], tp_error *error)
{
    size_t size = strlen(line);
    size_t digits = strspn(line, "0123456789abcdef");
    if (size == SECRETKEY_PUBLIC_HEX_SIZE && digits == size) {
        return tp_error_set(error, "it has 64 digits: that is a public key; signing needs the secret one, NAME.key");
    }
    if (size != SECRETKEY_HEX_SIZE || digits != size) {
        return tp_error_set(error, "its first line is not 128 hexadecimal digits; 'tickproof keygen' makes a secret key");
    }
    for (size_t i = 0; i < TP_SECRET_KEY_SIZE; i++) {
        key[i] = (uint8_t)(digit_of(line[2 * i]) << 4 | digit_of(line[2 * i + 1]));
    }
    return true;
}

bool secretkey_read(const char *path, uint8_t key[TP_SECRET_KEY_SIZE], tp_error *error)
{
    char    line[KEYFILE_KEY_SIZE] = "";
    uint8_t public_key[TP_PUBLIC_KEY_SIZE];
    bool    is_fine = keyfile_read(path, line, error) && parse(line, key, error);
    if (is_fine && !tp_keys_public(key, public_key)) {
        is_fine = tp_error_set(error, "its two halves do not belong together: it is damaged");
    }
    tp_keys_wipe(line, sizeof(line));
    if (!is_fine) {
        tp_keys_wipe(key, TP_SECRET_KEY_SIZE);
    }
    return is_fine;
}

void secretkey_line(const uint8_t *bytes, size_t size, char *line)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        line[2 * i] = digits[bytes[i] >> 4];
        line[2 * i + 1] = digits[bytes[i] & 15];
    }
    line[2 * size] = '\n';
    line[2 * size + 1] = '\0';
}
