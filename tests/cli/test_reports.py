#!/usr/bin/env python3
"""Reports for build servers are what their schemas say: those of `verify`, those of `compare`, and findings of every shape.

Usage: test_reports.py TICKPROOF WRITEFINDINGS FOLDER_OF_SCHEMAS FOLDER_OF_LOGS
SARIF needs python3-jsonschema and JUnit XML needs xmllint (libxml2-utils); without one that part is skipped, and said so. What the
schemas do not say is checked in any case.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

try:
    import jsonschema
except ImportError:
    jsonschema = None

tickproof, writefindings, schemas, logs = (os.path.abspath(argument) for argument in sys.argv[1:5])
xmllint = shutil.which("xmllint")
checked = {"sarif": 0, "junit": 0}


def output(*command, code=None):
    run = subprocess.run(command, capture_output=True, check=False)
    assert code is None or run.returncode == code, (command, run.returncode, run.stderr)
    return run.stdout


def sarif_errors(report):
    with open(f"{schemas}/sarif-2.1.0.json", encoding="utf-8") as file:
        schema = json.load(file)
    return [f"{list(error.path)}: {error.message}" for error in jsonschema.Draft4Validator(schema).iter_errors(report)]


def check_sarif(text):
    report = json.loads(text)
    if jsonschema is not None:
        assert sarif_errors(report) == [], sarif_errors(report)
        checked["sarif"] += 1
    (run,) = report["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
        assert result["message"]["text"] and result["level"] == "error", result
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), uri
        assert location["physicalLocation"].get("region", {"startLine": 1}).get("startLine", 1) >= 1
        fingerprints = result.get("partialFingerprints", {"place/v1": "x"})
        assert all(isinstance(value, str) and value for value in fingerprints.values())
    return run


def junit_errors(text):
    run = subprocess.run([xmllint, "--nonet", "--noout", "--schema", f"{schemas}/junit.xsd", "-"], input=text, capture_output=True, check=False)
    return run.stderr.decode(errors="replace") if run.returncode != 0 else ""


def check_junit(text):
    if xmllint is not None:
        assert junit_errors(text) == "", junit_errors(text)
        checked["junit"] += 1
    (suite,) = tree.fromstring(text)
    cases = suite.findall("testcase")
    found = {kind: sum(case.find(element) is not None for case in cases)
             for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}
    assert {kind: int(suite.get(kind)) for kind in found} == found and int(suite.get("tests")) == len(cases), suite.attrib
    return suite


def check_github(text):
    """By the runner's own rule: properties end at ':' and ',', a command at its line's end, and what is escaped comes back."""
    lines = text.decode("utf-8").split("\n")[:-1]
    commands = []
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text.decode("utf-8")), "nothing that a viewer acts on"
    for line in lines:
        match = re.fullmatch(r"::(error|warning|notice) ((?:(?:file|line|title)=[^,:]+,?)+)::(.+)", line)
        assert match, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        commands.append((match[1], {key: unescape(value) for key, value in properties.items()}, unescape(match[3])))
    return commands


def unescape(text):
    return re.sub(r"%([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text)


def test_validators_say_no():
    """A planted fault of each kind: a validator that accepts everything proves nothing."""
    good = output(writefindings, "sarif", "all").decode("utf-8", "replace")
    if jsonschema is not None:
        for wrong in (good.replace('"version":"2.1.0"', '"version":"2.1"'), good.replace('"startLine":17', '"startLine":0'),
                      good.replace('"level":"error"', '"level":"bad"'), good.replace('"uri":"src', '"url":"src'), good.replace('"ruleIndex":0', '"ruleIndex":-2')):
            assert wrong != good and sarif_errors(json.loads(wrong)) != []
    text = output(writefindings, "junit", "all")
    if xmllint is not None:
        for before, after in ((b"<properties/>", b""), (b' time="0"/>', b"/>"), (b"<skipped", b"<failed"), (b"</testsuite>", b"<more/></testsuite>"),
                              (b'classname="', b'class="'), (b'type="corrupt"', b""), (b"<system-out/>", b"")):
            wrong = text.replace(before, after).replace(b"</skipped", b"</failed" if after == b"<failed" else b"</skipped")
            assert wrong != text and junit_errors(wrong) != "", before


def test_findings():
    run = check_sarif(output(writefindings, "sarif", "all", code=70))
    assert [result["ruleId"] for result in run["results"]] == ["diverged", "incomplete", "corrupt", "internal", "usage", "internal"]
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "src/worlds/a%20world/rules.h"}, "region": {"startLine": 17}}
    assert first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "players[1].lane"
    assert first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "logs/a%20b%2Cc%3Ad%25.tpr"
    assert first["relatedLocations"][0]["physicalLocation"]["region"] == {"byteOffset": 912}
    assert first["partialFingerprints"] == {"place/v1": "diverged/players/players[1].lane"}
    assert first["properties"]["inputs"]["tick"] == 37
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [note["message"]["text"].split(":")[0] for note in invocation["toolExecutionNotifications"]] == ["asan", "worst but skipped"]

    suite = check_junit(output(writefindings, "junit", "all", code=70))
    assert [suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")] == ["tickproof bisect", "9", "3", "3", "2"]
    body = suite.find("testcase/failure").text
    for part in ("cause: addresses", "tick: 37", "players[1].lane, first of 12", "here: 3 lanes", "aslr=off: 4 lanes", "x<y: not known", "tick 30", "rules.h:17"):
        assert part in body, body

    lines = [json.loads(line) for line in output(writefindings, "json", "all", code=70).splitlines()]
    assert len(lines) == 9 and lines[0]["values"][1] == {"side": "aslr=off", "value": "4 lanes", "group": 1}
    assert (lines[0]["file"], lines[0]["line"], lines[0]["exit"], lines[0]["last_write_tick"], lines[0]["offset"]) == ("src/worlds/a world/rules.h", 17, 1, 30, 912)
    assert (lines[2]["verdict"], lines[2]["exit"]) == ("skipped", None)

    commands = check_github(output(writefindings, "github", "all", code=70))
    assert [command[0] for command in commands] == ["error", "warning", "error", "error", "error", "error", "warning", "error", "notice"]
    assert commands[0][1] == {"file": "src/worlds/a world/rules.h", "line": "17", "title": "tickproof bisect: diverged"}
    assert commands[0][2] == "logs/a b,c:d%.tpr, aslr=off: first bad tick is 37"
    assert commands[2][1]["file"] == "/absolute/path.tpt" and "\n" in commands[3][2]
    assert commands[-1][2] == "1 of 9 fine, 6 not, 2 skipped"

    text = output(writefindings, "text", "all", code=70).decode("utf-8")
    assert all((letter >= " " and letter not in "\u202e\u2066") or letter == "\n" for letter in text), "no control character reaches a terminal"
    assert "worst but skipped: skipped: " in text and "  declared at src/worlds/a world/rules.h:17\n" in text


def test_none_and_good():
    for which, code in (("none", 0), ("good", 0)):
        run = check_sarif(output(writefindings, "sarif", which, code=code))
        assert run["results"] == [] and run["invocations"][0]["executionSuccessful"] is True
        check_junit(output(writefindings, "junit", which, code=code))
        check_github(output(writefindings, "github", which, code=code))


def test_verify():
    """Every bundled log, good and bad, and names that are no plain ones."""
    with tempfile.TemporaryDirectory() as folder:
        good = next(os.path.join(logs, "good", name) for name in sorted(os.listdir(f"{logs}/good")) if name.endswith(".tpr"))
        odd = os.path.join(os.fsencode(folder), b"odd <&\"',:%\xff\xef\xbf\xbe\x01.tpr")
        with open(good, "rb") as file, open(odd, "wb") as copy:
            copy.write(file.read()[:900])
        bad = [os.path.join(logs, "bad", name) for name in sorted(os.listdir(f"{logs}/bad")) if name.endswith(".tpr")]
        paths = [good, odd, f"{folder}/none.tpr", *bad]
        run = check_sarif(output(tickproof, "verify", "--format", "sarif", *paths))
        assert len(run["results"]) == len(paths) - 1, "one for each that is not verified"
        diverged = [result for result in run["results"] if result["ruleId"] == "diverged"]
        assert diverged and any("partialFingerprints" in result for result in diverged)
        suite = check_junit(output(tickproof, "verify", "--format", "junit", *paths))
        assert int(suite.get("tests")) == len(paths) and suite.get("name") == "tickproof verify"
        commands = check_github(output(tickproof, "verify", "--format", "github", *paths))
        assert len(commands) == len(paths)


def test_compare():
    with tempfile.TemporaryDirectory() as folder:
        make = [tickproof, "run", "--world", "runner", "--bot", "--ticks", "200", "-q", "-o", f"{folder}/a.tpr"]
        subprocess.run([part for part in make if part != "-q"], check=True, capture_output=True)
        output(tickproof, "trace", f"{folder}/a.tpr", "-o", f"{folder}/a.tpt", code=0)
        output(tickproof, "trace", f"{folder}/a.tpr", "-o", f"{folder}/short.tpt", "--to", "99", code=0)
        with open(f"{folder}/damaged.tpt", "wb") as file:
            file.write(b"TPTRACE\n\1\0\0\0\0\0\0\0nothing")
        for sides, results in ((("a.tpt", "a.tpr"), []), (("a.tpt", "a.tpr", "short.tpt", "damaged.tpt"), ["corrupt", "incomplete"])):
            paths = [f"{folder}/{side}" for side in sides]
            run = check_sarif(output(tickproof, "compare", "--format", "sarif", *paths))
            assert [result["ruleId"] for result in run["results"]] == results
            suite = check_junit(output(tickproof, "compare", "--format", "junit", *paths))
            assert int(suite.get("tests")) == len(paths) and int(suite.get("failures")) == len(results)
            check_github(output(tickproof, "compare", "--format", "github", *paths))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print(f"{checked['sarif']} SARIF and {checked['junit']} JUnit reports are valid by their schemas")
if jsonschema is None:
    print("SKIPPED: SARIF was not held against its schema: python3-jsonschema is not here")
if xmllint is None:
    print("SKIPPED: JUnit XML was not held against its schema: xmllint (libxml2-utils) is not here")
