"""Tests of scripts/measure: each check is given what it must refuse. A checker that never caught anything is none.

usage: test_measure.py PROGRAMS    the folder with tickproof and tickproofd
"""
import copy
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

# The path above comes first.
import measure_hold    # noqa: E402
import measure_hostile  # noqa: E402
import measure_kill    # noqa: E402
import measure_lib     # noqa: E402
import measure_stall   # noqa: E402
import measure_wire    # noqa: E402

PROGRAMS = None


def room(**changes):
    return {"source": "live", "verdict": "verified", "message": "", "ticks": 36000, "held_hz": 60.0, "seconds": 600.0, "dropped_ticks": 0,
            "hitches": 0, "late_ticks": 0, "lateness_max_us": 900.0, "live": {"wrong_slot": 1, "wrong_epoch": 0, "bad_input": 0, "early": 0}} | changes


def client(**changes):
    return {"event": "result", "room": "duel", "client": 0, "verdict": "agreed", "end": "asked", "text": "", "confirmed": 100} | changes


class Hold(unittest.TestCase):
    def test_a_rate_that_is_held(self):
        self.assertEqual(measure_hold.check({"a": room(held_hz=60.0059)}, {"a": 59.9995}, 600), [])

    def test_a_doctored_result(self):
        for wrong in (room(held_hz=60.0061), room(held_hz=59.99), room(dropped_ticks=1), room(ticks=1000)):
            self.assertEqual(len(measure_hold.check({"a": wrong}, {}, 600)), 1, wrong)

    def test_a_client_whose_clock_disagrees(self):
        self.assertEqual(len(measure_hold.check({"a": room()}, {"a": 60.02}, 600)), 1)

    def test_rates_from_lines(self):
        lines = [(10 + tick / 50, {"event": "confirmed", "room": "a", "tick": tick}) for tick in range(0, 500, 50)]
        self.assertAlmostEqual(measure_hold.client_rates(lines)["a"], 50)


class Stall(unittest.TestCase):
    # A second of standing still in six: five run late, 55 dropped, the others on time.
    GOOD = room(ticks=305, held_hz=304 / (359 / 60), seconds=359 / 60, hitches=1, late_ticks=5, dropped_ticks=55, lateness_max_us=990000.0)

    def test_a_stall(self):
        self.assertEqual(measure_stall.check_counts("a", self.GOOD, 55) + measure_stall.check_clock("a", self.GOOD, 1.0), [])

    def test_counts_that_cannot_be(self):
        for change, reported in (({}, 54), ({"hitches": 0}, 55), ({"late_ticks": 4}, 55), ({"held_hz": 40.0}, 55), ({"dropped_ticks": 40}, 40)):
            self.assertGreater(len(measure_stall.check_counts("a", self.GOOD | change, reported)), 0, change)

    def test_another_number_of_ticks(self):
        for change in ({"dropped_ticks": 57}, {"dropped_ticks": 53}, {"late_ticks": 6}, {"hitches": 2}):
            self.assertEqual(len(measure_stall.check_clock("a", self.GOOD | change, 1.0)), 1, change)


class Hostile(unittest.TestCase):
    def outcome(self, **changes):
        rooms = {"duel": room()}
        reports = {"duel": {"verdict": "verified", "message": "", "checked": 36000, "recorded": 36000}}
        bots = [client(client=number) for number in range(measure_hostile.CLIENTS * len(measure_hostile.LIVE_NAMES))]
        ended = {reason: 1 for reason in measure_hostile.REASONS_NAMED}
        values = {"rooms": rooms, "bots": bots, "reports": reports, "ended": ended, "memory_kib": 10000}
        return measure_hostile.Outcome(**copy.deepcopy(values | changes))

    def complaints(self, **changes):
        return measure_hostile.check(self.outcome(**changes), True, 9000)

    def test_as_promised(self):
        self.assertEqual(self.complaints(), [])
        self.assertEqual(measure_hostile.check(self.outcome(ended={}), False, 0), [])

    def test_what_it_must_refuse(self):
        bad = {"verdict": "corrupt", "message": "x", "checked": 1, "recorded": 1}
        short = {"verdict": "verified", "message": "", "checked": 35999, "recorded": 35999}
        bots = self.outcome().bots
        for change in ({"rooms": {"duel": room(dropped_ticks=3)}}, {"rooms": {"duel": room(verdict="incomplete")}}, {"reports": {}},
                       {"reports": {"duel": bad}}, {"reports": {"duel": short}}, {"bots": bots[1:]}, {"bots": [client(verdict="desync"), *bots[1:]]},
                       {"bots": [client(end="flood"), *bots[1:]]}, {"ended": {"malformed": 5}}, {"memory_kib": 10**6}, {"silenced": ["lobby"]},
                       {"rooms": {"duel": room(live={"wrong_slot": 0, "wrong_epoch": 0, "bad_input": 0, "early": 0})}}):
            self.assertGreater(len(self.complaints(**change)), 0, change)
        self.assertEqual(len(measure_hostile.check(self.outcome(), False, 0)), 1, "a quiet run in which connections were ended")

    def test_counting_what_the_server_says(self):
        events = [{"message": "malformed 3, silent 2"}, {"message": "silent 1"}]
        self.assertEqual(measure_hostile.count_ends(events), {"malformed": 3, "silent": 3})


