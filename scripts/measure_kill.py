"""A server that is killed again and again goes on with its rooms: kill -9 at random moments, and the same command once more.

Live rooms of all three worlds play for the whole run, with clients that live across the kills: each plays ahead of the server and comes back by
its token. Moments are drawn from the seed and counted from the start of the process, so that some hit a server that is just taking up its logs.
Promise, after every kill: each room that opens goes on with its log (room.recovered), at a tick that is no lower than any `durable` that a client
was told, nor lower than where it went on before; what clients saw confirmed beyond that is at most the stretch of ticks that was being filled and
three that the recorder may still hold; every client comes back to the slots that it had, and is taken back and no more: no root differs, none is
put out. A tick that clients saw confirmed and that was not taken back has one root for ever, and it is the log's. At the end the server is
stopped, and every room's log, with its series where it is rotated, verifies to its end, with as many RESUMEs as the room went on, each of the next
epoch. (kill -9 takes what the process holds. What the system holds, a power cut would take too: that is what the syncs are for, and this does
not show it.)
"""
import json
import random
import time

import measure_lib as lib
import tprread

STRETCH_TICKS = {"interval": 60, "seal": 600, "tick": 1}
STRETCHES_HELD = 3  # LOG_RING_BUFFERS, without the one that is being filled
WORLDS = ["runner", "fighter", "realm"]
PLAYERS = 4
CLIENTS = 2
REJOIN_SECONDS = 300
ROTATE_TICKS = 1500
EARLY_SHARE, EARLY_SECONDS = 0.15, 0.3  # of the kills: so soon after the start that rooms are being taken up
AWAY_SECONDS = 20   # for clients to hear that the server is gone
BACK_SECONDS = 30   # at the end, for all to be there again


def add_flags(parser):
    parser.add_argument("--rounds", type=int, default=100, help="kills (100)")
    parser.add_argument("--rooms", type=int, default=16, help="live rooms, of the three worlds in turn (16)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (1)")
    parser.add_argument("--seconds", type=float, default=4, help="from a start to a kill, at most (4)")


# The rooms.


class Plan:
    """One room: its name, world, and how safe its log is. Of eight rooms one syncs every tick and one at seals only; every third is rotated."""

    def __init__(self, number):
        self.world = WORLDS[number % len(WORLDS)]
        self.name = f"{self.world}-{number}"
        self.durability = {4: "tick", 7: "seal"}.get(number % 8, "interval")
        self.rotate_ticks = ROTATE_TICKS if number % 4 == 1 else 0
        self.bound = STRETCH_TICKS[self.durability] * (1 + STRETCHES_HELD)

    def config(self):
        return {"source": "live", "name": self.name, "world": self.world, "players": PLAYERS, "seed": 7, "rejoin_seconds": REJOIN_SECONDS,
                "rotate_ticks": self.rotate_ticks, "record": {"durability": self.durability}}


def make_plans(count):
    return [Plan(number) for number in range(count)]


def write_config(path, plans, port, record):
    record_all = {"directory": str(record.resolve())}
    path.write_text(json.dumps({"listen": f"127.0.0.1:{port}", "record": record_all, "rooms": [plan.config() for plan in plans]}))


def moment_of(draw, seconds):
    return draw.uniform(0, EARLY_SECONDS) if draw.random() < EARLY_SHARE else draw.uniform(EARLY_SECONDS, seconds)


# What clients and servers say.


