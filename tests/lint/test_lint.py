#!/usr/bin/env python3
"""What lint is there for, it finds: planted.c is built once for each kind, as an object file, as a library and stripped, and for other machines
where clang is there; each plant is found as its kind, with its symbol and level, and nothing else is. The clean twin has no findings, and
neither have the built-in worlds and the rooms below them, but for what is stated here.

Usage: test_lint.py TICKPROOF SOURCE_FOLDER FOLDER_OF_SCHEMAS ARCHIVE,ARCHIVE,... COMPILER...
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

tickproof, source, schemas, archives, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split(","), sys.argv[5:]
planted_c = os.path.join(source, "tests/lint/planted.c")
wrong = []
done = 0

# plant: (kind, level, symbols, flags). The symbol of an instruction is the function it is in.
STEP = "planted_step"
IMPORTS = {
    "libm": ("libm", "error", {"sin", "powf"}), "clock": ("clock", "error", {"clock"}), "entropy": ("entropy", "error", {"rand"}),
    "locale": ("locale", "warning", {"strtod"}), "environment": ("environment", "error", {"getenv"}), "files": ("files", "error", {"open"}),
    "network": ("network", "error", {"socket"}), "threads": ("threads", "error", {"pthread_create"}), "sort": ("sort", "warning", {"qsort"}),
    "allocation": ("allocation", "warning", {"malloc"}), "loading": ("loading", "warning", {"dlopen"}), "system": ("system", "warning", {"syscall"}),
    "ending": ("ending", "note", {"exit"}), "hash_order": ("hash-order", "warning", {"_ZSt11_Hash_bytesPKvmm"}),
}
DATA = {"state": ("state", "warning", {"planted_counter"}), "tls": ("tls", "warning", {"planted_counter"}),
        "constructor": ("constructor", "warning", {"planted_early"})}
# By the name of a machine as lint says it; flags of the compiler that the plant needs.
CODE = {
    "x86-64": {
        "fma": ("fma", "error", ["-mfma"]), "x87": ("x87", "error", []), "long_double": ("long-double", "error", []),
        "approximation": ("approximation", "error", []), "fp_mode": ("fp-mode", "error", []), "clock_instruction": ("clock", "error", []),
        "entropy_instruction": ("entropy", "error", []), "processor": ("processor", "warning", []), "system_instruction": ("system", "warning", []),
        "unread": ("unread", "warning", [])},
    "i386": {"x87": ("x87", "error", ["-mno-sse"]), "approximation": ("approximation", "error", ["-msse2"]), "clock_instruction": ("clock", "error", ["-msse2"])},
    "aarch64": {"fma": ("fma", "error", []), "approximation": ("approximation", "error", []), "fp_mode": ("fp-mode", "error", [])},
    "arm": {"fma": ("fma", "error", ["-mfpu=vfpv4", "-mfloat-abi=hard", "-march=armv7-a"])},
    "s390x": {"fma": ("fma", "error", ["-march=z10"])},
}
# A plant cannot be had alone: what else is then found is no fault of lint.
BESIDE = {"x87": {"long-double"}, "long_double": {"x87"}, "constructor": {"state"}}
# On i386 a double comes back in an x87 register, and on arm there may be no instruction for floor.
TARGETS = {"i386": ["--target=i686-linux-gnu", "-msse2"], "aarch64": ["--target=aarch64-linux-gnu"],
           "arm": ["--target=arm-linux-gnueabihf", "-march=armv7-a"], "s390x": ["--target=s390x-linux-gnu"]}


def check(is_so, text, detail=""):
    global done
    done += 1
    if not is_so:
        wrong.append(f"{text} {detail}".rstrip())


def lint(*arguments):
    ran = subprocess.run([tickproof, "lint", *arguments], capture_output=True, text=True)
    if ran.stderr:
        wrong.append(f"lint {' '.join(arguments)}: {ran.stderr}")
    return ran.returncode, ran.stdout


def results(*arguments):
    code, text = lint("--format", "json", *arguments)
    return code, [json.loads(line) for line in text.splitlines()]


def build(command, target, flags, plant):
    defined = [f"-DPLANT_{plant}"] if plant else []
    made = subprocess.run(command + ["-w", "-O2", "-ffp-contract=off", "-fno-math-errno", *flags, *defined, planted_c, "-o", target], capture_output=True, text=True)
    check(made.returncode == 0, f"{plant or 'clean'}: building {target}:", made.stderr)
    return made.returncode == 0


def expect(path, plant, kind, level, symbols):
    code, found = results(path)
    wanted = 6 if kind == "unread" else {"error": 1, "warning": 0, "note": 0}[level]
    check(code == wanted, f"{os.path.basename(path)}: exit {code} and not {wanted}")
    findings = found[0]["findings"]
    mine = [finding for finding in findings if finding["kind"] == kind and finding["level"] == level]
    names = {finding["symbol"] for finding in mine}
    check(symbols <= names if symbols else bool(mine), f"{os.path.basename(path)}: {kind} in {symbols} was not found; found:",
          [(finding["kind"], finding["symbol"]) for finding in findings])
    others = {finding["kind"] for finding in findings} - {kind} - BESIDE.get(plant, set())
    check(not others, f"{os.path.basename(path)}: also found:", others)
    if level == "warning":
        check(lint("--strict", path)[0] == 1, f"{os.path.basename(path)}: --strict does not make it an error")
    for allow in ([kind], [f"{kind}={finding['symbol']}" for finding in mine]):
        flags = [flag for item in allow for flag in ("--allow", item)]
        left = [finding for finding in results(*flags, path)[1][0]["findings"] if finding["kind"] == kind and not finding["allowed"]]
        check(not left, f"{os.path.basename(path)}: --allow {allow} leaves", left)
    return mine


def clean(path):
    code, found = results("--strict", path)
    check(code == 0 and not found[0]["findings"] and found[0]["instructions_read"], f"{os.path.basename(path)}: the clean twin has findings:", found)


def native(folder):
    plants = [(plant, *text, []) for plant, text in {**IMPORTS, **DATA}.items()]
    plants += [(plant, kind, level, set(), flags) for plant, (kind, level, flags) in CODE["x86-64"].items()] if os.uname().machine == "x86_64" else []
    for shape, flags in (("o", ["-c"]), ("so", ["-shared", "-fPIC"])):
        path = f"{folder}/clean.{shape}"
        if build(compiler, path, flags, ""):
            clean(path)
        for plant, kind, level, symbols, extra in plants:
            path = f"{folder}/{plant}.{shape}"
            if build(compiler, path, flags + extra, plant):
                for finding in expect(path, plant, kind, level, symbols):
                    check(kind in ("state", "tls", "constructor") or STEP in finding.get("place", "") or finding["symbol"].startswith("planted") or
                          finding["place"].split("+")[0] in ("drawn", "asked", "called", "flush", "garbled", "estimate", "widened"), f"{path}: the place is", finding)


def stripped(folder):
    for plant, (kind, _, _) in {**IMPORTS, **DATA}.items():
        path = f"{folder}/{plant}.stripped.so"
        subprocess.run(["strip", f"{folder}/{plant}.so", "-o", path], check=True)
        kinds = {finding["kind"] for finding in results(path)[1][0]["findings"]}
        small = plant == "state" and kinds == set() # four bytes go unseen beside the linker's own eight
        check(kind in kinds or small, f"{path}: {kind} was not found in", kinds)
    path = f"{folder}/clean.stripped.so"
    subprocess.run(["strip", f"{folder}/clean.so", "-o", path], check=True)
    clean(path)


def other_machines(folder):
    if shutil.which("clang") is None:
        print("clang is not installed: object files of other machines were not looked at")
        return
    for machine, target in TARGETS.items():
        command = ["clang", *target, "-ffreestanding", "-c"]
        for plant, (kind, level, flags) in CODE[machine].items():
            path = f"{folder}/{plant}.{machine}.o"
            if build(command, path, flags, plant):
                code, found = results(path)
                kinds = {finding["kind"] for finding in found[0]["findings"]}
                check(found[0]["machine"] == machine and kind in kinds, f"{path}: {kind} was not found in", found[0])
        path = f"{folder}/clean.{machine}.o"
        if build(command, path, [], ""):
            kinds = {finding["kind"] for finding in results(path)[1][0]["findings"]}
            check(not kinds, f"{path}: the clean twin has", kinds)
    # Imports are read of any machine, and what was not read is said.
    path = f"{folder}/libm.riscv.o"
    if build(["clang", "--target=riscv64-linux-gnu", "-ffreestanding", "-c"], path, [], "libm"):
        code, found = results(path)
        check(code == 1 and not found[0]["instructions_read"], "riscv: libm was not found", found)
    path = f"{folder}/clean.riscv.o"
    if build(["clang", "--target=riscv64-linux-gnu", "-ffreestanding", "-c"], path, [], ""):
        code, text = lint(path)
        check(code == 6 and "only symbols were looked at" in text, "riscv: it was called clean", text)


def own_rooms():
    """Warnings that the rooms below worlds may have: none of it steps. sim makes the block, core prints messages."""
    allowed = {"allocation": {"malloc", "calloc", "aligned_alloc", "realloc"}, "locale": {"snprintf", "vsnprintf"}, "files": {"fprintf", "stderr"}}
    for archive in archives:
        is_world = any(name in archive for name in ("runner", "fighter", "realm"))
        code, found = results(archive)
        check(code == 0 and found, f"{archive}: exit {code}", [(one["subject"], one["message"]) for one in found if one["exit"]])
        for one in found:
            for finding in one.get("findings", []):
                fine = finding["allowed"] or finding["level"] == "note" or (not is_world and finding["symbol"] in allowed.get(finding["kind"], ()))
                if is_world and finding["kind"] == "locale":  # describe(): text for people
                    fine = True
                check(fine, f"{one['subject']}: {finding['level']} {finding['kind']}:", finding["symbol"])


def formats(folder):
    code, text = lint("--format", "junit", f"{folder}/libm.so", f"{folder}/clean.so", f"{folder}/sort.so")
    document = xml.dom.minidom.parseString(text)
    suite = document.getElementsByTagName("testsuite")[0]
    check((suite.getAttribute("tests"), suite.getAttribute("failures")) == ("3", "1"), "junit: the counts are", suite.getAttribute("failures"))
    if shutil.which("xmllint"):
        valid = subprocess.run(["xmllint", "--noout", "--schema", f"{schemas}/junit.xsd", "-"], input=text, capture_output=True, text=True)
        check(valid.returncode == 0, "junit:", valid.stderr)
    else:
        print("xmllint is not installed: JUnit was not validated")
    code, text = lint("--format", "sarif", f"{folder}/libm.so", f"{folder}/clean.so", f"{folder}/sort.so")
    sarif = json.loads(text)
    found = {(one["ruleId"], one["level"]) for one in sarif["runs"][0]["results"]}
    check(found == {("libm", "error"), ("sort", "warning")}, "sarif: the results are", found)
    try:
        import jsonschema
        with open(f"{schemas}/sarif-2.1.0.json") as file:
            jsonschema.validate(sarif, json.load(file))
    except ImportError:
        print("python3-jsonschema is not installed: SARIF was not validated")
    code, text = lint("--format", "github", f"{folder}/libm.so", f"{folder}/clean.so", f"{folder}/sort.so")
    lines = text.splitlines()
    check([line.split(" ")[0] for line in lines] == ["::error", "::error", "::warning"], "github: the lines are", lines)


def library_names(folder):
    """Rarer names of libm, and those of its functions of several values at once; C++'s guards of static variables begin like these."""
    names = ["lgammaf_r", "lgammal_r", "casin", "catanhf", "ccosh", "exp2m1", "atan2pif", "_ZGVbN2v_sin", "_ZGVeN8vv_pow", "_ZGVnN2v_exp", "__svml_cos4"]
    others = ["_ZGVZ4stepvE5cache", "_ZGVN5World4nameE", "casing", "sinking"]
    with open(f"{folder}/names.c", "w") as file:
        file.write("".join(f"void {name}(void);\n" for name in names + others))
        file.write("void planted_step(void);\nvoid planted_step(void)\n{\n" + "".join(f"    {name}();\n" for name in names + others) + "}\n")
    subprocess.run(compiler + ["-w", "-O1", "-fno-builtin", "-c", f"{folder}/names.c", "-o", f"{folder}/names.o"], check=True)
    code, found = results(f"{folder}/names.o")
    libm = {finding["symbol"] for finding in found[0]["findings"] if finding["kind"] == "libm"}
    check(code == 1 and libm == set(names), "names of libm:", libm ^ set(names))