class Kill(unittest.TestCase):
    """One real server that is killed; then its log is spoiled."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        work = pathlib.Path(cls.folder.name)
        cls.name = measure_kill.NAMES[0]
        for attempt in range(20):  # until two runs are in the log: on a machine that is busy that may take a while
            reports, seen = measure_kill.kill_once(PROGRAMS, work / str(attempt), "interval", 2.5 + attempt)
            cls.log = work / str(attempt) / "own" / f"{cls.name}.tpr"
            cls.seen, cls.report = seen[cls.name], reports.get(cls.name)
            if cls.seen.durable >= 120:
                return
        raise AssertionError("the killed servers had nothing durable")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complaints(self, data, seen=None):
        """What is wrong with the log when it has these bytes."""
        spoiled = pathlib.Path(self.folder.name) / "spoiled" / self.log.name
        spoiled.parent.mkdir(exist_ok=True)
        spoiled.write_bytes(data)
        report = measure_lib.verify(PROGRAMS, spoiled)[self.name]
        return measure_kill.check(self.name, report, seen or self.seen, "interval")[0]

    def test_the_log_itself_is_fine(self):
        self.assertEqual(self.complaints(self.log.read_bytes()), [])
        self.assertGreater(len(self.seen.roots), 60)

    def test_durable_ticks_cut_off(self):
        data = self.log.read_bytes()
        found = self.complaints(data[:len(data) // 3])
        self.assertTrue(any("durable" in one for one in found), found)

    def test_a_log_that_is_gone(self):
        self.assertEqual(len(measure_kill.check(self.name, None, self.seen, "interval")[0]), 1)

    def test_a_byte_that_is_another(self):
        data = bytearray(self.log.read_bytes())
        data[len(data) // 2] ^= 1
        self.assertTrue(any("corrupt" in one for one in self.complaints(bytes(data))))

    def test_more_lost_than_the_setting_allows(self):
        seen = copy.copy(self.seen)
        seen.confirmed += 1000
        self.assertTrue(any("lost" in one for one in self.complaints(self.log.read_bytes(), seen)))

    def test_another_root_than_clients_saw(self):
        seen = copy.copy(self.seen)
        seen.roots = seen.roots | {self.report["recorded"] - 1: "0" * 32}
        self.assertTrue(any("root" in one for one in self.complaints(self.log.read_bytes(), seen)))


class Wire(unittest.TestCase):
    def test_messages_are_as_the_page_has_them(self):
        self.assertEqual(measure_wire.frame(measure_wire.join("arena", 1, 77)).hex(" "),
                         "1d 00 03 00 ff ff ff ff 00 00 00 00 00 00 00 00 00 00 00 00 4d 00 00 00 01 05 61 72 65 6e 61")
        self.assertEqual(measure_wire.frame(measure_wire.list_rooms()).hex(" "),
                         "16 00 02 00 ff ff ff ff 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
        self.assertEqual(measure_wire.frame(measure_wire.leave({"room": 0, "epoch": 3})).hex(" "),
                         "12 00 04 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00")
        self.assertEqual(len(measure_wire.hello()), 18 + 8 + 8)
        self.assertEqual(measure_wire.inputs({"room": 0, "epoch": 3}, 1, 1002, 2, 3).hex(" "),
                         "05 00 00 00 00 00 03 00 00 00 ea 03 00 00 00 00 00 00 01 02 03 00 00 00 00 00 00")


class Numbers(unittest.TestCase):
    def test_lines_that_a_killed_program_left(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "lines"
            path.write_text('{"a": 1}\nnot json\n{"a": 2}\n{"a": ')
            self.assertEqual(measure_lib.json_lines(path), [{"a": 1}, {"a": 2}])

    def test_a_room_nobody_came_to(self):
        report = {"verdict": "incomplete", "message": "no tick", "checked": 0, "recorded": 0}
        self.assertEqual(measure_lib.check_logs({"a": report}, {"a": room(ticks=0)}), [])
        self.assertEqual(len(measure_lib.check_logs({"a": report}, {"a": room(ticks=5)})), 1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAMS = measure_lib.Programs(pathlib.Path(sys.argv.pop(1)))
    if shutil.which(PROGRAMS.tickproofd) is None:
        sys.exit(f"test_measure: no tickproofd in {sys.argv[0]}")
    unittest.main()
