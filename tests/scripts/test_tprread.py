"""Tests of scripts/tprread.py: small logs are built here from the format page, then spoiled.

The writer below shares no code with the reader. It takes any order of records and a patch for any
of them, and goes on consistently (CRCs, chain, counts, binding), so that each case shows one check
saying no and not another one by accident. The logs hash with FNV-1a-128, which can be checked.
"""

import contextlib
import hashlib
import importlib.util
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/tprread.py")
SPEC = importlib.util.spec_from_file_location("tprread", SCRIPT)
sys.dont_write_bytecode = True
tprread = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tprread)


def crc(data):
    """CRC-32C bit by bit, to be slow and different from the reader's table."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (value & 1) * 0x82F63B78
    return value ^ 0xFFFFFFFF


def h128(data):
    value = 144066263297769815596495629667062367629
    for byte in data:
        value = (value ^ byte) * (2**88 + 2**8 + 0x3B) % 2**128
    return struct.pack("<QQ", value % 2**64, value >> 64)


def blake(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def provenance(*items):
    body = b"".join(struct.pack("<B", len(k)) + k + struct.pack("<H", len(v)) + v for k, v in items)
    return struct.pack("<H", len(items)) + body


def rules(world=b"duel-2.a", slots=3, rate=60, input_size=2, algorithm=2, state=0,
          config=((b"lives", -3),), content=((b"map", b"\x05" * 16),)):
    data = struct.pack("<II16sQIIHBB", 1, 7, b"L" * 16, 2**64 - 1, slots, rate, input_size,
                       algorithm, state)
    data += struct.pack("<B", len(world)) + world + struct.pack("<H", len(config))
    data += b"".join(struct.pack("<B", len(k)) + k + struct.pack("<q", v) for k, v in config)
    data += struct.pack("<H", len(content))
    return data + b"".join(struct.pack("<B", len(k)) + k + v for k, v in content)


def command(source=0xFFFFFFFF, kind=9, data=b"hi"):
    return struct.pack("<IHH", source, kind, len(data)) + data


def row(presence=0b101, origins=0b110001, inputs=b"ab\0\0cd", commands=(), root=b""):
    return (struct.pack("<BB", presence, origins) + inputs + struct.pack("<H", len(commands))
            + b"".join(commands) + root)


def ticks(*rows, root_size=0):
    return struct.pack("<HBB", len(rows), root_size, 0) + b"".join(rows)


ROWS = ticks(row(commands=(command(), command(2, 1, b"")), root=b"root"),
             row(0b111, 0b111111, b"abcdef", root=b"next"), root_size=4)
DAMAGED, TRUNCATED, UNCHAINED = 3, 4, 8


class Writer:
    """Writes records in any order asked for. A patch changes a payload before CRC and chain."""

    def __init__(self, patches=(), rules_data=None, provenance_data=None, sequence=0, tick=0):
        self.patches = dict(patches)
        self.rules = rules() if rules_data is None else rules_data
        self.provenance = (provenance((b"build", b"1.0"), (b"match", "é".encode()))
                           if provenance_data is None else provenance_data)
        self.sequence, self.first_tick, self.tick = sequence, tick, tick
        self.data, self.marker = b"", b""
        self.chain = blake(b"tickproof chain 1")
        self.names, self.keys, self.offsets = [], [], []
        self.rows = self.commands = self.epoch = self.index_offset = 0

    def record(self, kind, payload, tick=None):
        number = len(self.names)
        for offset, patch in self.patches.get(number, ()):
            payload = payload[:offset] + patch + payload[offset + len(patch):]
        if kind == b"ENDL" and not any(104 <= at < 120 for at, _ in self.patches.get(number, ())):
            binding = h128(h128(self.rules) + payload[:104])
            payload = payload[:104] + binding + payload[120:]
        if kind == b"IDNT":
            self.marker = blake(payload)[:8]
        if not self.data:
            self.data = b"\x89TPR\r\n\x1a\n" + struct.pack("<HHI", 1, 0, 0) + self.marker
            self.data += struct.pack("<I", crc(self.data))
        tick = self.tick if tick is None else tick
        head = self.marker + kind + struct.pack("<IQ", len(payload), tick)
        self.offsets.append(len(self.data))
        self.names.append(kind)
        self.data += head + struct.pack("<I", crc(head)) + payload + struct.pack("<I", crc(payload))
        self.chain = blake(self.chain + kind + struct.pack("<QI", tick, len(payload)) + payload)

    def write(self, letters):
        for letter in letters:
            getattr(self, "write_" + letter)()
        return self

    def write_I(self):
        head = struct.pack("<IIIIQ", len(self.rules), len(self.provenance), self.sequence, 0,
                           self.first_tick)
        predecessor = b"P" * 32 if self.sequence else bytes(32)
        self.record(b"IDNT", head + predecessor + self.rules + self.provenance)

    def write_K(self, with_root=True):
        after_gap = self.names[-1] == b"GAPS"
        leaves = b"E" * 16 if self.tick and with_root else bytes(16)
        root = b"R" * 16 if with_root else bytes(16)
        state = b"state" + bytes(7)
        payload = struct.pack("<Q16s16sII", self.keys[-1][1] if self.keys else 0, root, leaves,
                              with_root + 2 * after_gap, len(state)) + state
        self.record(b"KEYF", payload)
        self.keys.append((self.tick, self.offsets[-1]))

    def write_k(self):
        self.write_K(with_root=False)

    def write_T(self):
        self.record(b"TICK", ROWS)
        self.tick, self.rows, self.commands = self.tick + 2, self.rows + 2, self.commands + 2

    def write_t(self):
        self.record(b"TICK", ticks(row()))
        self.tick, self.rows = self.tick + 1, self.rows + 1

    def write_L(self):
        leaves = struct.pack("<I", 3) + b"1" * 8 + b"2" * 8 + b"3" * 8
        self.record(b"LEAF", b"R" * 16 + leaves, max(self.tick - 1, 0))

    def write_F(self):
        self.record(b"FALT", b"F" * 16 + row(commands=(command(),)))

    def write_N(self):
        self.record(b"NOTE", struct.pack("<HH", 1, 0) + "naïve".encode())

    def write_S(self):
        self.record(b"SEAL", struct.pack("<32sQQQ96x", self.chain, self.rows, len(self.names), 0))

    def write_s(self):
        self.record(b"SEAL", struct.pack("<32sQQQ", self.chain, self.rows, len(self.names), 1)
                    + b"k" * 32 + b"s" * 64)

    def write_G(self):
        self.record(b"GAPS", struct.pack("<QQII", self.tick, self.tick + 4, 3, 0))
        self.tick += 5

    def write_R(self):
        self.epoch += 1
        body = provenance((b"build", b"2"))
        self.record(b"RESM", struct.pack("<IIQQ", self.epoch, len(body), self.tick, 99) + body)

    def write_X(self):
        entries = b"".join(struct.pack("<QQ", *key) for key in self.keys)
        self.record(b"INDX", struct.pack("<I", len(self.keys)) + entries)
        self.index_offset = self.offsets[-1]

    def write_E(self):
        counts = [self.names.count(kind) for kind in
                  (b"KEYF", b"TICK", b"LEAF", b"NOTE", b"SEAL", b"GAPS", b"RESM")]
        reason = 3 if b"FALT" in self.names else 1
        payload = struct.pack("<IIQQ8Q", reason, 1, self.rows, len(self.names), *counts,
                              self.commands)
        payload += b"R" * 16 + bytes(16) + struct.pack("<Q", self.index_offset) + self.chain
        self.record(b"ENDL", payload + bytes(112))


def resum(data, offset=0):
    """Makes the CRCs of one head (the file's or a record's) and of the payload after it hold."""
    head = data[offset:offset + 24]
    data = data[:offset + 24] + struct.pack("<I", crc(head)) + data[offset + 28:]
    if offset:
        end = offset + 28 + struct.unpack_from("<I", head, 12)[0]
        data = data[:end] + struct.pack("<I", crc(data[offset + 28:end])) + data[end + 4:]
    return data


def put(data, offset, patch):
    return data[:offset] + patch + data[offset + len(patch):]


def examine(data):
    """Exit code, offset and sentence of the reader for these bytes; a good file is at its size."""
    log = tprread.Log(data)
    try:
        for _ in log.scan():
            pass
    except tprread.Problem as problem:
        return problem.code, problem.offset, problem.what
    return 0, log.offset, ""


# Every kind of record that may stand in one file; FAULT has a file of its own.
FULL = "IKNTSLKtRsGKTXE"


class Spoil(unittest.TestCase):
    def refuse(self, data, code, what, offset=None):
        got = examine(data)
        self.assertEqual(got[0], code, got)
        self.assertIn(what, got[2])
        if offset is not None:
            self.assertEqual(got[1], offset, got)

    def refuse_order(self, letters, what):
        """The last letter is the record that must be refused."""
        writer = Writer().write(letters)
        self.refuse(writer.data, DAMAGED, what, writer.offsets[-1])

    def refuse_patch(self, letters, number, offset, patch, what, code=DAMAGED, **options):
        writer = Writer({number: [(offset, patch)]}, **options).write(letters)
        with self.subTest(record=number, offset=offset, what=what):
            self.refuse(writer.data, code, what, writer.offsets[number])


class Basics(unittest.TestCase):
    def test_known_values(self):
        self.assertEqual(tprread.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(tprread.fnv1a_128(b"a")[::-1].hex(), "d228cb696f1a8caf78912b704e4a8964")
        self.assertEqual(crc(b"123456789"), 0xE3069283)
        self.assertEqual(h128(b"tick"), tprread.fnv1a_128(b"tick"))

    def test_good_logs(self):
        good = (FULL, "IKE", "IkE", "IKTFE", "IKFNSXE", "IKTNSLE", "IKGKE", "IKTGKTE", "IKSSRRNE",
                "IKtLtLtKtE", "IKTkTXE", "IKTLKE")
        for letters in good:
            with self.subTest(letters=letters):
                data = Writer().write(letters).data
                self.assertEqual(examine(data), (0, len(data), ""))

    def test_good_options(self):
        many = tuple((b"k%d" % i, i) for i in range(64))
        long = (b"k" * 255, b"v" * 40000)
        for options in (dict(sequence=3, tick=2**40), dict(rules_data=rules(world=b"w" * 63)),
                        dict(rules_data=rules(config=many, content=())),
                        dict(provenance_data=provenance(long)),
                        dict(provenance_data=provenance()),
                        dict(provenance_data=provenance(*((b"%d" % i, b"") for i in range(256)))),
                        dict(rules_data=rules(algorithm=1, state=1))):
            data = Writer(**options).write(FULL).data
            self.assertEqual(examine(data)[0], 0, examine(data))

    def test_no_slots_and_many_slots(self):
        for slots, size in ((0, 0), (0, 64), (1, 1), (4, 0), (9, 3), (128, 64)):
            data = (bytes([255] * (slots // 8)) + bytes([255 >> 8 - slots % 8] * (slots % 8 > 0))
                    + bytes((slots + 3) // 4) + b"\1" * (slots * size) + bytes(2))
            writer = Writer(rules_data=rules(slots=slots, input_size=size)).write("IK")
            writer.record(b"TICK", ticks(*[data] * 256))
            writer.tick, writer.rows = 256, 256
            got = examine(writer.write("E").data)
            self.assertEqual(got[0], 0, (slots, size, got))


class Bytes(Spoil):
    def test_every_cut_is_torn_at_its_record(self):
        for letters in (FULL, "IKTFE"):
            writer = Writer().write(letters)
            starts = [0] + writer.offsets
            for size in range(len(writer.data)):
                # A cut right after a record speaks of the next one, which is not there.
                start = max(at for at in starts if at <= size)
                got = examine(writer.data[:size])
                self.assertEqual(got[:2], (TRUNCATED, start), (size, got))

    def test_every_cut_with_a_zero_tail_is_torn(self):
        writer = Writer().write(FULL)
        for size in range(len(writer.data)):
            # Where only zeroes were cut off, putting them back changes nothing.
            tail = bytes(len(writer.data) - size)
            expected = 0 if writer.data[size:] == tail else TRUNCATED
            self.assertEqual(examine(writer.data[:size] + tail)[0], expected, size)
            self.assertEqual(examine(writer.data[:size] + bytes(4096))[0], TRUNCATED, size)

    def test_every_flip_is_damage_at_its_record(self):
        for letters in (FULL, "IKTFE"):
            writer = Writer().write(letters)
            starts = [0] + writer.offsets
            for at in range(len(writer.data)):
                data = bytearray(writer.data)
                data[at] ^= 1 << at % 8
                start = max(offset for offset in starts if offset <= at)
                self.assertNotEqual(data[-1], 0)
                self.assertEqual(examine(bytes(data))[:2], (DAMAGED, start), at)

    def test_every_byte_ored_or_zeroed_is_never_good(self):
        data = Writer().write(FULL).data
        for at in range(len(data)):
            for value in (0, 255):
                if data[at] != value:
                    self.assertNotEqual(examine(put(data, at, bytes([value])))[0], 0, at)

    def test_after_end(self):
        data = Writer().write("IKE").data
        self.refuse(data + b"x", DAMAGED, "1 bytes follow END", len(data))
        self.refuse(data + bytes(50) + b"x", DAMAGED, "51 bytes follow END", len(data))
        self.refuse(data + data[28:], DAMAGED, "follow END", len(data))
        self.refuse(data + bytes(1), TRUNCATED, "1 zero bytes follow END", len(data))
        self.refuse(data + bytes(4096), TRUNCATED, "4096 zero bytes follow END", len(data))

    def test_zero_tail_and_no_end(self):
        data = Writer().write("IKT").data
        self.refuse(data, TRUNCATED, "without END", len(data))
        for size in (1, 27, 28, 5000):
            self.refuse(data + bytes(size), TRUNCATED, "only zeroes", len(data))
        # Zeroes with something behind them are no tail.
        self.refuse(data + bytes(28) + b"x", DAMAGED, "CRC", len(data))
        self.refuse(b"", TRUNCATED, "inside its header", 0)
        self.refuse(bytes(100), TRUNCATED, "only zeroes", 0)

    def test_damage_before_a_good_rest(self):
        writer = Writer().write(FULL)
        at = writer.offsets[3]
        self.refuse(put(writer.data, at + 40, b"\xff"), DAMAGED, "payload", at)
        self.refuse(put(writer.data, at, bytes(8)), DAMAGED, "head", at)

    def test_records_of_another_file(self):
        writer = Writer().write("IKT")
        other = Writer(provenance_data=provenance()).write("IKT")
        mixed = writer.data + other.data[other.offsets[2]:]
        self.refuse(mixed, DAMAGED, "marker", len(writer.data))


class FileHeader(Spoil):
    def refuse_header(self, offset, patch, what, at=0):
        data = resum(put(Writer().write("IKE").data, offset, patch))
        self.refuse(data, DAMAGED, what, at)

    def test_fields(self):
        self.refuse_header(0, b"\x88", "magic")
        self.refuse_header(4, b"\n\n", "magic")
        self.refuse_header(8, b"\0", "version 0")
        self.refuse_header(8, b"\2", "version 2")
        self.refuse_header(10, b"\1", "bytes 10 and 11")
        self.refuse_header(11, b"\1", "bytes 10 and 11")
        self.refuse_header(12, b"\1", "container 1")

    def test_marker_is_of_ident(self):
        data = Writer().write("IKE").data
        data = resum(resum(data[:16] + b"M" * 20 + data[36:]), 28)
        self.refuse(data, DAMAGED, "not the hash of IDENT", 28)


class Heads(Spoil):
    def refuse_head(self, number, offset, patch, what):
        writer = Writer().write(FULL)
        data = resum(put(writer.data, writer.offsets[number] + offset, patch),
                     writer.offsets[number])
        self.refuse(data, DAMAGED, what, writer.offsets[number])

    def test_type(self):
        self.refuse_head(2, 8, b"note", "unknown record type")
        self.refuse_head(2, 8, b"\0\xff\n\0", "unknown record type")

    def test_tick(self):
        for number in range(1, len(FULL)):
            self.refuse_head(number, 16, b"\x63", "of tick 99")
        self.refuse_head(0, 16, b"\1", "IDENT of tick 1")
        self.refuse_head(3, 23, b"\x80", "of tick 9223372036854775808")

    def test_size_over_the_most_is_damage_and_not_a_torn_file(self):
        most = {"I": 65536, "K": 67108912, "T": 4194304, "L": 65536, "N": 65536, "S": 152,
                "G": 24, "R": 65536, "X": 16777216, "E": 272, "F": 131072}
        for letter, size in most.items():
            letters = FULL if letter in FULL else "IKTFE"
            number = letters.index(letter)
            writer = Writer().write(letters)
            at = writer.offsets[number]
            for excess, code in ((1, DAMAGED), (0, TRUNCATED)):
                head = put(writer.data[at:at + 24], 12, struct.pack("<I", size + excess))
                data = writer.data[:at] + head + struct.pack("<I", crc(head))
                with self.subTest(letter=letter, excess=excess):
                    self.assertEqual(examine(data + b"some payload")[:2], (code, at))

    def test_size_that_the_contents_do_not_fill(self):
        for number, letter in enumerate(FULL):
            if letter == "N":  # Its text ends where the payload does.
                continue
            for more in (-1, 1):
                writer = Writer().write(FULL[:number])
                original = Writer().write(FULL)
                at = original.offsets[number]
                kind, size, tick = struct.unpack_from("<4sIQ", original.data, at + 8)
                payload = (original.data[at + 28:at + 28 + size] + b"\0")[:size + more]
                writer.record(kind, payload, tick)
                with self.subTest(letter=letter, more=more):
                    self.assertEqual(examine(writer.data)[:2], (DAMAGED, at))


class Order(Spoil):
    def test_places(self):
        self.refuse_order("IN", "record 1 is NOTE, not KEY")
        self.refuse_order("IR", "record 1 is RESUME, not KEY")
        self.refuse_order("IE", "record 1 is END, not KEY")
        self.refuse_order("IKI", "second IDENT")
        self.refuse_order("IKK", "second KEY of tick 0")
        self.refuse_order("IKTKNRK", "second KEY of tick 2")
        for letter, name in zip("NTSRGXEF", "NOTE TICKS SEAL RESUME GAP INDEX END FAULT".split()):
            self.refuse_order("IKTG" + letter, f"GAP is followed by {name}")

    def test_ident_first(self):
        writer = Writer().write("IK")
        body = writer.data[writer.offsets[1]:]
        self.refuse(writer.data[:28] + body, DAMAGED, "record 0 is KEY", 28)

    def test_gap_and_then_nothing(self):
        data = Writer().write("IKTG").data
        self.refuse(data, TRUNCATED, "without END", len(data))

    def test_leaves(self):
        self.refuse_order("IKL", "LEAVES after KEY")
        self.refuse_order("IKTLL", "LEAVES after LEAVES")
        self.refuse_order("IKTLNL", "LEAVES after LEAVES")
        self.refuse_order("IKTKL", "LEAVES after KEY")
        self.refuse_order("IKTRL", "LEAVES after RESUME")
        self.refuse_order("IKTFL", "LEAVES after FAULT")

    def test_fault(self):
        for letter, name in zip("FTKRGL", "FAULT TICKS KEY RESUME GAP LEAVES".split()):
            self.refuse_order("IKTF" + letter, f"{name} after FAULT")
            self.refuse_order("IKTFN" + letter, f"{name} after FAULT")

    def test_index(self):
        for letter, name in zip("XNTKSRGF", "INDEX NOTE TICKS KEY SEAL RESUME GAP FAULT".split()):
            self.refuse_order("IKTX" + letter, f"{name} after INDEX")


class Ident(Spoil):
    def test_fields(self):
        ident = lambda offset, patch, what: self.refuse_patch("IKE", 0, offset, patch, what)
        for at in range(12, 16):
            ident(at, b"\1", "bytes 12 to 15")
        ident(8, b"\1", "first tick")
        ident(16, b"\1", "first tick")
        ident(24, b"\1", "predecessor")
        ident(55, b"\1", "predecessor")
        ident(0, b"\xff", "contents")
        ident(4, b"\xff", "contents")

    def test_rotated(self):
        options = dict(sequence=1, tick=50)
        self.refuse_patch("IKE", 0, 8, bytes(4), "first tick", **options)
        self.refuse_patch("IKE", 0, 16, bytes(8), "first tick", **options)
        self.refuse_patch("IKE", 0, 24, bytes(32), "predecessor", **options)

    def refuse_rules(self, what, data):
        self.refuse(Writer(rules_data=data).write("IKE").data, DAMAGED, what, 28)

    def test_rules(self):
        self.refuse_rules("slots is 129", rules(slots=129))
        self.refuse_rules("tick rate is 0", rules(rate=0))
        self.refuse_rules("tick rate is 100001", rules(rate=100001))
        self.refuse_rules("input size is 65", rules(input_size=65))
        self.refuse_rules("hash algorithm 0", rules(algorithm=0))
        self.refuse_rules("hash algorithm 3", rules(algorithm=3))
        self.refuse_rules("kind of state 2", rules(state=2))
        self.refuse_rules("world name size is 0", rules(world=b""))
        self.refuse_rules("world name size is 64", rules(world=b"w" * 64))
        for letter in (b"A", b" ", b"/", b"\0", b"\xc3"):
            self.refuse_rules("letter", rules(world=b"w" + letter))
        many = tuple((b"%d" % i, i) for i in range(65))
        self.refuse_rules("config count is 65", rules(config=many))
        self.refuse_rules("content count is 65", rules(content=[(b"c", b"h" * 16)] * 65))
        self.refuse_rules("left over", rules() + b"\0")
        self.refuse_rules("run over", rules()[:-1])
        self.refuse_rules("run over", b"")

    def test_provenance(self):
        refuse = lambda what, data: self.refuse(Writer(provenance_data=data).write("IKE").data,
                                                DAMAGED, what, 28)
        refuse("twice", provenance((b"a", b"1"), (b"b", b"2"), (b"a", b"1")))
        refuse("key size is 0", provenance((b"", b"1")))
        refuse("UTF-8", provenance((b"a", b"\xff")))
        refuse("count is 257", provenance(*((b"%d" % i, b"") for i in range(257))))
        refuse("left over", provenance() + b"\0")
        refuse("run over", provenance((b"a", b"1"))[:-1])
        refuse("run over", b"")


class Payloads(Spoil):
    def test_key(self):
        key = lambda *rest: self.refuse_patch("IKTKtE", *rest)
        key(1, 0, b"\1", "links back to offset 1, not 0")
        key(3, 0, bytes(8), "links back to offset 0, not")
        key(3, 7, b"\1", "links back")
        key(3, 40, b"\0", "zero if absent")
        key(3, 40, b"\3", "unproven exactly")
        key(3, 40, b"\5", "KEY flags is 5")
        key(3, 43, b"\x80", "KEY flags")
        key(1, 24, b"\1", "tick 0 must be zero")
        key(1, 39, b"\1", "tick 0 must be zero")
        key(3, 44, b"\1", "left over")
        key(3, 44, b"\xff", "run over")
        for at in (8, 23, 24, 32, 39):
            self.refuse_patch("IKTkE", 3, at, b"\1", "zero if absent")
        self.refuse_patch("IKTGKE", 4, 40, b"\1", "unproven exactly")

    def test_ticks(self):
        head = lambda offset, patch, what: self.refuse_patch("IKTE", 2, offset, patch, what)
        head(0, b"\0", "rows is 0")
        head(0, b"\1\1", "rows is 257")
        head(0, b"\1", "left over")
        head(0, b"\3", "contents")
        for size in (1, 2, 3, 17, 255):
            head(2, bytes([size]), f"root size {size}")
        head(3, b"\1", "byte 3 of TICKS")

    def refuse_row(self, data, what, kind=b"TICK"):
        body = ticks(data) if kind == b"TICK" else b"F" * 16 + data
        writer = Writer().write("IK")
        writer.record(kind, body)
        with self.subTest(kind=kind, what=what):
            self.refuse(writer.data, DAMAGED, what, writer.offsets[2])

    def test_rows(self):
        for kind in (b"TICK", b"FALT"):
            refuse = lambda data, what: self.refuse_row(data, what, kind)
            for bit in range(3, 8):
                refuse(row(presence=0b101 | 1 << bit), "unused presence bits")
            for bit in (6, 7):
                refuse(row(origins=1 << bit), "unused origin bits")
            for bit in (2, 3):
                refuse(row(origins=1 << bit), "origin of absent slot 1")
            refuse(row(inputs=b"ab\1\0cd"), "input of absent slot 1")
            refuse(row(inputs=b"ab\0\1cd"), "input of absent slot 1")
            refuse(row(presence=0, origins=0), "input of absent slot 0")
            refuse(row(commands=[command(3)]), "source 3 is no slot")
            refuse(row(commands=[command(2**32 - 2)]), "is no slot")
            refuse(row(commands=[command(data=bytes(4097))]), "command size is 4097")
            refuse(row(commands=[command()] * 257), "command count is 257")
            refuse(row(commands=[command(data=bytes(4088))] * 16 + [command(data=b"")]),
                   "65544 bytes of commands")
            refuse(row() + b"\0", "left over")
            refuse(row()[:-1], "run over")

    def test_most_commands(self):
        for commands in ([command(data=bytes(4088))] * 16, [command(data=b"")] * 256,
                         [command(data=bytes(4096))]):
            writer = Writer().write("IK")
            writer.record(b"TICK", ticks(row(commands=commands)))
            writer.tick, writer.rows, writer.commands = 1, 1, len(commands)
            self.assertEqual(examine(writer.write("E").data)[0], 0)

    def test_leaves(self):
        leaves = lambda count, what: self.refuse_patch("IKTLE", 3, 16, count, what)
        leaves(b"\0", "0 leaves")
        leaves(b"\1", "1 leaves")
        leaves(b"\2", "bytes for 2 leaves")
        leaves(b"\xff\xff\xff\xff", "bytes for")
        writer = Writer().write("IKT")
        writer.record(b"LEAF", b"R" * 16 + struct.pack("<I", 1) + b"1" * 8, 1)
        self.refuse(writer.data, DAMAGED, "1 leaves", writer.offsets[3])

    def test_note(self):
        note = lambda offset, patch, what: self.refuse_patch("IKNE", 2, offset, patch, what)
        note(0, b"\0", "NOTE kind 0")
        note(0, b"\4", "NOTE kind 4")
        note(0, b"\3", "is no membership")
        note(2, b"\1", "bytes 2 and 3")
        note(3, b"\1", "bytes 2 and 3")
        note(5, b"\xff", "UTF-8")

    def test_seal(self):
        seal = lambda letters, *rest, **code: self.refuse_patch(letters, 3, *rest, **code)
        seal("IKTSE", 0, b"\0\0", "chain value of SEAL", code=UNCHAINED)
        seal("IKTSE", 31, b"\0\0", "chain value of SEAL", code=UNCHAINED)
        seal("IKTSE", 32, b"\1", "SEAL counts 1 ticks")
        seal("IKTSE", 40, b"\4", "SEAL counts 4 records")
        seal("IKTSE", 48, b"\2", "signed byte")
        for at in range(49, 56):
            seal("IKTSE", at, b"\1", "seven bytes")
            seal("IKTsE", at, b"\1", "seven bytes")
        for at in (56, 87, 88, 151):
            seal("IKTSE", at, b"\1", "zero when not signed")
        seal("IKTsE", 48, b"\0", "zero when not signed")

    def test_gap(self):
        gap = lambda offset, patch, what: self.refuse_patch("IKTGKE", 3, offset, patch, what)
        gap(0, b"\1", "begins at tick 1")
        gap(8, b"\1", "before its first")
        gap(16, b"\0", "GAP cause 0")
        gap(16, b"\5", "GAP cause 5")
        for at in range(20, 24):
            gap(at, b"\1", "last four bytes")

    def test_gap_to_the_end_of_time(self):
        writer = Writer({3: [(8, b"\xff" * 8)]}).write("IKTGKE")
        self.refuse(writer.data, DAMAGED, "KEY of tick 7", writer.offsets[4])

    def test_resume(self):
        resume = lambda number, *rest: self.refuse_patch("IKTRRE", number, *rest)
        resume(3, 0, b"\2", "epoch 2, not 1")
        resume(3, 0, b"\0", "epoch 0, not 1")
        resume(4, 0, b"\1", "epoch 1, not 2")
        resume(3, 8, b"\1", "tick 1 inside, not 2")
        resume(3, 4, b"\1", "run over")
        resume(3, 4, b"\xff", "run over")
        resume(3, 25, b"\1", "provenance count")

    def test_index(self):
        index = lambda offset, patch, what: self.refuse_patch("IKTKXE", 4, offset, patch, what)
        index(0, b"\1", "1 entries for 2 KEYs")
        index(0, b"\3", "3 entries for 2 KEYs")
        index(4, b"\1", "the scan found")
        index(12, b"\0", "the scan found")
        index(20, b"\1", "the scan found")
        index(35, b"\1", "the scan found")

    def test_end(self):
        end = lambda *rest, **code: self.refuse_patch(FULL, len(FULL) - 1, *rest, **code)
        end(0, b"\0", "END reason 0")
        end(0, b"\5", "END reason 5")
        end(0, b"\3", "exactly when there is a FAULT")
        self.refuse_patch("IKTFE", 4, 0, b"\2", "exactly when there is a FAULT")
        end(4, b"\0", "root of END must be zero")
        end(4, b"\2", "END flags 2")
        end(4, b"\3", "END flags 3")
        names = "ticks records KEY TICKS LEAVES NOTE SEAL GAP RESUME commands".split()
        for number, name in enumerate(names):
            end(8 + 8 * number, b"\x63", f"END counts 99 {name} of")
            end(15 + 8 * number, b"\x01", f"{name} of")
        end(104, b"\0\0", "binding of END")
        end(118, b"\0\0", "binding of END")
        end(120, bytes(8), "END says INDEX is at 0")
        self.refuse_patch("IKE", 2, 120, b"\1", "END says INDEX is at 1, not 0")
        end(128, b"\0\0", "chain value of END", code=UNCHAINED)
        end(158, b"\0\0", "chain value of END", code=UNCHAINED)
        end(160, b"\2", "signed byte")
        for at in range(161, 168):
            end(at, b"\1", "seven bytes")
        for at in (168, 199, 200, 263):
            end(at, b"\1", "zero when not signed")
        for at in range(264, 272):
            end(at, b"\1", "last eight bytes")

    def test_end_without_root(self):
        writer = Writer({2: [(4, b"\0"), (88, bytes(16))]}).write("IKE")
        self.assertEqual(examine(writer.data)[0], 0)

    def test_signed_end(self):
        writer = Writer({2: [(160, b"\1"), (168, b"k" * 96)]}).write("IKE")
        self.assertEqual(examine(writer.data)[0], 0)


class Chain(Spoil):
    """Changes that a forger made with care for CRCs; a SEAL or END that knew better says no."""

    def forge(self, letters, number, offset, patch):
        writer = Writer().write(letters)
        at = writer.offsets[number]
        return writer, resum(put(writer.data, at + 28 + offset, patch), at)

    def test_changed_payload(self):
        for number, offset in ((1, 48), (1, 8), (2, 5), (3, 6), (3, 28), (5, 3)):
            writer, data = self.forge(FULL, number, offset, b"z")
            at = writer.offsets[FULL.index("S" if number < 4 else "s")]
            self.refuse(data, UNCHAINED, "chain value of SEAL", at)

    def test_changed_payload_before_end(self):
        writer, data = self.forge("IKTE", 2, 6, b"z")
        self.refuse(data, UNCHAINED, "chain value of END", writer.offsets[3])

    def test_record_taken_out(self):
        writer = Writer().write("IKNTE")
        data = writer.data[:writer.offsets[2]] + writer.data[writer.offsets[3]:]
        # The counts are wrong as well, but the chain is the more serious.
        self.refuse(data, UNCHAINED, "chain value of END")

    def test_swapped_records(self):
        writer = Writer({2: [(4, b"x")]}).write("IKNNE")
        a, b, c = writer.offsets[2:5]
        data = writer.data[:a] + writer.data[b:c] + writer.data[a:b] + writer.data[c:]
        self.refuse(data, UNCHAINED, "chain value of END", c)

    def test_binding_needs_fnv(self):
        writer = Writer({2: [(104, b"B" * 16)]}, rules_data=rules(algorithm=1)).write("IKE")
        self.assertEqual(examine(writer.data)[0], 0)


class Soak(unittest.TestCase):
    # Goal: whatever a payload holds behind good CRCs, the answer is a code and never a traceback.
    def test_random_payloads(self):
        draw = random.Random(1)
        for _ in range(700):
            letters = draw.choice((FULL, "IKTFE"))
            patch = draw.choice((b"\0", b"\xff", b"\xff" * 8, draw.randbytes(3)))
            writer = Writer({draw.randrange(len(letters)): [(draw.randrange(60), patch)]})
            code, offset, _ = examine(writer.write(letters).data)
            self.assertIn(code, (0, DAMAGED, UNCHAINED))
            self.assertTrue(code == 0 or offset in writer.offsets)


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = tprread.main(list(arguments))
        return code, out.getvalue(), err.getvalue()

    def test_info(self):
        writer = Writer().write(FULL)
        code, out, err = self.run_main("info", self.file("good.tpr", writer.data))
        info = json.loads(out)
        self.assertEqual((code, err, out.count("\n")), (0, "", 1))
        expected = {"world": "duel-2.a", "revision": 7, "seed": 2**64 - 1, "slots": 3, "rate": 60,
                    "config": [{"name": "lives", "value": -3}], "first_tick": 0, "ticks": 5,
                    "provenance": {"build": "1.0", "match": "é"}, "end": "completed", "commands": 4,
                    "content": [{"name": "map", "hash": "05" * 16}], "signed": 1,
                    "rules_id": h128(rules()).hex(), "file_size": len(writer.data)}
        self.assertEqual({name: info[name] for name in expected}, expected)
        self.assertEqual(info["records"]["KEY"], 3)
        self.assertEqual(info["records"]["FAULT"], 0)
        self.assertEqual(info["chain"], writer.data[-272 - 4 + 128:][:32].hex())
        self.assertEqual(info["not_checked"],
                         ["roots (they need the world)", "1 signatures (Ed25519)"])
        self.assertNotIn("problem", info)

    def test_info_says_what_xxh3_leaves_open(self):
        writer = Writer(rules_data=rules(algorithm=1), sequence=2, tick=9).write("IKE")
        path = self.file("x.tpr", writer.data)
        info = json.loads(self.run_main("info", path)[1])
        self.assertIsNone(info["rules_id"])
        self.assertIn("rules id and binding (XXH3)", info["not_checked"])
        self.assertIn("the predecessor's chain value", info["not_checked"])
        self.assertIn("XXH3", self.run_main("check", path)[1])

    def test_info_of_a_torn_file(self):
        writer = Writer().write("IKT")
        path = self.file("torn.tpr", writer.data + b"x")
        code, out, err = self.run_main("info", path)
        info = json.loads(out)
        self.assertEqual((code, info["ticks"], info["end"], info["chain"]),
                         (4, 2, None, writer.chain.hex()))
        self.assertEqual(info["problem"]["offset"], len(writer.data))
        self.assertEqual(err, f"{path}: offset {len(writer.data)}: "
                              "the file ends inside the head of a record\n")

    def test_records(self):
        writer = Writer().write(FULL)
        code, out, _ = self.run_main("records", self.file("good.tpr", writer.data))
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(code, 0)
        self.assertEqual([line["offset"] for line in lines], writer.offsets)
        self.assertEqual(lines[3]["type"], "TICKS")
        self.assertEqual([line["type"] for line in lines[-2:]], ["INDEX", "END"])
        fault = self.run_main("records", self.file("fault.tpr", Writer().write("IKTFE").data))[1]
        self.assertEqual(json.loads(fault.splitlines()[3])["row"]["tick"], 2)

    def test_rows(self):
        writer = Writer(sequence=1, tick=2**63).write("IKTGKtE")
        code, out, _ = self.run_main("rows", self.file("good.tpr", writer.data))
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(code, 0)
        self.assertEqual([row["tick"] - 2**63 for row in rows], [0, 1, 7])
        self.assertEqual(rows[0], {
            "tick": 2**63, "presence": [0, 2], "origins": ["repeated", "bot"],
            "inputs": ["6162", "6364"], "root": "726f6f74",
            "commands": [{"source": "host", "type": 9, "data": "6869"},
                         {"source": 2, "type": 1, "data": ""}]})
        self.assertIsNone(rows[2]["root"])

    def test_check_takes_the_most_serious(self):
        good = Writer().write("IKTSE").data
        unchained = Writer({3: [(0, b"\0\0")]}).write("IKTSE").data
        paths = {0: self.file("good.tpr", good), 2: os.path.join(self.folder, "none.tpr"),
                 3: self.file("damaged.tpr", put(good, 60, b"\xff\xff")),
                 4: self.file("torn.tpr", good[:-1]), 8: self.file("unchained.tpr", unchained)}
        for codes, expected in (((0,), 0), ((4,), 4), ((3,), 3), ((8,), 8), ((2,), 2), ((0, 2), 2),
                                ((4, 3, 0), 3), ((3, 8, 4), 8), ((0, 4, 2), 4)):
            code, out, err = self.run_main("check", *(paths[code] for code in codes))
            self.assertEqual((code, err), (expected, ""))
            lines = out.splitlines()
            self.assertEqual(len(lines), len(codes))
            for line, one in zip(lines, codes):
                self.assertTrue(line.startswith(f"{paths[one]}: offset "), line)

    def test_usage(self):
        for arguments in ((), ("info",), ("check",), ("info", "a", "b"), ("frob", "a"),
                          ("info", "--frob", "a")):
            code, out, err = self.run_main(*arguments)
            self.assertEqual((code, out, err.count("\n")), (2, "", 2), arguments)

    def test_as_a_program(self):
        path = self.file("-torn.tpr", Writer().write("IKT").data)
        run = subprocess.run([SCRIPT, "rows", "--", os.path.basename(path)], cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout.count("\n")), (4, 2))
        self.assertRegex(run.stderr, r"^-torn.tpr: offset \d+: the file ends without END\n$")
        run = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("Usage: tprread.py"))
        run = subprocess.run([SCRIPT, "check", self.folder], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stderr), (2, ""))
        self.assertEqual(run.stdout, f"{self.folder}: offset 0: cannot be read: Is a directory\n")


if __name__ == "__main__":
    unittest.main()
