#!/usr/bin/env python3
"""tptread.py: an independent reader of sidecars (.tpt), written from replays/TRACE.md alone.

It holds a file to what that page asks of a reader, and shows what is in it as lines of JSON, the same ones that `tickproof compare
--show` prints. Zstandard comes from the system's libzstd.
"""

import ctypes
import ctypes.util
import functools
import json
import sys

HELP = """\
Usage: tptread.py show FILE
  or:  tptread.py check FILE...
Read sidecars (.tpt) by their format page, replays/TRACE.md, and hold them to it.

  show            print what is in one, as lines of JSON
  check           print one line a file: whole, cut off, or what is wrong and where

  -h, --help      display this help and exit

Exit status (of several files the most serious, in the order 3, 5, 6, 2):
  0  whole
  2  usage, or a file that cannot be read
  3  damaged: something is not as the page says
  5  cut off: what is there is good
  6  another version
"""

OK, USAGE, DAMAGED, CUT, OTHER = 0, 2, 3, 5, 6
SERIOUS_FIRST = (DAMAGED, CUT, OTHER, USAGE, OK)

MAGIC = bytes.fromhex("54 50 54 52 41 43 45 0A")
HEAD_SIZE = 16
CONTENT_MAX = 2 << 30
TICKS_MAX = 33554432
MISSING_MAX = 4194304
ENDS = {1: "log", 2: "fault", 3: "limit", 4: "stopped", 5: "refused", 6: "broken"}


class Problem(Exception):
    """The first thing that is wrong with a file."""

    def __init__(self, what, code=DAMAGED):
        super().__init__(what)
        self.what, self.code = what, code


def require(condition, what):
    if not condition:
        raise Problem(what)


class Buffer(ctypes.Structure):
    """ZSTD_inBuffer and ZSTD_outBuffer, which are alike."""
    _fields_ = [("address", ctypes.c_void_p), ("size", ctypes.c_size_t), ("position", ctypes.c_size_t)]


@functools.lru_cache(maxsize=None)
def load_zstd():  # looking for it takes a process of its own
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    library.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.POINTER(Buffer), ctypes.POINTER(Buffer)]
    library.ZSTD_isError.argtypes = [ctypes.c_size_t]
    library.ZSTD_getErrorName.argtypes = [ctypes.c_size_t]
    library.ZSTD_getErrorName.restype = ctypes.c_char_p
    return library


def unpack(packed):
    """The frame's content and whether the frame was whole."""
    zstd, content = load_zstd(), bytearray()
    space = ctypes.create_string_buffer(1 << 17)
    source = Buffer(ctypes.cast(ctypes.c_char_p(packed), ctypes.c_void_p), len(packed), 0)
    context = zstd.ZSTD_createDCtx()
    try:
        while True:
            out = Buffer(ctypes.cast(space, ctypes.c_void_p), len(space), 0)
            before = source.position
            left = zstd.ZSTD_decompressStream(context, ctypes.byref(out), ctypes.byref(source))
            if zstd.ZSTD_isError(left):
                raise Problem(f"byte {HEAD_SIZE + source.position}: unpacking: {zstd.ZSTD_getErrorName(left).decode()}")
            content += space.raw[:out.position]
            require(len(content) <= CONTENT_MAX, "it unpacks to more than 2 GiB")
            if left == 0:
                require(source.position == source.size, f"byte {HEAD_SIZE + source.position}: something follows the frame")
                return bytes(content), True
            if out.position == 0 and source.position == before:
                return bytes(content), False
    finally:
        zstd.ZSTD_freeDCtx(context)


class Cursor:
    """Little-endian reading of one payload, which its contents must fill exactly."""

    def __init__(self, data):
        self.data, self.offset = data, 0

    def left(self):
        return len(self.data) - self.offset

    def take(self, size):
        require(size <= self.left(), "the contents run over the end of their payload")
        self.offset += size
        return self.data[self.offset - size:self.offset]

    def uint(self, size):
        return int.from_bytes(self.take(size), "little")

    def column(self, count):
        data = self.take(4 * count)
        return [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]

    def finish(self):
        require(self.left() == 0, f"{self.left()} bytes of the contents are left over")


