#!/usr/bin/env python3
"""Damages every file of a bundle in every way, then forges bundles whose hashes are right, and prints what the program says of each.

Usage: bundle_damage.py TICKPROOF BUNDLE
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

program, bundle = sys.argv[1:3]
FILES = ["rules.bin", "server.state", "client.state", "diff.txt", "leaves.txt", "inputs.jsonl", "log.tpr", "bundle.json"]


def diff(*flags):
    done = subprocess.run([program, "diff", "--limit", "1", *flags, "bad"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def fresh():
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(bundle, "bad")


def damage(path, how):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[len(data) // 2] ^= 1 if how == "bit" else 0
    os.remove(path)
    if how == "pipe":
        os.mkfifo(path)
    elif how != "gone":
        with open(path, "wb") as file:
            file.write(data[:-1] if how == "less" else data + b"x" if how == "more" else data)


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def read_json():
    with open("bad/bundle.json", "rb") as file:
        text = file.read()
    return json.loads(text[:-len(',"blake2b":"') - 64 - 3] + b"}")


def write_json(told):
    body = json.dumps(told, separators=(",", ":")).encode()[:-1]
    with open("bad/bundle.json", "wb") as file:
        file.write(body + b',"blake2b":"' + digest(body).encode() + b'"}\n')


def put_junk(told, name):
    data = b"\x89TPR\r\n\x1a\n" + b"junk" * 20
    with open(f"bad/{name}", "wb") as file:
        file.write(data)
    for entry in told["files"]:
        if entry["name"] == name:
            entry["size"], entry["blake2b"] = len(data), digest(data)


FORGERIES = {
    "another difference in words": lambda told: told["difference"].update(field="runners[0].lane"),
    "a path": lambda told: told["files"][0].update(name="../secret"),
    "a file twice": lambda told: told["files"].append(told["files"][0]),
    "another tick": lambda told: told.update(tick=12),
    "a short leaf": lambda told: told["client"].update(event_leaf="00"),
    "another leaf": lambda told: told["client"].update(event_leaf="0" * 16),
    "another file as state": lambda told: told["client"].update(state="bundle.json"),
    "a log as state": lambda told: told["client"].update(state="log.tpr"),
    "an unlisted state": lambda told: told.update(files=[f for f in told["files"] if f["name"] != "client.state"]),
    "version 2": lambda told: told.update(version=2),
    "a negative size": lambda told: told["files"][0].update(size=-1),
    "nothing else": lambda told: [told.pop(key) for key in list(told) if key not in ("format", "version")],
    "equal roots": lambda told: told["client"].update(root=told["server"]["root"]),
    "junk in rules.bin": lambda told: put_junk(told, "rules.bin"),
    "junk in client.state": lambda told: put_junk(told, "client.state"),
    "junk in inputs.jsonl": lambda told: put_junk(told, "inputs.jsonl"),
    "junk in log.tpr": lambda told: put_junk(told, "log.tpr"),
    "escapes in texts": lambda told: told["client"].update(build="a\x1b[2Jb\nc\"d"),
}

for name in FILES:
    for how in ["bit", "less", "more", "gone", "pipe"]:
        fresh()
        damage(f"bad/{name}", how)
        code, text = diff()
        print(f"{how}: {text.strip()} ({code})")

# Every byte of bundle.json counts.
fresh()
with open("bad/bundle.json", "rb") as file:
    data = file.read()
codes = set()
for at in [*range(0, len(data), 61), 1, 20, len(data) - 90, len(data) - 40, len(data) - 1]:
    with open("bad/bundle.json", "wb") as file:
        file.write(data[:at] + bytes([data[at] ^ 4]) + data[at + 1:])
    codes.add(diff()[0])
print("a bit anywhere in bundle.json:", *codes)

for name, forge in FORGERIES.items():
    fresh()
    told = read_json()
    forge(told)
    write_json(told)
    code, text = diff()
    lines = [line for line in text.splitlines() if not line.startswith(("bundle:", "world:", "server:", "  runners", "  and 1 more", "leaves"))]
    print(f"-- {name}: {code}", *lines, sep="\n")
