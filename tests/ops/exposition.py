#!/usr/bin/env python3
"""A strict reader of metrics: exposition.py text|openmetrics [FILE]; --self-test plants faults that it must refuse."""
import math
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
NUMBER = re.compile(r'[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Inf)$|NaN$')
HISTOGRAM = ('_bucket', '_sum', '_count')


def need(is_true, line, text):
    if not is_true:
        raise ValueError(f'line {line}: {text}')


def labels_of(text, line):
    labels, at = {}, 0
    while text is not None and at < len(text):
        match = LABEL.match(text, at)
        need(match, line, 'bad label or escaping')
        need(match[1] not in labels, line, f'label {match[1]} twice')
        need(match[3] == '' or match.end() < len(text), line, 'comma without a label')
        labels[match[1]], at = match[2], match.end()
    return labels


def check_buckets(buckets, values):
    for (name, key), rows in buckets.items():
        line = rows[-1][2]
        need(all(a[0] < b[0] for a, b in zip(rows, rows[1:])), line, f'{name}: le does not grow')
        need(rows[-1][0] == math.inf, line, f'{name}: no +Inf')
        need(all(a[1] <= b[1] for a, b in zip(rows, rows[1:])), line, f'{name}: buckets are not cumulative')
        need(values.get((name + '_count', key)) == rows[-1][1], line, f'{name}: _count is not +Inf')
        need((name + '_sum', key) in values, line, f'{name}: no _sum')


def parse(text, is_open):
    need(text.endswith('\n'), 0, 'no newline at the end')
    lines = text[:-1].split('\n')
    if is_open:
        need(lines.pop() == '# EOF', len(lines) + 1, 'no # EOF')
    types, helps, values, buckets, ended, last = {}, set(), {}, {}, set(), None
    for line, row in enumerate(lines, 1):
        meta = re.match(r'# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$', row)
        if meta:
            kind, name, rest = meta.groups()
            need(name not in (types if kind == 'TYPE' else helps), line, f'{kind} of {name} twice')
            if kind == 'TYPE':
                need(rest in ('counter', 'gauge', 'histogram') + (('info',) if is_open else ()), line, f'type {rest}')
                types[name] = rest
            else:
                helps.add(name)
            family = name
        else:
            match = SAMPLE.match(row)
            need(match, line, 'no sample')
            name, labels, number = match[1], labels_of(match[2], line), match[3]
            need(NUMBER.match(number), line, f'number {number}')
            family = name
            for end in HISTOGRAM + (('_total', '_info') if is_open else ()):
                base = name[:-len(end)]
                wants = {'_total': 'counter', '_info': 'info'}.get(end, 'histogram')
                if name.endswith(end) and types.get(base) == wants:
                    family = base
            need(family in types and family in helps, line, f'{name} has no TYPE and HELP')
            kind = types[family]
            need(kind != 'histogram' or family != name, line, f'{name} is a histogram')
            need(not is_open or kind != 'counter' or name == family + '_total', line, f'counter {name} without _total')
            value = float(number)
            need(kind == 'gauge' or value >= 0, line, 'below zero')
            key = tuple(sorted(labels.items()))
            need((name, key) not in values, line, f'{name}: series twice')
            values[(name, key)] = value
            if name == family + '_bucket' and kind == 'histogram':
                need(NUMBER.match(labels.get('le', '')), line, 'bucket without le')
                rest = tuple(sorted((k, v) for k, v in labels.items() if k != 'le'))
                buckets.setdefault((family, rest), []).append((float(labels['le']), value, line))
        if family != last:
            need(family not in ended, line, f'{family} in two places')
            ended.add(last)
            last = family
    check_buckets(buckets, values)
    return values


GOOD = ('# HELP a x\n# TYPE a counter\na_total{b="c\\n"} 1\n# HELP h x\n# TYPE h histogram\n'
        'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n# EOF\n')
FAULTS = [  # what of GOOD becomes what, and what is said of it
    ('c\\n', 'c\\q', 'bad label'),
    ('h_bucket{le="+Inf"} 2\n', '', 'no +Inf'),
    ('le="1"} 1', 'le="1"} 3', 'not cumulative'),
    ('} 1\n# HELP h', '} 1\na_total{b="c\\n"} 1\n# HELP h', 'series twice'),
    ('a_total', 'a', 'without _total'),
    ('# EOF\n', '', 'no # EOF'),
    ('h_count 2', 'h_count 3', '_count is not'),
    ('h_sum 3\n', '', 'no _sum'),
    ('# HELP a x\n', '', 'no TYPE and HELP'),
]


def self_test():
    parse(GOOD, True)
    for old, new, why in FAULTS:
        assert old in GOOD
        try:
            parse(GOOD.replace(old, new, 1), True)
        except ValueError as error:
            assert why in str(error), f'{old!r} as {new!r}: {error}'
            continue
        sys.exit(f'not refused: {old!r} as {new!r}')


if sys.argv[1:] == ['--self-test']:
    self_test()
else:
    try:
        print(len(parse(open(sys.argv[2]).read() if len(sys.argv) > 2 else sys.stdin.read(), sys.argv[1] == 'openmetrics')), 'series')
    except ValueError as error:
        sys.exit(f'exposition: {error}')
