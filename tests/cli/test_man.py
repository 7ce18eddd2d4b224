#!/usr/bin/env python3
"""The manual pages say what the programs say: every flag of every --help, every command, every key of a configuration with its range and
what holds without it, and no flag that is not there. Both lists come from the programs.

Usage: test_man.py TICKPROOF TICKPROOFD CONFIGKEYS FOLDER_OF_PAGES
"""
import re
import shutil
import subprocess
import sys

tickproof, tickproofd, configkeys, folder = sys.argv[1:5]
wrong = []


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def flags_of_help(text):
    """--flag and -x where a help text names one: not inside a word, and not in what another program is told to do."""
    own = re.sub(r"'tickproof [^']*'", "", text)
    return set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z])(?![\w])", own))


def read_page(name):
    with open(f"{folder}/{name}", encoding="ascii") as file:
        return file.read()


def sections_of(page):
    """Text by the title of its .Sh or .Ss."""
    parts = re.split(r"^\.S[hs] (.*)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def documented_flags(text):
    """What stands behind Fl at the head of an item: in "Fl o , -output Ar F" both -o and --output."""
    found = set()
    for head in re.findall(r"^\.It (Fl .*)$", text, flags=re.MULTILINE):
        is_flag = False
        for word in head.split():
            if re.fullmatch(r"[A-Z][a-z]", word):
                is_flag = word == "Fl"
            elif is_flag and word != ",":
                found.add("-" + word)
    return found


def items_of(text):
    """Plain text of each item of a list, by the key in its head. Macros, quotes and line breaks go."""
    parts = re.split(r"^\.It Cm (\S+).*$", text, flags=re.MULTILINE)
    plain = []
    for body in parts[2::2]:
        body = re.sub(r"^\.(Cm|Pq|Ql|Li|Qq|Pa|Sx|Ar)\s+", "", body, flags=re.MULTILINE)
        plain.append(" ".join(re.sub(r" ([.,;:])$", r"\1", body, flags=re.MULTILINE).split()))
    return dict(zip(parts[1::2], plain))


def compare_flags(where, said, documented):
    for flag in sorted(said - documented):
        wrong.append(f"{where}: {flag} is in --help and not in the page")
    for flag in sorted(documented - said):
        wrong.append(f"{where}: {flag} is in the page and not in --help")


def check_server(page):
    compare_flags("tickproofd.8", flags_of_help(output(tickproofd, "--help")) - {"-"}, documented_flags(page))


def check_commands(page):
    sections = sections_of(page)
    listed = output(tickproof, "--help").split("Exit codes")[0]
    commands = re.findall(r"^  ([a-z]+) ", listed, flags=re.MULTILINE)
    if len(commands) < 9:
        wrong.append(f"tickproof --help: only these commands were found in it: {commands}")
    for command in commands:
        if command not in sections:
            wrong.append(f"tickproof.1: the command {command} is missing")
            continue
        said = flags_of_help(output(tickproof, command, "--help")) - {"--help"}
        compare_flags(f"tickproof.1, {command}", said, documented_flags(sections[command]))


def check_keys(page):
    titles = {"server": "Server", "record": "Recording a room", "limits": "Limits", "recorded": "Recorded rooms", "live": "Live rooms", "http": "HTTP"}
    sections = sections_of(page)
    known = {place: set() for place in titles}
    for line in output(configkeys).splitlines():
        place, name, kind, values, standard, _ = line.split("\t")
        known[place].add(name)
        item = items_of(sections[titles[place]]).get(name)
        where = f"tickproofd.8, {titles[place]}, {name}"
        if item is None:
            wrong.append(f"{where}: the key is missing")
            continue
        if name == "source" and place not in item:
            wrong.append(f"{where}: '{place}' is missing")
        elif kind == "choice" and name != "source":
            wrong.extend(f"{where}: the choice {word} is missing" for word in values.split() if not re.search(rf"\b{word}\b", item))
        elif kind in ("number", "name") and not values.endswith("or more") and values not in item:
            wrong.append(f"{where}: '{values}' is missing")
        if place == "live" and name == "name":
            standard = "Required"
        if standard not in item:
            wrong.append(f"{where}: '{standard}' is missing")
    for place, names in known.items():
        for name in sorted(set(items_of(sections[titles[place]])) - names):
            wrong.append(f"tickproofd.8, {titles[place]}: there is no key {name}")


def check_help_of_keys(keys):
    """--help lists what --live takes, and says what the limits usually are."""
    text = output(tickproofd, "--help")
    for line in keys.splitlines():
        place, name, _, _, standard, is_of_flag = line.split("\t")
        if place == "limits" and f"({standard})" not in text:
            wrong.append(f"tickproofd --help: the usual {name} is {standard}")
        if place == "live" and is_of_flag == "flag" and name not in text:
            wrong.append(f"tickproofd --help: --live: the key {name} is missing")


def lint(name):
    path = f"{folder}/{name}"
    if shutil.which("mandoc"):
        found = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True)
        wrong.extend(found.stdout.splitlines() + found.stderr.splitlines())
    if shutil.which("groff"):
        found = subprocess.run(["groff", "-mandoc", "-ww", "-z", path], capture_output=True, text=True)
        wrong.extend(found.stderr.splitlines())


check_server(read_page("tickproofd.8"))
check_commands(read_page("tickproof.1"))
check_keys(read_page("tickproofd.8"))
check_help_of_keys(output(configkeys))
for page_name in ("tickproof.1", "tickproofd.8"):
    lint(page_name)
for text in wrong:
    print(text)
sys.exit(1 if wrong else 0)
