#!/usr/bin/env python3
"""test_seal.py TICKPROOF LOGS DATA: sealing is killed at a hundred moments, in place and beside: the original is there, or the whole sealed log in
its place, and nothing half under a final name. Bits flipped in larger sealed logs never verify. Real people's matches keep the budget.
SANITIZED=1: fewer flips, since each is a process."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, LOGS, DATA = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
KILLS, FLIPS = 100, 30 if os.environ.get("SANITIZED") else 150
LEVEL = "3"  # where only the way matters, not the size
BUDGET = 400_000  # bytes of a ten-minute match of two people with a root every tick


def run(*arguments, folder=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)


def make_log(folder, ticks):
    done = run("run", "--world", "realm", "--players", 2, "--bot", "--ticks", ticks, "--keyframes", 30, "--seed", 7, "-o", folder / "log.tpr")
    assert done.returncode == 0, done.stderr


def sealing_time(folder):
    start = time.monotonic()
    done = run("seal", "--level", LEVEL, "log.tpr", "-o", "sealed", folder=folder)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - start


def kill_once(folder, in_place, delay):
    flags = ["--in-place"] if in_place else ["-o", "made.tpr"]
    child = subprocess.Popen([PROGRAM, "seal", "--level", LEVEL, "log.tpr", *flags], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    return child.wait() != 0


def check_kill(folder, raw, sealed, in_place):
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    assert names <= {"log.tpr", "sealed", "made.tpr"}, names
    log = (folder / "log.tpr").read_bytes()
    assert log == raw or (in_place and log == sealed), f"the original is {len(log)} bytes that nobody wrote"
    made = folder / "made.tpr"
    assert not made.exists() or made.read_bytes() == sealed, "half a file has the final name"
    return log != raw or made.exists()


def test_kills():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_log(folder, 60)
        lasts = sealing_time(folder)
        raw, sealed = (folder / "log.tpr").read_bytes(), (folder / "sealed").read_bytes()
        killed = finished = 0
        for number in range(KILLS):
            in_place = number % 2 == 0
            killed += kill_once(folder, in_place, lasts * 1.6 * number / KILLS)
            finished += check_kill(folder, raw, sealed, in_place)
            (folder / "log.tpr").write_bytes(raw)
            (folder / "made.tpr").unlink(missing_ok=True)
            for path in folder.glob(".*"):  # where a file system has no files without a name, a kill leaves a hidden one
                path.unlink()
        assert killed >= KILLS // 3, f"only {killed} were killed"
        print(f"{KILLS} kills over {lasts:.2f} s: {killed} hit, {finished} had finished before; no original lost, no half file")


def planted_half_file():
    """The checker sees what it is there for."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for log, made in ((b"ra", None), (b"raw", b"sea")):
            (folder / "log.tpr").write_bytes(log)
            if made is not None:
                (folder / "made.tpr").write_bytes(made)
            try:
                check_kill(folder, b"raw", b"sealed", True)
            except AssertionError:
                continue
            raise SystemExit("a half file was not seen")


def test_flips():
    chance = random.Random(8)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(LOGS / "good/realm-two.tpr", folder / "log.tpr")
        assert run("keygen", "-o", "key", folder=folder).returncode == 0
        assert run("sign", "--key", "key.key", "--in-place", "log.tpr", folder=folder).returncode == 0
        assert run("seal", "--level", LEVEL, "log.tpr", folder=folder).returncode == 0
        sealed = (folder / "log.sealed.tpr").read_bytes()
        assert run("verify", "--trusted-key", "key.pub", "log.sealed.tpr", folder=folder).returncode == 0
        for _ in range(FLIPS):
            at, bit = chance.randrange(len(sealed)), chance.randrange(8)
            bent = bytearray(sealed)
            bent[at] ^= 1 << bit
            (folder / "bent.tpr").write_bytes(bent)
            done = run("verify", "bent.tpr", folder=folder)
            assert done.returncode in (2, 3, 4), (at, bit, done.returncode, done.stdout)
        print(f"{FLIPS} of {8 * len(sealed)} bits flipped: none verified")


def seal_counts(folder, log, *level):
    done = run("seal", *level, log, "-o", "out.tpr", "--force", "--format", "json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sizes():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for log in sorted((LOGS / "good").glob("*.tpr")):
            counts = seal_counts(folder, log, "--level", LEVEL)
            assert counts["sealed_size"] < counts["raw_size"], log
            assert run("seal", "--unseal", "out.tpr", "-o", "back", "--force", folder=folder).returncode == 0
            assert (folder / "back").read_bytes() == log.read_bytes(), log
        if not (DATA / "slp").is_dir():
            print("skipped: recorded matches are not at hand")
            return
        for recording in sorted((DATA / "slp").glob("*.slp")):
            done = run("import", "slp", recording, "-o", "log.tpr", "--force", "--allow-cut", folder=folder)
            assert done.returncode == 0, done.stderr
            counts = seal_counts(folder, "log.tpr")
            ten_minutes = counts["sealed_size"] * 36_000 // counts["ticks"]
            assert ten_minutes <= BUDGET, (recording.name, ten_minutes)
            print(f"{recording.name}: {counts['ticks']} ticks, {counts['raw_size']} bytes raw, {counts['sealed_size']} sealed, ten minutes {ten_minutes}")


if __name__ == "__main__":
    for case in planted_half_file, test_kills, test_flips, test_sizes:
        start = time.monotonic()
        case()
        print(f"{case.__name__}: {time.monotonic() - start:.1f} s", flush=True)
