"""Tests of scripts/tptread.py: sidecars are built here from the format page, then spoiled; and what it reads of a program's own
sidecars is what the program itself reads of them.

Where TICKPROOF names the program, the second part runs, too.
"""

import contextlib
import ctypes
import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/tptread.py")
SPEC = importlib.util.spec_from_file_location("tptread", SCRIPT)
sys.dont_write_bytecode = True
tptread = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tptread)
TICKPROOF = os.environ.get("TICKPROOF")


def pack(content):
    zstd = tptread.load_zstd()
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    zstd.ZSTD_compress2.restype = zstd.ZSTD_compressBound.restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    zstd.ZSTD_CCtx_setParameter(context, 201, 1)  # a checksum
    space = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(content))))
    size = zstd.ZSTD_compress2(context, space, ctypes.c_size_t(len(space)), content, ctypes.c_size_t(len(content)))
    zstd.ZSTD_freeCCtx(context)
    return space.raw[:size]


def record(kind, payload):
    return kind + struct.pack("<I", len(payload)) + payload


def rules():
    data = struct.pack("<II16sQIIHBB", 1, 7, b"L" * 16, 2**64 - 1, 3, 60, 2, 1, 0)
    return data + b"\6duel-2" + struct.pack("<HH", 0, 0)


def ident(first=0):
    return record(b"IDNT", struct.pack("<I", len(rules())) + rules() + struct.pack("<IQ", 1 if first else 0, first))


def text(key=b"arch", value=b"s390x"):
    return record(b"TEXT", struct.pack("<B", len(key)) + key + struct.pack("<H", len(value)) + value)


def rows(first, count):
    columns = [[base + i for i in range(count)] for base in (10, 20, 0, 40)]
    return record(b"ROWS", struct.pack("<QI", first, count) + b"".join(bytes([i] * 8) for i in range(count))
                  + b"".join(struct.pack(f"<{count}I", *column) for column in columns))


def gap(first, count):
    return record(b"GAPS", struct.pack("<QQ", first, count))


def leaves(steps, *numbers):
    return record(b"LEAF", struct.pack("<QI", steps, len(numbers)) + struct.pack(f"<{len(numbers)}Q", *numbers))


def state(steps, data=b"state"):
    return record(b"STAT", struct.pack("<Q", steps) + data)


def end(count, kind=1, what=b"", has_chain=1):
    return record(b"ENDT", struct.pack("<IQ8sI32s", kind, count, b"\0" * 8, has_chain, b"c" * 32) + what)


def sidecar(content, version=1, zero=0):
    return tptread.MAGIC + struct.pack("<II", version, zero) + pack(content)


GOOD = ident() + text() + leaves(2, 1, 2, 3) + rows(0, 3) + gap(3, 4) + state(7) + rows(7, 2) + leaves(9, 4, 5) + end(5)


