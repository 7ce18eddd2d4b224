"""Tests of scripts/measure: each check is given what it must refuse. A checker that never caught anything is none.

usage: test_measure.py PROGRAMS    the folder with tickproof and tickproofd
"""
import contextlib
import copy
import io
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

# The path above comes first.
import measure_abuse   # noqa: E402
import measure_desync  # noqa: E402
import measure_hold    # noqa: E402
import measure_hostile  # noqa: E402
import measure_kill    # noqa: E402
import measure_latejoin  # noqa: E402
import measure_lib     # noqa: E402
import measure_stall   # noqa: E402
import measure_wire    # noqa: E402

PROGRAMS = None


def room(**changes):
    return {"source": "live", "verdict": "verified", "message": "", "ticks": 36000, "held_hz": 60.0, "seconds": 600.0, "dropped_ticks": 0,
            "hitches": 0, "late_ticks": 0, "lateness_max_us": 900.0,
            "live": {"wrong_slot": 1, "wrong_epoch": 0, "bad_input": 0, "early": 0, "desyncs": 1, "reports": 9}} | changes


def client(**changes):
    return {"event": "result", "room": "duel", "client": 0, "verdict": "agreed", "end": "asked", "text": "", "confirmed": 100,
            "world": "runner", "slots": [1], "rejoins": 2, "desyncs": 0} | changes


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
        bots = [client(client=number) for number in range(measure_hostile.MEMBERSHIPS)]
        ended = {reason: 1 for reason in [*measure_hostile.REASONS_NAMED, "crowded"]}
        values = {"rooms": rooms, "bots": bots, "reports": reports, "ended": ended, "memory_kib": 10000, "abuse": {"told": {}, "bytes": 1000},
                  "cpu_seconds": 2.0}
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
                       {"bots": [client(end="flood"), *bots[1:]]}, {"ended": {"malformed": 5}},
                       {"ended": self.outcome().ended | {"crowded": 0}}, {"memory_kib": 10**6}, {"silenced": ["lobby"]},
                       {"rooms": {"duel": room(live=room()["live"] | {"wrong_slot": 0})}},
                       {"rooms": {"duel": room(live=room()["live"] | {"desyncs": 0})}},
                       {"abuse": {"told": {"let in with a forged token": 1}, "bytes": 9}}, {"administered": [{"room": "duel", "message": "pause"}]}):
            self.assertGreater(len(self.complaints(**change)), 0, change)
        self.assertEqual(len(measure_hostile.check(self.outcome(), False, 0)), 1, "a quiet run in which connections were ended")

    def test_lateness_of_both_kinds(self):
        quiet, hostile, worse = ([self.outcome(rooms={"duel": room(lateness_p99_us=value)})] for value in (1000, 1490, 1510))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(measure_hostile.check_lateness(quiet, hostile, "quiet"), [])
            self.assertEqual(len(measure_hostile.check_lateness(quiet, worse, "quiet")), 1)

    def test_cpu_of_hostile_bytes(self):
        quiet, hostile = self.outcome(rooms={"duel": room(seconds=10)}), self.outcome(rooms={"duel": room(seconds=20)}, cpu_seconds=7.0)
        seconds, sent = measure_hostile.cpu_per_byte([quiet], [hostile])
        self.assertAlmostEqual(seconds, 3.0)
        self.assertEqual(sent, 1000)

    def test_datagrams_of_the_abuse_are_of_all_kinds(self):
        draw = random.Random(1)
        kinds = {measure_abuse.datagrams(draw, [b"abc"])[0] for _ in range(500)}
        self.assertTrue({1, 3, 4, 5} <= kinds, kinds)

    def test_counting_what_the_server_says(self):
        events = [{"message": "malformed 3, silent 2"}, {"message": "silent 1"}]
        self.assertEqual(measure_hostile.count_ends(events), {"malformed": 3, "silent": 3})


