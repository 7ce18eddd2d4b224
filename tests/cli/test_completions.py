#!/usr/bin/env python3
"""A real bash offers every command, and every flag that a command's --help names; so do fish and zsh where they are, the latter with stand-ins for
what only a line editor has. A flag that is taken out of the script is missed. What the scripts say is read in any case.

Usage: test_completions.py TICKPROOF TICKPROOFD FOLDER_OF_COMPLETIONS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

programs = {"tickproof": os.path.realpath(sys.argv[1]), "tickproofd": os.path.realpath(sys.argv[2])}
folder = sys.argv[3]
failures = []


def check(is_so, what):
    if not is_so:
        failures.append(what)


def help_of(program, *command):
    return subprocess.run([programs[program], *command, "--help"], check=True, capture_output=True, text=True).stdout


def long_flags(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"'tickproof [^']*'", "", text)))


def offered(script, program, *words):
    """What bash offers for the last word, as if it had been typed."""
    line = 'source "$1"; program=$2; shift 2; COMP_WORDS=("$program" "$@"); COMP_CWORD=$#; "_$program"; printf "%s\\n" "${COMPREPLY[@]}"'
    run = subprocess.run(["bash", "--norc", "-c", line, "bash", script, program, *words], capture_output=True, text=True, timeout=60)
    check(run.returncode == 0 and run.stderr == "", f"{script}: {words}: exit {run.returncode}: {run.stderr}")
    return set(run.stdout.split())


def missing(script, program, command):
    """Flags of a command's --help that bash does not offer."""
    return long_flags(help_of(program, *command)) - offered(script, program, *command, "--")


commands = re.findall(r"^  ([a-z]+) +\S", help_of("tickproof").split("\n\n")[1], re.MULTILINE)
check(len(commands) > 20 and "verify" in commands, f"commands: {commands}")
tickproof_bash, tickproofd_bash = f"{folder}/tickproof.bash", f"{folder}/tickproofd.bash"
check(set(commands) <= offered(tickproof_bash, "tickproof", ""), "bash: not every command is offered")
check(offered(tickproof_bash, "tickproof", "ver") == {"verify"}, "bash: 'ver' is not completed to verify alone")
check(set(commands) <= offered(tickproof_bash, "tickproof", "help", ""), "bash: not every command is offered after help")
check(offered(tickproof_bash, "tickproof", "verify", "log") == set(), "bash: something stands in the way of file names")
check(offered(tickproofd_bash, "tickproofd", "--format", "") == {"text", "json"}, "bash: --format does not offer its words")
for program, command in [("tickproof", ()), ("tickproofd", ()), *(("tickproof", (command,)) for command in commands)]:
    lost = missing(f"{folder}/{program}.bash", program, command)
    check(not lost, f"bash: {program} {' '.join(command)}: not offered: {sorted(lost)}")
    for name in (f"_{program}", f"{program}.fish"):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            text = file.read()
        if name.endswith(".fish"):
            where = f"-n '__fish_seen_subcommand_from {command[0]}' " if command else "-n __fish_use_subcommand " if program == "tickproof" else ""
            known = {"--" + flag for flag in re.findall(rf"^complete -c {program} {where}-l ([a-z-]+)", text, re.MULTILINE)}
        else:
            known = set(re.search(rf"^'{command[0] if command else ''}'\) flags='(.*)' ;;$", text, re.MULTILINE).group(1).split())
        check(long_flags(help_of(program, *command)) <= known, f"{name}: {command}: a flag is not there")
for shell, names in (("bash", ("tickproof.bash", "tickproofd.bash")), ("zsh", ("_tickproof", "_tickproofd")), ("fish", ("tickproof.fish", "tickproofd.fish"))):
    for name in names if shutil.which(shell) else ():
        run = subprocess.run([shell, "-n", f"{folder}/{name}"], capture_output=True, text=True, timeout=60)
        check(run.returncode == 0 and run.stderr == "", f"{name}: {shell} does not read it: {run.stderr}")


def offered_by_fish(program, *words):
    line = f"source {folder}/{program}.fish; complete -C '{' '.join((program, *words))}'"
    with tempfile.TemporaryDirectory() as home:
        places = {name: home for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
        run = subprocess.run(["fish", "--no-config", "-c", line], capture_output=True, text=True, timeout=60, env=dict(os.environ, **places))
    check(run.returncode == 0 and run.stderr == "", f"fish: {words}: exit {run.returncode}: {run.stderr}")
    return {row.split("\t")[0] for row in run.stdout.splitlines()}


def offered_by_zsh(program, *words):
    line = 'compadd() { shift; print -l -- "$@" }; _files() { print FILES }; complete_it() { local script=$1; shift; words=("$@"); CURRENT=$#; ' \
           'source $script }; complete_it "$@"'
    run = subprocess.run(["zsh", "-f", "-c", line, "zsh", f"{os.path.realpath(folder)}/_{program}", program, *words], capture_output=True, text=True, timeout=60)
    check(run.stderr == "", f"zsh: {words}: exit {run.returncode}: {run.stderr}")
    return set(run.stdout.split())


for shell, offered_by in (("fish", offered_by_fish), ("zsh", offered_by_zsh)):
    if shutil.which(shell) is None:
        continue
    check(set(commands) <= offered_by("tickproof", ""), f"{shell}: not every command is offered")
    check({"text", "json"} <= offered_by("tickproofd", "--format", ""), f"{shell}: --format does not offer its words")
    for program, command in [("tickproofd", ()), *(("tickproof", (command,)) for command in commands)]:
        lost = long_flags(help_of(program, *command)) - offered_by(program, *command, "--")
        check(not lost, f"{shell}: {program} {command}: not offered: {sorted(lost)}")

# The planted fault: one flag of one command less.
with tempfile.TemporaryDirectory() as scratch, open(tickproof_bash, encoding="utf-8") as file:
    planted = f"{scratch}/tickproof.bash"
    with open(planted, "w", encoding="utf-8") as out:
        out.write(re.sub(r"('verify'\) .*)--trusted-key ", r"\1", file.read()))
    check(missing(planted, "tickproof", ("verify",)) == {"--trusted-key"}, "the planted fault is not found")
for failure in failures:
    print(failure)
sys.exit(len(failures) > 0)
