"""A client whose world went another way is found at once, and nobody else ever is.

First, for each world and each policy of a room, a client that changes one bit of its own world after a tick (`tickproof join --plant-desync`),
beside one that does not, in every second room both ahead of the server. Promise: the bundle is there within a second of the bad tick's
confirmation; it names that tick and that client's slot; `tickproof diff` of it exits 1, and says that exactly one field differs, in which section,
and that a run of the log agrees with the server; and the room does what its policy says: resync, and the client goes on; kick, and it is out; halt,
and the room stands still until an administrator resumes it; log, and nothing. The other client's roots agree all along.

Then rooms of all worlds as fast as they go well, with clients that play ahead of the server on a bad line and others that do not, until so many
ticks have been confirmed to them in sum. Promise: not one of them is taken for another one.
"""
import json
import time

import measure_lib as lib

WORLDS = {"runner": 120, "fighter": 60, "realm": 30}
POLICIES = ["resync", "kick", "halt", "log"]
BUNDLE_SECONDS = 1.0
LOOK_SECONDS = 0.005
WAIT_SECONDS = 40     # for a bundle, however late
AFTER_TICKS = 60      # that a client goes on for after a resync, and a room after a halt
# How many times as fast as usual an administrator lets rooms go, and how many there are. More is more than two cores hold with all their clients.
CONTROL = {"runner": (8, 2), "fighter": (8, 2), "realm": (3, 2)}
CONTROL_CLIENTS = 2   # of each of the two kinds
TRACE_TICKS = 500


def add_flags(parser):
    parser.add_argument("--control-ticks", type=int, default=1_000_000, help="confirmed to clients in sum, with nothing planted (1000000)")
    parser.add_argument("--plant-seconds", type=float, default=3, help="from the first tick to the planted one (3)")
    parser.add_argument("--few", action="store_true", help="plant one for each world only, each under another policy")
    parser.add_argument("--seed", type=int, default=1, help="of the bits and bots (1)")
    parser.add_argument("--no-timing", action="store_true", help="also fine when a bundle comes late: for a machine that is busy")


# Planted ones.


class Plant:
    """One room with a planted desync, and what came of it."""

    def __init__(self, world, policy, number):
        self.world, self.policy, self.number = world, policy, number
        self.room = f"{world}-{policy}"
        self.seen_at = self.bundle_at = self.path = self.diff = self.diff_code = None
        self.tick = None
        self.confirmed_after, self.is_resumed = 0, False
        self.events, self.results = [], {}

    def flags(self):
        return ["--live", f"{self.room}={self.world},players=4,seed=9,on_desync={self.policy}"]

    def take_line(self, seconds, line):
        if line["event"] == "desync" and self.seen_at is None:
            self.seen_at, self.tick = seconds, line["tick"]
        elif line["event"] == "confirmed" and self.seen_at is not None:
            self.confirmed_after += 1
        elif line["event"] == "result":
            self.results["planted"] = line


def plant_tick(world, options):
    return max(int(WORLDS[world] * options.plant_seconds), 2)


def call_clients(programs, address, folder, plant, options):
    """A client that stays honest comes first, and has slot 0."""
    ahead = ["--predict"] if plant.number % 2 == 0 else []
    honest = lib.start_bots(programs, address, folder, plant.room, "--room", plant.room, "--seed", str(options.seed), *ahead)
    return honest, lib.Stamped(lib.join_command(programs, address, "--room", plant.room, "--seed", options.seed + plant.number, "--trace", 1,
                                                "--plant-desync", plant_tick(plant.world, options), *ahead))


def find_bundle(folder, room):
    """A bundle that is whole has no .part at its end."""
    found = sorted(path for path in folder.glob(f"{room}.tick*.desync") if path.is_dir())
    return found[0] if found else None


def watch_bundle(plant, client, folder):
    """Until the bundle is there, or it is far too late."""
    end = time.monotonic() + WAIT_SECONDS
    while plant.bundle_at is None and time.monotonic() < end:
        for seconds, line in client.taken():
            plant.take_line(seconds, line)
        path = find_bundle(folder, plant.room)
        if path is not None:
            plant.path, plant.bundle_at = path, time.monotonic()
        time.sleep(LOOK_SECONDS)


def has_event(server, kind, room):
    return any(event["room"] == room for event in server.events(kind))


def let_policy_work(programs, server, address, key, plant, client):
    """Time for what the policy does; a room that stands still is told to go on."""
    end = time.monotonic() + (WAIT_SECONDS if plant.policy == "resync" else 3)
    if plant.policy == "halt":
        while not has_event(server, "room.paused", plant.room) and time.monotonic() < end:
            time.sleep(0.05)
        answer = lib.run_tool(programs.tickproof, "admin", address, "--key-file", key, "--format", "json", "resume", plant.room, codes=range(9))
        plant.is_resumed = '"done":true' in answer
    while time.monotonic() < end and plant.confirmed_after < AFTER_TICKS and not client.has_ended():
        for seconds, line in client.taken():
            plant.take_line(seconds, line)
        time.sleep(0.02)