class KillWatch(unittest.TestCase):
    """What is said of one room, line by line."""

    def watch(self):
        watch = measure_kill.Watch(measure_kill.Plan(0))  # durability interval: a stretch is 60 ticks
        for tick in range(300):
            self.confirm(watch, tick)
        return watch

    @staticmethod
    def confirm(watch, tick, root=None, number=0):
        watch.take_line({"event": "confirmed", "client": number, "tick": tick, "last_durable": 119 if tick > 150 else None,
                         "root": root or f"{tick:032x}"})

    @staticmethod
    def recovered(watch, tick, **changes):
        return {"event": "room.recovered", "room": watch.name, "tick": tick, "cut_bytes": 0, "message": "own/x.tpr"} | changes

    def test_a_room_that_goes_on(self):
        watch = self.watch()
        watch.take_line({"event": "joined", "client": 0, "slots": [2], "tick": 5})
        watch.take_line({"event": "away", "client": 0})
        watch.take_events([self.recovered(watch, 240), {"event": "room.open", "room": watch.name}])
        watch.take_line({"event": "joined", "client": 0, "slots": [2], "tick": 240})
        self.confirm(watch, 240, "another one, since it was taken back")
        self.assertEqual((watch.complaints, watch.losses, watch.recoveries, watch.is_in), ([], [60], 1, {0: True}))

    def test_what_must_not_be(self):
        opened = {"event": "room.open", "room": "runner-0"}
        for events in ([self.recovered(self.watch(), 119)], [opened], [self.recovered(self.watch(), 240, cut_bytes=None), opened],
                       [self.recovered(self.watch(), 240), {"event": "room.desync", "room": "runner-0"}],
                       [self.recovered(self.watch(), 240), {"event": "room.fault", "room": "runner-0"}]):
            watch = self.watch()
            watch.take_events(events)
            self.assertEqual(len(watch.complaints), 1, events)

    def test_more_lost_than_the_recorder_may_hold(self):
        watch = self.watch()
        for tick in range(300, 480):
            self.confirm(watch, tick)
        watch.take_events([self.recovered(watch, 239)])
        self.assertEqual(len(watch.complaints), 1)

    def test_going_on_before_where_it_went_on(self):
        watch = self.watch()
        watch.take_events([self.recovered(watch, 240)])
        watch.take_events([self.recovered(watch, 180)])
        self.assertEqual(len(watch.complaints), 1)

    def test_roots_and_slots(self):
        watch = self.watch()
        self.confirm(watch, 7, "f" * 32, number=1)
        watch.take_line({"event": "joined", "client": 0, "slots": [1], "tick": 3})
        watch.take_line({"event": "joined", "client": 0, "slots": [2], "tick": 3})
        watch.take_line({"event": "desync", "client": 0, "tick": 8})
        self.assertEqual(len(watch.complaints), 3)

    def test_another_slot_after_a_kill(self):
        for since, complaints in (5, 1), (238, 1), (239, 0), (300, 0):
            watch = self.watch()
            watch.take_line({"event": "joined", "client": 0, "slots": [1], "tick": since})
            watch.take_events([self.recovered(watch, 240)])
            watch.take_line({"event": "joined", "client": 0, "slots": [0], "tick": 240})
            self.assertEqual(len(watch.complaints), complaints, since)

    def test_what_memberships_came_to(self):
        watch = self.watch()
        watches = {"duel": watch}
        self.assertEqual(measure_kill.read_results(watches, [client()], 1), [])
        watch.recoveries = 1
        for wrong in (client(verdict="desync"), client(end="token"), client(rejoins=0)):
            self.assertEqual(len(measure_kill.read_results(watches, [wrong], 1)), 1, wrong)
        self.assertEqual(len(measure_kill.read_results(watches, [], 1)), 1)


