"""A workflow of GitHub Actions, as far as the page "Finding a desync in your CI" uses it: read without a YAML library, and its jobs run
here, each in a folder of its own, with uploads and downloads as copies. What is not known is an error, so that nothing goes by unseen."""
import os
import re
import shutil
import subprocess


class Lines:
    def __init__(self, text):
        self.items = []
        for number, raw in enumerate(text.splitlines(), 1):
            self.items.append((number, len(raw) - len(raw.lstrip(" ")), raw.strip(), raw))
        self.at = 0

    def skip(self):
        while self.at < len(self.items) and (self.items[self.at][2] == "" or self.items[self.at][2].startswith("#")):
            self.at += 1

    def here(self):
        self.skip()
        return self.items[self.at] if self.at < len(self.items) else (0, -1, "", "")


def scalar(text):
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("[") and text.endswith("]"):
        return [scalar(part.strip()) for part in text[1:-1].split(",")]
    if re.search(r"^[&*!>\"'{]| #", text):
        raise ValueError(f"'{text}' is more YAML than this reads")
    return int(text) if text.isdigit() else text


def block(lines, indent):
    """The text under a bar: all deeper lines, without what they are indented by."""
    found = []
    while lines.at < len(lines.items):
        _, depth, text, raw = lines.items[lines.at]
        if text != "" and depth <= indent:
            break
        found.append(raw)
        lines.at += 1
    margin = min(len(raw) - len(raw.lstrip(" ")) for raw in found if raw.strip())
    return "\n".join(raw[margin:] for raw in found).rstrip("\n") + "\n"


def value_of(lines, indent, rest):
    if rest == "|":
        return block(lines, indent)
    if rest != "":
        return scalar(rest)
    _, depth, text, _ = lines.here()
    if depth > indent or (depth == indent and text.startswith("- ")):
        return node(lines, depth)
    return None


def mapping(lines, indent):
    found = {}
    while True:
        number, depth, text, _ = lines.here()
        match = re.fullmatch(r"([\w-]+):(?: (.*))?", text)
        if depth != indent or match is None:
            if depth > indent or (depth == indent and not text.startswith("- ")):
                raise ValueError(f"line {number}: '{text}' is more YAML than this reads")
            return found
        if match[1] in found:
            raise ValueError(f"line {number}: {match[1]} is there twice")
        lines.at += 1
        found[match[1]] = value_of(lines, indent, (match[2] or "").strip())


def sequence(lines, indent):
    found = []
    while True:
        number, depth, text, raw = lines.here()
        if depth != indent or not text.startswith("- "):
            return found
        inner = indent + 2
        lines.items[lines.at] = (number, inner, text[2:], " " * inner + text[2:])
        found.append(node(lines, inner))


def node(lines, indent):
    _, _, text, _ = lines.here()
    return sequence(lines, indent) if text.startswith("- ") else mapping(lines, indent)


def read(text):
    lines = Lines(text)
    found = node(lines, 0)
    number, depth, rest, _ = lines.here()
    if depth >= 0:
        raise ValueError(f"line {number}: '{rest}' is more YAML than this reads")
    return found


class Run:
    """Runs jobs. `checkout(folder, matrix)` puts the sources there; `path` is what a bare machine has."""

    def __init__(self, workflow, scratch, checkout, environment):
        self.workflow, self.scratch, self.checkout, self.environment = workflow, scratch, checkout, environment
        self.uploads = {}
        self.results = {}
        self.output = {}
        self.summaries = {}

    def all(self):
        for name, job in self.workflow["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            is_fine = all(result for other in needs for (of, _), result in self.results.items() if of == other)
            if not self.is_wanted(job.get("if", "success()"), is_fine):
                continue
            rows = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
            for matrix in rows:
                self.job(name, job, matrix)

    @staticmethod
    def is_wanted(condition, is_fine):
        word = re.sub(r"^\$\{\{\s*(.*?)\s*\}\}$", r"\1", condition)
        return {"success()": is_fine, "failure()": not is_fine, "!cancelled()": True, "always()": True}[word]

    def fill(self, text, matrix):
        def of(match):
            place, name = match[1].split(".")
            if place != "matrix":
                raise ValueError(f"{match[0]} is not known here")
            return str(matrix[name])
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", of, text) if isinstance(text, str) else text

    def job(self, name, job, matrix):
        key = (name, matrix.get("machine", ""))
        folder = os.path.join(self.scratch, "-".join(part for part in key if part))
        os.makedirs(folder + "/work")
        is_fine = True
        environment = dict(self.environment, GITHUB_PATH=folder + "/path", GITHUB_STEP_SUMMARY=folder + "/summary.md", GITHUB_WORKSPACE=folder + "/work")
        self.output[key] = ""
        for step in job["steps"]:
            if self.is_wanted(step.get("if", "success()"), is_fine):
                is_fine = self.step(key, step, matrix, folder, environment) and is_fine
        self.results[key] = is_fine
        summary = folder + "/summary.md"
        self.summaries[key] = open(summary).read() if os.path.exists(summary) else ""

    def step(self, key, step, matrix, folder, environment):
        if "run" in step:
            script = folder + "/step.sh"
            with open(script, "w") as file:
                file.write(self.fill(step["run"], matrix))
            if os.path.exists(folder + "/path"):
                with open(folder + "/path") as file:
                    environment["PATH"] = ":".join(file.read().split()[::-1] + [self.environment["PATH"]])
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=folder + "/work", env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.output[key] += done.stdout
            return done.returncode == 0
        given = {word: self.fill(text, matrix) for word, text in step.get("with", {}).items()}
        return self.action(step["uses"], given, matrix, folder + "/work")

    def action(self, action, given, matrix, folder):
        name = action.split("@")[0]
        if name == "actions/checkout":
            self.checkout(folder, matrix)
            return True
        if name == "actions/upload-artifact":
            source = os.path.join(folder, given["path"])
            if not os.path.isdir(source):
                return given.get("if-no-files-found") != "error"
            if given["name"] in self.uploads:
                raise ValueError(f"two artifacts have the name {given['name']}")
            self.uploads[given["name"]] = source
            return True
        if name == "actions/download-artifact":
            start = given["pattern"].rstrip("*")
            for upload, source in self.uploads.items():
                if upload.startswith(start):
                    target = given["path"] if given.get("merge-multiple") else os.path.join(given["path"], upload)
                    shutil.copytree(source, os.path.join(folder, target), dirs_exist_ok=True)
            return True
        raise ValueError(f"{action} is not known here")
