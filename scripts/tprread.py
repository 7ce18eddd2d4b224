#!/usr/bin/env python3
"""tprread.py: an independent reader of replay logs (.tpr), written from replays/README.md alone.

It holds a file to everything that page asks of a reader: framing, order, sizes, counts, links and
the chain. It never runs a world, so roots are shown and not judged: `tickproof verify` does that.
A file is read whole into memory, and reading stops at the first thing that is not as the page says.
"""

import hashlib
import json
import os
import re
import sys

HELP = """\
Usage: tprread.py info FILE
  or:  tprread.py records FILE
  or:  tprread.py rows FILE
  or:  tprread.py check FILE...
Read replay logs (.tpr) by their format page, replays/README.md, and hold them to it.

  info            print one JSON object about the log
  records         print one JSON line a record
  rows            print one JSON line a recorded tick
  check           print one line a file: whole up to END, or what is wrong and where

  -h, --help      display this help and exit

Of a bad file, info, records and rows print what comes before the problem; the problem
goes to standard error.

Exit status (of several files the most serious, in the order 8, 3, 4, 2):
  0  whole up to END
  2  usage, or a file that cannot be read
  3  damaged: something does not hold in what is wholly there
  4  truncated: torn at its end, or never finished
  8  the chain does not hold
"""

OK, USAGE, DAMAGED, TRUNCATED, UNCHAINED = 0, 2, 3, 4, 8
SERIOUS_FIRST = (UNCHAINED, DAMAGED, TRUNCATED, USAGE, OK)

MAGIC = bytes.fromhex("89 54 50 52 0D 0A 1A 0A")
HEAD_SIZE = 28  # The file header and a record's head are of one size and end in the same CRC.

# Type on disk: the page's name for it, the least and the most payload bytes.
KINDS = {
    b"IDNT": ("IDENT", 56, 65536),
    b"KEYF": ("KEY", 48, 67108912),
    b"TICK": ("TICKS", 4, 4194304),
    b"LEAF": ("LEAVES", 20, 65536),
    b"FALT": ("FAULT", 16, 131072),
    b"NOTE": ("NOTE", 4, 65536),
    b"SEAL": ("SEAL", 152, 152),
    b"GAPS": ("GAP", 24, 24),
    b"RESM": ("RESUME", 24, 65536),
    b"INDX": ("INDEX", 4, 16777216),
    b"ENDL": ("END", 272, 272),
}
COUNTED_BY_END = ("KEY", "TICKS", "LEAVES", "NOTE", "SEAL", "GAP", "RESUME")
ALLOWED_AFTER_FAULT = ("NOTE", "SEAL", "INDEX", "END")

HOST = 0xFFFFFFFF
NAME_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-.")
ALGORITHMS = {1: "XXH3", 2: "FNV-1a-128"}
STATE_KINDS = {0: "flat", 1: "opaque"}
ORIGINS = ("received", "repeated", "neutral", "bot")
NOTE_KINDS = {1: "text", 2: "fault diagnostics", 3: "membership"}
GAP_CAUSES = {1: "storage full", 2: "storage error", 3: "overload", 4: "other"}
END_REASONS = {1: "completed", 2: "stopped", 3: "fault", 4: "rotated"}


def crc_build_table():
    """The remainder of every byte by the Castagnoli polynomial, reflected."""
    table = list(range(256))
    for _ in range(8):
        table = [(value >> 1) ^ (0x82F63B78 if value & 1 else 0) for value in table]
    return table


CRC_TABLE = crc_build_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def fnv1a_128(data):
    value = 0x6C62272E07BB014262B821756295C58D
    for byte in data:
        value = (value ^ byte) * 0x1000000000000000000013B & ((1 << 128) - 1)
    return value.to_bytes(16, "little")


def blake2b_256(data):
    return hashlib.blake2b(data, digest_size=32).digest()


class Problem(Exception):
    """The first thing wrong with a file. Log.scan fills in the offset of the record it is in."""

    def __init__(self, what, code=DAMAGED):
        super().__init__(what)
        self.what, self.code, self.offset = what, code, 0


def require(condition, what):
    if not condition:
        raise Problem(what)


def decode_text(data, what):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Problem(f"{what} is not UTF-8") from None


def decode_name(data):
    """For names of which the page gives no encoding: shows any bytes, refuses none."""
    return data.decode("utf-8", "backslashreplace")