def plant_one(programs, server, folder, address, key, plant, options):
    honest, client = call_clients(programs, address, folder, plant, options)
    with honest:
        try:
            watch_bundle(plant, client, server.record)
            let_policy_work(programs, server, address, key, plant, client)
        finally:
            client.stop()
            for seconds, line in client.ended(lib.STOP_SECONDS):
                plant.take_line(seconds, line)
        honest.signal(lib.signal.SIGTERM)
        honest.wait(lib.STOP_SECONDS)
        results = lib.results_of(honest)
    plant.results["honest"] = results[0] if results else None
    plant.events = [event for event in server.events() if event.get("room") == plant.room]
    if plant.path is not None:
        plant.diff_code, plant.diff = diff_of(programs, plant.path)


def diff_of(programs, path):
    done = lib.subprocess.run([programs.tickproof, "diff", "--format", "json", str(path)], stdin=lib.subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else {"message": done.stderr[-300:]}


def check_diff(plant, tick):
    """What the bundle has to say."""
    diff, complaints = plant.diff, []
    if plant.diff_code != 1:
        return [f"diff exits {plant.diff_code}: {diff.get('message', diff.get('verdict'))}"]
    due = {"tick": tick, "room": plant.room, "policy": plant.policy, "world": plant.world, "differing_fields": 1, "has_states": True,
           "says_otherwise": False}
    complaints += [f"diff says {key} {diff.get(key)}, not {value}" for key, value in due.items() if diff.get(key) != value]
    if not diff.get("section") or not diff.get("field") or not diff["field"].startswith(diff["section"]):
        complaints.append(f"diff names section {diff.get('section')} and field {diff.get('field')}")
    if diff.get("server_value") == diff.get("client_value"):
        complaints.append("diff names a field whose values are equal")
    if diff.get("resimulation", {}).get("agrees") != "server":
        complaints.append(f"a run of the log agrees with {diff.get('resimulation', {}).get('agrees')}, not with the server")
    result = plant.results.get("planted")
    if result is not None and diff.get("slot") not in result["slots"]:
        complaints.append(f"the bundle is of slot {diff.get('slot')}, and the client had {result['slots']}")
    return complaints


def check_policy(plant):
    """What the room did about it."""
    result, kinds = plant.results.get("planted"), [event["event"] for event in plant.events]
    if result is None:
        return ["the client left no result"]
    complaints = [] if result["verdict"] == "desync" else [f"the client says {result['verdict']}"]
    ends = {"kick": "desync"}.get(plant.policy, "asked")
    if result["end"] != ends:
        complaints.append(f"the client ended by {result['end']}, not {ends}: {result['text']}")
    if plant.policy == "resync" and (plant.confirmed_after < AFTER_TICKS or result["desyncs"] != 1):
        complaints.append(f"after the room's state came, {plant.confirmed_after} ticks were confirmed, with {result['desyncs']} desyncs in all")
    if plant.policy == "halt" and ("room.paused" not in kinds or not plant.is_resumed):
        complaints.append("the room did not stand still until an administrator resumed it")
    return complaints


def check_plant(plant, tick, is_timed=True):
    """What is wrong with one planted desync."""
    if plant.path is None:
        return [f"{plant.room}: no bundle"]
    complaints = check_diff(plant, tick) + check_policy(plant)
    if plant.tick != tick:
        complaints.append(f"the client's roots differ from tick {plant.tick} on, not from {tick}")
    if is_timed and plant.bundle_at - plant.seen_at > BUNDLE_SECONDS:
        complaints.append(f"the bundle came {plant.bundle_at - plant.seen_at:.2f} s after the bad tick was confirmed")
    desyncs = [event for event in plant.events if event["event"] == "room.desync"]
    if len(desyncs) != 1 or desyncs[0]["tick"] != tick:
        complaints.append(f"the server told of {len(desyncs)} desyncs: {[event['tick'] for event in desyncs][:5]}")
    honest = plant.results.get("honest")
    if honest is None or honest["verdict"] != "agreed":
        complaints.append(f"the other client: {honest['verdict'] if honest else 'no result'}")
    return [f"{plant.room}: {one}" for one in complaints]


def row_of(plant):
    diff = plant.diff or {}
    return {
        "room": plant.room, "tick": plant.tick, "bundle ms": f"{(plant.bundle_at - plant.seen_at) * 1000:.0f}" if plant.path else "-",
        "section": diff.get("section"), "field": diff.get("field"), "there": diff.get("server_value"), "here": diff.get("client_value"),
        "end": (plant.results.get("planted") or {}).get("end"), "ticks after": plant.confirmed_after,
    }


def plant_all(programs, folder, options):
    plants = [Plant(world, policy, number * len(POLICIES) + at) for number, world in enumerate(WORLDS) for at, policy in enumerate(POLICIES)]
    plants = plants[::len(POLICIES) + 1] if options.few else plants
    folder.mkdir()
    key = lib.write_key(folder / "key")
    flags = ["--listen", "127.0.0.1:0", "--admin-key-file", str(key), *[flag for plant in plants for flag in plant.flags()]]
    with lib.Server(programs, folder / "server", flags) as server:
        address = server.listening()
        for plant in plants:
            plant_one(programs, server, folder, address, key, plant, options)
        rooms = server.stop()
    complaints = [one for plant in plants for one in check_plant(plant, plant_tick(plant.world, options), not options.no_timing)]
    lib.print_table("planted desyncs; bundle: from when the client heard of the bad tick until the bundle was there; ticks after: confirmed to it "
                    "from there on", [row_of(plant) for plant in plants])
    return complaints + lib.check_rooms(rooms) + lib.check_logs(lib.verify(programs, server.record), rooms)


# The control.


def control_flags(key):
    rooms = [f"{world}={world},players={2 * CONTROL_CLIENTS},seed=4,count={count}" for world, (_, count) in CONTROL.items()]
    return ["--listen", "127.0.0.1:0", "--admin-key-file", str(key), *[part for room in rooms for part in ("--live", room)]]


def hurry(programs, address, key):
    for world, (times, count) in CONTROL.items():
        for number in range(count):
            lib.run_tool(programs.tickproof, "admin", address, "--key-file", key, "speed", f"{world}-{number + 1}", times)


def control_rooms():
    return sum(count for _, count in CONTROL.values())


def check_control(rooms, results, events, ticks):
    """What is wrong with a run in which nothing was planted."""
    complaints = lib.check_rooms(rooms) + lib.check_clients(results, control_rooms() * 2 * CONTROL_CLIENTS)
    complaints += [f"room {event['room']}: a false alarm at tick {event['tick']}: {event['message']}" for event in events]
    complaints += [f"room {name}: {room['live']['desyncs']} desyncs" for name, room in rooms.items() if room["live"]["desyncs"] > 0]
    reports = sum(room["live"]["reports"] for room in rooms.values())
    if reports == 0:
        complaints.append("no root was reported: nothing was shown")
    confirmed = sum(line["confirmed"] for line in results)
    if confirmed < ticks:
        complaints.append(f"{confirmed} ticks were confirmed, not {ticks}")
    return complaints


def control_row(world, rooms, results):
    mine = [room for room in rooms.values() if room["world"] == world]
    lines = [line for line in results if line["world"] == world]
    return {
        "world": world, "rooms": len(mine), "clients": len(lines), "ticks": sum(room["ticks"] for room in mine),
        "confirmed": sum(line["confirmed"] for line in lines), "reports": sum(room["live"]["reports"] for room in mine),
        "rollbacks": sum(line["predict"]["rollbacks"] for line in lines if "predict" in line),
        "depth": lib.most([line["predict"]["depth_max"] for line in lines if "predict" in line]),
        "desyncs": sum(room["live"]["desyncs"] for room in mine), "dropped": sum(room["dropped_ticks"] for room in mine),
    }


def run_control(programs, folder, options):
    rate = sum(WORLDS[world] * times * count for world, (times, count) in CONTROL.items()) * 2 * CONTROL_CLIENTS
    (folder / "control").mkdir()
    key = lib.write_key(folder / "control" / "key")
    with lib.Server(programs, folder / "control", control_flags(key)) as server:
        address = server.listening()
        kinds = {"ahead": ["--predict", "--window", "60", "--lag", "3", "--jitter", "6"], "behind": []}
        bots = [lib.start_bots(programs, address, folder, name, "--clients", str(CONTROL_CLIENTS), "--seed", str(options.seed),
                               "--trace", str(TRACE_TICKS), *flags)
                for name, flags in kinds.items()]
        try:
            server.wait_for("room.join", control_rooms() * 2 * CONTROL_CLIENTS, lib.START_SECONDS)
            hurry(programs, address, key)
            wait_for_ticks(bots, options.control_ticks, rate)
            for one in bots:
                one.signal(lib.signal.SIGTERM)
            for one in bots:
                one.wait(lib.STOP_SECONDS)
        finally:
            for one in bots:
                one.kill()
        rooms = server.stop()
    results = [line for one in bots for line in lib.results_of(one)]
    complaints = check_control(rooms, results, server.events("room.desync"), options.control_ticks)
    lib.print_table("nothing planted", [control_row(world, rooms, results) for world in CONTROL])
    return complaints + lib.check_logs(lib.verify(programs, server.record), rooms)


def wait_for_ticks(bots, ticks, rate):
    """By what the clients say. A machine that does not hold the rooms' rates is given five times as long."""
    end = time.monotonic() + 5 * ticks / rate + lib.STOP_SECONDS
    tails, confirmed = [lib.Tail(one.out) for one in bots], 0
    while confirmed < ticks and time.monotonic() < end and not any(one.has_ended() for one in bots):
        time.sleep(0.5)
        confirmed += TRACE_TICKS * sum(1 for tail in tails for line in tail.read() if line["event"] == "confirmed")


def run(options, programs, folder):
    return plant_all(programs, folder / "planted", options) + run_control(programs, folder, options)
