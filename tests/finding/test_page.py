#!/usr/bin/env python3
"""The page "Finding a desync in your CI" shows what the program says: each of its console blocks is run here and compared. What is of one
machine alone (compiler, system, times, numbers of the self-test) stands as '...' in the page.

Usage: test_page.py TICKPROOF SOURCE_FOLDER COMPILER...     with UPDATE=1 in the environment the page is written anew
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import studio

tickproof, source, compiler = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3:]
path = os.path.join(source, "replays/FINDING.md")

CARELESS = """#include <math.h>
#include <stdlib.h>
static int steps;
double drift(double angle, double speed) { steps++; return sin(angle) * speed + steps; }
double push(double a, double b, double c);
__attribute__((target("fma"))) double push(double a, double b, double c) { return __builtin_fma(a, b, c); }
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void order(int *crew, size_t count);
void order(int *crew, size_t count) { qsort(crew, count, sizeof(*crew), by_size); }
"""


def plain(text):
    """What differs between machines and builds goes."""
    for pattern, by in (
            (r"numerics[= ][^;,|\n]*", "numerics=..."), (r"(system[= ])[^;,|\n]*", r"\1..."), (r"xxh3:[0-9a-f]{32}", "xxh3:..."),
            (r"(program[= ])tickproof [0-9.]+", r"\1..."), (r"\b(gcc|clang) [0-9.]+", "..."), (r"\bx86_64\b(?=[ ,;|])", "..."), (r", [0-9.]+ s$", ", ... s"),
            (r"^[0-9]+ trials", "... trials"), (r"[0-9]+ bytes of code", "... bytes of code"), (r"\+0x[0-9a-f]+", "+0x..."), (r"vfmadd(132|213|231)", "vfmadd213")):
        text = re.sub(pattern, by, text, flags=re.M)
    return text


def prepare(scratch):
    made = studio.Studio(tickproof, source, compiler, scratch)
    folder = made.folder
    os.makedirs(folder + "/arm64")
    made.write_sources(folder + "/arm64-sources", studio.PLAIN, "-funsigned-char")
    subprocess.run(["make", "-s", "world.so"], cwd=folder, check=True)
    subprocess.run(["make", "-s", "world.so"], cwd=folder + "/arm64-sources", check=True)
    shutil.move(folder + "/arm64-sources/world.so", folder + "/arm64/world.so")
    shutil.rmtree(folder + "/arm64-sources")
    os.symlink(tickproof, folder + "/arm64/tickproof")
    for machine, world in (("x86-64", "./world.so"), ("arm64", "./arm64/world.so")):
        os.makedirs(f"{folder}/traces/{machine}")
        for name in ("crossing", "harbour"):
            subprocess.run([tickproof, "trace", f"golden/{name}.tpr", "--world", world, "--text", f"host={machine}", "-o", f"traces/{machine}/{name}.tpt"],
                           cwd=folder, check=True)
    with open(folder + "/careless.c", "w") as file:
        file.write(CARELESS)
    subprocess.run(compiler + ["-w", "-O2", "-shared", "-fPIC", "careless.c", "-o", "careless.so", "-lm"], cwd=folder, check=True)
    os.remove(folder + "/careless.c")
    return folder


def run(command, folder):
    environment = dict(os.environ, PATH=os.path.dirname(tickproof) + ":" + os.environ["PATH"], LC_ALL="C")
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return plain(done.stdout) + (f"$ echo $?\n{done.returncode}\n" if done.returncode else "")


with open(path) as file:
    page = file.read()
with tempfile.TemporaryDirectory() as scratch:
    folder = prepare(scratch)
    has_code = subprocess.run([tickproof, "lint", folder + "/world.so"], capture_output=True).returncode == 0
    is_x86 = os.uname().machine == "x86_64"
    count = 0

    def again(match):
        global count
        command = match[1]
        if " lint " in command and not (has_code and is_x86):
            return match[0]
        count += 1
        return f"```console\n$ {command}\n{run(command, folder)}```\n"

    made = re.sub(r"^```console\n\$ (.*)\n(?:(?!```).*\n)*```\n", again, page, flags=re.M)
if count < 5:
    print(f"{path}: only {count} console blocks were found")
    sys.exit(1)
if os.environ.get("UPDATE") == "1":
    with open(path, "w") as file:
        file.write(made)
    sys.exit(0)
sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), made.splitlines(True), "the page", "what the program says", n=1))
sys.exit(0 if made == page else 1)
