"""What clients that keep to nothing cost those that do: hostile runs and quiet ones in turn.

Quiet: live rooms of all three worlds and recorded ones, with bots that behave, over TCP, WebSockets and by datagrams. Hostile: the same, and
scripts/measure_abuse.py. Promise: no dropped tick in any room, hostile or not; the 99th percentile of lateness, of the worst room of a run and in
the middle of all runs, at most 1.5 times that of the quiet runs; the bots' roots agree, and nobody who behaves is put out; all logs verify; no guessed
token or key is good; the server names each kind of abuse (server.clients); and its memory stays below what the quiet run of the pair took,
and 8 KiB for each connection that it takes at once, and 40 KiB for each of one address' requests, and the send queue for each client that does not read, and the states that are under way, and
8 MiB.
"""
import contextlib
import pathlib
import sys
import threading
import time

import measure_abuse
import measure_lib as lib
import measure_wire as wire

CONNECTIONS, KEPT = 1000, 1100
SEND_QUEUE = 65536
SILENCE_MS = 2000
# States of the realm have 1.5 MB each: the room's snapshots, those that are being packed, and of a desync that is being written both sides', each
# decoded once more, and the one that running again comes to.
STATES_UNDER_WAY_KIB = 32 * 1024
# Slots of clients that are gone are soon free again, so that the abuse goes on. In rooms with FNV-1a it can be ready. Nobody goes to the idle ones:
# they make the list of rooms long.
LIVE = ["--live", "duel=fighter,players=8,seed=3,count=3,hash=fnv1a128,rejoin_seconds=2",
        "--live", "lanes=runner,players=4,seed=4,count=2,rejoin_seconds=2",
        "--live", "crowd=fighter,players=100,seed=5,hash=fnv1a128,rejoin_seconds=2",
        "--live", "wild=realm,players=32,seed=6,hash=fnv1a128,rejoin_seconds=2", "--live", "idle=runner,count=24"]
LIVE_NAMES = ["duel-1", "duel-2", "duel-3", "lanes-1", "lanes-2", "crowd", "wild"]
UDP_NAMES = ["duel-1", "lanes-1"]  # one more bot each, by datagrams
WEB_NAMES = ["duel-2", "lanes-2"]  # and one more each, over WebSockets
REQUESTS, REQUEST_KIB = 64, 40     # that one address may have at once
CLIENTS = 2
MEMBERSHIPS = CLIENTS * len(LIVE_NAMES) + len(UDP_NAMES) + len(WEB_NAMES)
LATENESS_TIMES = 1.5
WORLDS = {"tape-fighter": ("fighter", 60), "tape-runner": ("runner", 120)}
REASONS_NAMED = ["malformed", "version", "silent", "flood", "slow"]
FLAGS = ["--listen", "127.0.0.1:0", "--udp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--max-connections", str(CONNECTIONS), "--send-queue-bytes", str(SEND_QUEUE),
         "--silence-ms", str(SILENCE_MS), *LIVE]
PLACES = ["lobby", "room"]
PING_SECONDS, PONG_SECONDS = 0.05, 30


def add_flags(parser):
    parser.add_argument("--runs", type=int, default=10, help="of each kind (10)")
    parser.add_argument("--seconds", type=int, default=5, help="of abuse in each run (5)")
    parser.add_argument("--connects", type=int, default=10000, help="quick ones of a hostile run (10000)")
    parser.add_argument("--seed", type=int, default=1, help="of the abuse (1)")
    parser.add_argument("--elsewhere", action="store_true", help="also runs with the abuse sent to another server on this machine, and its share "
                        "of the lateness is the machine's: hostile runs are held against these")
    parser.add_argument("--no-timing", action="store_true", help="also fine when ticks were dropped: for a machine that is busy")
    parser.add_argument("--no-memory", action="store_true", help="no bound on memory: for a build that takes more to look for errors")


class Outcome:
    """What came of one run."""

    def __init__(self, **values):
        self.rooms = self.bots = self.reports = self.ended = self.memory_kib = self.cpu_seconds = self.waited_seconds = None
        self.administered = []
        self.abuse, self.pings, self.silenced = {}, {place: [] for place in PLACES}, []
        self.__dict__.update(values)


