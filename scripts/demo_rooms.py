#!/usr/bin/env python3
"""What the demo needs beside the two programs: its configuration, the server's address, and the table at the end.

  demo_rooms.py config OUT GOOD [LOG]...   the server's configuration on standard output
  demo_rooms.py address EVENTS PID         waits for the server's address in its events
  demo_rooms.py table OUT                  rooms, ticks, rates and verdicts
"""
import json
import os
import pathlib
import sys
import time

WAIT_SECONDS = 30


def config(out, good, *more):
    out, here = pathlib.Path(out).resolve(), pathlib.Path.cwd()
    rooms = [{"source": "recorded", "log": str(here / path), "pace": "as-fast-as-possible"}
             for path in [*sorted(pathlib.Path(good).glob("*.tpr")), *more]]
    rooms += [{"source": "recorded", "log": str(path), "pace": "real-time"} for path in sorted((out / "tape").glob("*.tpr"))]
    rooms += [
        {"source": "live", "name": "lanes", "world": "runner", "players": 2, "seed": 21, "count": 2},
        {"source": "live", "name": "duel", "world": "fighter", "players": 2, "seed": 31, "count": 2, "missing": "neutral"},
        {"source": "live", "name": "crowd", "world": "fighter", "players": 12, "seed": 41},
    ]
    print(json.dumps({"listen": "127.0.0.1:0", "record": {"directory": str(out / "rooms")}, "rooms": rooms}, indent=1))


def address(events, pid):
    for _ in range(WAIT_SECONDS * 20):
        for line in pathlib.Path(events).read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "server.listening":
                print(event["address"])
                return
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.05)
    sys.exit("demo: the server does not listen")


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def table(out):
    out = pathlib.Path(out)
    results = json.loads((out / "results.json").read_text())
    verified = {os.path.basename(line["file"]): line for line in read_lines(out / "verified.jsonl") if "file" in line}
    clients = {}
    for name in "lanes", "duels", "crowd":
        for line in read_lines(out / f"{name}.jsonl"):
            if "room" in line:
                clients.setdefault(line["room"], []).append(line)
    width = max(len(room["room"]) for room in results["rooms"])
    print(f"{'room':{width}}  {'source':8} {'world':8} {'ticks':>8} {'ticks/s':>10} {'held Hz':>8} {'late p99':>9} {'cpu/tick':>9} "
          f"{'clients':>8}  {'room says':12} {'clients say':12} {'its log':12}")
    for room in results["rooms"]:
        held = f"{room['held_hz']:.3f}" if "held_hz" in room else "-"
        late = f"{room['lateness_p99_us'] / 1000:.2f} ms" if "lateness_p99_us" in room else "-"
        mine = clients.get(room["room"], [])
        says = "-" if not mine else "agreed" if all(line["verdict"] == "agreed" for line in mine) else "NOT agreed"
        log = verified.get(os.path.basename(room.get("log", "")), {}).get("verdict", "-")
        print(f"{room['room']:{width}}  {room['source']:8} {room['world']:8} {room['ticks']:8} {room['ticks_per_second']:10.0f} {held:>8} {late:>9} "
              f"{room['cpu_us_per_tick']:6.2f} us {len(mine) or '-':>8}  {room['verdict']:12} {says:12} {log:12}")
    for room in results["rooms"]:
        if room["verdict"] != "verified":
            tick = f" tick {room['bad_tick']}:" if "bad_tick" in room else ""
            print(f"room {room['room']}:{tick} {room['verdict']}: {room['message']}")
    ticks = sum(room["ticks"] for room in results["rooms"])
    print(f"{len(results['rooms'])} rooms, {ticks} ticks, {len(verified)} logs")


if __name__ == "__main__":
    commands = {"config": config, "address": address, "table": table}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
