#!/usr/bin/env python3
"""Matches that people played, gone back from in every strength at distances 1 to 8; prints how much was compared.

usage: synctest_human.py TICKPROOF DATA-FOLDER TICKS

Pads become the runner's input as in tests/scripts/human.py. TICKS cuts the matches, 0 leaves them whole. Exits 77 (skipped) with a word when
the folder is not there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import human  # noqa: E402


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


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tickproof, data, limit = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    matches = sorted(data.glob("*.jsonl"))
    if not matches:
        print(f"synctest_human: skipped, no recorded pads in {data}")
        sys.exit(77)
    world = json.loads(human.run(tickproof, "worlds", "runner", "--format", "json").splitlines()[0])
    with tempfile.TemporaryDirectory() as folder:
        for match in matches:
            inputs, log = pathlib.Path(folder) / match.name, pathlib.Path(folder) / (match.stem + ".tpr")
            ticks, _ = human.convert(match, inputs, world["input"][0]["name"])
            ticks = min(ticks, limit) if limit > 0 else ticks
            human.run(tickproof, "run", "--world", "runner", "--players", "2", "--seed", "60", "--ticks", str(ticks), "--inputs", inputs, "-o", log)
            report = json.loads(human.run(tickproof, "synctest", "--format", "json", log))
            compared = check(match.name, ticks, report)
            print(f"synctest_human: {match.name}: {ticks} ticks, {report['active_ticks']} with a press, {compared} comparisons, all equal")


if __name__ == "__main__":
    main()
