#!/usr/bin/env python3
"""Batches: shards merged are the whole, and what is not whole is never success; a batch that was stopped goes on where it was and ends as if it had
not been; budgets; patterns; progress; memory that does not grow with the number of logs.

Usage: test_batch.py TICKPROOF MAKESERIES HANGWORLD FOLDER_OF_LOGS [LOGS]
LOGS: that many real logs for memory and progress, instead of a few; 10000 takes minutes.
"""
import glob
import hashlib
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

tickproof, makeseries, hangworld, bundled = (os.path.abspath(argument) for argument in sys.argv[1:5])
many = int(sys.argv[5]) if len(sys.argv) > 5 else 0
FORMATS = ("text", "json", "junit", "sarif", "github")
EMPTY = {"PATH": os.environ["PATH"], "LC_ALL": "C"} | {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS") or key == "TMPDIR"}
randomness = random.Random(8)


def run(*arguments, env=None, timeout=120):
    done = subprocess.run([tickproof, *arguments], capture_output=True, check=False, env=EMPTY | (env or {}), timeout=timeout)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def without_time(output):
    return b"\n".join(line for line in output.split(b"\n") if not line.endswith(b" ticks/s") and not line.startswith(b"shard  "))


def record(path, *flags):
    code, _, text = run("run", *flags, "-o", path)
    assert code == 0, text


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make_logs():
    """Good ones, all bad ones there are, a series, and the series in which one is damaged."""
    os.makedirs("logs/deep")
    for seed in range(6):
        record(f"logs/{seed}.tpr", "--world", "runner", "--bot", "--seed", str(seed), "--ticks", str(60 * (seed + 1)))
    for path in sorted(glob.glob(f"{bundled}/bad/*.tpr")):
        shutil.copy(path, "logs/deep")
    for name, ticks in (("logs/s", "40"), ("logs/deep/t", "50")):
        subprocess.run([makeseries, name, "4", ticks], check=True)
    # Other rules, or the two series would be one family.
    data = bytearray(read("logs/deep/t.1.tpr"))
    data[len(data) // 2] ^= 1
    write("logs/deep/t.1.tpr", data)
    os.makedirs("good")
    for seed in range(5):
        shutil.copy(f"logs/{seed}.tpr", "good")
    for part in range(4):
        shutil.copy(f"logs/s.{part}.tpr", "good")


def verify_shards(count, folder, *arguments, env=None):
    os.makedirs(folder, exist_ok=True)
    return [run("verify", "--shard", f"{number}/{count}", "--report", f"{folder}/{number}.jsonl", *arguments, env=env)[0] for number in range(1, count + 1)]


def test_merged_is_whole():
    operands = ("logs", "missing.tpr", "logs/0.tpr")
    whole = {form: run("verify", "--format", form, *operands) for form in FORMATS}
    assert whole["json"][0] not in (0, 2) and whole["json"][1].count(b"\n") > 30
    verdicts = {json.loads(line)["verdict"] for line in whole["json"][1].splitlines()}
    assert len(verdicts) >= 6, verdicts
    for count in (1, 2, 3, 4):
        codes = verify_shards(count, f"shards{count}", *operands)
        assert max(codes) > 0
        for form in FORMATS:
            code, output, _ = run("merge", "--format", form, f"shards{count}")
            assert code == whole[form][0], (count, form, code)
            assert without_time(output) == without_time(whole[form][1]), (count, form)
        quiet = run("merge", "-q", f"shards{count}")
        assert quiet[1] == run("verify", "-q", *operands)[1]
        lines = [[json.loads(line) for line in read(path).splitlines()[1:-1]] for path in sorted(glob.glob(f"shards{count}/*"))]
        assert sorted(line["index"] for part in lines for line in part) == list(range(whole["json"][1].count(b"\n")))
        # A series stays together, so its parts have one another.
        homes = [{part for part, found in enumerate(lines) for line in found if re.search(pattern, line["path"])} for pattern in (r"logs/s\.", r"deep/t\.")]
        assert all(len(home) == 1 for home in homes), homes
    code, output, _ = run("merge", "shards4/3.jsonl", "shards4/1.jsonl", "shards4/4.jsonl", "shards4/2.jsonl")
    assert code == whole["text"][0] and without_time(output) == without_time(whole["text"][1])
    # More shards than logs: some have nothing to do, and that is no failure, but no whole either.
    assert set(verify_shards(7, "shards7", "good/0.tpr", "good/1.tpr")) == {0}
    assert run("merge", "shards7")[0] == 0
    # What stood for nothing is not forgotten.
    assert run("verify", "good", "none*.tpr")[0] == 2
    assert verify_shards(2, "shards-none", "good", "none*.tpr") == [2, 2] and run("merge", "shards-none")[0] == 2


def members_of(name):
    """Names of a struct's members, from the header."""
    header = read(f"{bundled}/../include/tickproof/verify.h").decode()
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), header, re.DOTALL)[1]
    plain = re.sub(r"//[^\n]*", "", body)
    return [re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*$", part)[1] for line in plain.split(";") if line.strip() for part in line.split(",")]


def test_no_member_is_forgotten():
    """A shard's report has all that a report has."""
    assert run("verify", "--prove=1", "--report", "all.jsonl", "good/0.tpr")[0] == 0
    line = json.loads(read("all.jsonl").splitlines()[1])
    assert len(members_of("tp_report")) > 40
    assert set(line["report"]) == set(members_of("tp_report")) and set(line["proof"]) == set(members_of("tp_proof"))


def merged(folder, files):
    """Reports of these bytes, merged: the code. Nothing may be printed but the reason when it is not success."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, data in files.items():
        write(f"{folder}/{name}.jsonl", data)
    code, output, text = run("merge", "--format", "json", folder)
    assert (code == 0) == (output != b""), (code, output)
    assert (code == 0) == (text == "") and all(line.startswith("tickproof: ") for line in text.splitlines()), text
    return code


def sealed(lines):
    """A report of these lines with its counts as they are and its hash redone: a forger's."""
    body = b"".join(line + b"\n" for line in lines)
    body = body[:body.rindex(b',"hash":"')]
    return body + b',"hash":"' + hashlib.blake2b(body, digest_size=32).hexdigest().encode() + b'"}\n'


def test_planted_in_reports():
    whole = {str(number): read(f"planted/{number}.jsonl") for number in (1, 2, 3)}
    assert merged("m", whole) == 0
    for number in whole:
        rest = {key: data for key, data in whole.items() if key != number}
        assert merged("m", rest) == 5
        assert merged("m", rest | {"again": rest[min(rest)]}) == 2
        assert merged("m", whole | {"again": whole[number]}) == 2
        assert merged("m", whole | {number: b""}) == 4
        size = len(whole[number])
        for cut in {1, 5, 25, size - 1, size - 2, *(at + 1 for at in range(size - 1) if whole[number][at:at + 1] == b"\n"), *randomness.sample(range(size), 12)} - {0}:
            assert merged("m", whole | {number: whole[number][:cut]}) == 4, (number, cut)
        for at in randomness.sample(range(size), 25):
            data = bytearray(whole[number])
            data[at] ^= 1 << randomness.randrange(8)
            assert merged("m", whole | {number: bytes(data)}) != 0, (number, at)
        assert merged("m", whole | {number: whole[number] + b"\n"}) == 3
        assert merged("m", whole | {number: whole[number] * 2}) == 3
    # By a forger, who redoes the hash: counts, list and shards still say that something is missing.
    lines = whole["1"].splitlines()
    assert merged("m", whole | {"1": sealed(lines)}) == 0
    assert merged("m", whole | {"1": sealed(lines[:1] + lines[2:])}) == 3
    assert merged("m", whole | {"1": sealed(lines[:2] + lines[1:])}) == 3
    end = json.loads(lines[-1])
    gone = json.loads(lines[1])["report"]
    end |= {"files": end["files"] - 1, "verified": end["verified"] - 1} | {key: end[key] - gone[key] for key in ("checked", "recorded", "stepped")}
    short = sealed(lines[:1] + lines[2:-1] + [json.dumps(end, separators=(",", ":")).encode()])
    assert merged("m", whole | {"1": short}) == 5
    renamed = sealed([line.replace(b'"path":"good/', b'"path":"poor/') for line in lines])
    assert merged("m", whole | {"1": renamed}) == 3
    assert merged("m", whole | {"1": sealed([lines[0]] + [line.replace(b'"checked":', b'"checked":1', 1) for line in lines[1:-1]] + lines[-1:])}) == 3
    assert merged("m", whole | {"1": sealed([lines[0].replace(b'"shard":1', b'"shard":2')] + lines[1:])}) == 2
    assert merged("m", whole | {"1": sealed([lines[0].replace(b'"shards":3', b'"shards":2')] + lines[1:])}) == 2
    assert merged("m", {"1": sealed([lines[0].replace(b'"shards":3', b'"shards":1')] + lines[1:])}) in (3, 5)
    assert merged("m", whole | {"1": sealed([lines[0].replace(b'_report":1', b'_report":2')] + lines[1:])}) == 6
    huge = {key: sealed([re.sub(rb'"files":\d+', b'"files":16000000', data.splitlines()[0])] + data.splitlines()[1:]) for key, data in whole.items()}
    assert merged("m", huge) == 5


def test_foreign_reports():
    whole = {str(number): read(f"planted/{number}.jsonl") for number in (1, 2, 3)}
    shutil.copytree("good", "more")
    shutil.copy("logs/5.tpr", "more/9.tpr")
    listed = sorted(glob.glob("good/*.tpr"))
    shutil.copytree("good", "kept")
    asked = {"list": ["more"], "order": listed[1:] + listed[:1], "range": ["--from", "3", "good"], "proof": ["--prove=1", "good"],
             "world": ["--world", hangworld, "good"]}
    for name, arguments in asked.items():
        run("verify", "--shard", "2/3", "--report", f"{name}.jsonl", *arguments)
        assert merged("m", whole | {"2": read(f"{name}.jsonl")}) == 2, name
    with open("good/1.tpr", "ab") as file: # the list has sizes: a log that grew between two shards
        file.write(b"x")
    run("verify", "--shard", "2/3", "--report", "size.jsonl", "good")
    assert merged("m", whole | {"2": read("size.jsonl")}) == 2
    shutil.rmtree("good")
    os.rename("kept", "good")
    # The same question again is no other one, with however many processes.
    assert run("verify", "-j", "3", "--format", "json", "--shard", "2/3", "--report", "same.jsonl", "good")[0] == 0
    assert merged("m", whole | {"2": read("same.jsonl")}) == 0
    # No reports at all.
    for operand in ("good/0.tpr", "nothing.jsonl", "good", "/dev/null", "no*.jsonl"):
        code, output, text = run("merge", operand)
        assert code == 2 and output == b"" and text.count("\n") == 1, (operand, code, text)
    # A killed shard leaves no report of an earlier run behind.
    before = read("good/0.tpr")
    assert run("verify", "--report", "good/0.tpr", "good")[0] == 2 and read("good/0.tpr") == before
    shutil.copy("same.jsonl", "stale.jsonl")
    child = subprocess.Popen([tickproof, "verify", "--shard", "2/3", "--report", "stale.jsonl", "--world", hangworld, "--step-timeout", "0", "hang.tpr", "good"],
                             stdout=subprocess.DEVNULL, env=EMPTY | {"HANGWORLD": "hang"})
    wait_until(lambda: os.path.getsize("stale.jsonl") < os.path.getsize("same.jsonl"))
    child.kill()
    child.wait()
    assert run("merge", "planted/1.jsonl", "stale.jsonl", "planted/3.jsonl")[0] in (2, 4)


def wait_until(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it never came to that")


def test_budget():
    hanging = ("--world", hangworld, "--step-timeout", "0", "-j", "1", "--budget", "1", "hang.tpr", "good")
    begin = time.monotonic()
    code, output, _ = run("verify", "--format", "json", *hanging, env={"HANGWORLD": "hang"})
    reports = [json.loads(line) for line in output.splitlines()]
    assert code == 5 and time.monotonic() - begin < 60
    assert all(report["verdict"] == "incomplete" and "budget of 1 s" in report["message"] for report in reports if report["verdict"] != "verified"), reports
    (hung,) = (report for report in reports if report["file"] == "hang.tpr")
    assert hung["verdict"] == "incomplete" and len(reports) == 10
    # As part of a shared batch, too, and the report is whole: it says what is missing.
    assert 5 in verify_shards(2, "spent", *hanging, env={"HANGWORLD": "hang"})
    assert run("merge", "spent")[0] == 5
    # A world that crashed before is not excused, and one that ends in time is success.
    assert run("verify", "--world", hangworld, "--budget", "60", "hang.tpr", "good", env={"HANGWORLD": "crash"})[0] == 70
    assert run("verify", "--world", hangworld, "--budget", "100", "hang.tpr", "good")[0] == 0
    for wrong in ("0", "-1", "1.5", "x", "31536001"):
        assert run("verify", "--budget", wrong, "good")[0] == 2


def test_interrupted():
    """An interrupt leaves a whole report, which says what was not reached; merged it is no success either."""
    write("often", b"".join(b"good/%d.tpr\n" % (number % 5) for number in range(300)))
    for _ in range(20):
        child = subprocess.Popen([tickproof, "verify", "-j", "1", "--shard", "1/1", "--report", "cut.jsonl", "--format", "json", "@often"],
                                 stdout=subprocess.PIPE, env=EMPTY)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
        code = child.wait()
        assert run("merge", "cut.jsonl")[0] == code
        if code != 0:
            break
    reports = [json.loads(line) for line in rest.splitlines()]
    assert code == 5 and len(reports) == 299 and reports[-1]["verdict"] == "incomplete" and "interrupted" in reports[-1]["message"], (code, reports[-1])


def resumed(arguments, journal="journal", form="json"):
    return run("verify", "--resume", journal, "--format", form, *arguments)


def entries(journal="journal"):
    return max(0, read(journal).count(b"\n") - 1) if os.path.exists(journal) else 0


def test_killed_and_resumed():
    """Killed again and again at any moment: the journal never holds what is not so, and the end is that of one run."""
    whole = run("verify", "--format", "json", "logs")
    kills = 0
    for round_number in range(4):
        if os.path.exists("journal"):
            os.remove("journal")
        for _ in range(40):
            before = entries()
            child = subprocess.Popen([tickproof, "verify", "--resume", "journal", "--format", "json", "-j", "2", "logs"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, env=EMPTY)
            target = before + randomness.randrange(1, 12)
            while child.poll() is None and entries() < target:
                time.sleep(0.001)
            if child.poll() is not None:
                break
            child.kill()
            child.wait()
            kills += 1
        assert resumed(["logs"])[:2] == whole[:2], round_number
    assert kills > 4, kills
    code, output, _ = resumed(["logs"], form="text")
    assert code == whole[0] and without_time(output) == without_time(run("verify", "logs")[1])
    assert int(re.search(rb"(\d+) of the files done before", output)[1]) > 20
    # An interrupt, and a budget, leave a journal as well.
    os.remove("journal")
    child = subprocess.Popen([tickproof, "verify", "--resume", "journal", "-j", "1", "logs"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=EMPTY)
    wait_until(lambda: entries() > 2 or child.poll() is not None)
    child.send_signal(signal.SIGINT)
    child.wait()
    assert resumed(["logs"])[:2] == whole[:2]
    # Shards and journals go together.
    for number in (1, 2):
        assert run("verify", "--shard", f"{number}/2", "--resume", "journal", "--report", f"r{number}.jsonl", "logs")[0] != 0
    assert run("merge", "--format", "json", "r1.jsonl", "r2.jsonl")[:2] == whole[:2]
    # Fail-fast comes to the same with and without: what is known to fail fails.
    code, output, _ = run("verify", "--fail-fast", "-j", "1", "--format", "json", "logs/deep", "good")
    assert resumed(["--fail-fast", "-j", "1", "logs/deep", "good"])[:2] == (code, output)


def test_changed_since():
    """Whatever changes is verified again, also with the size and time that it had."""
    if os.path.exists("journal"):
        os.remove("journal")
    assert resumed(["good"])[0] == 0 and entries() == 9
    status = os.stat("good/2.tpr")
    data = read("good/2.tpr")
    write("good/2.tpr", data[:3000] + bytes([data[3000] ^ 4]) + data[3001:])
    os.utime("good/2.tpr", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat("good/2.tpr").st_mtime_ns == status.st_mtime_ns
    code, output, _ = resumed(["good"])
    assert code == 3 and output.count(b'"verified"') == 8
    write("good/2.tpr", data)
    assert resumed(["good"])[0] == 0
    # A part of a series without the one before it is not what it was with it.
    assert resumed(["good/s.2.tpr", "good/s.1.tpr", "good/s.0.tpr"])[0] == 0
    code, output, _ = resumed(["good/s.1.tpr", "good/s.2.tpr"])
    assert code == 5 and output == run("verify", "--format", "json", "good/s.1.tpr", "good/s.2.tpr")[1]
    # And one whose predecessor is another now.
    status = os.stat("good/s.0.tpr")
    data = read("good/s.0.tpr")
    write("good/s.0.tpr", data[:2000] + bytes([data[2000] ^ 4]) + data[2001:])
    os.utime("good/s.0.tpr", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert resumed(["good"])[:2] == run("verify", "--format", "json", "good")[:2]
    assert resumed(["good"])[0] != 0
    write("good/s.0.tpr", data)


def test_planted_in_journals():
    if os.path.exists("journal"):
        os.remove("journal")
    whole = resumed(["logs"])
    journal = read("journal")
    head = journal.index(b"\n") + 1
    assert journal.count(b"\n") > 20
    for at in [head - 1, *randomness.sample(range(head, len(journal)), 20)]:
        data = bytearray(journal)
        data[at] ^= 1 << randomness.randrange(8)
        write("journal", data)
        code, output, _ = resumed(["logs"])
        assert (code, output) == whole[:2] or (at < head and code == 2), at
        assert at >= head or code == 2
    for cut in [0, 10, *randomness.sample(range(head, len(journal)), 12)]:
        write("journal", journal[:cut])
        assert resumed(["logs"])[:2] == whole[:2], cut
        assert resumed(["logs"])[:2] == whole[:2], cut
    # What somebody writes into it by hand is not taken.
    write("journal", journal.replace(b'"report":{"verdict":1,', b'"report":{"verdict":0,').replace(b'"report":{"verdict":3,', b'"report":{"verdict":0,'))
    assert read("journal") != journal and resumed(["logs"])[:2] == whole[:2]
    write("journal", journal)
    # Another question, another file, two at once.
    for flags in (["--from", "1"], ["--prove=1"], ["--world", hangworld]):
        code, output, text = resumed([*flags, "logs"])
        assert code == 2 and output == b"" and "other flags" in text
    for path in ("good/0.tpr", "planted/1.jsonl"):
        before = read(path)
        assert resumed(["good"], path)[0] == 2 and read(path) == before
    assert read("journal") == journal
    code, output, text = resumed(["good"], "/dev/null")
    assert code == 2 and output == b""
    child = subprocess.Popen([tickproof, "verify", "--resume", "lock", "--world", hangworld, "--step-timeout", "0", "hang.tpr"], stdout=subprocess.DEVNULL,
                             env=EMPTY | {"HANGWORLD": "hang"})
    wait_until(lambda: os.path.exists("lock") and os.path.getsize("lock") > 0)
    code, _, text = run("verify", "--resume", "lock", "--world", hangworld, "hang.tpr")
    assert code == 2 and "another batch" in text
    child.kill()
    child.wait()
    for flags in (["--follow"], ["--world-cmd", "true"], ["--report", "journal"]):
        assert resumed([*flags, "good"])[0] == 2
    # What says nothing for good is not kept: an interrupted, crashed or stopped log, one that is not there.
    assert run("verify", "--resume", "crash", "--world", hangworld, "hang.tpr", "missing.tpr", env={"HANGWORLD": "crash"})[0] == 70
    assert entries("crash") == 0
    assert run("verify", "--resume", "crash", "--world", hangworld, "hang.tpr")[0] == 0 and entries("crash") == 1


def test_patterns():
    os.makedirs("odd/x*y")
    shutil.copy("good/0.tpr", "odd/a[1].tpr")
    shutil.copy("good/1.tpr", "odd/b.tpr")
    shutil.copy("good/2.tpr", "odd/x*y/c.tpr")

    def names(*operands):
        code, output, _ = run("verify", "--format", "json", *operands)
        return code, [json.loads(line)["file"] for line in output.splitlines()]
    assert names("good/[0-2].tpr") == (0, ["good/0.tpr", "good/1.tpr", "good/2.tpr"])
    assert names("odd/*.tpr") == (0, ["odd/a[1].tpr", "odd/b.tpr"])
    assert names("odd/a[1].tpr") == (0, ["odd/a[1].tpr"]) # a name before it is a pattern
    assert names("odd/x*") == (0, ["odd/x*y/c.tpr"]) # a directory that matches
    assert names("odd/q*.tpr", "odd/b.tpr") == (2, ["odd/b.tpr"])
    write("list", b"good/1.tpr\ngood/0.tpr\n")
    assert names("@list") == (0, ["good/1.tpr", "good/0.tpr"])
    with open("list", "rb") as file:
        done = subprocess.run([tickproof, "verify", "--format", "json", "@-"], stdin=file, capture_output=True, check=False, env=EMPTY)
    assert done.returncode == 0 and done.stdout.count(b"\n") == 2


def watch_progress(*arguments):
    """What a terminal is shown: pairs of files and ticks."""
    near, far = pty.openpty()
    child = subprocess.Popen([tickproof, *arguments], stdout=subprocess.DEVNULL, stderr=far, env=EMPTY)
    os.close(far)
    shown = b""
    while True:
        try:
            got = os.read(near, 65536)
        except OSError:
            got = b""
        if not got:
            break
        shown += got
    os.close(near)
    assert child.wait() == 0, shown
    return [tuple(int(number) for number in match) for match in re.findall(rb"(\d+) of (\d+) files, (\d+) ticks", shown)], shown


def test_progress():
    record("long.tpr", "--world", "realm", "--bot", "--players", "8", "--ticks", "2500")
    for i in range(4):
        shutil.copy("long.tpr", f"long{i}.tpr")
    steps, shown = watch_progress("verify", "-j", "2", *(f"long{i}.tpr" for i in range(4)), "good")
    assert steps and shown.endswith(b"\r\x1b[K"), shown[-40:]
    total = 4 * 2500 + sum(json.loads(line)["stepped"] for line in run("verify", "--format", "json", "good")[1].splitlines())
    for before, after in zip(steps, steps[1:]):
        assert before[0] <= after[0] and before[2] <= after[2], (before, after)
    assert all(files < 13 and of == 13 and ticks <= total for files, of, ticks in steps), steps


def memory_of(*arguments, code, errors=subprocess.DEVNULL):
    """Most memory that the process itself had, in KiB, as of the last piece of output but one; that it prints no faster than it is read keeps
    it there. (What wait says counts the memory of this program, too, from before the other was loaded.)"""
    most = 0
    with subprocess.Popen([tickproof, *arguments], stdout=subprocess.PIPE, stderr=errors, env=EMPTY) as child:
        while True:
            with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
                found = re.search(r"VmHWM:\s+(\d+)", status.read())
            most = max(most, int(found[1]) if found else 0)
            if not os.read(child.stdout.fileno(), 4096):
                break
    assert child.returncode == code and most > 0, child.returncode
    return most


def make_known(name, count):
    """Names of one log, and a journal that has every one of them: so many files are done in no time, but with all that surrounds the work."""
    os.makedirs(f"{name}.logs")
    for number in range(count):
        os.link("good/0.tpr", f"{name}.logs/{number:05}.tpr")
    assert resumed([f"{name}.logs/00000.tpr"], f"{name}.journal")[0] == 0
    head, entry = read(f"{name}.journal").splitlines()
    lines = [head]
    for number in range(count):
        body = entry[:entry.rindex(b',"hash":"')].replace(b"/00000.tpr", b"/%05d.tpr" % number)
        lines.append(body + b',"hash":"' + hashlib.blake2b(body, digest_size=32).hexdigest().encode() + b'"}')
    write(f"{name}.journal", b"\n".join(lines) + b"\n")
    write(name, b"".join(f"{name}.logs/{number:05}.tpr\n".encode() for number in range(count)))


def memory_on_terminal(*arguments, code):
    """The same with the line of progress, and what that showed."""
    near, far = pty.openpty()
    shown = bytearray()

    def take():
        try:
            while piece := os.read(near, 65536):
                shown.extend(piece)
        except OSError:
            pass
    taker = threading.Thread(target=take)
    taker.start()
    most = memory_of(*arguments, code=code, errors=far)
    os.close(far)
    taker.join()
    os.close(near)
    return most, [tuple(int(number) for number in match) for match in re.findall(rb"(\d+) of (\d+) files, (\d+) ticks", shown)]


def test_memory():
    """Reports lie in a file: what is left in memory of a log is its name and some numbers."""
    if any(key.endswith("SAN_OPTIONS") for key in EMPTY) or "SANITIZED" in os.environ:
        print("memory: not measured with sanitizers")
        return
    for name, count in (("few", 1000), ("lots", 10000)):
        write(name, b"".join(b"logs/that/is/not/there/%05d.tpr\n" % number for number in range(count)))
        assert run("verify", "--shard", "1/1", "--report", f"{name}.jsonl", "--format", "junit", f"@{name}")[0] == 2
    for arguments in (["verify", "--format", "junit", "@"], ["merge", "--format", "junit", ""]):
        *rest, last = arguments
        ending = ".jsonl" if rest[0] == "merge" else ""
        few = memory_of(*rest, last + "few" + ending, code=2)
        lots = memory_of(*rest, last + "lots" + ending, code=2)
        print(f"memory: {rest[0]} of 1,000 logs {few} KiB, of 10,000 {lots} KiB")
        assert lots - few < 9000 * 700 / 1024, (few, lots) # a report alone has above 2,000 bytes
    # Without a place for the file it is memory, and the answer is the same.
    assert run("verify", "--format", "junit", "@few", env={"TMPDIR": "/nowhere"})[:2] == run("verify", "--format", "junit", "@few")[:2]
    for name, count in (("known-few", 1000), ("known-lots", 10000)):
        make_known(name, count)
    few, _ = memory_on_terminal("verify", "--resume", "known-few.journal", "--format", "junit", "@known-few", code=0)
    lots, _ = memory_on_terminal("verify", "--resume", "known-lots.journal", "--format", "junit", "@known-lots", code=0)
    print(f"memory: verify of 1,000 logs that a journal has {few} KiB, of 10,000 {lots} KiB")
    assert lots - few < 9000 * 700 / 1024, (few, lots)
    assert b" 10000 of the files done before" in run("verify", "--resume", "known-lots.journal", "@known-lots")[1]
    if many:
        os.makedirs("many")
        for i in range(many):
            shutil.copy(f"good/{i % 5}.tpr", f"many/{i:05}.tpr")
        write("tenth", b"".join(b"many/%05d.tpr\n" % number for number in range(many // 10)))
        few, _ = memory_on_terminal("verify", "--format", "junit", "@tenth", code=0)
        lots, steps = memory_on_terminal("verify", "--format", "junit", "many", code=0)
        print(f"memory: verify of {many // 10} real logs {few} KiB, of {many} {lots} KiB")
        assert lots - few < many * 0.9 * 700 / 1024 + 256, (few, lots)
        assert len(steps) > 3 and all(before[0] <= after[0] and before[2] <= after[2] for before, after in zip(steps, steps[1:]))
        whole = run("verify", "--format", "json", "many", timeout=3600)
        for count in (1, 2, 3, 4):
            threads = [threading.Thread(target=run, args=("verify", "--shard", f"{number}/{count}", "--report", f"many{count}.{number}.jsonl", "many"),
                                        kwargs={"timeout": 3600}) for number in range(1, count + 1)]
            for thread in threads:
                thread.start()
                thread.join()
            assert run("merge", "--format", "json", f"many{count}.*.jsonl")[:2] == whole[:2]
        print(f"{many} logs: 1 to 4 shards merged are the whole")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_logs()
        record("hang.tpr", "--world", hangworld, "--ticks", "200")
        assert verify_shards(3, "planted", "good") == [0, 0, 0]
        only = os.environ.get("ONLY")
        for name, test in list(globals().items()):
            if name.startswith("test_") and (only is None or only in name):
                begin = time.monotonic()
                test()
                print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
        os.chdir("/")


main()
