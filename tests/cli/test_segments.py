#!/usr/bin/env python3
"""However a batch is divided among processes, its reports are those of a single process: whole JSON lines and exit code, for every log there
is, alone and all together, in segments as short as keyframes allow.

Usage: test_segments.py TICKPROOF FOLDER_OF_LOGS
"""
import glob
import os
import subprocess
import sys
import tempfile

tickproof, bundled = (os.path.abspath(argument) for argument in sys.argv[1:3])


def verify(files, *flags):
    done = subprocess.run([tickproof, "verify", "--format", "json", *flags, *files], capture_output=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


def compare(files, *flags):
    one = verify(files, "-j", "1")
    several = verify(files, *flags)
    assert one == several, f"{files}: {flags}\nin one piece: {one}\nin segments:  {several}"
    return one


def main():
    files = sorted(glob.glob(f"{bundled}/*/*.tpr"))
    assert len(files) > 30, "the bundled logs are not there"
    codes = {compare([path], "-j", "2", "--segment-ticks", "1")[0] for path in files}
    assert {0, 1, 3, 4, 5, 6, 7, 8} <= codes, codes
    compare(files, "-j", "4", "--segment-ticks", "1")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "long.tpr")
        subprocess.run([tickproof, "run", "--world", "runner", "--bot", "--ticks", "6000", "--keyframes", "300", "-o", path], check=True, capture_output=True)
        assert compare([path], "-j", "3", "--segment-ticks", "300")[0] == 0
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data[len(data) * 2 // 3] ^= 16
        with open(path, "wb") as file:
            file.write(data)
        assert compare([path], "-j", "3", "--segment-ticks", "300")[0] != 0
    print(f"segments: {len(files)} logs, alone and together, give the same reports")


main()
