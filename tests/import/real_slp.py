#!/usr/bin/env python3
"""Recordings of real matches become logs that verify; every stick and button of every tick is what another reader found; cut anywhere, a recording
gives the frames before the cut.

usage: real_slp.py TICKPROOF DATA-FOLDER [CUTS]

DATA-FOLDER has slp/singles-X.slp and human/match-X.jsonl. CUTS is the number of places each file is cut at; 200. Exits 77 (skipped) with a word when the
folder is not there.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

BUTTONS = ((0x0C00, 1), (0x0100, 2), (0x0060, 4), (0x0010, 8), (0x0200, 16))  # X or Y, A, L or R, Z, B
SHIELD = 4


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def fail(text):
    sys.exit(f"real_slp: {text}")


def first_difference(expected, found):
    """Number and text of the first line that differs, or None."""
    for number, (left, right) in enumerate(zip(expected, found)):
        if left != right:
            return f"line {number + 1}: {right} instead of {left}"
    return None if len(expected) == len(found) else f"{len(found)} lines instead of {len(expected)}"


def expected_slots(player):
    return {"stick_x": player["x"], "stick_y": player["y"], "c_x": player["cx"], "c_y": player["cy"],
            "buttons": sum(bit for mask, bit in BUTTONS if player["buttons"] & mask)}


def compare_rows(oracle, rows):
    """The log's rows against the oracle's. An analog trigger may add shield; nothing else may differ. Text or None."""
    shields = 0
    if len(oracle) != len(rows):
        return f"{len(rows)} ticks instead of {len(oracle)}", 0
    for frame, row in zip(oracle, rows):
        players = sorted(frame["players"], key=lambda player: player["port"])
        if frame["tick"] != row["tick"] or [slot["slot"] for slot in row["slots"]] != list(range(len(players))):
            return f"tick {frame['tick']}: {row}", 0
        for player, slot in zip(players, row["slots"]):
            wanted = expected_slots(player)
            extra = slot["buttons"] & ~wanted["buttons"]
            if extra not in (0, SHIELD) or any(slot[key] != wanted[key] for key in wanted if key != "buttons") or wanted["buttons"] & ~slot["buttons"]:
                return f"tick {frame['tick']}, slot {slot['slot']}: {slot} instead of {wanted}", 0
            shields += extra == SHIELD
    return None, shields


def check_whole(tickproof, recording, oracle_lines, work):
    log, pads = work / "whole.tpr", work / "whole.jsonl"
    code, out, err = run(tickproof, "import", "slp", recording, "-o", log, "--pads", pads, "--force")
    if code != 0:
        fail(f"{recording.name}: exit {code}: {err}")
    difference = first_difference(oracle_lines, pads.read_text().splitlines())
    if difference:
        fail(f"{recording.name}: pads: {difference}")
    code, out, err = run(tickproof, "verify", "--format", "json", log)
    report = json.loads(out.splitlines()[0])
    if code != 0 or report["verdict"] != "verified" or report["checked"] != len(oracle_lines):
        fail(f"{recording.name}: verify: exit {code}: {report}")
    rows = [json.loads(line) for line in run(tickproof, "cat", "--no-rules", log)[1].splitlines()]
    oracle = [json.loads(line) for line in oracle_lines]
    difference, shields = compare_rows(oracle, rows)
    if difference:
        fail(f"{recording.name}: {difference}")
    # Planted: one unit of one stick, one button, one tick less.
    for plant in ("x", "buttons", None):
        planted = json.loads(json.dumps(rows))
        if plant is None:
            planted.pop()
        else:
            planted[len(rows) // 2]["slots"][1]["stick_x" if plant == "x" else "buttons"] ^= 1
        if compare_rows(oracle, planted)[0] is None:
            fail("a planted difference was not seen")
    return shields


def pre_frames(data):
    """Offsets of the pre-frame events of a whole recording."""
    sizes = {0x35: data[16]}
    for at in range(17, 15 + 1 + data[16], 3):
        sizes[data[at]] = data[at + 1] << 8 | data[at + 2]
    at, end, found = 15, 15 + int.from_bytes(data[11:15], "big"), []
    while at < end:
        if data[at] == 0x37 and data[at + 6] == 0:
            found.append(at)
        at += 1 + sizes[data[at]]
    return found


def check_planted_stick(tickproof, recording, oracle_lines, work):
    """One stick is changed inside of the file: exactly its tick differs."""
    data = bytearray(recording.read_bytes())
    events = pre_frames(data)
    at = events[len(events) // 3]
    tick = int.from_bytes(data[at + 1:at + 5], "big", signed=True) + 123
    old = struct.unpack(">f", data[at + 0x19:at + 0x1D])[0]
    data[at + 0x19:at + 0x1D] = struct.pack(">f", 0.75 if old < 0.5 else -0.75)
    planted, pads = work / "planted.slp", work / "planted.jsonl"
    planted.write_bytes(data)
    run(tickproof, "import", "slp", planted, "--pads", pads, "--force")
    found = pads.read_text().splitlines()
    different = [number for number, (left, right) in enumerate(zip(oracle_lines, found)) if left != right]
    if different != [tick]:
        fail(f"{recording.name}: a stick planted at tick {tick} shows at ticks {different[:5]}")


def check_cuts(tickproof, recording, oracle_lines, work, cuts):
    data = recording.read_bytes()
    folder = work / f"cuts-{recording.stem}"
    folder.mkdir()
    counts, refused = {}, 0
    # Even steps, moved by a few bytes each so that they fall into every kind of event and between events; and the very ends.
    places = sorted({min(len(data) - 1, len(data) * number // cuts + number * 7 % 61) for number in range(cuts)} | {0, 1, 15, len(data) - 1})
    for place in places:
        cut, log, pads = folder / "cut.slp", folder / f"{place}.tpr", folder / "cut.jsonl"
        cut.write_bytes(data[:place])
        pads.unlink(missing_ok=True)
        code, out, err = run(tickproof, "import", "slp", cut, "-o", log, "--pads", pads, "--force")
        if code != 4 or err.count("\n") != 1 or f"cut at byte {place}" not in err:
            fail(f"{recording.name} cut at {place}: exit {code}: {err}")
        said = re.search(r": (\d+) frames imported", err)
        if said is None:
            refused += 1
            if log.exists() or pads.exists():
                fail(f"{recording.name} cut at {place}: refused, and a file was left")
            continue
        lines = pads.read_text().splitlines()
        if len(lines) != int(said[1]) or lines != oracle_lines[:len(lines)]:
            fail(f"{recording.name} cut at {place}: {len(lines)} frames are not a prefix, or not the {said[1]} that it says")
        counts[log.name] = len(lines)
    code, out, err = run(tickproof, "verify", "--format", "json", folder)
    reports = [json.loads(line) for line in out.splitlines()]
    checked = {pathlib.Path(report["file"]).name: report["checked"] for report in reports if "file" in report}
    if code != 0 or checked != counts:
        fail(f"{recording.name}: logs of cut recordings: exit {code}, {len(checked)} of {len(counts)} verified {err[:200]}")
    order = [counts[name] for name in sorted(counts, key=lambda name: int(name[:-4]))]
    if order != sorted(order) or order[-1] != len(oracle_lines):
        fail(f"{recording.name}: a later cut has fewer frames")
    return len(counts), refused


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    tickproof, data = sys.argv[1], pathlib.Path(sys.argv[2])
    cuts = int(sys.argv[3]) if len(sys.argv) == 4 else 200
    recordings = sorted((data / "slp").glob("singles-*.slp"))
    if not recordings:
        print(f"real_slp: skipped, no recordings in {data / 'slp'}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for recording in recordings:
            oracle_lines = (data / "human" / f"match-{recording.stem[-1]}.jsonl").read_text().splitlines()
            shields = check_whole(tickproof, recording, oracle_lines, work)
            check_planted_stick(tickproof, recording, oracle_lines, work)
            imported, refused = check_cuts(tickproof, recording, oracle_lines, work, cuts)
            print(f"real_slp: {recording.name}: {len(oracle_lines)} ticks agree, {shields} shields by trigger alone; "
                  f"cut {imported + refused} times: {imported} prefixes verified, {refused} refused")


if __name__ == "__main__":
    main()