def read_rules(data):
    """What is shown of the rules; the log's page and its reader check the rest of them."""
    cursor = Cursor(data)
    cursor.take(4)
    rules = {"revision": cursor.uint(4)}
    cursor.take(16)
    rules["seed"], rules["players"], rules["tick_rate_hz"] = cursor.uint(8), cursor.uint(4), cursor.uint(4)
    cursor.take(4)
    rules["world"] = cursor.take(cursor.uint(1)).decode("ascii", "strict")
    return rules


def read_text(data, what):
    require(all(byte >= 32 and byte != 127 for byte in data), f"{what} has a control character")
    return data.decode("utf-8", "replace")


class Sidecar:
    def __init__(self):
        self.ident = self.end = None
        self.missing = 0
        self.texts, self.rows, self.leaves, self.states = [], [], [], []  # Rows: of gaps, too.
        self.first_tick = self.next_tick = self.row_count = 0

    def take_ident(self, cursor):
        rules = cursor.take(cursor.uint(4))
        shown = read_rules(rules)
        self.ident = {key: shown[key] for key in ("world", "revision", "seed", "players", "tick_rate_hz")}
        self.ident.update(rules=rules.hex(), sequence=cursor.uint(4), first_tick=cursor.uint(8))
        self.first_tick = self.next_tick = self.ident["first_tick"]

    def take_text(self, cursor):
        key = cursor.take(cursor.uint(1))
        value = cursor.take(cursor.uint(2))
        require(1 <= len(key) <= 31 and len(value) <= 223 and len(self.texts) < 64, "more or longer texts than there may be")
        self.texts.append({"text": read_text(key, "a key"), "value": read_text(value, "a value")})

    def cover(self, first, count):
        require(first == self.next_tick, f"tick {first} does not follow: {self.next_tick} is next")
        self.next_tick += count
        require(self.next_tick - self.first_tick <= TICKS_MAX, "more ticks than a sidecar holds")

    def take_rows(self, cursor):
        first, count = cursor.uint(8), cursor.uint(4)
        require(1 <= count <= 4096, f"{count} rows, not 1 to 4096")
        self.cover(first, count)
        roots = cursor.take(8 * count)
        columns = [cursor.column(count) for _ in range(4)]
        for i, (given, event, draws, digest) in enumerate(zip(*columns)):
            self.rows.append({"tick": first + i, "root": roots[8 * i:8 * i + 8].hex(), "input": given, "event": event,
                              "draws": draws, "draw_digest": digest})
        self.row_count += count

    def take_gap(self, cursor):
        first, count = cursor.uint(8), cursor.uint(8)
        require(count >= 1, "a gap of no ticks")
        self.missing += count
        require(self.missing <= MISSING_MAX, "more missing ticks than there may be")
        self.cover(first, count)
        self.rows.append({"gap": first, "ticks": count})

    def take_leaves(self, cursor):
        steps, count = cursor.uint(8), cursor.uint(4)
        require(count >= 2, f"{count} leaves, which is less than 2")
        require(steps > (self.leaves[-1]["steps"] if self.leaves else self.first_tick), "leaves out of order")
        require(cursor.left() == 8 * count, "the leaves do not fill their payload")
        self.leaves.append({"steps": steps, "leaves": [f"{cursor.uint(8):016x}" for _ in range(count)]})

    def take_state(self, cursor):
        steps = cursor.uint(8)
        require(steps >= self.first_tick and (not self.states or steps > self.states[-1]["steps"]), "states out of order")
        require(len(self.states) < 16, "more than 16 states")
        self.states.append({"steps": steps, "state": cursor.take(cursor.left()).hex()})

    def take_end(self, cursor):
        end, rows, fault_root = cursor.uint(4), cursor.uint(8), cursor.take(8)
        has_chain, chain = cursor.uint(4), cursor.take(32)
        require(end in ENDS, f"end {end} is unknown")
        require(rows == self.row_count, f"END counts {rows} rows, and there are {self.row_count}")
        require(has_chain <= 1, "the flag of the chain value is neither 0 nor 1")
        text = cursor.take(cursor.left())
        require(len(text) <= 159, "the text of END is longer than 159 bytes")
        for name, places in (("leaves", self.leaves), ("a state", self.states)):
            require(not places or places[-1]["steps"] <= self.next_tick, f"{name} of a tick that is not there")
        self.end = {"end": ENDS[end], "text": read_text(text, "the text of END"), "fault_root": fault_root.hex(),
                    "chain": chain.hex() if has_chain else ""}

    def take(self, kind, payload):
        takers = {b"IDNT": self.take_ident, b"TEXT": self.take_text, b"ROWS": self.take_rows, b"GAPS": self.take_gap,
                  b"LEAF": self.take_leaves, b"STAT": self.take_state, b"ENDT": self.take_end}
        require(kind in takers, f"a record of unknown type {kind!a}")
        require(self.end is None, "something stands behind END")
        require((kind == b"IDNT") == (self.ident is None), "IDENT is not the first record, and the only one of its kind")
        cursor = Cursor(payload)
        takers[kind](cursor)
        cursor.finish()

    def lines(self):
        end = self.end or {"end": None}
        return [self.ident, *self.texts, *self.rows, *self.leaves, *self.states, end]


