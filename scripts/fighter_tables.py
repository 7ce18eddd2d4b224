#!/usr/bin/env python3
"""Writes src/worlds/fighter/fighter_data_table.c from fighter_data.toml beside it, which says what its keys mean.

    scripts/fighter_tables.py            checks the data and writes the table
    scripts/fighter_tables.py --check    checks the data and compares; exit 1 and a line per difference
        --data FILE   other data        --table FILE   another table

A decimal becomes the nearest 1/65536, a half away from zero; the machine's floating point is not asked. Names of
actions and where they happen are read from fighter_state.h. Every complaint names its key of the data file.
"""
import argparse
import re
import sys
import tomllib
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / 'src/worlds/fighter'
KINDS = ['vale', 'wisp', 'boar']
STAGES = ['hall', 'terrace', 'harbour']
SURFACES = ['floor', 'platform', 'ceiling', 'wall-right', 'wall-left']
OPPOSITE = {'wall-right': 'wall-left', 'wall-left': 'wall-right'}

# Limits that fighter_data.h, fighter.h and fighter_state.h state; `limits` below holds the two equal.
HURTS, SURFACES_MAX, LEDGES_MAX, STRIKES_MAX, SPACE, SPEED_MAX, JUMPS_MAX = 3, 16, 4, 256, 512, 80, 8
TICKS_MAX = 3600
REACH_MAX = 128  # units from the feet of whatever belongs to a body

ENDLESS = {'absent', 'out', 'idle', 'walk', 'run', 'crouch', 'air', 'helpless', 'land', 'shield', 'shield-stun', 'grab-hold',
           'grabbed', 'hitstun', 'tumble'}  # something else ends them
THROWS = ('throw-forward', 'throw-back', 'throw-up', 'throw-down')
NEEDS_MOVE = ('roll-forward', 'roll-back', 'air-dodge', 'recovery', 'shield-break')
NEEDS_STRIKE = re.compile('jab|tilt-|smash-|dash-attack|aerial-|grab$|throw-')


class Fault(Exception):
    """What is wrong with the data: a key and a sentence."""

    def __init__(self, key, text):
        super().__init__(f'{key}: {text}')


class Keys:
    """One table of the file: hands out its values by key, checked, and complains about keys nobody asked for."""

    def __init__(self, path, values):
        if not isinstance(values, dict):
            raise Fault(path, 'must be a table of keys')
        self.path, self.values, self.seen = path, values, set()

    def take(self, key, *standard):
        self.seen.add(key)
        if key in self.values:
            return self.values[key]
        if standard:
            return standard[0]
        raise Fault(f'{self.path}.{key}', 'is missing')

    def integer(self, key, low, high, *standard):
        return integer(f'{self.path}.{key}', self.take(key, *standard), low, high)

    def units(self, key, low, high, *standard):
        return units(f'{self.path}.{key}', self.take(key, *standard), low, high)

    def row(self, key, count, *standard):
        return row(f'{self.path}.{key}', self.take(key, *standard), count)

    def end(self):
        for key in self.values:
            if key not in self.seen:
                raise Fault(f'{self.path}.{key}', 'is no key that anybody reads')


def row(path, value, count):
    if not isinstance(value, list) or len(value) != count:
        raise Fault(path, f'must be a list of {count}')
    return value


def integer(path, value, low, high):
    if isinstance(value, bool) or not isinstance(value, int):
        raise Fault(path, f'must be a whole number, is {value!r}')
    if not low <= value <= high:
        raise Fault(path, f'must lie in {low} to {high}, is {value}')
    return value


