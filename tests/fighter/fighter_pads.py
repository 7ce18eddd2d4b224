#!/usr/bin/env python3
"""Real people's pads through the fighter: run, record, verify, print the inputs, run those, the same log.

usage: fighter_pads.py TICKPROOF DATA-FOLDER

The data are pad states of matches, one JSON line a frame. Sticks go in as they are, X and Y are jump, A is attack. Exits 77 (skipped)
with a word when the folder is not there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BUTTONS = ((0x0C00, 1), (0x0100, 2), (0x0060, 4), (0x0010, 8), (0x0200, 16))  # X or Y, A, L or R, Z, B


def pad_of(player):
    flags = sum(bit for mask, bit in BUTTONS if player["buttons"] & mask)
    return {"buttons": flags, "stick_x": player["x"], "stick_y": player["y"], "c_x": player["cx"], "c_y": player["cy"]}


def convert(source, target):
    """Writes input lines; returns the number of ticks."""
    ticks = 0
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            players = sorted(json.loads(line)["players"], key=lambda player: player["port"])
            slots = [{"slot": slot, **pad_of(player)} for slot, player in enumerate(players[:2])]
            out.write(json.dumps({"tick": ticks, "slots": slots}) + "\n")
            ticks += 1
    return ticks


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"fighter_pads: {' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tickproof, data = sys.argv[1], pathlib.Path(sys.argv[2])
    matches = sorted(data.glob("*.jsonl"))
    if not matches:
        print(f"fighter_pads: skipped, no recorded pads in {data}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for match in matches:
            inputs, log, again = work / match.name, work / (match.stem + ".tpr"), work / (match.stem + "-again.tpr")
            ticks = convert(match, inputs)
            flags = ("run", "--world", "fighter", "--players", "2", "--seed", "60")
            run(tickproof, *flags, "--inputs", inputs, "-o", log)
            report = json.loads(run(tickproof, "verify", "--format", "json", log).splitlines()[0])
            if report["verdict"] != "verified" or report["checked"] != ticks or report["recorded"] != ticks:
                sys.exit(f"fighter_pads: {log}: {report}")
            inputs.write_text(run(tickproof, "cat", log))
            run(tickproof, *flags, "--inputs", inputs, "-o", again)
            if log.read_bytes() != again.read_bytes():
                sys.exit(f"fighter_pads: {match.name}: its inputs, printed and run again, are another log")
            events = run(tickproof, "events", log)
            jumps = events.count("jumped")
            landings = events.count("landed")
            if jumps < 10 or landings < 10:
                sys.exit(f"fighter_pads: {match.name}: {jumps} jumps and {landings} landings")
            print(f"fighter_pads: {match.name}: {ticks} ticks, {jumps} jumps, verified")


if __name__ == "__main__":
    main()
