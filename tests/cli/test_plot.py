#!/usr/bin/env python3
"""Reads pictures back: what stands in them is what `dump` says of the log, inside its frame and at its tick.

usage: test_plot.py TICKPROOF PLOTLOGS FLATWORLD OPAQUEWORLD FERRY EXTREME REPLAYS
"""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

tickproof, plotlogs, flat, opaque, ferry, extreme, replays = (os.path.abspath(path) for path in sys.argv[1:8])
SVG = "{http://www.w3.org/2000/svg}"
wrong = []


def check(holds, text):
    if not holds:
        wrong.append(text)


def run(*arguments, code=0):
    done = subprocess.run([tickproof, *arguments], capture_output=True)
    check(done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr.decode(errors='replace')}")
    check(b"runtime error" not in done.stderr, f"{arguments}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def plot(*arguments, code=0):
    text = run("plot", "-o", "-", *arguments, code=code)
    check(len(text) < 400_000, f"{arguments}: {len(text)} bytes")
    return ElementTree.fromstring(text)


def points(data):
    """Places that a path's pen passes through."""
    x = y = 0
    start = (0, 0)
    for letter, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        numbers = [int(number) for number in re.findall(r"-?\d+", rest)]
        if letter in "Zz":
            x, y = start
        elif letter == "M":
            x, y = numbers
            start = (x, y)
        elif letter == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif letter == "h":
            x += numbers[0]
        elif letter == "v":
            y += numbers[0]
        elif letter == "V":
            y = numbers[0]
        else:
            raise ValueError(f"a path with {letter}")
        yield letter, x, y


def panels(root):
    return {group.get("data-name"): group for group in root.iter(SVG + "g") if group.get("class") == "panel"}


def lines_of(panel):
    return {path.get("data-element"): path for path in panel.iter(SVG + "path") if "line" in path.get("class").split()}


def texts(root):
    return [text.text or "" for text in root.iter(SVG + "text")]


class Time:
    def __init__(self, root):
        group = next(group for group in root.iter(SVG + "g") if group.get("class") == "time")
        self.first, self.end, self.left, self.right = (int(group.get("data-" + name)) for name in ("first", "end", "left", "right"))

    def x(self, tick):
        part = (tick - self.first) / max(self.end - self.first, 1)
        return self.left + int(min(max(part, 0), 1) * (self.right - self.left) + 0.5)


def value_of(state, element):
    """runners[1].score in a dump."""
    for name, index in re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", element.split("/")[0]):
        state = state[name] if index == "" else state[name][int(index)]
    return float(state)


@functools.lru_cache(maxsize=None)
def dump(log, tick, *flags):
    return json.loads(run("dump", "--tick", str(tick), *flags, log))


def column_values(path, x):
    """Heights at which a line passes a place."""
    found = []
    before = None
    for letter, at, y in points(path.get("d")):
        if letter != "M" and before is not None and before[1] == y and min(before[0], at) <= x <= max(before[0], at):
            found.append(y)
        if abs(at - x) <= 1:
            found.append(y)
        before = (at, y)
    return found


def compare_column(root, log, name, element, column, flags=(), shift=0, scale=1):
    """The lowest and highest value drawn in a column are those of its ticks. Returns what is wrong."""
    panel = panels(root)[name]
    time = Time(root)
    ticks = int(panel.get("data-ticks"))
    first = time.first + column * ticks
    last = min(first + ticks - 1, time.end)
    values = [value_of(dump(log, tick, *flags), element) / scale for tick in range(first, last + 1)]
    low, high, top, bottom = (float(panel.get("data-" + key)) for key in ("low", "high", "top", "bottom"))
    heights = column_values(lines_of(panel)[element], time.x(first + (ticks - 1) / 2))
    if not heights:
        return f"{name}, {element}: nothing is drawn at tick {first}"
    drawn = sorted(low + (bottom - height - shift) / (bottom - top) * (high - low) for height in (max(heights), min(heights)))
    room = 1.01 * (high - low) / (bottom - top)
    if abs(drawn[0] - min(values)) > room or abs(drawn[1] - max(values)) > room:
        return f"{name}, {element}: ticks {first} to {last} are {drawn} in the picture and {min(values)} to {max(values)} in the log"
    return None


def check_frames(root, where):
    """Nothing of a panel lies outside of its frame."""
    for name, panel in panels(root).items():
        frames = [rect for rect in panel.iter(SVG + "rect") if rect.get("class") == "frame"]
        check(len(frames) == 1, f"{where}: {name} has {len(frames)} frames")
        x, y, width, height = (int(frames[0].get(key)) for key in ("x", "y", "width", "height"))
        for path in panel.iter(SVG + "path"):
            for _, at_x, at_y in points(path.get("d")):
                check(x - 1 <= at_x <= x + width + 61 and y - 1 <= at_y <= y + height + 1, f"{where}: {name}: {at_x},{at_y} is outside of its frame")
        check(panel.find(SVG + "title") is not None, f"{where}: {name} has no tooltip")
    check_texts(root, where)
    size = [int(number) for number in root.get("viewBox").split()]
    for text in root.iter(SVG + "text"):
        check(0 <= int(text.get("x")) <= size[2] and 0 <= int(text.get("y")) <= size[3], f"{where}: {text.text} is outside of the picture")


SIZES = {"h": 200, "b": 120, "a": 105}
ANCHORS = {None: 0, "middle": 0.5, "end": 1}


def span_of(text):
    """Left and right end of a text, by letters of half its size: a little less than they are."""
    width = 0.5 * SIZES.get(text.get("class"), 110) * len(text.text or "")
    left = int(text.get("x")) - ANCHORS[text.get("text-anchor")] * width
    return left, left + width


def check_texts(root, where):
    """No text runs into another one beside it or out of the picture, and none stands on another."""
    width = int(root.get("viewBox").split()[2])
    written = [(int(text.get("y")), *span_of(text), text.text) for text in root.iter(SVG + "text") if text.text]
    for i, (y, left, right, text) in enumerate(written):
        check(left >= 0 and right <= width, f"{where}: '{text}' leaves the picture")
        for other_y, other_left, other_right, other in written[i + 1:]:
            if abs(y - other_y) < 90 and left < other_right and other_left < right:
                check(False, f"{where}: '{text}' runs into '{other}'")


def compare(where, root, log, name, element, columns, flags=(), scale=1):
    for column in columns:
        found = compare_column(root, log, name, element, column, flags, 0, scale)
        check(found is None, f"{where}: {found}")


def test_short():
    """One tick is one column, so every value can be read back."""
    run("run", "--world", "runner", "--bot", "--players", "2", "--seed", "5", "--ticks", "900", "-o", "short.tpr")
    root = plot("short.tpr", "--fields", "score,runners.x,distance,game.row_countdown,lane")
    check_frames(root, "short")
    for element in ("runners[0]", "runners[1]"):
        compare("short", root, "short.tpr", "runners.score", element + ".score", range(0, 901, 75))
        compare("short", root, "short.tpr", "runners.x", element + ".x", range(0, 901, 75))
        compare("short", root, "short.tpr", "runners.distance", element + ".distance", range(0, 901, 150), (), 65536)
    compare("short", root, "short.tpr", "game.row_countdown", "game.row_countdown", range(0, 901, 60))
    # The comparison itself notices two tenths of a pixel more than it allows.
    check(compare_column(root, "short.tpr", "runners.score", "runners[0].score", 300, (), 3) is not None, "a shifted line was not noticed")


def test_long():
    """Of many ticks in a column, none is lost."""
    run("run", "--world", "runner", "--bot", "--players", "2", "--seed", "5", "--ticks", "20000", "--keyframes", "500", "-o", "long.tpr")
    root = plot("long.tpr", "--fields", "runners.x,combo")
    check_frames(root, "long")
    ticks = int(panels(root)["runners.x"].get("data-ticks"))
    check(ticks > 10, f"long: {ticks} ticks in a column are too few for the test")
    for element in ("runners[0]", "runners[1]"):
        compare("long", root, "long.tpr", "runners.x", element + ".x", range(5, 20000 // ticks, 250))
        compare("long", root, "long.tpr", "runners.combo", element + ".combo", range(5, 20000 // ticks, 500))


def test_automatic():
    """The rule finds score and speed in the runner, by tables alone, and ten minutes stay small."""
    run("run", "--world", "runner", "--bot", "--players", "8", "--seed", "5", "--ticks", "72000", "-o", "ten.tpr")
    root = plot("ten.tpr")
    check_frames(root, "ten minutes")
    for name in ("runners.score", "runners.distance/tick", "inputs", "events"):
        check(name in panels(root), f"ten minutes: no panel {name}")
    check(len(panels(root)) == 10, f"ten minutes: {len(panels(root))} panels")
    check("10:00" in texts(root) and "72,000" in texts(root), "ten minutes: no mark at its end")
    counted = {}
    for line in run("events", "ten.tpr").splitlines():
        kind = json.loads(line)["type"]
        counted[kind] = counted.get(kind, 0) + 1
    shown = {group.get("data-event"): int(group.get("data-count")) for group in root.iter(SVG + "g") if group.get("data-event")}
    check(shown == counted, f"ten minutes: events {shown}, not {counted}")


def test_list():
    """Ranges and numbers of changes are those of the states."""
    states = [dump("short.tpr", tick) for tick in range(0, 61)]
    listed = run("plot", "--list", "--to", "59", "short.tpr").decode()
    for field in ("score", "coins", "lane"):
        rows = [[runner[field] for runner in state["runners"]] for state in states]
        changes = sum(a != b for before, after in zip(rows, rows[1:]) for a, b in zip(before, after))
        line = next(line for line in listed.splitlines() if line.startswith(f"runners.{field} "))
        wanted = f"{min(map(min, rows))} to {max(map(max, rows))} "
        check(f" {wanted}" in line and f" {changes} changes" in line, f"list: {line.strip()}: {wanted}, {changes} changes")


def test_sizes():
    """Whatever the width, texts keep apart."""
    for width in ("480", "700", "2000", "4000"):
        check_frames(plot("--width", width, "long.tpr"), f"width {width}")
        check_frames(plot("--width", width, "--world", flat, "many.tpr"), f"many, width {width}")
        check_frames(plot("--width", width, "--world", flat, "planted.tpr", code=1), f"planted, width {width}")
    root = plot("--height", "2000", "--theme", "dark", "long.tpr")
    check_frames(root, "height")
    check(root.get("height") == "2000", "height: another one")
    lowest = max(int(text.get("y")) for text in root.iter(SVG + "text"))
    check(19000 < lowest < 20000, f"height: the last text is at {lowest}")


def divergence(root):
    return next((group for group in root.iter(SVG + "g") if group.get("class") == "divergence"), None)


def check_divergence(where, root, tick):
    group = divergence(root)
    check(group is not None and group.get("data-tick") == str(tick), f"{where}: no mark of tick {tick}")
    if group is None:
        return
    time = Time(root)
    cut, past = (next(path for path in group if path.get("class") == name) for name in ("cut", "past"))
    check({x for _, x, _ in points(cut.get("d"))} == {time.x(tick)}, f"{where}: the mark does not stand at tick {tick}")
    edges = {x for _, x, _ in points(past.get("d"))}
    check(edges == {time.x(tick), time.right}, f"{where}: {edges} is shaded")
    check("diverged" in texts(root), f"{where}: the verdict is missing")


def test_divergence():
    check_divergence("bad log", plot(f"{replays}/bad/input-with-effect-1.tpr", code=1), 69)
    root = plot("--world", flat, "planted.tpr", code=1)
    check_divergence("planted", root, 150)
    check_frames(root, "planted")
    report = json.loads(run("verify", "--format", "json", "--world", flat, "planted.tpr", code=1).splitlines()[0])
    field = report.get("field") or report["divergence"]["field"]
    field = field if isinstance(field, str) else field["place"]
    label = next((text for text in texts(root) if text.startswith(field + ": ")), None)
    check(label is not None and " in the log, " in label and label.endswith(" here"), f"planted: the label of {field} is {label}")
    check(any(text.startswith("seen before tick 200; ") for text in texts(root)), "planted: it is not said when it was seen")
    check(divergence(plot("short.tpr")) is None, "a good log has a mark of a divergence")


def test_ends():
    root = plot("--world", flat, "fault.tpr")
    check("the world faulted here: tick 200" in texts(root), "fault: the end is not marked")
    check_frames(root, "fault")
    root = plot("--world", flat, "gap.tpr", code=5)
    time = Time(root)
    gaps = [path for path in root.iter(SVG + "path") if path.get("class") == "gap"]
    check(len(gaps) == 1 and {x for _, x, _ in points(gaps[0].get("d"))} == {time.x(100), time.x(150)}, "gap: it is not marked")
    check(any(text.startswith("gap: ticks 100 to 149 ") for text in texts(root)), "gap: it is not named")
    line = lines_of(panels(root)["players.x"])["players[0].x"]
    moves = [x for letter, x, _ in points(line.get("d")) if letter == "M"]
    check(moves == [time.x(0), time.x(150)], f"gap: the line begins at {moves}")
    compare("gap", root, "gap.tpr", "players.x", "players[0].x", (0, 50, 100, 150, 222, 300), ("--world", flat))
    keys = next(path for path in root.iter(SVG + "path") if path.get("data-name") == "keyframes")
    check([x + 25 for letter, x, _ in points(keys.get("d")) if letter == "M"] == [time.x(0), time.x(150)], "gap: keyframes are elsewhere")


def gap_places(root):
    return [{x for _, x, _ in points(path.get("d"))} for path in root.iter(SVG + "path") if path.get("class") == "gap"]


def test_gaps_of_a_part():
    """Only gaps inside the part are drawn, named and held against it."""
    def part(log, first, last, code):
        root = plot("--world", flat, "--from", str(first), "--to", str(last), log, code=code)
        return gap_places(root), [text for text in texts(root) if text.startswith("gap: ")], Time(root)

    for first, last in ((0, 99), (150, 299), (150, 160), (160, 200)):
        places, named, _ = part("gap.tpr", first, last, 0)
        check(places == [] and named == [], f"gap: {first} to {last} has {places}, {named}")
    for first, last in ((0, 100), (149, 299), (120, 130), (0, 299), (0, 5000)):
        places, named, time = part("gap.tpr", first, last, 5)
        check(places == [{time.x(100), time.x(150)}] and len(named) == 1, f"gap: {first} to {last} has {places}, {named}")
    places, named, time = part("gaps.tpr", 150, 250, 5)
    check(places == [{time.x(200), time.x(220)}], f"gaps: {places}")
    check(len(named) == 1 and named[0].startswith("gap: ticks 200 to 219 ") and "more" not in named[0], f"gaps: {named}")
    _, named, _ = part("gaps.tpr", 90, 250, 5)
    check(len(named) == 1 and named[0].startswith("gap: ticks 100 to 149 ") and named[0].endswith("; 1 more"), f"gaps: {named}")
    plot("--world", flat, "--from", "300", "gap.tpr", code=5)  # one state, and no tick that could be checked


def test_extremes():
    """Numbers at the edge of 64 bits have a scale, and stay in their frames."""
    run("run", "--world", extreme, "--ticks", "60", "-o", "extreme.tpr")
    root = plot("--world", extreme, "extreme.tpr")
    check_frames(root, "extreme")
    check({"game.rising", "game.falling", "game.deep", "game.wild", "game.swing", "game.stamp"} <= set(panels(root)), f"extreme: {set(panels(root))}")
    for name, low, high in (("rising", 2**62, 2**62 + 60), ("falling", 2**63 - 40, 2**63), ("deep", -2**63, -2**63 + 60), ("wild", -2**63, 2**63)):
        panel = panels(root)["game." + name]
        check(float(panel.get("data-low")) < low and high < float(panel.get("data-high")), f"extreme: {name} is off its scale")
        if name != "wild":  # every column of it has the way up, too
            compare("extreme", root, "extreme.tpr", "game." + name, "game." + name, (30, 50), ("--world", extreme))
    root = plot("--world", extreme, "--fields", "far_x,far_y", "extreme.tpr")
    check_frames(root, "extreme places")
    check("game.far_x, far_y" in panels(root), f"extreme: {set(panels(root))}")


def test_pool():
    """What a free slot of a pool holds is drawn nowhere."""
    root = plot("--world", flat, "--fields", "balls.y", "many.tpr")
    check_frames(root, "pool")
    time = Time(root)
    seen = {True: 0, False: 0}
    for element, line in lines_of(panels(root)["balls.y"]).items():
        for tick in range(0, 701, 50):
            ball = value_of(dump("many.tpr", tick, "--world", flat), element.replace(".y", ".generation"))
            is_live = ball % 2 == 1
            seen[is_live] += 1
            check(bool(column_values(line, time.x(tick))) == is_live, f"pool: {element} at tick {tick} is {'not ' if is_live else ''}drawn")
    check(min(seen.values()) > 0, f"pool: live and free ones seen: {seen}")
    live = sum(ball["generation"] % 2 for ball in dump("many.tpr", 700, "--world", flat)["balls"][:8])
    named = [text for text in texts(root) if re.fullmatch(r"#\d+", text)]
    check(len(named) == live, f"pool: last values of {named}, but {live} live ones")
    run("run", "--world", "fighter", "--players", "2", "--ticks", "60", "-o", "unarmed.tpr")
    root = plot("--fields", "projectiles.x,projectiles.y,projectiles.kind", "unarmed.tpr")
    check_frames(root, "unarmed")
    check("projectiles.x, y" not in panels(root), "pool: a place of what was never there")


def test_fighter():
    """What is won and lost comes first; sticks and facings do not crowd out what says more."""
    run("run", "--world", "fighter", "--bot", "--players", "4", "--ticks", "5400", "-o", "fight.tpr")
    root = plot("fight.tpr")
    check_frames(root, "fighter")
    names = [name for name in panels(root) if not name.endswith(", y") and name.startswith("fighters.")]
    check(names[:2] == ["fighters.damage", "fighters.stocks"] and len(names) == 8, f"fighter: {names}")
    check("fighters.action" in names and "fighters.facing" not in names and not any("stick" in name for name in names), f"fighter: {names}")


def test_many():
    """Eight are drawn, of the others only how far they reached."""
    root = plot("--world", flat, "many.tpr")
    check_frames(root, "many")
    panel = panels(root)["players.x"]
    check(len(lines_of(panel)) == 8, f"many: {len(lines_of(panel))} lines")
    rest = next(path for path in panel.iter(SVG + "path") if path.get("data-element") == "rest")
    time = Time(root)
    low, high, top, bottom = (float(panel.get("data-" + key)) for key in ("low", "high", "top", "bottom"))
    for tick in (0, 111, 400, 700):
        others = [player["x"] for player in dump("many.tpr", tick, "--world", flat)["players"][8:]]
        heights = [y for _, x, y in points(rest.get("d")) if x == time.x(tick)]
        if not heights:
            continue  # on a level line
        drawn = [low + (bottom - height) / (bottom - top) * (high - low) for height in (max(heights), min(heights))]
        room = 2.1 * (high - low) / (bottom - top)
        check(abs(drawn[0] - min(others)) < room and abs(drawn[1] - max(others)) < room, f"many: tick {tick}: {drawn}, not {min(others)} to {max(others)}")
    check("6 others" in texts(root), "many: the others' inputs are missing")
    one = plot("--world", flat, "--fields", "players[13].x", "many.tpr")
    check(list(lines_of(panels(one)["players.x"])) == ["players[13].x"], "many: another element than the one asked for")
    compare("many", one, "many.tpr", "players.x", "players[13].x", range(0, 701, 100), ("--world", flat))
    pieces = plot("--world", flat, "--fields", "game.history[1],game.mode,cache.sum,balls[*].y,is_in", "many.tpr")
    check(set(panels(pieces)) == {"game.history", "game.mode", "cache.sum", "balls.y", "players.is_in", "inputs", "events"}, f"many: {set(panels(pieces))}")


def test_states():
    """A strip has each state where the log has it."""
    root = plot("--world", flat, "--fields", "mode", "many.tpr")
    time = Time(root)
    runs = {}
    for path in panels(root)["game.mode"].iter(SVG + "path"):
        if path.get("class").startswith("ribbon") and path.get("stroke-width") == "110":
            places = list(points(path.get("d")))
            runs[path.get("class").split()[1]] = [(places[i][1], places[i + 1][1]) for i in range(0, len(places), 2)]
    names = {tick: dump("many.tpr", tick, "--world", flat)["game"]["mode"] for tick in range(5, 700, 60)}
    colours = {}
    for tick, name in names.items():
        found = [colour for colour, spans in runs.items() if any(a <= time.x(tick) and time.x(tick + 1) <= b for a, b in spans)]
        check(len(found) == 1, f"states: tick {tick} has the colours {found}")
        colours.setdefault(name, set()).update(found)
    check(len(colours) == 3 and all(len(found) == 1 for found in colours.values()), f"states: {colours}")
    check({"calm", "windy", "storm"} <= set(texts(root)), "states: a name is missing")


def test_where():
    """Places stand where the log has them, on one scale for both ways."""
    run("run", "--world", "fighter", "--bot", "--players", "3", "--ticks", "400", "-o", "where.tpr")
    root = plot("where.tpr", "--fields", "fighters.x,fighters.y")
    check_frames(root, "where")
    panel = panels(root).get("fighters.x, y")
    if panel is None:
        check(False, f"where: there is no panel, but {list(panels(root))}")
        return
    marks = [path.get("d") for path in panel.iter(SVG + "path") if path.get("class") == "grid"]
    across = [int(re.match(r"M(\d+) ", mark).group(1)) for mark in marks if "v" in mark]
    up = [int(re.match(r"M\d+ (\d+)", mark).group(1)) for mark in marks if "h" in mark]
    numbers = [text.text for text in panel.iter(SVG + "text") if text.get("class") == "a"]
    values = [float(number.replace(",", "")) for number in numbers]
    x_scale = (across[-1] - across[0]) / (values[len(across) - 1] - values[0])
    y_scale = (up[0] - up[-1]) / (values[-1] - values[len(across)])
    check(abs(x_scale - y_scale) < 0.05 * x_scale, f"where: scales of {x_scale} and {y_scale}")
    for slot in range(3):
        fighter = dump("where.tpr", 400)["fighters"][slot]
        at = (across[0] + (float(fighter["x"]) - values[0]) * x_scale, up[0] - (float(fighter["y"]) - values[len(across)]) * y_scale)
        near = False
        for path in panel.iter(SVG + "path"):
            if "space" in path.get("class").split():
                places = list(points(path.get("d")))
                reach = int(path.get("stroke-width")) + 3
                near = near or any(a[1] - reach <= at[0] <= b[1] + reach and abs(a[2] - at[1]) <= reach for a, b in zip(places[::2], places[1::2]))
        check(near, f"where: fighter {slot} is not at {at}")


def test_names():
    """Whatever a log calls its slots, the picture stays XML and they stay text."""
    names = [b"<script>alert('&\"')</script>", b"\x01\x1b[31mred\x7f\xc2\x85", b"\xef\xbf\xbf\xef\xbf\xbe]]>", "\U0001F3AE \u202e\u65e5\u672c".encode() * 9]
    flags = [part for slot, name in enumerate(names) for part in ("--slot-name", str(slot).encode() + b"=" + name)]
    run("run", "--world", "runner", "--players", "4", "--ticks", "50", "--match", "<b>&amp;", *flags, "-o", "names.tpr")
    root = plot("names.tpr")
    check_frames(root, "names")
    check(not [element for element in root.iter() if element.tag.endswith("script")], "names: a script was planted")
    check({"<b>&amp;", "<script>alert('&\"')</script>"} <= set(texts(root)), "names: they are not as they were given")
    check("??]]>" in texts(root) and any(text.startswith("??[31mred") for text in texts(root)), f"names: {texts(root)}")
    # A log's names are UTF-8, or it is none.
    run("run", "--world", "runner", "--ticks", "5", "--slot-name", b"0=\xff\xfe", "-o", "bytes.tpr", code=2)
    with open("names.tpr", "rb") as file:
        log = file.read()
    with open("bytes.tpr", "wb") as file:
        file.write(log.replace(b"<script>", b"<\xff\xfe\xc3\x01pt>"))
    run("plot", "-o", "bytes.svg", "bytes.tpr", code=3)
    check(not os.path.exists("bytes.svg"), "names: a picture of what is no log")


def test_worlds():
    """A library's world gets a picture from its tables; an opaque one has no tables."""
    with open("ferry.jsonl", "w", encoding="ascii") as file:
        for tick in range(600):
            file.write(json.dumps({"tick": tick, "slots": [{"slot": 0, "push": tick % 200 - 90}, {"slot": 1, "push": 40}]}) + "\n")
    run("run", "--world", ferry, "--players", "2", "--inputs", "ferry.jsonl", "-o", "ferry.tpr")
    root = plot("--world", ferry, "ferry.tpr")
    check_frames(root, "ferry")
    check(set(panels(root)) == {"crew.score", "ferry.x", "ferry.speed", "ferry.landings", "inputs", "events"}, f"ferry: {set(panels(root))}")
    for name in ("ferry.x", "ferry.speed", "ferry.landings"):
        compare("ferry", root, "ferry.tpr", name, name, range(0, 601, 50), ("--world", ferry))
    run("plot", "-o", "no.svg", "ferry.tpr", code=6)
    check(not os.path.exists("no.svg"), "ferry: a picture without a world")
    run("run", "--world", opaque, "--players", "2", "--ticks", "50", "-o", "opaque.tpr")
    root = plot("--world", opaque, "opaque.tpr")
    check_frames(root, "opaque")
    check("The state of this world is opaque: only its inputs and events can be drawn." in texts(root), "opaque: it does not say so")
    run("plot", "--world", opaque, "--fields", "x", "-o", "no.svg", "opaque.tpr", code=2)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([plotlogs, folder], check=True)
    for test in (test_short, test_long, test_automatic, test_list, test_sizes, test_divergence, test_ends, test_gaps_of_a_part,
                 test_extremes, test_pool, test_fighter, test_many, test_states, test_where, test_names, test_worlds):
        test()
    os.chdir("/")
for text in wrong[:30]:
    print(text)
sys.exit(1 if wrong else 0)