class Watch:
    """What is known of one room, from what clients and the servers said of it, in the order in which it happened."""

    def __init__(self, plan):
        self.plan, self.name = plan, plan.name
        self.roots = {}         # of ticks that were confirmed and not taken back
        self.slots = {}         # of each client: which, and since which tick
        self.is_in = {}
        self.confirmed = self.durable = self.recovered = 0
        self.recoveries, self.losses, self.joins = 0, [], 0
        self.complaints = []

    def complain(self, words):
        self.complaints.append(f"{self.name}: {words}")

    def take_line(self, line):
        client = line["client"]
        if line["event"] == "joined":
            self.joins += 1
            self.is_in[client] = True
            slots, _ = self.slots.setdefault(client, (line["slots"], line["tick"]))
            if slots != line["slots"]:
                self.complain(f"client {client} had slots {slots}, and came back to {line['slots']}")
        elif line["event"] == "away":
            self.is_in[client] = False
        elif line["event"] == "confirmed":
            self.take_confirmed(client, line)
        elif line["event"] == "desync":
            self.complain(f"client {client}: its root of tick {line['tick']} is another one")
        elif line["event"] == "result":
            self.is_in[client] = False

    def take_confirmed(self, client, line):
        self.confirmed = max(self.confirmed, line["tick"] + 1)
        self.durable = max(self.durable, (line["last_durable"] if line["last_durable"] is not None else -1) + 1)
        if self.roots.setdefault(line["tick"], line["root"]) != line["root"]:
            self.complain(f"client {client}: tick {line['tick']} has root {line['root']}, and had {self.roots[line['tick']]} before")

    def take_recovered(self, tick):
        """A server goes on with the room's log, as the first thing that it does with it."""
        self.recoveries += 1
        if tick < self.durable:
            self.complain(f"goes on at tick {tick}: ticks up to {self.durable - 1} were said to be durable")
        if tick < self.recovered:
            self.complain(f"goes on at tick {tick}, and was at {self.recovered} when it was taken up before")
        loss = max(self.confirmed - tick, 0)
        if loss > self.plan.bound:
            self.complain(f"goes on at tick {tick}: {loss} confirmed ticks are lost, more than {self.plan.bound}")
        self.losses.append(loss)
        self.recovered = self.confirmed = tick
        self.roots = {at: root for at, root in self.roots.items() if at < tick}
        # Who came on a tick that is lost was never there: nobody knows the token, and any slot will do.
        self.slots = {client: (slots, since) for client, (slots, since) in self.slots.items() if since + 1 < tick}

    def take_events(self, events):
        """Of one server after the first. A room that opens goes on with its log."""
        kinds = {event["event"]: event for event in events if event.get("room") == self.name}
        recovered = kinds.get("room.recovered")
        if recovered is not None and recovered.get("cut_bytes") is None:
            self.complain(f"its log was passed over: {recovered['message']}")
        elif recovered is not None:
            self.take_recovered(recovered["tick"])
        elif "room.open" in kinds:
            self.complain("opened without its log")
        for kind in "room.desync", "room.fault", "room.refused", "room.record_failed":
            if kind in kinds:
                self.complain(f"{kind}: {kinds[kind].get('message', '')}")


def take_lines(watches, lines):
    for line in lines:
        watches[line["room"]].take_line(line)


def read_results(watches, results, count):
    """What each membership came to in the end."""
    complaints = [f"{line['room']}, client {line['client']}: {line['verdict']}, end {line['end']}: {line['text']}" for line in results
                  if line["verdict"] != "agreed" or line["end"] != "asked"]
    if len(results) != count:
        complaints.append(f"{len(results)} memberships instead of {count}")
    for line in results:
        if line["rejoins"] == 0 and watches[line["room"]].recoveries > 0:
            complaints.append(f"{line['room']}, client {line['client']}: never came back")
    return complaints


# The logs.


def log_roots(path):
    """Root of each tick, as short as the log has it, and what is wrong with the file by the page of its format."""
    roots = {}
    _, problem = tprread.read_log(path, lambda line, rows: roots.update((row["tick"], row["root"]) for row in rows if line["type"] == "TICKS"))
    return roots, None if problem is None else f"offset {problem.offset}: {problem.what}"


def files_of(record, name):
    """The files of a room's log: one, or a series."""
    return sorted(path for path in record.glob("*.tpr") if path.name.startswith(name + "."))


def check_epochs(watch, infos):
    """Each RESUME is of the epoch after the one before. A file of a series counts anew, and says how many there were before it."""
    epochs = [int(info["provenance"].get("epoch", 0)) + resume["epoch"] for info in infos for resume in info["resumes"]]
    if len(epochs) < watch.recoveries:
        return [f"{watch.name}: {watch.recoveries} servers went on with its log, and it has {len(epochs)} RESUMEs"]
    return [] if epochs == list(range(1, len(epochs) + 1)) else [f"{watch.name}: epochs {epochs[:20]} in its log do not go up by one"]


