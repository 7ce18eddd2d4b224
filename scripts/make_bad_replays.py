#!/usr/bin/env python3
"""Makes replays/bad from good logs: each file is wrong in one way, and its name ends in the exit code it must get.

usage: make_bad_replays.py GOOD.tpr GOOD-FNV.tpr FOLDER

Damage that re-simulation has to find is made with every checksum and the chain redone, by the format page alone. What changes
END's totals starts from the FNV log, since the binding of those can be computed with the standard library.
"""
import hashlib
import pathlib
import struct
import sys

HEAD = 28


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def fnv128(data):
    value = 0x6C62272E07BB014262B821756295C58D
    for byte in data:
        value = (value ^ byte) * 0x1000000000000000000013B & (1 << 128) - 1
    return value.to_bytes(16, "little")


class Log:
    def __init__(self, data):
        self.header = bytearray(data[:HEAD])
        self.records = []
        at = HEAD
        while at < len(data):
            kind, size, tick = data[at + 8:at + 12], *struct.unpack_from("<IQ", data, at + 12)
            self.records.append([kind, tick, bytearray(data[at + HEAD:at + HEAD + size])])
            at += HEAD + size + 4

    def find(self, kind, nth=0):
        return [r for r in self.records if r[0] == kind][nth]

    def drop(self, *kinds):
        self.records = [r for r in self.records if r[0] not in kinds]

    def recount(self):
        """END's and SEAL's counts, KEY links, INDEX, for records that were taken out."""
        at, keys, counts, ticks = HEAD, [], {}, 0
        for number, (kind, tick, payload) in enumerate(self.records):
            if kind == b"KEYF":
                payload[0:8] = struct.pack("<Q", keys[-1][1] if keys else 0)
                keys.append((tick, at))
            if kind == b"INDX":
                payload[:] = struct.pack("<I", len(keys)) + b"".join(struct.pack("<QQ", *k) for k in keys)
                index_at = at
            if kind == b"TICK":
                ticks += struct.unpack_from("<H", payload)[0]
            if kind == b"SEAL":
                payload[32:48] = struct.pack("<QQ", ticks, number)
            if kind == b"ENDL":
                payload[8:24] = struct.pack("<QQ", ticks, number)
                names = [b"KEYF", b"TICK", b"LEAF", b"NOTE", b"SEAL", b"GAPS", b"RESM"]
                payload[24:80] = struct.pack("<7Q", *(counts.get(n, 0) for n in names))
                payload[120:128] = struct.pack("<Q", index_at if b"INDX" in counts else 0)
            counts[kind] = counts.get(kind, 0) + 1
            at += HEAD + len(payload) + 4

    def rebind(self):
        """END's binding, for the FNV algorithm."""
        ident, end = self.records[0][2], self.records[-1][2]
        rules = bytes(ident[56:56 + struct.unpack_from("<I", ident)[0]])
        end[104:120] = fnv128(fnv128(rules) + bytes(end[:104]))

    def save(self, chain=True):
        ident = self.records[0][2]
        marker = hashlib.blake2b(bytes(ident), digest_size=32).digest()[:8]
        self.header[16:24] = marker
        self.header[24:28] = struct.pack("<I", crc32c(self.header[:24]))
        out = bytearray(self.header)
        link = hashlib.blake2b(b"tickproof chain 1", digest_size=32).digest()
        for kind, tick, payload in self.records:
            if chain and kind in (b"SEAL", b"ENDL"):
                place = 0 if kind == b"SEAL" else 128
                payload[place:place + 32] = link
            head = marker + kind + struct.pack("<IQ", len(payload), tick)
            out += head + struct.pack("<I", crc32c(head)) + payload + struct.pack("<I", crc32c(payload))
            link = hashlib.blake2b(link + kind + struct.pack("<QI", tick, len(payload)) + bytes(payload), digest_size=32).digest()
        return bytes(out)


def rows(log, record):
    """(start, size without root, root size) of every row of a TICKS record."""
    rules = log.records[0][2][56:]
    slots, input_size = struct.unpack_from("<I", rules, 32)[0], struct.unpack_from("<H", rules, 40)[0]
    fixed = (slots + 7) // 8 + (slots + 3) // 4 + slots * input_size
    payload = record[2]
    count, q = struct.unpack_from("<HB", payload)
    at = 4
    for _ in range(count):
        size = fixed + 2
        for _ in range(struct.unpack_from("<H", payload, at + fixed)[0]):
            size += 8 + struct.unpack_from("<H", payload, at + size + 6)[0]
        yield at, size, q
        at += size + q


