"""Every cause for which machines, builds and runs come apart is found where it was planted, and nothing is found where nothing was.

Each class of causes is planted into a small world (tests/hunt), as people would write it, at a tick and in a field that are known. The world is
compiled, a match of it recorded with the fault in it, and the command that should find the fault is run: `tickproof perturb` for what one process
shows by itself, `tickproof bisect` for two builds, and for two machines. Promise: it exits with 1, on the axis, at the tick and in the field that the
table names. Then the control: the clean twins of the planted worlds and the built-in ones are perturbed, and compared between machines, over and
over. Promise: not one axis flips. What cannot be tried here is listed with its reason, and counts for nothing.
"""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import time

import machines_list
import measure_lib as lib
from measure_hunt_cases import CASES, ROOT, WORLDS, Build

DIVERGED = 1
INCOMPLETE = 5
TICKS, PLAYERS, SEED = 300, 2, 5
KEYFRAMES = 50
CONTROL_TICKS = {"runner": 600, "fighter": 600, "realm": 60}
COMMAND_SECONDS = 900
MUSL = pathlib.Path("/usr/lib") / f"{platform.machine()}-linux-musl" / "libc.a"
# The prefix of the compiler for a machine. What runs the program of it is known to scripts/machines.
CROSS = {"aarch64": "aarch64-linux-gnu-gcc", "i386": "i686-linux-gnu-gcc", "s390x": "s390x-linux-gnu-gcc"}


class NotHere(Exception):
    """This machine has not what a case needs."""


def add_flags(parser):
    parser.add_argument("--times", type=int, default=1, metavar="N", help="how often the control goes over the axes of this machine (1)")
    parser.add_argument("--machine-times", type=int, default=1, metavar="N", help="how often it goes over the other machines (1)")
    parser.add_argument("--only", metavar="WORD", help="only classes with this word in their name, and no control")
    parser.add_argument("--local", action="store_true", help="nothing that needs another machine's compiler or program")
    parser.add_argument("--narrow", action="store_true", help="of each class only the axes that must find it, and a control on those: quick")
    parser.add_argument("--machines", default=str(ROOT / "build-machines"), metavar="DIR", help="where scripts/machines --programs has built (build-machines)")
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"), metavar="CC", help="compiler of this machine's libraries (cc)")


# Libraries.


