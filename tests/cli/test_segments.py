#!/usr/bin/env python3
"""However a batch is divided among processes, its reports are those of a single process: whole JSON lines and exit code, for every log there
is, alone and all together, in segments as short as keyframes allow; for sealed and signed ones, too; and for logs that were changed at random.

Usage: test_segments.py TICKPROOF FOLDER_OF_LOGS [CHANGED_LOGS]
"""
import glob
import os
import random
import subprocess
import sys
import tempfile

changed_logs = int(sys.argv[3]) if len(sys.argv) > 3 else 200
tickproof, bundled = (os.path.abspath(argument) for argument in sys.argv[1:3])


def verify(files, *flags):
    done = subprocess.run([tickproof, "verify", "--format", "json", *flags, *files], capture_output=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


def compare(files, *flags):
    one = verify(files, "-j", "1")
    several = verify(files, *flags)
    assert one == several, f"{files}: {flags}\nin one piece: {one}\nin segments:  {several}"
    return one


def make(folder, name, *flags):
    path = os.path.join(folder, name)
    subprocess.run([tickproof, "run", "--bot", "--keyframes", "300", *flags, "-o", path], check=True, capture_output=True)
    return path


def run(*arguments):
    subprocess.run([tickproof, *arguments], check=True, capture_output=True)


def spoil(chance, data):
    """One of the ways in which a file goes bad: bits, a hole, a cut, bytes twice, another file's end."""
    data = bytearray(data)
    at = chance.randrange(len(data))
    way = chance.randrange(5)
    if way == 0:
        data[at] ^= 1 << chance.randrange(8)
    elif way == 1:
        data[at:at + chance.randrange(1, 64)] = bytes(chance.randrange(1, 64))
    elif way == 2:
        del data[at:]
    elif way == 3:
        data[at:at] = data[at:at + chance.randrange(1, 512)]
    else:
        del data[at:at + chance.randrange(1, 512)]
    return bytes(data)


def changed(folder):
    """Whole and sealed, signed and not, each changed in many ways: what -j1 says of a batch of them is what -j2 says, and -j4 in segments."""
    run("keygen", "-o", os.path.join(folder, "key"))
    plain = make(folder, "plain.tpr", "--world", "runner", "--ticks", "1500")
    signed = make(folder, "signed.tpr", "--world", "fighter", "--ticks", "1500", "--sign-key", os.path.join(folder, "key.key"))
    logs = [plain, signed]
    for path in plain, signed:
        run("seal", "--level", "3", path)
        logs.append(path[:-4] + ".sealed.tpr")
    for path in logs:
        assert compare([path], "-j", "3", "--segment-ticks", "300")[0] == 0, path
    trusted = "--trusted-key", os.path.join(folder, "key.pub")
    chance = random.Random(1)
    files = []
    for number in range(changed_logs):
        with open(chance.choice(logs), "rb") as file:
            data = file.read()
        bad = spoil(chance, data)
        files.append(os.path.join(folder, f"bad{number:04}.tpr"))
        with open(files[-1], "wb") as file:
            file.write(bad)
    codes = {compare(files, "-j", "2")[0], compare(files, "-j", "4", "--segment-ticks", "300")[0]}
    assert len(codes) == 1 and 0 not in codes, codes
    for number in range(0, len(files), max(1, len(files) // 20)):
        assert compare([files[number]], "-j", "3", "--segment-ticks", "300")[0] != 0, files[number]
        assert compare([files[number], *trusted], "-j", "3", "--segment-ticks", "300")[0] != 0, files[number]
    print(f"segments: {changed_logs} changed logs give the same reports by one process and by several")


def main():
    files = sorted(glob.glob(f"{bundled}/*/*.tpr"))
    assert len(files) > 30, "the bundled logs are not there"
    codes = {compare([path], "-j", "2", "--segment-ticks", "1")[0] for path in files}
    assert {0, 1, 3, 4, 5, 6, 7, 8} <= codes, codes
    compare(files, "-j", "4", "--segment-ticks", "1")
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder, "long.tpr", "--world", "runner", "--ticks", "6000")
        assert compare([path], "-j", "3", "--segment-ticks", "300")[0] == 0
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data[len(data) * 2 // 3] ^= 16
        with open(path, "wb") as file:
            file.write(data)
        assert compare([path], "-j", "3", "--segment-ticks", "300")[0] != 0
        changed(folder)
    print(f"segments: {len(files)} logs, alone and together, give the same reports")


main()
