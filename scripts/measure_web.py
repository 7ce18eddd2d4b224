"""The abuse's part over HTTP: requests that are none, slow ones, WebSockets of garbage, and a storm of good ones that leave without a word."""
import base64
import os
import pathlib
import struct
import time

import measure_wire as wire

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "tests/fuzz/corpus/ws"
SLOW = 30  # requests that one thread keeps under way: fewer than one address may have connections
TARGETS = ["/", "/healthz", "/play", "/../../etc/passwd", "/%2e%2e/x", "/%00", "//", "/" + "a" * 2000, "*", "/api/v1/rooms?x=" + "y" * 3000]
HOSTS = ["{host}", "{host}", "evil.example", "localhost", "", "a" * 300]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "BREW", ""]
EXTRAS = ["", "Content-Length: 5\r\n", "Content-Length: 99999999\r\n", "Transfer-Encoding: chunked\r\n", "Origin: http://evil.example\r\n", "X: " + "z" * 9000 + "\r\n",
          "Host: twice\r\n", "\0: \xff\r\n", "Upgrade: websocket\r\nConnection: Upgrade\r\n"]


def frame(payload, first=0x82):
    """A masked one."""
    mask = os.urandom(4)
    size = struct.pack(">B", 0x80 | len(payload)) if len(payload) < 126 else struct.pack(">BH", 0xFE, len(payload))
    return bytes([first]) + size + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


class WebLine(wire.Line):
    """A WebSocket; `status` is the door's, 0 when there was none. What comes is not read as messages."""

    def __init__(self, address):
        super().__init__(address)
        key = base64.b64encode(os.urandom(16)).decode()
        self.send_bytes((f"GET /play HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tickproof.2\r\n\r\n").encode())
        self.status = status_of(self)

    def last_code(self, seconds):
        """The code of the closing frame, when there is one."""
        data, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(end - time.monotonic(), 0.001))
            try:
                more = self.socket.recv(65536)
            except OSError:
                break
            if not more:
                break
            data += more
            if data[-4:-2] == b"\x88\x02":
                break
        return struct.unpack(">H", data[-2:])[0] if data[-4:-2] == b"\x88\x02" else 0


def status_of(line, seconds=5):
    """The status of an answer, 0: none."""
    data, end = b"", time.monotonic() + seconds
    while b"\r\n\r\n" not in data and time.monotonic() < end:
        line.socket.settimeout(max(end - time.monotonic(), 0.001))
        try:
            more = line.socket.recv(1 if len(data) > 12 else 13 - len(data))
        except OSError:
            break
        if not more:
            break
        data += more
    return int(data[9:12]) if data.startswith(b"HTTP/1.1 ") else 0


class WebAbuse:
    """Mixed into Abuse: ways over HTTP."""

    def web_requests(self, draw):
        while not self.is_time_up():
            line = wire.Line(self.options.http)
            host = draw.choice(HOSTS).format(host=self.options.http)
            request = f"{draw.choice(METHODS)} {draw.choice(TARGETS)} HTTP/1.1\r\nHost: {host}\r\n{draw.choice(EXTRAS)}\r\n".encode("latin-1")
            line.send_bytes(draw.choice([request, request, request * 3, draw.randbytes(200) + b"\r\n\r\n"]))
            self.count("requests")
            self.hear(f"HTTP {status_of(line, 1)}")
            line.close()
            time.sleep(0.005)

    def web_slow(self, _):
        """Headers and bodies a byte now and then."""
        lines = [wire.Line(self.options.http) for _ in range(SLOW)]
        for number, line in enumerate(lines):
            head = f"POST / HTTP/1.1\r\nHost: {self.options.http}\r\n"
            line.send_bytes((head + ("X: " if number % 2 == 0 else "Content-Length: 100000\r\n\r\n")).encode())
            self.count("slow requests")
        while not self.is_time_up():
            for line in lines:
                line.send_bytes(b"a")
            time.sleep(0.1)
        for line in lines:
            line.close()

    def web_frames(self, draw):
        """The seeds of the frames' fuzzer, as they are or with some bytes changed, before HELLO or after."""
        seeds = [path.read_bytes()[1:] for path in sorted(CORPUS.glob("*")) if not path.name.startswith("answer")]
        while not self.is_time_up():
            line = WebLine(self.options.http)
            if line.status != 101:
                self.hear(f"HTTP {line.status}")
                line.close()
                time.sleep(0.1)
                continue
            if draw.random() < 0.5:
                line.send_bytes(frame(wire.hello()))
            for content in draw.choices(seeds, k=4):
                changed = bytearray(content)
                for _ in range(draw.randrange(3)):
                    changed[draw.randrange(len(changed))] = draw.randrange(256)
                line.send_bytes(bytes(changed))
                self.count("frames of a fuzzer")
            self.hear(f"WebSocket {line.last_code(0.5)}")
            line.close()
            time.sleep(0.02)

    def web_storm(self, draw):
        """Into a room and out of it again without a word."""
        while not self.is_time_up():
            line = WebLine(self.options.http)
            if line.status == 101:
                line.send_bytes(frame(wire.hello()) + frame(wire.join(draw.choice(self.options.room), draw.randrange(2))))
                self.count("WebSockets")
            time.sleep(0.05)
            line.close()