class Pinger(threading.Thread):
    """A client that behaves and asks again and again whether anybody is there: in a room, whose thread answers, or in none."""

    def __init__(self, address, place):
        super().__init__(daemon=True)
        self.place, self.seconds, self.is_over, self.is_silenced = place, [], False, False
        self.line = wire.Line(address)
        if place == "room":
            self.line.enter(LIVE_NAMES[0], 0)
        else:
            self.line.send(wire.hello())
            self.line.wait(wire.WELCOME)

    def run(self):
        while not self.is_over:
            start = time.monotonic()
            self.line.send(wire.ping())
            answer = self.line.wait(wire.PONG, wire.BYE, seconds=PONG_SECONDS)
            if answer is None or answer[0] != wire.PONG:
                self.is_silenced = not self.is_over
                return
            self.seconds.append(time.monotonic() - start)
            time.sleep(PING_SECONDS)

    def end(self):
        self.is_over = True
        self.join()
        self.line.close()


def count_ends(events):
    """How many connections the server ended for each reason, by what it said."""
    ends = {}
    for event in events:
        for part in event["message"].split(", "):
            reason, count = part.rsplit(" ", 1)
            if reason != "the last":  # whose address it was
                ends[reason] = ends.get(reason, 0) + int(count)
    return ends


def memory_bound_kib(quiet_kib):
    return quiet_kib + CONNECTIONS * 8 + REQUESTS * REQUEST_KIB + measure_abuse.READERS * SEND_QUEUE // 1024 + STATES_UNDER_WAY_KIB + 8 * 1024


def named_rooms(names=None):
    return [part for name in names or LIVE_NAMES for part in ("--room", name)]


def start_abuse(server, folder, seed, options):
    address, udp, http = (server.listening(kind) for kind in ("", "udp ", "http "))
    command = [sys.executable, str(pathlib.Path(measure_abuse.__file__).resolve()), address, "--seconds", str(options.seconds), "--seed", str(seed),
               "--connects", str(options.connects), "--kept", str(KEPT), "--udp", udp, "--http", http]
    return lib.Child([*command, *named_rooms()], folder / "abuse.json", folder / "abuse.err")


def run_abuse(server, folder, seed, options):
    with start_abuse(server, folder, seed, options) as child:
        if child.wait(options.seconds * 4 + lib.STOP_SECONDS) != 0:
            raise lib.Broken(f"the abuse failed: {child.err.read_text()[-800:]}")
        return lib.json_lines(child.out)[0] | {"cpu_seconds": child.cpu_seconds}


@contextlib.contextmanager
def good_clients(programs, server, folder):
    """Bots over TCP, WebSockets and by datagrams. Their results are in the list once they were told to leave."""
    results, forever = [], ["--seconds", "3600"]
    with contextlib.ExitStack() as stack:
        calls = [(server.listening(), "bots", ["--clients", str(CLIENTS), *named_rooms()]),
                 (server.listening("udp "), "udp", ["--udp", "--predict", *named_rooms(UDP_NAMES)]),
                 ("ws://" + server.listening("http "), "web", ["--predict", *named_rooms(WEB_NAMES)])]
        bots = [stack.enter_context(lib.start_bots(programs, address, folder, name, *forever, *flags)) for address, name, flags in calls]
        server.wait_for("room.join", MEMBERSHIPS, lib.START_SECONDS)
        yield results
        for one in bots:
            one.signal(lib.signal.SIGTERM)
        for one in bots:
            one.wait(lib.STOP_SECONDS)
            results += lib.results_of(one)


@contextlib.contextmanager
def another_server(programs, folder):
    """One with the same rooms and nobody in them, for abuse that is another server's."""
    folder.mkdir()
    with lib.Server(programs, folder, [*FLAGS, "--admin-key-file", str(lib.write_key(folder / "key"))]) as server:
        yield server
        server.stop()


def run_once(programs, folder, tapes, options, seed, is_elsewhere=False):
    """seed None: a quiet run. Elsewhere: the abuse goes to another server, on the same machine."""
    abuse = {}
    folder.mkdir()
    flags = [*FLAGS, "--admin-key-file", str(lib.write_key(folder / "key")), "--recorded", *map(str, tapes)]
    with lib.Server(programs, folder, flags) as server:
        address = server.listening()
        with good_clients(programs, server, folder) as results:
            time.sleep(1)
            pingers = [Pinger(address, place) for place in PLACES]
            for pinger in pingers:
                pinger.start()
            if is_elsewhere:
                with another_server(programs, folder / "other") as other:
                    run_abuse(other, folder, seed, options)
            elif seed is not None:
                abuse = run_abuse(server, folder, seed, options)
            else:
                time.sleep(options.seconds)
            time.sleep(0.5)
            for pinger in pingers:
                pinger.end()
        memory_kib, waited_seconds = server.memory_max_kib(), server.waited_for_core()
        rooms = server.stop()
        return Outcome(rooms=rooms, bots=results, reports=lib.verify(programs, server.record),
                       ended=count_ends(server.events("server.clients")), administered=server.events("room.admin"), memory_kib=memory_kib,
                       cpu_seconds=server.cpu_seconds, waited_seconds=waited_seconds, abuse=abuse,
                       pings={pinger.place: pinger.seconds for pinger in pingers},
                       silenced=[pinger.place for pinger in pingers if pinger.is_silenced])