def check_log(watch, reports, infos, roots, problems):
    """What is wrong with a room's log, which its server ended as it should."""
    complaints = [f"{watch.name}: {report['verdict']}: {report['message']}" for report in reports if report["exit"] != lib.VERIFIED]
    complaints += [f"{watch.name}: {problem}" for problem in problems]
    if not reports:
        return [f"{watch.name}: it left no log"]
    if any(report["gaps"] for report in reports):
        complaints.append(f"{watch.name}: ticks are missing in its log")
    if max(roots, default=-1) + 1 < watch.confirmed:
        complaints.append(f"{watch.name}: {watch.confirmed} ticks were confirmed, and its log ends before tick {max(roots, default=-1) + 1}")
    wrong = [tick for tick, root in watch.roots.items() if tick in roots and not root.startswith(roots[tick])]
    if wrong:
        complaints.append(f"{watch.name}: {len(wrong)} ticks have other roots in the log than clients saw, the first is {min(wrong)}")
    lost = [tick for tick in watch.roots if tick not in roots]
    if lost:
        complaints.append(f"{watch.name}: {len(lost)} ticks that clients saw are not in the log, the first is {min(lost)}")
    return complaints + check_epochs(watch, infos)


def check_logs(programs, record, watches):
    complaints, files = [], {watch.name: files_of(record, watch.name) for watch in watches}
    reports = lib.verify(programs, record)
    for watch in watches:
        mine = files[watch.name]
        infos = [json.loads(lib.run_tool(programs.tickproof, "info", "--format", "json", path, codes=range(9))) for path in mine]
        read = [log_roots(path) for path in mine]
        roots = {tick: root for found, _ in read for tick, root in found.items()}
        complaints += check_log(watch, [reports[path.stem] for path in mine if path.stem in reports], infos, roots,
                                [f"{path.name}: {problem}" for path, (_, problem) in zip(mine, read) if problem is not None])
    return complaints


# The run.


class Play:
    """A server command, clients that live longer than its servers, and what is known of the rooms."""

    def __init__(self, programs, folder, plans):
        self.programs, self.folder, self.plans = programs, folder, plans
        self.record = folder / "own"
        self.watches = {plan.name: Watch(plan) for plan in plans}
        self.members = len(plans) * CLIENTS
        self.config = folder / "rooms.json"
        self.port = lib.free_port()
        write_config(self.config, plans, self.port, self.record)
        self.bots = self.tail = None
        self.results = []
        self.complaints = []

    def start(self, number):
        return lib.Server(self.programs, self.folder / f"server-{number}", ["--config", str(self.config)], self.record)

    def call_clients(self, address):
        self.bots = lib.start_bots(self.programs, address, self.folder, "clients", "--clients", str(CLIENTS), "--predict", "--rejoin",
                                   "--rejoin-seconds", str(REJOIN_SECONDS), "--trace", "1")
        self.tail = lib.Tail(self.bots.out)

    def look(self):
        lines = self.tail.read()
        take_lines(self.watches, lines)
        self.results += [line for line in lines if line["event"] == "result"]

    def wait(self, is_so, seconds):
        """False: it is not so in that time."""
        end = time.monotonic() + seconds
        while not is_so():
            if self.bots.has_ended():
                raise lib.Broken(f"the clients left with code {self.bots.code}: {self.bots.err.read_text()[-800:]}")
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
            self.look()
        return True

    def insist(self, what, is_so, seconds):
        if not self.wait(is_so, seconds):
            raise lib.Broken(what)

    def count_in(self):
        return sum(sum(watch.is_in.values()) for watch in self.watches.values())

    def begin(self, server):
        """All clients are in, and the disk knows of it: who came later than what is durable is a stranger to the next server."""
        self.call_clients(server.listening())
        watches = self.watches.values()
        self.insist("not all clients have come in", lambda: all(watch.joins >= CLIENTS for watch in watches), lib.START_SECONDS + lib.STOP_SECONDS)
        entered = {watch.name: watch.confirmed for watch in watches}
        self.insist("the first ticks do not become durable", lambda: all(watch.durable > entered[watch.name] for watch in watches), lib.STOP_SECONDS)

    def kill(self, server, is_first):
        """What the server said before it was killed comes first, then what its clients were told of it."""
        server.kill()
        if not is_first:
            for watch in self.watches.values():
                watch.take_events(server.events())
        self.look()
        self.insist("clients do not notice that the server was killed", lambda: self.count_in() == 0, AWAY_SECONDS)

    def end(self, server):
        """One more server, which is stopped once everybody is there again."""
        server.wait_for("room.recovered", len(self.plans), lib.START_SECONDS)
        for watch in self.watches.values():
            watch.take_events(server.events())
        if not self.wait(lambda: self.count_in() == self.members, BACK_SECONDS):
            self.complaints.append(f"{self.members - self.count_in()} of {self.members} clients are not back {BACK_SECONDS} s after the last start")
        time.sleep(1)
        self.bots.signal(lib.signal.SIGTERM)
        self.bots.wait(lib.STOP_SECONDS)
        self.look()
        server.stop()

    def finish(self):
        if self.bots is not None:
            self.bots.kill()


