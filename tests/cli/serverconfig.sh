# Every wrong configuration of the server is one line with file, line and place, and 2. The program of this case is tickproofd.
. "$LIB"
c() { printf '%b' "$1" > c.json; t --config c.json --check-config; }
"$MAKESERIES" log 1 50 && mv log* log.tpr
ls > before

echo "== text"
t --config missing.json
c ''
c ' \n\t\n'
c '{"rooms": [}'
c '{"threads": 1\n\n"log": "text"}'
c '{"a\001": 1}'
c '{"a\\u0000": 1}'
c '\n{"rooms": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}'
c '\n[1]'
c '{1: 2}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n"config": {5\t: 3}}]}'
head -c 4194305 /dev/zero | tr '\0' ' ' > large.json
t --config large.json --check-config
rm large.json

echo "== keys"
c '{"rooms": [],\n "thread": 2}'
c '{"colour": 2}'
c '{"log\\u001b[31m": 2}'
c '{"threads": 2,\r\n "log": "text",\r\n "threads": 3}'
c '{"limits": {\n "connection": 5}}'
c '{"record": {"dir": "x"}}'
c '{"rooms": [\n{"source": "live", "name": "a", "world": "runner", "loops": 2}]}'
c '{"rooms": [\n{"source": "recorded", "log": "log.tpr",\n "players": 2}]}'

echo "== types and values"
c '{"threads": "2"}'
c '{"threads": 1.5}'
c '{"threads": 1e1}'
c '{"threads": -1}'
c '{"threads": 65}'
c '{"threads": 18446744073709551616}'
c '{"threads": true}'
c '{"rooms": [],\n"status_every": 01}'
c '{"status_every": 1.}'
c '{"status_every": -}'
c '{"log": 3}'
c '{"log": "xml"}'
c '{"stop_ms": 0}'
c '{"worlds": "x.so"}'
c '{"worlds": [\n"./missing.so"]}'
c '{"worlds": ["runner"]}'
c '{"limits": 5}'
c '{"limits": {"send_queue_bytes": 5}}'
c '{"limits": {"send_total_bytes": 5}}'
c '{"record": true}'
c '{"record": {"durability": "maybe"}}'
c '{"record": {\n"durability": "seal"}, "rooms": [{"source": "live", "name": "a", "world": "runner"}]}'
c '{"limits": {"send_total_bytes": 100000,\n"send_queue_bytes": 100001}}'
c '{"limits": {\n"send_total_bytes": 100000}}'
c '{"rooms": {}}'
c '{"rooms": [5]}'

echo "== listen"
c '{"listen": "localhost:7777"}'
c '{"listen": "127.0.0.1"}'
c '{"listen": "127.0.0.1:65536"}'
c '{"listen": "::1:7777"}'
c '{"listen": ["127.0.0.1:1",\n "127.0.0.1:"]}'
c '{"listen": ["127.0.0.1:1",\n "127.0.0.1:1"]}'
c '{"listen": ["[::1]:1", "[::1]:2", "[::1]:3", "[::1]:4", "[::1]:5", "[::1]:6", "[::1]:7", "[::1]:8",\n "[::1]:9"]}'
c '{"listen": 7777}'
c '{"listen": []}'

echo "== rooms"
c '{}'
c '{"rooms": [\n{"name": "a"}]}'
c '{"rooms": [\n{"source": "dead"}]}'
c '{"rooms": [\n{"source": "live", "world": "runner"}]}'
c '{"rooms": [\n{"source": "live", "name": "a"}]}'
c '{"rooms": [\n{"source": "recorded"}]}'
c '{"rooms": [{"source": "live",\n "name": "a b", "world": "runner"}]}'
c '{"rooms": [{"source": "live",\n "name": "../a", "world": "runner"}]}'
c '{"rooms": [{"source": "live", "name": "a",\n "world": "nowhere"}]}'
# The same key in every room: the line is that of the room that is wrong.
c '{"rooms": [\n {"source": "live", "name": "a\\"[{", "world": "runner",\n "players": 2}]}'
c '{"rooms": [\n {"source": "live", "name": "a", "world": "runner",\n "players": 2},\n {"source": "live", "name": "b", "world": "runner",\n "players": 300}]}'
c '{"rooms": [\r\n {"source": "recorded", "log": "log.tpr", "name": "x"},\r\n {"name": "b", "world": "runner",\r\n "players": 0, "source": "live"}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "fighter",\n "players": 0}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "fighter",\n "players": -4}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "players": -4}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "players": 18446744073709551615}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "players": 2.5}]}'
c '{"rooms": [\n {"source": "live", "name": "a", "world": "runner"},\n {"source": "live", "world": "runner",\n "name": "a"}]}'
c '{"rooms": [\n {"source": "live", "name": "a", "world": "runner", "count": 3},\n {"source": "recorded", "log": "log.tpr",\n "name": "a-2"}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "players": 2,\n "start_players": 3}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "stall_ms": 3}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "tick_rate_hz": 100001}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "count": 2,\n "seed": 18446744073709551615}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "count": 0}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "count": 4000},\n {"source": "live", "name": "b", "world": "runner", "count": 97}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "record": true}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "record": 3}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n "record": {"durability": "seal"}}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "record": {\n"directory": "no/where"}}]}'

