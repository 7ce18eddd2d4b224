"""Many recorded rooms at once: in real time, then as fast as possible.

Half of the logs are of either world, each of its own seed, and every room records a log of its own. Promise: all rooms and all their
logs verify, and no real-time room drops a tick.
"""
import time

import measure_lib as lib

RATES_HZ = {"fighter": 60, "runner": 120}


def add_flags(parser):
    parser.add_argument("--count", type=int, default=200, help="rooms (200)")
    parser.add_argument("--seconds", type=int, default=10, help="of a log, by its own rate (10)")
    parser.add_argument("--players", type=int, default=2, help="bots of a log (2)")


def make_tapes(programs, folder, options):
    folder.mkdir()
    for number in range(options.count):
        world = "runner" if number % 2 == 1 else "fighter"
        lib.record_log(programs, folder / f"{world}-{number}.tpr", world, options.players, options.seconds * RATES_HZ[world], number)


def run_all(programs, tapes, folder, pace, seconds):
    start = time.monotonic()
    with lib.Server(programs, folder, ["--recorded", str(tapes), f"--{pace}"]) as server:
        rooms = server.ended(seconds * 3 + lib.STOP_SECONDS)
        wall = time.monotonic() - start
        complaints = lib.check_rooms(rooms) + lib.check_logs(lib.verify(programs, server.record), rooms)
        complaints += [f"room {name}: {room['dropped_ticks']} ticks dropped" for name, room in rooms.items() if room.get("dropped_ticks", 0) > 0]
        return rooms, server, wall, complaints


def row_of(pace, rooms, server, wall):
    values = list(rooms.values())
    ticks = sum(room["ticks"] for room in values)
    own = sum(room["cpu_us_per_tick"] * room["ticks"] for room in values) / ticks
    recorder = sum(room["recorder_cpu_us_per_tick"] * room["ticks"] for room in values) / ticks
    is_timed = "lateness_p50_us" in values[0]
    late = {column: lib.ms(pick([room[f"lateness_{what}_us"] for room in values])) if is_timed else "-"
            for column, what, pick in (("p50 ms", "p50", lib.median), ("p99 ms", "p99", lib.most), ("max ms", "max", lib.most))}
    return {
        "pace": pace, "rooms": len(values), "ticks": ticks, "wall s": f"{wall:.2f}", "ticks/s": f"{ticks / wall:.0f}",
        "cpu us": f"{own:.2f}", "rec us": f"{recorder:.2f}", "cpu s": f"{server.cpu_seconds:.2f}", "cores": f"{server.cpu_seconds / wall:.0%}",
        "MiB": f"{server.memory_kib / 1024:.0f}", **late, "dropped": sum(room["dropped_ticks"] for room in values) if is_timed else "-",
    }


def run(options, programs, folder):
    make_tapes(programs, folder / "tapes", options)
    rows, complaints = [], []
    for pace in "real-time", "as-fast-as-possible":
        rooms, server, wall, wrong = run_all(programs, folder / "tapes", folder / pace, pace, options.seconds)
        rows.append(row_of(pace, rooms, server, wall))
        complaints += wrong
        if len(rooms) != options.count:
            complaints.append(f"{pace}: {len(rooms)} rooms, not {options.count}")
    lib.print_table("recorded rooms; cpu and rec us: of the tick and of the recorder, a tick and room; cpu s: of the whole process; p50 is the "
                    "median room's, p99 and max the worst one's",
                    rows)
    return complaints