class Libraries:
    """Compiles planted worlds into a folder, each once."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler, self.made = folder, compiler, {}
        folder.mkdir()

    def get(self, source, chore, build=Build(), compiler=None):
        key = (source, chore, build, compiler)
        if key not in self.made:
            self.made[key] = self._compile(source, chore, build, compiler or self.compiler, len(self.made))
        return self.made[key]

    def _compile(self, source, chore, build, compiler, number):
        if shutil.which(compiler.split()[0]) is None:
            raise NotHere(f"{compiler} is not installed")
        path = self.folder / f"{source}-{chore.lower()}-{number}.so"
        sources = [str(WORLDS / f"planted_{stem}.c") for stem in ("yard", "chores", source)]
        command = [*compiler.split(), "-std=gnu17", "-D_GNU_SOURCE", f"-I{ROOT / 'include'}", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
                   "-fPIC", "-shared", "-g", f"-DPLANT={chore}", *build.flags, *sources, *self._musl(build), "-o", str(path), "-lm", "-pthread"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 and build == Build() and compiler == self.compiler:
            raise lib.Broken(f"{path.name} does not compile: {first_line(done.stderr)}")  # a broken world is no missing machine
        if done.returncode != 0:
            raise NotHere(f"{compiler} {' '.join(build.flags)} does not compile the world: {first_line(done.stderr)}")
        return path

    def _musl(self, build):
        if not build.musl:
            return []
        if not MUSL.exists():
            raise NotHere(f"there is no second C library ({MUSL}): install musl-dev")
        folder = self.folder / "musl"
        names = [f"{name}.lo" for name in build.musl]
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["ar", "x", str(MUSL), *names], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotHere(f"{MUSL} has other parts than expected: {first_line(done.stderr)}")
        return ["-Wl,-Bsymbolic", *(str(folder / name) for name in names)]


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "it says nothing")


# Commands.


class Answer:
    """What a command came to: its findings, of which skipped ones are kept apart."""

    def __init__(self, command):
        start = time.monotonic()
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=COMMAND_SECONDS)
        self.seconds = time.monotonic() - start
        self.code, self.errors = done.returncode, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        lines = [line for line in lines if "verdict" in line]
        self.skipped = {line.get("aspect", "?"): line["message"] for line in lines if line["verdict"] == "skipped"}
        self.findings = [line for line in lines if line["verdict"] != "skipped"]
        self.flipped = [line for line in self.findings if line["verdict"] != "verified"]

    def why(self):
        return first_line(self.errors) if self.errors.strip() else "; ".join(line["message"] for line in self.flipped)[:300] or f"exit {self.code}"


def axis_of(finding):
    """"stack=0xa5" is of the axis stack."""
    return finding.get("aspect", "?").partition("=")[0].partition(" ")[0]


class Hunt:
    def __init__(self, options, programs, folder):
        self.options, self.programs, self.folder = options, programs, folder
        self.libraries = Libraries(folder / "libraries", options.cc)
        self.skipped, self.logs = {}, {}

    def record(self, library, name, ticks=TICKS):
        key = str(library)
        if key not in self.logs:
            path = self.folder / f"{name}.tpr"
            lib.run_tool(self.programs.tickproof, "run", "--world", library, "--players", PLAYERS, "--bot", "--seed", SEED, "--ticks", ticks,
                         "--keyframes", KEYFRAMES, "-o", path)
            self.logs[key] = path
        return self.logs[key]

    def perturb(self, log, library, axes=(), *flags):
        world = ["--world", library] if library is not None else []
        picked = ["--axis", ",".join(axes)] if axes else []
        answer = Answer([self.programs.tickproof, "perturb", log, *world, *picked, *flags, "--format", "json"])
        for axis, reason in answer.skipped.items():
            self.skipped[f"axis {axis}"] = reason
        return answer

    def machine(self, name):
        """The command that runs that machine's program."""
        return find_machine(name, pathlib.Path(self.options.machines))

    def bisect(self, log, *flags):
        return Answer([self.programs.tickproof, "bisect", log, *flags, "--format", "json"])


def find_machine(name, folder):
    """The command that scripts/machines --programs said for it."""
    machine = machines_list.find(name)
    program, sysroot = folder / name / "tickproof", folder / "sysroot" / machine.debian
    if shutil.which(CROSS[name]) is None:
        raise NotHere(f"{CROSS[name]} is not installed")
    if not program.exists():
        raise NotHere(f"{program} is not there: scripts/machines --programs {name} builds it")
    try:
        return f"{machines_list.find_tool(machine.runner[0])} -L {sysroot} {program}"
    except machines_list.NotToBeHad as reason:
        raise NotHere(str(reason)) from None


# What was planted.


def check_finding(case, finding):
    """A line for each thing that is not as the table has it. Of several flips with one cause, one names the field."""
    axis = finding.get("aspect", "?")
    if finding["verdict"] != "diverged":
        return [f"{axis} is {finding['verdict']}: {finding['message']}"]
    if finding.get("tick") != case.tick:
        return [f"{axis} names tick {finding.get('tick')}, not {case.tick}"]
    if finding.get("field", case.place) != case.place:
        return [f"{axis} names field {finding['field']}, not {case.place}"]
    return []


def check_place(case, answer):
    located = [finding for finding in answer.flipped if "field" in finding]
    causes = {finding.get("cause", "") for finding in located}
    if not located:
        return ["no field is named" if answer.flipped else "nothing was found"]
    return [f"the cause is {', '.join(sorted(causes)) or 'not named'}, not {case.cause}"] if case.cause and case.cause not in causes else []