def many_constructors(folder):
    """More of them than are named: the rest is one finding, and what is allowed is allowed as a whole."""
    with open(f"{folder}/many.c", "w") as file:
        file.write("".join(f"__attribute__((constructor)) static void early_{i}(void) {{ __asm__ volatile(\"\"); }}\n" for i in range(300)))
    subprocess.run(compiler + ["-w", "-O1", "-shared", "-fPIC", f"{folder}/many.c", "-o", f"{folder}/many.so"], check=True)
    code, found = results(f"{folder}/many.so")
    counts = [finding["count"] for finding in found[0]["findings"] if finding["kind"] == "constructor"]
    check(code == 0 and found[0]["dropped"] == 0 and sum(counts) == 300, f"many constructors: exit {code}", counts)
    check(lint("--strict", f"{folder}/many.so")[0] == 1, "many constructors: --strict does not make them errors")
    check(lint("--strict", "--allow", "constructor", f"{folder}/many.so")[0] == 0, "many constructors: they cannot be allowed")


def many_findings(folder):
    """More than are kept: the rest is judged as if it were there. Imports come last, so the error is among what is not shown."""
    for shape, uses in (("quiet", ""), ("loud", "double sin(double);\ndouble planted_step(double x);\ndouble planted_step(double x) { return sin(x); }\n")):
        path = f"{folder}/{shape}"
        with open(f"{path}.c", "w") as file:
            file.write("".join(f"int planted_{i} = 1;\n" for i in range(5001)) + uses)
        subprocess.run(compiler + ["-w", "-O1", "-fno-builtin", "-c", f"{path}.c", "-o", f"{path}.o"], check=True)
        code, found = results(f"{path}.o")
        is_loud = shape == "loud"
        check((code, found[0]["dropped"]) == (1 if is_loud else 0, 905 + is_loud), f"many findings, {shape}: exit {code}, dropped", found[0]["dropped"])
        check(("1 error, 5001 warnings" if is_loud else "0 errors, 5001 warnings") in lint(f"{path}.o")[1], f"many findings, {shape}: the totals")
        check(lint("--strict", f"{path}.o")[0] == 1, f"many findings, {shape}: --strict")
        check(lint("--strict", "--allow", "state", f"{path}.o")[0] == int(is_loud), f"many findings, {shape}: --allow state")
        check(lint("--strict", "--allow", "state=planted_*", f"{path}.o")[0] == 1, f"many findings, {shape}: what is not shown was allowed by its name")
        check(lint("--allow", "state", "--allow", "libm", f"{path}.o")[0] == 0, f"many findings, {shape}: both allowed")
    name = "planted_" + "long" * 60
    with open(f"{folder}/long.c", "w") as file:
        file.write(f"int {name} = 1;\n")
    subprocess.run(compiler + ["-w", "-O1", "-c", f"{folder}/long.c", "-o", f"{folder}/long.o"], check=True)
    said = lint("--allow", f"state={name}", f"{folder}/long.o")[1]
    check("1 allowed" in said and "nothing to allow" not in said, "a name that was cut cannot be allowed")


