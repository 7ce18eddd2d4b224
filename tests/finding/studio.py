"""A studio's repository, made for the tests: the README's ferry with a line that reads a plain char, which is signed on x86-64 and is not
on arm64. The other machine is this one with -funsigned-char."""
import os
import shutil
import subprocess

SIGNED = "inputs[slot].push * 16"
PLAIN = "(char)inputs[slot].push * 16"


class Studio:
    def __init__(self, tickproof, source, compiler, scratch):
        self.tickproof, self.compiler = tickproof, compiler
        self.include = os.path.join(source, "include")
        self.folder = os.path.join(scratch, "studio")
        os.makedirs(self.folder + "/golden")
        with open(os.path.join(source, "tests/outside/ferry.c")) as file:
            self.world = file.read()
        if SIGNED not in self.world:
            raise ValueError(f"ferry.c: the line with '{SIGNED}' is gone")
        self.write_sources(self.folder, PLAIN, "")
        self.record()

    def write_sources(self, folder, push, flags):
        os.makedirs(folder + "/ci", exist_ok=True)
        with open(folder + "/world.c", "w") as file:
            file.write(self.world.replace(SIGNED, push))
        with open(folder + "/Makefile", "w") as file:
            file.write(f"world.so: world.c\n\t{' '.join(self.compiler)} -shared -fPIC -O2 -ffp-contract=off {flags} -I{self.include} -o $@ world.c\n")
        with open(folder + "/ci/install-tickproof", "w") as file:
            file.write(f"#!/bin/sh\necho {os.path.dirname(self.tickproof)} >> \"$GITHUB_PATH\"\n")
        os.chmod(folder + "/ci/install-tickproof", 0o755)

    def record(self):
        subprocess.run(["make", "-s", "world.so"], cwd=self.folder, check=True)
        for name, ticks, shift in (("crossing", 900, 37), ("harbour", 300, 0)):
            with open(self.folder + "/inputs.jsonl", "w") as file:
                for tick in range(ticks):
                    pushes = [(0, 100, -100)[(tick + shift) // (60 + slot * 25) % 3] for slot in (0, 1)]
                    slots = ",".join(f'{{"slot":{slot},"origin":"received","push":{push}}}' for slot, push in enumerate(pushes))
                    file.write(f'{{"tick":{tick},"slots":[{slots}]}}\n')
            subprocess.run([self.tickproof, "run", "--world", "./world.so", "--players", "2", "--seed", "7", "--inputs", "inputs.jsonl", "-o",
                            f"golden/{name}.tpr"], cwd=self.folder, check=True, capture_output=True)
        os.remove(self.folder + "/inputs.jsonl")
        os.remove(self.folder + "/world.so")

    def checkout(self, folder, machine, is_planted):
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        self.write_sources(folder, PLAIN if is_planted else SIGNED, "-funsigned-char" if machine == "arm64" else "")
