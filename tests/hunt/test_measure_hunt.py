"""What `scripts/measure hunt` holds against its table: an answer that is off in one thing is complained about, and a right one is not."""
import pathlib
import sys
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import measure_hunt  # noqa: E402
from measure_hunt_cases import CASES, CHORE_TICK, Case, chores  # noqa: E402

CASE = Case("clock", "CLOCK", axes=("clock",), others=("tz",), cause="clock")


def finding(**changes):
    return {"aspect": "clock=+86400", "verdict": "diverged", "tick": CASE.tick, "field": CASE.place, "cause": "clock", "message": "it differs", **changes}


def answer(*findings, code=1):
    return types.SimpleNamespace(code=code, findings=list(findings), flipped=[line for line in findings if line["verdict"] != "verified"], skipped={},
                                 why=lambda: "because")


def complaints(*findings):
    said = answer(*findings)
    wrong = [line for each in said.flipped for line in measure_hunt.check_finding(CASE, each)]
    return wrong + measure_hunt.check_axes(CASE, said, False) + measure_hunt.check_place(CASE, said)


class Table(unittest.TestCase):
    def test_every_chore_is_looked_for_and_has_a_place_of_its_own(self):
        looked_for = {case.chore for case in CASES}
        self.assertEqual(looked_for, set(chores()) - {"NONE", "COUNT"})
        self.assertEqual(CASE.tick, CHORE_TICK + chores()["CLOCK"])
        self.assertEqual(len({case.name for case in CASES}), len(CASES))


class Answers(unittest.TestCase):
    def test_a_right_answer_is_fine(self):
        self.assertEqual(complaints(finding()), [])
        self.assertEqual(complaints(finding(), finding(aspect="tz=UTC")), [])

    def test_another_tick_field_or_cause_is_not(self):
        for change in ({"tick": CASE.tick + 1}, {"field": "carts[0].load"}, {"cause": "locale"}, {"verdict": "internal"}):
            self.assertEqual(len(complaints(finding(**change))), 1, change)

    def test_an_axis_that_is_missing_or_too_many_is_not(self):
        self.assertTrue(any("does not flip" in line for line in complaints(finding(aspect="tz=UTC"))))
        self.assertTrue(any("should not" in line for line in complaints(finding(), finding(aspect="heap=0xA5"))))

    def test_nothing_found_is_not(self):
        self.assertTrue(complaints(finding(verdict="verified")))
        no_field = finding()
        del no_field["field"]
        self.assertEqual(complaints(no_field), ["no field is named"])


class Control(unittest.TestCase):
    def test_a_flip_is_a_false_alarm(self):
        self.assertEqual(len(measure_hunt.count_false_alarms("runner", answer(finding()))), 1)

    def test_nothing_tried_and_a_failed_command_are_not_good(self):
        self.assertTrue(measure_hunt.count_false_alarms("runner", answer(code=0)))
        self.assertTrue(measure_hunt.count_false_alarms("runner", answer(finding(verdict="verified"), code=70)))
        self.assertEqual(measure_hunt.count_false_alarms("runner", answer(finding(verdict="verified"), code=0)), [])


if __name__ == "__main__":
    unittest.main()
