#!/usr/bin/env python3
"""What `meson install` brings, in a scratch folder: both programs run from there, and everything that comes beside them is there and is whole.

Usage: test_install.py BUILD SOURCE VERSION
"""
import os
import subprocess
import sys
import tempfile

build, source, version = sys.argv[1:4]
failures = []


def check(is_so, what):
    if not is_so:
        failures.append(what)


def read(path):
    with open(path, "rb") as file:
        return file.read()


with tempfile.TemporaryDirectory() as root:
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], check=True, stdout=subprocess.DEVNULL, timeout=300,
                   env=dict(os.environ, DESTDIR=root))
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            found.setdefault(name, []).append(os.path.join(folder, name))

    def one(name, end):
        """The one installed file whose path ends so."""
        paths = [path for path in found.get(name, []) if path.endswith("/" + end)]
        check(len(paths) == 1, f"{end}: installed {len(paths)} times")
        return paths[0] if len(paths) == 1 else None

    for program, *arguments in (["tickproof", "--version"], ["tickproofd", "--version"]):
        path = one(program, f"bin/{program}")
        said = path and subprocess.run([path, *arguments], capture_output=True, text=True, timeout=60).stdout
        check(said and said.startswith(f"{program} {version} "), f"{program}: says {said!r}")
    same = {f"include/tickproof/{name}": f"include/tickproof/{name}" for name in os.listdir(f"{source}/include/tickproof")}
    same |= {f"share/doc/tickproof/examples/{name}": f"examples/{name}" for name in os.listdir(f"{source}/examples")}
    same |= {"share/man/man1/tickproof.1": "src/cli/man/tickproof.1", "share/man/man8/tickproofd.8": "src/cli/man/tickproofd.8"}
    for end, original in same.items():
        path = one(os.path.basename(end), end)
        check(path is None or read(path) == read(f"{source}/{original}"), f"{end}: not what lies in {original}")
    for program in ("tickproof", "tickproofd"):
        for end in (f"bash-completion/completions/{program}.bash", f"zsh/site-functions/_{program}", f"fish/vendor_completions.d/{program}.fish"):
            path = one(os.path.basename(end), f"share/{end}")
            check(path is None or b"format" in read(path), f"{end}: without flags")
    server = one("tickproofd", "bin/tickproofd")
    example = one("lan-bots.json", "share/doc/tickproof/examples/lan-bots.json")
    if server and example:
        plan = subprocess.run([server, "--config", example, "--check-config"], capture_output=True, text=True, timeout=60)
        check(plan.returncode == 0, f"{example}: exit {plan.returncode}: {plan.stderr}")
    unit = one("tickproofd.service", "lib/systemd/system/tickproofd.service")
    if unit and server:
        check(f"ExecStart={server[len(os.path.realpath(root)):]} ".encode() in read(unit), "tickproofd.service: starts another program than was installed")
for failure in failures:
    print(failure)
sys.exit(len(failures) > 0)
