"""As much of the protocol (src/net/README.md) as somebody needs who treats a server badly: messages as bytes, and a blocking connection."""
import socket
import struct
import time

HELLO, LIST, JOIN, LEAVE, INPUT, PING = 1, 2, 3, 4, 5, 6
WELCOME, ROOMS, JOINED, REFUSED, PIECE, CONFIRMED, LEFT, PONG, BYE = range(65, 74)
ROOM_NONE = 0xFFFFFFFF
SIZE_MAX = 1200
REASONS = {1: "asked", 2: "no-room", 3: "full", 4: "not-live", 5: "other-lane", 6: "too-large", 7: "in-it", 8: "ended", 9: "faulted", 10: "stopping",
           11: "version", 12: "malformed", 13: "silent", 14: "flood", 15: "slow", 16: "crowded"}
HEAD = struct.Struct("<BBIIQ")


def text(words):
    return bytes([len(words)]) + words.encode()


def message(kind, body=b"", room=ROOM_NONE, epoch=0, tick=0):
    return HEAD.pack(kind, 0, room, epoch, tick) + body


def frame(content):
    return struct.pack("<H", len(content)) + content


def hello(lowest=1, highest=1):
    return message(HELLO, b"TPNP" + struct.pack("<HH", lowest, highest) + text("measure"))


def join(name, slots, cookie=0):
    return message(JOIN, struct.pack("<IB", cookie, slots) + text(name))


def list_rooms(first=0):
    return message(LIST, struct.pack("<I", first))


def ping(token=0):
    return message(PING, struct.pack("<Q", token))


def inputs(joined, slot, tick, size=6, count=1, epoch=None):
    body = struct.pack("<BBB", slot, size, count) + bytes(size * count)
    return message(INPUT, body, joined["room"], joined["epoch"] if epoch is None else epoch, tick)


def leave(joined):
    return message(LEAVE, b"", joined["room"], joined["epoch"])


def parse_joined(content):
    _, _, room, epoch, tick = HEAD.unpack_from(content)
    count = content[HEAD.size + 6]
    slots = list(content[HEAD.size + 7:HEAD.size + 7 + count])
    return {"room": room, "epoch": epoch, "tick": tick, "slots": slots}


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

    def enter(self, room, slots):
        """HELLO and JOIN; the JOINED, or None."""
        self.send(hello(), join(room, slots))
        content = self.wait(JOINED, REFUSED, BYE)
        return parse_joined(content) if content is not None and content[0] == JOINED else None

    def close(self):
        self.socket.close()
        self.closed = True