def archive(folder):
    """A member's own function is no import, and damage in one member leaves the others."""
    with open(f"{folder}/own.c", "w") as file:
        file.write("double sin(double x);\ndouble sin(double x) { return x; }\n")
    subprocess.run(compiler + ["-w", "-O1", "-fno-builtin", "-c", f"{folder}/own.c", "-o", f"{folder}/own.o"], check=True)
    with open(f"{folder}/broken.o", "wb") as file:
        file.write(b"\x7fELF\x02\x01\x01" + bytes(20))
    for name, flags in (("whole.a", "rcD"), ("thin.a", "rcDT")):
        subprocess.run(["ar", flags, name, "libm.o", "own.o", "a-member-with-a-long-name.o", "broken.o"], cwd=folder, check=True)
        code, found = results(f"{folder}/{name}")
        kinds = {(one["subject"].split("(")[1], one["verdict"]): {finding["symbol"] for finding in one.get("findings", [])} for one in found}
        check(kinds == {("libm.o)", "diverged"): {"powf"}, ("own.o)", "verified"): set(), ("a-member-with-a-long-name.o)", "verified"): {"qsort"},
                        ("broken.o)", "corrupt"): set()}, f"{name}: found", kinds)
        check(code == 1, f"{name}: exit {code}")


with tempfile.TemporaryDirectory() as scratch:
    if subprocess.run([tickproof, "lint", tickproof], capture_output=True).returncode == 6:
        print("this build or machine has no disassembler: skipped")
        sys.exit(77)
    native(scratch)
    stripped(scratch)
    shutil.copy(f"{scratch}/sort.o", f"{scratch}/a-member-with-a-long-name.o")
    archive(scratch)
    library_names(scratch)
    many_constructors(scratch)
    many_findings(scratch)
    formats(scratch)
    other_machines(scratch)
    own_rooms()
for text in wrong:
    print(text)
print(f"{done} checks, {len(wrong)} wrong")
sys.exit(1 if wrong or done < 300 else 0)
