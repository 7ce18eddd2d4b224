"""The whole `tickproof` for another architecture, by meson, with its libraries and its libc in a sysroot, to be run under qemu-user."""
import pathlib
import shutil
import subprocess

import machines_build
import machines_list
from machines_debian import NotToBeHad

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ("libsodium-dev", "libsodium23", "libzstd-dev", "libzstd1", "libuv1-dev", "libuv1", "libcjson-dev", "libcjson1", "libxxhash-dev", "libc6", "libgcc-s1")
FAMILIES = {"i386": ("x86", "little"), "aarch64": ("aarch64", "little"), "armhf": ("arm", "little"), "s390x": ("s390x", "big")}
BUILD_SECONDS = 3600

CROSS = """[binaries]
c = '{compiler}'
ar = '{prefix}-ar'
strip = '{prefix}-strip'
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
[built-in options]
c_args = ['-idirafter', '{sysroot}/usr/include']
c_link_args = ['-L{libraries}', '-Wl,-rpath-link={libraries}', '-Wl,-rpath-link={sysroot}/lib/{triplet}']
[properties]
sys_root = '{sysroot}'
pkg_config_libdir = '{libraries}/pkgconfig:{sysroot}/usr/share/pkgconfig'
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""


def build(folder, debian, name, jobs):
    """Leaves FOLDER/NAME/tickproof; returns the command that runs it, as a list."""
    machine = machines_list.find(name)
    if machine is None or name not in FAMILIES:
        raise NotToBeHad(f"Debian has no packages of its libraries; there are {', '.join(FAMILIES)}")
    compiler = machines_list.find_tool(machine.compiler)
    qemu = machines_list.find_tool(machine.runner[0])
    for tool in ("meson", "ninja", "pkg-config"):
        machines_list.find_tool(tool)
    sysroot = debian.sysroot(machine.debian, PACKAGES)
    family, endian = FAMILIES[name]
    cross = folder / f"cross-{name}.txt"
    text = CROSS.format(compiler=compiler, prefix=pathlib.Path(compiler).name.removesuffix("-gcc"), sysroot=sysroot, triplet=machine.triplet,
                        libraries=sysroot / "usr/lib" / machine.triplet, family=family, endian=endian)
    is_new = not cross.exists() or cross.read_text(encoding="utf-8") != text
    cross.write_text(text, encoding="utf-8")
    target = folder / f"meson-{name}"
    if is_new or not (target / "build.ninja").exists():
        shutil.rmtree(target, ignore_errors=True)
        run(["meson", "setup", target, ROOT, "--cross-file", cross, "-Dtests=false"], folder)
    run(["ninja", "-C", target, f"-j{jobs}", "src/cli/tickproof"], folder)
    program = folder / name / "tickproof"
    program.parent.mkdir(exist_ok=True)
    program.unlink(missing_ok=True)  # it may be running
    shutil.copy2(target / "src/cli/tickproof", program)
    command = [qemu, "-L", str(sysroot), str(program)]
    run([*command, "worlds"], folder)
    return command


def run(command, folder):
    said = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=BUILD_SECONDS, check=False)
    if said.returncode != 0:
        lines = (said.stdout + said.stderr).strip().splitlines()
        wrong = [line for line in lines if "error" in line.lower() or "undefined reference" in line] or lines[-12:]
        raise machines_build.Broken(f"{' '.join(str(word) for word in command[:3])} ...: exit {said.returncode}\n" + "\n".join(wrong[:12]))
