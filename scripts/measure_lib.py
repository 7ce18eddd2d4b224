"""What the measurements share: servers, bots, verdicts of logs, tables. Everything that is started is ended by its own process id."""
import contextlib
import json
import os
import pathlib
import queue
import re
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

COMPLAINTS_MAX = 40
START_SECONDS = 30  # for a server to listen
STOP_SECONDS = 60   # for a program to leave
VERIFIED = 0
KEY = "a-key-to-measure-with"  # of a server's administrators


class Broken(Exception):
    """A measurement that cannot go on: a program that does not start, or does not end."""


class Programs:
    def __init__(self, folder):
        self.tickproof = str(folder / "tickproof")
        self.tickproofd = str(folder / "tickproofd")

    def are_there(self):
        return os.access(self.tickproof, os.X_OK) and os.access(self.tickproofd, os.X_OK)


@contextlib.contextmanager
def work_folder(keep):
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="tickproof-measure-") as name:
            yield pathlib.Path(name)
    else:
        folder = pathlib.Path(keep)
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise SystemExit(f"measure: {keep}: the folder is not empty")
        yield folder


def machine():
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"machine: {os.uname().sysname} {os.uname().release}, {os.cpu_count()} cores, load {load}"


def write_key(path):
    """A key file, which nobody else may read."""
    path.touch(mode=0o600)
    path.write_text(KEY + "\n")
    return path


def raise_file_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# Programs that run.


class Child:
    """A program with its output in files. ended() takes what it used: CPU seconds and most memory in KiB."""

    def __init__(self, command, out, err):
        self.command = command
        self.out, self.err = out, err
        self.code = self.cpu_seconds = self.memory_kib = None
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file)
        self.pid = self.process.pid

    def _wait(self, flags):
        if self.code is not None:
            return True
        pid, status, usage = os.wait4(self.pid, flags)
        if pid == 0:
            return False
        self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.memory_kib = usage.ru_maxrss
        return True

    def has_ended(self):
        return self._wait(os.WNOHANG)

    def signal(self, number):
        if not self.has_ended():
            os.kill(self.pid, number)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while not self.has_ended():
            if time.monotonic() > end:
                self.kill()
                raise Broken(f"{' '.join(self.command[:4])} ...: did not end within {seconds:.0f} s")
            time.sleep(0.02)
        return self.code

    def kill(self):
        self.signal(signal.SIGKILL)
        self._wait(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def json_lines(path):
    """Whole lines only: what a killed program was writing when it was killed is left out."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.endswith("\n") and line.startswith("{")]


class Tail:
    """A file of JSON lines that grows: read() gives the whole lines that are new since the last time."""

    def __init__(self, path):
        self.path, self._offset, self._rest = path, 0, b""

    def read(self):
        with open(self.path, "rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines if line.startswith(b"{")]


def free_port():
    """A port that nobody has, for a server that is to be found at the same one again; the two above it are free for datagrams, too."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            with contextlib.ExitStack() as stack:
                for number in range(port, port + 3):
                    stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).bind(("127.0.0.1", number))
        except (OSError, OverflowError):
            continue
        return port
    raise Broken("no port is free")


class Server(Child):
    """tickproofd with its events in a file; a context manager that never leaves one behind. Logs go to `record`, or to a folder of its own."""

    def __init__(self, programs, folder, flags, record=None):
        self.folder = folder
        self.record = folder / "own" if record is None else record
        folder.mkdir(parents=True, exist_ok=True)
        command = [programs.tickproofd, "--json-log", "--format", "json", "--record", str(self.record), *flags]
        super().__init__(command, folder / "results.json", folder / "events.jsonl")

    def listening(self, kind=""):
        """HOST:PORT, once it is there; with kind "udp " that of datagrams, with "http " that of HTTP."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            is_over = self.has_ended()
            for event in self.events("server.listening"):
                if (event["address"].rpartition(" ")[0] + " ").lstrip() == kind:
                    return event["address"].rpartition(" ")[2]
            if is_over:
                break
            time.sleep(0.01)
        raise Broken(f"the server does not listen: {self.err.read_text()[-500:]}")

    def wait_for(self, kind, count, seconds):
        """Waits for so many events of a kind. False: they did not come."""
        end = time.monotonic() + seconds
        while len(self.events(kind)) < count:
            if time.monotonic() > end or self.has_ended():
                return False
            time.sleep(0.02)
        return True

    def events(self, *kinds):
        return [event for event in json_lines(self.err) if not kinds or event["event"] in kinds]

    def memory_max_kib(self):
        """The most it has ever had in memory (VmHWM)."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.M).group(1))

    def waited_for_core(self):
        """Seconds for which its threads, taken together, were ready to run and other programs had the cores. 0 where nobody counts it."""
        total_ns = 0
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total_ns += int(path.read_text().split()[1])
        return total_ns / 1e9

    def ended(self, seconds=STOP_SECONDS):
        """Waits for the end of all rooms; the results by room."""
        self.wait(seconds)
        text = self.out.read_text()
        if not text:
            raise Broken(f"the server left with code {self.code} and no results: {self.err.read_text()[-500:]}")
        return {room["room"]: room for room in json.loads(text)["rooms"]}

    def stop(self):
        self.signal(signal.SIGTERM)
        return self.ended()