class Cursor:
    """Little-endian reading of one span, which its contents must fill exactly."""

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

    def bounded(self, size, least, most, what):
        value = self.uint(size)
        require(least <= value <= most, f"{what} is {value}, not {least} to {most}")
        return value

    def choice(self, size, names, what):
        value = self.uint(size)
        require(value in names, f"{what} {value} is unknown")
        return names[value]

    def zero(self, size, what):
        require(not any(self.take(size)), f"{what} must be zero")

    def finish(self):
        require(self.left() == 0, f"{self.left()} bytes of the contents are left over")


def read_provenance(cursor):
    items, keys = {}, set()
    for _ in range(cursor.bounded(2, 0, 256, "provenance count")):
        key = cursor.take(cursor.bounded(1, 1, 255, "provenance key size"))
        require(key not in keys, f"provenance key {decode_name(key)!a} is there twice")
        keys.add(key)
        items[decode_name(key)] = decode_text(cursor.take(cursor.uint(2)), "a provenance value")
    cursor.finish()
    return items


def read_name(cursor, what):
    name = cursor.take(cursor.bounded(1, 1, 63, f"{what} size"))
    require(NAME_LETTERS.issuperset(name), f"the {what} has a letter that is not allowed")
    return name.decode("ascii")


def read_rules(cursor):
    rules = {"abi": cursor.uint(4), "revision": cursor.uint(4), "layout": cursor.take(16).hex()}
    rules["seed"] = cursor.uint(8)
    rules["slots"] = cursor.bounded(4, 0, 128, "slots")
    rules["rate"] = cursor.bounded(4, 1, 100000, "tick rate")
    rules["input_size"] = cursor.bounded(2, 0, 64, "input size")
    rules["algorithm"] = cursor.choice(1, ALGORITHMS, "hash algorithm")
    rules["state"] = cursor.choice(1, STATE_KINDS, "kind of state")
    rules["world"] = read_name(cursor, "world name")
    # The page does not ask that these names differ, so pairs show what is there.
    rules["config"], rules["content"] = [], []
    for _ in range(cursor.bounded(2, 0, 64, "config count")):
        name = read_name(cursor, "config name")
        value = int.from_bytes(cursor.take(8), "little", signed=True)
        rules["config"].append({"name": name, "value": value})
    for _ in range(cursor.bounded(2, 0, 64, "content count")):
        name = read_name(cursor, "content name")
        rules["content"].append({"name": name, "hash": cursor.take(16).hex()})
    cursor.finish()
    return rules


def read_commands(cursor, slots):
    commands = []
    count = cursor.bounded(2, 0, 256, "command count")
    start = cursor.offset
    for _ in range(count):
        source, kind = cursor.uint(4), cursor.uint(2)
        require(source < slots or source == HOST, f"command source {source} is no slot")
        data = cursor.take(cursor.bounded(2, 0, 4096, "command size")).hex()
        source = "host" if source == HOST else source
        commands.append({"source": source, "type": kind, "data": data})
    size = cursor.offset - start
    require(size <= 65536, f"a row has {size} bytes of commands, over 65536")
    return commands


