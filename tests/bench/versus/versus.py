#!/usr/bin/env python3
"""What a rollback and a checksum cost here and with what people would use instead, in one run, as ratios.

Two physics engines (save and restore by their own step), a rollback library (a frame by how late inputs come), libxxhash, zlib and memcpy. The
packages are npm's, in the versions of package.json, and Debian's; nothing is installed but into the folder that --packages names.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


SKIPPED = 77  # what meson takes for a test that was not run


def fail(text):
    sys.exit(f"versus: {text}")


def skip(text):
    print(f"versus: skipped: {text}")
    sys.exit(SKIPPED)


def lines_of(command, **more):
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    if said.returncode != 0:
        last = (said.stderr.strip().splitlines() or ["no word"])[-1]
        fail(f"{pathlib.Path(str(command[0])).name}: exit {said.returncode}: {last}")
    return said.stdout.splitlines()


def packages(folder):
    """Installs once; a folder of another package.json is installed anew."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text(encoding="utf-8")
    mark = folder / "package.json"
    if not (folder / "node_modules" / ".package-lock.json").exists() or mark.read_text(encoding="utf-8") != wanted:
        mark.write_text(wanted, encoding="utf-8")
        said = subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True,
                              check=False)
        if said.returncode != 0:
            mark.unlink()
            skip("npm's packages cannot be had: " + (said.stderr.strip().splitlines() or ["no word"])[0])


def engines(folder, scale):
    packages(folder)
    shutil.copy(HERE / "engines.mjs", folder / "engines.mjs")
    return [json.loads(line) for line in lines_of(["node", "engines.mjs", scale], cwd=folder)]


def ours(programs, scale):
    """Of bench tick: the realm at 64, and the fighters."""
    for world, players in (("realm", 64), ("realm", 8), ("fighter", 2)):
        command = [programs / "src/cli/tickproof", "bench", "tick", "--world", world, "--players", players, "--ticks", 400 * scale, "--rounds", 9, "--format", "json"]
        result = json.loads(lines_of(command)[0])
        step = result.get("bare_step_ns", result["step_ns"])
        yield {"what": f"tickproof {world}", "players": players, "bytes": result["state_bytes"], "save_restore_root_us": result["save_restore_root_ns"] / 1000,
               "step_us": step / 1000, "ratio": result["save_restore_root_ns"] / step}


def session(programs):
    """Of bench_session: (book-keeping in ns of a tick stepped again, ns of an advance that goes back 8)."""
    text = "\n".join(lines_of([programs / "tests/bench/bench_session"]))
    kept = re.search(r"book-keeping +([0-9.]+) ns", text)
    advance = re.search(r"by the session +[0-9.]+ ns a tick stepped again, +([0-9.]+) an advance of 8", text)
    if kept is None or advance is None:
        fail("bench_session says nothing of book-keeping: it has changed, and this script has not")
    return float(kept[1]), float(advance[1])


def print_tables(measured, own, kept, advance, checksums):
    print("a rollback: what saving and going back cost by a step; ours with the checksum of the tick")
    print(f"  {'':36} {'bytes':>9} {'save+restore us':>16} {'step us':>10} {'ratio':>8}")
    for row in own:
        print(f"  {row['what'] + ', ' + str(row['players']) + ' players':36} {row['bytes']:>9} {row['save_restore_root_us']:>16.2f} {row['step_us']:>10.1f} {row['ratio']:>8.3f}")
    for row in measured:
        if "ratio" in row:
            print(f"  {row['what'] + ', ' + str(row['bodies']) + ' bodies':36} {row.get('bytes', ''):>9} {row['save_us'] + row['restore_us']:>16.2f} {row['step_us']:>10.1f} {row['ratio']:>8.3f}")
    print("a frame of a session, us, its partner's inputs late by so many frames")
    print(f"  {'tickproof, 64 bytes':36} " + f"8: {advance / 1000:.2f}   (book-keeping {kept / 1000:.4f} a tick stepped again)")
    print(f"  {'netplayjs, 16 numbers':36} " + ", ".join(f"{row['delay']}: {row['frame_us']:.2f}" for row in measured if row["what"] == "netplayjs"))
    print("checksums, ns of a block, and by ours")
    for row in checksums:
        base = row["tp_hash64_ns"]
        print(f"  {row['bytes']:>8} bytes, {row['path']}: " + ", ".join(f"{key[:-3]} {row[key]:.0f} ({row[key] / base:.2f})" for key in row if key.endswith("_ns")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, metavar="BUILD", help="a build folder")
    parser.add_argument("--packages", type=pathlib.Path, metavar="DIR", help="where npm's packages are put (BUILD/versus)")
    parser.add_argument("--limits", type=pathlib.Path, metavar="FILE", help="the bench of checksums (BUILD/tests/bench/limits)")
    parser.add_argument("--scale", type=int, default=1, metavar="N", help="1 for a look (usual), 10 for figures")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each measurement instead of tables")
    options = parser.parse_args()
    programs = options.programs.resolve()
    folder = (options.packages or programs / "versus").resolve()
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed: the engines are npm's packages")
    own = list(ours(programs, options.scale))
    measured = engines(folder, options.scale)
    kept, advance = session(programs)
    checksums = [json.loads(line) for line in lines_of([options.limits or programs / "tests/bench/limits"])]
    if options.json:
        for row in (*own, *measured, {"what": "tickproof session", "bookkeeping_us": kept / 1000, "delay": 8, "frame_us": advance / 1000}, *checksums):
            print(json.dumps(row))
    else:
        print_tables(measured, own, kept, advance, checksums)


main()