def start_bots(programs, address, folder, name, *flags):
    """tickproof join with its lines in a file."""
    return Child(join_command(programs, address, *flags), folder / f"{name}.jsonl", folder / f"{name}.err")


def results_of(bots):
    return [line for line in json_lines(bots.out) if line.get("event") == "result"]


class Stamped:
    """A program whose JSON lines are stamped with this process's clock as they come."""

    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._lines = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put((time.monotonic(), json.loads(line)))

    def taken(self):
        """(seconds, line) of all lines that have come since the last time."""
        lines = []
        while not self._lines.empty():
            lines.append(self._lines.get())
        return lines

    def has_ended(self):
        return self.process.poll() is not None

    def stop(self):
        """Asks it to leave."""
        if not self.has_ended():
            self.process.send_signal(signal.SIGTERM)

    def ended(self, seconds):
        """(seconds, line) of all further lines, once it has left."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Broken(f"{' '.join(self.command[:4])} ...: did not end within {seconds:.0f} s") from None
        finally:
            self.kill()
        self._thread.join()
        return self.taken()

    def kill(self):
        self.process.kill()
        self.process.wait()


def join_command(programs, address, *flags):
    return [programs.tickproof, "join", address, "--format", "json", *map(str, flags)]


class Trace(Stamped):
    """A watching `tickproof join --trace`."""

    def __init__(self, programs, address, every, seconds, rooms=()):
        named = [part for room in rooms for part in ("--room", room)]
        super().__init__(join_command(programs, address, "--watch", "--trace", every, "--seconds", seconds, *named))


def run_tool(*command, codes=(0,)):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise Broken(f"{' '.join(str(part) for part in command[:6])} ...: exit {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def record_log(programs, path, world, players, ticks, seed):
    run_tool(programs.tickproof, "run", "--world", world, "--players", players, "--bot", "--seed", seed, "--ticks", ticks, "-o", path)


def verify(programs, *paths):
    """What `tickproof verify` says of each log, by the file's name without .tpr."""
    codes = range(9)  # all but internal
    lines = run_tool(programs.tickproof, "verify", "--format", "json", *paths, codes=codes).splitlines()
    reports = [json.loads(line) for line in lines]
    return {pathlib.Path(report["file"]).stem: report for report in reports if "file" in report}


def check_logs(reports, rooms):
    """Every room's own log verifies to the last tick that the room has stepped."""
    complaints = []
    for name, room in rooms.items():
        report = reports.get(name)
        if report is None:
            complaints.append(f"room {name}: it left no log")
        elif report["verdict"] != ("verified" if room["ticks"] > 0 else "incomplete"):  # of no tick, nothing can be checked
            complaints.append(f"room {name}: its log is {report['verdict']}: {report['message']}")
        elif report["checked"] != room["ticks"] or report["recorded"] != room["ticks"]:
            complaints.append(f"room {name}: {room['ticks']} ticks stepped, {report['recorded']} in its log, {report['checked']} checked")
        if room.get("log_error"):
            complaints.append(f"room {name}: recording failed: {room['log_error']}")
    return complaints


def check_rooms(rooms):
    return [f"room {name}: {room['verdict']}: {room['message']}" for name, room in rooms.items()
            if room["verdict"] != "verified" and not (room["source"] == "recorded" and room["verdict"] == "incomplete")]


def check_clients(lines, count):
    """So many memberships, and in each every root was equal."""
    complaints = [f"room {line['room']}, client {line['client']}: {line['verdict']}, end {line['end']}: {line['text']}"
                  for line in lines if line["verdict"] != "agreed"]
    if len(lines) != count:
        complaints.append(f"{len(lines)} memberships instead of {count}")
    complaints += [f"room {line['room']}, client {line['client']}: not one tick was confirmed" for line in lines if line["confirmed"] == 0]
    return complaints


# Numbers and tables.


def median(values):
    return statistics.median(values) if values else 0


def most(values):
    return max(values, default=0)


def ms(micros):
    return f"{micros / 1000:.2f}"


def print_table(title, rows):
    """Rows are dictionaries of the same keys. Columns are as wide as they need; the first stands to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [list(rows[0]), *[row.values() for row in rows]]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    print(title)
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
