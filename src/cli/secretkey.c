// secretkey.c: see secretkey.h.
#include "secretkey.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "join_token.h"
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

static size_t without_space(const char *text, size_t size)
{
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL) {
        size -= 1;
    }
    return size;
}

bool secretkey_read_public(const char *path, uint8_t key[TP_PUBLIC_KEY_SIZE], tp_error *error)
{
    size_t size = 0, made = 0;
    char  *text = (char *)files_read_all(path, 4096, &size, error);
    if (text == NULL) {
        return false;
    }
    size_t line = without_space(text, size);
    bool   is_fine = size == TP_PUBLIC_KEY_SIZE;
    if (is_fine) {
        memcpy(key, text, TP_PUBLIC_KEY_SIZE);
    } else {
        is_fine = line == SECRETKEY_PUBLIC_HEX_SIZE && sodium_hex2bin(key, TP_PUBLIC_KEY_SIZE, text, line, NULL, &made, NULL) == 0 && made == TP_PUBLIC_KEY_SIZE;
    }
    free(text);
    return is_fine || tp_error_set(error, "neither 32 bytes nor 64 hexadecimal digits");
}

bool secretkey_read_token(const char *path, uint8_t *bytes, size_t *size, tp_error *error)
{
    size_t text_size = 0;
    char  *text = (char *)files_read_all(path, 4096, &text_size, error);
    if (text == NULL) {
        return false;
    }
    bool is_fine = join_token_from_text(text, without_space(text, text_size), bytes, size);
    free(text);
    return is_fine || tp_error_set(error, "it is not base64url: give what 'tickproof token' printed");
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
