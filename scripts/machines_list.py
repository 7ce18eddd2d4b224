"""The machines: which compiler with which flags makes the program, what runs it, and where its libraries come from."""
import dataclasses
import pathlib
import platform
import shutil

from machines_debian import NotToBeHad

SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# setjmp by Emscripten's JavaScript: both halves must be told. One module for node and for the browser.
WASM_FLAGS = ("-O2", "-s", "SUPPORT_LONGJMP=emscripten")
WASM_LINKS = ("-s", "ALLOW_MEMORY_GROWTH=1", "-s", "MAXIMUM_MEMORY=2GB", "-s", "TOTAL_STACK=4MB", "-s", "MODULARIZE=1",
              "-s", "EXPORT_NAME=makeChecker", "-s", "FORCE_FILESYSTEM=1", "-s", "INVOKE_RUN=0", "-s", "EXIT_RUNTIME=1",
              "-s", "EXPORTED_RUNTIME_METHODS=FS,callMain", "-s", "ENVIRONMENT=web,node")


@dataclasses.dataclass(frozen=True)
class Machine:
    name: str
    what: str                   # for the table
    compiler: str
    flags: tuple = ("-O2",)
    links: tuple = ()
    triplet: str = ""           # Debian's name of the libraries' folder, for those of another architecture
    debian: str = ""            # Debian's architecture whose packages give the libraries
    from_source: bool = False   # the libraries are compiled here from Debian's source packages
    avx2: bool = False          # XXH3 is compiled a second time, with AVX2
    runner: tuple = ()          # what stands before the program
    tools: tuple = ()           # programs that must be there beside the compiler and the runner
    packages: tuple = ()        # Debian's packages that bring all of these
    page: str = ""              # "node" or "chromium": the program is a module that a page or script loads
    build_of: str = ""          # the machine whose program this one runs
    is_fast: bool = False       # one of --fast
    environment: tuple = ()     # NAME=VALUE

    @property
    def build(self):
        return self.build_of or self.name


def here(name, compiler, *flags, what="", links=(), is_fast=False, packages=(), environment=()):
    return Machine(name, what or f"x86-64, {compiler} {' '.join(flags)}", compiler, flags, links, avx2=True, is_fast=is_fast,
                   packages=(compiler, "libsodium-dev", "libzstd-dev", "libxxhash-dev") + packages, environment=environment)


def foreign(name, what, prefix, debian, triplet, qemu, *flags, from_source=False, is_fast=False, cross=""):
    cross = cross or debian
    return Machine(name, what, f"{prefix}-gcc", ("-O2",) + flags, ("-static",), triplet, debian, from_source, runner=(qemu,),
                   packages=(f"gcc-{prefix}", f"libc6-dev-{cross}-cross", "qemu-user-static", "libxxhash-dev"), is_fast=is_fast)


WINDOWS_HEADER = pathlib.Path(__file__).resolve().with_name("machines_windows.h")
LEAKS = "ASAN_OPTIONS=detect_leaks=1"
WASM_PACKAGES = ("emscripten", "libxxhash-dev", "dpkg-dev")

MACHINES = (
    here("gcc-O2", "gcc", "-O2", is_fast=True),
    here("gcc-O0", "gcc", "-O0"),
    here("gcc-O3", "gcc", "-O3"),
    here("gcc-native", "gcc", "-O3", "-march=native"),
    here("gcc-lto", "gcc", "-O2", "-flto", links=("-O2", "-flto")),
    here("clang-O2", "clang", "-O2"),
    here("clang-O0", "clang", "-O0"),
    here("clang-O3", "clang", "-O3"),
    here("clang-native", "clang", "-O3", "-march=native"),
    here("gcc-sanitized", "gcc", *SANITIZED, what="x86-64, gcc, address and undefined-behaviour sanitizers", links=SANITIZED, environment=(LEAKS,)),
    here("clang-sanitized", "clang", *SANITIZED, what="x86-64, clang, address and undefined-behaviour sanitizers", links=SANITIZED,
         packages=("libclang-rt-14-dev",), environment=(LEAKS,)),
    foreign("i386", "i386 (x87), gcc -O2, qemu-user", "i686-linux-gnu", "i386", "i386-linux-gnu", "qemu-i386-static", is_fast=True),
    foreign("aarch64", "aarch64, gcc -O2, qemu-user", "aarch64-linux-gnu", "arm64", "aarch64-linux-gnu", "qemu-aarch64-static"),
    foreign("armhf", "armv7 hard float, gcc -O2, qemu-user", "arm-linux-gnueabihf", "armhf", "arm-linux-gnueabihf", "qemu-arm-static"),
    foreign("riscv64", "riscv64, gcc -O2, qemu-user", "riscv64-linux-gnu", "riscv64", "riscv64-linux-gnu", "qemu-riscv64-static", from_source=True),
    foreign("s390x", "s390x (big-endian), gcc -O2, qemu-user", "s390x-linux-gnu", "s390x", "s390x-linux-gnu", "qemu-s390x-static", is_fast=True),
    Machine("wasm-node", "wasm32, emcc -O2, node", "emcc", WASM_FLAGS, WASM_FLAGS + WASM_LINKS, from_source=True, runner=("node",), page="node",
            packages=WASM_PACKAGES + ("nodejs",)),
    Machine("wasm-chromium", "wasm32, emcc -O2, headless Chromium", "emcc", WASM_FLAGS, WASM_FLAGS + WASM_LINKS, from_source=True,
            runner=("chromium|chromium-headless-shell|chromium-browser|google-chrome",), page="chromium", build_of="wasm-node",
            packages=WASM_PACKAGES + ("chromium-headless-shell",)),
    # Stacks are aligned to 16 bytes there, whatever gcc believes of its AVX registers: no second XXH3.
    Machine("windows", "x86-64 Windows, mingw-w64 gcc -O2, wine", "x86_64-w64-mingw32-gcc", ("-O2", "-D__USE_MINGW_ANSI_STDIO=1", "-DSODIUM_STATIC=1", "-include", str(WINDOWS_HEADER)),
            ("-static", "-Wl,--stack,8388608"), from_source=True, runner=("wine64|/usr/lib/wine/wine64|wine",), packages=("gcc-mingw-w64-x86-64", "wine64", "libxxhash-dev", "dpkg-dev"),
            environment=("WINEDEBUG=-all",)),
)


def find(name):
    for machine in MACHINES:
        if machine.name == name:
            return machine
    return None


def find_tool(names):
    """The path of the first of these programs that is there. `names` has them with | between."""
    for name in names.split("|"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise NotToBeHad(f"{names.split('|', maxsplit=1)[0]} is not installed")


def runner_of(machine):
    """The command before the program."""
    return [find_tool(name) for name in machine.runner]


def need(machine):
    """Raises NotToBeHad when a tool of the machine is missing."""
    if machine.avx2 and platform.machine() != "x86_64":
        raise NotToBeHad(f"this is a {platform.machine()} machine")
    find_tool(machine.compiler)
    runner_of(machine)
    for tool in machine.tools:
        find_tool(tool)
    if not pathlib.Path("/usr/include/xxhash.h").exists():
        raise NotToBeHad("xxhash.h is not installed")