def strip_roots(log, keep=None):
    for record in log.records:
        if record is keep:
            continue
        if record[0] == b"TICK":
            kept = bytearray(record[2][:4])
            kept[2] = 0
            for at, size, _ in rows(log, record):
                kept += record[2][at:at + size]
            record[2][:] = kept
        elif record[0] == b"KEYF":
            record[2][8:40] = bytes(32)
            record[2][40] &= 254
        elif record[0] == b"ENDL":
            record[2][4:8] = bytes(4)
            record[2][88:104] = bytes(16)
    log.drop(b"LEAF")


def main():
    good = pathlib.Path(sys.argv[1]).read_bytes()
    fnv = pathlib.Path(sys.argv[2]).read_bytes()
    folder = pathlib.Path(sys.argv[3])
    made = {}

    def change(name, edit, chain=True, source=good):
        log = Log(source)
        edit(log)
        made[name] = log.save(chain)

    def flip(kind, place, nth=0, bit=1):
        def edit(log):
            log.find(kind, nth)[2][place] ^= bit
        return edit

    def first_root(log):
        record = log.find(b"TICK")
        at, size, _ = next(rows(log, record))
        record[2][at + size] ^= 1

    def last_root(log):
        record = log.find(b"TICK", -1)
        at, size, _ = list(rows(log, record))[-1]
        record[2][at + size] ^= 1

    def input_without_effect(log):
        # Slot 0 presses confirm while its runner lives, which does nothing.
        record = log.find(b"TICK", 1)
        at, _, _ = list(rows(log, record))[5]
        record[2][at + 2] ^= 4

    def input_with_effect(log):
        # Slot 0 turns right where its recorder did not: the course is another one from there on.
        record = log.find(b"TICK", 1)
        at, _, _ = list(rows(log, record))[5]
        record[2][at + 2] ^= 2

    def middle_root(log):
        record = log.find(b"TICK", 1)
        at, size, _ = list(rows(log, record))[30]
        record[2][at + size] ^= 1

    def unsummed(log):
        strip_roots(log)
        log.recount()
        log.rebind()

    def few_sums(log):
        strip_roots(log, keep=log.find(b"TICK", 3))
        log.recount()
        log.rebind()

    def wrong_end_root(log):
        log.records[-1][2][90] ^= 1
        log.rebind()

    for data in good, fnv:
        log = Log(data)
        log.recount()
        assert log.save() == data, "a good log does not survive being taken apart and put together"
    middle = len(good) // 2
    made["damaged-in-the-middle-3"] = good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:]
    made["not-a-log-3"] = b"this is not a replay log, whatever its name says\n"
    made["something-after-end-3"] = good + b"x"
    made["cut-4"] = good[:middle]
    made["cut-inside-end-4"] = good[:-1]
    made["zeroed-tail-4"] = good[:middle] + bytes(4096)
    made["empty-4"] = b""
    change("first-root-1", first_root)
    change("last-root-1", last_root)
    change("input-without-effect-1", input_without_effect)
    change("input-with-effect-1", input_with_effect)
    change("middle-root-1", middle_root)
    change("first-state-1", flip(b"KEYF", 48 + 16))
    change("seed-1", flip(b"IDNT", 56 + 24))
    change("end-root-3", wrong_end_root, source=fnv)
    change("end-unbound-3", flip(b"ENDL", 90))
    change("leaf-3", flip(b"LEAF", 30))
    change("index-3", flip(b"INDX", 6))
    change("revision-6", flip(b"IDNT", 56 + 4, bit=2))
    change("fingerprint-6", flip(b"IDNT", 56 + 9))
    change("other-world-6", flip(b"IDNT", 56 + 45))
    change("no-checksums-7", unsummed, source=fnv)
    change("few-checksums-5", few_sums, source=fnv)
    change("broken-chain-8", flip(b"NOTE" if any(r[0] == b"NOTE" for r in Log(good).records) else b"SEAL", 0), chain=False)
    for name, data in made.items():
        (folder / f"{name}.tpr").write_bytes(data)


if __name__ == "__main__":
    main()
