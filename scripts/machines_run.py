"""Runs the checker of a machine over logs: as a process, under an emulator, in node, or in a browser without a window."""
import contextlib
import dataclasses
import html
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

import machines_list

SCRIPTS = pathlib.Path(__file__).resolve().parent
RUN_SECONDS = 1200    # of one machine over all logs
COLUMNS = 10


@dataclasses.dataclass
class Answer:
    """What a machine said about one log."""
    verdict: str
    code: int
    checked: int
    stepped: int
    root: str
    digest: str
    seconds: float
    message: str


@dataclasses.dataclass
class Result:
    """What a machine said about all logs."""
    answers: dict       # by log
    build: str = ""     # its own words on what it is
    code: int = -1
    seconds: float = 0  # from start to end
    trouble: str = ""   # why there are fewer answers than logs, or why they are not to be trusted


def parse(lines, logs):
    """The lines of a checker. A log's path is the one that it was given."""
    result = Result({})
    for line in lines:
        words = line.rstrip("\r\n").split("\t")
        if line.startswith("# tickproof-check "):
            result.build = line.strip().partition(": ")[2]
        elif len(words) == COLUMNS and words[1] in logs:
            result.answers[words[1]] = Answer(words[2], int(words[3]), int(words[4]), int(words[5]), words[6], words[7], float(words[8]), words[9])
    return result


def is_of_answers(code, answers):
    """Whether an exit code is one of a log: a sanitizer that found a leak at the end, or a crash there, has another one."""
    return code == 0 or code in {answer.code for answer in answers.values()}


def command_of(machine, program, logs):
    asked = ["--machine", machine.name]
    if program is None:
        return [*machine.runner, *asked, *logs]
    if machine.page == "node":
        return [*machines_list.runner_of(machine), str(SCRIPTS / "machines_wasm.js"), str(program.parent), *asked, "--", *logs]
    return [*machines_list.runner_of(machine), str(program), *asked, *logs]


def end(process):
    """Ends a process and what it has started, which are in a group of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Running:
    """The processes of all threads. They are in sessions of their own, so an interrupt reaches none of them by itself."""

    def __init__(self):
        self.lock, self.processes, self.is_stopped = threading.Lock(), set(), False

    def add(self, process):
        with self.lock:
            self.processes.add(process)
            if self.is_stopped:
                end(process)

    def remove(self, process):
        with self.lock:
            self.processes.discard(process)

    def stop(self):
        """Ends what runs, and what is started from now on."""
        with self.lock:
            self.is_stopped = True
            for process in self.processes:
                end(process)


RUNNING = Running()


def run_process(command, directory, environment, timeout_seconds):
    """(standard output, standard error, exit code); the code is None when it was out of time."""
    with subprocess.Popen(command, cwd=directory, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True) as process:
        RUNNING.add(process)
        try:
            said, errors = process.communicate(timeout=timeout_seconds)
            return said, errors, process.returncode
        except subprocess.TimeoutExpired:
            end(process)
            said, errors = process.communicate()
            return said, errors, None
        finally:
            RUNNING.remove(process)


def run(machine, program, directory, logs, folder):
    """`logs` are paths from `directory`; `folder` is for what the runner wants to keep."""
    start = time.monotonic()
    if machine.page == "chromium":
        result = run_chromium(machine, program, directory, logs)
    else:
        environment = dict(item.split("=", 1) for item in machine.environment)
        if machine.name == "windows":
            environment["WINEPREFIX"] = str(folder / "wine")
        said, errors, code = run_process(command_of(machine, program, logs), directory, environment, RUN_SECONDS)
        result = parse(said.splitlines(), set(logs))
        result.code = -1 if code is None else code
        last = (errors.strip().splitlines() or ["it said nothing"])[-1]
        if code is None:
            result.trouble = f"it ran for {RUN_SECONDS} s and was ended"
        elif len(result.answers) < len(logs) or not is_of_answers(code, result.answers):
            result.trouble = f"it ended with {code}: {last}"
    result.seconds = time.monotonic() - start
    return result


class Site(http.server.ThreadingHTTPServer):
    """The page, the module and the logs on a port of loopback. Nothing else is served."""
    daemon_threads = True

    def __init__(self, machine, program, directory, logs):
        super().__init__(("127.0.0.1", 0), Handler)
        self.told = threading.Event()
        self.texts = {"/ask": json.dumps({"logs": logs, "arguments": ["--machine", machine.name]}).encode()}
        self.files = {f"/log/{log}": directory / log for log in logs}
        for path in (SCRIPTS / "machines_page.html", SCRIPTS / "machines_wasm.js", program, program.with_suffix(".wasm")):
            self.files[f"/{path.name}"] = path


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        """/wait is answered when /told was asked for: the page is not loaded before it is ready."""
        if self.path == "/told":
            self.server.told.set()
        elif self.path == "/wait":
            self.server.told.wait(RUN_SECONDS)
        body = self.server.texts.get(self.path)
        if body is None and self.path in self.server.files:
            body = self.server.files[self.path].read_bytes()
        self.send_response(404 if body is None else 200)
        kinds = {".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm"}
        self.send_header("Content-Type", kinds.get(pathlib.PurePath(self.path).suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


def run_chromium(machine, program, directory, logs):
    with Site(machine, program, directory, logs) as site, tempfile.TemporaryDirectory(prefix="tickproof-page-", ignore_cleanup_errors=True) as profile:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        # The page is dumped when it is loaded, which is when it has told that it is ready. Virtual time would do as well, but its clock stands
        # still while the page computes.
        command = [*machines_list.runner_of(machine), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   f"--user-data-dir={profile}", "--dump-dom",
                   f"http://127.0.0.1:{site.server_address[1]}/machines_page.html"]
        said, errors, code = run_process(command, directory, {"no_proxy": "127.0.0.1"}, RUN_SECONDS)
        site.told.set()
        site.shutdown()
    return read_page(said, errors, code, logs)


def read_page(said, errors, code, logs):
    found = re.search(r'<pre id="said">(.*?)</pre>', said, re.DOTALL)
    lines = html.unescape(found.group(1)).splitlines() if found else []
    result = parse(lines, set(logs))
    browser = next((line[2:] for line in lines if line.startswith("# Mozilla")), "")
    product = re.search(r"(?:Headless)?Chrome/[0-9.]+", browser)
    result.build += f", {product.group(0)}" if product else ""
    ended = next((line for line in lines if line.startswith(("# exit ", "# failed "))), None)
    if ended is not None and ended.startswith("# exit "):
        result.code = int(ended.split()[2])
    if len(result.answers) < len(logs) or result.code < 0 or not is_of_answers(result.code, result.answers):
        last = (errors.strip().splitlines() or ["it said nothing"])[-1]
        result.trouble = f"the page says: {ended}" if ended else f"no answer from the page; the browser ended with {code}: {last}"
    return result