def print_round(number, moment, play, before):
    watches = list(play.watches.values())
    back = [watch for watch in watches if watch.recoveries > before[watch.name]]
    lost = [watch.losses[-1] for watch in back]
    wrong = sum(len(watch.complaints) for watch in watches)
    print(f"  {number:3} {moment:7.3f} s  rooms taken up {len(back):2}, lost {lib.median(lost):.0f} ticks, at most {lib.most(lost)}; clients back "
          f"{sum(watch.joins for watch in watches)}{f'; {wrong} WRONG' if wrong else ''}", flush=True)


def row_of(durability, watches):
    losses = [loss for watch in watches for loss in watch.losses]
    return {
        "durability": durability, "rooms": len(watches), "taken up": sum(watch.recoveries for watch in watches),
        "rejoins": sum(watch.joins - CLIENTS for watch in watches), "ticks": sum(watch.confirmed for watch in watches),
        "median lost": f"{lib.median(losses):.0f}", "most lost": lib.most(losses),
        "bound": f"{STRETCH_TICKS[durability]} + {STRETCH_TICKS[durability] * STRETCHES_HELD}",
        "above a stretch": sum(1 for loss in losses if loss > STRETCH_TICKS[durability]),
    }


def kill_all(play, moments):
    """Servers one after another."""
    for number, moment in enumerate(moments):
        with play.start(number) as server:
            started = time.monotonic()
            before = {watch.name: watch.recoveries for watch in play.watches.values()}
            if number == 0:
                play.begin(server)
                time.sleep(moment)
            else:
                time.sleep(max(started + moment - time.monotonic(), 0))
            play.kill(server, number == 0)
        print_round(number, moment, play, before)
    with play.start(len(moments)) as server:
        play.end(server)


def run(options, programs, folder):
    draw = random.Random(options.seed)
    play = Play(programs, folder, make_plans(options.rooms))
    print(f"seed {options.seed}, {options.rounds} rounds, {options.rooms} rooms; killed after:")
    try:
        kill_all(play, [moment_of(draw, options.seconds) for _ in range(options.rounds)])
    finally:
        play.finish()
    watches = list(play.watches.values())
    complaints = play.complaints + [complaint for watch in watches for complaint in watch.complaints]
    complaints += read_results(play.watches, play.results, play.members)
    complaints += check_logs(programs, play.record, watches)
    kinds = sorted({watch.plan.durability for watch in watches})
    lib.print_table("ticks that clients saw confirmed and that were taken back; bound: the stretch being filled + those that the recorder may hold",
                    [row_of(kind, [watch for watch in watches if watch.plan.durability == kind]) for kind in kinds])
    return complaints
