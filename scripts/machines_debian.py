"""Libraries of other machines, from Debian: packages of that architecture unpacked into a folder, and source packages where there are none.

Nothing is installed: apt works in a root of its own under the build folder, with Debian's key of this system, and what it downloads is unpacked
with dpkg-deb. The release is this system's, the mirror DEBIAN_MIRROR or deb.debian.org.
"""
import os
import pathlib
import shutil
import subprocess
import threading

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = ("apt-get", "dpkg-deb", "dpkg-source")
APT_SECONDS = 600


class NotToBeHad(Exception):
    """What a machine needs and is not there: its row says so."""


def release():
    for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    return "stable"


class Debian:
    """Downloads of one build folder, each done once."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.updated = set()

    def need_tools(self):
        for tool in TOOLS:
            if shutil.which(tool) is None:
                raise NotToBeHad(f"{tool} is not installed")
        if not os.path.exists(KEYRING):
            raise NotToBeHad(f"{KEYRING} is not there")

    def apt(self, architecture, directory, *arguments):
        """apt-get for one architecture, in its own root, started in `directory`."""
        root = self.folder / "apt" / architecture
        for name in ("lists/partial", "archives/partial", "etc"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "status").touch()
        mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
        kind = "deb-src" if architecture == "source" else "deb"
        (root / "etc/sources.list").write_text(f"{kind} [signed-by={KEYRING}] {mirror} {release()} main\n", encoding="utf-8")
        settings = {
            "Dir::State": root, "Dir::State::status": root / "status", "Dir::State::lists": root / "lists", "Dir::Cache": root,
            "Dir::Cache::archives": root / "archives", "Dir::Etc::sourcelist": root / "etc/sources.list", "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null", "Dir::Etc::preferencesparts": "/dev/null", "APT::Sandbox::User": "root",
            "Acquire::Languages": "none", "Acquire::Retries": 2,
        }
        if architecture != "source":
            settings |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
        command = ["apt-get", "-q"]
        for name, value in settings.items():
            command += ["-o", f"{name}={value}"]
        said = subprocess.run(command + list(arguments), cwd=directory, capture_output=True, text=True, timeout=APT_SECONDS, check=False)
        if said.returncode != 0:
            lines = [line for line in said.stderr.splitlines() if line.startswith("E:")] or said.stderr.splitlines() or ["?"]
            raise NotToBeHad(f"Debian's {architecture} packages: {lines[0].removeprefix('E: ')}")

    def update(self, architecture):
        if architecture not in self.updated:
            self.apt(architecture, self.folder, "update")
            self.updated.add(architecture)

    def sysroot(self, architecture, packages):
        """The folder with these packages of this architecture unpacked."""
        root = self.folder / "sysroot" / architecture
        marks = root / ".packages"
        with self.lock:
            missing = [name for name in packages if not (marks / name).exists()]
            if not missing:
                return root
            self.need_tools()
            downloads = self.folder / "packages" / architecture
            downloads.mkdir(parents=True, exist_ok=True)
            marks.mkdir(parents=True, exist_ok=True)
            self.update(architecture)
            self.apt(architecture, downloads, "download", *missing)
            for name in missing:
                for file in downloads.glob(f"{name}_*.deb"):
                    subprocess.run(["dpkg-deb", "-x", file, root], check=True)
                    (marks / name).write_text(file.name + "\n", encoding="utf-8")
            return root

    def source(self, name):
        """The folder of a source package, unpacked and patched as Debian has it."""
        folder = self.folder / "source" / name
        with self.lock:
            if folder.exists():
                return folder
            self.need_tools()
            downloads = self.folder / "packages" / "source"
            downloads.mkdir(parents=True, exist_ok=True)
            self.update("source")
            self.apt("source", downloads, "source", "--download-only", name)
            found = sorted(downloads.glob(f"{name}_*.dsc"))
            if not found:
                raise NotToBeHad(f"Debian's source package {name} was not downloaded")
            folder.parent.mkdir(parents=True, exist_ok=True)
            partial = folder.with_name(name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            subprocess.run(["dpkg-source", "--no-check", "-x", found[-1], partial], check=True, capture_output=True)
            partial.rename(folder)
            return folder

    def sodium(self):
        """Of libsodium's source package: (files, include folders, defines)."""
        folder = self.source("libsodium")
        with self.lock:
            return sodium_sources(folder)

    def zstd(self):
        """Of zstd's source package, what unpacks: (files, include folders, defines)."""
        inside = self.source("libzstd") / "lib"
        files = [*sorted((inside / "common").glob("*.c")), *sorted((inside / "decompress").glob("*.c"))]
        return files, [inside], ["-DZSTD_DISABLE_ASM=1"]


def sodium_sources(folder):
    """libsodium's portable C, with the one header that its configure script would write: (files, include folders, defines)."""
    inside = folder / "src" / "libsodium"
    version = inside / "include" / "sodium" / "version.h"
    if not version.exists():
        text = (inside / "include" / "sodium" / "version.h.in").read_text(encoding="utf-8")
        for name, value in (("VERSION", "1.0.18"), ("SODIUM_LIBRARY_VERSION_MAJOR", "10"), ("SODIUM_LIBRARY_VERSION_MINOR", "3"),
                            ("SODIUM_LIBRARY_MINIMAL_DEF", "")):
            text = text.replace(f"@{name}@", value)
        version.write_text(text, encoding="utf-8")
    files = sorted(inside.rglob("*.c"))
    return files, [inside / "include", inside / "include" / "sodium"], ["-DCONFIGURED=1", "-DNATIVE_LITTLE_ENDIAN=1"]
