"""Compiles the verifier's rooms for one machine, object by object, and only what changed since the last time.

An object is compiled again when its command, its compiler or the text of any file that it included is not what it was.
"""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import machines_debian
import machines_list
from machines_debian import NotToBeHad

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The rooms of the verifier; the list of their files is what is in the folders, but for what verifying surely does not use.
ROOMS = ("src/core/*.c", "src/sim/*.c", "src/replay/*.c", "src/verify/*.c", "src/worlds/*/*.c", "src/cli/checker.c")
NOT_USED = ("synctest", "trace_", "minimise", "unbound")
INCLUDES = ("include", "src/core", "src/sim", "src/replay", "src/verify", "src/worlds/runner", "src/worlds/fighter", "src/worlds/realm")
LANGUAGE = ("-std=gnu17", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-ffp-contract=off", "-fno-fast-math", "-w")
AVX2_SOURCE = "xxh3_avx2.c"
COMPILE_SECONDS = 600


class Broken(Exception):
    """It should have compiled, and did not."""


def environment():
    """Debian's Emscripten needs Debian's modules for node, which a node from elsewhere does not look for."""
    return os.environ | {"NODE_PATH": os.environ.get("NODE_PATH", "/usr/share/nodejs")}


def run(command):
    said = subprocess.run([str(word) for word in command], env=environment(), capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    if said.returncode != 0:
        raise Broken(f"{' '.join(str(word) for word in command[:2])} ...: exit {said.returncode}\n{said.stderr[-3000:]}")
    return said.stdout


def version():
    found = re.search(r"version: '([^']*)'", (ROOT / "meson.build").read_text(encoding="utf-8"))
    return found.group(1)


class Hashes:
    """Hashes of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            try:
                self.known[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            except OSError:
                self.known[path] = ""
        return self.known[path]


def compile_command(machine, compiler):
    """What compiles one file. emcc takes ten times as long to start as to compile, but tells with what it calls its clang."""
    if pathlib.Path(compiler).name != "emcc":
        return compiler, machine.flags
    settings = [word for word in machine.flags if word == "-s" or "=" in word]
    clang = pathlib.Path(run(["em-config", "LLVM_ROOT"]).strip()) / "clang"
    told = shlex.split(run([compiler, "--cflags", *settings]))
    return str(clang), (*told, *(word for word in machine.flags if word not in settings))


class Objects:
    """The objects of one machine in one folder, with what each was made of."""

    def __init__(self, folder, machine, hashes, pool):
        self.folder, self.hashes, self.pool = folder, hashes, pool
        self.has_new = False
        folder.mkdir(parents=True, exist_ok=True)
        self.compiler, self.flags = compile_command(machine, machines_list.find_tool(machine.compiler))
        self.compiler_version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True, check=False).stdout

    def compile(self, sources):
        """`sources` is a list of (source, flags); the objects come back in its order."""
        return list(self.pool.map(lambda pair: self.compile_one(*pair), sources))

    def compile_one(self, source, flags):
        name = hashlib.sha256(str(source).encode()).hexdigest()[:8]
        target = self.folder / f"{pathlib.Path(source).stem}-{name}.o"
        command = [self.compiler, *(str(flag) for flag in (*self.flags, *flags)), "-c", str(source), "-o", str(target)]
        made_by = hashlib.sha256("\0".join([*command, self.compiler_version]).encode()).hexdigest()
        note = target.with_suffix(".json")
        if target.exists() and self.is_fresh(note, made_by):
            return target
        depends = target.with_suffix(".d")
        target.unlink(missing_ok=True)
        run([*command, "-MMD", "-MF", depends])
        words = depends.read_text(encoding="utf-8").replace("\\\n", " ").partition(":")[2].split()
        note.write_text(json.dumps({"made_by": made_by, "of": {word: self.hashes.of(word) for word in words}}), encoding="utf-8")
        self.has_new = True
        return target

    def is_fresh(self, note, made_by):
        try:
            known = json.loads(note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return known["made_by"] == made_by and all(self.hashes.of(path) == was for path, was in known["of"].items())


def xxhash_folder(folder):
    """The header of XXH3 alone, which is the same text for every machine, without this system's other headers."""
    alone = folder / "xxhash"
    alone.mkdir(parents=True, exist_ok=True)
    for name in ("xxhash.h", "xxh3.h"):
        text = pathlib.Path("/usr/include", name).read_bytes()
        if not (alone / name).exists() or (alone / name).read_bytes() != text:
            (alone / name).write_bytes(text)
    return alone


def project_sources(machine, includes, instead):
    """(source, flags) for each file of the rooms. `instead` gives another file for a source of that name."""
    sources = []
    for pattern in ROOMS:
        for path in sorted(ROOT.glob(pattern)):
            flags = [*LANGUAGE, f'-DTP_VERSION="{version()}"']
            if machine.avx2:
                flags.append("-DTP_HAVE_AVX2=1")
            if path.parent.name == "verify" and path.name.startswith(NOT_USED):
                continue
            if path.name == AVX2_SOURCE:
                if not machine.avx2:
                    continue
                flags.append("-mavx2")
            source = instead.get(path.name, path)
            sources.append((source, flags + [f"-I{ROOT / folder}" for folder in INCLUDES] + [f"-I{path.parent}"] + [f"-I{folder}" for folder in includes]))
    return sources


class Builder:
    """One build folder."""

    def __init__(self, folder, pool):
        self.folder, self.pool = folder, pool
        self.hashes = Hashes()
        self.debian = machines_debian.Debian(folder)

    def libraries(self, machine, objects):
        """Include folders, objects and link flags of libsodium and zstd."""
        if machine.from_source:
            folders, made = [], []
            for files, includes, defines in (self.debian.sodium(), self.debian.zstd()):
                made += objects.compile([(file, ["-std=gnu17", "-w", *defines, *(f"-I{folder}" for folder in includes)]) for file in files])
                folders.append(includes[0])
            return folders, made, []
        if machine.debian:
            root = self.debian.sysroot(machine.debian, ("libsodium-dev", "libzstd-dev"))
            return [root / "usr/include"], [], [root / "usr/lib" / machine.triplet / name for name in ("libsodium.a", "libzstd.a")]
        for header, package in (("sodium.h", "libsodium-dev"), ("zstd.h", "libzstd-dev")):
            if not (pathlib.Path("/usr/include") / header).exists():
                raise NotToBeHad(f"{package} is not installed")
        return [], [], ["-lsodium", "-lzstd"]

    def build(self, machine, instead=None):
        """The program of a machine, or the module that a page loads."""
        compiler = machines_list.find_tool(machine.compiler)
        folder = self.folder / "machines" / (machine.build + ("-planted" if instead else ""))
        objects = Objects(folder / "objects", machine, self.hashes, self.pool)
        includes, foreign, links = self.libraries(machine, objects)
        targets = objects.compile(project_sources(machine, [*includes, xxhash_folder(self.folder)], instead or {}))
        suffix = {"windows": ".exe", "wasm-node": ".js"}.get(machine.build, "")
        program = folder / f"tickproof-check{suffix}"
        note = folder / "linked.txt"
        linked = "\n".join(str(word) for word in (compiler, *machine.links, *targets, *foreign, *links))
        is_same = note.exists() and note.read_text(encoding="utf-8") == linked
        if not program.exists() or not is_same or objects.has_new:
            self.link(machine, compiler, folder, targets, foreign, links, program)
            note.write_text(linked, encoding="utf-8")
        return program

    def link(self, machine, compiler, folder, objects, foreign, links, program):
        """From archives, so that of the rooms only what verifying uses is in the program."""
        program.unlink(missing_ok=True)
        main = [target for target in objects if target.name.startswith("checker-")]
        rooms = archive(compiler, folder / "librooms.a", [target for target in objects if target not in main])
        if foreign:
            links = [archive(compiler, folder / "libforeign.a", foreign)]
        run([compiler, *machine.links, *main, rooms, *links, "-lm", *([] if machine.page else ["-pthread"]), "-o", program])
        if not program.exists():
            raise Broken(f"{program} was not made")


def archive(compiler, path, objects):
    """An archive of the objects, by the ar that goes with the compiler."""
    name = pathlib.Path(compiler).name
    ar = next((ar for ar in (name.replace("emcc", "emar"), f"{name}-ar") if ar != name and shutil.which(ar)), "ar")
    path.unlink(missing_ok=True)
    run([ar, "rcs", path, *objects])
    return path