def check(outcome, is_hostile, quiet_memory_kib, is_timed=True, is_memory_bound=True):
    """What is wrong with a run."""
    complaints = lib.check_rooms(outcome.rooms) + lib.check_logs(outcome.reports, outcome.rooms)
    complaints += lib.check_clients(outcome.bots, MEMBERSHIPS)
    complaints += [f"room {line['room']}, client {line['client']}: a bot that behaved was put out: {line['end']}" for line in outcome.bots
                   if line["end"] != "asked"]
    complaints += [f"a client in {'no room' if place == 'lobby' else 'a room'} that kept asking was put out" for place in outcome.silenced]
    if is_timed:
        complaints += [f"room {name}: {room['dropped_ticks']} ticks dropped" for name, room in outcome.rooms.items() if room["dropped_ticks"] > 0]
    if is_hostile:
        named = REASONS_NAMED + (["crowded"] if is_timed else [])  # a busy machine does not get so many in at once
        complaints += [f"the server named no connection '{reason}'" for reason in named if outcome.ended.get(reason, 0) == 0]
        wrong = sum(room["live"]["wrong_slot"] + room["live"]["wrong_epoch"] + room["live"]["bad_input"] + room["live"]["early"]
                    for room in outcome.rooms.values() if "live" in room)
        complaints += [] if wrong > 0 else ["no room counted a wrong input"]
        complaints += check_let_in(outcome)
        if is_memory_bound and outcome.memory_kib > memory_bound_kib(quiet_memory_kib):
            complaints.append(f"memory: {outcome.memory_kib} KiB, more than {memory_bound_kib(quiet_memory_kib)}")
    elif outcome.ended:
        complaints.append(f"connections were ended in a quiet run: {outcome.ended}")
    return complaints


def check_let_in(outcome):
    """Nobody gets by guessing what he has no right to, and who claims a wrong root is heard and no more."""
    guessed = outcome.abuse["told"].get("let in with a forged token", 0)
    complaints = [f"a forged token was good, {guessed} times"] if guessed > 0 else []
    complaints += [f"room {event['room']}: {event['message']} with a guessed key" for event in outcome.administered]
    if sum(room["live"]["desyncs"] for room in outcome.rooms.values() if "live" in room) == 0:
        complaints.append("no room heard of a wrong root")
    return complaints


def worst_p99(outcome):
    return max(room["lateness_p99_us"] for room in outcome.rooms.values())


def check_lateness(before, hostile, kind):
    """What is wrong with all runs of both kinds together."""
    before, after = (lib.median([worst_p99(outcome) for outcome in outcomes]) for outcomes in (before, hostile))
    times = after / max(before, 1)
    print(f"the 99th percentile of lateness: {lib.ms(after)} ms in hostile runs, {lib.ms(before)} ms in {kind} ones: {times:.2f} times that")
    if after <= before * LATENESS_TIMES:
        return []
    return [f"the 99th percentile of lateness is {lib.ms(after)} ms in hostile runs and {lib.ms(before)} ms in {kind} ones: {times:.2f} times that"]


def cpu_per_byte(quiet, hostile):
    """Seconds of the server's CPU that the abuse took, and bytes that it sent. Per second of a run, since hostile ones take longer."""
    per_second = [sum(outcome.cpu_seconds for outcome in outcomes) / max(sum(run_seconds(outcome) for outcome in outcomes), 1e-9) for outcomes in
                  (quiet, hostile)]
    seconds = sum(run_seconds(outcome) for outcome in hostile)
    return (per_second[1] - per_second[0]) * seconds, sum(outcome.abuse["bytes"] for outcome in hostile)


def run_seconds(outcome):
    return max(room["seconds"] for room in outcome.rooms.values())