echo "== live play"
live() { c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n '"$1"'}]}'; }
live '"on_desync": "ignore"'
live '"on_desync": 1'
live '"report_ticks": 65536'
live '"rejoin_seconds": 86401'
live '"rejoin_seconds": -1'
live '"desync_dir": 5'
live '"desync_dir": ""'
live '"desync_dir": "no/where"'
live '"rotate_ticks": 3600'
live '"resume": true'
live '"resume": "yes"'
live '"resume": 0'
live '"resume": false, "on_desync": "kick", "report_ticks": 0, "rejoin_seconds": 0, "desync_dir": "bad"'
c '{"rooms": [{"source": "recorded", "log": "log.tpr",\n "on_desync": "kick"}]}'
c '{"limits": {\n"join_bytes_per_tick": 1199}}'
c '{"http": "127.0.0.1:1"}'
c '{"http": {}}'
c '{"http": {"listen": "localhost:1"}}'
c '{"http": {"listen": "127.0.0.1:1",\n "hosts": "a"}}'
c '{"http": {"listen": "127.0.0.1:1",\n "hosts": ["a", "http://b"]}}'
c '{"http": {"listen": "127.0.0.1:1",\n "origins": ["https://a/"]}}'
c '{"http": {"listen": "127.0.0.1:1", "host": []}}'
c '{"http": {"listen": "127.0.0.1:1", "idle_ms": 1}}'
c '{"udp": 7777}'
c '{"udp": ["127.0.0.1:1"]}'
c '{"udp": "localhost:1"}'
c '{"rooms": [],\n "udp": "0.0.0.0:7777"}'
c '{"udp": "127.0.0.1:7777", "rooms": [{"source": "live", "name": "a", "world": "runner"}]}'
keyed() { c '{"admin_key_file":\n "'"$1"'", "rooms": [{"source": "live", "name": "a", "world": "runner"}]}'; }
keyed missing.key
keyed .
echo 1234567 > key && chmod 600 key
keyed key
echo 12345678 > key
keyed key
chmod 640 key
keyed key
chmod 600 key
printf 'a key\033[2J of mine' > key
keyed key
head -c 129 /dev/zero | tr '\0' k > key
keyed key
head -c 128 /dev/zero | tr '\0' k > key
keyed key
printf '\nbehind the first line all is free\033\n' >> key
keyed key
rm key

echo "== a world's config"
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "config": {\n"lead_ms": 900,\n"entitys": 3}}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "config": {\n"lead_ms": 900,\n"entities": 0}}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "config": {\n"lead_ms": 900,\n"entities": 3.5}}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner", "config": {\n"lead_ms": 900,\n"lead_ms": 901}}]}'
c '{"rooms": [{"source": "live", "name": "a", "world": "runner",\n"config": [1]}]}'

echo "== logs"
c '{"rooms": [{"source": "recorded",\n "log": "missing.tpr"}]}'
c '{"rooms": [{"source": "recorded",\n "log": "c.json"}]}'
c '{"rooms": [{"source": "recorded",\n "log": "/dev/null"}]}'
mkdir logs
c '{"rooms": [{"source": "recorded",\n "log": "logs"}]}'
cp log.tpr logs/one.tpr
cp log.tpr logs/two.tpr
c '{"rooms": [{"source": "recorded", "log": "logs",\n "name": "one"}]}'
head -c 100 log.tpr > logs/two.tpr
c '{"rooms": [{"source": "recorded",\n "log": "logs"}]}'
cp log.tpr logs/two.tpr

