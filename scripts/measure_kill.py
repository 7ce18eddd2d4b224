"""What is left of the logs after kill -9 at random moments.

Each round: live rooms of two worlds with clients that play, killed at a moment drawn from the seed. Promise: every log is readable and
verifies as far as it goes (truncated, exit 4; a log that was killed before its first stretch of ticks was written says the same with 0 ticks);
every tick below the `durable` that any client was told is in it, with the root that clients saw; and what clients saw confirmed and the
log does not have is at most the stretch of ticks that was being filled and three that the recorder may still hold. A stretch is 60 ticks
with durability interval, 600 with seal, 1 with tick. (kill -9 takes what the process holds. What the system holds, a power cut would take
too: that is what the syncs are for, and this does not show it.)
"""
import random
import time

import measure_lib as lib

STRETCH_TICKS = {"interval": 60, "seal": 600, "tick": 1}
STRETCHES_HELD = 3  # LOG_RING_BUFFERS, without the one that is being filled
CLIENTS = 2
ROOMS = ["--live", "duel=fighter,players=4,seed=7,count=2", "--live", "lanes=runner,players=2,seed=9"]
NAMES = ["duel-1", "duel-2", "lanes"]


def add_flags(parser):
    parser.add_argument("--rounds", type=int, default=50, help="how often (50)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (1)")
    parser.add_argument("--seconds", type=float, default=4, help="a round at most, from when clients are called (4); 12 with durability seal")


def durability_of(number):
    """Mostly interval; of ten rounds one with seal and one with tick, in the first six as well."""
    return {3: "tick", 5: "seal"}.get(number % 10, "interval")


def moment_of(draw, durability, seconds):
    """Some servers are killed before anybody has come, or at their first ticks."""
    if draw.random() < 0.15:
        return draw.uniform(0, 0.3)
    return draw.uniform(0.3, seconds * (3 if durability == "seal" else 1))


class Seen:
    """What the clients of one room were told before the connection broke."""

    def __init__(self, lines, room):
        mine = [line for line in lines if line["room"] == room]
        self.roots = {}
        self.is_torn = False
        for line in mine:
            if line["event"] == "confirmed":
                self.is_torn = self.is_torn or self.roots.setdefault(line["tick"], line["root"]) != line["root"]
        results = [line for line in mine if line["event"] == "result"]
        self.confirmed = lib.most([line["last"] + 1 for line in results if line["last"] is not None])
        self.durable = lib.most([line["last_durable"] + 1 for line in results if line["last_durable"] is not None])
        self.desyncs = [line for line in results if line["verdict"] == "desync"]


def check(name, report, seen, durability):
    """What is wrong with one log of a killed server, and how many ticks that clients saw it lost."""
    if report is None:
        return ([f"{name}: no log, and clients saw {seen.confirmed} ticks"] if seen.confirmed > 0 else []), 0
    complaints = []
    recorded = report["recorded"]
    if report["exit"] != lib.TRUNCATED or report["checked"] != recorded or report["gaps"] != 0 or report["next_tick"] != recorded:
        complaints.append(f"{name}: {report['verdict']}, {report['checked']} of {recorded} ticks matched: {report['message']}")
    if recorded < seen.durable:
        complaints.append(f"{name}: ticks {recorded} to {seen.durable - 1} were said to be durable, and are not in the log")
    loss = max(seen.confirmed - recorded, 0)
    bound = STRETCH_TICKS[durability] * (1 + STRETCHES_HELD)
    if loss > bound:
        complaints.append(f"{name}: {loss} confirmed ticks are lost, more than {bound}")
    root = seen.roots.get(recorded - 1)
    if root is not None and root != report["final_root"]:
        complaints.append(f"{name}: tick {recorded - 1} has root {report['final_root']} in the log, and clients saw {root}")
    if seen.desyncs or seen.is_torn:
        complaints.append(f"{name}: clients did not agree")
    return complaints, loss


def kill_once(programs, folder, durability, moment):
    """What verify says by room, and what clients saw by room."""
    flags = ["--listen", "127.0.0.1:0", "--durability", durability, *ROOMS]
    with lib.Server(programs, folder, flags) as server:
        with lib.start_bots(programs, server.listening(), folder, "bots", "--clients", str(CLIENTS), "--trace", "1") as bots:
            time.sleep(moment)
            server.kill()
            bots.wait(lib.STOP_SECONDS)
            lines = lib.json_lines(bots.out)
        logs = sorted(server.record.glob("*.tpr")) if server.record.exists() else []
        reports = lib.verify(programs, *logs) if logs else {}
    return reports, {name: Seen(lines, name) for name in NAMES}


def summary_row(durability, losses):
    stretch = STRETCH_TICKS[durability]
    behind = [seen - recorded for seen, recorded, _ in losses if seen > 0]
    loss = [max(value, 0) for value in behind]
    undurable = [seen - durable for seen, _, durable in losses if seen > 0]
    return {
        "durability": durability, "logs": len(losses), "never ticked": sum(1 for seen, _, _ in losses if seen == 0),
        "empty": sum(1 for _, recorded, _ in losses if recorded == 0), "longest": lib.most([seen for seen, _, _ in losses]),
        "median loss": f"{lib.median(loss):.0f}", "max loss": lib.most(loss), "bound": f"{stretch} + {stretch * STRETCHES_HELD}",
        "above a stretch": sum(1 for value in loss if value > stretch), "most not durable": lib.most(undurable),
    }


def run(options, programs, folder):
    draw = random.Random(options.seed)
    complaints, losses = [], {}
    print(f"seed {options.seed}, {options.rounds} rounds; killed after:")
    for number in range(options.rounds):
        durability = durability_of(number)
        moment = moment_of(draw, durability, options.seconds)
        reports, seen = kill_once(programs, folder / f"round-{number}", durability, moment)
        found = []
        for name in NAMES:
            wrong, _ = check(f"round {number}, {durability}, {name}", reports.get(name), seen[name], durability)
            found += wrong
            recorded = reports[name]["recorded"] if name in reports else 0
            losses.setdefault(durability, []).append((seen[name].confirmed, recorded, seen[name].durable))
        states = ", ".join(f"{name} {seen[name].confirmed}/{seen[name].durable}/{reports[name]['recorded'] if name in reports else '-'}"
                           for name in NAMES)
        print(f"  {number:3} {durability:8} {moment:7.3f} s  confirmed/durable/in the log: {states}{'  WRONG' if found else ''}", flush=True)
        complaints += found
    lib.print_table("ticks that clients saw confirmed and the log does not have; bound: the stretch being filled + those that the recorder may hold",
                    [summary_row(durability, losses[durability]) for durability in losses])
    return complaints
