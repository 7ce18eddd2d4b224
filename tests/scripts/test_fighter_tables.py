"""fighter_tables.py: what is committed agrees, and every planted fault is noticed and named by its key."""
import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / 'scripts/fighter_tables.py'
DATA = (ROOT / 'src/worlds/fighter/fighter_data.toml').read_text(encoding='utf-8')
TABLE = (ROOT / 'src/worlds/fighter/fighter_data_table.c').read_text(encoding='utf-8')

# What is replaced once in the data, by what, and what the complaint must begin with. A place is a section and a line in it.
FAULTS = [
    ('vale', 'weight = 100', 'weight = 0', 'vale.weight: must lie in 1 to 400'),
    ('vale', 'weight = 100', 'weight = 100.5', 'vale.weight: must be a whole number'),
    ('vale', 'weight = 100', 'wait = 100', 'vale.weight: is missing'),
    ('vale', 'weight = 100', 'weight = 100\nmass = 3', 'vale.mass: is no key'),
    ('wisp', 'gravity = 0.34', 'gravity = 0', 'wisp.gravity: must be above 0'),
    ('wisp', 'gravity = 0.34', 'gravity = "low"', 'wisp.gravity: must be a number'),
    ('boar', 'short_hop_speed = 6', 'short_hop_speed = 9', 'boar.short_hop_speed: must be below jump_speed'),
    ('boar', 'jump_squat_ticks = 6', 'jump_squat_ticks = 7', 'boar.actions.jump-squat.ticks: must be jump_squat_ticks'),
    ('vale', 'hurts = [[-2, 5, 2, 5, 5], ', 'hurts = [[-2, 5, 2, 5, 0], ', 'vale.hurts[0][4]: a radius must be above 0'),
    ('vale', 'hurts = [[-2, 5, 2, 5, 5], ', 'hurts = [', 'vale.hurts: must be a list of 3'),
    ('vale.shot', 'tick = 14', 'tick = 39', 'vale.shot.tick: must lie in 1 to 38'),
    ('wisp.shot', 'life_ticks = 100', 'life_ticks = 600', 'ok'),
    ('wisp.shot', 'gravity = 0.12', 'gravity = 1.2', 'wisp.shot.life_ticks: it would fall faster'),
    ('vale.actions', 'idle           = {}\n', '', 'vale.actions.idle: is missing'),
    ('vale.actions', 'idle           = {}\n', 'idle           = {}\nidle           = {}\n', 'Cannot overwrite a value'),
    ('vale.actions', 'idle           = {}\n', 'idle           = {}\nloiter         = {}\n', 'vale.actions.loiter: is no key'),
    ('vale.actions', 'idle           = {}', 'idle           = { ticks = 4 }', 'vale.actions.idle.ticks: something else ends this action'),
    ('vale.actions', 'dash           = { ticks = 14 }', 'dash           = {}', 'vale.actions.dash.ticks: is missing'),
    ('vale.actions', 'jab            = { ticks = 18, free = 15 }', 'jab            = { ticks = 18, free = 19 }',
     'vale.actions.jab.free: must lie in 2 to 18'),
    ('vale.actions', 'jab            = { ticks = 18, free = 15 }', 'jab            = { ticks = 18, free = 10 }',
     'vale.strikes.jab[1].ticks: strikes in a tick from which the pad is free'),
    ('vale.actions', 'jab            = { ticks = 18, free = 15 }', 'jab            = { ticks = 18, land = 3 }',
     'vale.actions.jab.land: only an action in the air'),
    ('vale.actions', 'guard = [3, 17]', 'guard = [17, 3]', 'vale.actions.spot-dodge.guard[1]: must lie in 17 to 26'),
    ('vale.actions', 'speed = [-3.4, 0]', 'speed = [3.4, 0]', 'vale.actions.roll-back.speed: a roll goes the way'),
    ('vale.actions', 'move = [3, 16], speed = [4, 0]', 'speed = [4, 0]', 'vale.actions.dash-attack.speed: is no key'),
    ('vale.actions', 'land = 12, move = [2, 12], speed = [4.5, 0]', 'land = 12', 'vale.actions.air-dodge.move: is missing'),
    ('vale.actions', 'move = [3, 16], speed = [4, 0]', 'move = [3, 16]', 'vale.actions.dash-attack.speed: is missing'),
    ('vale.strikes', 'jab = [\n    { part = 1, ticks = [3, 4]', 'jab = [\n    { part = 1, ticks = [4, 3]', 'vale.strikes.jab[0].ticks[1]: must lie'),
    ('vale.strikes', '{ part = 2, ticks = [8, 10], capsule = [8, 18', '{ part = 3, ticks = [8, 10], capsule = [8, 18',
     'vale.strikes.jab[1].part: must lie in 1 to 2'),
    ('vale.strikes', '{ ticks = [7, 11], capsule = [-8', '{ ticks = [4, 11], capsule = [-8',
     'vale.strikes.tilt-up[1].ticks: strikes must be in the order'),
    ('vale.strikes', 'angle = 72', 'angle = 362', 'vale.strikes.jab[0].angle: must lie in 0 to 361'),
    ('vale.strikes', 'damage = 3,', 'damage = -3,', 'vale.strikes.jab[0].damage: must lie in 0 to 50'),
    ('vale.strikes', 'damage = 3,', 'harm = 3,', 'vale.strikes.jab[0].damage: is missing'),
    ('vale.strikes', '5], grab = true', '5], grab = 1', 'vale.strikes.grab[0].grab: must be true or false'),
    ('vale.strikes', '5], grab = true', '5], damage = 1, angle = 1, base = 1, growth = 1', 'vale.strikes.grab[0].grab: the action grab'),
    ('vale.strikes', 'throw-up = [{ ticks = [10, 10]', 'throw-up = [{ ticks = [10, 11]', 'vale.strikes.throw-up: a throw has one strike'),
    ('vale.strikes', 'recovery = [', 'wave = []\nrecovery = [', 'vale.strikes.wave: is no key'),
    ('terrace', 'ledges = [[-150, 0, -1]', 'ledges = [[-149, 0, -1]', 'terrace.ledges[0]: no floor ends there on its left'),
    ('terrace', 'ledges = [[-150, 0, -1]', 'ledges = [[-150, 0, 1]', 'terrace.ledges[0]: no floor ends there on its right'),
    ('terrace', 'ledges = [[-150, 0, -1]', 'ledges = [[-150, 0, 0]', 'terrace.ledges[0][2]: a side is -1 or 1'),
    ('terrace', '{ kind = "floor", x = [-150, 150], y = 0 }', '{ kind = "floor", x = [150, -150], y = 0 }', 'terrace.surfaces[0].x: must rise'),
    ('terrace', '{ kind = "floor", x = [-150, 150], y = 0 }', '{ kind = "ramp", x = [-150, 150], y = 0 }',
     'terrace.surfaces[0].kind: must be one of'),
    ('terrace', '{ kind = "floor", x = [-150, 150], y = 0 }', '{ kind = "floor", x = [-150, 150], y = [0, 1] }',
     'terrace.surfaces[0].y: must be a number'),
    ('terrace', '{ kind = "floor", x = [-150, 150], y = 0 }', '{ kind = "floor", x = [-350, 150], y = 0 }', 'terrace.ledges[0]: no floor'),
    ('terrace', '{ kind = "platform", x = [-36, 36]', '{ kind = "platform", x = [-36, 336]', 'terrace.surfaces[6]: lies past a blast zone'),
    ('terrace', 'spawn = [-110, 110, 0]', 'spawn = [-110, 160, 0]', 'terrace.spawn: no floor carries'),
    ('terrace', 'spawn = [-110, 110, 0]', 'spawn = [-110, 110, 1]', 'terrace.spawn: no floor carries'),
    ('terrace', 'blast = [-300, 300, 228, -220]', 'blast = [-600, 300, 228, -220]', 'terrace.blast: must lie in -512 to 512'),
    ('terrace', 'blast = [-300, 300, 228, -220]', 'blast = [300, -300, 228, -220]', 'terrace.blast: must be left'),
    ('terrace', 'respawn = [0, 140]', 'respawn = [0, 250]', 'terrace.respawn: lies past'),
    ('terrace', 'respawn = [0, 140]', 'respawn = [200, 140]', 'terrace.respawn: nothing is below'),
]

