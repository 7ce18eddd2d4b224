// log_sealed_filter.c: what makes a column of rows easier to pack: the difference to the row before, and a byte's values of all rows side by side.
#include <string.h>

#include "log_sealed.h"

// Where the byte of row and column lies in the filtered form.
static size_t place_of(uint32_t filter, size_t width, size_t rows, size_t row, size_t column)
{
    return (filter & SEALED_TRANSPOSED) != 0 ? column * rows + row : row * width + column;
}

static size_t rows_of(uint32_t filter, size_t width, size_t size)
{
    bool is_by_row = (filter & (SEALED_XOR_ROWS | SEALED_SUBTRACT_ROWS | SEALED_TRANSPOSED)) != 0;
    return width == 0 || !is_by_row ? 0 : size / width;
}

void sealed_filter(uint32_t filter, size_t width, const uint8_t *from, uint8_t *to, size_t size)
{
    size_t rows = rows_of(filter, width, size);
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < width; column++) {
            uint8_t value = from[row * width + column];
            uint8_t before = row == 0 ? 0 : from[(row - 1) * width + column];
            uint8_t put = (filter & SEALED_XOR_ROWS) != 0        ? value ^ before
                          : (filter & SEALED_SUBTRACT_ROWS) != 0 ? (uint8_t)(value - before)
                                                                 : value;
            to[place_of(filter, width, rows, row, column)] = put;
        }
    }
    if (size > rows * width) {
        memcpy(to + rows * width, from + rows * width, size - rows * width);
    }
}

void sealed_unfilter(uint32_t filter, size_t width, const uint8_t *from, uint8_t *to, size_t size)
{
    size_t rows = rows_of(filter, width, size);
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < width; column++) {
            uint8_t got = from[place_of(filter, width, rows, row, column)];
            uint8_t before = row == 0 ? 0 : to[(row - 1) * width + column];
            to[row * width + column] = (filter & SEALED_XOR_ROWS) != 0        ? got ^ before
                                       : (filter & SEALED_SUBTRACT_ROWS) != 0 ? (uint8_t)(got + before)
                                                                              : got;
        }
    }
    if (size > rows * width) {
        memcpy(to + rows * width, from + rows * width, size - rows * width);
    }
}
