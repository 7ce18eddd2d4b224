#!/usr/bin/env python3
"""Treats a server badly in every way at once, for some seconds, and prints as JSON what it did and what it was told.

  scripts/measure_abuse.py ADDRESS:PORT --room NAME [--room NAME]... [--seconds S] [--seed N] [--connects N] [--kept N] [--udp ADDRESS:PORT]
                           [--http ADDRESS:PORT]

Give it a server of your own. Each way is a thread of its own that goes on until the time is up: garbage, drawn and of a fuzzer's corpus, messages
out of place, half messages, silent connections, lengths of zero and above the bound, inputs of wrong slots, sizes, epochs and ticks, floods of
inputs, joining and leaving with a state each time, readers that never read, tokens that are none, READY never or of other rules, roots that are
not the room's, states that nobody asked for, keys that are not the server's, much talk, datagrams of garbage, requests that are none, slow ones, WebSockets of garbage, quick connects, and more
connections kept than a server of 8,192 at once takes only if --kept says so. It runs with less priority: what it takes of the cores itself is not
what it does to the server.
"""
import argparse
import json
import os
import pathlib
import random
import socket
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True  # the folder of the scripts stays as it is

import measure_lib as lib
import measure_web
import measure_wire as wire

FLOOD_MESSAGES = 20000
READERS = 4
READER_SECONDS_MORE = 20
GOES_LEAST, GOES_SECONDS_MORE = 8, 20
DATAGRAM_MAX = 1232
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "tests/fuzz/corpus/message"


def datagrams(draw, corpus):
    """What a datagram may be, and is not: garbage, the beginnings of a connection that is never taken up, and data for connections that are none."""
    kind = draw.randrange(5)
    if kind == 0:
        return draw.randbytes(draw.randrange(1, 1400))
    if kind == 1:  # OPEN without a cookie, whole or cut
        whole = b"\x01TPUD" + struct.pack("<H", draw.choice([0, 1, 1, 2])) + draw.randbytes(8) + bytes(8)
        return whole.ljust(draw.choice([23, 1000, DATAGRAM_MAX]), b"\0")
    if kind == 2:  # OPEN with a cookie that nobody gave
        return b"\x01TPUD" + struct.pack("<H", 1) + draw.randbytes(16)
    head = draw.choice([b"\x03", b"\x04", b"\x05"]) + draw.randbytes(8) + struct.pack("<IIHIB", 1, 0, 0, 0, 0)
    return (head + struct.pack("<IBH", 0, 1, 40) + draw.choice(corpus or [b"x"]))[:DATAGRAM_MAX]


