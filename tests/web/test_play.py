"""A client written by hand, straight from RFC 6455 and the protocol's page, against tickproofd's /play: messages, pings, fragments, the way into a room,
and what the server says and does about frames that it does not take."""

import base64
import hashlib
import os
import socket
import struct
import sys
import unittest

from playserver import HELLO, PING, PONG, Server, bye, join

PROGRAM = sys.argv.pop(1)
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Socket:
    def __init__(self, server, origin=None, early=b""):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        key = base64.b64encode(os.urandom(16))
        lines = ["GET /play HTTP/1.1", f"Host: {server.host}", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: " + key.decode(),
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: tickproof.2", "Sec-WebSocket-Extensions: permessage-deflate"]
        lines += [f"Origin: {origin}"] if origin else []
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode() + early)
        self.buffer = b""
        self.head = self.until(b"\r\n\r\n").decode()
        self.status = int(self.head.split()[1])
        if self.status == 101:
            accept = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
            assert f"Sec-WebSocket-Accept: {accept}" in self.head, self.head
            assert "Extensions" not in self.head, self.head

    def __del__(self):
        self.socket.close()

    def until(self, mark):
        while mark not in self.buffer:
            got = self.socket.recv(4096)
            assert got, "closed: " + repr(self.buffer)
            self.buffer += got
        found, self.buffer = self.buffer.split(mark, 1)
        return found + mark

    def send(self, payload, first=0x82, is_masked=True):
        self.socket.sendall(frame(payload, first, is_masked))

    def take(self, size):
        while len(self.buffer) < size:
            got = self.socket.recv(4096)
            if not got:
                raise EOFError
            self.buffer += got
        found, self.buffer = self.buffer[:size], self.buffer[size:]
        return found

    def frame(self):
        """Opcode and payload of the next frame: whole, and not masked."""
        first, size = self.take(2)
        assert first & 0xF0 == 0x80 and size < 127, (first, size)
        size = struct.unpack(">H", self.take(2))[0] if size == 126 else size
        return first & 15, self.take(size)

    def message(self, kind=None):
        """The next message, or the next one of this kind."""
        while True:
            opcode, payload = self.frame()
            assert opcode == 2, (opcode, payload)
            if kind is None or payload[0] == kind:
                return payload

    def is_closed(self):
        try:
            return self.buffer == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def frame(payload, first=0x82, is_masked=True):
    mask = os.urandom(4)
    size = len(payload)
    head = bytes([first, (0x80 if is_masked else 0) | (size if size < 126 else 126 if size < 65536 else 127)])
    head += b"" if size < 126 else struct.pack(">H", size) if size < 65536 else struct.pack(">Q", size)
    body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)) if is_masked else payload
    return head + (mask if is_masked else b"") + body


