"""What a second in which the whole server stood still does: SIGSTOP, SIGCONT.

Live 60 Hz rooms with bots and a recorded one. Promise: the first wake-up afterwards runs 5 ticks of a room, and the rest of the backlog is
dropped from the clock and reported by room.late: 60 ticks fall due in a second, so 55, and one more or less for where in its period the
room was stopped. No tick is skipped or run twice: clients' roots agree, the logs verify, and ticks stepped and dropped are together as
many as there were periods.
"""
import os
import signal
import time

import measure_lib as lib

RATE_HZ = 60
CATCH_UP_TICKS = 5  # SERVER_CATCH_UP_TICKS


def add_flags(parser):
    parser.add_argument("--stall-seconds", type=float, default=1.0, help="how long it stands still (1)")
    parser.add_argument("--rooms", type=int, default=3, help="live rooms (3)")
    parser.add_argument("--counts-only", action="store_true", help="hold nothing against a clock: for a machine that is busy")


def periods_missed(room):
    """By how many periods ticks stepped and dropped are not what the time they took has room for."""
    held_ticks = room["held_hz"] * room["seconds"]
    return held_ticks + room["dropped_ticks"] - room["seconds"] * RATE_HZ


def check_counts(name, room, reported):
    """What has to be so on any machine: what was dropped was reported, and every wake-up that dropped ran its 5 ticks first."""
    complaints = []
    if room["hitches"] < 1 or room["dropped_ticks"] < 1:
        complaints.append(f"room {name}: the stall dropped nothing")
    if reported != room["dropped_ticks"]:
        complaints.append(f"room {name}: {room['dropped_ticks']} ticks dropped, {reported} reported by room.late")
    if room["late_ticks"] < CATCH_UP_TICKS * room["hitches"]:
        complaints.append(f"room {name}: {room['late_ticks']} ticks were late in {room['hitches']} wake-ups that dropped some: "
                          f"fewer than {CATCH_UP_TICKS} in each")
    # The first and the last tick begin when they begin, not when they are due: on a busy machine some periods later.
    if abs(periods_missed(room)) > CATCH_UP_TICKS + 1:
        complaints.append(f"room {name}: ticks stepped and dropped are {periods_missed(room):+.2f} off the periods that passed")
    return complaints


def check_clock(name, room, stall_seconds):
    """What has to be so on a machine that has nothing else to do."""
    complaints = []
    expected = stall_seconds * RATE_HZ - CATCH_UP_TICKS
    if abs(room["dropped_ticks"] - expected) > 1.5:
        complaints.append(f"room {name}: {room['dropped_ticks']} ticks dropped, not {expected:.1f} and one more or less")
    if room["hitches"] != 1:
        complaints.append(f"room {name}: {room['hitches']} wake-ups dropped ticks, not one")
    if room["late_ticks"] != CATCH_UP_TICKS:
        complaints.append(f"room {name}: {room['late_ticks']} ticks run late, not {CATCH_UP_TICKS}")
    return complaints


def stop_for(pid, seconds):
    """How long it really was."""
    start = time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)
    return time.monotonic() - start


def row_of(name, room, reported):
    return {
        "room": name, "source": room["source"], "ticks": room["ticks"], "hitches": room["hitches"], "run late": room["late_ticks"],
        "dropped": room["dropped_ticks"], "reported": reported, "periods off": f"{periods_missed(room):+.2f}",
        "max late s": f"{room['lateness_max_us'] / 1e6:.3f}",
    }


def run(options, programs, folder):
    log = folder / "tape.tpr"
    lib.record_log(programs, log, "fighter", 4, 3600, 5)
    flags = ["--listen", "127.0.0.1:0", "--live", f"duel=fighter,players=4,count={options.rooms}", "--recorded", str(log)]
    with lib.Server(programs, folder / "server", flags) as server:
        with lib.start_bots(programs, server.listening(), folder, "bots", "--clients", "2", "--seconds", "6") as bots:
            time.sleep(2)
            stalled = stop_for(server.pid, options.stall_seconds)
            bots.wait(lib.STOP_SECONDS)
        rooms = server.stop()
        reported = {}
        for event in server.events("room.late"):
            reported[event["room"]] = reported.get(event["room"], 0) + event["dropped"]
        lib.print_table(f"a stall of {stalled:.3f} s: {stalled * RATE_HZ:.1f} ticks fell due in it; run late: more than a period after they were due",
                        [row_of(name, room, reported.get(name, 0)) for name, room in rooms.items()])
        complaints = []
        for name, room in rooms.items():
            complaints += check_counts(name, room, reported.get(name, 0))
            complaints += [] if options.counts_only else check_clock(name, room, stalled)
        complaints += lib.check_rooms(rooms)
        complaints += lib.check_clients(lib.results_of(bots), 2 * options.rooms)
        complaints += lib.check_logs(lib.verify(programs, server.record), rooms)
    return complaints
