# What a machine holds: only that all is counted, never how fast it was.
. "$LIB"

echo "== what there is"
t bench
t bench --rooms 2
t bench lives
t bench live now
t bench live --rooms 0
t bench live --clients 3000000000
t bench live --rooms 4096 --clients 64
t bench live --rooms 1 --seconds 1 --record /dev/null/nowhere
t bench live --world nowhere
t bench live --carrier tcp,ip
t bench live --carrier ws,ws
t bench live --carrier ''
t bench live --carrier tcp,ws --sweep

# The numbers that must be so, whatever the machine does: the others only have to be there.
looks_right() {
    python3 - "$1" <<'EOF'
import json, sys
rooms, clients = 3, 2
lines = [json.loads(line) for line in open(sys.argv[1])]
for run in lines:
    wrong = []
    if (run["rooms"], run["clients"], run["rate_hz"]) != (rooms, clients, 60):
        wrong.append("not what was asked for")
    steps = run["ticks"] + run["dropped_ticks"]
    due = rooms * 60 * run["seconds"]
    if run["ticks"] == 0 or abs(steps - due) > 0.2 * due + rooms:
        wrong.append(f"{steps:.0f} ticks, {due:.0f} were due")
    if run["inputs"] + run["inputs_made_up"] != clients * run["ticks"]:
        wrong.append("an input of each slot and tick, in time or made up")
    if run["messages_to_clients"] < run["ticks"] or run["bytes_to_clients"] <= 30 * run["messages_to_clients"]:
        wrong.append("a message and its bytes of each tick to clients")
    if run["messages_from_clients"] == 0 or run["connections"] < clients:
        wrong.append("clients that say something")
    if not 0 <= run["lateness_p50_us"] <= run["lateness_p99_us"] <= run["lateness_max_us"]:
        wrong.append("percentiles in their order")
    for key in ("server_cpu_us_per_tick", "load_cpu_us_per_tick", "server_ns_per_message_to_client", "server_memory_bytes", "load_memory_bytes", "held_hz"):
        if run[key] <= 0:
            wrong.append(f"{key} is {run[key]}")
    print("a run:", "; ".join(wrong) or "all is counted")
EOF
}

for way in "" --udp "--carrier ws" --predict "--predict --udp --load-threads 2" "--rooms-per-connection 1 --threads 1"; do
    echo "== live $way"
    "$TICKPROOF" bench live --rooms 3 --seconds 1 --warm-up 0 --format json $way > out.json || echo "exit $?"
    looks_right out.json
done

echo "== a run that lost ticks, and one with an input too many, would be seen"
sed 's/"ticks":[0-9]*/"ticks":7/' out.json > lost.json
looks_right lost.json | sed 's/[0-9][0-9]* ticks, [0-9]*/N ticks, N/'
sed 's/"inputs":\([0-9]*\)/"inputs":1\1/' out.json > made.json
looks_right made.json

echo "== live, over everything"
"$TICKPROOF" bench live --rooms 2 --seconds 1 --warm-up 0 --world runner --carrier tcp,udp,ws > out.txt || echo "exit $?"
sed 's/[0-9][0-9.]*/N/g; s/  */ /g' out.txt

echo "== live, with logs, in words"
"$TICKPROOF" bench live --rooms 2 --seconds 1 --warm-up 0 --world runner --record rec > out.txt || echo "exit $?"
sed 's/[0-9][0-9.]*/N/g; s/  */ /g' out.txt
"$TICKPROOF" verify rec > /dev/null && ls rec

# Only that every part was measured and that all ways of running came to one root: what it came to is the machine's.
parts() {
    python3 - "$1" <<'EOF'
import json, sys
for run in map(json.loads, open(sys.argv[1])):
    wrong = [key for key in ("step_ns", "hosted_tick_ns", "behind_ns", "memcpy_ns", "xxh3_ns", "log_bytes_per_tick") if run[key] <= 0]
    wrong += [] if run["has_bare_step"] == ("bare_step_ns" in run) else ["bare_step_ns"]
    wrong += [] if run["hosted_tick_ns"] > run["memcpy_ns"] * 0.01 and len(run["root"]) == 32 else ["root"]
    parts = sum(run.get(key, 0) for key in ("bare_step_ns", "rows_and_events_ns", "root_ns", "record_ns", "snapshot_ns"))
    parts += 0 if run["has_bare_step"] else run["step_ns"]
    wrong += [] if abs(parts - run["hosted_tick_ns"]) < 0.1 else [f"parts of {parts}"]
    print(f"{run['world']}, {run['players']}, {run['ticks']} ticks, {run['rounds']} rounds:", "; ".join(wrong) or "all is counted")
EOF
}
echo "== tick"
"$TICKPROOF" bench tick --ticks 60 --rounds 3 --format json > ticks.json || echo "exit $?"
parts ticks.json
"$TICKPROOF" bench tick --world "$(dirname "$WORLD")/opaqueworld.so" --ticks 20 --rounds 1 --format json > opaque.json || echo "exit $?"
parts opaque.json
"$TICKPROOF" bench tick --world realm --players 64 --ticks 20 --rounds 1 > words.txt || echo "exit $?"
sed 's/last root .*/last root/; s/\(XXH3  *[0-9.-]*  *[0-9.]*\).*/\1/; s/-*[0-9][0-9.]*/N/g; s/  */ /g; s/: [a-zA-Z]*$/: judged/' words.txt
echo "== tick: what comes to another root when it is run again is no measure"
for fault in 14 15; do
    t bench tick --world "$(dirname "$WORLD")/perturbworld.so" --config "{\"fault\":$fault}" --ticks 300 --rounds 2
done
t bench tick --world "$(dirname "$WORLD")/perturbworld.so" --ticks 300 --rounds 1 | sed -n 's/  *.*//; 1p'
echo "== tick: command lines"
t bench tick live
t bench tick --ticks 0
t bench tick --rounds 100
t bench tick --config '{}'
t bench tick --world realm --players 65
t bench tick --world runner --config '{"fault":1}'
t bench tick --rooms 2