echo "== flags"
t
t operand
t --config c.json --config d.json
t --config c.json --max-connections 0
t --config c.json --silence-ms 99
t --listen somewhere
# A flag that forgot its path takes the next one for it. No check may start a server by that.
t --recorded --check-config
t --recorded log.tpr -- --check-config
t --recorded log.tpr --record --check-config
t --config --check-config
t --recorded log.tpr --record ''
t --recorded '' --check-config
t --recorded missing.tpr --check-config
t --recorded log.tpr missing.tpr
t --recorded /dev/null
cp log.tpr ./--x
t --recorded ./--x --check-config
rm ./--x
t --durability maybe
t --live a=runner --durability seal --check-config
t --live a=runner --loop-count 2 --check-config
t --live a=runner --real-time --check-config
t --live a=runner --as-fast-as-possible --check-config
t --live a=runner --record no/where --check-config
t --live a=runner --send-queue-bytes 67108865 --check-config
t --live a=runner --send-total-bytes 65536 --check-config
t --live a=runner --listen 127.0.0.1:1 --listen 127.0.0.1:1 --check-config
(ulimit -n 70; t --live a=runner,count=100 --record own --check-config)
t --live arena
t --live arena=
t --live 'a b=runner'
t --live arena=runner,players
t --live arena=runner,colour=3
t --live arena=runner,player=3
t --live arena=runner,confg.lead_ms=3
t --live "$(printf 'arena=runner,\377\302\233=3')"
t --live arena=runner,players=x
t --live arena=runner,players=-4
t --live arena=runner,players=9
t --live arena=runner,missing=maybe
t --live arena=runner,seed=1,seed=2
t --live arena=runner,on_desync=maybe
t --live arena=runner,resume=yes
t --live arena=runner,desync_dir=
t --live arena=runner,rotate_ticks=60
t --live arena=runner --udp 10.0.0.1:7 --check-config
t --live arena=runner --udp here
t --live arena=runner --udp 127.0.0.1:7 --udp 127.0.0.1:8
t --live arena=runner --http here
t --live arena=runner --http 127.0.0.1:7 --http 127.0.0.1:8
t --live arena=runner --admin-key-file --check-config
t --live arena=runner --admin-key-file missing.key
t --live arena=runner --join-bytes-per-tick 5
t --live arena=runner,config.lead_ms=1
t --live arena=runner,config.lead=1
t --live arena=runner,config.lead_ms=x
t --live arena=nowhere
t --live arena=runner --live arena=runner
t --recorded log.tpr --live "$(printf 'a=\033]0;x\007')"

echo "== right ones"
cat > rooms.json << 'END'
{
  "listen": ["127.0.0.1:0", "[::1]:0"],
  "record": {"directory": "own"},
  "rooms": [
    {"source": "recorded", "log": "logs"},
    {"source": "recorded", "log": "log.tpr", "name": "a", "record": false},
    {"source": "live", "name": "arena", "world": "runner", "count": 4, "players": 2, "config": {"lead_ms": 900}}
  ]
}
END
t --config rooms.json --check-config
t --config - --check-config < rooms.json
t --config "$PWD/rooms.json" --check-config | sed "s|$PWD|.|"
(mkdir elsewhere && cd elsewhere && t --config ../rooms.json --check-config)
rmdir elsewhere
t --config rooms.json --listen 127.0.0.1:5 --live b=runner --recorded logs --check-config
t --live arena=runner,count=3,seed=0x10,config.lead_ms=900,when_empty=end --check-config
t --live arena=runner,rotate_ticks=3600,desync_dir=bad,resume=true --record own --udp 127.0.0.1:0 --check-config
t --live arena=runner --http 127.0.0.1:0 --check-config
t --recorded log.tpr --check-config
echo '{}' > empty.json
t --config empty.json --recorded log.tpr --check-config
# A flag may give what the file leaves out, and take back what is too much in it.
echo '{"record": {"durability": "seal"}, "limits": {"send_total_bytes": 65536}}' > part.json
t --config part.json --live a=runner --record own --send-queue-bytes 65536 --check-config
echo '{"record": {"directory": "own"}, "rooms": [{"source": "recorded", "log": "log.tpr"}]}' > part.json
t --config part.json --durability tick --check-config
# Recorded rooms of a file do not hear this flag.
t --config part.json --loop-count 2 --check-config
rm part.json
rm empty.json rooms.json
# Checking made no file.
rm -r logs c.json
ls | diff before -
