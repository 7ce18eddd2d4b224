#!/usr/bin/env python3
"""Every example configuration is taken by `tickproofd --check-config`, with as many rooms as its page says; the one of recorded rooms runs.
A key that is misspelt in any of them is caught.

Usage: test_examples.py TICKPROOFD EXAMPLES REPLAYS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

tickproofd, examples, replays = (os.path.realpath(path) for path in sys.argv[1:4])
ROOMS = {"dedicated.json": "60 live, 0 recorded", "lan-bots.json": "2 live, 0 recorded", "replay-farm.json": f"0 live, {len(os.listdir(replays))} recorded"}
failures = []


def check(is_so, what):
    if not is_so:
        failures.append(what)


def run(*arguments):
    return subprocess.run([tickproofd, *arguments], capture_output=True, text=True, timeout=300)


with tempfile.TemporaryDirectory() as folder:
    names = sorted(name for name in os.listdir(examples) if name.endswith(".json"))
    check(names == sorted(ROOMS), f"examples: {names}, and this test knows {sorted(ROOMS)}")
    shutil.copytree(replays, f"{folder}/matches")
    with open(f"{examples}/README.md", encoding="ascii") as file:
        page = file.read()
    for name in names:
        check(f"`{name}`" in page, f"{name}: not in README.md")
        copy = shutil.copy(f"{examples}/{name}", folder)
        fine = run("--config", copy, "--check-config")
        check(fine.returncode == 0 and ROOMS[name] in fine.stdout, f"{name}: exit {fine.returncode}: {fine.stdout}{fine.stderr}")
        with open(copy, encoding="ascii") as file:
            text = file.read()
        planted = f"{folder}/planted.json"
        for key in sorted(set(re.findall(r'"(\w+)": ', text))):
            with open(planted, "w", encoding="ascii") as file:
                file.write(text.replace(f'"{key}": ', f'"{key}x": ', 1))
            caught = run("--config", planted, "--check-config")
            check(caught.returncode == 2 and "planted.json:" in caught.stderr, f"{name}: {key}x is not caught: {caught.stderr}")
    farm = run("--config", f"{folder}/replay-farm.json")
    check(farm.returncode == 0, f"replay-farm.json: exit {farm.returncode}: {farm.stdout}")
for failure in failures:
    print(failure)
sys.exit(len(failures) > 0)
