"""scripts/machines and tickproof-check: equal machines are found equal, and each way of being wrong is found, with machine and log.

usage: test_machines.py TICKPROOF-CHECK TICKPROOF FOLDER    FOLDER keeps what is built from one run to the next
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

import machines_list
import machines_run
import machines_table

CHECKER, TICKPROOF, KEEP = "", "", ""
GOOD = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "replays/good").glob("*.tpr"))
BAD = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "replays/bad").glob("*.tpr"))


def machines(*arguments, path=None):
    """(exit code, standard output, standard error)"""
    environment = dict(os.environ) | ({"PATH": path} if path is not None else {})
    said = subprocess.run([sys.executable, str(ROOT / "scripts/machines"), "--keep", KEEP, *arguments], capture_output=True, text=True, env=environment,
                          check=False)
    return said.returncode, said.stdout, said.stderr


def check(*arguments):
    said = subprocess.run([CHECKER, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return said.returncode, said.stdout, said.stderr


class Checker(unittest.TestCase):
    def test_every_bundled_log_gets_its_code(self):
        for log in [*GOOD, *BAD]:
            code, out, err = check(log)
            self.assertEqual((code, err), (machines_table.expected_code(log), ""), log)
            answer = machines_run.parse(out.splitlines(), {log}).answers[log]
            self.assertEqual(answer.code, code, log)

    def test_the_worst_wins(self):
        self.assertEqual(check(*GOOD[:2])[0], 0)
        self.assertEqual(check(*GOOD[:2], "replays/bad/first-root-1.tpr", "replays/bad/cut-4.tpr")[0], 1)
        self.assertEqual(check("replays/bad/first-root-1.tpr", "replays/bad/broken-chain-8.tpr")[0], 8)
        self.assertEqual(check(GOOD[0], "replays/good/none.tpr")[0], 2)

    # Goal: what it says is what `tickproof verify` says, tick for tick and word for word.
    def test_it_agrees_with_verify(self):
        said = subprocess.run([TICKPROOF, "verify", "--format", "json", *GOOD, *BAD], cwd=ROOT, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in said.stdout.splitlines()]
        answers = machines_run.parse(check(*GOOD, *BAD)[1].splitlines(), {*GOOD, *BAD}).answers
        compared = 0
        for line in lines:
            log = line.get("path") or line.get("file")
            if log in answers:
                self.assertEqual((line["verdict"], line["checked"]), (answers[log].verdict, answers[log].checked), log)
                compared += 1
        self.assertEqual(compared, len(GOOD) + len(BAD))

    # Goal: the digest knows every tick: a log whose recorded roots are wrong steps to the same bits, one with another input does not.
    def test_the_digest_is_of_what_was_computed(self):
        logs = ["replays/good/runner-scripted.tpr", "replays/bad/middle-root-1.tpr", "replays/bad/input-without-effect-1.tpr"]
        answers = machines_run.parse(check(*logs)[1].splitlines(), set(logs)).answers
        self.assertEqual(answers[logs[0]].digest, answers[logs[1]].digest)
        self.assertEqual(answers[logs[0]].root, answers[logs[2]].root)
        self.assertNotEqual(answers[logs[0]].digest, answers[logs[2]].digest)

    def test_usage(self):
        self.assertEqual(check("--help")[0], 0)
        self.assertIn("Usage: tickproof-check", check("--help")[1])
        for arguments in ((), ("--machine",), ("--frob", GOOD[0]), ("--",)):
            code, out, err = check(*arguments)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), arguments)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_an_answer_that_did_not_arrive_is_none(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            said = subprocess.run([CHECKER, GOOD[0]], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((said.returncode, said.stderr.count("\n")), (70, 1), said.stderr)


class Wrong:
    """A checker that is wrong about some log: a script that changes the real one's lines."""

    def __init__(self, folder, name, edit):
        self.path = pathlib.Path(folder) / name
        self.path.write_text(f"#!/bin/sh\n{CHECKER} \"$@\" | {edit}\n", encoding="utf-8")
        self.path.chmod(0o755)
        self.flag = f"--machine={name}={self.path}"


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.two = ["--only=none", f"--machine=here={CHECKER}", f"--machine=again={CHECKER}"]

    def test_equal_machines(self):
        code, out, err = machines(*self.two)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"2 machines, {len(GOOD) + len(BAD)} logs", out)
        self.assertIn("every root of every tick is equal", out)
        self.assertNotIn("NOT EQUAL", out)

    def refuse(self, wrong, log, *texts):
        code, out, err = machines(*self.two, wrong.flag)
        self.assertEqual(code, 1, err)
        for text in (*texts, f"{wrong.path.name}: {log}: "):
            self.assertIn(text, err)
        self.assertIn("NOT EQUAL: " + pathlib.PurePath(log).stem, out)
        self.assertIn(f"not equal on {wrong.path.name}.", out)
        self.assertNotIn("machines: here:", err)

    def test_one_digest_is_another(self):
        wrong = Wrong(self.folder, "liar", "awk -F'\\t' -v OFS='\\t' '$2 ~ /runner-four/ { $8 = substr($8, 2) \"0\" } { print }'")
        self.refuse(wrong, "replays/good/runner-four.tpr", "digest over all roots")

    def test_one_last_root_is_another(self):
        wrong = Wrong(self.folder, "liar", "awk -F'\\t' -v OFS='\\t' '$2 ~ /realm-two/ { $7 = substr($7, 2) \"0\" } { print }'")
        self.refuse(wrong, "replays/good/realm-two.tpr", "last root")

    def test_a_bad_log_is_taken_for_good(self):
        wrong = Wrong(self.folder, "kind", "awk -F'\\t' -v OFS='\\t' '$2 ~ /leaf-3/ { $3 = \"verified\"; $4 = 0 } { print }'")
        self.refuse(wrong, "replays/bad/leaf-3.tpr", "verified, exit 0, not 3")

    def test_a_machine_stops_in_the_middle(self):
        wrong = Wrong(self.folder, "short", "head -12")
        code, out, err = machines(*self.two, wrong.flag)
        self.assertEqual(code, 1)
        self.assertIn("short: replays/good/runner-small-pool.tpr: no answer", err)
        self.assertIn("machines: short: it ended with", err)
        self.assertIn("not equal on short.", out)

    # Goal: all answers are there and right, but a sanitizer that looks for leaks speaks at the end.
    def test_a_machine_complains_after_its_answers(self):
        wrong = Wrong(self.folder, "leaky", "cat; echo 'ERROR: detected memory leaks' >&2; exit 23")
        code, out, err = machines(*self.two, wrong.flag)
        self.assertEqual((code, err), (1, "machines: leaky: it ended with 23: ERROR: detected memory leaks\n"))
        self.assertIn("not equal on leaky.", out)

    def test_an_interrupt_ends_what_runs(self):
        mark = pathlib.Path(self.folder) / "pid"
        slow = pathlib.Path(self.folder) / "slow"
        slow.write_text(f"#!/bin/sh\necho $$ > {mark}.new && mv {mark}.new {mark}\nexec sleep 600\n", encoding="utf-8")
        slow.chmod(0o755)
        for number in (signal.SIGINT, signal.SIGTERM):
            mark.unlink(missing_ok=True)
            with subprocess.Popen([sys.executable, str(ROOT / "scripts/machines"), "--keep", KEEP, *self.two[:2], f"--machine=slow={slow}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                while not mark.exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err), (130, "machines: interrupted\n"))
            self.assertRaises(ProcessLookupError, os.killpg, int(mark.read_text(encoding="utf-8")), 0)

    # Goal: all are wrong in the same way, so nobody differs, and still a bundled log must get its verdict.
    def test_all_are_wrong_alike(self):
        wrong = [Wrong(self.folder, name, "awk -F'\\t' -v OFS='\\t' '$2 ~ /fighter-hall/ { $3 = \"diverged\"; $4 = 1 } { print }'") for name in ("a", "b")]
        code, _, err = machines("--only=none", wrong[0].flag, wrong[1].flag)
        self.assertEqual((code, err.count("fighter-hall.tpr: diverged, exit 1, not 0")), (1, 2))

    def test_planted_log(self):
        code, _, err = machines(*self.two, f"--machine=third={CHECKER}", "--plant=log=again")
        self.assertEqual(code, 1)
        self.assertIn(f"machines: again: {GOOD[0]}: differs from the other machines", err)
        self.assertEqual(err.count("\n"), 1, err)

    @unittest.skipUnless(shutil.which("gcc") and pathlib.Path("/usr/include/sodium.h").exists(), "gcc or libsodium-dev is not installed")
    def test_planted_value(self):
        flags = [f"--machine=here={CHECKER}", f"--machine=again={CHECKER}", "--only=gcc-O0"]
        code, _, err = machines(*flags, "--plant=value=gcc-O0")
        self.assertEqual(code, 1, err)
        self.assertRegex(err, r"gcc-O0: replays/good/fighter-bots.tpr: diverged, exit 1, not 0: first bad tick \d+")
        self.assertRegex(err, r"gcc-O0: replays/good/realm-two.tpr: diverged, exit 1")
        self.assertNotIn("machines: here:", err)
        code, out, err = machines(*flags)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("gcc-O0", out)

    def test_a_skipped_machine_is_no_equal_one(self):
        code, out, err = machines("--only=s390x", *self.two[1:], path="/nonexistent")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("skipped: s390x-linux-gnu-gcc is not installed", out)
        self.assertRegex(out, r"\ns390x +- +- +- +- +- ")
        self.assertIn("skipped: s390x.", out)
        self.assertEqual(machines("--only=s390x", *self.two[1:], "--need-all", path="/nonexistent")[0], 1)

    def test_one_machine_is_no_comparison(self):
        code, _, err = machines(*self.two[:2])
        self.assertEqual(code, 1)
        self.assertIn("fewer than two machines ran", err)

    # Goal: a log from elsewhere has no verdict of its own here; it has to be the same everywhere.
    def test_logs_of_ones_own(self):
        log = pathlib.Path(self.folder) / "mine.tpr"
        shutil.copy(ROOT / "replays/bad/input-with-effect-1.tpr", log)
        code, out, err = machines(*self.two, str(log))
        self.assertEqual((code, err), (0, ""))
        self.assertIn("2 machines, 1 logs", out)
        wrong = Wrong(self.folder, "liar", "awk -F'\\t' -v OFS='\\t' '/^liar/ { $10 = $10 \"?\" } { print }'")
        code, _, err = machines(*self.two, wrong.flag, str(log))
        self.assertEqual(code, 1)
        self.assertIn("liar: logs/mine.tpr: differs from the other machines: message", err)

    def test_two_logs_of_one_name(self):
        other = pathlib.Path(self.folder) / pathlib.PurePath(GOOD[0]).name
        shutil.copy(ROOT / GOOD[1], other)
        code, _, err = machines(*self.two, str(ROOT / GOOD[0]), str(other))
        self.assertEqual(code, 2)
        self.assertIn(f"{other}: there is another log of this name", err)

    def test_usage(self):
        for arguments, text in ((("--only=frob",), "there is no machine 'frob'"), (("--only=none",), "no machine is left"),
                                (("--only=none", "--machine=x"), "is not NAME=COMMAND"), (("--jobs=0",), "is too few"),
                                ((*self.two, "--plant=log=frob"), "--plant: 'log=frob'"), ((*self.two, "--plant=value=here"), "is not built here"),
                                ((*self.two, "--update-readme"), "leave the other flags out"), ((*self.two, "none.tpr"), "none.tpr: No such file")):
            code, _, err = machines(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn(text, err)

    def test_list_names_every_machine(self):
        code, out, _ = machines("--list")
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()], [machine.name for machine in machines_list.MACHINES])


class Tables(unittest.TestCase):
    def rows(self):
        said = {log: machines_run.Answer("verified", 0, 5, 5, "a" * 32, "b" * 32, 0.5, "") for log in GOOD}
        rows = [machines_table.Row(machine) for machine in machines_list.MACHINES[:3]]
        rows[0].result, rows[1].result = machines_run.Result(dict(said), "64-bit"), machines_run.Result(dict(said), "32-bit")
        rows[2].skipped = "a|b is not installed"
        machines_table.compare(rows, GOOD)
        return rows

    def test_markdown(self):
        lines = machines_table.markdown(self.rows(), GOOD)
        self.assertEqual(lines[0], "| machine | fighter (8) | realm (4) | runner (7) | seconds | what it is |")
        self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in lines[:5]}), 1)
        self.assertIn("skipped: a\\|b is not installed", lines[4])
        self.assertIn(f"2 machines, {len(GOOD)} logs", lines[-1])
        logs = machines_table.markdown_logs(self.rows(), GOOD)
        self.assertEqual(len(logs), 2 + len(GOOD))
        self.assertIn("2 of 2", logs[2])

    def test_readme(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "README.md"
            for end in ("<!-- /machines -->", "<!-- machines -->"):
                path.write_text(f"before\n<!-- machines -->\nold\n{end}\nafter\n", encoding="utf-8")
                self.assertIsNone(machines_table.update_readme(path, self.rows(), GOOD))
                text = path.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("before\n<!-- machines -->\n| machine | ") and text.endswith(f".\n{end}\nafter\n"), text)
                self.assertNotIn("old", text)
                self.assertIsNone(machines_table.update_readme(path, self.rows(), GOOD))
                self.assertEqual(path.read_text(encoding="utf-8"), text)
            path.write_text("nothing here\n", encoding="utf-8")
            self.assertIn("there is no line '<!-- machines -->'", machines_table.update_readme(path, self.rows(), GOOD))

    def test_every_machine_can_be_installed_for(self):
        for machine in machines_list.MACHINES:
            self.assertTrue(machine.packages, machine.name)
            self.assertTrue(machine.compiler, machine.name)


if __name__ == "__main__":
    CHECKER, TICKPROOF = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
    KEEP = str(pathlib.Path(sys.argv[3]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
