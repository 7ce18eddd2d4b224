"""How many live rooms with how many clients one machine holds, `tickproof join` being the load on the same machine.

One server for each number of rooms. For information: the table shows from how many rooms on the 99th percentile of lateness passes 4 ms.
The promise is only that every root agrees and every log verifies. All clients come in the same moment, and until one process has joined
hundreds of rooms, their first inputs are too late: that share shrinks with the seconds. Rooms keep their logs here, as in earnest; `tickproof bench
live` measures more, and without them.
"""
import measure_lib as lib

LATE_MS = 4


def add_flags(parser):
    parser.add_argument("--rooms", default="10,50,100,200", metavar="N[,N]...", help="numbers of rooms to try (10,50,100,200)")
    parser.add_argument("--clients", type=int, default=2, help="of each room, one slot each (2)")
    parser.add_argument("--seconds", type=int, default=10, help="of each try (10)")
    parser.add_argument("--world", default="fighter", help="of the rooms (fighter)")
    parser.add_argument("--rooms-per-connection", type=int, default=32, help="of a client (32)")


def try_rooms(programs, folder, count, options):
    flags = ["--listen", "127.0.0.1:0", "--live", f"room={options.world},count={count},players={options.clients}"]
    with lib.Server(programs, folder, flags) as server:
        with lib.start_bots(programs, server.listening(), folder, "bots", "--clients", str(options.clients), "--seconds", str(options.seconds),
                            "--rooms-per-connection", str(options.rooms_per_connection)) as bots:
            bots.wait(options.seconds + lib.STOP_SECONDS)
        rooms = server.stop()
        complaints = lib.check_rooms(rooms) + lib.check_clients(lib.results_of(bots), count * options.clients)
        complaints += lib.check_logs(lib.verify(programs, server.record), rooms)
    return rooms, server, bots, complaints


def row_of(count, rooms, server, bots, options):
    values = list(rooms.values())
    ticks = sum(room["ticks"] for room in values)
    inputs = sum(room["live"]["inputs"] for room in values)
    made_up = sum(room["live"]["repeated"] + room["live"]["neutral"] for room in values)
    late = sum(room["live"]["late"] for room in values)
    share = count * options.seconds / 1000  # CPU seconds into milliseconds of a room's second
    p99 = [room["lateness_p99_us"] for room in values]
    return {
        "rooms": count, "clients": count * options.clients, "ticks": ticks, "held Hz": f"{lib.median([room['held_hz'] for room in values]):.3f}",
        "p50 ms": lib.ms(lib.median([room["lateness_p50_us"] for room in values])), "p99 ms": lib.ms(lib.median(p99)),
        "worst p99": lib.ms(lib.most(p99)),
        "max ms": lib.ms(lib.most([room["lateness_max_us"] for room in values])), "dropped": sum(room["dropped_ticks"] for room in values),
        "cpu/room": f"{server.cpu_seconds / share:.2f}", "load/room": f"{bots.cpu_seconds / share:.2f}",
        "cores": f"{(server.cpu_seconds + bots.cpu_seconds) / options.seconds:.0%}", "MiB": f"{server.memory_kib / 1024:.0f}",
        "too late": f"{late / max(inputs + late, 1):.2%}", "made up": f"{made_up / max(inputs + made_up, 1):.2%}",
    }


def run(options, programs, folder):
    rows, complaints, passed = [], [], None
    for count in [int(number) for number in options.rooms.split(",")]:
        rooms, server, bots, wrong = try_rooms(programs, folder / f"rooms-{count}", count, options)
        rows.append(row_of(count, rooms, server, bots, options))
        complaints += wrong
        worst = lib.median([room["lateness_p99_us"] for room in rooms.values()]) / 1000
        passed = count if passed is None and worst > LATE_MS else passed
    lib.print_table(f"live rooms of {options.world}, {options.clients} clients each, {options.seconds} s; p50, p99: the median room's; cpu: "
                    "milliseconds for a second of one room, of the server and of the load; too late: inputs that came after their tick", rows)
    print(f"p99 passes {LATE_MS} ms at {passed} rooms" if passed is not None else f"p99 stays below {LATE_MS} ms")
    return complaints