class TptRead(unittest.TestCase):
    def test_all_of_a_good_one(self):
        lines = tptread.read_sidecar(sidecar(GOOD)).lines()
        self.assertEqual(lines[0]["world"], "duel-2")
        self.assertEqual((lines[0]["seed"], lines[0]["rules"]), (2**64 - 1, rules().hex()))
        self.assertEqual(lines[1], {"text": "arch", "value": "s390x"})
        self.assertEqual(lines[3], {"tick": 1, "root": "01" * 8, "input": 11, "event": 21, "draws": 1, "draw_digest": 41})
        self.assertEqual(lines[5], {"gap": 3, "ticks": 4})
        self.assertEqual([line["tick"] for line in lines[6:8]], [7, 8])
        self.assertEqual(lines[8:11], [{"steps": 2, "leaves": ["%016x" % i for i in (1, 2, 3)]}, {"steps": 9, "leaves": ["%016x" % i for i in (4, 5)]},
                                       {"steps": 7, "state": b"state".hex()}])
        self.assertEqual(lines[11], {"end": "log", "text": "", "fault_root": "00" * 8, "chain": "63" * 32})

    def test_each_thing_the_page_asks_for(self):
        wrong = {
            "no sidecar": b"X" + sidecar(GOOD)[1:],
            "something follows": sidecar(GOOD) + b"\0",
            "no END": sidecar(GOOD[:-len(end(5))]),
            "behind END": sidecar(GOOD + text()),
            "IDENT is not the first": sidecar(text() + GOOD),
            "only one of its kind": sidecar(ident() + GOOD),
            "unknown type": sidecar(ident() + record(b"MORE", b"") + end(0)),
            "does not follow": sidecar(ident() + rows(1, 2) + end(2)),
            "0 rows": sidecar(ident() + rows(0, 0) + end(0)),
            "counts 3 rows": sidecar(ident() + rows(0, 2) + end(3)),
            "gap of no ticks": sidecar(ident() + gap(0, 0) + end(0)),
            "more missing ticks": sidecar(ident() + gap(0, 2**22) + gap(2**22, 1) + end(0)),
            "leaves out of order": sidecar(ident() + rows(0, 9) + leaves(5, 1, 2) + leaves(5, 1, 2) + end(9)),
            "less than 2": sidecar(ident() + rows(0, 9) + leaves(5, 1) + end(9)),
            "states out of order": sidecar(ident() + rows(0, 9) + state(5) + state(4) + end(9)),
            "a state of a tick": sidecar(ident() + rows(0, 9) + state(10) + end(9)),
            "leaves of a tick": sidecar(ident() + rows(0, 9) + leaves(10, 1, 2) + end(9)),
            "more than 16": sidecar(ident() + rows(0, 30) + b"".join(state(i) for i in range(17)) + end(30)),
            "control character": sidecar(ident() + text(value=b"a\nb") + end(0)),
            "longer texts": sidecar(ident() + text(key=b"k" * 32) + end(0)),
            "end 7": sidecar(ident() + end(0, 7)),
            "neither 0 nor 1": sidecar(ident() + end(0, has_chain=2)),
            "longer than 159": sidecar(ident() + end(0, what=b"w" * 160)),
            "left over": sidecar(ident() + record(b"GAPS", struct.pack("<QQB", 0, 1, 0)) + end(0)),
            "run over": sidecar(ident() + record(b"ROWS", struct.pack("<QI", 0, 5)) + end(5)),
            "not whole in a frame": sidecar(GOOD[:-len(end(5))] + end(5)[:-1]),
        }
        for what, data in wrong.items():
            with self.assertRaises(tptread.Problem, msg=what) as caught:
                tptread.read_sidecar(data)
            self.assertIn(what, caught.exception.what)
            self.assertEqual(caught.exception.code, tptread.DAMAGED)

    def test_other_versions(self):
        for data in (sidecar(GOOD, version=2), sidecar(GOOD, zero=1)):
            with self.assertRaises(tptread.Problem) as caught:
                tptread.read_sidecar(data)
            self.assertEqual(caught.exception.code, tptread.OTHER)

    def test_every_cut(self):
        """A piece is damaged or cut off, and never whole."""
        data = sidecar(GOOD)
        for size in range(len(data)):
            try:
                self.assertIsNone(tptread.read_sidecar(data[:size]).end)
            except tptread.Problem as problem:
                self.assertEqual(problem.code, tptread.DAMAGED)

    def test_every_flipped_byte(self):
        """Found out, or (Zstandard has a bit that means nothing) the same as before."""
        data = bytearray(sidecar(GOOD))
        good = tptread.read_sidecar(bytes(data)).lines()
        for at in range(len(data)):
            data[at] ^= 0x10
            try:
                self.assertEqual(tptread.read_sidecar(bytes(data)).lines(), good, at)
            except tptread.Problem:
                pass
            data[at] ^= 0x10

    def test_as_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("good", sidecar(GOOD)), ("bad", b"nothing"), ("new", sidecar(GOOD, version=2))):
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(data)
            for arguments, code in ((["check", "good"], 0), (["check", "good", "bad", "new"], 3), (["check", "good", "new"], 6), (["check", "none"], 2),
                                    (["show", "good"], 0), (["show", "bad"], 3), (["--help"], 0), (["frob"], 2), ([], 2)):
                run = subprocess.run([SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, code, (arguments, run.stderr))

    @unittest.skipIf(TICKPROOF is None, "TICKPROOF does not name the program")
    def test_the_program_reads_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            def run(*arguments):
                return subprocess.run([TICKPROOF, *arguments], cwd=folder, capture_output=True, text=True, check=False)
            paths = [f"{folder}/{name}.tpt" for name in ("runner", "realm", "part", "made", "cut")]
            for world, ticks in (("runner", "15000"), ("realm", "100")):
                self.assertEqual(run("run", "--world", world, "--bot", "--ticks", ticks, "-o", f"{world}.tpr").returncode, 0)
                self.assertEqual(run("trace", f"{world}.tpr", "-o", f"{world}.tpt", "--text", "host=b\u00fcro").returncode, 0)
            self.assertEqual(run("trace", "runner.tpr", "-o", "part.tpt", "--to", "70", "--leaves", "1", "--states", "0,70,71").returncode, 0)
            with open(paths[3], "wb") as file:
                file.write(sidecar(GOOD))
            with open(paths[0], "rb") as file, open(paths[4], "wb") as cut:
                cut.write(file.read()[:-20])
            for path in paths:
                theirs = run("compare", "--show", path)
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    code = tptread.show(path)
                ours = out.getvalue()
                self.assertEqual(code, theirs.returncode, path)
                self.assertEqual(code, 5 if path == paths[4] else 0, path)
                self.assertGreater(len(ours.splitlines()), 10, path)
                self.assertEqual(list(map(json.loads, ours.splitlines())), list(map(json.loads, theirs.stdout.splitlines())), path)


if __name__ == "__main__":
    unittest.main()