def units(path, value, low, high):
    """A decimal in units as Q16.16."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise Fault(path, f'must be a number, is {value!r}')
    if not low <= value <= high:
        raise Fault(path, f'must lie in {low} to {high}, is {value}')
    return int((Decimal(value) * 65536).to_integral_value(rounding=ROUND_HALF_UP))


def capsule(path, value):
    row(path, value, 5)
    places = [units(f'{path}[{i}]', value[i], -REACH_MAX, REACH_MAX) for i in range(4)]
    if value[4] <= 0:
        raise Fault(f'{path}[4]', f'a radius must be above 0, is {value[4]}')
    return places + [units(f'{path}[4]', value[4], 0, 64)]


def span(path, value, high):
    """[first, last], both inside an action of `high` ticks; TICKS_MAX where its end is open."""
    row(path, value, 2)
    first = integer(f'{path}[0]', value[0], 1, high)
    return [first, integer(f'{path}[1]', value[1], first, high)]


def force(keys):
    """What a strike does to somebody: shared by strikes and shots."""
    return [keys.units('damage', 0, 50), keys.integer('angle', 0, 361), keys.integer('base', 0, 200),
            keys.integer('growth', 0, 200), keys.units('shield', 0, 60, 0)]


def read_strike(path, value, ticks, part):
    keys = Keys(path, value)
    first, last = span(f'{path}.ticks', keys.take('ticks'), ticks)
    number = keys.integer('part', max(part, 1), part + 1, 1)
    shape = capsule(f'{path}.capsule', keys.take('capsule'))
    grabs = keys.take('grab', False)
    if not isinstance(grabs, bool):
        raise Fault(f'{path}.grab', 'must be true or false')
    numbers = [0, 0, 0, 0, 0] if grabs else force(keys)
    keys.end()
    return {'first': first, 'last': last, 'part': number, 'capsule': shape, 'numbers': numbers, 'grab': int(grabs)}


def check_strikes(path, action, rows, free):
    if NEEDS_STRIKE.match(action) and not rows:
        raise Fault(path, 'must strike at some tick')
    if action in THROWS and (len(rows) != 1 or rows[0]['first'] != rows[0]['last']):
        raise Fault(path, 'a throw has one strike of one tick: the release')
    for i, strike in enumerate(rows):
        if strike['grab'] != (action == 'grab'):
            raise Fault(f'{path}[{i}].grab', 'the action grab takes hold, and no other')
        if i > 0 and (strike['part'], strike['first']) < (rows[i - 1]['part'], rows[i - 1]['first']):
            raise Fault(f'{path}[{i}].ticks', 'strikes must be in the order of parts and first ticks')
        if free != 0 and strike['last'] >= free:
            raise Fault(f'{path}[{i}].ticks', f'strikes in a tick from which the pad is free ({free})')


def read_strikes(path, value, action, ticks, free):
    if not isinstance(value, list):
        raise Fault(path, 'must be a list of strikes')
    rows, part = [], 0
    for i, strike in enumerate(value):
        rows.append(read_strike(f'{path}[{i}]', strike, ticks, part))
        part = rows[-1]['part']
    check_strikes(path, action, rows, free)
    return rows


def read_frames(path, value, action, where):
    keys = Keys(path, value)
    ticks = keys.integer('ticks', 1, TICKS_MAX, *([1] if action in ENDLESS else []))
    if action in ENDLESS:
        if 'ticks' in value:
            raise Fault(f'{path}.ticks', 'something else ends this action; it has no length')
        ticks = 0
    end = ticks or TICKS_MAX
    free = keys.integer('free', 2, end) if 'free' in value else 0
    guard = span(f'{path}.guard', keys.take('guard'), end) if 'guard' in value else [0, 0]
    land = keys.integer('land', 1, 120) if 'land' in value else 0
    if land and where != 'A':
        raise Fault(f'{path}.land', 'only an action in the air ends in a landing')
    move = span(f'{path}.move', keys.take('move'), end) if 'move' in value else [0, 0]
    speed = keys.row('speed', 2) if 'move' in value else [0, 0]
    speed = [units(f'{path}.speed[{i}]', speed[i], -SPEED_MAX // 4, SPEED_MAX // 4) for i in range(2)]
    keys.end()
    if action in NEEDS_MOVE and move == [0, 0]:
        raise Fault(f'{path}.move', 'is missing: this action is a move')
    if action == 'roll-back' and speed[0] >= 0 or action == 'roll-forward' and speed[0] <= 0:
        raise Fault(f'{path}.speed', 'a roll goes the way its name says')
    return {'ticks': ticks, 'free': free, 'guard': guard, 'land': land, 'move': move, 'speed': speed}


def read_shot(path, value, frames):
    keys = Keys(path, value)
    tick = keys.integer('tick', 1, frames['ticks'])
    place = [units(f'{path}.place', v, -REACH_MAX, REACH_MAX) for v in keys.row('place', 2)]
    speed = [units(f'{path}.speed', v, -SPEED_MAX // 4, SPEED_MAX // 4) for v in keys.row('speed', 2)]
    gravity = keys.units('gravity', 0, 4)
    life = keys.integer('life_ticks', 1, 600)
    fall = gravity * life
    if abs(speed[1]) + fall > SPEED_MAX * 65536:
        raise Fault(f'{path}.life_ticks', f'it would fall faster than {SPEED_MAX} units a tick before it ends')
    shape = capsule(f'{path}.capsule', keys.take('capsule'))
    numbers = force(keys)
    keys.end()
    return [tick, *place, *speed, gravity, life], {'first': 0, 'last': 0, 'part': 1, 'capsule': shape, 'numbers': numbers, 'grab': 0}


BODY = [  # key of the file, field of FighterKind, low, high; whole numbers are ints
    ('weight', int, 1, 400), ('half_width', Decimal, 1, 40), ('height', Decimal, 2, 80), ('walk_speed', Decimal, 0, 20),
    ('dash_speed', Decimal, 0, 20), ('run_speed', Decimal, 0, 20), ('ground_acceleration', Decimal, 0, 20), ('friction', Decimal, 0, 20),
    ('air_speed', Decimal, 0, 20), ('air_acceleration', Decimal, 0, 20), ('air_friction', Decimal, 0, 20), ('gravity', Decimal, 0, 4),
    ('fall_speed', Decimal, 0, 20), ('fast_fall_speed', Decimal, 0, 20), ('stun_gravity', Decimal, 0, 4), ('stun_fall_speed', Decimal, 0, 20),
    ('jump_speed', Decimal, 0, 20), ('short_hop_speed', Decimal, 0, 20), ('air_jump_speed', Decimal, 0, 20),
    ('jump_squat_ticks', int, 1, 60), ('air_jumps', int, 0, JUMPS_MAX), ('land_ticks', int, 1, 120), ('shield_radius', Decimal, 1, 64)]
RISING = [('gravity', 'fall_speed'), ('fall_speed', 'fast_fall_speed'), ('walk_speed', 'run_speed'), ('short_hop_speed', 'jump_speed')]


def read_body(keys, path):
    body = [(key, keys.integer(key, low, high) if form is int else keys.units(key, low, high)) for key, form, low, high in BODY]
    values = dict(body)
    for key, value in body:
        if value == 0 and key != 'air_jumps':
            raise Fault(f'{path}.{key}', 'must be above 0')
    for small, large in RISING:
        if values[small] >= values[large]:
            raise Fault(f'{path}.{small}', f'must be below {large}')
    reach = keys.row('ledge_reach', 2)
    reach = [units(f'{path}.ledge_reach', v, 1, REACH_MAX) for v in reach]
    hurts = keys.row('hurts', HURTS)
    return body, reach, [capsule(f'{path}.hurts[{i}]', hurts[i]) for i in range(HURTS)]


def read_actions(path, keys, actions):
    frames_keys, strike_keys = Keys(f'{path}.actions', keys.take('actions')), Keys(f'{path}.strikes', keys.take('strikes'))
    read = {}
    for action, where in actions:
        frames = read_frames(f'{path}.actions.{action}', frames_keys.take(action), action, where)
        frames['strikes'] = read_strikes(f'{path}.strikes.{action}', strike_keys.take(action, []), action,
                                         frames['ticks'] or TICKS_MAX, frames['free'])
        read[action] = frames
    frames_keys.end()
    strike_keys.end()
    return read


def read_kind(path, value, actions):
    keys = Keys(path, value)
    body, reach, hurts = read_body(keys, path)
    frames = read_actions(path, keys, actions)
    if frames['jump-squat']['ticks'] != dict(body)['jump_squat_ticks']:
        raise Fault(f'{path}.actions.jump-squat.ticks', 'must be jump_squat_ticks')
    shot, strike = read_shot(f'{path}.shot', keys.take('shot'), frames['shoot'])
    keys.end()
    return {'body': body, 'reach': reach, 'hurts': hurts, 'shot': shot, 'shot_strike': strike, 'actions': frames}


def read_surface(path, value):
    keys = Keys(path, value)
    kind = keys.take('kind')
    if kind not in SURFACES:
        raise Fault(f'{path}.kind', f'must be one of {", ".join(SURFACES)}, is {kind!r}')
    is_wall = kind.startswith('wall')
    ends = keys.row('y' if is_wall else 'x', 2)
    low, high = (units(f'{path}.{"y" if is_wall else "x"}', v, -SPACE, SPACE) for v in ends)
    if low >= high:
        raise Fault(f'{path}.{"y" if is_wall else "x"}', 'must rise: the lower end first')
    at = keys.units('x' if is_wall else 'y', -SPACE, SPACE)
    keys.end()
    return {'kind': kind, 'x0': at if is_wall else low, 'y0': low if is_wall else at, 'x1': at if is_wall else high, 'y1': high if is_wall else at}


def read_ledge(path, value, surfaces):
    x, y, side = row(path, value, 3)
    if side not in (-1, 1):
        raise Fault(f'{path}[2]', f'a side is -1 or 1, is {side}')
    x, y = units(path, x, -SPACE, SPACE), units(path, y, -SPACE, SPACE)
    for surface in surfaces:
        if surface['kind'] == 'floor' and surface['y0'] == y and surface['x0' if side < 0 else 'x1'] == x:
            return [x, y, side]
    raise Fault(path, f'no floor ends there on its {"left" if side < 0 else "right"}')


def is_over_a_floor(surfaces, left, right, y):
    return any(s['kind'] == 'floor' and s['x0'] <= left and right <= s['x1'] and s['y0'] == y for s in surfaces)


def read_stage(path, value):
    keys = Keys(path, value)
    rows = keys.take('surfaces')
    if not isinstance(rows, list) or not 1 <= len(rows) <= SURFACES_MAX:
        raise Fault(f'{path}.surfaces', f'must be a list of 1 to {SURFACES_MAX}')
    surfaces = [read_surface(f'{path}.surfaces[{i}]', r) for i, r in enumerate(rows)]
    rows = keys.take('ledges')
    if not isinstance(rows, list) or len(rows) > LEDGES_MAX:
        raise Fault(f'{path}.ledges', f'must be a list of at most {LEDGES_MAX}')
    ledges = [read_ledge(f'{path}.ledges[{i}]', r, surfaces) for i, r in enumerate(rows)]
    blast = [units(f'{path}.blast', v, -SPACE, SPACE) for v in keys.row('blast', 4)]
    spawn = [units(f'{path}.spawn', v, -SPACE, SPACE) for v in keys.row('spawn', 3)]
    respawn = [units(f'{path}.respawn', v, -SPACE, SPACE) for v in keys.row('respawn', 2)]
    keys.end()
    stage = {'blast': blast, 'spawn': spawn, 'respawn': respawn, 'surfaces': surfaces, 'ledges': ledges}
    check_stage(path, stage)
    return stage


def check_stage(path, stage):
    left, right, top, bottom = stage['blast']
    if left >= right or bottom >= top:
        raise Fault(f'{path}.blast', 'must be left, right, top, bottom')
    if stage['spawn'][0] >= stage['spawn'][1] or not is_over_a_floor(stage['surfaces'], *stage['spawn']):
        raise Fault(f'{path}.spawn', 'no floor carries all of it')
    for i, surface in enumerate(stage['surfaces']):
        # Walls may rise past the top, so that nobody leaves sideways on the way up.
        is_inside = left < surface['x0'] and surface['x1'] < right and bottom < surface['y0']
        if not is_inside or not surface['kind'].startswith('wall') and surface['y1'] >= top:
            raise Fault(f'{path}.surfaces[{i}]', 'lies past a blast zone')
    x, y = stage['respawn']
    if not (left < x < right and bottom < y < top):
        raise Fault(f'{path}.respawn', 'lies past a blast zone')
    below = [s for s in stage['surfaces'] if s['kind'] in ('floor', 'platform') and s['x0'] <= x <= s['x1'] and s['y0'] < y]
    if not below:
        raise Fault(f'{path}.respawn', 'nothing is below it to come down on')


def mirrored(stage):
    """Left to right; indices stay, so that index i is the mirror image of index i."""
    left, right, top, bottom = stage['blast']
    return {
        'blast': [-right, -left, top, bottom],
        'spawn': [-stage['spawn'][1], -stage['spawn'][0], stage['spawn'][2]],
        'respawn': [-stage['respawn'][0], stage['respawn'][1]],
        'surfaces': [{'kind': OPPOSITE.get(s['kind'], s['kind']), 'x0': -s['x1'], 'y0': s['y0'], 'x1': -s['x0'], 'y1': s['y1']}
                     for s in stage['surfaces']],
        'ledges': [[-x, y, -side] for x, y, side in stage['ledges']],
    }


def read_data(text, actions):
    keys = Keys('file', tomllib.loads(text, parse_float=Decimal))
    kinds = {kind: read_kind(kind, keys.take(kind), actions) for kind in KINDS}
    stages = {stage: read_stage(stage, keys.take(stage)) for stage in STAGES}
    keys.end()
    count = sum(len(frames['strikes']) for kind in kinds.values() for frames in kind['actions'].values())
    if count > STRIKES_MAX:
        raise Fault('strikes', f'{count} rows are more than FIGHTER_STRIKES_MAX, {STRIKES_MAX}')
    return kinds, stages


# ---- The table ----

def braces(values):
    return '{ ' + ', '.join(str(v) for v in values) + ' }'


def strike_text(s):
    return braces([s['first'], s['last'], s['part'], braces(s['capsule']), *s['numbers'], s['grab']])


def constant(name):
    return name.replace('-', '_').upper()


def kind_lines(name, kind, first):
    lines = [f'    [FIGHTER_KIND_{name.upper()}] = {{']
    lines += [f'        .{key} = {value},' for key, value in kind['body']]
    lines.append(f'        .ledge_reach_x = {kind["reach"][0]}, .ledge_reach_y = {kind["reach"][1]},')
    lines.append(f'        .hurts = {{ {", ".join(braces(h) for h in kind["hurts"])} }},')
    lines.append(f'        .shot = {{ {", ".join(str(v) for v in kind["shot"])},')
    lines.append(f'            {strike_text(kind["shot_strike"])} }},')
    lines.append('        .actions = {')
    for action, f in kind['actions'].items():
        count = len(f['strikes'])
        values = [f['ticks'], f['free'], *f['guard'], f['land'], *f['move'], *f['speed'], first if count else 0, count]
        lines.append(f'            [FIGHTER_ACTION_{constant(action)}] = {braces(values)},')
        first += count
    return lines + ['        },', '    },'], first


def stage_lines(index, name, stage):
    surfaces = [[f'FIGHTER_SURFACE_{constant(s["kind"])}', s['x0'], s['y0'], s['x1'], s['y1']] for s in stage['surfaces']]
    lines = [f'    [{index}] = {{ // {name}',
             '        ' + ', '.join(str(v) for v in stage['blast']) + ',',
             '        ' + ', '.join(str(v) for v in stage['spawn'] + stage['respawn']) + ',',
             f'        {len(surfaces)}, {{']
    lines += [f'            {braces(s)},' for s in surfaces]
    ledges = ', '.join(braces(ledge) for ledge in stage['ledges']) or '{ 0, 0, 0 }'
    return lines + ['        },', f'        {len(stage["ledges"])}, {{ {ledges} }},', '    },']


def table_text(kinds, stages):
    lines = ['// fighter_data_table.c: written by scripts/fighter_tables.py from fighter_data.toml; `scripts/fighter_tables.py --check`',
             '// compares. What the numbers mean stands in fighter_data.h, in the order of its structs.',
             '#include "fighter_data.h"', '', 'const FighterStrike fighter_strikes[FIGHTER_STRIKES_MAX] = {']
    for name, kind in kinds.items():
        for action, frames in kind['actions'].items():
            lines += [f'    {strike_text(s)}, // {name} {action}' for s in frames['strikes']]
    lines += ['};', '', 'const FighterKind fighter_kinds[FIGHTER_KIND_COUNT] = {']
    first = 0
    for name, kind in kinds.items():
        more, first = kind_lines(name, kind, first)
        lines += more
    lines += ['};', '', 'const FighterStage fighter_stages[2 * FIGHTER_STAGE_COUNT] = {']
    for i, (name, stage) in enumerate(stages.items()):
        lines += stage_lines(i, name, stage)
    for i, (name, stage) in enumerate(stages.items()):
        lines += stage_lines(i + len(stages), name + ', mirrored', mirrored(stage))
    return '\n'.join(lines + ['};', ''])


# ---- The script ----

def read_headers():
    """The actions, each with its letter of where; and the limits of the headers, which must be those above."""
    text = ''.join((ROOM / name).read_text(encoding='utf-8') for name in ('fighter.h', 'fighter_state.h', 'fighter_data.h'))
    limits = {'FIGHTER_HURTS': HURTS, 'FIGHTER_SURFACES_MAX': SURFACES_MAX, 'FIGHTER_LEDGES_MAX': LEDGES_MAX,
              'FIGHTER_STRIKES_MAX': STRIKES_MAX, 'FIGHTER_SPACE': SPACE, 'FIGHTER_SPEED_MAX': SPEED_MAX, 'FIGHTER_STAGE_COUNT': len(STAGES),
              'FIGHTER_KIND_COUNT': len(KINDS)}
    for name, value in limits.items():
        if not re.search(rf'\b{name}\s*= {value}\b', text):
            raise Fault(name, f'is not {value} in the headers, as this script has it')
    actions = re.findall(r'^    X\(\w+,\s*"([a-z-]+)",\s*([GABN])\)', text, re.M)
    if not actions:
        raise Fault('fighter_state.h', 'no list of actions was found in it')
    return actions


def differences(path, text):
    have = path.read_text(encoding='utf-8').split('\n') if path.exists() else []
    want = text.split('\n')
    for i in range(max(len(have), len(want))):
        line, other = have[i] if i < len(have) else '(nothing)', want[i] if i < len(want) else '(nothing)'
        if line != other:
            yield f'{path.name}:{i + 1}: is `{line.strip()}`, the data say `{other.strip()}`'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--data', type=Path, default=ROOM / 'fighter_data.toml')
    parser.add_argument('--table', type=Path, default=ROOM / 'fighter_data_table.c')
    options = parser.parse_args()
    try:
        text = table_text(*read_data(options.data.read_text(encoding='utf-8'), read_headers()))
    except (Fault, OSError, tomllib.TOMLDecodeError) as fault:
        print(f'fighter_tables.py: {options.data.name}: {fault}', file=sys.stderr)
        return 1
    if not options.check:
        options.table.write_text(text, encoding='utf-8')
        return 0
    found = list(differences(options.table, text))
    for line in found:
        print(f'fighter_tables.py: {line}', file=sys.stderr)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