def read_sidecar(data):
    require(data[:8] == MAGIC and len(data) >= HEAD_SIZE, "byte 0: this is no sidecar")
    version, zero = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
    if version != 1 or zero != 0:
        raise Problem(f"byte 8: version {version}, and this reads version 1", OTHER)
    content, is_whole = unpack(data[HEAD_SIZE:])
    sidecar, at = Sidecar(), 0
    while len(content) - at >= 8:
        size = int.from_bytes(content[at + 4:at + 8], "little")
        if len(content) - at - 8 < size:
            break
        try:
            sidecar.take(content[at:at + 4], content[at + 8:at + 8 + size])
        except Problem as problem:
            problem.what = f"byte {at} of the content: {problem.what}"
            raise
        except UnicodeDecodeError:
            raise Problem(f"byte {at} of the content: the world's name is not ASCII") from None
        at += 8 + size
    require(sidecar.ident is not None, "it ends before its IDENT")
    if is_whole:
        require(at == len(content), f"byte {at} of the content: a record that is not whole in a frame that is")
        require(sidecar.end is not None, "the frame is whole, and there is no END in it")
    else:
        sidecar.end = None  # Its checksum was not seen.
    return sidecar


def read_file(path):
    try:
        with open(path, "rb") as file:
            return read_sidecar(file.read())
    except OSError as error:
        raise Problem(f"cannot be read: {error.strerror}", USAGE) from None


def show(path):
    try:
        sidecar = read_file(path)
    except Problem as problem:
        print(f"{path}: {problem.what}", file=sys.stderr)
        return problem.code
    for line in sidecar.lines():
        print(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
    return OK if sidecar.end is not None else CUT


def check(paths):
    codes = set()
    for path in paths:
        try:
            sidecar = read_file(path)
            code, what = (OK, "whole") if sidecar.end is not None else (CUT, "cut off")
            what = f"{what}, {sidecar.row_count} rows"
        except Problem as problem:
            code, what = problem.code, problem.what
        print(f"{path}: {what}")
        codes.add(code)
    return next(code for code in SERIOUS_FIRST if code in codes)


def main(arguments):
    if arguments and arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return OK
    if len(arguments) == 2 and arguments[0] == "show":
        return show(arguments[1])
    if len(arguments) >= 2 and arguments[0] == "check":
        return check(arguments[1:])
    print("tptread.py: it takes 'show FILE' or 'check FILE...'\nTry --help.", file=sys.stderr)
    return USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
