#!/usr/bin/env python3
"""Computes the committed integer tables: src/core/trig_table.c and src/core/crc32c_table.h.

    scripts/tables.py            writes both files, and their hashes into include/tickproof/trig.h
    scripts/tables.py --check    compares with what is committed; exit 1 and a line per difference

Everything is integer or 60-digit decimal arithmetic, never the machine's floating point or its libm, so any
machine writes the same bytes. As a check on the method, the sine of whole degrees in Q16.16 must hash to a value
that was found independently.
"""
import hashlib
import re
import sys
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIG_TABLE = ROOT / 'src/core/trig_table.c'
TRIG_HEADER = ROOT / 'include/tickproof/trig.h'
CRC32C_TABLE = ROOT / 'src/core/crc32c_table.h'

STEPS = 1024
SINE_SCALE = 2**27
ARCTANGENT_SCALE = 2**16  # per angle unit, 65536 units to the turn
DEGREES_SHA256 = 'fe9ddb8841368e8997c20c50f4eac0ba5cd69f2c1fff41a00874bcb65ce79122'
CRC32C_POLYNOMIAL = 0x82F63B78  # Castagnoli, bits reversed

getcontext().prec = 60
EPSILON = Decimal(10) ** -58


def compute_pi():
    """Machin (1706): pi = 16 atan(1/5) - 4 atan(1/239), summed in integers of 80 digits."""
    unit = 10**80

    def arctangent_of_reciprocal(n):
        total, power, k = 0, unit // n, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        return total

    return Decimal(16 * arctangent_of_reciprocal(5) - 4 * arctangent_of_reciprocal(239)) / unit


PI = compute_pi()


def sine(x):
    """Taylor's series; 0 <= x <= pi/2."""
    total, term, k = Decimal(0), x, 1
    while abs(term) > EPSILON:
        total += term
        term = -term * x * x / ((k + 1) * (k + 2))
        k += 2
    return total


def arctangent(x):
    """Three halvings of the angle, then Taylor's series; 0 <= x <= 1."""
    for _ in range(3):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, k = Decimal(0), x, 1
    while abs(power) > EPSILON:
        total += power / k if k % 4 == 1 else -power / k
        power *= x * x
        k += 2
    return 8 * total


def to_nearest(value):
    """The nearest integer. None of the entries is a tie, and one too close to call is refused."""
    result = int(value.to_integral_value(rounding=ROUND_HALF_EVEN))
    if abs(abs(value - result) - Decimal('0.5')) < Decimal('1e-30'):
        raise ArithmeticError(f'{value} is too near a tie')
    return result


def sine_of_turn(turn, scale):
    """sin of an exact fraction of a turn, by reflection into the first quarter."""
    quarters, past = divmod(turn * 4, 1)
    if quarters % 2 == 1:
        past = 1 - past
    value = sine(PI / 2 * past.numerator / past.denominator) * scale
    return to_nearest(value) * (-1 if quarters % 4 >= 2 else 1)


def fnv1a_128(data):
    value = 0x6C62272E07BB014262B821756295C58D
    for byte in data:
        value = (value ^ byte) * (2**88 + 0x13B) % 2**128
    return value


def little_endian(entries):
    return b''.join(entry.to_bytes(4, 'little') for entry in entries)


def crc32c_tables():
    """Eight tables: table k holds the remainder of a byte that is followed by k zero bytes."""
    def step(value):
        return value >> 1 ^ (CRC32C_POLYNOMIAL if value & 1 else 0)

    first = []
    for byte in range(256):
        for _ in range(8):
            byte = step(byte)
        first.append(byte)
    tables = [first]
    for _ in range(7):
        tables.append([value >> 8 ^ first[value & 0xFF] for value in tables[-1]])
    return tables


def rows(entries, per_row, indent, form):
    lines = []
    for start in range(0, len(entries), per_row):
        lines.append(indent + ' '.join(form.format(e) + ',' for e in entries[start:start + per_row]))
    return '\n'.join(lines)


def trig_table_text(sines, arctangents):
    return ('// trig_table.c: written by scripts/tables.py; `scripts/tables.py --check` compares. What the numbers mean and\n'
            '// their hashes stand in trig.h.\n'
            '#include "tickproof/trig.h"\n\n'
            'const uint32_t tp_sine_table[TP_TRIG_STEPS + 1] = {\n'
            + rows(sines, 10, '    ', '{}') + '\n};\n\n'
            'const uint32_t tp_arctangent_table[TP_TRIG_STEPS + 1] = {\n'
            + rows(arctangents, 10, '    ', '{}') + '\n};\n')


def crc32c_table_text(tables):
    body = ',\n'.join('    {\n' + rows(table, 8, '        ', '0x{:08x}') + '\n    }' for table in tables)
    return ('// crc32c_table.h: written by scripts/tables.py; `scripts/tables.py --check` compares. Row k: the remainder of a\n'
            '// byte that is followed by k zero bytes.\n'
            '#pragma once\n\n'
            '#include <stdint.h>\n\n'
            'static const uint32_t crc32c_rows[8][256] = {\n' + body + ',\n};\n')


def with_hashes(header, hashes):
    for name, value in hashes.items():
        for half, bits in (('HIGH', value >> 64), ('LOW', value % 2**64)):
            header, count = re.subn(rf'(#define TP_{name}_TABLE_HASH_{half} UINT64_C\()[^)]*\)',
                                    rf'\g<1>0x{bits:016x})', header)
            if count != 1:
                raise SystemExit(f'tables.py: {TRIG_HEADER}: no TP_{name}_TABLE_HASH_{half}')
    return header


def main(arguments):
    if arguments not in ([], ['--check']):
        print(__doc__.strip(), file=sys.stderr)
        return 2

    degrees = [sine_of_turn(Fraction(d, 360), 65536) for d in range(360)]
    digest = hashlib.sha256(b''.join(d.to_bytes(4, 'little', signed=True) for d in degrees)).hexdigest()
    if digest != DEGREES_SHA256:
        print(f'tables.py: sine of whole degrees hashes to {digest}, not {DEGREES_SHA256}', file=sys.stderr)
        return 1

    sines = [sine_of_turn(Fraction(i, 4 * STEPS), SINE_SCALE) if i < STEPS else SINE_SCALE for i in range(STEPS + 1)]
    arctangents = [to_nearest(arctangent(Decimal(i) / STEPS) * 65536 / (2 * PI) * ARCTANGENT_SCALE)
                   for i in range(STEPS + 1)]
    hashes = {'SINE': fnv1a_128(little_endian(sines)), 'ARCTANGENT': fnv1a_128(little_endian(arctangents))}
    wanted = {
        TRIG_TABLE: trig_table_text(sines, arctangents),
        CRC32C_TABLE: crc32c_table_text(crc32c_tables()),
        TRIG_HEADER: with_hashes(TRIG_HEADER.read_text(encoding='utf-8'), hashes),
    }

    status = 0
    for path, text in wanted.items():
        if arguments == []:
            path.write_text(text, encoding='utf-8')
        elif not path.exists() or path.read_text(encoding='utf-8') != text:
            print(f'tables.py: {path.relative_to(ROOT)} is not what this script computes', file=sys.stderr)
            status = 1
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
