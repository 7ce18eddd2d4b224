"""npm's ws as a client of /play: somebody else's reading of RFC 6455. Skipped with a word when node, npm or its registry is not there."""

import pathlib
import shutil
import subprocess
import sys

from playserver import Server

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
VERSION = "8.18.0"
EXPECTED = """open tickproof.2 ""
welcome 65
pong 72
pong control
in two 72
bye 73
close 1003
other tickproof.2
close 4000
Unexpected server response: 400
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def install():
    if (FOLDER / "node_modules/ws/package.json").exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        said = subprocess.run(["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", f"ws@{VERSION}"], cwd=FOLDER,
                              capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        skip("npm's registry does not answer")
    if said.returncode != 0:
        skip("npm's ws cannot be had: " + (said.stderr.strip().splitlines() or ["no word"])[0])


if not shutil.which("node") or not shutil.which("npm"):
    skip("there is no node with npm here")
install()
with Server(PROGRAM, "--live", "lone=runner") as server:
    said = subprocess.run(["node", pathlib.Path(__file__).with_name("play_ws.mjs"), FOLDER.resolve(), f"ws://{server.host}/play"], capture_output=True, text=True,
                          timeout=60)
if said.stdout != EXPECTED or said.returncode != 0:
    sys.exit(f"expected\n{EXPECTED}\ngot\n{said.stdout}\n{said.stderr}")
