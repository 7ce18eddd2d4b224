"""Makes one machine wrong on purpose: a comparison that never said no is none."""
import re
import shutil

import machines_build

# The sine rounds down instead of to the nearest: (file, what stands there, what a wrong machine has).
VALUE = ("src/core/trig.c", re.compile(r"\(blend \+ \(1u << \(drop - 1\)\)\) >> drop"), "blend >> drop")


class Plant:
    """`kind` is 'value', 'log' or nothing."""

    def __init__(self, kind, name):
        self.kind, self.name, self.folder = kind, name, None

    @classmethod
    def of(cls, text, machines, parser):
        if text is None:
            return cls("", "")
        kind, _, name = text.partition("=")
        if kind not in ("value", "log") or name not in [machine.name for machine in machines]:
            parser.error(f"--plant: '{text}' is not value=NAME or log=NAME of a machine that runs")
        if kind == "value" and not next(machine for machine in machines if machine.name == name).compiler:
            parser.error(f"--plant: {name} is not built here, so no value of it can be changed; log={name} goes")
        return cls(kind, name)

    def is_on(self, machine, kind):
        return self.kind == kind and machine.name == self.name

    def sources(self):
        """Source name to the file that is compiled instead of it."""
        path, pattern, wrong = VALUE
        original = machines_build.ROOT / path
        text, count = pattern.subn(wrong, original.read_text(encoding="utf-8"), count=1)
        if count != 1:
            raise machines_build.Broken(f"{original}: the line that --plant changes is not there any more; give machines_plant.py another one")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / original.name).write_text(text, encoding="utf-8")
        return {original.name: self.folder / original.name}

    def directory(self, directory, logs):
        """A folder with the same logs, but for the first one, under whose name the second one lies."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for index, log in enumerate(logs):
            (self.folder / log).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(directory / logs[1 if index == 0 and len(logs) > 1 else index], self.folder / log)
        return self.folder
