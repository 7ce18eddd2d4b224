#!/usr/bin/env python3
"""A world behind a pipe: everybody rows one skiff down a river, whose current is drawn from the seed. See WORLDS.md."""
import json
import struct
import sys

HELLO = {
    "protocol": 1, "name": "skiff", "revision": 1, "text": "one skiff, many oars", "tick_rate": 60, "build": "skiff.py 1",
    "players": {"min": 1, "max": 8, "standard": 2},
    "input": {"fields": [{"name": "oar", "type": "i8", "unit": "stick", "min": -127, "max": 127}]},
    "commands": [{"name": "gust", "text": "wind", "fields": [{"name": "push", "type": "i32", "unit": "units", "min": -1000, "max": 1000}]}],
    "events": [{"name": "landed", "text": "it reached a bank", "fields": [{"name": "x", "type": "fx", "unit": "units"}]}], "events_max": 1,
    "config": [{"name": "width", "unit": "units", "text": "of the river", "standard": 50, "min": 10, "max": 1000}],
    "state_max": 8192,
    "sections": [
        {"name": "skiff", "fields": [{"name": "x", "type": "fx", "unit": "units"}, {"name": "speed", "type": "fx", "unit": "units/tick"},
                                     {"name": "random", "type": "u64", "unit": "bits"}]},
        {"name": "crew", "count": "players", "fields": [{"name": "landings", "type": "u32", "unit": "count"}]},
    ],
    "content": [{"name": "river", "hash": "0badcafe"}],
}


class Skiff:
    def init(self, data):
        self.random, self.players, _, count = struct.unpack_from("<QIIH", data)
        self.width = struct.unpack_from(f"<{count}q", data, 18)[0] * 65536
        self.random |= 1
        self.x = self.speed = 0
        self.landings = [0] * self.players

    def step(self, data):
        presence = int.from_bytes(data[8:8 + (self.players + 7) // 8], "little")
        at = 8 + (self.players + 7) // 8
        oars = struct.unpack_from(f"<{self.players}b", data, at)
        at += self.players
        (commands,) = struct.unpack_from("<H", data, at)
        at += 2
        for _ in range(commands):
            _, _, size, push = struct.unpack_from("<IHHi", data, at)
            at += 8 + size
            self.x += push * 65536
        self.random = self.random * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF
        current = (self.random >> 48) - 32768
        self.speed = max(-131072, min(131072, self.speed + sum(oars) * 16 + current // 64))
        self.x += self.speed
        if abs(self.x) < self.width:
            return struct.pack("<I", 0)
        self.x, self.speed = max(-self.width, min(self.width, self.x)), 0
        self.landings = [n + (presence >> slot & 1) for slot, n in enumerate(self.landings)]
        return struct.pack("<IHHi", 1, 0, 4, self.x)

    def save(self, _):
        return struct.pack(f"<iiQ{self.players}I", self.x, self.speed, self.random, *self.landings)

    def load(self, data):
        values = struct.unpack(f"<iiQ{self.players}I", data)
        if abs(values[0]) > self.width:
            raise ValueError("the skiff is not in the river")
        self.x, self.speed, self.random, self.landings = *values[:3], list(values[3:])


world, pipe_in, pipe_out = Skiff(), sys.stdin.buffer, sys.stdout.buffer
ASKED = {1: lambda data: json.dumps(HELLO).encode(), 2: world.init, 3: world.step, 4: world.save, 5: world.load}
while head := pipe_in.read(5):
    size, kind = struct.unpack("<IB", head)
    payload = pipe_in.read(size)
    try:
        answer, kind = ASKED[kind](payload) or b"", kind | 0x80
    except (ValueError, struct.error, KeyError) as error:
        answer, kind = str(error).encode(), 0xFF
    pipe_out.write(struct.pack("<IB", len(answer), kind) + answer)
    pipe_out.flush()
