"""A tickproofd with HTTP on a port of its own, and the few messages of the protocol that these tests say by hand."""

import json
import struct
import subprocess
import time

NOWHERE = 0xFFFFFFFF


def head(kind, room=NOWHERE, epoch=0, tick=0):
    return struct.pack("<BBIIQ", kind, 0, room, epoch, tick)


def text(word):
    return bytes([len(word)]) + word.encode()


HELLO = head(1) + b"TPNP" + struct.pack("<HH", 2, 2) + text("by hand")
PING = head(6) + bytes(range(8))
PONG = head(72) + bytes(range(8))


def join(name, slots, cookie=7):
    return head(3) + struct.pack("<IBH", cookie, slots, 0) + bytes(16) + text(name)


def bye(message):
    """Reason and text of a BYE."""
    assert message[0] == 73, message
    return struct.unpack_from("<H", message, 18)[0], message[21:21 + message[20]].decode()


class Server:
    """`tickproofd FLAG...` with HTTP; ends with the block."""

    def __init__(self, program, *flags):
        # One address asks for hundreds of WebSockets here.
        config = {"listen": "127.0.0.1:0", "http": {"listen": "127.0.0.1:0", "requests_per_second": 100000, "connections_per_address": 250}}
        self.process = subprocess.Popen([program, "--config", "-", "--json-log", *flags], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps(config))
        self.process.stdin.close()
        self.events = []
        self.port = 0
        while self.port == 0:
            line = self.process.stderr.readline()
            assert line, "the server is gone: " + "".join(map(str, self.events))
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == "server.listening" and event["address"].startswith("http "):
                self.port = event["port"]
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            for line in self.process.stderr:
                self.events.append(json.loads(line))
        self.process.wait(timeout=60)
        self.process.stderr.close()

    def until(self, name):
        """The next event of this name."""
        for line in self.process.stderr:
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == name:
                return event
        raise AssertionError(f"no {name}")


def wait_for(what, seconds=30):
    """Polls until it is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
