#!/usr/bin/env python3
"""Treats a server badly in every way at once, for some seconds, and prints as JSON what it did and what it was told.

  scripts/measure_abuse.py ADDRESS:PORT --room NAME [--room NAME]... [--seconds S] [--seed N] [--connects N] [--kept N]

Give it a server of your own. Each way is a thread of its own that goes on until the time is up: garbage, messages out of place, half messages,
silent connections, lengths of zero and above the bound, inputs of wrong slots, sizes, epochs and ticks, floods of inputs, joining and leaving,
readers that never read, quick connects and more connections kept than a server of 8,192 at once takes only if --kept says so.
"""
import argparse
import json
import random
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True  # the folder of the scripts stays as it is

import measure_lib as lib
import measure_wire as wire

FLOOD_MESSAGES = 20000
READERS = 4
READER_SECONDS_MORE = 20


class Abuse:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds
        self.lock = threading.Lock()
        self.did, self.told = {}, {}
        self.kept = []

    def is_time_up(self):
        return time.monotonic() >= self.end

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

    def out_of_place(self, draw):
        """Messages that are good, but not here: no HELLO, two of them, one of a server, a version nobody speaks."""
        bye = wire.message(wire.BYE, struct.pack("<H", 8) + wire.text("x"))
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            line.send(*draw.choice([(wire.list_rooms(),), (wire.hello(), wire.hello()), (wire.hello(), bye), (wire.hello(7, 9),)]))
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
        """Joining and leaving as often as a connection may."""
        while not self.is_time_up():
            line = wire.Line(self.options.address)
            room = draw.choice(self.options.room)
            joined = line.enter(room, draw.randrange(2))
            while joined is not None and not self.is_time_up():
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
                time.sleep(0.01)
            line.close()

    def deaf(self, _):
        """Watches the largest room, leaves and watches it again as often as a connection may, and never reads: each time costs a state."""
        room = self.options.room[-1]
        lines = [wire.Line(self.options.address, receive_bytes=4096) for _ in range(READERS)]
        joined = {line: line.enter(room, 0) for line in lines}
        end = self.end + READER_SECONDS_MORE  # until the server has had enough of each
        while time.monotonic() < end and not all(line.closed for line in lines):
            for line in lines:
                if joined[line] is not None and line.send(*[wire.leave(joined[line]), wire.join(room, 0)] * 2):
                    self.count("asked and not read", 2)
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
                self.flood, self.storm, self.storm, self.deaf, self.connects, self.connects, self.crowd]
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
    parser.add_argument("--room", action="append", required=True, help="a live room to go into; may be repeated; the last needs the most slots")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--connects", type=int, default=10000, help="that are gone at once (10000)")
    parser.add_argument("--kept", type=int, default=0, help="connections kept (0)")
    options = parser.parse_args()
    lib.raise_file_limit()
    abuse = Abuse(options)
    abuse.run()
    print(json.dumps({"did": abuse.did, "told": abuse.told}))


if __name__ == "__main__":
    sys.exit(main())