class Kill(unittest.TestCase):
    """A real server that is killed twice; then its logs are spoiled."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        cls.play = measure_kill.Play(PROGRAMS, cls.work, measure_kill.make_plans(2))
        try:
            measure_kill.kill_all(cls.play, [2, 4])
        finally:
            cls.play.finish()
        cls.watches = list(cls.play.watches.values())
        cls.name = cls.watches[0].name
        cls.logs = sorted(cls.play.record.glob("*.tpr"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complaints(self, change, watch=None):
        """What is wrong with the first room's log when change(bytes) has made others of it; None: it is gone."""
        record = self.work / "spoiled"
        shutil.rmtree(record, ignore_errors=True)
        record.mkdir()
        for log in self.logs:
            data = change(log.read_bytes()) if log.name.startswith(self.name) else log.read_bytes()
            if data is not None:
                (record / log.name).write_bytes(data)
        return measure_kill.check_logs(PROGRAMS, record, [watch or self.watches[0], *self.watches[1:]])

    def test_the_logs_themselves_are_fine(self):
        self.assertEqual(self.complaints(lambda data: data), [])
        self.assertEqual([complaint for watch in self.watches for complaint in watch.complaints], [])
        self.assertGreater(len(self.watches[0].roots), 60)
        self.assertTrue(all(watch.recoveries == 2 for watch in self.watches))

    def test_ticks_cut_off(self):
        found = self.complaints(lambda data: data[:len(data) // 3])
        self.assertTrue(any("are not in the log" in one for one in found), found)
        self.assertTrue(any("truncated" in one for one in found), found)

    def test_a_log_that_is_gone(self):
        self.assertEqual(self.complaints(lambda data: None), [f"{self.name}: it left no log"])

    def test_a_flipped_bit(self):
        def flip(data):
            at = len(data) // 2
            return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]

        self.assertGreater(len(self.complaints(flip)), 0)

    def test_a_root_that_clients_saw_otherwise(self):
        watch = copy.copy(self.watches[0])
        watch.roots = watch.roots | {min(watch.roots): "0" * 32}
        found = self.complaints(lambda data: data, watch)
        self.assertTrue(any("other roots" in one for one in found), found)

    def test_more_confirmed_than_the_log_has(self):
        watch = copy.copy(self.watches[0])
        watch.confirmed += 10**6
        self.assertEqual(len(self.complaints(lambda data: data, watch)), 1)

    def test_epochs(self):
        watch = self.watches[0]
        def found(*files):
            return measure_kill.check_epochs(watch, [{"provenance": {"epoch": base} if base else {}, "resumes": [{"epoch": epoch} for epoch in epochs]}
                                                     for base, epochs in files])

        self.assertEqual(found((0, [1, 2])) + found((0, [1]), ("1", [1, 2])), [])
        for wrong in ([(0, [1])], [(0, [1, 3])], [(0, [2, 3])], [(0, [1, 2, 2])], [(0, [1]), (0, [1, 2])], [(0, [1]), ("2", [1, 2])]):
            self.assertEqual(len(found(*wrong)), 1, wrong)


class KillAndCut(unittest.TestCase):
    def test_a_log_that_is_cut_while_no_server_runs(self):
        """What was durable is gone when the next server looks: a disk that lied."""
        with tempfile.TemporaryDirectory() as folder:
            play = measure_kill.Play(PROGRAMS, pathlib.Path(folder), measure_kill.make_plans(1))
            try:
                with play.start(0) as server:
                    play.begin(server)
                    play.kill(server, True)
                log, watch = play.record / "runner-0.tpr", play.watches["runner-0"]
                log.write_bytes(log.read_bytes()[:log.stat().st_size // 3])
                with play.start(1) as server:
                    self.assertTrue(server.wait_for("room.open", 1, measure_lib.START_SECONDS))
                    play.kill(server, False)
            finally:
                play.finish()
            self.assertTrue(any("durable" in complaint or "opened without its log" in complaint for complaint in watch.complaints), watch.complaints)


class LateJoin(unittest.TestCase):
    TICKS = 5

    def joiner(self, ticks=range(40, 45), **changes):
        lines = [{"event": "joined", "tick": 40}, *[{"event": "confirmed", "tick": tick} for tick in ticks], client(**changes)]
        return measure_latejoin.Joiner([(0.0, line) for line in lines])

    def test_a_late_join(self):
        self.assertEqual(measure_latejoin.check_joiner(3, self.joiner(), self.TICKS), [])

    def test_what_it_must_refuse(self):
        for joiner in (self.joiner(verdict="desync"), self.joiner(end="behind"), self.joiner(range(41, 46)), self.joiner([40, 41, 43, 44, 45]),
                       self.joiner(range(40, 44)), self.joiner([]), measure_latejoin.Joiner([])):
            self.assertEqual(len(measure_latejoin.check_joiner(3, joiner, self.TICKS)), 1, joiner.ticks)

    def test_a_world_at_rest_shows_nothing(self):
        self.assertEqual(measure_latejoin.check_drafts({tick: int(tick != 5) for tick in range(10)}), [])
        self.assertEqual(len(measure_latejoin.check_drafts({tick: tick % 2 for tick in range(10)})), 1)
        self.assertEqual(len(measure_latejoin.check_drafts({})), 1)

    def test_ticks_dropped(self):
        self.assertEqual(measure_latejoin.check_dropped({"a": room()}), [])
        self.assertEqual(len(measure_latejoin.check_dropped({"a": room(dropped_ticks=1), "b": room()})), 1)


class Desync(unittest.TestCase):
    TICK = 100
    DIFF = {"tick": TICK, "room": "runner-resync", "policy": "resync", "world": "runner", "differing_fields": 1, "has_states": True, "slot": 1,
            "says_otherwise": False, "section": "game", "field": "game.run", "server_value": "1", "client_value": "3", "resimulation": {"agrees": "server"}}

    def plant(self, policy="resync", diff=None, planted=None, honest=None, **changes):
        plant = measure_desync.Plant("runner", policy, 0)
        plant.diff_code, plant.diff = 1, self.DIFF | {"room": plant.room, "policy": policy} | (diff or {})
        plant.path, plant.tick, plant.seen_at, plant.bundle_at = pathlib.Path("x"), self.TICK, 10.0, 10.2
        plant.confirmed_after, plant.is_resumed = 100, True
        plant.events = [{"event": "room.desync", "tick": self.TICK}, {"event": "room.paused"}]
        plant.results = {"planted": client(verdict="desync", desyncs=1) | (planted or {}), "honest": client() | (honest or {})}
        plant.__dict__.update(changes)
        return plant

    def test_as_promised(self):
        for policy in measure_desync.POLICIES:
            plant = self.plant(policy, planted={"end": "desync"} if policy == "kick" else None)
            self.assertEqual(measure_desync.check_plant(plant, self.TICK), [], policy)

    def test_what_it_must_refuse(self):
        for change in ({"path": None}, {"diff_code": 0}, {"diff": {"tick": 101}}, {"diff": {"differing_fields": 2}}, {"diff": {"section": None}},
                       {"diff": {"field": "player.run"}}, {"diff": {"client_value": "1"}}, {"diff": {"resimulation": {"agrees": "client"}}},
                       {"diff": {"slot": 0}}, {"diff": {"says_otherwise": True}}, {"tick": 99}, {"bundle_at": 11.1}, {"events": []},
                       {"planted": {"verdict": "agreed"}}, {"planted": {"end": "lost"}}, {"planted": {"desyncs": 2}}, {"confirmed_after": 3},
                       {"honest": {"verdict": "desync"}}):
            self.assertEqual(len(measure_desync.check_plant(self.plant(**change), self.TICK)), 1, change)
        self.assertEqual(len(measure_desync.check_plant(self.plant("kick"), self.TICK)), 1, "it is still in")
        self.assertEqual(len(measure_desync.check_plant(self.plant("halt", is_resumed=False), self.TICK)), 1)
        self.assertEqual(measure_desync.check_plant(self.plant(bundle_at=11.1), self.TICK, is_timed=False), [])

    def control(self, events=(), ticks=1000, live=None, **changes):
        count = measure_desync.control_rooms() * 2 * measure_desync.CONTROL_CLIENTS
        rooms = {"a": room(live=room()["live"] | {"desyncs": 0} | (live or {}))}
        return measure_desync.check_control(rooms, [client(**changes) for _ in range(count)], list(events), ticks)

    def test_a_control_run(self):
        self.assertEqual(self.control(), [])
        for wrong in (self.control([{"room": "a", "tick": 3, "message": "x"}]), self.control(ticks=10**6), self.control(live={"desyncs": 1}),
                      self.control(live={"reports": 0}), self.control(verdict="desync")):
            self.assertGreater(len(wrong), 0)


class Wire(unittest.TestCase):
    JOINED = {"room": 0, "epoch": 3}

    @staticmethod
    def page():
        """The bytes of each message on the protocol's page, without its frame, by name."""
        text = (pathlib.Path(__file__).resolve().parents[2] / "src/net/README.md").read_text(encoding="utf-8")
        messages, name = {}, None
        for line in text[text.index("## 8. Every message once"):text.index("## 9.")].splitlines():
            if line and line[0].isupper() and line.isupper():
                name = line
            elif line.startswith("  ") and name is not None:
                messages.setdefault(name, []).append(bytes.fromhex(line.split("|")[0]))
        return {name: b"".join(parts)[2:] for name, parts in messages.items()}

    def test_messages_are_as_the_page_has_them(self):
        page, hashed = self.page(), bytes(range(0x10, 0x20))
        self.assertEqual(measure_wire.join("arena", 1, 77), page["JOIN"])
        self.assertEqual(measure_wire.leave(self.JOINED), page["LEAVE"])
        self.assertEqual(measure_wire.ready(self.JOINED, bytes(range(0x40, 0x50))), page["READY"])
        self.assertEqual(measure_wire.report(self.JOINED, 1200, hashed), page["REPORT"])
        self.assertEqual(measure_wire.chat(self.JOINED, "well played"), page["CHAT"])
        self.assertEqual(measure_wire.admin(0, measure_wire.SPEED, "sesame", 78, value=500), page["ADMIN"])
        self.assertEqual(measure_wire.ping(0x0807060504030201), page["PING"])
        own = measure_wire.own_state(self.JOINED, 1200, 4, 17)
        self.assertEqual(own[:26], page["OWN_STATE"][:26])
        self.assertEqual(own[58:59], b"\x07")  # what the build is, is not compared
        self.assertEqual(measure_wire.hello()[:26], page["HELLO"][:26])
        self.assertEqual(measure_wire.frame(measure_wire.ping())[:2], b"\x1a\0")
        self.assertEqual(measure_wire.inputs(self.JOINED, 1, 1002, 2, 3)[:21], page["INPUT"][:21])

    def test_messages_are_read_as_the_page_has_them(self):
        page = self.page()
        joined = measure_wire.parse_joined(page["JOINED"])
        self.assertEqual((joined["room"], joined["epoch"], joined["tick"], joined["cookie"], joined["ahead"], joined["report"], joined["slots"]),
                         (0, 3, 990, 77, 30, 300, [1]))
        self.assertEqual((joined["token"], joined["rules_size"]), (bytes(range(0xA0, 0xB0)), 96))
        state = measure_wire.parse_state(page["STATE"])
        self.assertEqual((state["tick"], state["size"], state["packed_size"], state["root"]), (1000, 4, 17, bytes(range(0x30, 0x40))))
        following, rooms = measure_wire.parse_rooms(page["ROOMS"])
        self.assertEqual(following, 2)
        self.assertEqual([(one["number"], one["name"], one["world"], one["players"], one["is_live"], one["udp_port"]) for one in rooms][1],
                         (1, "match-7", "runner", 4, False, 0))

    def test_a_rules_id(self):
        rules = bytearray(60)
        self.assertIsNone(measure_wire.rules_id_of(bytes(rules)))
        rules[measure_wire.RULES_ALGORITHM] = measure_wire.FNV1A128
        self.assertEqual(len(measure_wire.rules_id_of(bytes(rules))), 16)


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
