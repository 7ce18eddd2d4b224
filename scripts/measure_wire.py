"""As much of the protocol (src/net/README.md) as somebody needs who treats a server badly: messages as bytes, and a blocking connection.

The rules id of a room is known here only when the room's algorithm is FNV-1a-128, which needs no library: rooms that are to be entered all the
way get `hash=fnv1a128`.
"""
import socket
import struct
import threading
import time

import tprread

HELLO, LIST, JOIN, LEAVE, INPUT, PING, READY, REPORT, OWN_STATE, CHAT, ADMIN = range(1, 12)
(WELCOME, ROOMS, JOINED, REFUSED, PIECE, CONFIRMED, LEFT, PONG, BYE, STATE, WANTED, TIMING, SAID, ADMINED, PACE) = range(65, 80)
VERSION = 2
PIECE_RULES, PIECE_STATE, PIECE_OWN = 1, 2, 3
KICK, PAUSE, RESUME, STEP, SPEED, NOTE, COMMAND, END = range(1, 9)
NO_TOKEN = bytes(16)
RULES_ALGORITHM, FNV1A128 = 42, 2  # where the rules say which checksums, and these are the ones
ROOM_NONE = 0xFFFFFFFF
SIZE_MAX = 1200
REASONS = {1: "asked", 2: "no-room", 3: "full", 4: "not-live", 5: "other-lane", 6: "too-large", 7: "in-it", 8: "ended", 9: "faulted", 10: "stopping",
           11: "version", 12: "malformed", 13: "silent", 14: "flood", 15: "slow", 16: "crowded", 17: "incompatible", 18: "token", 19: "kicked",
           20: "desync", 21: "rejoined", 22: "behind"}
HEAD = struct.Struct("<BBIIQ")


def text(words):
    return bytes([len(words)]) + words.encode()


def message(kind, body=b"", room=ROOM_NONE, epoch=0, tick=0):
    return HEAD.pack(kind, 0, room, epoch, tick) + body


def frame(content):
    return struct.pack("<H", len(content)) + content


def hello(lowest=VERSION, highest=VERSION):
    return message(HELLO, b"TPNP" + struct.pack("<HH", lowest, highest) + text("measure"))


def join(name, slots, cookie=0, delay=0, token=NO_TOKEN):
    return message(JOIN, struct.pack("<IBH", cookie, slots, delay) + token + text(name))


def list_rooms(first=0):
    return message(LIST, struct.pack("<I", first))


def ping(token=0):
    return message(PING, struct.pack("<Q", token))


def about(kind, joined, body=b"", tick=0):
    """A message about a room that one has joined."""
    return message(kind, body, joined["room"], joined["epoch"], tick)


def inputs(joined, slot, tick, size=6, count=1, epoch=None):
    body = struct.pack("<BBB", slot, size, count) + bytes(size * count)
    return message(INPUT, body, joined["room"], joined["epoch"] if epoch is None else epoch, tick)


def leave(joined, reason=1, words=""):
    return about(LEAVE, joined, struct.pack("<H", reason) + text(words))


def ready(joined, rules_id):
    return about(READY, joined, rules_id)


def report(joined, tick, root):
    return about(REPORT, joined, root, tick)


def own_state(joined, tick, size, packed_size):
    return about(OWN_STATE, joined, struct.pack("<II", size, packed_size) + bytes(32) + text("measure"), tick)


def piece(joined, kind, tick, total, offset, data):
    return about(PIECE, joined, struct.pack("<BII", kind, total, offset) + data, tick)


def chat(joined, words):
    return about(CHAT, joined, text(words))


def admin(room, verb, key, cookie=0, slot=0, value=0, data=b""):
    body = struct.pack("<IBBQ", cookie, verb, slot, value) + text(key) + struct.pack("<H", len(data)) + data
    return message(ADMIN, body, room)


def rules_id_of(rules):
    """None: another algorithm than the one that is known here."""
    return tprread.fnv1a_128(rules) if rules[RULES_ALGORITHM] == FNV1A128 else None


def parse_joined(content):
    _, _, room, epoch, tick = HEAD.unpack_from(content)
    cookie, ahead, delay, report_ticks, count = struct.unpack_from("<IHHHB", content, HEAD.size)
    at = HEAD.size + 11
    slots, token = list(content[at:at + count]), content[at + count:at + count + 16]
    return {"room": room, "epoch": epoch, "tick": tick, "cookie": cookie, "ahead": ahead, "delay": delay, "report": report_ticks, "slots": slots,
            "token": token, "rules_size": struct.unpack_from("<I", content, at + count + 16)[0]}


def parse_state(content):
    """Tick, size, size of its frame, root."""
    size, packed_size = struct.unpack_from("<II", content, HEAD.size)
    return {"tick": HEAD.unpack_from(content)[4], "size": size, "packed_size": packed_size, "root": content[HEAD.size + 8:HEAD.size + 24]}


