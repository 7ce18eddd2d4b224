"""What is planted for `scripts/measure hunt`: each class of causes, how it is looked for, and what must come out."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORLDS = ROOT / "tests" / "hunt"
HEADER = WORLDS / "planted.h"
CHORE_TICK = 100


@dataclasses.dataclass(frozen=True)
class Build:
    """One library of a planted world."""
    flags: tuple = ("-O1",)
    musl: tuple = ()      # functions of musl's C library that are linked into it, instead of this system's


@dataclasses.dataclass(frozen=True)
class Case:
    name: str             # the class
    chore: str            # what -DPLANT takes
    source: str = "flat"  # the world: flat or engine
    axes: tuple = ()      # perturb: each of these flips
    others: tuple = ()    # perturb: these may, too; None: any
    cause: str = ""       # perturb: what it puts it down to
    builds: tuple = ()    # bisect: two libraries
    machine: str = ""     # bisect: this machine against that one, each with the library compiled there
    field: str = ""       # what must be named; carts[chore].load when not given
    synctest: str = ""    # a strength that must find it as well
    strict: str = ""      # the function that a strict run must name
    extra: bool = False   # beyond the classes: an axis that needs a fault of its own

    @property
    def tick(self):
        return CHORE_TICK + chores()[self.chore]

    @property
    def place(self):
        return self.field or f"carts[{chores()[self.chore]}].load"

    @property
    def command(self):
        if self.machine:
            return f"bisect --with {self.machine}"
        return "bisect --world A --world B" if self.builds else "perturb"


def chores():
    """The numbers of the chores, as the header counts them."""
    names = re.findall(r"^    CHORE_([A-Z]+)(?: = 0)?,", HEADER.read_text(encoding="utf-8"), re.M)
    return {name: number for number, name in enumerate(names)}


SINE = ("sin", "__sin", "__cos", "__rem_pio2", "__rem_pio2_large", "scalbn", "floor")
FUSED = (Build(("-O2", "-mfma", "-ffp-contract=off")), Build(("-O2", "-mfma", "-ffp-contract=fast")))

CASES = (
    Case("uninitialised read: stack", "STACK", cause="uninitialised memory", axes=("stack",)),
    Case("uninitialised read: heap", "HEAP", cause="allocator contents", axes=("heap", "allocator")),
    Case("uninitialised read: past an array", "SLACK", cause="uninitialised memory", axes=("slack",)),
    Case("padding hashed", "PADDING", "engine", cause="allocator contents", axes=("heap", "allocator"), field="label.unused[0]"),
    Case("pointer hashed", "POINTER", "engine", cause="addresses", axes=("aslr", "place"), others=None, field="notes.last_pusher"),
    Case("pointer order", "ORDER", cause="addresses", axes=("block", "aslr"), others=None),
    Case("contraction (FMA)", "CONTRACTION", builds=FUSED),
    Case("contraction (FMA), engine", "CONTRACTION", "engine", builds=FUSED),
    Case("contraction, aarch64", "CONTRACTION", machine="aarch64"),
    Case("sine of another libm", "SINE", builds=(Build(), Build(musl=SINE))),
    Case("x87 precision", "PRECISION", builds=(Build(), Build(("-O1", "-mfpmath=387")))),
    Case("x87 precision, i386", "PRECISION", machine="i386"),
    Case("32-bit long, i386", "LONG", machine="i386"),
    Case("endianness, s390x", "ENDIAN", machine="s390x"),
    Case("signed overflow under -O3", "OVERFLOW", builds=(Build(("-O0",)), Build(("-O3",)))),
    Case("unstable sort", "SORT", builds=(Build(), Build(musl=("qsort", "qsort_nr")))),
    Case("locale", "LOCALE", cause="locale", axes=("locale",), strict="strtod"),
    Case("clock", "CLOCK", cause="clock", axes=("clock",), strict="time"),
    Case("entropy", "ENTROPY", cause="randomness", axes=("repeat",), others=None, strict="getrandom"),
    Case("snapshot omission", "OMISSION", "engine", cause="state outside the snapshot", axes=("restore", "carry"), synctest="copy"),
    Case("stale cache", "STALE", cause="stale cache or incomplete encoding", axes=("carry",), synctest="bytes"),
    Case("global between runs", "GLOBAL", cause="state leaking between runs", axes=("order",), others=("threads",)),
    Case("thread order", "THREADS", cause="threads or shared state", axes=("repeat", "schedule"), others=None, strict="pthread_create"),
    Case("time zone", "ZONE", cause="time zone", axes=("tz",), others=("environment",), strict="localtime_r", extra=True),
    Case("environment", "ENVIRONMENT", cause="environment", axes=("environment",), others=("tz", "locale", "workers", "allocator", "clock", "schedule", "recorded"), extra=True),
    Case("working directory", "DIRECTORY", cause="working directory", axes=("directory",), strict="getcwd", extra=True),
    Case("rounding mode", "ROUNDING", cause="floating-point environment", axes=("rounding",), extra=True),
    Case("denormals", "FLUSH", cause="floating-point environment", axes=("denormals",), extra=True),
    Case("observer", "OBSERVER", cause="observer writes", axes=("observer",), extra=True),
)
