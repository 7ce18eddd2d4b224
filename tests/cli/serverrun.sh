# What the server says while it runs a configuration, with times taken out. The program of this case is tickproofd.
. "$LIB"
"$MAKESERIES" log 1 50 && mv log* log.tpr
head -c 600 log.tpr > cut.tpr
# Also without what a busy machine adds, and sorted, since rooms do not wait for each other.
untimed() { grep -v -e '"room.late"' "$1" | sed -E -e 's/"(elapsed_us|offset)":[0-9]+/"\1":N/g' -e 's/"time":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z"/"time":T/' -e 's/"port":[0-9]+/"port":N/' -e 's/:[0-9]+"/:N"/' | LC_ALL=C sort; }
cat > rooms.json << 'END'
{
  "threads": 1, "log": "json", "listen": "127.0.0.1:0",
  "record": {"directory": "own"},
  "rooms": [
    {"source": "recorded", "log": "log.tpr", "pace": "as-fast-as-possible", "name": "whole", "record": false},
    {"source": "recorded", "log": "cut.tpr", "pace": "as-fast-as-possible"},
    {"source": "live", "name": "arena", "world": "runner", "when_empty": "run", "ticks": 20, "count": 2, "seed": 7, "players": 2, "config": {"lead_ms": 900}}
  ]
}
END
echo "== JSON lines"
"$TICKPROOF" --config rooms.json --format json > results.json 2> events.jsonl || echo "exit $?"
untimed events.jsonl
ls own

echo "== results"
grep -o '"room":"[^"]*","source":"[^"]*"' results.json
grep -o '"seed":[0-9]*,"players":[0-9]*,"live":{.*}' results.json | sed 's/,"root".*//' | head -1
grep -c '"cpu_us_per_tick":[0-9.]*,"recorder_cpu_us_per_tick":[0-9.]*' results.json
grep -o '"verdict":"[a-z]*","exit":[0-9]*' results.json

echo "== tables"
rm -r own
"$TICKPROOF" --config rooms.json 2> /dev/null > table.txt || echo "exit $?"
awk '/^$/ { print; next } { print $1, $2, $3 }' table.txt
grep -c '^room .* cpu us .* verdict' table.txt

# An address that is not here: nothing was made, nothing ran.
echo "== nothing half-started"
rm -r own
sed 's/127.0.0.1:0/192.0.2.1:0/' rooms.json > far.json
t --config far.json --record own
ls own 2> /dev/null

# What flags say wins over the file's record and threads, and adds a room.
echo "== flags win"
"$TICKPROOF" --config rooms.json --record other --threads 2 --live extra=runner,ticks=3,when_empty=run > /dev/null 2> lines.txt || echo "exit $?"
untimed lines.txt | grep -e '"server.start"'
ls other

# Started again, it leaves the logs of before alone.
echo "== again"
for run in 1 2 3; do
    "$TICKPROOF" --recorded log.tpr --as-fast-as-possible --loop-count 2 --live solo=runner,ticks=3,when_empty=run --listen 127.0.0.1:0 --record again \
        > /dev/null 2> lines.txt || echo "exit $?"
done
ls again
# For people: a live room that ends by itself is told, and one that verifies is not.
grep -v ' runs late ' lines.txt | sed 's/:[0-9]*$/:PORT/'