def parse_piece(content):
    """Kind, total, offset, bytes."""
    kind, total, offset = struct.unpack_from("<BII", content, HEAD.size)
    return kind, total, offset, content[HEAD.size + 9:]


def parse_rooms(content):
    """(The next index, rooms) of a page of the list."""
    _, following, _, count = struct.unpack_from("<IIIB", content, HEAD.size)
    rooms, at = [], HEAD.size + 13
    for _ in range(count):
        number, rate_hz, lane, players, taken, is_live, is_over, udp_port = struct.unpack_from("<IIHHHBBH", content, at)
        at += 18
        names = []
        for _ in range(2):
            names.append(content[at + 1:at + 1 + content[at]].decode())
            at += 1 + content[at]
        rooms.append({"number": number, "rate_hz": rate_hz, "lane": lane, "players": players, "taken": taken, "is_live": is_live != 0,
                      "is_over": is_over != 0, "udp_port": udp_port, "name": names[0], "world": names[1]})
    return following, rooms


class Count:
    """Bytes that all connections of this process have sent."""

    def __init__(self):
        self._lock, self.bytes = threading.Lock(), 0

    def add(self, size):
        with self._lock:
            self.bytes += size


SENT = Count()


class Line:
    """One connection. Whatever the other side does to it is an answer: closed is True then."""

    def __init__(self, address, receive_bytes=None, timeout=5):
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket(socket.AF_INET6 if host.startswith("[") else socket.AF_INET)
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(timeout)
        self.closed = False
        self.buffer = b""
        try:
            self.socket.connect((host.strip("[]"), int(port)))
        except OSError:
            self.closed = True

    def send_bytes(self, data):
        if self.closed:
            return False
        try:
            self.socket.sendall(data)
            SENT.add(len(data))
        except OSError:
            self.closed = True
        return not self.closed

    def send(self, *contents):
        return self.send_bytes(b"".join(frame(content) for content in contents))

    def receive(self, seconds=5):
        """The next message, or None: nothing in time, or the connection is over."""
        end = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 2:
                size = struct.unpack_from("<H", self.buffer)[0]
                if len(self.buffer) >= 2 + size:
                    content, self.buffer = self.buffer[2:2 + size], self.buffer[2 + size:]
                    return content
            left = end - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(65536)
            except OSError:
                return None
            if not data:
                return None
            self.buffer += data

    def wait(self, *kinds, seconds=5):
        """The next message of these kinds; others are thrown away."""
        end = time.monotonic() + seconds
        while True:
            content = self.receive(max(end - time.monotonic(), 0.001))
            if content is None or content[0] in kinds:
                return content

    def reason(self, seconds=5):
        """The name of the BYE that ends it; None when there was none."""
        content = self.wait(BYE, seconds=seconds)
        return None if content is None else REASONS.get(struct.unpack_from("<H", content, HEAD.size)[0])

    def rooms(self):
        """The server's list, of a connection that has said HELLO."""
        found, following = [], 0
        while True:
            self.send(list_rooms(following))
            content = self.wait(ROOMS, BYE)
            if content is None or content[0] == BYE:
                return found
            following, rooms = parse_rooms(content)
            found += rooms
            if not rooms or following >= struct.unpack_from("<I", content, HEAD.size + 8)[0]:
                return found

    def ask(self, room, slots, **wanted):
        """JOIN; the JOINED, or None. The slots are kept, and in the world only after READY."""
        self.send(join(room, slots, **wanted))
        content = self.wait(JOINED, REFUSED, BYE)
        return parse_joined(content) if content is not None and content[0] == JOINED else None

    def take_rules(self, joined, seconds=5):
        """The rules whole, as they come after JOINED; None: they did not."""
        rules, end = b"", time.monotonic() + seconds
        while len(rules) < joined["rules_size"]:
            content = self.wait(PIECE, LEFT, BYE, seconds=max(end - time.monotonic(), 0.001))
            if content is None or content[0] != PIECE:
                return None
            kind, _, _, data = parse_piece(content)
            rules += data if kind == PIECE_RULES else b""
        return rules

    def make_ready(self, joined):
        """READY, as a client that has the room's world. False: the rules did not come, or their algorithm is not known here."""
        rules = self.take_rules(joined)
        rules_id = rules_id_of(rules) if rules is not None else None
        return rules_id is not None and self.send(ready(joined, rules_id))

    def enter(self, room, slots, is_ready=True, **wanted):
        """HELLO, JOIN and READY; the JOINED, or None. Of a room whose rules id is not known here: JOINED is as far as it comes."""
        self.send(hello())
        joined = self.ask(room, slots, **wanted)
        if joined is not None and is_ready:
            joined["is_ready"] = self.make_ready(joined)
        return joined

    def close(self):
        self.socket.close()
        self.closed = True
