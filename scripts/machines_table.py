"""What the machines said, held against each other: which logs differ on which machine, and tables of it."""
import collections
import pathlib
import re

MARKS = re.compile(r"(<!-- machines -->\n).*?(<!-- /?machines -->)", re.DOTALL)
REFUSED = "refused"


def group_of(log):
    """The column of a log: its world, or that of the logs that are to be refused."""
    path = pathlib.PurePath(log)
    return REFUSED if path.parent.name == "bad" else path.name.partition("-")[0].removesuffix(".tpr")


def expected_code(log):
    """The exit code that a bundled log must get, None for a log from elsewhere."""
    path = pathlib.PurePath(log)
    if path.parts[:2] == ("replays", "good"):
        return 0
    if path.parts[:2] == ("replays", "bad"):
        return int(path.stem.rpartition("-")[2])
    return None


def bits(answer):
    """What must be the same on every machine."""
    return (answer.verdict, answer.code, answer.checked, answer.stepped, answer.root, answer.digest, answer.message)


def usual(log, rows):
    """What most machines say of a log; of equally many, what the first one says."""
    said = [bits(row.result.answers[log]) for row in rows if row.result is not None and log in row.result.answers]
    return collections.Counter(said).most_common(1)[0] if said else (None, 0)


def difference(answer, most):
    """How an answer differs from what most machines said, in a few words."""
    mine = bits(answer)
    names = ("verdict", "exit code", "ticks checked", "ticks stepped", "last root", "digest over all roots", "message")
    for name, here, there in zip(names, mine, most):
        if here != there:
            return f"{name} {here or 'none'}, not {there or 'none'}"
    return "nothing"


class Row:
    """A machine in the table: skipped, broken, or with a result."""

    def __init__(self, machine):
        self.machine = machine
        self.skipped = ""  # why
        self.broken = ""   # what went wrong while building
        self.result = None
        self.build_seconds = 0.0
        self.complaints = []  # of compare()
        self.bad_logs = set()


def compare(rows, logs):
    """Fills the complaints of every row: answers that are missing, wrong by themselves, or not what the others say."""
    most = {log: usual(log, rows)[0] for log in logs}
    for row in rows:
        if row.broken:
            row.complaints.append(f"{row.machine.name}: {row.broken}")
        if row.result is None:
            continue
        if row.result.trouble:
            row.complaints.append(f"{row.machine.name}: {row.result.trouble}")
        for log in logs:
            complain(row, log, most[log])


def complain(row, log, most):
    answer = row.result.answers.get(log)
    expected = expected_code(log)
    if answer is None:
        text = "no answer"
    elif expected is not None and answer.code != expected:
        text = f"{answer.verdict}, exit {answer.code}, not {expected}: {answer.message or 'nothing wrong was found'}"
    elif bits(answer) != most:
        text = "differs from the other machines: " + difference(answer, most)
    else:
        return
    row.bad_logs.add(log)
    row.complaints.append(f"{row.machine.name}: {log}: {text}")


def groups_of(logs):
    groups = collections.defaultdict(list)
    for log in logs:
        groups[group_of(log)].append(log)
    return dict(sorted(groups.items(), key=lambda item: (item[0] == REFUSED, item[0])))


def cell(row, logs):
    wrong = [log for log in logs if log in row.bad_logs]
    if not wrong:
        return "equal"
    first = pathlib.PurePath(wrong[0]).stem
    return f"NOT EQUAL: {first}" + (f" and {len(wrong) - 1} more" if len(wrong) > 1 else "")


def processor_seconds(row):
    return sum(answer.seconds for answer in row.result.answers.values())


def lines_of(rows, logs):
    """(header, lines) as lists of words: machine, a column a group, seconds, and what it is."""
    groups = groups_of(logs)
    header = ["machine"] + [f"{name} ({len(members)})" for name, members in groups.items()] + ["seconds", "what it is"]
    lines = []
    for row in rows:
        what = row.machine.what
        if row.result is None:
            why = f"skipped: {row.skipped}" if row.skipped else "DOES NOT BUILD"
            lines.append([row.machine.name] + ["-"] * len(groups) + ["-", f"{what}: {why}"])
            continue
        what += f"; {row.result.build}" if row.result.build else ""
        lines.append([row.machine.name] + [cell(row, members) for members in groups.values()] + [f"{processor_seconds(row):.2f}", what])
    return header, lines


def text_table(rows, logs):
    header, lines = lines_of(rows, logs)
    widths = [max(len(line[column]) for line in [header, *lines]) for column in range(len(header) - 1)]
    return ["  ".join([*(word.ljust(width) for word, width in zip(line, widths)), line[-1]]) for line in [header, *lines]]


def sums(rows, logs):
    """One sentence on what the table rests on."""
    done = [row for row in rows if row.result is not None]
    ticks = sum(usual(log, rows)[0][3] for log in logs if usual(log, rows)[0] is not None)
    skipped = [row.machine.name for row in rows if row.skipped]
    bad = [row.machine.name for row in rows if row.complaints]
    text = f"{len(done)} machines, {len(logs)} logs, {ticks:,} ticks on each: "
    text += f"not equal on {', '.join(bad)}" if bad else "every root of every tick is equal, and every log gets its verdict"
    return text + (f"; skipped: {', '.join(skipped)}" if skipped else "") + "."


def markdown(rows, logs):
    """The table of machines and groups of logs."""
    header, lines = lines_of(rows, logs)
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    out += ["| " + " | ".join(word.replace("|", "\\|") for word in line) + " |" for line in lines]
    return out + ["", sums(rows, logs)]


def markdown_logs(rows, logs):
    """The table of logs: what all machines came to."""
    done = [row for row in rows if row.result is not None]
    out = ["| log | verdict | ticks | root of the last tick | digest over all roots | machines that agree | seconds, least to most |", "|---|---|---|---|---|---|---|"]
    for log in logs:
        most, count = usual(log, rows)
        if most is None:
            continue
        times = [row.result.answers[log].seconds for row in done if log in row.result.answers]
        out.append(f"| {log} | {most[0]} | {most[3]:,} | `{most[4]}` | `{most[5]}` | {count} of {len(done)} | {min(times):.3f} to {max(times):.3f} |")
    return out


def update_readme(path, rows, logs):
    """Rewrites what stands between the two marks. Returns what is wrong, or None."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        return f"{path}: {error.strerror}"
    table = "\n".join(markdown(rows, logs))
    new, count = MARKS.subn(lambda found: found.group(1) + table + "\n" + found.group(2), text, count=1)
    if count == 0:
        return f"{path}: there is no line '<!-- machines -->' with another one, or '<!-- /machines -->', behind it"
    if new != text:
        path.write_text(new, encoding="utf-8")
    return None