class Abuse(measure_web.WebAbuse):
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds
        self.lock = threading.Lock()
        self.goes = threading.local()
        self.did, self.told = {}, {}
        self.kept = []
        self.datagram_bytes = 0
        self.corpus = [path.read_bytes() for path in sorted(CORPUS.glob("*"))]
        self.known = {}  # of each room: what is in the head of messages about it, and its rules id where that is known here
        self.list_rooms()

    def list_rooms(self):
        line = wire.Line(self.options.address)
        line.send(wire.hello())
        line.wait(wire.WELCOME)
        self.listed = {room["name"]: room for room in line.rooms()}
        line.close()
        for name in self.options.room:
            line = wire.Line(self.options.address)
            line.send(wire.hello())
            joined = line.ask(name, 0)
            rules = line.take_rules(joined) if joined is not None else None
            if rules is not None:
                self.known[name] = joined | {"rules_id": wire.rules_id_of(rules)}
            line.close()
        self.open_rooms = [name for name, room in self.known.items() if room["rules_id"] is not None]

    def is_time_up(self):
        """Each way has some goes also where the machine is so busy that the time is over before."""
        goes = getattr(self.goes, "count", 0) + 1
        self.goes.count = goes
        now = time.monotonic()
        return now >= self.end and (goes > GOES_LEAST or now >= self.end + GOES_SECONDS_MORE)

    def count(self, what, more=1):
        with self.lock:
            self.did[what] = self.did.get(what, 0) + more

    def hear(self, reason):
        with self.lock:
            self.told[reason or "nothing"] = self.told.get(reason or "nothing", 0) + 1

    def keep(self, line):
        """Until the time is up."""
        with self.lock:
            self.kept.append(line)

    def garbage(self, draw):
        """A frame that is whole, and nothing in it is a message; before HELLO and after."""
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            if draw.random() < 0.5:
                line.send(wire.hello())
            line.send_bytes(wire.frame(b"\xff" + draw.randbytes(draw.randrange(wire.SIZE_MAX - 1))) + draw.randbytes(4096))
            self.count("garbage")
            self.hear(line.reason(2))
            line.close()
            time.sleep(0.01)

    def fuzzed(self, draw):
        """The seeds of the message's fuzzer, as they are or with some bytes changed, after HELLO or inside a room."""
        while self.corpus and not self.is_time_up():
            line = wire.Line(self.options.address)
            joined = None
            if draw.random() < 0.5:
                joined = line.enter(draw.choice(self.options.room), 0)
            else:
                line.send(wire.hello())
            for content in draw.choices(self.corpus, k=8):
                changed = bytearray(content[:wire.SIZE_MAX] or b"\0")
                for _ in range(draw.randrange(4)):
                    changed[draw.randrange(len(changed))] = draw.randrange(256)
                if joined is not None and draw.random() < 0.5:  # about the room that it is in
                    changed[2:10] = struct.pack("<II", joined["room"], joined["epoch"])
                line.send_bytes(wire.frame(bytes(changed)))
                self.count("of a fuzzer")
            self.hear(line.reason(0.5))
            line.close()

    def out_of_place(self, draw):
        """Messages that are good, but not here: no HELLO, two of them, one of a server, a version nobody speaks."""
        bye = wire.message(wire.BYE, struct.pack("<H", 8) + wire.text("x"))
        kinds = [(wire.hello(7, 9),), (wire.list_rooms(),), (wire.hello(), wire.hello()), (wire.hello(), bye)]
        number = draw.randrange(len(kinds))
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            number += 1
            line.send(*kinds[number % len(kinds)])
            self.count("out of place")
            self.hear(line.reason(2))
            line.close()
            time.sleep(0.02)

    def lengths(self, draw):
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            if draw.random() < 0.5:
                line.send(wire.hello())
            line.send_bytes(struct.pack("<H", draw.choice([0, 1201, 65535, 40000])) + draw.randbytes(100))
            self.count("bad length")
            self.hear(line.reason(2))
            line.close()
            time.sleep(0.02)

    def halves(self, draw):
        """Half a HELLO, half a JOIN, or nothing, and then silence."""
        for _ in range(60):
            line = wire.Line(self.options.address)
            whole = draw.choice([wire.frame(wire.hello()), wire.frame(wire.hello()) + wire.frame(wire.join("x", 1)), b"\0"])
            line.send_bytes(whole[:draw.randrange(len(whole))])
            self.count("half or silent")
            self.keep(line)

    def sleepers(self, draw):
        """In a room, and silent."""
        for number in range(len(self.options.room)):
            line = wire.Line(self.options.address)
            if line.enter(self.options.room[number], 0) is not None:
                self.count("sleepers")
            self.keep(line)
            time.sleep(0.01 * draw.random())

    def wrong_inputs(self, draw):
        """In a room with a slot or none, and sending for others, in other sizes, epochs and times."""
        room = draw.choice(self.options.room)
        line = wire.Line(self.options.address)
        joined = line.enter(room, 1) or line.enter(room, 0)
        if joined is None:
            return
        while not self.is_time_up() and not line.closed:
            line.send(wire.inputs(joined, draw.randrange(128), joined["tick"] + draw.randrange(1000)),
                      wire.inputs(joined, draw.randrange(128), joined["tick"], size=draw.randrange(1, 65)),
                      wire.inputs(joined, 0, draw.choice([0, 2**63, 2**64 - 3]), epoch=draw.randrange(2**32)),
                      wire.inputs(joined, (joined["slots"] or [0])[0], draw.choice([0, 2**64 - 3, joined["tick"] + 10**6])))
            self.count("wrong inputs", 4)
            line.socket.settimeout(0.001)
            try:
                line.socket.recv(1 << 20)  # it reads, so that it is not put out for that
            except OSError:
                pass
            line.socket.settimeout(5)
            time.sleep(0.05)
        line.close()

    def flood(self, draw):
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            joined = line.enter(draw.choice(self.options.room), draw.randrange(2))
            if joined is not None:
                slot = (joined["slots"] or [0])[0]
                many = b"".join(wire.frame(wire.inputs(joined, slot, joined["tick"] + at)) for at in range(200))
                for _ in range(FLOOD_MESSAGES // 200):
                    if not line.send_bytes(many):
                        break
                self.count("floods")
                self.hear(line.reason(3))
            line.close()
            time.sleep(0.05)

    def storm(self, draw):
        """Joining and leaving as often as a connection may, in rooms where it can be ready: each time costs a state."""
        while not self.is_time_up() and self.open_rooms:
            line = wire.Line(self.options.address)
            room = draw.choice([self.open_rooms[-1], draw.choice(self.open_rooms)])  # the last one has the largest state
            rules_id = self.known[room]["rules_id"]
            line.send(wire.hello())
            joined = line.ask(room, draw.randrange(2))
            while joined is not None and not self.is_time_up():
                line.send(wire.ready(joined, rules_id))
                content = line.wait(wire.STATE, wire.BYE, wire.LEFT, seconds=1)
                self.count("states asked for", 1 if content is not None and content[0] == wire.STATE else 0)
                line.send(wire.leave(joined), wire.join(room, draw.randrange(2)))
                self.count("joins and leaves")
                content = line.wait(wire.JOINED, wire.BYE, wire.REFUSED, seconds=2)
                if content is None or content[0] == wire.BYE:
                    break
                if content[0] == wire.REFUSED:  # full: it is out of the room, and tries to watch
                    line.send(wire.join(room, 0))
                    content = line.wait(wire.JOINED, seconds=2)
                joined = wire.parse_joined(content) if content is not None and content[0] == wire.JOINED else None
                if draw.random() < 0.1:
                    break  # without a word
            line.close()

    def tokens(self, draw):
        """Coming back to places that one never had."""
        line = wire.Line(self.options.address)
        line.send(wire.hello())
        while not self.is_time_up():
            line.send(wire.join(draw.choice(self.options.room), draw.randrange(3), token=draw.randbytes(16)))
            self.count("forged tokens")
            content = line.wait(wire.REFUSED, wire.JOINED, wire.BYE, seconds=2)
            if content is None or content[0] != wire.REFUSED:
                self.hear("let in with a forged token" if content is not None and content[0] == wire.JOINED else "BYE to a token")
                line.close()
                line = wire.Line(self.options.address)
                line.send(wire.hello())
            time.sleep(0.02)
        line.close()

    def unready(self, draw):
        """JOIN, and then READY of other rules, LEAVE as incompatible, or not a word."""
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            line.send(wire.hello())
            joined = line.ask(draw.choice(self.options.room), draw.randrange(3))
            if joined is not None:
                self.count("not ready")
                choice = draw.randrange(4)
                if choice == 0:
                    self.keep(line)
                    continue
                line.send(wire.ready(joined, draw.randbytes(16)) if choice < 3 else wire.leave(joined, 17, "x" * 255))
                content = line.wait(wire.LEFT, wire.BYE, seconds=2)
                self.hear("LEFT" if content is not None and content[0] == wire.LEFT else "no LEFT")
            line.close()
            time.sleep(0.02)

    def follow(self, draw, what):
        """Into a room as a watcher that is ready, where what() is done with the line, the JOINED and the tick of a CONFIRMED."""
        while not self.is_time_up() and self.open_rooms:
            line = wire.Line(self.options.address)
            joined = line.enter(draw.choice(self.open_rooms), 0)
            while joined is not None and not line.closed and not self.is_time_up():
                content = line.wait(wire.CONFIRMED, wire.WANTED, wire.LEFT, wire.BYE, seconds=2)
                if content is None or content[0] in (wire.LEFT, wire.BYE):
                    self.hear("nothing" if content is None else "LEFT" if content[0] == wire.LEFT else "BYE")
                    break
                what(draw, line, joined, content[0], wire.HEAD.unpack_from(content)[4])
            line.close()
            time.sleep(0.02)

    def wrong_roots(self, draw):
        """Complains of every tick, and answers with a state that is none."""
        def complain(draw, line, joined, kind, tick):
            line.send(wire.report(joined, tick, draw.randbytes(16)), wire.report(joined, draw.randrange(2**63), draw.randbytes(16)))
            self.count("wrong roots", 2)
            if kind == wire.WANTED:
                pieces = [wire.piece(joined, wire.PIECE_OWN, tick, 3000, at, draw.randbytes(1000)) for at in range(0, 3000, 1000)]
                line.send(wire.own_state(joined, tick, 4000, 3000), *pieces)
                self.count("states that are none")

        self.follow(draw, complain)

    def unasked(self, draw):
        """States and pieces that nobody wanted."""
        def give(draw, line, joined, _, tick):
            line.send(wire.own_state(joined, tick, draw.randrange(2**26), draw.randrange(1, 2**26)),
                      wire.piece(joined, wire.PIECE_OWN, tick, 2**26, draw.randrange(2**25), draw.randbytes(draw.randrange(1, 1173))))
            self.count("states unasked", 2)
            time.sleep(0.02)

        self.follow(draw, give)

    def talk(self, draw):
        def say(draw, line, joined, *_):
            line.send(*[wire.chat(joined, "\x1b[2J" + "x" * draw.randrange(1, 190)) for _ in range(3)])
            self.count("lines", 3)
            time.sleep(0.03)

        self.follow(draw, say)

    def keys(self, draw):
        """An administrator who guesses."""
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            line.send(wire.hello())
            for _ in range(20):
                number = self.listed[draw.choice(self.options.room)]["number"]
                if not line.send(wire.admin(number, draw.choice([wire.PAUSE, wire.END, wire.RESUME]), "%x" % draw.getrandbits(128))):
                    break
                self.count("wrong keys")
            self.hear(line.reason(2))
            line.close()
            time.sleep(0.05)

    def datagrams(self, draw):
        host, port = self.options.udp.rsplit(":", 1)
        ports = sorted({int(port)} | {room["udp_port"] for room in self.listed.values() if room["udp_port"] != 0})
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            while not self.is_time_up():
                for _ in range(20):
                    data = datagrams(draw, self.corpus)
                    try:
                        line.sendto(data, (host, draw.choice(ports)))
                    except OSError:
                        continue
                    self.datagram_bytes += len(data)
                    self.count("datagrams")
                time.sleep(0.005)

    def deaf(self, _):
        """Watches the largest room, leaves and watches it again as often as a connection may, or asks for the list, and never reads."""
        room = self.options.room[-1]
        known = self.known.get(room)
        lines = [wire.Line(self.options.address, receive_bytes=4096) for _ in range(READERS)]
        joined = {line: line.enter(room, 0) for line in lines}
        rules_id = (known["rules_id"] if known is not None else None) or bytes(16)
        end = self.end + READER_SECONDS_MORE  # until the server has had enough of each
        while time.monotonic() < end and not all(line.closed for line in lines):
            for number, line in enumerate(lines):
                is_joining = number % 2 == 0 and joined[line] is not None
                again = [wire.leave(joined[line]), wire.join(room, 0), wire.ready(joined[line], rules_id)] if is_joining else []
                if line.send(*again, wire.list_rooms()):
                    self.count("asked and not read")
            time.sleep(0.05)
        for line in lines:
            line.close()

    def connects(self, draw):
        """Connects that are gone at once, some with the beginning of a HELLO."""
        share = self.options.connects // 2
        for number in range(share):
            line = wire.Line(self.options.address)
            if number % 3 == 0:
                line.send_bytes(wire.frame(wire.hello())[:draw.randrange(1, 34)])
            line.close()
            self.count("connects")

    def crowd(self, _):
        """Connections that are kept, more than the server takes."""
        lines = []
        for number in range(self.options.kept):
            lines.append(wire.Line(self.options.address))
            self.count("kept")
            if number % 50 == 0:
                time.sleep(0.01)
        for line in lines[-20:]:
            self.hear(line.reason(0.5))
        for line in lines:
            line.close()

    def run(self):
        ways = [self.garbage, self.out_of_place, self.lengths, self.halves, self.sleepers, self.wrong_inputs, self.wrong_inputs, self.flood,
                self.flood, self.storm, self.storm, self.deaf, self.connects, self.connects, self.crowd, self.fuzzed, self.tokens, self.unready,
                self.wrong_roots, self.unasked, self.talk, self.keys] + ([self.datagrams] if self.options.udp else [])
        ways += [self.web_requests, self.web_slow, self.web_frames, self.web_storm] if self.options.http else []
        threads = [threading.Thread(target=way, args=(random.Random(self.options.seed * 1000 + number),)) for number, way in enumerate(ways)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for line in self.kept:
            self.hear(line.reason(0.05))
            line.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("address")
    parser.add_argument("--room", action="append", required=True, help="a live room to go into; may be repeated; the last has the largest state")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--connects", type=int, default=10000, help="that are gone at once (10000)")
    parser.add_argument("--kept", type=int, default=0, help="connections kept (0)")
    parser.add_argument("--udp", metavar="ADDRESS:PORT", help="where the server takes datagrams (nowhere)")
    parser.add_argument("--http", metavar="ADDRESS:PORT", help="where the server speaks HTTP (nowhere)")
    options = parser.parse_args()
    os.nice(10)
    lib.raise_file_limit()
    abuse = Abuse(options)
    abuse.run()
    print(json.dumps({"did": abuse.did, "told": abuse.told, "bytes": wire.SENT.bytes + abuse.datagram_bytes}))


if __name__ == "__main__":
    sys.exit(main())
