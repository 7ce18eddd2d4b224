"""Joining a world while it changes: late joins at random ticks into a realm whose landblocks are being prepared all the time.

A realm room with bots that walk, where an administrator has landblocks prepared again all the time and little work is done on them in a tick, so that
drafts are open at nearly every tick. Rooms of the other worlds are on the same thread. At moments drawn from the seed two clients come: a
`tickproof join`, which steps the world from its first tick on and compares every root, in turn with a slot and watching; and one that only counts,
from JOIN on, the bytes and the time until it hears what is confirmed just then. Promise: every joiner's roots are equal from its first tick on; the
log says that drafts were open at nearly every one of these ticks; and rooms of the thread, this one and the others, drop no tick.
"""
import json
import random
import threading
import time

import measure_lib as lib
import measure_wire as wire

LAND = "land"
PLAYERS, BOTS = 8, 4
WORK_UNITS = 6      # in one tick: a draft takes some seconds
RELOAD_SECONDS = 0.1
CENTRE = 127        # where players appear: the landblocks around are there
OTHERS = ["--live", "duel=fighter,players=4,seed=3,count=2", "--live", "lanes=runner,players=4,seed=4"]
OTHER_ROOMS = ["duel-1", "duel-2", "lanes"]
DRAFTS_SHARE = 0.9  # of the joined ticks at which drafts have to be open
LIVE_TICKS = 2      # so near to the present is live
PROBE_SECONDS = 30


def add_flags(parser):
    parser.add_argument("--joins", type=int, default=100, help="late joins (100)")
    parser.add_argument("--ticks", type=int, default=90, help="that each steps before it leaves (90)")
    parser.add_argument("--seconds", type=float, default=1, help="between two joins, on average (1)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (1)")
    parser.add_argument("--no-timing", action="store_true", help="also fine when ticks were dropped: for a machine that is busy")


class Probe:
    """One raw join that counts: bytes on the way, and seconds from JOIN to the rules, to the state, and to the present."""

    def __init__(self, address):
        self.line = wire.Line(address)
        self.line.send(wire.hello())
        self.line.wait(wire.WELCOME)
        self.failure = None
        self.bytes = self.state_bytes = self.packed_bytes = self.tail_ticks = 0
        self.rules_seconds = self.state_seconds = self.live_seconds = 0.0
        self.tick = None

    def run(self, rate_hz):
        try:
            self._run(rate_hz)
        finally:
            self.line.close()
        return self

    def _next(self, end):
        content = self.line.receive(max(end - time.monotonic(), 0.001))
        self.bytes += 0 if content is None else len(content) + 2
        return content

    def _run(self, rate_hz):
        start = time.monotonic()
        joined = self.line.ask(LAND, 0)
        if joined is None or not self.line.make_ready(joined):
            self.failure = "it was not let in"
            return
        self.rules_seconds, begun, left = time.monotonic() - start, time.monotonic(), 1
        while True:
            content = self._next(start + PROBE_SECONDS)
            if content is None or content[0] in (wire.LEFT, wire.BYE):
                self.failure = "it did not come as far as the present"
                return
            if content[0] == wire.STATE:
                state = wire.parse_state(content)
                self.tick, self.state_bytes, self.packed_bytes = state["tick"], state["size"], state["packed_size"]
                left = self.packed_bytes
            elif content[0] == wire.PIECE:
                left -= len(wire.parse_piece(content)[3])
                self.state_seconds = time.monotonic() - start if left == 0 else self.state_seconds
            elif content[0] == wire.CONFIRMED:
                tick = wire.HEAD.unpack_from(content)[4]
                self.tail_ticks += 1
                if tick + LIVE_TICKS >= joined["tick"] + (time.monotonic() - begun) * rate_hz:
                    self.live_seconds = time.monotonic() - start
                    return