def row_of(kind, outcomes):
    rooms = [room for outcome in outcomes for room in outcome.rooms.values()]
    p99 = [worst_p99(outcome) for outcome in outcomes]
    late = [sum(room["late_ticks"] for room in outcome.rooms.values()) for outcome in outcomes]
    memory = [outcome.memory_kib / 1024 for outcome in outcomes]
    lobby, in_room = ([seconds * 1000 for outcome in outcomes for seconds in outcome.pings[place]] for place in PLACES)
    return {
        "run": kind, "runs": len(outcomes), "ticks": sum(room["ticks"] for room in rooms),
        "dropped": sum(room["dropped_ticks"] for room in rooms),
        "hitches": lib.most([room["hitches"] for room in rooms]), "late med": f"{lib.median(late):.0f}", "late max": lib.most(late),
        "p50 ms": lib.ms(lib.median([room["lateness_p50_us"] for room in rooms])), "p99 med": lib.ms(lib.median(p99)), "p99 max": lib.ms(lib.most(p99)),
        "max ms": lib.ms(lib.most([room["lateness_max_us"] for room in rooms])),
        "ping room": f"{lib.median(in_room):.1f}/{lib.most(in_room):.0f}", "ping lobby": f"{lib.median(lobby):.1f}/{lib.most(lobby):.0f}",
        "MiB med": f"{lib.median(memory):.1f}", "MiB max": f"{lib.most(memory):.1f}",
        "cpu s": f"{lib.median([outcome.cpu_seconds for outcome in outcomes]):.2f}",
        "wait s": f"{lib.median([outcome.waited_seconds for outcome in outcomes]):.2f}",
        "abuse cpu s": f"{lib.median([outcome.abuse.get('cpu_seconds', 0) for outcome in outcomes]):.2f}",
    }


def print_sums(title, dictionaries):
    sums = {}
    for one in dictionaries:
        for key, count in one.items():
            sums[key] = sums.get(key, 0) + count
    print(f"{title}: " + ", ".join(f"{key} {sums[key]}" for key in sorted(sums)))


def run(options, programs, folder):
    tapes, complaints, quiet, hostile, elsewhere = [], [], [], [], []
    for number, (name, (world, rate_hz)) in enumerate(WORLDS.items()):
        tapes.append(folder / f"{name}.tpr")
        lib.record_log(programs, tapes[-1], world, 4, rate_hz * (options.seconds * 5 + lib.STOP_SECONDS), number)
    for number in range(options.runs):
        quiet.append(run_once(programs, folder / f"quiet-{number}", tapes, options, None))
        hostile.append(run_once(programs, folder / f"hostile-{number}", tapes, options, options.seed + number))
        if options.elsewhere:
            elsewhere.append(run_once(programs, folder / f"elsewhere-{number}", tapes, options, options.seed + number, True))
            complaints += [f"elsewhere {number}: {one}" for one in check(elsewhere[-1], False, 0, not options.no_timing)]
        found = check(quiet[-1], False, 0, not options.no_timing)
        found += check(hostile[-1], True, quiet[-1].memory_kib, not options.no_timing, not options.no_memory)
        complaints += [f"pair {number}: {one}" for one in found]
    lib.print_table(f"{options.runs} quiet and {options.runs} hostile runs in turn, {options.seconds} s of abuse each; late: all rooms of a run; p99: the "
                    "worst room's of a run; ping: median/maximum in ms until PONG, of a client in a room and of one in none; wait: seconds "
                    "for which the server was ready to run and other programs had the cores", [row_of("quiet", quiet), row_of("hostile", hostile), *([row_of("elsewhere", elsewhere)] if elsewhere else [])])
    print_sums("done to the server", [outcome.abuse["did"] for outcome in hostile])
    print_sums("what the abuse was told", [outcome.abuse["told"] for outcome in hostile])
    print_sums("connections that the server ended, by reason", [outcome.ended for outcome in hostile])
    counts = ["joins", "leaves", "refused", "snapshots", "reports", "reports_old", "desyncs", "chats", "behind", "aways", "rejoins", "wrong_slot",
              "wrong_epoch", "bad_input", "early", "late", "duplicate"]
    print_sums("what the rooms counted", [{count: sum(room["live"][count] for room in outcome.rooms.values() if "live" in room) for count in counts}
                                          for outcome in hostile])
    seconds, sent = cpu_per_byte(quiet, hostile)
    print(f"CPU of the server for {sent} hostile bytes: {seconds:.2f} s, {seconds * 1e9 / max(sent, 1):.1f} ns a byte")
    print(f"memory: at most {lib.most([outcome.memory_kib for outcome in hostile])} KiB, bound "
          f"{memory_bound_kib(quiet[-1].memory_kib)} KiB with the last quiet run's {quiet[-1].memory_kib} KiB")
    if options.no_timing:
        return complaints
    # What shares the machine with a server is late by the machine's leave: with abuse that goes elsewhere, that part is in both.
    found = check_lateness(quiet, hostile, "quiet")
    return complaints + (check_lateness(elsewhere, hostile, "elsewhere") if elsewhere else found)
