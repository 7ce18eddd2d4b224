#!/usr/bin/env python3
"""Matches that people played, gone back from in every strength at distances 1 to 8; prints how much was compared.

usage: synctest_human.py TICKPROOF DATA-FOLDER TICKS

The folder holds the recordings (slp/) and their pads as lines of JSON (human/). Recordings are imported as matches of the fighter, whole or,
when TICKS is not 0, as many ticks of them; the pads of the first RUNNER_TICKS ticks also play the runner, as in tests/scripts/human.py.
Exits 77 (skipped) with a word when the folder is not there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import human  # noqa: E402

RUNNER_TICKS = 600


def check(match, ticks, report):
    """Every case: clean, and as many comparisons as the ticks make, the last or the first one once."""
    seen = set()
    if report["verdict"] != "verified" or report["ticks"] != ticks or report["log_checked"] != ticks:
        sys.exit(f"synctest_human: {match}: {report['verdict']}: {report['message']}")
    for case in report["cases"]:
        distance = case["distance"]
        due = ticks * distance - distance * (distance - 1) // 2
        if case["comparisons"] != due or case["compared_min"] != 1 or case["compared_max"] != distance or case["restores"] != ticks:
            sys.exit(f"synctest_human: {match}: {case}")
        seen.add((case["strength"], distance))
    if seen != {(strength, distance) for strength in ("copy", "bytes", "process") for distance in range(1, 9)}:
        sys.exit(f"synctest_human: {match}: only {sorted(seen)}")
    return sum(case["comparisons"] for case in report["cases"])


def fighter_log(tickproof, recording, limit, folder):
    """The recording as a log of the fighter, and its ticks."""
    log = folder / (recording.stem + ".tpr")
    human.run(tickproof, "import", "slp", recording, "-o", log)
    if limit > 0:
        part, lines = folder / (recording.stem + "-part.tpr"), folder / "part.jsonl"
        lines.write_text(human.run(tickproof, "cat", "--to", str(limit - 1), log))
        human.run(tickproof, "import", "jsonl", lines, "-o", part)
        log = part
    return log, human.run(tickproof, "cat", "--no-rules", log).count("\n")


def runner_log(tickproof, match, limit, folder):
    world = json.loads(human.run(tickproof, "worlds", "runner", "--format", "json").splitlines()[0])
    inputs, log = folder / match.name, folder / (match.stem + ".tpr")
    ticks, _ = human.convert(match, inputs, world["input"][0]["name"])
    ticks = min(ticks, limit)
    human.run(tickproof, "run", "--world", "runner", "--players", "2", "--seed", "60", "--ticks", str(ticks), "--inputs", inputs, "-o", log)
    return log, ticks


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tickproof, data, limit = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    recordings, matches = sorted(data.glob("slp/*.slp")), sorted(data.glob("human/*.jsonl"))
    if not recordings or not matches:
        print(f"synctest_human: skipped, no recordings in {data}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        logs = [fighter_log(tickproof, recording, limit, folder) for recording in recordings]
        logs += [runner_log(tickproof, match, min(limit or RUNNER_TICKS, RUNNER_TICKS), folder) for match in matches]
        for log, ticks in logs:
            report = json.loads(human.run(tickproof, "synctest", "--format", "json", log))
            compared = check(log.name, ticks, report)
            print(f"synctest_human: {log.name}: {report['world']}, {ticks} ticks, {report['active_ticks']} with input, {compared} comparisons, all equal")


if __name__ == "__main__":
    main()
