#!/usr/bin/env python3
"""What tickproofd tells a service manager, who is a socket here: READY once it listens, STOPPING when it is asked to, or ends by itself; and
that an address where nobody is stops it with one line before it makes anything. The unit file is held against what the program does.

Usage: test_notify.py TICKPROOFD UNIT
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

tickproofd, unit = os.path.realpath(sys.argv[1]), sys.argv[2]
WAIT_S = 120
failures = []


def check(is_so, what):
    if not is_so:
        failures.append(what)


def manager(address):
    """A socket at the address, written as NOTIFY_SOCKET has it."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind("\0" + address[1:] if address[0] == "@" else address)
    listener.settimeout(WAIT_S)
    return listener


def told(listener):
    """One datagram as a dictionary. None when none has come in a long while."""
    try:
        return dict(line.split("=", 1) for line in listener.recv(4096).decode().splitlines())
    except TimeoutError:
        return None


def start(address, *flags):
    return subprocess.Popen([tickproofd, "--json-log", *flags], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, NOTIFY_SOCKET=address))


def port_of(child):
    for line in child.stderr:
        event = json.loads(line)
        if event["event"] == "server.listening":
            return event["port"]
    return None


def check_life(address):
    with manager(address) as listener:
        child = start(address, "--live", "arena=runner,players=2,when_empty=run", "--listen", "127.0.0.1:0", "--threads", "1")
        ready = told(listener)
        check(ready == {"READY": "1", "STATUS": "Rooms: 1, threads: 1."}, f"{address}: told first: {ready}")
        # A manager lets others come in from here on.
        with socket.create_connection(("127.0.0.1", port_of(child)), WAIT_S):
            pass
        child.send_signal(signal.SIGTERM)
        stopping, ended = told(listener), told(listener)
        check(stopping == {"STOPPING": "1", "STATUS": "Stopping: rooms finish their logs."}, f"{address}: told then: {stopping}")
        child.communicate(timeout=WAIT_S)
        # Whether the room had a tick when the signal came is the machine's affair; what is told is what the exit code says.
        verdict = {0: "verified", 5: "incomplete"}.get(child.returncode)
        check(ended == {"STOPPING": "1", "STATUS": f"All rooms ended: {verdict}."}, f"{address}: exit {child.returncode}, told at the end: {ended}")


def check_own_end(folder):
    with manager(f"{folder}/own") as listener:
        child = start(f"{folder}/own", "--live", "arena=runner,players=2,when_empty=run,ticks=5", "--listen", "127.0.0.1:0")
        check("READY" in (told(listener) or {}), "a server that ends by itself: not told READY")
        ended = told(listener)
        check(ended is not None and ended.get("STOPPING") == "1" and "verified" in ended["STATUS"], f"a server that ends by itself: told {ended}")
        child.communicate(timeout=WAIT_S)


def check_refused(folder, address, named):
    run = subprocess.run([tickproofd, "--live", "arena=runner,players=2,when_empty=run,ticks=5", "--listen", "127.0.0.1:0", "--record", f"{folder}/made"],
                         capture_output=True, text=True, timeout=WAIT_S, env=dict(os.environ, NOTIFY_SOCKET=address))
    check(run.returncode == 2 and run.stderr.count("\n") == 1 and "NOTIFY_SOCKET" in run.stderr and named in run.stderr,
          f"{address}: exit {run.returncode}, said {run.stderr!r}")
    check(not os.path.exists(f"{folder}/made"), f"{address}: a directory was made all the same")


def check_quiet(folder):
    """--check-config is nobody's server: nothing is told, whatever the address."""
    with manager(f"{folder}/quiet") as listener:
        run = subprocess.run([tickproofd, "--live", "arena=runner,players=2", "--check-config"], capture_output=True, timeout=WAIT_S,
                             env=dict(os.environ, NOTIFY_SOCKET=f"{folder}/quiet"))
        listener.setblocking(False)
        try:
            check(False, f"--check-config: told {listener.recv(4096)}")
        except BlockingIOError:
            check(run.returncode == 0, f"--check-config: exit {run.returncode}")


def check_unit():
    """Flags that the program has, the type that goes with notifying, and no watchdog, which it does not feed."""
    with open(unit, encoding="ascii") as file:
        text = file.read()
    help_text = subprocess.run([tickproofd, "--help"], check=True, capture_output=True, text=True).stdout
    for flag in re.findall(r" (--[a-z-]+)", "\n".join(re.findall(r"^Exec.*$", text, re.MULTILINE))):
        check(f"{flag} " in help_text, f"unit: {flag} is no flag")
    settings = dict(re.findall(r"^([A-Za-z]+)=(.*)$", text, re.MULTILINE))
    check(settings.get("Type") == "notify", "unit: Type")
    check("WatchdogSec" not in settings, "unit: a watchdog that nothing feeds")
    check("ExecReload" not in settings, "unit: SIGHUP ends the server, so it is no reload")
    check("@" not in text.replace("@system-service", ""), "unit: a place that was not filled in")


with tempfile.TemporaryDirectory() as folder:
    check_life(f"{folder}/notify")
    check_life(f"@tickproof-test-{os.getpid()}")
    check_own_end(folder)
    check_refused(folder, f"{folder}/nobody", "No such file")
    check_refused(folder, "notify", "absolute path")
    check_refused(folder, "@", "absolute path")
    check_refused(folder, "/" + 200 * "x", "at most 107 bytes")
    check_quiet(folder)
check_unit()
for failure in failures:
    print(failure)
sys.exit(len(failures) > 0)
