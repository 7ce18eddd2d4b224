"""How exactly real-time rooms hold their rate, by the server's clock and by a client's.

Live 60 Hz rooms (fighter) with two bots each, and recorded ones of the same world. Promise: every room is within 0.01 % of 60.00 Hz and
drops no tick. `client Hz` is the rate at which confirmed ticks reached a watching client, by that client's clock: it knows nothing of
the server's, and is as exact as the way to it (some milliseconds in all that time).
"""
import time

import measure_lib as lib

RATE_HZ = 60
TOLERANCE = 0.0001      # of the rate
ARRIVAL_SECONDS = 0.05  # by so much the first or last message may have been held up on its way
TRACE_TICKS = 60


def add_flags(parser):
    parser.add_argument("--seconds", type=int, default=600, help="how long (600)")
    parser.add_argument("--rooms", type=int, default=4, help="live rooms (4)")
    parser.add_argument("--recorded", type=int, default=2, help="recorded rooms (2)")


def client_rates(lines):
    """Hz by room from stamped lines."""
    seen = {}
    for seconds, line in lines:
        if line.get("event") == "confirmed":
            seen.setdefault(line["room"], []).append((seconds, line["tick"]))
    return {room: (ticks[-1][1] - ticks[0][1]) / (ticks[-1][0] - ticks[0][0]) for room, ticks in seen.items() if len(ticks) > 1}


def check(rooms, rates, seconds):
    """What is wrong with results by room and with rates that clients saw."""
    complaints = []
    for name, room in rooms.items():
        error = room["held_hz"] / RATE_HZ - 1
        if abs(error) > TOLERANCE:
            complaints.append(f"room {name}: held {room['held_hz']:.5f} Hz, {error:+.4%} off")
        if room["dropped_ticks"] > 0:
            complaints.append(f"room {name}: {room['dropped_ticks']} ticks dropped")
        if room["ticks"] < RATE_HZ * seconds * 0.9:
            complaints.append(f"room {name}: only {room['ticks']} ticks")
    for name, rate in rates.items():
        if abs(rate / RATE_HZ - 1) > TOLERANCE + ARRIVAL_SECONDS / seconds:
            complaints.append(f"room {name}: {rate:.5f} Hz reached the client")
    return complaints


def row_of(name, room, rate):
    return {
        "room": name, "source": room["source"], "ticks": room["ticks"],
        "held Hz": f"{room['held_hz']:.5f}", "error": f"{room['held_hz'] / RATE_HZ - 1:+.5%}", "client Hz": f"{rate:.5f}" if rate else "-",
        "p50 ms": lib.ms(room["lateness_p50_us"]), "p99 ms": lib.ms(room["lateness_p99_us"]), "max ms": lib.ms(room["lateness_max_us"]),
        "late": room["late_ticks"], "dropped": room["dropped_ticks"],
    }


def run(options, programs, folder):
    ticks = options.seconds * RATE_HZ
    logs = [folder / f"tape-{number}.tpr" for number in range(options.recorded)]
    for seed, log in enumerate(logs):
        lib.record_log(programs, log, "fighter", 4, ticks, seed)
    flags = ["--listen", "127.0.0.1:0", "--live", f"duel=fighter,players=4,count={options.rooms}"]
    flags += ["--recorded", *map(str, logs)] if logs else []
    with lib.Server(programs, folder / "server", flags) as server:
        address = server.listening()
        with lib.start_bots(programs, address, folder, "bots", "--clients", "2", "--seconds", str(options.seconds)) as bots:
            trace = lib.Trace(programs, address, TRACE_TICKS, options.seconds)
            rates = client_rates(trace.ended(options.seconds + lib.STOP_SECONDS))
            bots.wait(lib.STOP_SECONDS)
        if logs:  # they began a little earlier than the bots, and end by themselves
            end_of_tapes(server, options.recorded)
        rooms = server.stop()
        lib.print_table("the rate that rooms held; lateness is from when a tick was due to when it began",
                        [row_of(name, room, rates.get(name)) for name, room in rooms.items()])
        complaints = check(rooms, rates, options.seconds) + lib.check_rooms(rooms)
        if len(rates) != options.rooms:
            complaints.append(f"{len(rates)} rooms were watched, not {options.rooms}")
        complaints += lib.check_clients(lib.results_of(bots), 2 * options.rooms)
        complaints += lib.check_logs(lib.verify(programs, server.record), rooms)
    return complaints


def end_of_tapes(server, count):
    end = time.monotonic() + lib.STOP_SECONDS
    while len(server.events("room.done")) < count and time.monotonic() < end:
        time.sleep(0.1)