class Reloads(threading.Thread):
    """An administrator who has the landblocks around the middle prepared again, one after another."""

    def __init__(self, address, number):
        super().__init__(daemon=True)
        self.line, self.number, self.is_over, self.done = wire.Line(address), number, False, 0
        self.line.send(wire.hello())
        self.line.wait(wire.WELCOME)

    def run(self):
        count = 0
        while not self.is_over:
            place = bytes([CENTRE - 1 + count % 3, CENTRE - 1 + count // 3 % 3])
            self.line.send(wire.admin(self.number, wire.COMMAND, lib.KEY, count, value=1, data=place))
            answer = self.line.wait(wire.ADMINED, wire.BYE)
            if answer is None or answer[0] == wire.BYE:
                return
            self.done += answer[wire.HEAD.size + 4]
            count += 1
            time.sleep(RELOAD_SECONDS)

    def end(self):
        self.is_over = True
        self.join()
        self.line.close()


def join_once(programs, address, ticks, number):
    """One client that steps the world: its lines with the time of each."""
    role = ["--watch"] if number % 2 == 1 else ["--predict"] if number % 4 == 0 else []
    command = lib.join_command(programs, address, "--room", LAND, "--ticks", ticks, "--trace", 1, "--seed", number, *role)
    return lib.Stamped(command)


class Joiner:
    """What came of one late join."""

    def __init__(self, lines):
        self.result = next((line for _, line in lines if line["event"] == "result"), None)
        self.tick = next((line["tick"] for _, line in lines if line["event"] == "joined"), None)
        self.ticks = [line["tick"] for _, line in lines if line["event"] == "confirmed"]


def check_joiner(number, joiner, ticks):
    name = f"join {number}"
    if joiner.result is None or joiner.tick is None:
        return [f"{name}: it never came in"]
    complaints = lib.check_clients([joiner.result], 1)
    if joiner.result["end"] != "asked":
        complaints.append(f"{name}: end {joiner.result['end']}: {joiner.result['text']}")
    if joiner.ticks != list(range(joiner.tick, joiner.tick + ticks)):
        complaints.append(f"{name}: it joined at tick {joiner.tick}, and stepped {len(joiner.ticks)} from {joiner.ticks[0] if joiner.ticks else 'none'} "
                          f"on, not {ticks} in a row")
    return [f"{name}: {one}" if not one.startswith(name) else one for one in complaints]


def drafts_at(programs, log, tick):
    """Drafts that are open in the state before a tick."""
    state = json.loads(lib.run_tool(programs.tickproof, "dump", "--tick", tick, log))
    return state["root"]["drafts_live"]


def check_drafts(drafts):
    """By joined tick, how many drafts were open there."""
    share = sum(1 for count in drafts.values() if count > 0) / max(len(drafts), 1)
    return [] if share >= DRAFTS_SHARE else [f"drafts were open at {share:.0%} of the joined ticks, not at {DRAFTS_SHARE:.0%}: nothing was shown"]


def check_probes(probes):
    return [f"probe {number}: {probe.failure}" for number, probe in enumerate(probes) if probe.failure is not None]


def check_dropped(rooms):
    return [f"room {name}: {room['dropped_ticks']} ticks dropped" for name, room in rooms.items() if room["dropped_ticks"] > 0]


def start_server(programs, folder):
    land = f"{LAND}=realm,players={PLAYERS},seed=5,hash=fnv1a128,config.work_units={WORK_UNITS}"
    return lib.Server(programs, folder / "server", ["--listen", "127.0.0.1:0", "--threads", "1", "--admin-key-file", str(lib.write_key(folder / "key")),
                                                     "--live", land, *OTHERS])


def join_all(programs, address, rate_hz, options):
    draw = random.Random(options.seed)
    joiners, probes = [], []
    for number in range(options.joins):
        time.sleep(draw.uniform(0, 2 * options.seconds))
        client = join_once(programs, address, options.ticks, number)
        try:
            probes.append(Probe(address).run(rate_hz))
        finally:
            joiners.append(Joiner(client.ended(options.ticks + lib.STOP_SECONDS)))
    return joiners, probes


def spread(values, digits=0):
    ordered = sorted(values) or [0]
    return " / ".join(f"{value:.{digits}f}" for value in (ordered[0], lib.median(ordered), ordered[-1]))


def print_tables(joiners, probes, drafts, rooms):
    good = [probe for probe in probes if probe.failure is None]
    lib.print_table("late joins; least / median / most", [{
        "joins": len(joiners), "at ticks": spread([joiner.tick for joiner in joiners if joiner.tick is not None]),
        "open drafts": spread(drafts.values()), "state bytes": lib.most([probe.state_bytes for probe in good]),
        "packed": spread([probe.packed_bytes for probe in good]), "tail ticks": spread([probe.tail_ticks for probe in good]),
        "ms to state": spread([probe.state_seconds * 1000 for probe in good]), "ms to live": spread([probe.live_seconds * 1000 for probe in good]),
    }])
    lib.print_table("rooms of the thread", [{
        "room": name, "ticks": room["ticks"], "p50 ms": lib.ms(room["lateness_p50_us"]), "p99 ms": lib.ms(room["lateness_p99_us"]),
        "max ms": lib.ms(room["lateness_max_us"]), "late": room["late_ticks"], "dropped": room["dropped_ticks"],
        "states": room["live"]["snapshots"],
    } for name, room in rooms.items()])


def run(options, programs, folder):
    with start_server(programs, folder) as server:
        address = server.listening()
        named = [part for room in [LAND, *OTHER_ROOMS] for part in ("--room", room)]
        with lib.start_bots(programs, address, folder, "bots", "--clients", str(BOTS), *named) as bots:
            server.wait_for("room.join", BOTS * 4, lib.START_SECONDS)
            line = wire.Line(address)
            line.send(wire.hello())
            land = next(room for room in line.rooms() if room["name"] == LAND)
            line.close()
            reloads = Reloads(address, land["number"])
            reloads.start()
            time.sleep(3)
            joiners, probes = join_all(programs, address, land["rate_hz"], options)
            reloads.end()
            bots.signal(lib.signal.SIGTERM)
            bots.wait(lib.STOP_SECONDS)
        waited_seconds = server.waited_for_core()
        rooms = server.stop()
    log = server.record / f"{LAND}.tpr"
    drafts = {joiner.tick: drafts_at(programs, log, joiner.tick) for joiner in joiners if joiner.tick is not None}
    print_tables(joiners, probes, drafts, rooms)
    print(f"landblocks prepared again: {reloads.done} commands of an administrator; for {waited_seconds:.2f} s the server was ready to run and other "
          "programs had the cores")
    complaints = [one for number, joiner in enumerate(joiners) for one in check_joiner(number, joiner, options.ticks)]
    complaints += check_probes(probes) + check_drafts(drafts) + lib.check_rooms(rooms) + ([] if options.no_timing else check_dropped(rooms))
    complaints += lib.check_clients(lib.results_of(bots), BOTS * 4) + lib.check_logs(lib.verify(programs, server.record), rooms)
    return complaints