def read_row(cursor, rules, tick, root_size):
    """One row. Presence, origins and inputs come out as lists over the present slots."""
    slots = rules["slots"]
    # Slots go from the low bits up, so each bit field is one little-endian number.
    presence = cursor.uint((slots + 7) // 8)
    require(presence >> slots == 0, "unused presence bits must be zero")
    origins = cursor.uint((slots + 3) // 4)
    require(origins >> (2 * slots) == 0, "unused origin bits must be zero")
    row = {"tick": tick, "presence": [], "origins": [], "inputs": []}
    for slot in range(slots):
        origin, data = origins >> (2 * slot) & 3, cursor.take(rules["input_size"])
        if presence >> slot & 1:
            row["presence"].append(slot)
            row["origins"].append(ORIGINS[origin])
            row["inputs"].append(data.hex())
        else:
            require(origin == 0, f"the origin of absent slot {slot} must be zero")
            require(not any(data), f"the input of absent slot {slot} must be zero")
    row["commands"] = read_commands(cursor, slots)
    row["root"] = cursor.take(root_size).hex() or None
    return row


class Log:
    """What a scan has learned of one file so far: its fields speak of the good records only."""

    def __init__(self, data):
        self.data = data
        self.zeroes_offset = len(data.rstrip(b"\0"))  # From here on the file is zeroes.
        self.offset = 0                               # Of the record being read.
        self.marker = b""
        self.chain = blake2b_256(b"tickproof chain 1")
        self.records = 0
        self.counts = {name: 0 for name, _, _ in KINDS.values()}
        self.last_name = self.last_anchor = None      # The anchor is the last but NOTE and SEAL.
        self.rules = self.rules_id = None             # No id when the hash cannot be computed here.
        self.provenance = {}
        self.sequence = 0
        self.predecessor = self.first_tick = None
        self.next_tick = self.row_count = self.commands = 0
        self.rows = []                                # Of the record being read.
        self.keys = []                                # Tick and offset of every KEY.
        self.index_offset = self.epoch = self.signed = 0
        self.end = None

    def scan(self):
        """Yields the JSON line of each record that holds; raises Problem at the first other one."""
        try:
            self.read_file_header()
            while self.end is None:
                yield self.read_record()
            # Zeroes after END are a torn tail like any other; nothing else is forgiven there.
            extra = len(self.data) - self.offset
            if extra and self.offset >= self.zeroes_offset:
                raise Problem(f"{extra} zero bytes follow END", TRUNCATED)
            require(extra == 0, f"{extra} bytes follow END")
        except Problem as problem:
            problem.offset = self.offset
            raise

    def require_whole(self, start, end, what):
        """Refuses bytes `start` to `end`, the last four their CRC, when it does not hold: torn when the zero tail begins in them.

        A crash can leave a file at its full size with its last pages never written, so the point
        from which it holds only zeroes may lie in the middle of a record. Where it lies inside the CRC, the CRC's bytes
        before it must be right: else damage in a record whose CRC happens to end in zeroes would look torn.
        """
        expected = crc32c(self.data[start:end - 4]).to_bytes(4, "little")
        condition = expected == self.data[end - 4:end]
        written = max(0, min(4, self.zeroes_offset - (end - 4)))
        if not condition and self.zeroes_offset < end and expected[:written] == self.data[end - 4:end - 4 + written]:
            raise Problem(f"only zeroes from offset {self.zeroes_offset} on", TRUNCATED)
        require(condition, what)

    def read_file_header(self):
        header = self.data[:HEAD_SIZE]
        if len(header) < HEAD_SIZE:
            written = min(self.zeroes_offset, len(MAGIC))
            require(header[:written] == MAGIC[:written], "the file is no replay log")
            raise Problem("the file ends inside its header", TRUNCATED)
        require(header[:8] == MAGIC or self.zeroes_offset < HEAD_SIZE, "the magic is not that of a replay log")
        self.require_whole(0, HEAD_SIZE, "the CRC of the file header does not hold")
        cursor = Cursor(header[8:24])
        version = cursor.uint(2)
        require(version == 1, f"format version {version} is unknown")
        cursor.zero(2, "bytes 10 and 11 of the file header")
        container = cursor.uint(4)
        require(container == 0, f"container {container} is unknown")
        self.marker = cursor.take(8)
        self.offset = HEAD_SIZE

    def read_record(self):
        offset, body = self.offset, self.offset + HEAD_SIZE
        if offset >= self.zeroes_offset:
            raise Problem("the file ends without END" if offset == len(self.data)
                          else "only zeroes from here on, and no END", TRUNCATED)
        if len(self.data) < body:
            raise Problem("the file ends inside the head of a record", TRUNCATED)
        head = self.data[offset:body]
        self.require_whole(offset, body, "the CRC of a record's head does not hold")
        cursor = Cursor(head)
        require(cursor.take(8) == self.marker, "the marker of a record is not the file's")
        kind, size, tick = cursor.take(4), cursor.uint(4), cursor.uint(8)
        # A head that holds is judged before its payload is looked for: what it says wrong is wrong
        # however much of the payload is there.
        name = self.judge_head(kind, size, tick)
        end = body + size + 4
        if len(self.data) < end:
            raise Problem(f"the file ends inside {name}, a record of {size} bytes", TRUNCATED)
        payload = self.data[body:body + size]
        self.require_whole(body, end, f"the payload CRC of {name} does not hold")
        self.rows = []
        cursor = Cursor(payload)
        details = getattr(self, "read_" + name.lower())(cursor, tick)
        cursor.finish()
        self.chain = blake2b_256(self.chain + kind + head[16:24] + head[12:16] + payload)
        line = {"record": self.records, "offset": offset, "type": name, "tick": tick, "size": size}
        self.records += 1
        self.counts[name] += 1
        self.last_name = name
        self.last_anchor = self.last_anchor if name in ("NOTE", "SEAL") else name
        self.offset = end
        return line | details

    def judge_head(self, kind, size, tick):
        """Type, size, order and tick of the record to come. Returns the page's name for it."""
        require(kind in KINDS, f"unknown record type {kind!r}")
        name, least, most = KINDS[kind]
        require(least <= size <= most, f"{name} of {size} bytes, not {least} to {most}")
        due = {0: "IDENT", 1: "KEY"}.get(self.records, name)
        require(name == due, f"record {self.records} is {name}, not {due}")
        require(name != "IDENT" or self.records == 0, "a second IDENT")
        require(self.last_name != "GAP" or name == "KEY", f"GAP is followed by {name}, not by KEY")
        require(not self.counts["INDEX"] or name == "END", f"{name} after INDEX")
        require(not self.counts["FAULT"] or name in ALLOWED_AFTER_FAULT, f"{name} after FAULT")
        if name == "LEAVES":
            require(self.last_anchor == "TICKS", f"LEAVES after {self.last_anchor}, not TICKS")
        if name != "IDENT":  # Its tick is held against its payload.
            due = self.next_tick - 1 if name == "LEAVES" else self.next_tick
            require(tick == due, f"{name} of tick {tick}, not {due}")
        if name == "KEY" and self.keys:
            require(self.keys[-1][0] != tick, f"a second KEY of tick {tick}")
        return name

    def read_ident(self, cursor, tick):
        marker = blake2b_256(cursor.data)[:8]
        require(marker == self.marker, "the file header's marker is not the hash of IDENT")
        rules_size, provenance_size, sequence = cursor.uint(4), cursor.uint(4), cursor.uint(4)
        cursor.zero(4, "bytes 12 to 15 of IDENT")
        first_tick, predecessor = cursor.uint(8), cursor.take(32)
        require((first_tick == 0) == (sequence == 0), "first tick is 0 exactly in sequence 0")
        require(any(predecessor) == (sequence != 0), "predecessor is zero exactly in sequence 0")
        require(tick == first_tick, f"IDENT of tick {tick}, not of its first tick {first_tick}")
        rules = cursor.take(rules_size)
        self.provenance = read_provenance(Cursor(cursor.take(provenance_size)))
        self.rules = read_rules(Cursor(rules))
        self.rules_id = fnv1a_128(rules) if self.rules["algorithm"] == "FNV-1a-128" else None
        self.sequence, self.predecessor = sequence, predecessor.hex() if sequence else None
        self.first_tick = self.next_tick = first_tick
        return {"sequence": sequence, "world": self.rules["world"]}

    def read_key(self, cursor, tick):
        previous, due = cursor.uint(8), self.keys[-1][1] if self.keys else 0
        require(previous == due, f"KEY links back to offset {previous}, not {due}")
        root, leaves = cursor.take(16), cursor.take(16)
        flags = cursor.bounded(4, 0, 3, "KEY flags")
        require(flags & 1 or not any(root + leaves), "the root of KEY must be zero if absent")
        require(tick > 0 or not any(leaves), "the leaves of a KEY of tick 0 must be zero")
        unproven = flags & 2 != 0
        require(unproven == (self.last_name == "GAP"), "KEY is unproven exactly after a GAP")
        state = cursor.take(cursor.uint(4))
        self.keys.append((tick, self.offset))
        return {"previous": previous, "root": root.hex() if flags & 1 else None,
                "unproven": unproven, "state_size": len(state)}

    def read_ticks(self, cursor, tick):
        count, root_size = cursor.bounded(2, 1, 256, "rows"), cursor.uint(1)
        require(root_size == 0 or 4 <= root_size <= 16, f"root size {root_size}, not 0 or 4 to 16")
        cursor.zero(1, "byte 3 of TICKS")
        self.rows = [read_row(cursor, self.rules, tick + i, root_size) for i in range(count)]
        commands = sum(len(row["commands"]) for row in self.rows)
        self.next_tick += count
        self.row_count += count
        self.commands += commands
        return {"rows": count, "root_size": root_size, "commands": commands}

    def read_leaves(self, cursor, tick):
        root, count = cursor.take(16), cursor.uint(4)
        require(count >= 2, f"{count} leaves, where the input and the event leaf are two")
        require(cursor.left() == 8 * count, f"{cursor.left()} bytes for {count} leaves")
        return {"root": root.hex(), "leaves": [cursor.take(8).hex() for _ in range(count)]}

    def read_fault(self, cursor, tick):
        # The row is of a step that never was: it is shown, but neither it nor its commands count.
        return {"root": cursor.take(16).hex(), "row": read_row(cursor, self.rules, tick, 0)}

    def read_note(self, cursor, tick):
        kind = cursor.choice(2, NOTE_KINDS, "NOTE kind")
        cursor.zero(2, "bytes 2 and 3 of NOTE")
        text = decode_text(cursor.take(cursor.left()), "the text of NOTE")
        if kind == "membership":
            form = re.fullmatch("slot (0|[1-9][0-9]{0,2}) (free|token [0-9a-f]{32})", text, re.ASCII)
            require(form is not None and int(form[1]) < self.rules["slots"], f"{text!r} is no membership")
        return {"kind": kind, "text": text}

    def require_chain(self, chain, name):
        if chain != self.chain:
            raise Problem(f"the chain value of {name} is not that of what is before", UNCHAINED)

    def read_signature(self, cursor, name):
        """What SEAL and END share. Ed25519 itself is beyond the standard library."""
        signed = cursor.bounded(1, 0, 1, f"the signed byte of {name}")
        cursor.zero(7, f"the seven bytes after the signed byte of {name}")
        key, signature = cursor.take(32), cursor.take(64)
        require(signed or not any(key + signature),
                f"key and signature of {name} must be zero when not signed")
        self.signed += signed
        return key.hex() if signed else None

    def read_seal(self, cursor, tick):
        self.require_chain(cursor.take(32), "SEAL")
        ticks, records = cursor.uint(8), cursor.uint(8)
        require(ticks == self.row_count, f"SEAL counts {ticks} ticks of {self.row_count}")
        require(records == self.records, f"SEAL counts {records} records of {self.records}")
        key = self.read_signature(cursor, "SEAL")
        return {"chain": self.chain.hex(), "ticks": ticks, "key": key}

    def read_gap(self, cursor, tick):
        first, last = cursor.uint(8), cursor.uint(8)
        cause = cursor.choice(4, GAP_CAUSES, "GAP cause")
        cursor.zero(4, "the last four bytes of GAP")
        require(first == tick, f"GAP begins at tick {first}, not at {tick}")
        require(last >= first, f"GAP ends at tick {last}, before its first")
        self.next_tick = last + 1
        return {"first": first, "last": last, "cause": cause}

    def read_resume(self, cursor, tick):
        epoch, size, again, cut_size = (cursor.uint(size) for size in (4, 4, 8, 8))
        require(epoch == self.epoch + 1, f"RESUME of epoch {epoch}, not {self.epoch + 1}")
        require(again == tick, f"RESUME says tick {again} inside, not {tick}")
        provenance = read_provenance(Cursor(cursor.take(size)))
        self.epoch = epoch
        return {"epoch": epoch, "cut_size": cut_size, "provenance": provenance}

    def read_index(self, cursor, tick):
        count = cursor.uint(4)
        require(count == len(self.keys), f"INDEX has {count} entries for {len(self.keys)} KEYs")
        for key in self.keys:
            entry = cursor.uint(8), cursor.uint(8)
            require(entry == key, "INDEX says KEY of tick %d at %d, " % entry
                    + "the scan found tick %d at %d" % key)
        self.index_offset = self.offset
        return {"entries": count}

    def read_end(self, cursor, tick):
        # The chain comes first: a file that was rewritten is to be called that, not miscounted.
        self.require_chain(cursor.data[128:160], "END")
        reason, flags = cursor.choice(4, END_REASONS, "END reason"), cursor.uint(4)
        require((reason == "fault") == (self.counts["FAULT"] > 0),
                "the reason of END is fault exactly when there is a FAULT")
        require(flags <= 1, f"END flags {flags} are unknown")
        counts = [("ticks", self.row_count), ("records", self.records)]
        counts += [(name, self.counts[name]) for name in COUNTED_BY_END]
        for name, due in counts + [("commands", self.commands)]:
            count = cursor.uint(8)
            require(count == due, f"END counts {count} {name} of {due}")
        root, binding, index_offset = cursor.take(16), cursor.take(16), cursor.uint(8)
        require(flags or not any(root), "the root of END must be zero if absent")
        if self.rules_id is not None:
            due = fnv1a_128(self.rules_id + cursor.data[:104])
            require(binding == due, "the binding of END does not hold")
        require(index_offset == self.index_offset,
                f"END says INDEX is at {index_offset}, not {self.index_offset}")
        cursor.take(32)
        key = self.read_signature(cursor, "END")
        cursor.zero(8, "the last eight bytes of END")
        self.end = {"reason": reason, "root": root.hex() if flags else None,
                    "binding": binding.hex(), "chain": self.chain.hex(), "key": key}
        return self.end

    def not_checked(self):
        """What a good exit code leaves open, in words for people."""
        return (["roots (they need the world)"]
                + ["rules id and binding (XXH3)"] * (bool(self.rules) and self.rules_id is None)
                + [f"{self.signed} signatures (Ed25519)"] * (self.signed > 0)
                + ["the predecessor's chain value"] * (self.sequence > 0))


def describe_log(log, problem):
    """The object that `info` prints; of a bad file it speaks of the records before the problem."""
    end = log.end or {}
    info = log.rules | {"rules_id": log.rules_id.hex() if log.rules_id else None}
    info.update(sequence=log.sequence, predecessor=log.predecessor, provenance=log.provenance)
    info.update(first_tick=log.first_tick, ticks=log.row_count, commands=log.commands)
    # The chain is the value that END carries and its signature covers; without END, the one so far.
    info.update(records=log.counts, end=end.get("reason"), root=end.get("root"))
    info.update(chain=end.get("chain", log.chain.hex()), signed=log.signed)
    info.update(file_size=len(log.data), not_checked=log.not_checked())
    if problem:
        info["problem"] = {"status": problem.code, "offset": problem.offset, "what": problem.what}
    return info


def read_log(path, show):
    """Hands every good record and its rows to `show`. Returns the log, and its problem or None."""
    log = Log(b"")
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return log, Problem(f"cannot be read: {error.strerror}", USAGE)
    log = Log(data)
    try:
        for line in log.scan():
            show(line, log.rows)
    except Problem as problem:
        return log, problem
    return log, None


def run_check(paths):
    codes = set()
    for path in paths:
        log, problem = read_log(path, lambda line, rows: None)
        what = problem.what if problem else (
            f"whole up to END, {log.row_count} ticks in {log.records} records; "
            f"not checked: {', '.join(log.not_checked())}")
        print(f"{path}: offset {problem.offset if problem else log.offset}: {what}")
        codes.add(problem.code if problem else OK)
    return next(code for code in SERIOUS_FIRST if code in codes)


def run_show(command, path):
    def show(line, rows):
        for item in {"records": [line], "rows": rows}.get(command, []):
            print(json.dumps(item))

    log, problem = read_log(path, show)
    if command == "info" and log.rules:
        print(json.dumps(describe_log(log, problem)))
    if problem:
        sys.stdout.flush()
        print(f"{path}: offset {problem.offset}: {problem.what}", file=sys.stderr)
    return problem.code if problem else OK


def main(arguments):
    # Options end at "--", so that the name of a file may begin with a dash.
    options = arguments[:arguments.index("--")] if "--" in arguments else arguments
    words = [word for word in options if not word.startswith("-")] + arguments[len(options) + 1:]
    unknown = [word for word in options if word.startswith("-") and word not in ("-h", "--help")]
    command, paths = words[:1], words[1:]
    if "-h" in options or "--help" in options:
        print(HELP, end="")
        return OK
    if unknown:
        complaint = f"unknown option '{unknown[0]}'"
    elif command not in (["info"], ["records"], ["rows"], ["check"]):
        complaint = f"unknown command '{command[0]}'" if command else "missing command"
    elif not paths or (len(paths) > 1 and command != ["check"]):
        complaint = f"'{command[0]}' takes one file" if paths else "missing file"
    else:
        return run_check(paths) if command == ["check"] else run_show(command[0], paths[0])
    print(f"tprread.py: {complaint}\nTry 'tprread.py --help' for more information.",
          file=sys.stderr)
    return USAGE


if __name__ == "__main__":
    # The name of a file may be any bytes; it is escaped rather than let end the program.
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Who read our output has left. The flush at exit must not complain of it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = OK
    sys.exit(status)