class Play(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(PROGRAM, "--live", "duel=fighter,players=2", "--live", "lone=runner,when_empty=run", "--threads", "2")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def open(self, **options):
        opened = Socket(self.server, **options)
        self.addCleanup(opened.socket.close)
        self.assertEqual(opened.status, 101, opened.head)
        return opened

    def test_one_message_in_one_frame(self):
        ws = self.open()
        ws.send(HELLO)
        self.assertEqual(ws.message()[0], 65)
        ws.send(PING)
        self.assertEqual(ws.message(), PONG)

    def test_what_came_with_the_request(self):
        ws = self.open(early=frame(HELLO) + frame(PING))
        self.assertEqual(ws.message()[0], 65)
        self.assertEqual(ws.message(), PONG)

    def test_fragments_and_pings_between(self):
        ws = self.open()
        ws.send(HELLO[:5], first=0x02)
        ws.send(b"still there?", first=0x89)
        ws.send(b"", first=0x00)
        ws.send(HELLO[5:], first=0x80)
        self.assertEqual(ws.frame(), (10, b"still there?"))
        self.assertEqual(ws.message()[0], 65)

    def test_byte_by_byte(self):
        ws = self.open()
        ws.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in frame(HELLO) + frame(PING):
            ws.socket.sendall(bytes([byte]))
        self.assertEqual(ws.message()[0], 65)
        self.assertEqual(ws.message(), PONG)

    def test_into_a_room_with_all_in_one_write(self):
        # Both rooms are on threads of their own: the connection moves there with what stands behind the JOIN.
        for name in ("lone", "duel"):
            ws = self.open()
            ws.socket.sendall(frame(HELLO) + frame(join(name, 1)) + frame(PING) + frame(b"ping", first=0x89) + frame(PING))
            self.assertEqual(ws.message()[0], 65)
            joined = ws.message(67)
            self.assertEqual(struct.unpack_from("<I", joined, 18)[0], 7)
            pongs = 0
            heard = []
            while pongs < 3:
                opcode, payload = ws.frame()
                heard.append(opcode)
                pongs += opcode == 10 or payload == PONG
            self.assertIn(10, heard)

    def test_closing(self):
        ws = self.open()
        ws.send(HELLO)
        ws.message()
        ws.send(struct.pack(">H", 4001) + b"done", first=0x88)
        self.assertEqual(ws.frame(), (8, struct.pack(">H", 4001)))
        self.assertTrue(ws.is_closed())

    def refuse(self, code, wrong, words):
        """What the server says about some bytes: BYE with these words, then a closing frame with the code. Others are not touched."""
        other = self.open()
        ws = self.open()
        ws.send(HELLO)
        ws.message()
        ws.socket.sendall(wrong)
        reason, said = bye(ws.message())
        self.assertEqual(said, words)
        self.assertEqual(ws.frame(), (8, struct.pack(">H", code)))
        ws.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(ws.is_closed())
        other.send(HELLO)
        self.assertEqual(other.message()[0], 65)
        return reason

    def test_frames_that_are_not_taken(self):
        cases = [
            (1003, frame(b"{}", first=0x81), "a text: messages are binary"),
            (1002, frame(PING, is_masked=False), "a frame of a client that is not masked"),
            (1002, frame(PING, first=0xC2), "a reserved bit is set: no extension was agreed on"),
            (1002, frame(PING, first=0x83), "an opcode that there is not"),
            (1002, frame(PING, first=0x80), "a message goes on that has not begun"),
            (1002, frame(b"a", first=0x02) + frame(PING), "a message begins inside another"),
            (1009, frame(bytes(1201)), "a message has 1 to 1200 bytes"),
            (1009, frame(bytes(70000)), "a message has 1 to 1200 bytes"),
            (1008, frame(b""), "a message has 1 to 1200 bytes"),
            (1002, frame(struct.pack(">H", 1005), first=0x88), "a closing frame's code that nobody may say"),
            (1007, frame(struct.pack(">H", 1000) + b"\xff", first=0x88), "a closing frame's text is not UTF-8"),
            (1008, frame(b"", first=0x8A) * 40, "too many control frames and no message between them"),
            (1008, frame(b"", first=0x02) + frame(b"", first=0x00) * 40, "a message in too many fragments"),
        ]
        for code, wrong, words in cases:
            with self.subTest(words):
                self.assertEqual(self.refuse(code, wrong, words), 12)

    def test_a_message_that_is_none(self):
        ws = self.open()
        ws.send(b"\x01\x00nothing")
        reason, _ = bye(ws.message())
        self.assertEqual(reason, 12)
        self.assertEqual(ws.frame(), (8, struct.pack(">H", 1002)))

    def test_a_flood_of_messages(self):
        ws = self.open()
        ws.socket.sendall(frame(HELLO) + frame(PING) * 2000)
        ws.message()
        message = ws.message()
        while message[0] == 72:
            message = ws.message()
        bye(message)
        self.assertEqual(ws.frame(), (8, struct.pack(">H", 1008)))

    def test_pages_of_elsewhere(self):
        self.assertEqual(Socket(self.server, origin="http://evil.example").status, 403)
        self.assertEqual(Socket(self.server, origin=f"http://{self.server.host}").status, 101)

    def test_many_come_and_go(self):
        # Above all that nothing of them stays: the door's and the server's counts come back, so that as many can come again.
        for _ in range(3):
            all_of_them = [self.open() for _ in range(100)]
            for ws in all_of_them:
                ws.send(HELLO)
            for ws in all_of_them:
                self.assertEqual(ws.message()[0], 65)
                ws.socket.close()


class Stop(unittest.TestCase):
    def test_the_server_stops(self):
        with Server(PROGRAM, "--live", "lone=runner,when_empty=run") as server:
            ws, inside = Socket(server), Socket(server)
            ws.send(HELLO)
            inside.socket.sendall(frame(HELLO) + frame(join("lone", 1)))
            ws.message()
            inside.message(67)
            server.process.terminate()
            for one in (ws, inside):
                bye(one.message(73))
                self.assertEqual(one.frame(), (8, struct.pack(">H", 1001)))
            server.stop()
            self.assertEqual(server.process.returncode, 0)

    def test_crowded(self):
        with Server(PROGRAM, "--live", "lone=runner", "--max-connections", "1") as server:
            first = Socket(server)
            first.send(HELLO)
            first.message()
            second = Socket(server)
            bye(second.message())
            self.assertEqual(second.frame(), (8, struct.pack(">H", 1013)))
            self.assertTrue(second.is_closed())


if __name__ == "__main__":
    unittest.main(verbosity=0)
