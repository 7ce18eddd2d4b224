#!/usr/bin/env python3
"""What cat prints of every good log, import jsonl makes into the same log again: rows, presence, origins, commands and roots.

usage: good_logs.py TICKPROOF FOLDER-OF-LOGS
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command, text=None):
    return subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True)


def fail(text):
    sys.exit(f"good_logs: {text}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tickproof, logs = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob("*.tpr"))
    if len(logs) < 10:
        fail(f"only {len(logs)} logs in {sys.argv[2]}")
    with tempfile.TemporaryDirectory() as folder:
        again = pathlib.Path(folder) / "again.tpr"
        for log in logs:
            lines = run(tickproof, "cat", log).stdout
            made = run(tickproof, "import", "jsonl", "-", "-o", again, "--force", text=lines)
            if made.returncode != 0:
                fail(f"{log.name}: exit {made.returncode}: {made.stderr}")
            if run(tickproof, "cat", again).stdout != lines:
                fail(f"{log.name}: the lines of the new log are others")
            difference = run(tickproof, "diff", log, again)
            if difference.returncode != 0 or run(tickproof, "verify", again).returncode != 0:
                fail(f"{log.name}: {difference.stdout}")
        # Planted: a root that is not the one.
        lines = run(tickproof, "cat", logs[0]).stdout
        planted = re.sub(r'"root":"(.)', lambda match: f'"root":"{"1" if match[1] == "0" else "0"}', lines, count=1)
        made = run(tickproof, "import", "jsonl", "-", "-o", again, "--force", text=planted)
        if made.returncode != 1 or "1 of " not in made.stderr:
            fail(f"a planted root was not seen: exit {made.returncode}: {made.stderr}")
    print(f"good_logs: {len(logs)} logs out and in again")


if __name__ == "__main__":
    main()