spec = importlib.util.spec_from_file_location('fighter_tables', SCRIPT)
fighter_tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fighter_tables)


def in_section(section, old, new):
    """The data with one line of one section changed."""
    start = re.search(rf'^\[{re.escape(section)}\]$', DATA, re.M).end()
    at = DATA.index(old, start)
    return DATA[:at] + new + DATA[at + len(old):]


class FighterTables(unittest.TestCase):
    def run_script(self, data=DATA, table=TABLE, check=True):
        with tempfile.TemporaryDirectory() as folder:
            places = Path(folder) / 'fighter_data.toml', Path(folder) / 'fighter_data_table.c'
            for place, text in zip(places, (data, table)):
                place.write_text(text, encoding='utf-8')
            flags = ['--check'] if check else []
            done = subprocess.run([sys.executable, SCRIPT, *flags, '--data', places[0], '--table', places[1]],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stderr.splitlines(), places[1].read_text(encoding='utf-8')

    def test_committed_agrees(self):
        self.assertEqual(self.run_script(), (0, [], TABLE))

    def test_writes_what_is_committed(self):
        self.assertEqual(self.run_script(table='', check=False), (0, [], TABLE))

    # Goal: one number changed on either side is one line; a table cut short is noticed as well.
    def test_changed_table(self):
        changed = TABLE.replace('.weight = 100,', '.weight = 101,')
        number = TABLE[:TABLE.index('.weight = 100,')].count('\n') + 1
        line = f'fighter_tables.py: fighter_data_table.c:{number}: is `.weight = 101,`, the data say `.weight = 100,`'
        self.assertEqual(self.run_script(table=changed), (1, [line], changed))
        status, lines, _ = self.run_script(table=TABLE[:-4])
        self.assertEqual((status, len(lines)), (1, 2))

    def test_changed_data(self):
        status, lines, _ = self.run_script(data=in_section('boar', 'walk_speed = 2.6', 'walk_speed = 2.7'))
        self.assertEqual((status, len(lines)), (1, 1))
        self.assertIn('.walk_speed = 170394,', lines[0])
        self.assertIn('.walk_speed = 176947,', lines[0])

    # Goal: the nearest 1/65536, halves away from zero on both sides, and no machine number in between.
    def test_rounding(self):
        for text, raw in (('0.0000076', 0), ('0.00000762939453125', 1), ('0.1', 6554), ('0.49999237060546875', 32768)):
            sign_free = self.run_script(data=in_section('vale.shot', 'gravity = 0', f'gravity = {text}'), check=False)[2]
            self.assertIn(f', 458752, 0, {raw}, 40,', sign_free, text)
            mirrored = self.run_script(data=in_section('vale.shot', 'place = [14, 18]', f'place = [-{text}, 18]'), check=False)[2]
            self.assertIn(f'.shot = {{ 14, {-raw}, 1179648,', mirrored, text)

    # Goal: the script says so in one line, whatever is wrong.
    def test_complaint(self):
        status, lines, _ = self.run_script(data=in_section('vale', 'weight = 100', 'weight = 0'), check=False)
        self.assertEqual((status, lines), (1, ['fighter_tables.py: fighter_data.toml: vale.weight: must lie in 1 to 400, is 0']))

    def test_faults(self):
        actions = fighter_tables.read_headers()
        for section, old, new, complaint in FAULTS:
            with self.subTest(section=section, new=new):
                try:
                    fighter_tables.read_data(in_section(section, old, new), actions)
                    found = 'ok'
                except (fighter_tables.Fault, fighter_tables.tomllib.TOMLDecodeError) as fault:
                    found = str(fault)
                self.assertTrue(found.startswith(complaint), f'{found!r} instead of {complaint!r}')


if __name__ == '__main__':
    unittest.main()