def check_axes(case, answer, is_narrow):
    flipped = {axis_of(finding) for finding in answer.flipped}
    wrong = [f"axis {axis} does not flip" for axis in case.axes if axis not in flipped]
    if case.others is not None and not is_narrow:
        wrong += [f"axis {axis} flips and should not" for axis in sorted(flipped - set(case.axes) - set(case.others))]
    return wrong


def check_synctest(hunt, case, log, library):
    if not case.synctest:
        return []
    done = subprocess.run([hunt.programs.tickproof, "synctest", "--world", str(library), "--strength", case.synctest, str(log)],
                          capture_output=True, text=True, check=False)
    return [] if done.returncode == DIVERGED else [f"synctest --strength {case.synctest} exits with {done.returncode}"]


def check_strict(hunt, case, log, library):
    """A strict run names the function that the step has called."""
    answer = hunt.perturb(log, library, ("strict",), "--strict") if case.strict else None
    if answer is None or "strict=on" in answer.skipped:
        return []
    calls = {finding["aspect"]: finding.get("tick") for finding in answer.flipped}
    found = calls.get(f"strict: {case.strict}")
    return [] if answer.code == DIVERGED and found == case.tick else [f"strict: {case.strict} is called at tick {case.tick}, and it says {found}"]


def run_perturb(hunt, case):
    library = hunt.libraries.get(case.source, case.chore)
    log = hunt.record(library, case.chore.lower())
    answer = hunt.perturb(log, library, case.axes if hunt.options.narrow else ())
    return answer, check_axes(case, answer, hunt.options.narrow) + check_synctest(hunt, case, log, library) + check_strict(hunt, case, log, library)


def run_builds(hunt, case):
    a, b = (hunt.libraries.get(case.source, case.chore, build) for build in case.builds)
    log = hunt.record(a, f"{case.chore.lower()}-{case.source}-builds")
    return hunt.bisect(log, "--world", a, "--world", b), []


def run_machine(hunt, case):
    command = hunt.machine(case.machine)
    here = hunt.libraries.get(case.source, case.chore)
    there = hunt.libraries.get(case.source, case.chore, Build(("-O2",)), CROSS[case.machine])
    log = hunt.record(here, f"{case.chore.lower()}-{case.machine}")
    return hunt.bisect(log, "--world", here, "--with", f"{command} {{}} --world {there}"), []


def run_case(hunt, case):
    """(row, complaints)."""
    how = run_machine if case.machine else run_builds if case.builds else run_perturb
    answer, wrong = how(hunt, case)
    if answer.code != DIVERGED:
        wrong.append(f"exit {answer.code}: {answer.why()}")
    for finding in answer.flipped:
        wrong += check_finding(case, finding)
    wrong += check_place(case, answer)
    first = best_of(case, answer)
    row = (case.name, case.command, axes_text(case, answer), str(first.get("tick", "-")), first.get("field", "-"), first.get("cause", ""),
           f"{answer.seconds:.1f}", "NOT as planted" if wrong else "found")
    return row, [f"{case.name}: {line}" for line in wrong]


def best_of(case, answer):
    """The finding that says most: with a field, and of the case's own cause where there is one."""
    located = [finding for finding in answer.flipped if "field" in finding]
    return next((finding for finding in located if finding.get("cause", "") == case.cause), located[0] if located else {})


def axes_text(case, answer):
    """Those that must flip come first; of very many, the others are counted."""
    flipped = {axis_of(finding) for finding in answer.flipped}
    if case.builds or case.machine:
        return "machine" if case.machine else "build"
    named = [axis for axis in case.axes if axis in flipped]
    others = sorted(flipped - set(named))
    return ", ".join(named + (others if len(others) <= 2 else [f"{len(others)} more"])) or "-"


def is_wanted(case, options):
    return (options.only is None or options.only in case.name) and not (options.local and case.machine)


