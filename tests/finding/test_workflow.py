#!/usr/bin/env python3
"""The workflow of replays/FINDING.md does what the page says: it is run here, with a world that is the same on all machines (all jobs pass)
and with one that is not (the third job fails, with an annotation and a summary). The page and replays/desync-workflow.yml are one text.

Usage: test_workflow.py TICKPROOF SOURCE_FOLDER COMPILER...
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import studio
import workflow

tickproof, source, compiler = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3:]
wrong = []


def check(is_so, text, detail=""):
    if not is_so:
        wrong.append(f"{text}\n{detail}".rstrip())


def run(text, scratch, is_planted):
    made = studio.Studio(tickproof, source, compiler, scratch)
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LSAN_OPTIONS", "ASAN_OPTIONS") if name in os.environ}
    jobs = workflow.Run(workflow.read(text), scratch, lambda folder, matrix: made.checkout(folder, matrix.get("machine", ""), is_planted), environment)
    jobs.all()
    return jobs


with open(os.path.join(source, "replays/desync-workflow.yml")) as file:
    text = file.read()
with open(os.path.join(source, "replays/FINDING.md")) as file:
    page = file.read()
check(f"```yaml\n{text}```\n" in page, "replays/FINDING.md: its workflow is not replays/desync-workflow.yml word for word")
try:
    import yaml
    expected = yaml.safe_load(text)
    expected["on"] = expected.pop(True, None)  # YAML 1.1 takes the word for a truth value
    check(expected == workflow.read(text), "replays/desync-workflow.yml: a YAML library reads it otherwise")
except ImportError:
    print("no YAML library here: the workflow was read by this test alone")

with tempfile.TemporaryDirectory() as scratch:
    probe = studio.Studio(tickproof, source, compiler, scratch)
    subprocess.run(["make", "-s", "world.so"], cwd=probe.folder, check=True)
    if subprocess.run([tickproof, "lint", probe.folder + "/world.so"], capture_output=True).returncode == 6:
        print("this build or machine has no disassembler for 'tickproof lint', which the workflow calls: skipped")
        sys.exit(77)

machines = [("trace", "x86-64"), ("trace", "arm64")]
with tempfile.TemporaryDirectory() as scratch:
    jobs = run(text, scratch, False)
    for key in machines + [("compare", "")]:
        check(jobs.results.get(key) is True, f"clean: job {key} did not pass", jobs.output.get(key, ""))
    check("::error" not in "".join(jobs.output.values()), "clean: there is an annotation", "".join(jobs.output.values()))
    check("2 of 2 fine" in jobs.output[("compare", "")] or "4 of 4 fine" in jobs.output[("compare", "")], "clean: not all were compared", jobs.output[("compare", "")])
    check(jobs.summaries[("compare", "")] == "", "clean: there is a summary")

with tempfile.TemporaryDirectory() as scratch:
    jobs = run(text, scratch, True)
    said, summary = jobs.output[("compare", "")], jobs.summaries[("compare", "")]
    for key in machines:
        check(jobs.results.get(key) is True, f"planted: job {key} did not pass", jobs.output[key])
    check(jobs.results.get(("compare", "")) is False, "planted: the third job passed", said)
    check(re.search(r"^::error file=traces/arm64/crossing\.tpt,title=tickproof compare%3A diverged::.*first bad tick is 83", said, re.M) is not None,
          "planted: no annotation names the log and tick 83", said)
    check("section 'ferry'" in said, "planted: no annotation names the section", said)
    check("first bad tick is 83" in summary and "tickproof bisect" in summary, "planted: the summary does not say what to do", summary)

# A fault in the test's own reading would let everything pass: what it does not know it refuses.
for bad in ("a: &x 1\n", "a:\n  b: 1\n   c: 2\n", "a: 1\na: 2\n"):
    try:
        workflow.read(bad)
        check(False, f"'{bad}' was read as a workflow")
    except ValueError:
        pass
for text in wrong:
    print(text)
sys.exit(1 if wrong else 0)
