#!/usr/bin/env python3
"""Runs the tests of each row with its planted fault: realm_planted.py PROGRAM realm_plant.h [ROW...]

PROGRAM has all tests of the engine, linked with an engine compiled with -DREALM_PLANTED. With nothing planted every test that a row names
must pass; with the row's fault planted at least one of that row's own tests must fail. Prints row, what is planted, and which tests noticed.
A fault that nobody notices, or a row without a test, is a failure."""
import concurrent.futures
import os
import re
import subprocess
import sys

SECONDS = 120


def prefix_of(row):
    """T07a: realm_t07a_, S06: realm_06_, F04: realm_f4_."""
    if row[0] == "T":
        return "realm_" + row.lower() + "_"
    if row[0] == "S":
        return "realm_" + row[1:] + "_"
    return "realm_f" + str(int(row[1:])) + "_"


def run(program, planted, pattern):
    """Exit code and names of tests that failed or crashed; a test that hangs has noticed, too."""
    environment = dict(os.environ, REALM_PLANT=planted)
    try:
        done = subprocess.run([program, "--filter", pattern, "-j1", "--verbose", "--timeout", "30"], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return 124, ["(hangs)"], 1
    failed = re.findall(r"\[FAIL\] \w+::(\w+)", done.stdout) + re.findall(r"\w+::(\w+): CRASH", done.stdout)
    ran = re.search(r"Tested: (\d+)", done.stdout)
    return done.returncode, sorted(set(failed)), int(ran.group(1)) if ran else 0


def main():
    program, header, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    rows = re.findall(r'^    X\((\w+), "(.*?)"\)', open(header, encoding="utf-8").read(), re.MULTILINE)
    rows = [row for row in rows if not only or row[0] in only]
    bad = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        clean = pool.map(lambda row: run(program, "", "*/" + prefix_of(row[0]) + "*"), rows)
        planted = pool.map(lambda row: run(program, row[0], "*/" + prefix_of(row[0]) + "*"), rows)
        for (row, text), before, after in zip(rows, clean, planted):
            if before[2] == 0:
                verdict = "NO TEST"
            elif before[0] != 0:
                verdict = "FAILS UNPLANTED: " + ", ".join(before[1])
            elif after[0] == 0:
                verdict = "SURVIVES"
            else:
                verdict = None
            if verdict:
                bad.append(row)
            print(f"{row:5} {text}: {verdict or 'killed by ' + ', '.join(after[1] or ['(exit code)'])}", flush=True)
    print(f"{len(rows) - len(bad)} of {len(rows)} killed" + (f"; not: {' '.join(bad)}" if bad else ""))
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