def run_planted(hunt):
    rows, complaints = [], []
    for case in CASES:
        if not is_wanted(case, hunt.options):
            continue
        try:
            row, wrong = run_case(hunt, case)
        except NotHere as reason:
            hunt.skipped[f"class {case.name}"] = str(reason)
            continue
        rows.append(row)
        complaints += wrong
    print_table(("class", "command", "axes that flip", "tick", "field", "cause", "s", ""), rows)
    return complaints


def print_table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip(), flush=True)


# The control.


def clean_logs(hunt):
    """(name, log, library or None, source or None) of everything that must not flip."""
    for source in ("flat", "engine"):
        library = hunt.libraries.get(source, "NONE")
        yield f"clean {source}", hunt.record(library, f"clean-{source}"), library, source
    for world, ticks in CONTROL_TICKS.items():
        yield world, hunt.record(world, world, ticks), None, None


def count_false_alarms(name, answer):
    wrong = [f"{name}: false alarm: {finding.get('aspect', '?')}: {finding['message']}" for finding in answer.flipped]
    # An axis that was asked for and is not here makes it 5, and is listed as skipped.
    expected = INCOMPLETE if answer.code == INCOMPLETE and answer.skipped and not answer.errors.strip() else lib.VERIFIED
    if answer.code != expected and not wrong:
        wrong.append(f"{name}: exit {answer.code}: {answer.why()}")
    if not answer.findings:
        wrong.append(f"{name}: not one axis was tried")
    return wrong


def control_here(hunt, logs):
    rows, complaints = [], []
    axes = sorted({axis for case in CASES for axis in case.axes}) if hunt.options.narrow else ()
    for name, log, library, _ in logs:
        tried, flips, seconds = 0, 0, 0.0
        for _ in range(hunt.options.times):
            answer = hunt.perturb(log, library, axes, *(["--strict"] if library is None else []))
            wrong = count_false_alarms(name, answer)
            tried, flips, seconds = tried + len(answer.findings), flips + len(wrong), seconds + answer.seconds
            complaints += wrong
        rows.append((name, "this machine", str(hunt.options.times), str(tried), str(flips), f"{seconds / max(hunt.options.times, 1):.1f}"))
    return rows, complaints


def control_there(hunt, logs):
    rows, complaints = [], []
    for machine, compiler in CROSS.items():
        try:
            command = hunt.machine(machine)
            for name, log, library, source in logs:
                worlds, there = (["--world", library], f" --world {hunt.libraries.get(source, 'NONE', Build(('-O2',)), compiler)}") if source else ([], "")
                answers = [hunt.bisect(log, *worlds, "--with", f"{command} {{}}{there}") for _ in range(hunt.options.machine_times)]
                wrong = [line for answer in answers for line in count_false_alarms(f"{name} on {machine}", answer)]
                rows.append((name, machine, str(len(answers)), str(len(answers)), str(len(wrong)), f"{answers[0].seconds:.1f}"))
                complaints += wrong
        except NotHere as reason:
            hunt.skipped[f"control on {machine}"] = str(reason)
    return rows, complaints


def run_control(hunt):
    logs = list(clean_logs(hunt))
    rows, complaints = control_here(hunt, logs)
    if not hunt.options.local and hunt.options.machine_times > 0:
        there, wrong = control_there(hunt, logs)
        rows, complaints = rows + there, complaints + wrong
    print()
    print_table(("control", "machine", "times", "runs compared", "false alarms", "s each"), rows)
    return complaints


def run(options, programs, folder):
    os.environ.pop("MALLOC_PERTURB_", None)  # meson's tests have it; what the heap holds is an axis here
    hunt = Hunt(options, programs, folder)
    try:
        complaints = run_planted(hunt)
        complaints += [] if options.only else run_control(hunt)
    except subprocess.TimeoutExpired as stuck:
        raise lib.Broken(f"{' '.join(map(str, stuck.cmd[:4]))} ...: did not end within {COMMAND_SECONDS} s") from None
    if hunt.skipped:
        print()
        for what, reason in sorted(hunt.skipped.items()):
            print(f"skipped, and said nothing about: {what}: {reason}")
    return complaints
