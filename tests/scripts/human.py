#!/usr/bin/env python3
"""Real people's input through the whole chain: pads to runner input, run, record, step the log as a server room, verify.

usage: human.py TICKPROOF TICKPROOFD DATA-FOLDER

The data are pad states of three matches, one JSON line a frame. A stick that crosses half way is an edge, a freshly pressed button is
confirm. Exits 77 (skipped) with a word when the folder is not there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HALF = 64


def edges(before, now):
    """Runner input of one pad from its last state and this one."""
    flags = 0
    if now["x"] <= -HALF < before["x"]:
        flags |= 1
    if now["x"] >= HALF > before["x"]:
        flags |= 2
    if now["buttons"] & ~before["buttons"]:
        flags |= 4
    return flags


def convert(source, target, field):
    """Writes input lines; returns the number of ticks and of edges."""
    rest = {"x": 0, "buttons": 0}
    before = {}
    ticks = pressed = 0
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            frame = json.loads(line)
            slots = []
            for slot, pad in enumerate(sorted(frame["players"], key=lambda p: p["port"])[:2]):
                flags = edges(before.get(slot, rest), pad)
                before[slot] = pad
                pressed += flags != 0
                slots.append({"slot": slot, field: flags})
            out.write(json.dumps({"tick": ticks, "slots": slots}) + "\n")
            ticks += 1
    return ticks, pressed


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"human: {' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tickproof, server, data = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    matches = sorted(data.glob("*.jsonl"))
    if not matches:
        print(f"human: skipped, no recorded pads in {data}")
        sys.exit(77)
    world = json.loads(run(tickproof, "worlds", "runner", "--format", "json").splitlines()[0])
    field = world["input"][0]["name"]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for match in matches:
            inputs, log = work / match.name, work / (match.stem + ".tpr")
            ticks, pressed = convert(match, inputs, field)
            run(tickproof, "run", "--world", "runner", "--players", "2", "--seed", "60", "--ticks", str(ticks), "--inputs", inputs, "-o", log)
            own = work / ("rooms-" + match.stem)
            own.mkdir()
            run(server, "--recorded", log, "--as-fast-as-possible", "--record", own)
            for file in [log, *own.glob("*.tpr")]:
                report = json.loads(run(tickproof, "verify", "--format", "json", file).splitlines()[0])
                if report["verdict"] != "verified" or report["checked"] != ticks or report["recorded"] != ticks:
                    sys.exit(f"human: {file}: {report}")
            if len(list(own.glob("*.tpr"))) != 1:
                sys.exit(f"human: the room of {match.name} left no log")
            print(f"human: {match.name}: {ticks} ticks, {pressed} presses, run, room and both logs verified")


if __name__ == "__main__":
    main()
